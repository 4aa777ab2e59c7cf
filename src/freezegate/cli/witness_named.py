"""Do the tests, fixtures and oracles exist that were named? Else: what was meant, perhaps."""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from typing import TYPE_CHECKING, assert_never

from freezegate.cli.witness_nearest import (
    collected_nearest,
    nearest_paths,
    nearest_tests,
    paths_in,
)
from freezegate.cli.witness_options import same_again
from freezegate.cli.witness_runner import find_runner
from freezegate.cli.witness_typed import mistyped
from freezegate.cli.witness_uncatalogued import named_ids
from freezegate.errors import InvalidValue
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.git.trees import Snapshot
from freezegate.model.digests import Sha256
from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE
from freezegate.model.finding import Finding, Severity
from freezegate.model.ids import TestId
from freezegate.policy.globs import matches
from freezegate.policy.module_source import Named, find_test
from freezegate.witness.standing_trees import built_trees
from freezegate.witness.window_run import WindowRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from freezegate.cli.witness_asked import Wanted
    from freezegate.cli.witness_case import Case
    from freezegate.cli.witness_setting import Setting
    from freezegate.model.catalog import Property
    from freezegate.model.entries import Entry
    from freezegate.model.paths import RepoPath

_LINKS = {SYMLINK_MODE: "path.symlink", GITLINK_MODE: "path.gitlink"}


