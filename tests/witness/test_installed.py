"""What is looked at of an interpreter: all that every run would load first."""

from __future__ import annotations

import os
from pathlib import Path

from freezegate.witness.installed import take_installed
from tests.witness.support import PYTHON


def test_places_that_do_not_exist_yet_count() -> None:
    places = [os.fsdecode(path) for path in take_installed(PYTHON)]
    assert any(place.endswith(".zip") for place in places)
    assert any(place.endswith(".pyc") for place in places)


def test_every_link_to_the_interpreter_counts(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(PYTHON)
    (tmp_path / "two").symlink_to("one")
    found = take_installed(tmp_path / "two")
    for path in (tmp_path / "one", tmp_path / "two", Path(os.path.realpath(PYTHON))):
        assert found[os.fsencode(path)]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("one")
    assert take_installed(tmp_path / "one")
