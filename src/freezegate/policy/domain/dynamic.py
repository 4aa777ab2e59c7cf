"""Where a module imports what its text does not name: such a domain cannot be resolved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.folders import FolderReader
from freezegate.policy.domain.origins import BUILTINS, Origins, read_constants, read_origins
from freezegate.policy.domain.suspects import (
    GUARDED_MODULES,
    NAMED_AS_TEXT,
    SUSPECT_MODULES,
    expected_instead,
    is_suspect,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.domain.nodes import Nodes

# Calls that name their module as a literal text.
_IMPORTERS = frozenset(
    {
        "__import__",
        "builtins.__import__",
        "importlib.import_module",
        "importlib.util.find_spec",
        "pytest.importorskip",
    }
)
# Whatever they are called on: loaders, and what pytest offers to tests.
_SUSPECT_METHODS = frozenset(
    {
        "consider_module",
        "consider_pluginarg",
        "exec_module",
        "import_plugin",
        "load_module",
        "loadTestsFromName",
        "loadTestsFromNames",
        "syspath_prepend",
    }
)
_HIDDEN_NAMES = ("__builtins__", "__import__", "builtins.__import__")
_PATCHERS = frozenset({"setattr", "delattr", "object"})
_READS = frozenset({"get", "copy", "keys", "values", "items", "index", "count"})


class DynamicImport(NamedTuple):
    """A line that may import anything, what stands there, and what could stand there instead."""

    line: int
    what: str
    expected: str = NAMED_AS_TEXT


class Folder(NamedTuple):
    """A folder that is put on `sys.path`, seen from the module's folder.

    `first` says whether in front of all others; `unless_there` that it stays where it is already,
    `settled` that its text and the folder are one.
    """

    folder: str
    first: bool
    unless_there: bool = False
    settled: bool = True


class Calls(NamedTuple):
    """Calls that are as good as statements, by the id of their node.

    `imports` are the module's name, with leading dots where it is relative, and the names asked of
    it; `forgotten` are modules that are taken out of `sys.modules`, with their line.
    """

    imports: dict[int, tuple[str, tuple[str, ...]]]
    folders: dict[int, Folder]
    forgotten: list[tuple[str, int]]


def find_dynamic_imports(
    module: ast.Module, nodes: Nodes
) -> tuple[Origins, tuple[DynamicImport, ...], Calls]:
    """Return the origins of names, the lines that cannot be read, and the calls that can."""
    origins = read_origins(nodes)
    calls = Calls({}, {}, [])
    accepted = {id(n.value) for n in nodes.of(ast.Attribute)} & {
        id(n)
        for n in nodes.of(ast.Name)
        if n.id not in BUILTINS and origins.dotted(n) in GUARDED_MODULES
    }
    _accept_folders(module, nodes, origins, calls, accepted)
    for call in nodes.of(ast.Call):
        _accept_call(call, origins, calls, accepted)
    for node in nodes.of(ast.Compare, ast.Subscript):
        _accept_read(node, origins, calls, accepted)
    for loop in nodes.of(ast.For, ast.comprehension):
        accepted |= _reads_of(origins, loop.iter)
    for branch in nodes.of(ast.Assert, ast.If, ast.IfExp, ast.While):
        accepted |= _reads_of(origins, branch.test)
    found = {
        DynamicImport(node.lineno, what, expected_instead(what))
        for node in nodes.of(ast.ImportFrom, ast.Attribute, ast.Name, ast.Constant)
        for what in _suspects(node, origins, accepted)
    }
    return origins, tuple(sorted(found)), calls


def _accept_call(call: ast.Call, origins: Origins, calls: Calls, accepted: set[int]) -> None:
    """Take note of calls that name what they import, and of attributes asked for by literals."""
    target = origins.dotted(call.func)
    if target in _IMPORTERS:
        asked = _asked_for(call)
        if asked:
            calls.imports[id(call)] = asked
            accepted.add(id(call.func))
    elif forgotten := _forgotten(call, origins):
        calls.forgotten.append((forgotten[0], call.lineno))
        accepted.add(forgotten[1])
    elif target in ("getattr", "hasattr") and len(call.args) > 1:
        accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif patched := _patched(call, target):
        calls.imports[id(call)] = patched
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _PATCHERS:
        if len(call.args) > 1:
            accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _READS:
        accepted |= _reads_of(origins, call.func.value)
    elif target in ("len", "list", "tuple", "print", "repr", "str", "sorted", "set"):
        for argument in call.args:
            accepted |= _reads_of(origins, argument)


def _patched(call: ast.Call, target: str | None) -> tuple[str, tuple[str, ...]] | None:
    """Return what `patch("a.b.c")` and `monkeypatch.setattr("a.b.c", ...)` import by text."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    patches = method in (*_PATCHERS, "patch") or (target or "").endswith("mock.patch")
    first = call.args[0] if call.args else None
    if not patches or not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    module, dot, name = first.value.rpartition(".")
    return (module, (name,)) if dot and module.replace(".", "_").isidentifier() else None


def _forgotten(call: ast.Call, origins: Origins) -> tuple[str, int] | None:
    """Return a module that a call takes out of `sys.modules`, and the node that names those."""
    match call:
        case ast.Call(
            func=ast.Attribute(attr="pop", value=modules),
            args=[ast.Constant(value=str(name)), *_],
        ):
            pass
        case ast.Call(
            func=ast.Attribute(attr="setitem"),
            args=[modules, ast.Constant(value=str(name)), ast.Constant(value=None)],
        ):
            pass
        case ast.Call(
            func=ast.Attribute(attr="delitem"), args=[modules, ast.Constant(value=str(name)), *_]
        ):
            pass
        case _:
            return None
    return (name, id(modules)) if origins.dotted(modules) == "sys.modules" else None


