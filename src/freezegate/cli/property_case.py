"""A property, its revisions and what it runs on: read before the first run (SPEC section 5).

The oracle with all of its domain is the base's: a patch that changes any of it is refused, since no
patch is judged by anything that it wrote.
"""

from __future__ import annotations

import shlex
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_runner import find_python, find_runner, tell_python
from freezegate.cli.witness_setting import head_step, open_setting
from freezegate.errors import Unanswerable, UsageError
from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.git.work_tree import dirty_files
from freezegate.model.digests import ObjectId
from freezegate.model.ids import PropertyId
from freezegate.model.run import Side
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.rules.intruders import find_intruders
from freezegate.report.text import escaped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.witness_setting import Setting
    from freezegate.git.candidate import Step
    from freezegate.model.catalog import Property
    from freezegate.model.domain import Domain
    from freezegate.witness.window_run import Runner


class PropertyCase(NamedTuple):
    """One property of the catalogue at T, and base and candidate on which it is asked."""

    setting: Setting
    entry: Property
    step: Step
    oracle_blob: ObjectId
    domain: Domain
    runner: Runner

    @property
    def sources(self) -> tuple[SnapshotSource, SnapshotSource]:
        """The trees of base and candidate as the runs take them."""
        store = self.setting.session.store
        return SnapshotSource(store, self.step.base_tree), SnapshotSource(store, self.step.tree)


def add_property_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that name base and interpreter, and the form of the answer."""
    parser.add_argument("--base", metavar="REV", help="the trusted base (default: the target)")
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the interpreter that runs the tests (default: $VIRTUAL_ENV, else .venv/ at the top "
        "of the repository, else freezegate's own)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def revisions(case: PropertyCase) -> str:
    """Return which base and candidate were asked, for people."""
    return f"base {case.setting.base_rev[:12]}, candidate {case.setting.head[:12]}"


def tell_uncommitted(case: PropertyCase, options: argparse.Namespace) -> None:
    """Say that runs are made on commits, where the work tree holds more than HEAD."""
    with git_faults_refuse():
        dirty = dirty_files(case.setting.session, request_files=False)
    files = [path for path in dirty if not path.startswith(".freeze/")]
    if files:
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        print(
            f"freezegate {options.verb}: note: {escaped(files[0])}{more} not committed, and not "
            f"seen: the candidate is commit {case.setting.head[:12]}",
            file=sys.stderr,
            flush=True,
        )


def side_of(rev: str) -> Side:
    """Return the side that `--rev` means: any revision but the word `base` is a candidate."""
    return Side.BASE if rev == Side.BASE else Side.CANDIDATE


def open_property(
    name: str, rev: str, options: argparse.Namespace, environ: Mapping[str, str]
) -> PropertyCase:
    """Return the case of a property; `rev` is base, candidate (HEAD) or a revision.

    Raises UsageError or Unanswerable where the property, the base or the oracle is not there, and
    where the patch changes what the oracle says.
    """
    property_id = PropertyId(name)
    with git_faults_refuse():
        setting = open_setting(Session.open(environ), options, environ)
        if setting is None:
            msg = "no policy that decodes at the trusted base; freezegate check says why"
            raise UsageError(msg)
        if rev not in tuple(Side):
            named = setting.session.candidate(rev, staged=False).rev
            setting = setting._replace(head=named or setting.head)
        return _case(setting, _entry(setting, property_id), options, environ)


def _case(
    setting: Setting, entry: Property, options: argparse.Namespace, environ: Mapping[str, str]
) -> PropertyCase:
    step = head_step(setting)
    oracle = step.base_tree.entry(entry.oracle.raw)
    if oracle is None or not oracle.is_regular:
        raise Unanswerable(
            "oracle.missing_at_base",
            got=f"{oracle.kind if oracle else 'no file'} at {entry.oracle} at the trusted base",
            expected=f"the oracle of {entry.property_id}, as .freeze/catalog.toml says",
            remedy="bring the file back, or correct the catalogue, in a patch of its own",
        )
    domain = setting.view.domain(setting.policy, entry.oracle, entry, None)
    _refuse_changed(setting, entry, step, domain)
    python = find_python(setting.session, options.python, environ)
    config = setting.view.config(entry.property_test.path)
    runner = find_runner(setting.session, setting.policy, config, str(python.path), environ)
    tell_python(python)
    return PropertyCase(setting, entry, step, ObjectId(oracle.hex), domain, runner)


def _entry(setting: Setting, property_id: PropertyId) -> Property:
    document = setting.view.judges.catalog
    catalog = document.value
    if document.fault is not None:
        raise Unanswerable(
            "budget.id_not_catalogued",
            got=f".freeze/catalog.toml at the trusted base ({setting.base.source}) does not "
            f"decode: {document.fault.place}: {document.fault.got}",
            expected=document.fault.expected,
            remedy="freezegate catalog check; mend it in a patch of its own, and land that first",
        )
    entry = catalog.properties.get(property_id) if catalog else None
    if entry is not None:
        return entry
    if catalog and property_id in catalog.proposed:
        got, near = "a draft, which counts for nothing", ""
        remedy = f"freezegate catalog accept {property_id}, and land that in a patch of its own"
    else:
        known = [str(name) for name in catalog.properties] if catalog else []
        near = " or ".join(get_close_matches(property_id, known, n=3, cutoff=0.5))
        got = f"no property {property_id} in .freeze/catalog.toml"
        remedy = f"did you mean {near}? " if near else ""
        remedy += "freezegate catalog list shows all; freezegate catalog add --help"
    raise Unanswerable(
        "budget.id_not_catalogued",
        got=f"{got} at the trusted base ({setting.base.source})",
        expected="a property that the base's catalogue holds: it names oracle and property test",
        remedy=remedy,
    )


def _refuse_changed(setting: Setting, entry: Property, step: Step, domain: Domain) -> None:
    """Raise where the patch wrote a part of what judges it."""
    raw = entry.oracle.raw
    if raw in step.changes:
        _refuse("oracle.changed", setting, f"the patch changes the oracle {entry.oracle}")
    tree = DomainTree(setting.session.store, step.tree, ReadBlobs({}, {}))
    changes = changed_in(domain, step.changes, tree, setting.policy)
    if changes:
        more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
        got = f"the patch changes {changes[0].path}{more}, on which the oracle depends"
        _refuse("domain.changed", setting, got)
    python = setting.policy.runner.python
    for found in find_intruders(step.changes, domain.roots, python):
        _refuse(found.code, setting, f"the patch brings {found.path}: {found.got}")


def _refuse(code: str, setting: Setting, got: str) -> None:
    raise Unanswerable(
        code,
        got=got,
        expected="oracle and domain as they are at the trusted base: no patch is judged by what "
        "it wrote",
        remedy="land that change in a patch of its own, then run this again; to see the patch: "
        f"git diff --stat {shlex.quote(setting.base_rev[:12])}",
    )
