"""The catalogue: properties, and what may be frozen for each of them (SPEC section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.paths import RepoPath


class Property(NamedTuple):
    """One catalogued invariant; `repeat` is the number of runs on each side, 2 or more."""

    property_id: PropertyId
    statement: str
    oracle: RepoPath
    property_test: TestId
    test: TestId
    fixtures: tuple[RepoPath, ...]
    keep: tuple[str, ...] = ()
    repeat: int = 2
    freezable: bool = True
    tags: tuple[str, ...] = ()

    def speaks_of(self, test_id: TestId) -> bool:
        """Say whether the entry names a test: itself, its whole family, or its class."""
        return _covers(self.test, test_id) or _covers(self.property_test, test_id)


class Catalog(NamedTuple):
    """The properties that count, and the drafts that count for nothing yet."""

    properties: Mapping[PropertyId, Property]
    proposed: Mapping[PropertyId, Property]


def _covers(named: TestId, test_id: TestId) -> bool:
    """A name without a parameter stands for every case; a class's name for its methods."""
    parameters = {named.parameter, test_id.parameter}
    return (
        named.path == test_id.path
        and named.names == test_id.names[: len(named.names)]
        and (None in parameters or len(parameters) == 1)
    )
