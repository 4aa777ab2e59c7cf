"""One side's row for people and programs, whatever was replayed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.report.text import escaped

if TYPE_CHECKING:
    from freezegate.model.run import RunOutcome
    from freezegate.policy.window import Answer


class Row(NamedTuple):
    """What replays of a test showed; `about` has what a program learns beside it."""

    test_id: str
    side: str
    outcomes: tuple[RunOutcome, ...]
    signatures: tuple[str, ...]
    answer: Answer
    stopped: str | None
    about: dict[str, object]


def print_row(row: Row, form: str) -> None:
    """Print a row in the form asked, `text` or `json`."""
    signatures = list(dict.fromkeys(row.signatures))
    if form == "json":
        document = {
            "schema": "freezegate/replay/v1",
            "test_id": row.test_id,
            "side": row.side,
            "runs": row.outcomes,
            "fail_signatures": signatures,
            "status": row.answer.status,
            "reason": row.answer.reason,
            "stopped": row.stopped,
            **row.about,
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    print(f"{row.side} of {escaped(row.test_id)}: {' '.join(row.outcomes) or 'no run'}")
    for name, value in row.about.items():
        print(f"  {name.replace('_', ' ')}: {escaped(str(value))}")
    for signature in signatures:
        print(f"  failure: {escaped(signature)}")
    if row.stopped:
        print(f"  stopped: {escaped(row.stopped)}")
    print(f"  {row.answer.status} / {row.answer.reason}: {row.answer.next_step}")
