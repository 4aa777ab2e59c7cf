"""A folder is removed whatever a run left in it, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from freezegate.witness.leftovers import PREFIX, remove_leftovers
from freezegate.witness.removal import remove_folder


def nest(folder: Path, depth: int, mode: int = 0o700) -> None:
    """Make folders in each other, deeper than a path can name."""
    top = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=top)
        inner = os.open("d", os.O_RDONLY, dir_fd=top)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.fchmod(top, mode)
        os.close(top)
        top = inner
    os.close(top)


@pytest.mark.parametrize("mode", [0o700, 0o500, 0o000])
def test_deep_and_locked_folders(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "place"
    place.mkdir()
    nest(place, 3000 if mode == 0o700 else 30, mode)
    remove_folder(place)
    assert os.listdir(tmp_path) == []


def test_many_files_and_folders(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for number in range(20_000):
        (place / f"{number}").touch()
    for number in range(500):
        (place / f"f{number}").mkdir()
    remove_folder(place)
    assert os.listdir(tmp_path) == []


def test_what_links_lead_to_stays(tmp_path: Path) -> None:
    place, other = tmp_path / "place", tmp_path / "other"
    for folder in (place, other):
        folder.mkdir()
    (other / "precious").write_text("")
    (place / "link").symlink_to(other)
    os.link(other / "precious", place / "second")
    os.mkfifo(place / "fifo")
    remove_folder(place)
    assert (other / "precious").exists()
    place.symlink_to(other)
    with pytest.raises(OSError, match="place"):
        remove_folder(place)
    assert (other / "precious").exists()


def test_a_deep_leftover_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("a", "b"):
        place = tmp_path / f"{PREFIX}{name}"
        place.mkdir(0o700)
        nest(place, 1500)
    remove_leftovers()
    assert os.listdir(tmp_path) == []
