"""The host's log: whole lines by many writers, none after a fault, read from both ends."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from freezegate.ledger.host_log import append_log, read_log, read_log_backwards


def _append(path: str, number: int) -> None:
    append_log(path, (f"{number}-{part}-" + "x" * 5000 for part in range(3)))


def test_many_writers_lose_and_mix_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        list(pool.map(partial(_append, path), range(40)))
    lines = [line.decode() for line in read_log(path)]
    assert len(lines) == 120
    for at in range(0, 120, 3):
        number = lines[at].split("-")[0]
        assert [line.split("-")[:2] for line in lines[at : at + 3]] == [
            [number, "0"],
            [number, "1"],
            [number, "2"],
        ]


def test_a_torn_line_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"whole\ntorn")
    append_log(str(path), ["next"])
    assert list(read_log(str(path))) == [b"whole", b"torn", b"next"]


def test_a_full_disk_is_told() -> None:
    with pytest.raises(OSError, match="No space left"):
        append_log("/dev/full", ["line"])


def test_no_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        append_log(str(tmp_path / "folder" / "log"), ["line"])
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_locked_folder_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        append_log(str(tmp_path / "log"), ["line"])


def test_from_both_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    assert (list(read_log(path)), list(read_log_backwards(path))) == ([], [])
    lines = [f"{number}" * (number % 700 + 1) for number in range(2000)]
    append_log(path, lines)
    assert [line.decode() for line in read_log(path)] == lines
    assert [line.decode() for line in read_log_backwards(path)] == lines[::-1]