def _asked_for(call: ast.Call) -> tuple[str, tuple[str, ...]] | None:
    """Return the module that a call imports and the names it asks for, None if it hides them."""
    if any(k.arg is None for k in call.keywords) or any(
        isinstance(each, ast.Starred) for each in call.args
    ):
        return None
    first = call.args[0] if call.args else _keyword(call, "name")
    text = literal_texts(first)
    if text is None or isinstance(first, ast.List | ast.Tuple):
        return None
    package = call.args[1] if len(call.args) > 1 else _keyword(call, "package")
    if text[0].startswith(".") and not _is_own_package(package):
        return None
    level = _keyword(call, "level") or (call.args[4] if len(call.args) > 4 else None)
    names = _keyword(call, "fromlist") or (call.args[3] if len(call.args) > 3 else None)
    asked = () if names is None else literal_texts(names)
    return None if level is not None or asked is None else (text[0], asked)


def literal_texts(node: ast.expr | None) -> tuple[str, ...] | None:
    """Return the texts of a literal text, list or tuple, or of such lists and tuples added up.

    None for anything else.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if _kind(node.left) is None or _kind(node.left) is not _kind(node.right):
            return None
        left, right = literal_texts(node.left), literal_texts(node.right)
        return None if left is None or right is None else left + right
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    texts = [item.value for item in items if isinstance(item, ast.Constant)]
    if len(texts) != len(items) or not all(isinstance(text, str) for text in texts):
        return None
    return tuple(str(text) for text in texts)


def _kind(node: ast.expr) -> type[ast.AST] | None:
    """Return whether a list or a tuple is added, None for anything else."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return type(node) if isinstance(node, ast.List | ast.Tuple) else None


def _accept_folders(
    module: ast.Module, nodes: Nodes, origins: Origins, calls: Calls, accepted: set[int]
) -> None:
    """Take note of folders that the top level puts on the path by its own place, in any case."""
    reader = FolderReader(origins.dotted, read_constants(module, nodes))
    for statement in module.body:
        unless, inner = _guarded(statement, origins)
        match inner:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr=way, value=path), args=args, keywords=[])
            ) if origins.dotted(path) == "sys.path":
                call = inner.value
                match way, args:
                    case "append", [node]:
                        place = reader.read_text(node)
                    case "insert", [ast.Constant(value=0), node]:
                        place = reader.read_text(node)
                    case _:
                        continue
                if unless is not None and ast.dump(unless) != ast.dump(node):
                    continue
                if place and place.folder:
                    calls.folders[id(call)] = Folder(
                        place.folder, way == "insert", unless is not None, place.settled
                    )
                    accepted.add(id(path))


def _guarded(statement: ast.stmt, origins: Origins) -> tuple[ast.expr | None, ast.stmt]:
    """Return what `if X not in sys.path:` asks for, and the one statement that is under it."""
    match statement:
        case ast.If(
            test=ast.Compare(left=left, ops=[ast.NotIn()], comparators=[path]),
            body=[inner],
            orelse=[],
        ) if origins.dotted(path) == "sys.path":
            return left, inner
        case _:
            return None, statement


def _accept_read(
    node: ast.Compare | ast.Subscript, origins: Origins, calls: Calls, accepted: set[int]
) -> None:
    if isinstance(node, ast.Compare):
        for each in (node.left, *node.comparators):
            accepted |= _reads_of(origins, each)
    elif isinstance(node.ctx, ast.Load):
        accepted |= _reads_of(origins, node.value)
    elif isinstance(node.ctx, ast.Del) and origins.dotted(node.value) == "sys.modules":
        name = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(name, str):
            calls.forgotten.append((name, node.lineno))
            accepted.add(id(node.value))


def _reads_of(origins: Origins, node: ast.expr) -> set[int]:
    """Looking at the path or at the loaded modules changes neither."""
    return {id(node)} if origins.dotted(node) in ("sys.path", "sys.modules") else set()


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


def _is_own_package(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id in ("__package__", "__name__")


def _harmless_attribute(origins: Origins, base: ast.expr, name: ast.expr) -> set[int]:
    """Accept `getattr(sys, "gettrace")`: a module and a literal name that is no suspect."""
    origin = origins.dotted(base)
    if origin not in GUARDED_MODULES or not isinstance(name, ast.Constant):
        return set()
    return set() if is_suspect(f"{origin}.{name.value!s}") else {id(base)}


def _suspects(node: ast.AST, origins: Origins, accepted: set[int]) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            if alias.name == "*" and node.module in SUSPECT_MODULES | GUARDED_MODULES:
                yield f"from {node.module} import *"
    elif id(node) in accepted:
        return
    elif isinstance(node, ast.Attribute) and node.attr in _SUSPECT_METHODS:
        yield f".{node.attr}"
    elif isinstance(node, ast.Attribute) and node.attr == "__path__":
        yield "__path__"
    elif isinstance(node, ast.Name | ast.Attribute):
        yield from _suspect_reference(node, origins)
        if isinstance(node, ast.Name) and node.id in origins.names:
            yield from _whole_module(node, origins)
    elif isinstance(node, ast.Constant) and node.value in _HIDDEN_NAMES:
        yield f"the name {node.value}"


def _suspect_reference(node: ast.Name | ast.Attribute, origins: Origins) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id == "__path__":
        yield "__path__"
    origin = origins.dotted(node)
    if origin and is_suspect(origin):
        yield origin


def _whole_module(node: ast.Name, origins: Origins) -> Iterator[str]:
    """A module that is handed on whole: what is asked of it there cannot be read."""
    origin = origins.dotted(node)
    if isinstance(node.ctx, ast.Load) and origin in GUARDED_MODULES:
        yield f"the module {origin} as a value"
