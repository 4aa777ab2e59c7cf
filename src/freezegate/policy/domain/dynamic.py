"""Where a module imports what its text does not name: such a domain cannot be resolved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.folders import FolderReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
# What these modules hold is no reason for suspicion; everything else of them is.
_HARMLESS_PARTS: Mapping[str, frozenset[str]] = {
    "importlib": frozenset({"metadata", "resources", "reload", "invalidate_caches"}),
    "importlib.util": frozenset({"cache_from_source", "source_hash", "MAGIC_NUMBER"}),
    "pkgutil": frozenset({"get_data", "iter_modules", "ModuleInfo"}),
    "site": frozenset({"getsitepackages", "getusersitepackages"}),
}
_SUSPECT_MODULES = frozenset(
    {"imp", "importlib", "importlib.util", "pkgutil", "runpy", "site", "zipimport"}
)
_SUSPECT_NAMES = frozenset(
    {
        "__builtins__",
        "__import__",
        "__loader__",
        "builtins.__import__",
        "builtins.eval",
        "builtins.exec",
        "code.InteractiveInterpreter",
        "eval",
        "exec",
        "importlib.abc",
        "importlib.machinery",
        "pydoc.importfile",
        "pydoc.locate",
        "sys.meta_path",
        "sys.modules",
        "sys.path",
        "sys.path_hooks",
        "sys.path_importer_cache",
        "unittest.TestLoader",
        "unittest.defaultTestLoader",
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
# Nobody gives these names to something of his own that a reader could tell from the real ones.
_BUILTINS = frozenset({"__builtins__", "__import__", "__loader__", "eval", "exec"})
_HIDDEN_NAMES = ("__builtins__", "__import__", "builtins.__import__")
_GUARDED_MODULES = frozenset({"builtins", "importlib", "sys"})
_HELD_MODULES = frozenset({"builtins", "sys"})
_PATCHERS = frozenset({"setattr", "delattr", "object"})
_READS = frozenset({"get", "copy", "keys", "values", "items", "index", "count"})


class DynamicImport(NamedTuple):
    """A line that may import anything, and what stands there."""

    line: int
    what: str


class Origins(NamedTuple):
    """What a module's names stand for: local name to dotted origin; and what it defines itself."""

    names: Mapping[str, str]
    defined: frozenset[str]

    def dotted(self, node: ast.AST) -> str | None:
        """Return the dotted origin of a name or attribute chain, None for anything else.

        Modules that others hold are themselves: `os.sys.path` is `sys.path`.
        """
        if isinstance(node, ast.Name):
            own = node.id in self.defined - _BUILTINS and node.id not in self.names
            return None if own else _itself(self.names.get(node.id, node.id))
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            if node.attr in _HELD_MODULES:
                return node.attr
            return base and f"{base}.{node.attr}"
        return None


class Calls(NamedTuple):
    """Calls that are as good as statements, by the id of their node.

    `imports` are the module's name, with leading dots where it is relative, and the names asked of
    it; `folders` what is put on `sys.path`, seen from the module's folder, and whether in front.
    """

    imports: dict[int, tuple[str, tuple[str, ...]]]
    folders: dict[int, tuple[str, bool]]


def find_dynamic_imports(
    module: ast.Module,
) -> tuple[Origins, tuple[DynamicImport, ...], Calls]:
    """Return the origins of names, the lines that cannot be read, and the calls that can."""
    origins = _origins(module)
    calls = Calls({}, {})
    accepted = {id(n.value) for n in ast.walk(module) if isinstance(n, ast.Attribute)} & {
        id(n)
        for n in ast.walk(module)
        if isinstance(n, ast.Name)
        and n.id not in _BUILTINS
        and origins.dotted(n) in _GUARDED_MODULES
    }
    _accept_folders(module, origins, calls, accepted)
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            _accept_call(node, origins, calls, accepted)
        elif isinstance(node, ast.Compare | ast.Subscript):
            _accept_read(node, origins, accepted)
        elif isinstance(node, ast.For | ast.comprehension):
            accepted |= _reads_of(origins, node.iter)
    found = {
        DynamicImport(node.lineno, what)
        for node in ast.walk(module)
        for what in _suspects(node, origins, accepted)
        if isinstance(node, ast.expr | ast.stmt)
    }
    return origins, tuple(sorted(found)), calls


