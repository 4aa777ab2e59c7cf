"""All that is known before the first run: base, patch, subjects, what the branch asked before."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import read_here
from freezegate.cli.witness_asked import find_terms, find_wanted
from freezegate.cli.witness_marks import (
    marked_sides,
    marked_sources,
    own_marks,
    refuse_unasked_mark,
)
from freezegate.cli.witness_own import own_requests, refuse_dropping, refuse_landed
from freezegate.errors import Unanswerable
from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.git.candidate import witness_candidate
from freezegate.git.domain_view import DomainView
from freezegate.git.limits import MAX_FIXTURE_BYTES
from freezegate.git.own_lines import own_lines
from freezegate.git.trees import Snapshot
from freezegate.git.work_tree import request_files_here, work_tree
from freezegate.hooks.walk import named_base
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.domain import Domain
from freezegate.model.ledger import Classified, LedgerEntry
from freezegate.model.run import Side
from freezegate.policy.digests import patch_digest
from freezegate.policy.guards import FOLDER, LEDGER_PATH, RECORD_PATH
from freezegate.policy.window import window_size
from freezegate.witness.request import Subject

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.witness_asked import Wanted
    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Step
    from freezegate.git.own_lines import OwnLines
    from freezegate.git.session import Session
    from freezegate.model.entries import Entry
    from freezegate.model.ledger import BadLine
    from freezegate.policy.settings import Policy
    from freezegate.witness.request import Terms

_ZEROS = "0" * 64
_FOLDERS = (b".freeze/evidence", b".freeze/snapshots")


class Setting(NamedTuple):
    """The repository: HEAD, the trusted base, and what that base says."""

    session: Session
    top: Path
    ref: str
    head: ObjectId
    base: TrustedBase
    base_rev: ObjectId
    view: DomainView
    policy: Policy


class Ledger(NamedTuple):
    """The ledger: `before` as it stands in the work tree, `kept` what new lines go behind.

    `dropped` are the files that only dropped lines named, `previous` the dropped lines themselves,
    `landed` the ledger at T, `asked` what the branch asks for.
    """

    before: bytes
    kept: bytes
    dropped: frozenset[bytes]
    previous: tuple[Classified, ...]
    landed: tuple[LedgerEntry | BadLine, ...]
    asked: tuple[Classified, ...]


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


def find_base(
    session: Session, options: argparse.Namespace, environ: Mapping[str, str]
) -> TrustedBase:
    """Return the base that is named, else the target's; raises Unanswerable for none."""
    named = named_base(options.base, environ)
    if named:
        return session.named_base(*named)
    return session.trusted_base(session.candidate(None, staged=False), session.branch(None))


def open_setting(
    session: Session, options: argparse.Namespace, environ: Mapping[str, str]
) -> Setting | None:
    """Return HEAD, base and policy; None where the base has no policy that decodes."""
    if session.repository.head_is_unborn:
        raise Unanswerable(
            "base.none",
            got="a branch without commits",
            expected="a patch on a branch: runs are made on commits",
            remedy="git commit, then run the same again",
        )
    branch = session.branch(None)
    candidate = session.candidate(None, staged=False)
    base = find_base(session, options, environ)
    if base.rev is None or candidate.rev is None:
        raise Unanswerable(
            "base.none",
            got="a first commit, which has no parent",
            expected="a base on which the test and its oracle stood before the patch",
            remedy="land the oracle first; then witness the patch on top of it",
        )
    view = DomainView(session, base.rev)
    policy = view.judges.policy.value
    if policy is None:
        return None
    return Setting(
        session=session,
        top=work_tree(session),
        ref=branch or "HEAD",
        head=candidate.rev,
        base=base,
        base_rev=base.rev,
        view=view,
        policy=policy,
    )


def gather_case(setting: Setting, options: argparse.Namespace) -> Case:
    """Return what the options ask for, read from HEAD and the trusted base."""
    own, before = _own(setting, refresh=options.refresh)
    refuse_landed(own)
    ledger = _ledger(setting, own, before, refresh=options.refresh)
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
    own, before = _own(setting, refresh=refresh)
    if refresh:
        refuse_dropping((), own.added, options)
    ledger = _ledger(setting, own, before, refresh=refresh)
    return _case(setting, wanted, ledger, {}, refresh=refresh)


def own_ledger(setting: Setting) -> OwnLines:
    """Return the lines that the branch added itself, as the work tree has them."""
    return _own(setting, refresh=True)[0]


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


def patch_paths(setting: Setting) -> frozenset[bytes]:
    """Return what HEAD changes against the trusted base, freezegate's own files left out."""
    own = FOLDER + b"/"
    return frozenset(path for path in head_step(setting).changes if not path.startswith(own))


def head_step(setting: Setting) -> Step:
    """Return the step from the trusted base to HEAD."""
    return _step(setting, {})


def _case(
    setting: Setting,
    wanted: tuple[Wanted, ...],
    ledger: Ledger,
    sources: Mapping[bytes, bytes],
    *,
    refresh: bool,
) -> Case:
    overlay = {path: setting.session.store.lay(data) for path, data in sources.items()}
    step = _step(setting, overlay)
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


def head_tree(setting: Setting) -> Snapshot:
    """Return HEAD's tree."""
    return Snapshot(setting.session.store, setting.session.store.commit(setting.head).tree)


def _step(setting: Setting, overlay: Mapping[bytes, Entry | None]) -> Step:
    candidate = witness_candidate(setting.session.store, setting.head, overlay)
    limit = setting.policy.max_changed_entries
    return setting.session.step(candidate, setting.base, max_changes=limit)


def _own(setting: Setting, *, refresh: bool) -> tuple[OwnLines, bytes]:
    """What the branch added to the ledger: as HEAD has it, with --refresh as the work tree does."""
    before = read_here(setting.top, LEDGER_PATH, MAX_LEDGER_BYTES) or b""
    entry = head_tree(setting).entry(LEDGER_PATH)
    committed = entry is not None and entry.is_regular
    if refresh and not before and committed and entry is not None:
        committed_bytes = setting.session.store.blob(entry.oid, max_bytes=2**26)
        return own_lines(setting.session.store, _step(setting, {}), committed_bytes), before
    return own_lines(setting.session.store, _step(setting, {}), before), before


def _ledger(setting: Setting, own: OwnLines, before: bytes, *, refresh: bool) -> Ledger:
    asked = own_requests(own.added)
    if not refresh:
        return Ledger(before, before, frozenset(), (), own.landed, asked)
    entries = [entry for entry in own.added if isinstance(entry, LedgerEntry)]
    kept = [entry for entry in entries if not isinstance(entry.line, Classified)]
    return Ledger(
        before=before,
        kept=own.start + b"".join(entry.raw + b"\n" for entry in kept),
        dropped=frozenset(_own_files(setting)),
        previous=tuple(e.line for e in entries if isinstance(e.line, Classified)),
        landed=own.landed,
        asked=asked,
    )


def _own_files(setting: Setting) -> set[bytes]:
    """Evidence and snapshots that the trusted base does not have, in HEAD or the work tree."""
    store = setting.session.store
    base = Snapshot(store, setting.view.root)
    head = head_tree(setting)
    found = {folder + b"/" + name for folder in _FOLDERS for name in head.names(folder)}
    found |= {path.encode() for path in request_files_here(setting.session)}
    return {path for path in found if path.startswith(_FOLDERS) and base.entry(path) is None}


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


def base_record(setting: Setting) -> Entry | None:
    """Return the record at the trusted base."""
    return Snapshot(setting.session.store, setting.view.root).entry(RECORD_PATH)
