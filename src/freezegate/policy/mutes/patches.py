"""Code that changes the test framework itself, the interpreter or the modules that tests import."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes import exits
from freezegate.policy.mutes import patch_words as words
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.guarded import Guarded, guarded
from freezegate.policy.mutes.modules import Function, Unit
from freezegate.policy.mutes.mute import Certainty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.names import Names, Origins


class Patch(NamedTuple):
    """One thing that is patched: `key` tells it from others, `undone` says that it ends with a
    test, `test` names the function whose body it is in.
    """

    node: ast.AST
    key: str
    certainty: Certainty
    undone: bool
    test: Function | None


class Scope(NamedTuple):
    """Where a statement stands: the unit for its names, the functions around it, the module."""

    unit: Unit | None
    functions: tuple[Function, ...]
    conditional: bool

    @property
    def test(self) -> Function | None:
        """The test whose body it is in."""
        return next((f for f in self.functions if f.name.startswith("test")), None)


def find_in(
    names: Names,
    path: str,
    module: Module,
    is_subject: Callable[[str], bool],
    same: AbstractSet[int] = frozenset(),
) -> Iterator[Patch]:
    """Yield what a module patches, functions in `same` left out.

    `is_subject` says whether a module of a name is tested here.
    """
    units = {id(unit.node): unit for unit in module.units.values()}
    for statement in guarded(module.tree.body, left_out=same):
        if any(_is_main(each) for each in statement.around):
            continue
        scope = _scope(statement, units)
        reader = _Reader(names, path, scope, is_subject)
        for part in statement.parts():
            certainty, undone = reader.patched(part)
            if certainty is None:
                certainty = exits.stops(names, path, scope, part)
            if certainty is not None:
                shown = statement.node if isinstance(part, ast.Attribute | ast.Subscript) else part
                key = ast.dump(_without_blocks(shown))
                yield Patch(part, key, certainty, undone, scope.test)


def _scope(statement: Guarded, units: dict[int, Unit]) -> Scope:
    functions = tuple(each for each in statement.around if isinstance(each, Function))
    unit = next((units[id(f)] for f in functions if id(f) in units), None)
    conditional = any(isinstance(each, ast.If | ast.Try) for each in statement.around)
    return Scope(unit, functions, conditional)


def _without_blocks(node: ast.AST) -> ast.AST:
    return ast.Pass() if isinstance(node, Function | ast.ClassDef) else node


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(node.test)
    )


class _Reader:
    """One statement's names."""

    def __init__(
        self, names: Names, path: str, scope: Scope, is_subject: Callable[[str], bool]
    ) -> None:
        """Look names up as they are at that place."""
        self._names, self._path, self._scope = names, path, scope
        self._is_subject = is_subject

    def patched(self, part: ast.AST) -> tuple[Certainty | None, bool]:
        """Say how grave a part of a statement is, and whether it is undone at the test's end."""
        match part:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return self._set(part.value, part.attr), False
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                return self._item(part.value, part.slice, stored=isinstance(part.ctx, ast.Store))
            case ast.Call():
                return self._call(part)
            case _:
                return None, False

    def _of(self, node: ast.expr) -> Origins:
        return self._names.origins(self._path, node, self._scope.unit)

    def _set(self, holder: ast.expr, attribute: str | None) -> Certainty | None:
        if attribute in words.CODE:
            return Certainty.CLEAR
        grave = [_gravity(each, attribute, self._scope) for each in self._of(holder)]
        found = [each for each in grave if each is not None]
        return max(found) if found else None

    def _item(
        self, holder: ast.expr, key: ast.expr, *, stored: bool
    ) -> tuple[Certainty | None, bool]:
        """`sys.modules[...]`, `pytest.__dict__[...]`, `vars(pytest)[...]`, `os.environ[...]`."""
        origins = self._names.names(self._path, holder, self._scope.unit)
        text = fold(key, self._look)
        if any(
            each.startswith(words.BY_MEMORY) or each.rpartition(".")[2] == "__globals__"
            for each in origins
        ):
            return Certainty.CLEAR, False
        if "sys.modules" in origins:
            return self._module(text, stored=stored), False
        if origins & {"os.environ", "os.environb"}:
            return (
                Certainty.CLEAR if text in words.VARIABLES and not self._scope.test else None
            ), False
        inner: ast.expr | None = None
        if isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
            inner = holder.value
        elif isinstance(holder, ast.Call) and holder.args and "builtins.vars" in origins:
            inner = holder.args[0]
        elif isinstance(holder, ast.Name) and holder.id == "__builtins__":
            return Certainty.CLEAR, False
        return (self._set(inner, text if isinstance(text, str) else None) if inner else None), False

    def _module(self, name: object, *, stored: bool) -> Certainty | None:
        if not isinstance(name, str):
            return Certainty.DOUBTFUL if stored else None
        if name.partition(".")[0] in words.FRAMEWORKS or name in ("builtins", "sys"):
            return Certainty.CLEAR
        return Certainty.CLEAR if stored and self._is_subject(name) else None

    def _call(self, call: ast.Call) -> tuple[Certainty | None, bool]:
        function, arguments = call.func, call.args
        origins = self._names.names(self._path, function, self._scope.unit)
        if origins & words.SETTERS and len(arguments) > 1:
            return self._set(arguments[0], self._text(arguments[1])), False
        if not isinstance(function, ast.Attribute):
            return self._patch(call, origins)
        if function.attr in words.DUNDERS and arguments:
            bound = len(arguments) > 1 + (function.attr == "__setattr__")
            holder = arguments[0] if bound else function.value
            return self._set(holder, self._text(arguments[1 if bound else 0])), False
        if function.attr == "__set__" and isinstance(function.value, ast.Attribute):
            return self._set(function.value, function.value.attr), False
        if function.attr in ("update", "setdefault", "__setitem__", "pop", "clear"):
            return self._dictionary(call, function), False
        if function.attr in ("insert", "append", "extend"):
            importing = self._names.names(self._path, function.value, self._scope.unit)
            return (Certainty.CLEAR if importing & words.IMPORTS else None), False
        return self._patch(call, origins)

    def _dictionary(self, call: ast.Call, function: ast.Attribute) -> Certainty | None:
        keys: list[ast.expr] = [*call.args[:1]]
        if function.attr == "update":
            keys = [k for a in call.args if isinstance(a, ast.Dict) for k in a.keys if k]
            keys += [ast.Constant(k.arg) for k in call.keywords if k.arg]
        stored = function.attr not in ("pop", "clear")
        found = [self._item(function.value, key, stored=stored)[0] for key in keys]
        return max((each for each in found if each is not None), default=None)

    def _patch(self, call: ast.Call, origins: Origins) -> tuple[Certainty | None, bool]:
        """`monkeypatch.setattr`, `mock.patch`, `mocker.patch.object` and their like."""
        last = {each.rpartition(".")[2] for each in origins} & words.PATCHERS
        if not last or not call.args:
            return None, True
        first = call.args[0]
        if last & {"setitem", "delitem", "dict"}:
            return self._patched_item(call), True
        text = self._text(first)
        if text is not None:
            owner, _, name = text.rpartition(".")
            return _gravity(owner, name, self._scope), True
        second = call.args[1] if len(call.args) > 1 else None
        attribute = self._text(second) if second is not None else None
        return self._set(first, attribute or ""), True

    def _patched_item(self, call: ast.Call) -> Certainty | None:
        first, *rest = call.args
        names = self._names.names(self._path, first, self._scope.unit)
        if "sys.modules" not in names and self._text(first) != "sys.modules":
            return None
        second = rest[0] if rest else None
        keys = [k for k in second.keys if k] if isinstance(second, ast.Dict) else [second]
        texts = [self._text(key) for key in keys if key is not None]
        ours = [text for text in texts if text and text.partition(".")[0] in words.FRAMEWORKS]
        return Certainty.CLEAR if ours else None

    def _text(self, node: ast.expr) -> str | None:
        value = fold(node, self._look)
        return value if isinstance(value, str) else None

    def _look(self, name: str) -> ast.expr | None:
        return self._names.constant(self._path, name, self._scope.unit)


