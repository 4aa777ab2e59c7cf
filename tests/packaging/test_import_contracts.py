"""The import contracts cover every room; `make test` asks lint-imports whether they are kept."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
_DUNDER = {"__init__", "__pycache__"}


def contracts() -> list[dict[str, Any]]:
    """The contracts of pyproject.toml."""
    settings = tomllib.loads((TOP / "pyproject.toml").read_text())
    return list(settings["tool"]["importlinter"]["contracts"])


def test_every_room_has_its_layer() -> None:
    layers = next(each for each in contracts() if each["type"] == "layers")
    named = {room.strip() for layer in layers["layers"] for room in layer.split("|")}
    rooms = {path.stem for path in (TOP / "src" / "freezegate").iterdir()} - _DUNDER
    assert named == rooms - {"py"}
    assert layers["containers"] == ["freezegate"]
    assert layers["exhaustive"] is True


def test_no_contract_has_exceptions() -> None:
    assert [each["name"] for each in contracts() if each.get("ignore_imports")] == []


def test_make_test_runs_the_contracts() -> None:
    assert "$(RUN)/lint-imports\n" in (TOP / "Makefile").read_text()
