"""What one module's source says of imports, in the order in which Python would come to them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.dynamic import Calls, DynamicImport, find_dynamic_imports
from freezegate.policy.domain.dynamic import literal_texts as literal_texts
from freezegate.policy.domain.nodes import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    _Assigned = tuple[tuple[str, ast.expr | None], ...]

STAR = "*"
# A syntax tree takes up to 500 times its text; the largest modules that people write have 300 KiB.
MAX_MODULE_BYTES = 512 * 1024
TOO_LARGE = f"source of more than {MAX_MODULE_BYTES // 1024} KiB"
# Python shows integers of up to 4,300 digits; longer ones stand in sources as hex, octal or binary.
_MAX_BITS = 14_000
_LONG_NUMBER = re.compile(rb"0[xXoObB][0-9a-fA-F_]{3000}")
_TOO_DEEP = "source that is nested too deep to parse"
PLUGINS = "pytest_plugins"
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


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
    front of all others, `unless_there` that it stays where it is on it already, `settled` that its
    text is the same as that of others who name the folder plainly.
    """

    place: int
    folder: str
    first: bool
    line: int
    unless_there: bool = False
    settled: bool = True


class ModuleFacts(NamedTuple):
    """What a module says: `fault` tells why nothing is known where it does not parse.

    `bound` are the names that its top level binds in any case; `exports` is `__all__` where that
    is a literal, `open_names` says that more names may be there than can be read; `plugins` are
    what `pytest_plugins` names, `forgotten` the modules that are taken out of `sys.modules`;
    `answers` says that the module itself answers for names that it lacks.
    """

    imports: tuple[Import, ...] = ()
    dynamic: tuple[DynamicImport, ...] = ()
    bound: frozenset[str] = frozenset()
    exports: tuple[str, ...] | None = None
    open_names: bool = False
    plugins: tuple[str, ...] = ()
    fault: str | None = None
    path_changes: tuple[PathChange, ...] = ()
    forgotten: tuple[tuple[str, int], ...] = ()
    answers: bool = False


def read_module(source: bytes) -> ModuleFacts:
    """Return what a module's bytes say; source that does not parse is a fault, no error."""
    module = parse_source(source)
    if isinstance(module, str):
        return ModuleFacts(fault=module)
    try:
        return _facts(module)
    except (RecursionError, MemoryError):
        return ModuleFacts(fault=_TOO_DEEP)


def _facts(module: ast.Module) -> ModuleFacts:
    nodes = Nodes(module)
    origins, dynamic, calls = find_dynamic_imports(module, nodes)
    steps = tuple(_steps(module, calls))
    imports = tuple(each for each in steps if isinstance(each, Import))
    assigned = tuple(_assignments(module))
    exports, open_exports = _exports(assigned, nodes)
    plugins = tuple(_plugins(assigned))
    return ModuleFacts(
        imports=imports,
        dynamic=dynamic + tuple(_unread_plugins(plugins, nodes)),
        bound=frozenset(_bound(module.body)),
        exports=exports,
        open_names=open_exports
        or "__getattr__" in origins.defined
        or any(STAR in each.names for each in imports if not each.deferred),
        plugins=tuple(name for names in plugins if names for name in names),
        path_changes=tuple(_placed(steps)),
        forgotten=tuple(calls.forgotten),
        answers="__getattr__" in _bound(_statements(module)),
    )


def _placed(steps: tuple[Import | PathChange, ...]) -> Iterator[PathChange]:
    """Yield the changes of the path with the number of imports before each."""
    place = 0
    for step in steps:
        if isinstance(step, Import):
            place += 1
        else:
            yield step._replace(place=place)


def parse_source(source: bytes) -> ast.Module | str:
    """Return a module's syntax tree, or in words why there is none."""
    if len(source) > MAX_MODULE_BYTES:
        return TOO_LARGE
    try:
        return _spelled_out(ast.parse(source), source)
    except (SyntaxError, ValueError) as error:
        return f"source that this Python cannot parse ({error})"
    except (RecursionError, MemoryError):
        return _TOO_DEEP


def _spelled_out(module: ast.Module, source: bytes) -> ast.Module:
    """Put texts in the place of numbers that are too long to be shown in decimal."""
    if _LONG_NUMBER.search(source):
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and type(node.value) is int:
                node.value = hex(node.value) if node.value.bit_length() > _MAX_BITS else node.value
    return module


def _steps(module: ast.Module, calls: Calls) -> Iterator[Import | PathChange]:
    """Yield statements and literal calls in source order, those in functions marked so."""
    left_out = () if calls.imports or calls.folders else (ast.expr,)  # they hold no statements
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
            found = calls.folders[id(node)]
            yield PathChange(
                0, found.folder, found.first, node.lineno, found.unless_there, found.settled
            )
        inside, branches = _later(node), _perhaps(node)
        children = (c for c in ast.iter_child_nodes(node) if not isinstance(c, left_out))
        waiting.extend(
            reversed(
                [
                    (c, deferred or c in inside, doubtful or c in inside or c in branches)
                    for c in children
                ]
            )
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


def _bound(body: Iterable[ast.stmt]) -> Iterator[str]:
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


def _exports(assigned: _Assigned, nodes: Nodes) -> tuple[tuple[str, ...] | None, bool]:
    """Return `__all__` where it is one literal, and whether it is something that cannot be read."""
    values = [value for name, value in assigned if name == "__all__"]
    others = sum(name.id == "__all__" for name in nodes.of(ast.Name))
    if not others:
        return None, False
    exports = literal_texts(values[0]) if len(values) == 1 and others == 1 else None
    return exports, exports is None


def _plugins(assigned: _Assigned) -> Iterator[tuple[str, ...] | None]:
    for name, value in assigned:
        if name == PLUGINS:
            texts = literal_texts(value)
            yield texts if texts is None else tuple(t for each in texts for t in each.split(","))


def _unread_plugins(
    plugins: tuple[tuple[str, ...] | None, ...], nodes: Nodes
) -> Iterator[DynamicImport]:
    """`pytest_plugins` that is no literal, or that something else binds or changes."""
    literal = sum(names is not None for names in plugins)
    found = [name.lineno for name in nodes.of(ast.Name) if name.id == PLUGINS]
    found += [
        each.lineno
        for each in nodes.of(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        if each.name == PLUGINS
    ]
    found += [text.lineno for text in nodes.of(ast.Constant) if text.value == PLUGINS]
    found += [
        attribute.lineno
        for attribute in nodes.of(ast.Attribute)
        if attribute.attr == PLUGINS and not isinstance(attribute.ctx, ast.Load)
    ]
    found += [
        each.lineno
        for each in nodes.of(ast.Import, ast.ImportFrom)
        if any((alias.asname or alias.name) == PLUGINS for alias in each.names)
    ]
    if len(found) > literal:
        yield DynamicImport(
            found[-1],
            "pytest_plugins that is no literal list of names",
            "one `pytest_plugins` in each branch, as texts in a list",
        )


def _assignments(module: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield what the top level assigns to plain names, inner blocks included."""
    for statement in _statements(module):
        if isinstance(statement, ast.Assign):
            yield from (
                (t.id, statement.value) for t in statement.targets if isinstance(t, ast.Name)
            )
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.value


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the top level's statements in their order, inner blocks included."""
    waiting: list[ast.AST] = list(reversed(module.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in reversed(_BLOCKS):
                waiting.extend(reversed(getattr(node, block, ())))
