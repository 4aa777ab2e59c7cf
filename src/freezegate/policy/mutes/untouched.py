"""Which tests a step surely leaves as they are: neither they nor anything around them changed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.normal import normal_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.pairing import Pair
    from freezegate.policy.mutes.step import MuteStep

# A module without any of these words marks and skips nothing by itself.
FRAMEWORKS = (b"pytest", b"unittest", b"nose", b"twisted")


def same_surroundings(step: MuteStep) -> bool:
    """Say whether a step changes nothing but the bodies and number of tests."""
    if any(path.endswith(("conftest.py", ".toml", ".ini", ".cfg")) for path in step.changed):
        return False
    return all(
        frame_of(old) == frame_of(new) for _, old, new in step.test_files if old and new
    ) and not any(
        module and names_framework(module)
        for _, old, new in step.subject_files
        for module in (old, new)
    )


def is_untouched(pair: Pair) -> bool:
    """Say whether a function is the same on both sides, decorators included."""
    old, new = pair.old, pair.new
    if old is None or new is None or pair.moved or len(old.unit.guards) != len(new.unit.guards):
        return False
    return old.unit.node is new.unit.node or normal_whole(old.unit.node) == normal_whole(
        new.unit.node
    )


def names_framework(module: Module) -> bool:
    """Say whether a module's text names a framework for tests at all."""
    return any(word in module.source for word in FRAMEWORKS)


def frame_of(module: Module) -> str:
    """Return all that a module says but for its tests."""
    return "\n".join(_frame(module.tree.body))


def _frame(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Function) and statement.name.startswith("test"):
            continue
        if isinstance(statement, ast.ClassDef):
            outer = [*statement.decorator_list, *statement.bases, *statement.keywords]
            yield f"class {statement.name} {','.join(ast.dump(each) for each in outer)}"
            yield from _frame(statement.body)
        else:
            yield ast.dump(statement)
