"""Which collected test claims which property: by its own markers, else by the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pytest

    from freezegate.model.catalog import Catalog

MARK_PREFIX = "freezegate: "  # of the reason that `witness --mark` writes into a skip marker


class Claim(NamedTuple):
    """A property that a test says it checks; no fixtures where the claim itself names none."""

    property_id: str
    fixtures: tuple[str, ...]


def test_name(item: pytest.Item, top: Path) -> str | None:
    """Return an item's id from the repository's top, whatever pytest's root folder is."""
    try:
        path = item.path.relative_to(top).as_posix()
    except ValueError:
        return None
    return f"{path}::{item.nodeid.partition('::')[2]}"


def marked_claims(item: pytest.Item) -> tuple[Claim, ...]:
    """Return what an item's own markers claim; a marker without texts claims nothing."""
    names = _texts(item, "property_id")
    fixtures = _texts(item, "fixture")
    return tuple(Claim(name, fixtures) for name in names)


def own_skip_property(item: pytest.Item) -> str | None:
    """Return the property that a skip marker of `witness --mark` on this item names."""
    for mark in item.iter_markers("skip"):
        reason = mark.kwargs.get("reason", mark.args[0] if mark.args else None)
        if isinstance(reason, str) and reason.startswith(MARK_PREFIX):
            return reason.removeprefix(MARK_PREFIX)
    return None


def catalogued_claims(catalog: Catalog, test_ids: Iterable[str]) -> Mapping[str, tuple[Claim, ...]]:
    """Return the claims that the catalogue makes for some of its tests."""
    wanted = frozenset(test_ids)
    found: dict[str, tuple[Claim, ...]] = {}
    for entry in catalog.properties.values():
        if entry.test in wanted:
            claim = Claim(str(entry.property_id), tuple(map(str, entry.fixtures)))
            found[str(entry.test)] = (*found.get(str(entry.test), ()), claim)
    return found


def _texts(item: pytest.Item, name: str) -> tuple[str, ...]:
    args = [arg for mark in item.iter_markers(name) for arg in mark.args]
    return tuple(dict.fromkeys(arg for arg in args if isinstance(arg, str)))
