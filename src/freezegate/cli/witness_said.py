"""What witness has to say in the end: verdict, windows and files, as text or as one object."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.output import print_verdict, wants_colour
from freezegate.errors import UsageError
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import LineReason
from freezegate.model.observation import NoObservation
from freezegate.model.paths import AT_TOP, shell_paths
from freezegate.model.run import Side
from freezegate.model.verdict import Base, Transition, Verdict, judged
from freezegate.policy.variance import refusal_code
from freezegate.report.document import verdict_document
from freezegate.report.text import escaped
from freezegate.report.window import WindowPage, window_lines, window_page_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from freezegate.cli.witness_setting import Setting
    from freezegate.errors import InvalidValue
    from freezegate.git.base import TrustedBase
    from freezegate.git.session import Session


class Said(NamedTuple):
    """All that is to be printed: the verdict, the windows, what was written, removed and kept.

    `kept` has a test and the file of its window.
    """

    transition: Transition
    pages: tuple[WindowPage, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    only_classified: bool = False
    tickets: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    python: str | None = None
    hints: tuple[str, ...] = ()


def refused(
    session: Session, findings: Sequence[Finding], setting: Setting | None = None
) -> Transition:
    """Return the refusal that stands on these findings."""
    base = Base(rev=setting.base.rev, source=setting.base.source) if setting else None
    return Transition(
        ref=session.branch(None) or "HEAD",
        outcome=judged(findings),
        base=base,
        candidate=setting.head if setting else None,
        findings=tuple(findings),
    )


def no_policy(base: TrustedBase) -> Finding:
    """Return that nothing can be frozen without a policy at the base."""
    return Finding(
        code="judge.no_policy",
        severity=Severity.ERROR,
        path=".freeze/policy.toml",
        got=f"no policy that decodes at the trusted base ({base.source})",
        expected="a policy at the base before any freeze",
    )


def nothing_new(setting: Setting) -> Finding:
    """Return that there is no patch that runs could be evidence for."""
    source = setting.base.source
    if setting.head == setting.base_rev:
        stands = f"HEAD equals the base ({source})"
    elif setting.session.history.is_ancestor(setting.head, setting.base_rev):
        stands = f"HEAD is behind the base ({source}), which holds all of it"
    else:
        stands = f"HEAD equals the base ({source}), but for files under .freeze/"
    return Finding(
        code="base.nothing_to_judge",
        severity=Severity.ERROR,
        got=f"nothing to witness: {stands}",
        expected="a patch: its commits stand on the branch, and not on the base",
        remedy="commit a patch on a branch of its own, then run again; a freeze is renewed beside "
        "a patch too",
    )


def invalid_value(fault: InvalidValue) -> Finding:
    """Return that a text of the command line is no id or path."""
    return Finding(code=fault.code, severity=Severity.ERROR, got=fault.got, expected=fault.expected)


def not_eligible(page: WindowPage) -> Finding:
    """Return why a window is no ground for a freeze."""
    stopped = page.window.stopped
    expected = "env_unstable: base and candidate both mixed, with one fail signature"
    if stopped is not None and stopped.unobserved is not None:
        seen = stopped.unobserved
        if seen.word is NoObservation.NOT_COLLECTED and "[" in page.test_id and page.near:
            return _no_such_case(page)
        return Finding(
            code="evidence.incomplete",
            severity=Severity.ERROR,
            about=page.test_id,
            got=f"{seen.word}: {seen.got}",
            expected="every planned run observed",
            remedy=seen.remedy,
        )
    if page.unproven is not None and page.reason is LineReason.INTERMITTENT:
        return _unproven(page, page.unproven)
    return Finding(
        code=refusal_code(page.reason, page.window.outcomes(Side.CANDIDATE)),
        severity=Severity.ERROR,
        about=page.test_id,
        got=f"{page.variance}: {page.status} / {page.reason}",
        expected=expected,
        remedy=page.next_step,
    )


def _no_such_case(page: WindowPage) -> Finding:
    return Finding(
        code="test.not_found_at_base",
        severity=Severity.ERROR,
        about=page.test_id,
        got=f"no case [{page.test_id.partition('[')[2]} of {page.test_id.partition('[')[0]}",
        expected="a case that pytest collects",
        remedy=f"name one of them: {shlex.join(page.near)}",
    )


def _unproven(page: WindowPage, own_test: str) -> Finding:
    return Finding(
        code="oracle.failed_on_snapshot",
        severity=Severity.ERROR,
        path=page.oracle_path,
        about=page.test_id,
        got=f"{own_test}, the property_test of {page.property_id}, did not pass in the oracle's "
        "own run",
        expected="the property's own test among those of the oracle that passed",
        remedy=f"see why it does not run: {AT_TOP}python -m pytest {shlex.quote(own_test)}; "
        "a wrong name is mended in .freeze/catalog.toml, in a patch of its own",
    )


def print_said(said: Said, form: str, environ: Mapping[str, str]) -> None:
    """Print everything in the form asked, `text` or `json`.

    Raises UsageError where that fails after files were written: they stand all the same.
    """
    try:
        _print(said, form, environ)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        if not said.written:
            raise
        msg = f"{', '.join(said.written)} stand in the work tree, but could not be told: {fault}"
        raise UsageError(msg) from None


def _print(said: Said, form: str, environ: Mapping[str, str]) -> None:
    verdict = Verdict(transitions=(said.transition,))
    if form == "json":
        document = {
            "schema": "freezegate/witness/v1",
            "verdict": verdict_document(verdict),
            "python": said.python,
            "windows": [window_page_document(page) for page in said.pages],
            "written": list(said.written),
            "removed": list(said.removed),
            "kept": [{"test_id": test_id, "path": path} for test_id, path in said.kept],
            "hints": list(said.hints),
            "tickets": list(said.tickets),
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    for page in said.pages:
        for line in window_lines(page, colour=wants_colour(environ)):
            print(line)
        print()
    print_verdict(verdict, form, environ)
    print_written(said.written, said.removed, said.sources)
    for test_id, path in said.kept:
        print(f"the window of {escaped(test_id)} is kept: {path}")
    for hint in said.hints:
        print(escaped(hint))
    if said.only_classified:
        print("No owner and no expiry, so nothing is asked for yet. To ask for the freeze:")
        print("  freezegate freeze --owner NAME --expires-on DATE")
    for ticket in said.tickets:
        print(f"\nthe text of a ticket for the owner:\n\n{ticket}")


def print_written(
    written: Sequence[str], removed: Sequence[str], sources: Sequence[str] = ()
) -> None:
    """Print which files came and went, and what to do with them.

    `sources` are files outside of .freeze/ that belong to the request, new or not.
    """
    for word, paths in (("wrote", written), ("removed", removed)):
        for path in paths:
            print(f"{word} {path}")
    if written:
        print(f"next: git add {shell_paths(['.freeze', *sources])} && git commit")
