"""Appends by many processes at once, and by processes that are killed: whole lines, none lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from freezegate.errors import UsageError
from freezegate.formats.ledger import dump_line, parse_ledger
from freezegate.ledger.append import replace_file, swap_ledger
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ledger import Ended, Ending, LedgerEntry

PROCESSES, APPENDS = 10, 20  # two hundred together
# Appends lines until it is told to stop, and says each that is on disk.
WRITER = """\
import sys
from pathlib import Path
from tests.unit.ledger.test_append import append, ended
ledger, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    append(ledger, ledger.with_name("lock"), ended(f"{name} {number}"))
    print(number, flush=True)
"""


def ended(reason: str) -> Ended:
    """A line of the ledger that its reason tells from others."""
    return Ended(
        event=Ending.LIFTED,
        freeze=Blake3(f"blake3:{'a' * 64}"),
        base_rev=ObjectId("b" * 40),
        fixture_sha256=Sha256("c" * 64),
        reason=reason,
        owner="ada",
    )


def append(ledger: Path, lock: Path, line: Ended) -> None:
    """Append a line, anew where another writer was faster."""
    while True:
        before = ledger.read_bytes() if ledger.exists() else b""
        try:
            swap_ledger(ledger, lock, before=before, after=before + dump_line(line) + b"\n")
        except UsageError:
            continue
        return


def writer(ledger: Path, name: str, count: int) -> subprocess.Popen[str]:
    """Start a process that appends."""
    command = [sys.executable, "-c", WRITER, str(ledger), name, str(count)]
    top = Path(__file__).parents[3]
    return subprocess.Popen(command, cwd=top, stdout=subprocess.PIPE, text=True)


def reasons(ledger: Path) -> list[str]:
    """The reasons of all lines; each line must decode."""
    lines = parse_ledger(ledger.read_bytes())
    assert all(isinstance(line, LedgerEntry) for line in lines)
    return [json.loads(line.raw)["reason"] for line in lines]


def test_two_hundred_appends_at_once_are_two_hundred_lines(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    writers = [writer(ledger, str(name), APPENDS) for name in range(PROCESSES)]
    for each in writers:
        each.communicate()
        assert each.returncode == 0
    wanted = {f"{name} {number}" for name in range(PROCESSES) for number in range(APPENDS)}
    found = reasons(ledger)
    assert len(found) == len(wanted) == PROCESSES * APPENDS
    assert set(found) == wanted


def test_threads_wait_for_each_other_too(tmp_path: Path) -> None:
    ledger, lock = tmp_path / "ledger.jsonl", tmp_path / "lock"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: append(ledger, lock, ended(str(n))), range(40)))
    assert sorted(map(int, reasons(ledger))) == list(range(40))


@pytest.mark.parametrize("seed", range(8))
def test_a_writer_that_is_killed_leaves_whole_lines(tmp_path: Path, seed: int) -> None:
    ledger = tmp_path / "ledger.jsonl"
    with writer(ledger, "killed", 10_000) as killed:
        assert killed.stdout
        said = [killed.stdout.readline() for _ in range(1, 4 * seed + 2)]
        killed.send_signal(signal.SIGKILL)
        said += killed.stdout.readlines()
    told = [line for line in said if line.endswith("\n")]
    found = reasons(ledger)
    assert found == [f"killed {number}" for number in range(len(found))]
    assert len(told) <= len(found) <= len(told) + 1
    append(ledger, tmp_path / "lock", ended("next"))  # the lock went with it
    assert reasons(ledger)[-1] == "next"


def test_what_somebody_wrote_meanwhile_is_kept(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    ledger.write_bytes(b"theirs\n")
    with pytest.raises(UsageError, match="was changed meanwhile"):
        swap_ledger(ledger, tmp_path / "lock", before=b"", after=b"ours\n")
    assert ledger.read_bytes() == b"theirs\n"


def test_what_a_killed_writer_began_goes_with_the_next_one(tmp_path: Path) -> None:
    (tmp_path / ".notes.freezegate-ab12cd34").write_bytes(b"hal")
    (tmp_path / ".notes.original").write_bytes(b"mine")
    replace_file(tmp_path / "notes", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".notes.original", "notes"]
