"""Which fixtures does a test or a fixture ask for, and what do those of pytest ask for in turn?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.surface_scope import (
    Definition,
    Function,
    called,
    dotted_parts,
    fixture_calls,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# pytest 7 to 9, `pytest --fixtures -v` and the arguments in its source.
_BUILT_IN = {
    "cache": "request",
    "capfd": "request",
    "capfdbinary": "request",
    "caplog": "request",
    "capsys": "request",
    "capsysbinary": "request",
    "capteesys": "request",
    "doctest_namespace": "",
    "linecomp": "",
    "LineMatcher": "",
    "monkeypatch": "",
    "pytestconfig": "request",
    "pytester": "request tmp_path_factory monkeypatch",
    "record_property": "request",
    "record_testsuite_property": "request",
    "record_xml_attribute": "request",
    "recwarn": "",
    "request": "",
    "subtests": "request",
    "testdir": "pytester",
    "tmp_path": "request tmp_path_factory",
    "tmp_path_factory": "request",
    "tmpdir": "tmp_path",
    "tmpdir_factory": "tmp_path_factory",
}


def needed_by(name: str) -> tuple[str, ...] | None:
    """Return what a built-in fixture of pytest asks for, None for all other fixtures."""
    return tuple(_BUILT_IN[name].split()) if name in _BUILT_IN else None


def asked_fixtures(node: ast.AST, test: str) -> frozenset[str]:
    """Return what the test and the fixtures in a statement ask for, by arguments and by texts."""
    functions = [each for each in _definitions(node) if isinstance(each, Function)]
    asking = [each for each in functions if each.name == test or fixture_calls(each)]
    names = {name for each in asking for name in _arguments(each)}
    names.update(_texts(node))
    return frozenset(names)


def _definitions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, Definition):
                yield from _definitions(each)


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the arguments without defaults, as pytest does, without those that others fill."""
    arguments = node.args
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    positional = positional[: len(positional) - len(arguments.defaults)]
    if positional[:1] in (["self"], ["cls"]):
        del positional[0]
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    del positional[: sum(map(_is_filled_by_mock, calls))]
    given = sum(len(each.args) for each in calls if _last(each) == "given")
    if given:
        del positional[-given:]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    names = [*positional, *(each.arg for each, default in named if default is None)]
    filled = {name for each in calls for name in _filled(each)}
    return [name for name in names if name not in filled]


def _is_filled_by_mock(call: ast.Call) -> bool:
    parts = dotted_parts(call.func)
    if any(keyword.arg == "new" for keyword in call.keywords):
        return False
    return (parts[-1:] == ("patch",) and len(call.args) == 1) or (
        parts[-2:] == ("patch", "object") and len(call.args) == 2
    )


def _filled(call: ast.Call) -> Iterable[str]:
    if _last(call) == "given":
        return [keyword.arg for keyword in call.keywords if keyword.arg]
    if _last(call) != "parametrize":
        return []
    named = [each.value for each in call.keywords if each.arg == "argnames"]
    return [
        name.strip()
        for names in [*call.args[:1], *named]
        for each in ast.walk(names)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
        for name in each.value.split(",")
    ]


def _texts(node: ast.AST) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _last(call) in ("usefixtures", "getfixturevalue"):
            for each in call.args:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


def _last(call: ast.Call) -> str:
    return "".join(dotted_parts(called(call))[-1:])
