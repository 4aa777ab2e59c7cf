"""Test modules whose conditions for skipping may ask for a value that changed."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.step import FilePair, MuteStep


def find_skip_users(step: MuteStep) -> Iterator[str]:
    """Yield test modules of both sides that skip, and name a changed value or its module."""
    words = {word for files in _files(step) for word in _words(files)}
    if not words:
        return
    every = b"|".join(re.escape(each.encode("utf-8", "surrogateescape")) for each in sorted(words))
    pattern = re.compile(rb"\b(%s)\b" % every)
    for path, entry in step.new.tree.files(""):
        if entry.is_regular and step.is_test_code(path):
            source = step.new.tree.source(entry)
            if _may_leave_out(source) and pattern.search(source):
                yield path


def _may_leave_out(source: bytes) -> bool:
    return b"skip" in source.lower() or b"xfail" in source or b"\nif " in source


def _files(step: MuteStep) -> Iterator[FilePair]:
    yield from step.test_files
    yield from step.subject_files


def _words(files: FilePair) -> set[str]:
    """The names at a module's top that are bound otherwise, and the module's own name."""
    if files.old is None or files.new is None:
        return set()
    before, after = _bound(files.old), _bound(files.new)
    changed = {name for name, said in before.items() if after.get(name, said) != said}
    if not changed:
        return set()
    folder, _, file = files.path.removesuffix(".py").rpartition("/")
    return changed | {folder.rpartition("/")[2] if file == "__init__" else file}


def _bound(module: Module) -> dict[str, list[bytes]]:
    """What binds each name: classes and tests are no values."""
    return {
        name: [module.segment(each.node) for each in bindings]
        for name, bindings in module.bindings.items()
        if not name.startswith("test")
        and not any(isinstance(each.node, ast.ClassDef) for each in bindings)
    }
