"""The fold of a long ledger, streamed, beside `json.loads` over the same lines."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

from benchmarks.pairs import Command
from benchmarks.repositories import plain_environment
from freezegate.formats.ledger import dump_line
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import (
    Ended,
    Ending,
    Frozen,
    LineReason,
    LineStatus,
    VarianceClass,
)
from freezegate.model.paths import RepoPath
from freezegate.model.run import RunOutcome

LINES = 100_000
_PROPERTIES = 5000
_FOLD = """\
import sys
from datetime import UTC, datetime
from freezegate.formats.ledger import read_lines
from freezegate.policy.lifetimes import open_freezes
data = open(sys.argv[1], "rb").read()
print(len(open_freezes(read_lines(data, canonical=False), datetime.now(UTC))))
"""
_LOADS = """\
import json, sys
print(sum(json.loads(line) is not None for line in open(sys.argv[1], "rb")))
"""


def fold_commands(folder: Path) -> tuple[Command, Command]:
    """Return the fold of a ledger of 100,000 lines, and `json.loads` over each of them."""
    path = folder / "ledger.jsonl"
    path.write_bytes(b"".join(chain.from_iterable(map(_lines, range(LINES // 2)))))
    fold, loads = (
        Command(
            arguments=[sys.executable, "-c", text, str(path)],
            folder=folder,
            environ=plain_environment(),
        )
        for text in (_FOLD, _LOADS)
    )
    return fold, loads


def _lines(number: int) -> tuple[bytes, bytes]:
    """A freeze with digests of its own, and behind it the line that lifts it."""
    digest = f"{number:064x}"
    frozen = dump_line(_frozen(number, digest))
    lifted = Ended(
        event=Ending.LIFTED,
        freeze=Blake3.of(frozen),
        base_rev=ObjectId(digest[:40]),
        fixture_sha256=Sha256(digest),
        reason="repaired",
        owner="ada",
    )
    return frozen + b"\n", dump_line(lifted) + b"\n"


def _frozen(number: int, digest: str) -> Frozen:
    row = (RunOutcome.PASS, RunOutcome.FAIL) * 3 + (RunOutcome.PASS,)
    return Frozen(
        property_id=PropertyId(f"order.rule-{number % _PROPERTIES}"),
        test_id=TestId(f"tests/test_{number % 500}.py::test_rule_{number % _PROPERTIES}"),
        fixture_path=RepoPath(f"tests/fixtures/{number % _PROPERTIES}.json"),
        fixture_sha256=Sha256(digest),
        oracle_path=RepoPath("tests/properties/test_rules.py"),
        oracle_blob=ObjectId("b" * 40),
        seed=0,
        base_rev=ObjectId(digest[:40]),
        candidate_rev=ObjectId(digest[:40]),
        base_runs=row,
        candidate_runs=row,
        runs=14,
        passes=8,
        fails=6,
        fail_signatures=("AssertionError | tests/test_1.py:test_rule | assert left == right",) * 6,
        variance=VarianceClass.ENV_UNSTABLE,
        freeze_eligible=True,
        status=LineStatus.FROZEN,
        reason=LineReason.INTERMITTENT,
        patch_digest=Blake3(f"blake3:{digest}"),
        domain_digest=Blake3(f"blake3:{'d' * 64}"),
        evidence=Blake3(f"blake3:{digest}"),
        owner="ada",
        expires_on="9999-12-31",
        expires_after_commits=None,
        renews=None,
    )
