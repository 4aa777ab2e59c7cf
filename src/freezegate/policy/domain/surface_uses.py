"""What does a piece of source ask for: names, attributes, arguments, texts that may be names?"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.surface_scope import (
    Function,
    Origin,
    dotted_parts,
    imported_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OPEN_NAMES = frozenset(
    {"__dict__", "__globals__", "__subclasses__", "f_globals", "modules"}
    | {"dir", "eval", "exec", "globals", "locals", "vars"}
)

_ASKS_FIXTURE = frozenset({"getfixturevalue", "usefixtures"})
# `parametrize` names fixtures where it is indirect.
_FIXTURE_CALLS = _ASKS_FIXTURE | {"parametrize"}
# Which take the name of an attribute as their second argument, or among all.
_MEMBER_CALLS = frozenset(
    {"attrgetter", "delattr", "getattr", "hasattr", "methodcaller", "object", "setattr", "spy"}
)
_NAMED_BY_TEXT = _MEMBER_CALLS | {
    *("__import__", "find_spec", "import_module", "import_string", "importorskip", "multiple"),
    *("patch", "reload", "resolve_name", "run_module", "run_path", "spec_from_file_location"),
    *("delitem", "setitem", "stub"),
}
_HANDED_ON = _ASKS_FIXTURE | {"__import__", "getattr", "import_module", "import_string", "setattr"}


class Uses(NamedTuple):
    """What a node uses, whoever binds it: more rather than less.

    `names` are dotted chains, split; `hints` texts in annotations; `texts` all texts that are
    names, of which `attribute_texts` stand where a call takes an attribute's or a module's name
    and `fixture_texts` where pytest takes a fixture's; `imports` what the node itself imports,
    with the name that this binds. `asks_any_...` say that what is asked for is computed: any name,
    any fixture, any of the texts, any member of the test's class.
    """

    names: frozenset[tuple[str, ...]]
    attributes: frozenset[str]
    arguments: frozenset[str]
    hints: frozenset[str]
    texts: frozenset[str]
    attribute_texts: frozenset[str]
    fixture_texts: frozenset[str]
    imports: frozenset[tuple[str, Origin]]
    asks_any_name: bool
    asks_any_fixture: bool
    asks_any_text: bool
    asks_any_member: bool


def find_uses(node: ast.AST) -> Uses:
    """Return what a node uses, inner functions, lambdas and annotations included."""
    nodes = list(ast.walk(node))
    names = frozenset(_chains(nodes))
    attributes = frozenset(n.attr for n in nodes if isinstance(n, ast.Attribute))
    imports = frozenset(
        pair
        for n in nodes
        if isinstance(n, ast.Import | ast.ImportFrom)
        for pair in imported_names(n)
    )
    calls = {id(n.func): n for n in nodes if isinstance(n, ast.Call)}
    texts = frozenset(_texts(nodes))
    return Uses(
        names=names,
        attributes=attributes,
        arguments=frozenset(n.arg for n in nodes if isinstance(n, ast.arg)),
        hints=frozenset(_hints(nodes)),
        texts=texts,
        attribute_texts=frozenset(_asked_texts(calls.values(), _NAMED_BY_TEXT)),
        fixture_texts=frozenset(_asked_texts(calls.values(), _FIXTURE_CALLS)),
        imports=imports,
        asks_any_name=not _OPEN_NAMES.isdisjoint(attributes.union(*names)),
        asks_any_fixture=not texts.isdisjoint(_ASKS_FIXTURE)
        or any(_asks_computed(n, calls, _ASKS_FIXTURE) for n in nodes),
        asks_any_text=any(_asks_computed(n, calls, _NAMED_BY_TEXT) for n in nodes)
        or any(renames_an_importer(*pair) for pair in imports),
        asks_any_member=any(
            _asks_computed(n, calls, _MEMBER_CALLS) or _hands_itself(n) for n in nodes
        ),
    )


def renames_an_importer(bound: str, origin: Origin) -> bool:
    """Say whether an import gives another name to what takes names as texts."""
    return bound != origin.name and origin.name in _NAMED_BY_TEXT


def _chains(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ...]]:
    """Yield `a.b.c` once and whole; `ast.walk` comes to the outermost attribute first."""
    inner: set[int] = set()
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or id(node) in inner:
            continue
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
            inner.add(id(root))
        if isinstance(root, ast.Name):
            yield dotted_parts(node)


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and _is_dotted(node.value):
            yield str(node.value)


def _hints(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names in annotations that are texts."""
    for node in nodes:
        for annotation in _annotations(node):
            for each in ast.walk(annotation):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield from _DOTTED.findall(each.value)


def _asked_texts(calls: Iterable[ast.Call], takers: frozenset[str]) -> Iterator[str]:
    for call in calls:
        if _last(call.func) in takers:
            for node in ast.walk(call):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from _DOTTED.findall(node.value)


def _is_dotted(value: object) -> bool:
    return isinstance(value, str) and _DOTTED.fullmatch(value) is not None


def _annotations(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.arg | ast.AnnAssign):
        return [node.annotation] if node.annotation else []
    return [node.returns] if isinstance(node, Function) and node.returns else []


def _last(node: ast.AST) -> str:
    return "".join(dotted_parts(node)[-1:])


def _asks_computed(node: ast.AST, calls: Mapping[int, ast.Call], takers: frozenset[str]) -> bool:
    """Say whether a taker of names is called with one that is no plain text, or is handed on."""
    if not isinstance(node, ast.Name | ast.Attribute) or _last(node) not in takers:
        return False
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return False
    call = calls.get(id(node))
    if call is None:
        # `patch` of `patch.object`, and attributes that are only called the same.
        return _last(node) in _HANDED_ON
    return not all(isinstance(each, ast.Constant) for each in _named_by(call))


def _named_by(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that name something."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return list(call.args)
    last = _last(call.func)
    if last in _ASKS_FIXTURE | {"methodcaller", "attrgetter"}:
        return list(call.args)
    second = last in _MEMBER_CALLS and (last != "setattr" or len(call.args) > 2)
    return call.args[1:2] if second else call.args[:1]


def _hands_itself(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(
        isinstance(each, ast.Name) and each.id in ("self", "cls") for each in node.args
    )
