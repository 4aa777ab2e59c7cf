"""Tests that import a new copy of the tested code, and the tested code still stands there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "copied_subject"
_REMEDY = "Test the code that is shipped; where it moves, let it move: delete it where it stood."
_IMPORTERS = frozenset({"import_module", "__import__"})


class _Imported(NamedTuple):
    """What an import brings: a name of a file, or the whole of it (`""`)."""

    file: str
    name: str
    line: int


def find_copies(step: MuteStep) -> Iterator[Mute]:
    """Yield imports of tested code that come to another file, which defines the same only now."""
    for pair in step.test_files:
        before = set(_imports(step, step.old_names, pair, pair.old and step.differing(pair.old)))
        after = set(_imports(step, step.new_names, pair, pair.new and step.differing(pair.new)))
        kept = {(each.file, each.name) for each in after}
        gone = [each for each in before if each[:2] not in kept]
        known = {(each.file, each.name) for each in before}
        told = set[str]()
        for new in sorted(each for each in after if each[:2] not in known):
            old = next((each for each in sorted(gone) if _is_copied(step, each, new)), None)
            if old and new.file not in told:
                told.add(new.file)
                yield _mute(pair, old, new)


def _imports(step: MuteStep, names: Names, pair: FilePair, nodes: object) -> Iterator[_Imported]:
    """What a module imports of the repository, at its top and inside of changed functions."""
    for node in nodes if isinstance(nodes, tuple) else ():
        for file, name in _of(names, pair.path, node):
            if file and not step.is_test_code(file):
                yield _Imported(file, name, node.lineno)


def _of(names: Names, path: str, node: ast.AST) -> Iterator[tuple[str | None, str]]:
    match node:
        case ast.ImportFrom():
            package = node.module or ""
            for alias in node.names:
                below = f"{package}.{alias.name}" if package else alias.name
                inner = names.file_of(path, below, node.level)
                file = names.file_of(path, package, node.level)
                yield (inner, "") if inner else (file, alias.name)
        case ast.Import():
            yield from ((names.file_of(path, alias.name), "") for alias in node.names)
        case ast.Call(func=ast.Name(id=word) | ast.Attribute(attr=word)) if word in _IMPORTERS:
            for origin in names.names(path, node):
                if origin.startswith("module:"):
                    yield origin.removeprefix("module:"), ""
        case _:
            pass


def _is_copied(step: MuteStep, old: _Imported, new: _Imported) -> bool:
    """Whether both files define what was imported now, and the other one did not before."""
    if old.file == new.file or (old.name and new.name and old.name != new.name):
        return False
    word = old.name or new.name
    stays, fresh = _defined(step.new, old.file), _defined(step.new, new.file)
    shared = (stays & fresh) - _defined(step.old, new.file)
    return word in shared if word and word != "*" else bool(shared)


def _defined(side: Side, file: str) -> frozenset[str]:
    """The functions and classes that a module defines itself."""
    module = side.module(file)
    return frozenset((*module.units, *module.classes)) if module else frozenset()


def _mute(pair: FilePair, old: _Imported, new: _Imported) -> Mute:
    was, now = (f"{each.file}{'::' * bool(each.name)}{each.name}" for each in (old, new))
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=pair.path,
        line=new.line,
        was=f"it imports {was}",
        now=f"it imports {now}, which defines the same, and {old.file} still stands there",
        remedy=_REMEDY,
        test=pair.path,
        before=was,
        after=now,
    )
