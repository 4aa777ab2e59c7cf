"""What one module's source says of imports, in the order in which Python would come to them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.dynamic import Calls, DynamicImport, find_dynamic_imports
from freezegate.policy.domain.dynamic import literal_texts as literal_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

STAR = "*"


class Import(NamedTuple):
    """One import: `names` are what `from MODULE import` asks for, empty for `import MODULE`.

    `level` counts the leading dots; `deferred` says that it stands in a function's body, and
    `doubtful` that it stands there or in a branch: it may run later than its place, or never.
    """

    module: str
    names: tuple[str, ...]
    level: int
    line: int
    deferred: bool = False
    doubtful: bool = False


class PathChange(NamedTuple):
    """A folder that a module puts on `sys.path`, seen from the module's own folder.

    `place` counts the imports that come before it in the source; `first` says that it is put in
    front of all others.
    """

    place: int
    folder: str
    first: bool
    line: int


class ModuleFacts(NamedTuple):
    """What a module says: `fault` tells why nothing is known where it does not parse.

    `bound` are the names that its top level binds in any case; `exports` is `__all__` where that
    is a literal, `open_names` says that more names may be there than can be read; `plugins` are
    what `pytest_plugins` names.
    """

    imports: tuple[Import, ...] = ()
    dynamic: tuple[DynamicImport, ...] = ()
    bound: frozenset[str] = frozenset()
    exports: tuple[str, ...] | None = None
    open_names: bool = False
    plugins: tuple[str, ...] = ()
    fault: str | None = None
    path_changes: tuple[PathChange, ...] = ()


def read_module(source: bytes) -> ModuleFacts:
    """Return what a module's bytes say; source that does not parse is a fault, no error."""
    module = parse_source(source)
    if isinstance(module, str):
        return ModuleFacts(fault=module)
    origins, dynamic, calls = find_dynamic_imports(module)
    steps = tuple(_steps(module, calls))
    imports = tuple(each for each in steps if isinstance(each, Import))
    exports, open_exports = _exports(module)
    return ModuleFacts(
        imports=imports,
        dynamic=dynamic + tuple(_unread_plugins(module)),
        bound=frozenset(_bound(module.body)),
        exports=exports,
        open_names=open_exports
        or "__getattr__" in origins.defined
        or any(STAR in each.names for each in imports if not each.deferred),
        plugins=tuple(name for names in _plugins(module) if names for name in names),
        path_changes=tuple(
            change._replace(place=sum(isinstance(each, Import) for each in steps[:number]))
            for number, change in enumerate(steps)
            if isinstance(change, PathChange)
        ),
    )


def parse_source(source: bytes) -> ast.Module | str:
    """Return a module's syntax tree, or in words why there is none."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return f"source that this Python cannot parse ({error})"
    except (RecursionError, MemoryError):
        return "source that is nested too deep to parse"


def _steps(module: ast.Module, calls: Calls) -> Iterator[Import | PathChange]:
    """Yield statements and literal calls in source order, those in functions marked so."""
    waiting: list[tuple[ast.AST, bool, bool]] = [(module, False, False)]
    while waiting:
        node, deferred, doubtful = waiting.pop()
        when = (node.lineno, deferred, doubtful) if isinstance(node, ast.stmt | ast.expr) else (0,)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, (), 0, *when)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Import(node.module or "", names, node.level, *when)
        elif id(node) in calls.imports and isinstance(node, ast.Call):
            dotted, names = calls.imports[id(node)]
            name = dotted.lstrip(".")
            yield Import(name, names, len(dotted) - len(name), *when)
        elif id(node) in calls.folders and isinstance(node, ast.Call):
            folder, first = calls.folders[id(node)]
            yield PathChange(0, folder, first, node.lineno)
        inside, branches = _later(node), _perhaps(node)
        waiting.extend(
            (child, deferred or child in inside, doubtful or child in inside or child in branches)
            for child in reversed(list(ast.iter_child_nodes(node)))
        )


def _later(node: ast.AST) -> frozenset[ast.AST]:
    """Return the children that wait until somebody calls the function."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset(node.body)
    return frozenset([node.body]) if isinstance(node, ast.Lambda) else frozenset()


def _perhaps(node: ast.AST) -> frozenset[ast.AST]:
    """Return the children that run under a condition, or not at all."""
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return frozenset(ast.iter_child_nodes(node)) - {node.test}
        case ast.For() | ast.AsyncFor():
            return frozenset([*node.body, *node.orelse])
        case ast.Try() | ast.TryStar():
            return frozenset([*node.body[1:], *node.handlers, *node.orelse])
        case ast.Match() | ast.BoolOp() | ast.comprehension():
            return frozenset(ast.iter_child_nodes(node))
        case _:
            return frozenset()


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name
            case ast.Import():
                yield from (a.asname or a.name.split(".")[0] for a in statement.names)
            case ast.ImportFrom():
                yield from (a.asname or a.name for a in statement.names if a.name != STAR)
            case ast.Assign():
                yield from (t.id for t in statement.targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(), value=ast.expr()):
                assert isinstance(statement.target, ast.Name)  # noqa: S101 - the pattern says so
                yield statement.target.id


def _exports(module: ast.Module) -> tuple[tuple[str, ...] | None, bool]:
    """Return `__all__` where it is one literal, and whether it is something that cannot be read."""
    values = [value for name, value in _assignments(module) if name == "__all__"]
    others = sum(isinstance(n, ast.Name) and n.id == "__all__" for n in ast.walk(module))
    if not others:
        return None, False
    exports = literal_texts(values[0]) if len(values) == 1 and others == 1 else None
    return exports, exports is None


def _plugins(module: ast.Module) -> Iterator[tuple[str, ...] | None]:
    for name, value in _assignments(module):
        if name == "pytest_plugins":
            texts = literal_texts(value)
            yield texts if texts is None else tuple(t for each in texts for t in each.split(","))


def _unread_plugins(module: ast.Module) -> Iterator[DynamicImport]:
    """`pytest_plugins` that is no literal, or that something else binds or changes."""
    literal = sum(names is not None for names in _plugins(module))
    found = [
        node.lineno
        for node in ast.walk(module)
        if (isinstance(node, ast.Name) and node.id == "pytest_plugins")
        or (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == "pytest_plugins"
        )
        or (isinstance(node, ast.Constant) and node.value == "pytest_plugins")
        or (
            isinstance(node, ast.Import | ast.ImportFrom)
            and any((a.asname or a.name) == "pytest_plugins" for a in node.names)
        )
    ]
    if len(found) > literal:
        yield DynamicImport(found[-1], "pytest_plugins that is no literal list of names")


def _assignments(module: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield what the top level assigns to plain names, inner blocks included."""
    waiting: list[ast.stmt] = list(module.body)
    while waiting:
        statement = waiting.pop(0)
        if isinstance(statement, ast.Assign):
            yield from (
                (t.id, statement.value) for t in statement.targets if isinstance(t, ast.Name)
            )
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.value
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting[:0] = [c for c in ast.walk(statement) if isinstance(c, ast.stmt)][1:]