def unknown_tests(
    setting: Setting, options: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return why ids name no single test of the base, and what may be meant by each.

    This comes before anything else is asked for: nobody looks up a fixture for a typing error.
    """
    found = (_fault(setting, text, options, environ) for text in named_ids(options))
    return tuple(finding for finding in found if finding is not None)


def _fault(
    setting: Setting, text: str, options: argparse.Namespace, environ: Mapping[str, str]
) -> Finding | None:
    try:
        test_id = TestId(text)
    except InvalidValue as fault:
        return mistyped(setting, text, fault, options)
    return _unknown(setting, test_id, options, environ)


def wrong_files(case: Case, options: argparse.Namespace) -> tuple[Finding, ...]:
    """Return which fixtures are no files of HEAD, and which oracles none of the base."""
    return tuple(finding for each in case.wanted for finding in _wrong(case, each, options))


def _unknown(
    setting: Setting, test_id: TestId, options: argparse.Namespace, environ: Mapping[str, str]
) -> Finding | None:
    store, tree = setting.session.store, Snapshot(setting.session.store, setting.view.root)
    named = _named(setting, tree, test_id)
    if named in (Named.ONE_TEST, Named.UNREADABLE):
        return None
    what = "no file at"
    if named is not None:
        what = f"{named.value} under {'::'.join(test_id.names)!a} in"
    match named:
        case Named.CLASS | Named.FAMILY:
            code, near = "test.not_single", _members(setting, test_id, options, environ)
        case Named.NOTHING | None:
            code, near = "test.not_found_at_base", nearest_tests(store, tree, test_id)
        case _ as never:
            assert_never(never)
    new = _named(setting, Snapshot(store, store.commit(setting.head).tree), test_id)
    is_new = code == "test.not_found_at_base" and new is Named.ONE_TEST
    remedies = [] if is_new else [*_by_id(near), *_by_property(setting, test_id, options)]
    return Finding(
        code=code,
        severity=Severity.ERROR,
        about=test_id,
        got=f"{what} {test_id.path} at the trusted base ({setting.base.source})",
        expected="one test that stood there before the patch",
        remedy="; ".join(remedies),
    )


def _named(setting: Setting, tree: Snapshot, test_id: TestId) -> Named | None:
    entry = tree.entry(test_id.path.raw)
    if entry is None or not entry.is_regular:
        return None
    source = setting.session.store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES)
    return find_test(source, test_id.names, has_parameter=test_id.parameter is not None)


def _by_id(near: tuple[str, ...]) -> Iterator[str]:
    if near:
        yield f"name one of them: {', '.join(map(shlex.quote, near))}"


def _by_property(setting: Setting, test_id: TestId, options: argparse.Namespace) -> Iterator[str]:
    catalog = setting.view.judges.catalog.value
    tests = {str(each.test): each for each in catalog.properties.values()} if catalog else {}
    for near in get_close_matches(test_id, tests, n=1, cutoff=0.6):
        again = f"freezegate {options.verb} --property {tests[near].property_id}"
        yield f"by the catalogue: {again}"


def _members(
    setting: Setting, test_id: TestId, options: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return what pytest collects of a family or class: no source tells its parameters."""
    config = setting.view.config(test_id.path)
    runner = find_runner(setting.session, setting.policy, config, options.python, environ)
    source = SnapshotSource(
        setting.session.store, Snapshot(setting.session.store, setting.view.root)
    )
    request = WindowRequest(
        test_id=test_id,
        fixture_path=test_id.path,
        fixture_sha256=Sha256("0" * 64),
        oracle_path=test_id.path,
        runs_per_side=1,
        timeout_s=setting.policy.evidence.timeout_s,
        pythonhashseed=0,
        hypothesis_seed=None,
        marked=frozenset(),
    )
    with built_trees(source, source) as trees:
        return collected_nearest(trees, runner, request)


def _wrong(case: Case, wanted: Wanted, options: argparse.Namespace) -> Iterator[Finding]:
    """Yield what is wrong with fixture and oracle; each remedy corrects both."""
    near = {"fixture": _near_fixtures(case, wanted), "oracle": _near_oracles(case, wanted)}
    meant = {key: paths[0] for key, paths in near.items() if paths and getattr(options, key)}
    fixture = case.step.tree.entry(wanted.fixture.raw)
    if fixture is not None and fixture.is_regular and wanted.entry and near["fixture"] is not None:
        again = same_again(options, **{**meant, "fixture": near["fixture"][0]})
        yield _other_fixture(wanted, wanted.entry, again)
    elif near["fixture"] is not None:
        again = _again(options, "fixture", meant)
        yield _no_file("--fixture", wanted.fixture, fixture, "HEAD", "fixture.missing", again)
    if near["oracle"] is not None:
        oracle = case.step.base_tree.entry(wanted.oracle.raw)
        code = "oracle.missing_at_base" if oracle is None else "oracle.not_regular_at_base"
        again = _again(options, "oracle", meant)
        yield _no_file("--oracle", wanted.oracle, oracle, "the trusted base", code, again)


def _near_fixtures(case: Case, wanted: Wanted) -> tuple[str, ...] | None:
    """Return what may be meant by a fixture that is none, None where it is one."""
    entry = case.step.tree.entry(wanted.fixture.raw)
    own = [str(path) for path in wanted.entry.fixtures] if wanted.entry else None
    if entry is not None and entry.is_regular and (own is None or wanted.fixture in own):
        return None
    locked = case.setting.view.judges.lock.value or {}
    known = own or [str(path) for path in locked if case.step.tree.entry(path.raw)]
    return nearest_paths(wanted.fixture, known) or tuple(known[:1])


def _near_oracles(case: Case, wanted: Wanted) -> tuple[str, ...] | None:
    """Return what may be meant by an oracle that is none, None where it is one."""
    tree, globs = case.step.base_tree, case.setting.policy.oracle_paths
    oracle = tree.entry(wanted.oracle.raw)
    if oracle is not None and oracle.is_regular:
        return None
    known = [path for path in paths_in(tree) if matches(globs, path.encode())]
    return nearest_paths(wanted.oracle, known) or tuple(known[:1])


def _other_fixture(wanted: Wanted, entry: Property, again: str) -> Finding:
    """Return that the catalogue knows another fixture for this test."""
    right = [str(path) for path in entry.fixtures]
    return Finding(
        code="record.contradicts_catalog",
        severity=Severity.ERROR,
        about=f"--fixture {shlex.quote(wanted.fixture)}",
        got=f"{wanted.fixture}, which is no fixture of {entry.property_id}",
        expected=f"{' or '.join(right)}, as .freeze/catalog.toml at the trusted base says",
        remedy=again,
    )


def _again(options: argparse.Namespace, key: str, meant: Mapping[str, str]) -> str:
    """Return what to do: name other files, or correct what named this one."""
    if getattr(options, key) is None:
        return (
            f"bring the file back, or correct the {key} in .freeze/catalog.toml, in a patch "
            "of its own"
        )
    return same_again(options, **meant) if key in meant else ""


def _no_file(
    option: str, path: RepoPath, entry: Entry | None, where: str, code: str, remedy: str
) -> Finding:
    is_fixture = option == "--fixture" and entry is not None
    return Finding(
        code=_LINKS.get(entry.mode, "path.not_regular") if is_fixture and entry else code,
        severity=Severity.ERROR,
        about=f"{option} {shlex.quote(path)}",
        got=f"{entry.kind if entry else 'no file'} at {path} in {where}",
        expected=f"a regular file, by its path from the repository's top, for {option}",
        remedy=remedy,
    )
