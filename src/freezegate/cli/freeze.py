"""`freezegate freeze`: ask for the freeze for which evidence was taken before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import read_here
from freezegate.cli.witness_asked import find_terms
from freezegate.cli.witness_case import gather_scored
from freezegate.cli.witness_gate import Files, judge_request, renewed_freeze, requests, tickets
from freezegate.cli.witness_hints import acting_on_nothing, outlived
from freezegate.cli.witness_ledger import own_ledger
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_options import before_runs, same_again
from freezegate.cli.witness_said import Said, no_policy, print_said, refused
from freezegate.cli.witness_setting import find_base, open_setting
from freezegate.cli.witness_unready import strangers, uncommitted
from freezegate.cli.witness_write import write_request
from freezegate.errors import DecodeError, Unanswerable, UsageError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence
from freezegate.formats.ledger import dump_line
from freezegate.formats.record import MAX_RECORD_BYTES, dump_record, parse_record
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.work_tree import notes_folder, request_files_here, work_tree
from freezegate.hooks.walk import unanswered
from freezegate.ledger.regular_file import MAX_BYTES, read_regular
from freezegate.model.digests import Blake3
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Classified, Frozen
from freezegate.model.verdict import Outcome
from freezegate.policy.claims import is_asked_in
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
from freezegate.policy.standing import waiting_evidence
from freezegate.policy.variance import Variance
from freezegate.witness.request import build_line, build_record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from freezegate.cli.witness_case import Case
    from freezegate.git.own_lines import OwnLines
    from freezegate.model.evidence import Evidence
    from freezegate.witness.request import Terms

EXAMPLES = """\
examples:
  freezegate freeze --owner ada --expires-on DATE
  freezegate freeze order_total.non_negative --owner ada --expires-on DATE
  freezegate freeze order_total.non_negative --owner ada --expires-on DATE \\
      --expires-after-commits 40

Evidence comes from `freezegate witness` without --owner: it writes a `classified` line. This verb
appends the `frozen` line for it, writes the record and prints the text of a ticket. The gate judges
all of it before anything is written. A key that was frozen before is renewed.

exit status: 0 the gate accepts and the files are written, 1 refused, 2 could not answer
"""


class _Chosen(NamedTuple):
    """The evidence that is frozen on: its name, what it says, and the line that tells of it."""

    digest: Blake3
    evidence: Evidence
    line: Classified


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument(
        "test_ids",
        metavar="ID",
        nargs="*",
        help="property ids, test ids or digests of evidence (default: the only one there is)",
    )
    parser.add_argument("--owner", metavar="NAME", required=True, help="a person or a team")
    parser.add_argument("--expires-on", metavar="DATE", help="its last day, UTC: 2026-12-24")
    parser.add_argument("--expires-after-commits", metavar="N", type=int, help="a nearer end")
    parser.add_argument("--base", metavar="REV", help="the trusted base (default: the target)")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Choose the evidence, judge the request, write it; print the verdict and the ticket."""
    try:
        with git_faults_refuse():
            said = _freeze(options, environ)
    except Unanswerable as stop:
        said = Said(unanswered("HEAD", stop))
    print_said(said, options.format, environ)
    return said.transition.outcome.exit_status


def _freeze(options: argparse.Namespace, environ: Mapping[str, str]) -> Said:
    session = Session.open(environ)
    top = work_tree(session)
    with only_witness(notes_folder(session), "freeze"):
        faults = [*strangers(session), *uncommitted(session, (), refresh=True)]
        if faults:
            return Said(refused(session, faults))
        setting = open_setting(session, options, environ)
        if setting is None:
            return Said(refused(session, [no_policy(find_base(session, options, environ))]))
        own = own_ledger(setting)
        edited = _edited_record(session, top, own)
        if edited is not None:
            return Said(refused(session, [edited]))
        chosen = _choose(top, waiting_evidence(own.added), options)
        case = gather_scored(setting, (), options, refresh=False)
        return _ask(case, chosen, options)


def _edited_record(session: Session, top: Path, own: OwnLines) -> Finding | None:
    """Return that the record holds what no request of ours says, and what no commit keeps."""
    path = RECORD_PATH.decode()
    data = read_here(top, RECORD_PATH, MAX_RECORD_BYTES)
    if data is None or not session.differs_from_head(path) or _is_own(data, own):
        return None
    drop = f"git checkout HEAD -- {path}" if session.is_in_head(path) else f"rm {path}"
    return Finding(
        code="repository.dirty",
        severity=Severity.ERROR,
        path=path,
        got="changes that are in no commit, and that no request of this branch says",
        expected="the record as HEAD has it, or that of a request: it is written anew",
        remedy=f"keep a copy elsewhere if it matters, then {drop}",
    )


