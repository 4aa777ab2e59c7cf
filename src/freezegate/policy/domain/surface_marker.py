"""Which decorator of a test is a plain skip marker that a freeze may add or take away?"""

from __future__ import annotations

import ast

from freezegate.policy.domain.surface_scope import (
    STAR,
    Definition,
    called,
    dotted_parts,
    imported_names,
)

_PYTEST = ("pytest", "mark", "skip")
_UNITTEST = ("unittest", "skip")


def find_skip_marker(module: ast.Module, decorators: list[ast.expr]) -> int | None:
    """Return the place of the first plain skip marker, None where there is none.

    Plain is `pytest.mark.skip` with at most one literal text, and `unittest.skip` with one, in
    whatever spelling imports allow; each binding of the name in the whole module must be that
    import.
    """
    binders = _binders(module)
    for place, decorator in enumerate(decorators):
        root, *rest = dotted_parts(called(decorator)) or ("",)
        origins = {_full_name(origin, rest) for origin in binders.get(root, set())}
        if (origins == {_PYTEST} and _is_plain_call(decorator)) or (
            origins == {_UNITTEST}
            and isinstance(decorator, ast.Call)
            and _is_plain_call(decorator, needed=True)
        ):
            return place
    return None


def _full_name(origin: str | None, rest: list[str]) -> tuple[str, ...]:
    return () if origin is None else (*origin.split("."), *rest)


def _is_plain_call(decorator: ast.expr, *, needed: bool = False) -> bool:
    if not isinstance(decorator, ast.Call):
        return isinstance(decorator, ast.Name | ast.Attribute)
    keywords = [each.value for each in decorator.keywords if each.arg == "reason"]
    values = [*decorator.args, *keywords]
    return (
        len(keywords) == len(decorator.keywords)
        and int(needed) <= len(values) <= 1
        and all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in values)
    )


def _binders(module: ast.Module) -> dict[str, set[str | None]]:
    """Return what each bound name stands for, None for anything but an absolute import.

    A star import may bind any name, so that there is nothing to return.
    """
    found: dict[str, set[str | None]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if any(alias.name == STAR for alias in node.names):
                return {}
            for name, origin in imported_names(node):
                dotted = ".".join([origin.module, *([origin.name] if origin.name else [])])
                found.setdefault(name, set()).add(None if origin.level else dotted)
        for name in _other_names(node):
            found.setdefault(name, set()).add(None)
    return found


def _other_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    if isinstance(node, Definition | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    return [node.rest] if isinstance(node, ast.MatchMapping) and node.rest else []
