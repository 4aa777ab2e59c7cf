"""Where a module imports what its text does not name: such a domain cannot be resolved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

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
    }
)
# Whatever they are called on: loaders, and what pytest offers to tests.
_SUSPECT_METHODS = frozenset(
    {"exec_module", "import_plugin", "load_module", "loadTestsFromName", "syspath_prepend"}
)
_GUARDED_MODULES = frozenset({"builtins", "importlib", "sys"})
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
        """Return the dotted origin of a name or attribute chain, None for anything else."""
        if isinstance(node, ast.Name):
            own = node.id in self.defined and node.id not in self.names
            return None if own else self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return base and f"{base}.{node.attr}"
        return None


def find_dynamic_imports(
    module: ast.Module,
) -> tuple[Origins, tuple[DynamicImport, ...], dict[int, str]]:
    """Return the origins of names, the lines that cannot be read, and the literal calls.

    The calls are by the id of their node: the name that they import, with leading dots where it is
    relative.
    """
    origins = _origins(module)
    calls: dict[int, str] = {}
    accepted: set[int] = set()
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


def _accept_call(
    call: ast.Call, origins: Origins, calls: dict[int, str], accepted: set[int]
) -> None:
    """Take note of calls that name what they import, and of attributes asked for by literals."""
    target = origins.dotted(call.func)
    first = call.args[0] if call.args else None
    text = first.value if isinstance(first, ast.Constant) else None
    if target in _IMPORTERS and isinstance(text, str):
        relative = text.startswith(".")
        package = call.args[1] if len(call.args) > 1 else _keyword(call, "package")
        fits = not relative or _is_own_package(package)
        level = _keyword(call, "level") or (call.args[4] if len(call.args) > 4 else None)
        if fits and level is None:
            calls[id(call)] = text
            accepted.add(id(call.func))
    elif target in ("getattr", "hasattr") and len(call.args) > 1:
        accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif isinstance(call.func, ast.Attribute) and call.func.attr in ("setattr", "delattr"):
        if len(call.args) > 1:
            accepted |= _harmless_attribute(origins, call.args[0], call.args[1])
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _READS:
        accepted |= _reads_of(origins, call.func.value)
    elif target in ("len", "list", "tuple", "print", "repr", "str", "sorted", "set"):
        for argument in call.args:
            accepted |= _reads_of(origins, argument)


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
            origin = f"{node.module}.{alias.name}"
            if origin == "sys.*" or (alias.name == "*" and node.module in _SUSPECT_MODULES):
                yield f"from {node.module} import *"
    elif id(node) in accepted:
        return
    elif isinstance(node, ast.Attribute) and node.attr in _SUSPECT_METHODS:
        yield f".{node.attr}"
    elif isinstance(node, ast.Attribute) and node.attr == "__path__":
        yield "__path__"
    elif isinstance(node, ast.Name | ast.Attribute):
        yield from _suspect_reference(node, origins)
    elif isinstance(node, ast.arguments | ast.Call | ast.List | ast.Tuple | ast.Assign):
        yield from _bare_modules(node, origins, accepted)


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
    if module not in _SUSPECT_MODULES or origin in _SUSPECT_MODULES:
        return False
    return name not in _HARMLESS_PARTS.get(module, frozenset())


def _bare_modules(node: ast.AST, origins: Origins, accepted: set[int]) -> Iterator[str]:
    """A module that is handed on whole: what is asked of it there cannot be read."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Name) or not isinstance(child.ctx, ast.Load):
            continue
        origin = origins.dotted(child)
        if id(child) not in accepted and origin in _GUARDED_MODULES and child.id in origins.names:
            yield f"the module {origin} as a value"
