"""What an expression in a test module stands for, whatever it is called there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.imported_files import ImportedFiles
from freezegate.policy.mutes.modules import Binding, Function, bindings_of
from freezegate.policy.mutes.public_names import public

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.mutes.modules import Side, Unit

Origins = frozenset[str]
_Key = tuple[str, str, tuple[int, ...]]
NOTHING: Origins = frozenset()
TOO_FAR = "<too far>"  # what takes more steps than are followed: it may be anything
_UNFOLLOWED: Origins = frozenset({TOO_FAR})
_NONE_OPEN = 1_000_000
_HERE = "<this module>"  # the value of `__name__`
_OWN_TABLES = frozenset({"builtins.globals()", "builtins.vars()"})
_MAX_CHAIN = 200  # steps from name to name, of which Python itself takes five calls each
_MAX_STEPS = 3_000  # for one question; names that are bound from each other have many paths


class Names:
    """The names of one side: followed through assignments, aliases and modules of the repository.

    An origin is a dotted name (`pytest.mark.skip`), with `()` behind it where that was called; a
    definition of the repository's own is `tests/helpers.py::slow`, a parameter `param:NAME`.
    Where a name is bound in several places, all of them count.
    """

    def __init__(self, side: Side) -> None:
        """Look names up in the modules of a side."""
        self._side = side
        self._files = ImportedFiles(side)
        self._locals: dict[int, dict[str, list[Binding]]] = {}
        # The unit is kept beside its answer: ids of what is gone are given again.
        self._known: dict[_Key, tuple[Origins, Unit | None]] = {}
        self._open: dict[_Key, int] = {}  # names that are being followed, by their place
        self._lowest = _NONE_OPEN  # the first of them that a later one led back to
        self._steps = 0

    def origins(self, path: str, expression: ast.expr, unit: Unit | None = None) -> Origins:
        """Return all that an expression in a module may stand for, seen from inside a function."""
        return self._origins(path, expression, unit, 0)

    def names(self, path: str, expression: ast.expr, unit: Unit | None = None) -> Origins:
        """The same, whether or not it was called."""
        return frozenset(each.replace("()", "") for each in self.origins(path, expression, unit))

    def constant(self, path: str, name: str, unit: Unit | None = None) -> ast.expr | None:
        """Return the one expression that a name is bound to, for `fold` and `truth`."""
        found = self._bindings(path, name, unit)
        if len(found) != 1 or isinstance(found[0].node, ast.AugAssign):
            return None
        if found[0].value is None and isinstance(found[0].node, ast.ImportFrom):
            return self._imported_constant(path, found[0].node, name)
        return found[0].value

    def written(self, path: str, node: ast.expr, unit: Unit | None = None) -> tuple[str, ast.expr]:
        """Return the expression that a name leads to, and the module in which it is written.

        An expression that is no name, or a name with several meanings, is returned as it is.
        """
        seen: set[tuple[str, str]] = set()
        while True:
            path, node, unit = self._in_its_module(path, node, unit)
            if not isinstance(node, ast.Name) or (path, node.id) in seen:
                return path, node
            seen.add((path, node.id))
            found = self._bindings(path, node.id, unit)
            if len(found) != 1 or isinstance(found[0].node, ast.AugAssign):
                return path, node
            statement, value = found[0]
            if isinstance(statement, ast.ImportFrom):
                elsewhere = self._imported_name(path, statement, node.id)
                if elsewhere is None:
                    return path, node
                path, unit = elsewhere[0], None
                node = ast.Name(elsewhere[1], ast.Load())
            elif value is None:
                return path, node
            else:
                node = value

    def _in_its_module(
        self, path: str, node: ast.expr, unit: Unit | None
    ) -> tuple[str, ast.expr, Unit | None]:
        """`shop.LIMIT` is the name LIMIT of the module shop."""
        if isinstance(node, ast.Attribute):
            for holder in self.origins(path, node.value, unit):
                if holder.startswith("module:"):
                    return holder.removeprefix("module:"), ast.Name(node.attr, ast.Load()), None
        return path, node, unit

    def _imported_name(
        self, path: str, statement: ast.ImportFrom, name: str
    ) -> tuple[str, str] | None:
        file = self.file_of(path, statement.module or "", statement.level)
        names = [a.name for a in statement.names if (a.asname or a.name) == name]
        known = file and file != path and names and self._binds(file, names[0])
        return (file, names[0]) if file and known else None

    def unit(self, origin: str) -> tuple[str, Unit] | None:
        """Return the repository's function that an origin names, with its module's path."""
        path, separator, name = origin.removesuffix("()").partition("::")
        module = self._side.module(path) if separator else None
        found = module.units.get(name) if module else None
        return (path, found) if found else None

    def class_at(self, path: str, name: str) -> ast.ClassDef | None:
        """Return the repository's class of a qualified name in a module."""
        module = self._side.module(path)
        if module is None or name in module.classes or "." in name:
            return module.classes.get(name) if module else None
        return module.every_class.get(name)  # inside a function

    def statements(self, path: str) -> list[ast.stmt]:
        """Return the statements at the top of a module."""
        module = self._side.module(path)
        return module.tree.body if module else []

    def is_renamed(self, path: str, name: str) -> bool:
        """Say whether a module binds a name to something that may be called differently."""
        module = self._side.module(path)
        return module is not None and any(
            binding.value is not None
            or (isinstance(binding.node, ast.ImportFrom) and _is_alias(binding.node, name))
            for binding in module.bindings.get(name, ())
        )

    def file_of(self, path: str, module: str, level: int = 0) -> str | None:
        """Return the repository's file that an import in a module comes to, None for others."""
        return self._files.of(path, module, level)

    def _origins(self, path: str, node: ast.expr, unit: Unit | None, depth: int) -> Origins:
        if depth > _MAX_CHAIN:
            return _UNFOLLOWED
        match node:
            case ast.Name():
                return self._of_name(path, node.id, unit, depth + 1)
            case ast.Attribute():
                holders = self._origins(path, node.value, unit, depth + 1)
                return self._attributes(holders, node.attr, depth + 1)
            case ast.Call():
                return self._of_call(path, node, unit, depth + 1)
            case ast.NamedExpr() | ast.Starred() | ast.Await():
                return self._origins(path, node.value, unit, depth + 1)
            case ast.Subscript():
                return self._of_item(path, node, unit, depth + 1)
            case ast.Lambda():
                return self._origins(path, node.body, unit, depth + 1)
            case _:
                return self._union(path, _alternatives(node), unit, depth + 1)

    def _union(
        self, path: str, nodes: Iterable[ast.expr], unit: Unit | None, depth: int
    ) -> Origins:
        return NOTHING.union(*(self._origins(path, each, unit, depth) for each in nodes))

    def _of_name(self, path: str, name: str, unit: Unit | None, depth: int) -> Origins:
        """Follow a name once: those that are bound from each other would cost all their paths.

        What led back to a name that is still followed is a part of its answer, and not kept.
        """
        scope = (id(unit.node), *map(id, unit.classes)) if unit else ()
        key = (path, name, scope)
        if key in self._known:
            return self._known[key][0]
        if key in self._open:
            self._lowest = min(self._lowest, self._open[key])
            return NOTHING  # what comes back to itself adds nothing
        place, around = len(self._open), self._lowest
        self._steps = self._steps + 1 if place else 0
        self._open[key], self._lowest = place, _NONE_OPEN
        try:
            found = self._followed(path, name, unit, depth)
        finally:
            del self._open[key]
        if self._lowest >= place or TOO_FAR in found:
            self._known[key], self._lowest = (found, unit), _NONE_OPEN
        self._lowest = min(self._lowest, around)
        return found

    def _plain(self, path: str, name: str, unit: Unit | None) -> str:
        """Return the last of names that are each bound to the next one alone."""
        seen = {name}
        while True:
            found = self._bindings(path, name, unit)
            value = found[0].value if len(found) == 1 else None
            if not isinstance(value, ast.Name) or value.id in seen:
                return name
            name = value.id
            seen.add(name)

    def _followed(self, path: str, name: str, unit: Unit | None, depth: int) -> Origins:
        if depth > _MAX_CHAIN or self._steps > _MAX_STEPS:
            return _UNFOLLOWED
        name = self._plain(path, name, unit)
        found = self._bindings(path, name, unit)
        if found:
            return NOTHING.union(*(self._of_binding(path, name, b, unit, depth) for b in found))
        if unit and name in _parameters(unit.node):
            return frozenset({f"param:{name}"})
        starred = NOTHING.union(*self._starred(path, name, depth))
        return starred or frozenset({f"builtins.{name}"})

    def _bindings(self, path: str, name: str, unit: Unit | None) -> list[Binding]:
        inner = self._inner_bindings(path, name, unit) if unit else None
        if inner:
            return inner
        if unit and name in _parameters(unit.node):
            return []
        module = self._side.module(path)
        return module.bindings.get(name, []) if module else []

    def _inner_bindings(self, path: str, name: str, unit: Unit) -> list[Binding] | None:
        """What a function binds itself, or one of the classes around it."""
        inner = self._inside(path, unit.node).get(name)
        if inner or name in _parameters(unit.node):
            return inner
        for scope in reversed(unit.classes):
            found = self._inside(path, scope).get(name)
            if found:
                return found
        return None

    def _inside(self, path: str, scope: Function | ast.ClassDef) -> dict[str, list[Binding]]:
        if id(scope) not in self._locals:
            module = self._side.module(path)
            walrus = module is None or module.may_say(scope, b":=")
            self._locals[id(scope)] = bindings_of(scope.body, walrus=walrus)
        return self._locals[id(scope)]

    def _of_binding(
        self, path: str, name: str, binding: Binding, unit: Unit | None, depth: int
    ) -> Origins:
        node = binding.node
        match node:
            case ast.Import():
                return self._of_import(path, node, name)
            case ast.ImportFrom():
                return self._of_import_from(path, node, name, depth)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return frozenset({f"{path}::{self._qualified(path, node)}"})
            case _:
                value = binding.value
                return self._origins(path, value, unit, depth + 1) if value else NOTHING

    def _qualified(self, path: str, node: Function | ast.ClassDef) -> str:
        module = self._side.module(path)
        for name, unit in module.units.items() if module else ():
            if unit.node is node:
                return name
        return node.name

    def _of_import(self, path: str, node: ast.Import, name: str) -> Origins:
        found = set()
        for alias in node.names:
            if (alias.asname or alias.name.split(".")[0]) == name:
                dotted = alias.name if alias.asname else alias.name.split(".")[0]
                file = self.file_of(path, dotted)
                found.add(f"module:{file}" if file else public(dotted))
        return frozenset(found)

    def _of_import_from(self, path: str, node: ast.ImportFrom, name: str, depth: int) -> Origins:
        file = self.file_of(path, node.module or "", node.level)
        found = NOTHING
        for alias in node.names:
            if (alias.asname or alias.name) != name:
                continue
            below = f"{node.module}.{alias.name}" if node.module else alias.name
            inner = self.file_of(path, below, node.level)
            if file and self._binds(file, alias.name):
                found |= self._of_name(file, alias.name, None, depth + 1)
            elif inner:
                found |= {f"module:{inner}"}
            elif file:
                found |= self._of_name(file, alias.name, None, depth + 1)
            else:
                found |= {public(below)}
        return found

    def _binds(self, file: str, name: str) -> bool:
        module = self._side.module(file)
        return module is not None and name in module.bindings

    def _attributes(self, holders: Origins, name: str, depth: int) -> Origins:
        found = NOTHING
        for holder in holders:
            if holder.startswith("module:"):
                found |= self._of_module(holder.removeprefix("module:"), name, depth)
            else:
                found |= {public(f"{holder}.{name}")}
        return found

    def _of_module(self, file: str, name: str, depth: int) -> Origins:
        """A name of a module; of a package it may be a module that was imported elsewhere."""
        inner = None if self._binds(file, name) else self._below(file, name)
        return (
            frozenset({f"module:{inner}"}) if inner else self._of_name(file, name, None, depth + 1)
        )

    def _below(self, file: str, name: str) -> str | None:
        return self.file_of(file, name, 1) if file.endswith("__init__.py") else None

    def _of_call(self, path: str, node: ast.Call, unit: Unit | None, depth: int) -> Origins:
        functions = self._origins(path, node.func, unit, depth)
        found = NOTHING
        for function in functions:
            first = node.args[0] if node.args else None
            match function:
                case "builtins.getattr" if len(node.args) > 1:
                    found |= self._computed(path, node.args[0], node.args[1], unit, depth)
                case "importlib.import_module" | "builtins.__import__" if first is not None:
                    asked = self._text(path, first, unit) or "?"
                    # `__import__("a.b")` gives `a`.
                    whole = function == "importlib.import_module"
                    found |= self._module(path, asked if whole else asked.partition(".")[0])
                case "functools.partial" | "functools.wraps" if first is not None:
                    found |= self._origins(path, first, unit, depth)
                case _ if function.endswith((".__getattr__", ".__getattribute__")) and first:
                    holder = frozenset({function.rpartition(".")[0]})
                    name = self._text(path, first, unit)
                    found |= self._attributes(holder, name or "?", depth)
                case _:
                    found |= {f"{function}()"}
        return found

    def _computed(
        self, path: str, holder: ast.expr, name: ast.expr, unit: Unit | None, depth: int
    ) -> Origins:
        text = self._text(path, name, unit)
        holders = self._origins(path, holder, unit, depth)
        return self._attributes(holders, "?" if text is None else text, depth)

    def _module(self, path: str, name: str) -> Origins:
        """Return the module of a name as `sys.modules` has it; a module may ask for itself."""
        file = path if name == _HERE else self.file_of(path, name)
        return frozenset({f"module:{file}" if file else public(name)})

    def _text(self, path: str, node: ast.expr, unit: Unit | None) -> str | None:
        value = fold(node, lambda name: self._own_name(path, name, unit))
        return value if isinstance(value, str) else None

    def _own_name(self, path: str, name: str, unit: Unit | None) -> ast.expr | None:
        return ast.Constant(_HERE) if name == "__name__" else self.constant(path, name, unit)

    def _of_item(self, path: str, node: ast.Subscript, unit: Unit | None, depth: int) -> Origins:
        """An item of a literal that a name stands for; of an unknown key all items."""
        holder: ast.expr | None = node.value
        if isinstance(holder, ast.Name):
            holder = self.constant(path, holder.id, unit)
        key = fold(node.slice, lambda name: self.constant(path, name, unit))
        if isinstance(holder, ast.Dict):
            pairs = zip(holder.keys, holder.values, strict=True)
            chosen = [v for k, v in pairs if key is UNKNOWN or k is None or fold(k) == key]
            return self._union(path, chosen, unit, depth)
        if isinstance(holder, ast.List | ast.Tuple):
            return self._union(path, holder.elts, unit, depth)
        word = self._text(path, node.slice, unit)
        found = NOTHING
        for each in self._origins(path, node.value, unit, depth):
            if word is not None and each == "sys.modules":
                found |= self._module(path, word)
            elif word is not None and each in _OWN_TABLES:
                found |= self._of_name(path, word, None, depth)
            else:
                found |= {f"{each}[]"}
        return found

    def _starred(self, path: str, name: str, depth: int) -> Iterator[Origins]:
        """What star imports may bind a name to; of a library that is no guess that could harm."""
        module = self._side.module(path)
        for statement in module.tree.body if module else ():
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                file = self.file_of(path, statement.module or "", statement.level)
                if file and file != path and self._binds(file, name):
                    yield self._of_name(file, name, None, depth + 1)
                elif not file and statement.module in ("pytest", "unittest", "hypothesis"):
                    yield frozenset({public(f"{statement.module}.{name}")})

    def _imported_constant(self, path: str, node: ast.ImportFrom, name: str) -> ast.expr | None:
        file = self.file_of(path, node.module or "", node.level)
        names = [a.name for a in node.names if (a.asname or a.name) == name]
        module = self._side.module(file) if file and file != path and names else None
        found = module.bindings.get(names[0], []) if module else []
        return found[0].value if len(found) == 1 else None


def _alternatives(node: ast.expr) -> Iterable[ast.expr]:
    """What an expression comes to in part, or at times."""
    match node:
        case ast.IfExp():
            return node.body, node.orelse
        case ast.BoolOp():
            return node.values
        case ast.List() | ast.Tuple():
            return node.elts
        case ast.BinOp():
            return node.left, node.right
        case ast.ListComp() | ast.GeneratorExp():
            return (node.elt,)
        case _:
            return ()


def _is_alias(node: ast.ImportFrom, name: str) -> bool:
    return any(alias.asname == name for alias in node.names)


def _parameters(node: Function) -> frozenset[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each]
    return frozenset(each.arg for each in every)
