"""What did the branch ask for before, and what of that would a refresh lose?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from freezegate.cli.witness_options import same_again
from freezegate.errors import UsageError
from freezegate.model.ledger import Classified, Frozen, LedgerEntry
from freezegate.policy.guards import LEDGER_PATH

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from freezegate.cli.witness_asked import Wanted
    from freezegate.git.own_lines import OwnLines
    from freezegate.model.finding import Finding
    from freezegate.model.ids import TestId
    from freezegate.model.ledger import BadLine

_STALE = frozenset({"evidence.stale_patch", "evidence.stale_domain", "evidence.stale_base"})


def own_requests(added: Iterable[LedgerEntry | BadLine]) -> tuple[Classified, ...]:
    """Return the branch's own lines that --refresh takes anew, the last one of each key.

    These are its frozen lines; without any its evidence that may be frozen, else its last line.
    """
    lines = [entry.line for entry in added if isinstance(entry, LedgerEntry)]
    asked = [line for line in lines if isinstance(line, Classified)]
    frozen = [line for line in asked if isinstance(line, Frozen)]
    eligible = [line for line in asked if line.freeze_eligible]
    found = frozen or eligible or asked[-1:]
    return tuple({(li.property_id, li.test_id, li.fixture_path): li for li in found}.values())


def refuse_landed(own: OwnLines) -> None:
    """Raise UsageError where the branch still has as its own what landed: it would be renewed."""
    landed = {entry.raw for entry in own.landed}
    if any(entry.raw in landed for entry in own.added):
        msg = (
            "the ledger of this branch has lines of its own that landed meanwhile (a squash, a "
            "cherry-pick), and no freeze is renewed by mistake; expected the base's lines first: "
            "freezegate ledger rebase"
        )
        raise UsageError(msg)


def refuse_dropping(
    wanted: Iterable[Wanted], added: Iterable[LedgerEntry | BadLine], options: argparse.Namespace
) -> None:
    """Raise UsageError where --refresh would drop a request that is not taken anew."""
    taken = [each.test_id for each in wanted]
    lines = [entry.line for entry in added if isinstance(entry, LedgerEntry)]
    lost = [li.test_id for li in lines if isinstance(li, Frozen) and li.test_id not in taken]
    if lost:
        msg = (
            f"this branch asks for a freeze of {lost[0]} too, which --refresh would drop; name "
            f"all that it shall ask for{_for_each(options)}: {_all_again(options, [*lost, *taken])}"
        )
        raise UsageError(msg)


def with_older(
    finding: Finding,
    asked: Iterable[Classified],
    wanted: Iterable[Wanted],
    options: argparse.Namespace,
) -> Finding:
    """Return a finding on the branch's earlier requests with the command that keeps them, too.

    What is asked for beside them makes their evidence stale where it brings a marker.
    """
    older = [line.test_id for line in asked if isinstance(line, Frozen)]
    is_stale = finding.code in _STALE and finding.path == LEDGER_PATH.decode()
    if not older or not is_stale or options.fixture or options.oracle or options.refresh:
        return finding
    every = _all_again(options, [*older, *(each.test_id for each in wanted)])
    return replace(
        finding,
        remedy=f"take all that this branch asks for anew, in one command{_for_each(options)}: "
        f"{every}",
    )


def _for_each(options: argparse.Namespace) -> str:
    return " (owner and end hold for each)" if options.owner or options.expires_on else ""


def _all_again(options: argparse.Namespace, test_ids: Iterable[TestId]) -> str:
    names = list(dict.fromkeys(map(str, test_ids)))
    return same_again(options, refresh=True, property=[], test_ids=names)
