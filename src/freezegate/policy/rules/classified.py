"""An added `classified` line says what its runs say, and names evidence that is there (SPEC 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Classified, LedgerEntry, VarianceClass
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.variance import variance_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts

# A window that was not whole, or whose fixture changed, decides nothing whatever its rows show.
_ALWAYS = frozenset({None, VarianceClass.UNRESOLVED, VarianceClass.FIXTURE_DRIFT})


def judge_classified(facts: Facts) -> Iterator[Finding]:
    """Refuse classes that the runs of a line contradict, and evidence that is nowhere.

    Of a `frozen` line the rules on its claim say more.
    """
    if not facts.ledger.appends:
        return
    known = _evidence_here(facts)
    for entry in facts.ledger.added:
        if not isinstance(entry, LedgerEntry) or type(entry.line) is not Classified:
            continue
        line = entry.line
        meant = variance_class(line.base_runs, line.candidate_runs, digests_match=True)
        if line.variance not in _ALWAYS | {meant}:
            yield _bad(
                entry, "ledger.bad_row", "class", str(line.variance), f"{meant}, by its runs"
            )
        if line.evidence is not None and line.evidence.hex not in known:
            got = f"no file .freeze/evidence/{line.evidence.hex}.json"
            yield _bad(entry, "evidence.missing", "evidence", got, "the evidence that it names")


def _evidence_here(facts: Facts) -> frozenset[str]:
    """Return the digests of evidence that the patch brings, or that a landed line named."""
    brought = {
        file.path.rpartition(b"/")[2].removesuffix(b".json").decode("ascii", "replace")
        for file in facts.kept_files
        if file.new is not None and file.path.startswith(b".freeze/evidence/")
    }
    landed = (e.line for e in facts.ledger.landed if isinstance(e, LedgerEntry))
    named = {li.evidence.hex for li in landed if isinstance(li, Classified) and li.evidence}
    return frozenset(brought | named)


def _bad(entry: LedgerEntry, code: str, about: str, got: str, expected: str) -> Finding:
    return Finding(
        code=code,
        severity=Severity.ERROR,
        path=LEDGER_PATH.decode(),
        line=entry.number,
        about=about,
        got=got,
        expected=expected,
        remedy="let freezegate write the line: freezegate witness --refresh",
    )