def _is_own(data: bytes, own: OwnLines) -> bool:
    try:
        return is_asked_in(parse_record(data), own.added)
    except DecodeError:
        return False


def _ask(case: Case, chosen: Sequence[_Chosen], options: argparse.Namespace) -> Said:
    files = _files(case, chosen, find_terms(options, None, case.setting.policy.freeze))
    transition = judge_request(case, files)
    if transition.outcome is not Outcome.ACCEPTED:
        settings = case.setting.policy.freeze
        shown = before_runs(transition.findings, options, settings)
        return Said(replace(transition, findings=shown))
    new = Files({path: files.files[path] for path in (LEDGER_PATH, RECORD_PATH)})
    written, removed = write_request(case, new)
    asked = requests(case, files)
    hints = (*acting_on_nothing(asked), *outlived(case, asked))
    return Said(transition, (), written, removed, tickets=tickets(case, files), hints=hints)


def _files(case: Case, chosen: Sequence[_Chosen], terms: Terms | None) -> Files:
    """Return every file of the request: those that stand, the new lines and the last's record."""
    lines = [_line(case, each, terms) for each in chosen]
    files: dict[bytes, bytes | None] = {
        path.encode(): read_here(case.setting.top, path.encode(), MAX_BYTES)
        for path in request_files_here(case.setting.session)
    }
    files[LEDGER_PATH] = case.ledger.before + b"".join(dump_line(li) + b"\n" for li in lines)
    files[RECORD_PATH] = dump_record(build_record(chosen[-1].evidence, lines[-1]))
    return Files(files)


def _line(case: Case, chosen: _Chosen, terms: Terms | None) -> Frozen:
    line = build_line(
        chosen.evidence,
        chosen.digest,
        _answer(chosen.line),
        terms,
        renewed_freeze(case, chosen.evidence),
    )
    assert isinstance(line, Frozen)  # noqa: S101 - there are terms
    return line


def _answer(line: Classified) -> Variance:
    assert line.variance is not None  # noqa: S101 - an eligible line has one
    return Variance(line.variance, line.freeze_eligible, line.status, line.reason, "")


def _choose(
    top: Path, lines: Sequence[Classified], options: argparse.Namespace
) -> tuple[_Chosen, ...]:
    """Return the line of each id, the only one without any, with its evidence.

    Raises UsageError where an id means none or several.
    """
    meant = [_meant(lines, about, options) for about in options.test_ids or (None,)]
    return tuple(
        _Chosen(line.evidence, _read_evidence(top, line.evidence), line)
        for line in dict.fromkeys(meant)
        if line.evidence is not None  # eligible lines name some
    )


def _meant(
    lines: Sequence[Classified], about: str | None, options: argparse.Namespace
) -> Classified:
    names = [_names(line) for line in lines]
    found = [line for line, own in zip(lines, names, strict=True) if about is None or about in own]
    if len(found) != 1:
        raise UsageError(_not_one(about, found, lines, options))
    return found[0]


def _names(line: Classified) -> frozenset[str]:
    return frozenset(
        str(name) for name in (line.property_id, line.test_id, line.evidence) if name is not None
    )


def _not_one(
    about: str | None,
    found: Sequence[Classified],
    lines: Sequence[Classified],
    options: argparse.Namespace,
) -> str:
    each = list(dict.fromkeys(str(line.property_id or line.test_id) for line in lines))
    known = ", ".join(each)
    if not lines:
        return (
            "no evidence waits for a freeze: this branch added no eligible `classified` line that "
            "is not frozen yet; take evidence: freezegate witness --property ID"
        )
    if not found:
        others = [name for name in options.test_ids if name != about] or each
        again = same_again(options, test_ids=others)
        return f"no evidence waits for {about!a}; evidence waits for {known}: {again}"
    if about is not None or len(each) == 1:
        ids = ", ".join(str(line.evidence) for line in found)
        again = same_again(options, test_ids=[str(found[-1].evidence)])
        return f"several pieces of evidence wait for {about or known} ({ids}); name one: {again}"
    again = same_again(options, test_ids=each)
    return f"evidence waits for several: {known}; name one or more of them: {again}"


def _read_evidence(top: Path, digest: Blake3) -> Evidence:
    shown = f".freeze/evidence/{digest.hex}.json"
    try:
        data = read_regular(top / shown, MAX_EVIDENCE_BYTES) or b""
        evidence = parse_evidence(data) if Blake3.of(data) == digest else None
    except (OSError, DecodeError):
        evidence = None
    if evidence is None:
        msg = (
            f"{shown} is not there, or not what the `classified` line names; take the evidence "
            "anew: freezegate witness --refresh"
        )
        raise UsageError(msg)
    return evidence