def _gravity(holder: str, attribute: str | None, scope: Scope) -> Certainty | None:
    """How grave it is to set an attribute of something; None for the attribute: not known."""
    if attribute in words.CODE:
        return Certainty.CLEAR
    if "(" in holder or "::" in holder or holder.startswith(("param:", "module:")):
        return None
    root = holder.partition(".")[0]
    if root == "builtins" and holder == "builtins":
        return _builtin(attribute, scope)
    if holder.startswith("builtins."):
        return None
    if holder == "sys" or holder.startswith("sys."):
        return Certainty.CLEAR if attribute in words.SYSTEM or attribute is None else None
    if holder == "os":
        return Certainty.CLEAR if attribute == "_exit" and not scope.test else None
    if holder.startswith(words.CHECKING_LIBRARIES):
        return Certainty.CLEAR
    if (
        root not in words.FRAMEWORKS
        or attribute in words.HARMLESS
        or holder.startswith("pytest.mark")
    ):
        return None
    if holder == "pytest" and attribute is not None and attribute not in words.PYTEST:
        return None
    return Certainty.CLEAR


def _builtin(attribute: str | None, scope: Scope) -> Certainty | None:
    if attribute is None:
        return Certainty.CLEAR
    if not hasattr(builtins, attribute) or attribute in ("_", "print"):
        return None
    return None if attribute in words.REPLACED and scope.functions else Certainty.CLEAR
