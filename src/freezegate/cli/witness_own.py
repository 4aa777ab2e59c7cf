"""What did the branch ask for before, and what of that would a refresh lose?"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.model.ledger import Classified, Frozen, LedgerEntry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.cli.witness_asked import Wanted
    from freezegate.git.own_lines import OwnLines
    from freezegate.model.ledger import BadLine


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


def refuse_dropping(wanted: Iterable[Wanted], added: Iterable[LedgerEntry | BadLine]) -> None:
    """Raise UsageError where --refresh would drop a request that is not taken anew."""
    taken = {each.test_id for each in wanted}
    lines = [entry.line for entry in added if isinstance(entry, LedgerEntry)]
    lost = [li.test_id for li in lines if isinstance(li, Frozen) and li.test_id not in taken]
    if lost:
        every = shlex.join(dict.fromkeys([*taken, *lost]))
        msg = (
            f"this branch asks for a freeze of {lost[0]} too, which --refresh would drop; name "
            f"all that it shall ask for: freezegate witness --refresh {every}"
        )
        raise UsageError(msg)