def _origins(module: ast.Module) -> Origins:
    names: dict[str, str] = {}
    defined: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
    return Origins(names, frozenset(defined))


def _accept_call(call: ast.Call, origins: Origins, calls: Calls, accepted: set[int]) -> None:
    """Take note of calls that name what they import, and of attributes asked for by literals."""
    target = origins.dotted(call.func)
    if target in _IMPORTERS:
        asked = _asked_for(call)
        if asked:
            calls.imports[id(call)] = asked
            accepted.add(id(call.func))
    elif target in ("getattr", "hasattr") and len(call.args) > 1:
        accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _PATCHERS:
        if len(call.args) > 1:
            accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _READS:
        accepted |= _reads_of(origins, call.func.value)
    elif target in ("len", "list", "tuple", "print", "repr", "str", "sorted", "set"):
        for argument in call.args:
            accepted |= _reads_of(origins, argument)


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
    """Return the texts of a literal text, list or tuple; None for anything else."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    texts = [item.value for item in items if isinstance(item, ast.Constant)]
    if len(texts) != len(items) or not all(isinstance(text, str) for text in texts):
        return None
    return tuple(str(text) for text in texts)


def _accept_folders(module: ast.Module, origins: Origins, calls: Calls, accepted: set[int]) -> None:
    """Take note of folders that the top level puts on the path by its own place, in any case."""
    reader = FolderReader(origins.dotted, _constants(module))
    for statement in module.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr=way, value=path), args=args, keywords=[])
            ) if origins.dotted(path) == "sys.path":
                call = statement.value
                match way, args:
                    case "append", [node]:
                        place = reader.read(node)
                    case "insert", [ast.Constant(value=0), node]:
                        place = reader.read(node)
                    case _:
                        continue
                if place and place.folder:
                    calls.folders[id(call)] = (place.folder, way == "insert")
                    accepted.add(id(path))


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    """Return what the top level binds to plain names that nothing else in the module binds."""
    bound: dict[str, int] = {}
    for node in ast.walk(module):
        for name in _names_bound(node):
            bound[name] = bound.get(name, 0) + 1
    if "__file__" in bound:
        return {"__file__": ast.Constant(None)}
    return {
        statement.targets[0].id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and bound[statement.targets[0].id] == 1
    }


def _names_bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.arg():
            yield node.arg


def _itself(origin: str) -> str:
    """Return a guarded module's own name where another module's attribute stands for it."""
    last = origin.rpartition(".")[2]
    return last if last in _HELD_MODULES else origin


def _accept_read(node: ast.Compare | ast.Subscript, origins: Origins, accepted: set[int]) -> None:
    if isinstance(node, ast.Compare):
        for each in (node.left, *node.comparators):
            accepted |= _reads_of(origins, each)
    elif isinstance(node.ctx, ast.Load):
        accepted |= _reads_of(origins, node.value)


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
    if origin not in _GUARDED_MODULES or not isinstance(name, ast.Constant):
        return set()
    return set() if _is_suspect(f"{origin}.{name.value!s}") else {id(base)}


def _suspects(node: ast.AST, origins: Origins, accepted: set[int]) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            if alias.name == "*" and node.module in _SUSPECT_MODULES | _GUARDED_MODULES:
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
    if origin and _is_suspect(origin):
        yield origin


def _is_suspect(origin: str) -> bool:
    if origin in _SUSPECT_NAMES:
        return True
    module, _, name = origin.rpartition(".")
    if module in _GUARDED_MODULES and name == "__dict__":
        return True
    if module not in _SUSPECT_MODULES or origin in _SUSPECT_MODULES:
        return False
    return name not in _HARMLESS_PARTS.get(module, frozenset())


def _whole_module(node: ast.Name, origins: Origins) -> Iterator[str]:
    """A module that is handed on whole: what is asked of it there cannot be read."""
    origin = origins.dotted(node)
    if isinstance(node.ctx, ast.Load) and origin in _GUARDED_MODULES:
        yield f"the module {origin} as a value"
