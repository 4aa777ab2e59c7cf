"""What the branch asked for before, which a refused `--refresh` leaves where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.witness_unready import drop_command
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Frozen
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH

if TYPE_CHECKING:
    from freezegate.cli.witness_case import Case
    from freezegate.model.ledger import Classified


def older_requests(case: Case) -> tuple[Finding, ...]:
    """Return a note for each line that --refresh would have replaced: it stands as it did."""
    if not case.refresh:
        return ()
    digests = {about.test_id: about.patch_digest for about in case.subjects}
    return tuple(
        _note(case, line, is_stale=digests.get(line.test_id) != line.patch_digest)
        for line in case.ledger.previous
    )


def _note(case: Case, line: Classified, *, is_stale: bool) -> Finding:
    evidence = f"evidence {line.evidence}" if line.evidence else "no evidence"
    word = "request" if isinstance(line, Frozen) else "classified line"
    stale = "stale: the patch is another one now" if is_stale else "for this very patch"
    return Finding(
        code="evidence.stale_patch",
        severity=Severity.NOTE,
        path=LEDGER_PATH.decode(),
        about=line.test_id,
        got=f"nothing was replaced: the older {word} still stands in the work tree, "
        f"{stale} ({evidence}, patch {line.patch_digest})",
        expected="a request for this patch, or none",
        remedy=f"freezegate witness --refresh to try again; to drop the request: {_drop(case)}",
    )


def _drop(case: Case) -> str:
    """Return the command that takes the branch's own request out of the work tree."""
    base = case.step.base_tree
    paths = {LEDGER_PATH, RECORD_PATH, *case.ledger.dropped}
    back = sorted(path.decode() for path in paths if base.entry(path) is not None)
    gone = sorted(path.decode() for path in paths if base.entry(path) is None)
    return drop_command(case.setting.base_rev, back, gone)
