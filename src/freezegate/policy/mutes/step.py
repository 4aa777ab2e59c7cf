"""What detectors look at: the changed files of one step, both sides, and how functions pair up."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.globs import matches
from freezegate.policy.mutes.modules import Module, Side
from freezegate.policy.mutes.names import Names
from freezegate.policy.mutes.normal import normal_body, unparsed
from freezegate.policy.mutes.pairing import Pair, pair_units
from freezegate.policy.mutes.sameness import Sameness
from freezegate.policy.mutes.users import find_users

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.model.globs import Glob
    from freezegate.policy.domain.tree import Tree

_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|tests?)\.py$")
_TEST_FOLDER = re.compile(r"(^|/)(tests?|testing|unit_?tests?|spec|specs|e2e|integration)(/|$)")


class FilePair(NamedTuple):
    """A changed Python file of the test code; None where it does not stand on a side."""

    path: str
    old: Module | None
    new: Module | None


class MuteStep:
    """One step as detectors see it; everything is read when it is asked for, and once."""

    def __init__(
        self, old: Tree, new: Tree, changed: Sequence[str], subject: Sequence[Glob] = ()
    ) -> None:
        """Compare two trees at the changed paths; `subject` are the policy's globs."""
        parsed: dict[bytes, Module] = {}
        self.old, self.new = Side(old, parsed), Side(new, parsed)
        self.old_names, self.new_names = Names(self.old), Names(self.new)
        self.changed = tuple(sorted(changed))
        self._subject = tuple(subject)
        self._differing: dict[int, tuple[ast.AST, ...]] = {}

    @cached_property
    def test_files(self) -> tuple[FilePair, ...]:
        """The changed Python files that are test code: modules, helpers and conftest files."""
        return tuple(self._pairs(path for path in self.changed if self.is_test_code(path)))

    @cached_property
    def subject_files(self) -> tuple[FilePair, ...]:
        """The changed Python files that are no test code."""
        others = (p for p in self.changed if p.endswith(".py") and not self.is_test_code(p))
        return tuple(self._pairs(others))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The functions of changed test code, each with what became of it (pairing.py)."""
        return tuple(pair_units(self.test_files, self._sameness.is_same, self._is_renamed))

    def _is_renamed(self, old: str, new: str) -> bool:
        before, after = self._subject_names
        return old in before - after and new in after - before

    def is_same_code(self, old: str, new: str) -> bool:
        """Say whether tested code was renamed, and does what it did."""
        if not self._is_renamed(old, new):
            return False
        before, after = (
            {normal_body(u.node) for m in side if m for n, u in m.units.items() if _last(n) == name}
            for side, name in (
                ([pair.old for pair in self.subject_files], old),
                ([pair.new for pair in self.subject_files], new),
            )
        )
        return bool(before) and before == after

    @cached_property
    def _subject_names(self) -> tuple[frozenset[str], frozenset[str]]:
        """What changed tested code defines, on both sides."""
        every = [(pair.old, pair.new) for pair in self.subject_files]
        old, new = ([_defined(pair[side]) for pair in every] for side in (0, 1))
        return frozenset[str]().union(*old), frozenset[str]().union(*new)

    @cached_property
    def changed_pairs(self) -> tuple[Pair, ...]:
        """Those of them that may do something else than before."""
        return tuple(pair for pair in self.pairs if not pair.same)

    @cached_property
    def same_functions(self) -> frozenset[int]:
        """The ids of the functions of both sides that are the same on the other one."""
        places = (place for pair in self.pairs if pair.same for place in (pair.old, pair.new))
        return frozenset(id(place.unit.node) for place in places if place)

    def differing(self, module: Module | None) -> Sequence[ast.AST]:
        """Return the nodes of a module but for those of functions that are the same; walked once.

        Lines outside of functions are all among them.
        """
        if module is None:
            return ()
        if id(module) not in self._differing:
            self._differing[id(module)] = tuple(_walked(module.tree, self.same_functions))
        return self._differing[id(module)]

    def renamed(self, path: str) -> frozenset[bytes]:
        """Return the names of a module of the tests that mean something else than before."""
        return self._sameness.renamed(path)

    @cached_property
    def _sameness(self) -> Sameness:
        tests = [path for path in self.changed if self.is_test_code(path)]
        return Sameness(self.old, self.new, self.new_names, tests)

    @cached_property
    def reached_pairs(self) -> tuple[Pair, ...]:
        """The functions of unchanged test modules that use a changed value of another one."""
        paths = tuple(find_users(self))
        files = [(path, self.old.module(path), self.new.module(path)) for path in paths]
        return tuple(pair_units([FilePair(*each) for each in files], self._sameness.is_same))

    def is_test_code(self, path: str) -> bool:
        """Say whether a Python file belongs to the tests, by its name, its folder or the policy."""
        if not path.endswith(".py"):
            return False
        if is_test_file(path) or path.rpartition("/")[2] == "conftest.py":
            return True
        return looks_like_test_code(path) and not (
            self._subject and matches(self._subject, path.encode("utf-8", "surrogateescape"))
        )

    def _pairs(self, paths: Iterator[str]) -> Iterator[FilePair]:
        for path in paths:
            old, new = self.old.module(path), self.new.module(path)
            if old is not new:
                yield FilePair(path, old, new)


def _defined(module: Module | None) -> frozenset[str]:
    names = (*module.units, *module.classes) if module else ()
    return frozenset(map(_last, names))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _walked(tree: ast.AST, left_out: frozenset[int]) -> Iterator[ast.AST]:
    waiting = [tree]
    for node in waiting:  # grows while it is walked
        yield node
        waiting += [each for each in ast.iter_child_nodes(node) if id(each) not in left_out]


def is_test_file(path: str) -> bool:
    """Say whether a file is named as test modules are, whatever the configuration says."""
    return _TEST_FILE.search(path) is not None


def looks_like_test_code(path: str) -> bool:
    """Say whether a file is test code by its name or its folder, whatever a policy says."""
    return bool(is_test_file(path) or _TEST_FOLDER.search(path) or path.endswith("conftest.py"))


def is_test_name(name: str) -> bool:
    """Say whether a qualified function name is one that pytest or unittest collects."""
    *classes, function = name.split(".")
    return function.startswith("test") and not any(c.startswith("_") for c in classes)


def shown(node: ast.AST | None, limit: int = 120) -> str:
    """Return an expression or statement on one line, cut where it is long."""
    text = "nothing" if node is None else " ".join(unparsed(node).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
