"""Whether a side's configuration has examples of docstrings and texts run as tests, and which."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.run_places import may_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

TEXTS = (".txt", ".rst", ".md")
_CONFIGURES = re.compile(r"(^|/)(\.?pytest\.(toml|ini)|conftest\.py)$")
_OF_MODULES = re.compile(
    rb"--doctest-modules|--doctest-plus|doctest_plus\s*=|\bsybil\b|--xdoctest\b|\bxdoctest\s+-|"
    rb"-m\s+x?doctest\b|doctest\.testmod|DocTestSuite|DocTestFinder|--with-doctest|-b\s*doctest"
)
_OF_TEXTS = re.compile(rb"\bsybil\b|-m\s+doctest\b|doctest\.testfile|DocFileSuite|-b\s*doctest")
_GLOB = re.compile(rb"doctest[-_]glob[\s=\"'\[]+([^\s\"',\]]+)")
_BUILT_IN = "test*.txt"  # what pytest takes for examples unless it is told otherwise


class _Runs(NamedTuple):
    """What is run: docstrings, texts of any name, texts whose names fit."""

    modules: bool
    texts: bool
    globs: frozenset[str]


class DoctestRuns:
    """Both sides' configuration, looked at where a changed example asks for it."""

    def __init__(self, step: MuteStep) -> None:
        """Look at both sides: what ran before and what runs now counts."""
        self._runs = [_read(step, side) for side in (step.old, step.new)]

    def runs(self, path: str) -> bool:
        """Say whether the examples of a file are tests at either side."""
        if path.endswith(".py"):
            return any(each.modules for each in self._runs)
        name = path.rpartition("/")[2]
        globs = {_BUILT_IN}.union(*(each.globs for each in self._runs))
        fits = any(fnmatchcase(name, each.rpartition("/")[2]) for each in globs)
        return fits or any(each.texts for each in self._runs)

    @property
    def ran_any(self) -> bool:
        """Whether examples were tests before."""
        return any((self._runs[0].modules, self._runs[0].texts, self._runs[0].globs))


def _read(step: MuteStep, side: Side) -> _Runs:
    sources = tuple(_sources(step, side.tree))
    globs = (found for source in sources for found in _GLOB.findall(source))
    return _Runs(
        modules=any(map(_OF_MODULES.search, sources)),
        texts=any(map(_OF_TEXTS.search, sources)),
        globs=frozenset(each.decode("utf-8", "replace") for each in globs),
    )


def _sources(step: MuteStep, tree: Tree) -> Iterator[bytes]:
    """Files that start tests or configure them, and test code, which may call doctest itself."""
    for path, entry in tree.files(""):
        known = _CONFIGURES.search(path) or may_run(path) or step.is_test_code(path)
        if known and entry.is_regular:
            source = tree.source(entry)
            if b"doctest" in source or b"sybil" in source:
                yield source
