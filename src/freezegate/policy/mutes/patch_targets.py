"""Which names a patch, or an assignment, puts something else under: what stood there before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names, Origins

_HERE = "<this module>"  # the value of `__name__`
_FIXTURES = ("param:monkeypatch.", "param:mocker.", "param:request.", "param:caplog.")
_PATCHING = ("patch", "setattr", "object", "multiple")
_SETTING = ("update", "setdefault", "__setitem__")


def replacing(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the calls and assignments in a part of the source that may replace something."""
    for node in ast.walk(part):
        match node:
            case ast.Call() if _patches_something(node):
                yield node
            case ast.Assign(targets=[ast.Attribute()]):
                yield node
            case ast.Assign(targets=[ast.Subscript(value=table)]) if _is_table(table):
                yield node
            case _:
                pass


def replaced_by(names: Names, path: str, node: ast.AST, unit: Unit | None) -> Origins:
    """Return the names of what a call or an assignment replaces."""
    match node:
        case ast.Call():
            return _targets(names, path, node, unit)
        case ast.Assign(targets=[ast.Attribute() as target]):
            return _stored(names, path, target, unit)
        case ast.Assign(targets=[ast.Subscript(value=table, slice=key)]):
            return _items(names, path, table, [key], unit)
        case _:
            return frozenset()


def _patches_something(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    return name in _PATCHING or name.endswith("patch") or _table_of(call) is not None


def _table_of(call: ast.Call) -> ast.expr | None:
    """Return the table of names whose items a call sets."""
    match call:
        case ast.Call(func=ast.Attribute(attr="setitem"), args=[table, _, *_]):
            return table
        case ast.Call(func=ast.Attribute(attr="dict", value=holder), args=[table, *_]):
            return table if unparsed(holder).endswith("patch") else None
        case ast.Call(func=ast.Attribute(attr=name, value=table)) if name in _SETTING:
            return table if _is_table(table) else None
        case _:
            return None


def _is_table(node: ast.expr) -> bool:
    """Whether it may hold names: `globals()`, `vars(shop)`, `shop.__dict__`, `sys.modules`."""
    match node:
        case (
            ast.Attribute(attr="__dict__" | "modules")
            | ast.Call(func=ast.Name(id="globals" | "vars"))
        ):
            return True
        case _:
            return False


def _targets(names: Names, path: str, call: ast.Call, unit: Unit | None) -> Origins:
    """What `patch("a.b")`, `patch.object(a, "b")` and `setattr(a, "b", ...)` replace."""
    table = _table_of(call)
    if table is not None:
        return _items(names, path, table, list(_keys(call)), unit)
    if not call.args:
        return frozenset()
    if isinstance(call.func, ast.Attribute) and call.func.attr == "multiple":
        return _several(names, path, call, unit)
    first = fold(call.args[0], lambda name: _constant(names, path, name, unit))
    if isinstance(first, str) and first.startswith(_HERE):
        return names.names(path, ast.Name(first.rpartition(".")[2], ast.Load()))
    if isinstance(first, str):
        return _dotted(names, path, first)
    second = call.args[1] if len(call.args) > 1 else None
    word = fold(second, lambda name: names.constant(path, name, unit)) if second else None
    if not isinstance(word, str) or not word.isidentifier():
        return frozenset()
    return _stored(names, path, ast.Attribute(call.args[0], word, ast.Load()), unit)


def _several(names: Names, path: str, call: ast.Call, unit: Unit | None) -> Origins:
    """`patch.multiple("shop", total=..., tax=...)`."""
    holder = fold(call.args[0], lambda name: _constant(names, path, name, unit))
    found: Origins = frozenset()
    for word in (keyword.arg for keyword in call.keywords if keyword.arg):
        if isinstance(holder, str):
            found |= _dotted(names, path, f"{holder}.{word}")
        else:
            found |= _stored(names, path, ast.Attribute(call.args[0], word, ast.Load()), unit)
    return found


def _constant(names: Names, path: str, name: str, unit: Unit | None) -> ast.expr | None:
    return ast.Constant(_HERE) if name == "__name__" else names.constant(path, name, unit)


def _keys(call: ast.Call) -> Iterator[ast.expr]:
    """The keys that a call sets in a table: words, and those of tables that it hands over."""
    for each in call.args:
        if isinstance(each, ast.Dict):
            yield from (key for key in each.keys if key is not None)
        elif isinstance(each, ast.Constant):
            yield each
    yield from (ast.Constant(word.arg) for word in call.keywords if word.arg)


def _items(
    names: Names, path: str, table: ast.expr, keys: Sequence[ast.expr], unit: Unit | None
) -> Origins:
    """The names of a module under which something else is put."""
    words = {fold(key, lambda name: names.constant(path, name, unit)) for key in keys}
    found = [_item(names, path, table, word, unit) for word in words if isinstance(word, str)]
    return frozenset[str]().union(*found)


def _item(names: Names, path: str, table: ast.expr, word: str, unit: Unit | None) -> Origins:
    if "sys.modules" in names.names(path, table, unit):
        file = names.file_of(path, word)
        return frozenset({f"{file}::"} if file else ())
    if not word.isidentifier():
        return frozenset()
    match table:
        case ast.Attribute(attr="__dict__", value=holder):
            pass
        case ast.Call(func=ast.Name(id="vars"), args=[holder]):
            pass
        case _:
            own = names.names(path, table, unit) & {"builtins.globals", "builtins.vars"}
            return names.names(path, ast.Name(word, ast.Load())) if own else frozenset()
    return _stored(names, path, ast.Attribute(holder, word, ast.Load()), unit)


def _stored(names: Names, path: str, node: ast.Attribute, unit: Unit | None) -> Origins:
    read = ast.Attribute(_without_type(node.value), node.attr, ast.Load())
    return frozenset(each for each in names.names(path, read, unit) if may_be_subject(each))


def _without_type(node: ast.expr) -> ast.expr:
    """`type(order)` and `order.__class__` are patched for what `order` is asked."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[inner]):
            return inner
        case ast.Attribute(attr="__class__", value=inner):
            return inner
        case _:
            return node


def _dotted(names: Names, path: str, text: str) -> Origins:
    module, _, name = text.rpartition(".")
    file = names.file_of(path, module) if module else None
    found = {text}
    if file:
        found |= names.names(file, ast.Name(name, ast.Load()))
    owner, _, klass = module.rpartition(".")
    outer = names.file_of(path, owner) if owner else None
    if outer:
        found |= {f"{each}.{name}" for each in names.names(outer, ast.Name(klass, ast.Load()))}
    return frozenset(each for each in found if may_be_subject(each))


def may_be_subject(origin: str) -> bool:
    """Whether it is no builtin and no bare argument; a fixture's method may be tested code."""
    if origin.startswith("param:"):
        return "." in origin and not origin.startswith(_FIXTURES)
    return not origin.startswith("builtins.")
