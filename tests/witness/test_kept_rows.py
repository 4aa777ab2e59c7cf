"""What others write among the rows of samples is seen and undone; what we write stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from freezegate.witness.kept_rows import KeptRows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _rows(top: Path) -> list[str]:
    return sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())


def _moved_away(top: Path) -> None:
    top.rename(top.with_name("elsewhere"))
    top.symlink_to(top.with_name("elsewhere"))


OTHERS: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a_new_row": (lambda top: (top / "p/2.json").write_text("forged"), ["p/1.json"]),
    "a_new_folder": (lambda top: (top / "q/r").mkdir(parents=True), ["p/1.json"]),
    "a_changed_row": (lambda top: (top / "p/1.json").write_text("forged"), []),
    "a_row_that_is_gone": (lambda top: (top / "p/1.json").unlink(), []),
    "a_link": (lambda top: (top / "p/2.json").symlink_to("1.json"), ["p/1.json"]),
    "rows_that_lie_elsewhere": (_moved_away, []),
}


@pytest.mark.parametrize(("write", "left"), OTHERS.values(), ids=OTHERS)
def test_what_others_write_is_undone(
    tmp_path: Path, write: Callable[[Path], object], left: list[str]
) -> None:
    top = tmp_path / "samples"
    (top / "p").mkdir(parents=True)
    (top / "p/1.json").write_text("a row")
    kept = KeptRows(top)
    assert kept.undo_others() is None
    write(top)
    assert "among the rows in" in str(kept.undo_others())
    assert _rows(top) == left
    assert kept.undo_others() is None


def test_what_we_write_is_ours(tmp_path: Path) -> None:
    top = tmp_path / "samples"
    kept = KeptRows(top)
    assert kept.undo_others() is None
    (top / "p").mkdir(parents=True)
    (top / "p/1.json").write_text("a row")
    kept.add(top / "p/1.json")
    assert kept.undo_others() is None
    assert os.listdir(top) == ["p"]
