"""All that is known before the first run: base, patch, subjects, what the branch asked before."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_asked import find_terms, find_wanted
from freezegate.cli.witness_ledger import ledger_of, own_part
from freezegate.cli.witness_marks import (
    marked_sides,
    marked_sources,
    own_marks,
    refuse_unasked_mark,
)
from freezegate.cli.witness_own import refuse_dropping, refuse_landed
from freezegate.cli.witness_setting import head_tree, step_with
from freezegate.git.limits import MAX_FIXTURE_BYTES
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.domain import Domain
from freezegate.model.run import Side
from freezegate.policy.digests import patch_digest
from freezegate.policy.window import window_size
from freezegate.witness.request import Subject

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.witness_asked import Wanted
    from freezegate.cli.witness_ledger import Ledger
    from freezegate.cli.witness_setting import Setting
    from freezegate.git.candidate import Step
    from freezegate.witness.request import Terms

_ZEROS = "0" * 64


class Case(NamedTuple):
    """What is to be witnessed: a subject for each test, the marked sources, the step.

    `terms` has owner and end for each test; `standing` are sources that the work tree has with
    nothing but our marker more than HEAD.
    """

    setting: Setting
    wanted: tuple[Wanted, ...]
    subjects: tuple[Subject, ...]
    snapshots: Mapping[Sha256, bytes]
    marked: tuple[frozenset[Side], ...]
    terms: tuple[Terms | None, ...]
    sources: Mapping[bytes, bytes]
    standing: Mapping[bytes, bytes]
    ledger: Ledger
    step: Step
    refresh: bool


def gather_case(setting: Setting, options: argparse.Namespace) -> Case:
    """Return what the options ask for, read from HEAD and the trusted base."""
    own, before = own_part(setting, refresh=options.refresh)
    refuse_landed(own)
    ledger = ledger_of(setting, own, before, refresh=options.refresh)
    lines = ledger.asked if options.refresh else ()
    wanted = find_wanted(options, setting.view.judges.catalog.value, lines)
    if options.refresh:
        refuse_dropping(wanted, own.added, options)
    settings = setting.policy.freeze
    terms = tuple(find_terms(options, each.own, settings) for each in wanted)
    refuse_unasked_mark(options, terms)
    standing = own_marks(setting, ledger.asked)
    sources = marked_sources(setting, head_tree(setting), wanted, standing) if options.mark else {}
    case = _case(
        setting,
        wanted,
        ledger,
        {**standing, **sources} if options.refresh else sources,
        refresh=options.refresh,
    )
    return case._replace(terms=terms, standing=standing)


def gather_scored(
    setting: Setting, wanted: tuple[Wanted, ...], options: argparse.Namespace, *, refresh: bool
) -> Case:
    """Return a case that asks for nothing; raises UsageError where it would drop a request."""
    own, before = own_part(setting, refresh=refresh)
    if refresh:
        refuse_dropping((), own.added, options)
    ledger = ledger_of(setting, own, before, refresh=refresh)
    return _case(setting, wanted, ledger, {}, refresh=refresh)


def window_sizes(case: Case, asked: int | None) -> list[int]:
    """Return the runs on each side of each window: never fewer than what is refreshed had.

    `asked` is `--runs`: who names a smaller number that policy and catalogue allow, gets it.
    """
    before = {line.test_id: len(line.candidate_runs) for line in case.ledger.previous}
    settings = case.setting.policy.evidence
    sizes = [window_size(settings, each.entry, asked) for each in case.wanted]
    if asked is not None:
        return sizes
    return [
        max(size, min(before.get(each.test_id, 0), settings.max_runs))
        for each, size in zip(case.wanted, sizes, strict=True)
    ]


def _case(
    setting: Setting,
    wanted: tuple[Wanted, ...],
    ledger: Ledger,
    sources: Mapping[bytes, bytes],
    *,
    refresh: bool,
) -> Case:
    overlay = {path: setting.session.store.lay(data) for path, data in sources.items()}
    step = step_with(setting, overlay)
    fixtures = _fixtures(setting, step, wanted)
    snapshots = {Sha256(hashlib.sha256(data).hexdigest()): data for data in fixtures}
    subjects = tuple(_subject(setting, step, each) for each in wanted)
    return Case(
        setting=setting,
        wanted=wanted,
        subjects=subjects,
        snapshots=snapshots,
        marked=tuple(marked_sides(setting.session.store, step, each.test_id) for each in wanted),
        terms=(None,) * len(wanted),
        sources=sources,
        standing={},
        ledger=ledger,
        step=step,
        refresh=refresh,
    )


def _fixtures(setting: Setting, step: Step, wanted: tuple[Wanted, ...]) -> list[bytes]:
    entries = [step.tree.entry(each.fixture.raw) for each in wanted]
    return [
        setting.session.store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)
        for entry in entries
        if entry is not None and entry.is_regular
    ]


def _subject(setting: Setting, step: Step, wanted: Wanted) -> Subject:
    """Return the subject; what is not there gets zeros, and the gate says so."""
    store, view = setting.session.store, setting.view
    fixture, oracle = step.tree.entry(wanted.fixture.raw), step.base_tree.entry(wanted.oracle.raw)
    digest = _ZEROS
    if fixture is not None and fixture.is_regular:
        data = store.blob(fixture.oid, max_bytes=MAX_FIXTURE_BYTES)
        digest = hashlib.sha256(data).hexdigest()
    known = view.is_file(wanted.oracle)
    domain = (
        view.domain(setting.policy, wanted.oracle, wanted.entry, wanted.fixture)
        if known
        else Domain(wanted.oracle, {}, {}, {}, (), (), Blake3(f"blake3:{_ZEROS}"))
    )
    return Subject(
        property_id=wanted.property_id,
        test_id=wanted.test_id,
        fixture_path=wanted.fixture,
        fixture_sha256=Sha256(digest),
        oracle_path=wanted.oracle,
        oracle_blob=ObjectId(oracle.hex if oracle else _ZEROS[:40]),
        base_rev=setting.base_rev,
        candidate_rev=setting.head,
        patch_digest=patch_digest(step.changes.values()),
        domain=domain,
    )
