"""Whatever stands in the place of a file of ours: nothing of it is read, and nobody waits."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from freezegate.errors import UsageError
from freezegate.git.stat_cache import NOTHING, keep_seen, read_seen
from freezegate.ledger.regular_file import open_lock, read_or_nothing, read_regular

STRANGE = [
    pytest.param(os.mkfifo, id="pipe"),
    pytest.param(os.mkdir, id="folder"),
    pytest.param(lambda path: os.symlink(__file__, path), id="link"),
    pytest.param(lambda path: os.symlink("/nowhere", path), id="dangling_link"),
]


@pytest.mark.parametrize("put", STRANGE)
def test_what_is_no_regular_file_is_not_read(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / "it")
    with pytest.raises(OSError, match=r"regular file|symbolic links"):
        read_regular(tmp_path / "it")
    assert read_or_nothing(tmp_path / "it") is None
    assert read_seen(tmp_path / "it") == NOTHING
    with pytest.raises(UsageError, match=r"no regular file; .*: rm -r "):
        open_lock(tmp_path / "it")


def test_a_memory_is_written_in_the_place_of_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "it")
    os.mkfifo(tmp_path / f"it.{os.getpid()}")
    keep_seen(tmp_path / "it", NOTHING, 1)
    assert (tmp_path / "it").is_file()
    assert read_seen(tmp_path / "it") == NOTHING


def test_a_regular_file_is_read_to_its_limit(tmp_path: Path) -> None:
    assert read_regular(tmp_path / "it") is None
    (tmp_path / "it").write_bytes(b"12345")
    assert read_regular(tmp_path / "it", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_regular(tmp_path / "it", 4)
    os.close(open_lock(tmp_path / "it"))
    assert read_regular(tmp_path / "it") == b"12345"
