"""Does a statement do nothing but bind names when its module is imported?

Closed by default: calls count as deeds but for a short list of names, and for those only where no
module of the test code defines something of that name itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.surface_scope import (
    Function,
    bound_names,
    called,
    dotted_parts,
    flatten,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

# By their last name, capitalised names (classes) besides.
_QUIET_CALLS = frozenset(
    """
    bool bytearray bytes chr complex dict enumerate float frozenset int len list object ord range
    repr reversed set slice str sum tuple zip
    abspath as_posix basename dirname exists expanduser fspath getcwd glob is_dir is_file iterdir
    join joinpath normpath read_bytes read_text realpath relative_to resolve rglob with_name
    with_suffix
    capitalize casefold copy count decode encode endswith format get items keys lower lstrip
    partition removeprefix removesuffix replace rsplit rstrip split splitlines startswith strip
    title upper values
    date datetime time timedelta timezone fromisoformat isoformat uuid4
    compile dedent getLogger namedtuple deque defaultdict
    field cast partial param filter flatmap map
    """.split()  # noqa: SIM905 - read as a paragraph
)
# These only keep the functions that they are given.
_LAZY_CALLS = frozenset({"param", "partial"})
_CHAINED_CALLS = frozenset({"filter", "flatmap", "map"})
_TYPE_MAKERS = frozenset({"Enum", "NamedTuple", "NewType", "TypeVar", "TypedDict", "namedtuple"})
_QUIET_DECORATORS = frozenset(
    """
    abstractmethod asynccontextmanager cache cached_property classmethod composite contextmanager
    dataclass deleter example expectedFailure final fixture getter given lru_cache override overload
    patch property runtime_checkable setter settings skip skipIf skipUnless staticmethod
    total_ordering unique wraps yield_fixture
    """.split()  # noqa: SIM905 - read as a paragraph
)
_STRATEGIES = frozenset({"st", "strategies"})
_ACTIVE_METHODS = frozenset({"__class_getitem__", "__mro_entries__", "__prepare__", "__set_name__"})
_INERT_MAGIC = frozenset(
    {"__all__", "__author__", "__doc__", "__hash__", "__slots__", "__test__", "__version__"}
)
_MAKERS = frozenset({"converter", "default_factory", "factory", "validator"})
_BUILTIN_MAKERS = frozenset({"bool", "dict", "float", "int", "list", "set", "str", "tuple"})


class Own(NamedTuple):
    """What the test code defines itself, by the last names.

    `opaque` is all but classes, `functions` what of that runs code; `busy` are classes that run
    own code when an instance is made or looked at, `shaping` those that do so for a class below.
    """

    classes: frozenset[str]
    opaque: frozenset[str]
    functions: frozenset[str]
    busy: frozenset[str]
    shaping: frozenset[str]


def find_own(trees: Iterable[ast.Module]) -> Own:
    """Return what modules define at their top level and in classes."""
    found = [pair for tree in trees for pair in _definitions(tree.body, at_top=True)]
    classes = [node for _, node in found if isinstance(node, ast.ClassDef)]
    others = [(name, node) for name, node in found if not isinstance(node, ast.ClassDef)]
    opaque = {name for name, _ in others}
    named = {each.name for each in classes} | opaque
    made = {each.name for each in classes if _has_own_keyword(each, named)} | opaque
    busy = {each.name for each in classes if not _is_plain_class(each)}
    shaping = {each.name for each in classes if "__init_subclass__" in _class_names(each)}
    return Own(
        classes=frozenset(each.name for each in classes),
        opaque=frozenset(opaque),
        functions=frozenset(
            name
            for name, node in others
            if isinstance(node, Function) or _may_be_callable(getattr(node, "value", None))
        ),
        busy=_with_subclasses(busy | made, classes),
        shaping=_with_subclasses(shaping | made, classes),
    )


def _with_subclasses(names: set[str], classes: list[ast.ClassDef]) -> frozenset[str]:
    """Return names with those of all classes below them."""
    below: dict[str, set[str]] = {}
    for node in classes:
        for base in node.bases:
            below.setdefault("".join(dotted_parts(base)[-1:]), set()).add(node.name)
    found, waiting = set(names), list(names)
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting.extend(new)
    return frozenset(found)


def _has_own_keyword(node: ast.ClassDef, named: AbstractSet[str]) -> bool:
    return any(set(dotted_parts(each.value)[-1:]) & named for each in node.keywords)


def _is_plain_class(node: ast.ClassDef) -> bool:
    return all(_is_plain_member(item.node) for item in flatten(node.body))


def _class_names(node: ast.ClassDef) -> list[str]:
    return [name for item in flatten(node.body) for name in bound_names(item.node)]


def _definitions(body: list[ast.stmt], *, at_top: bool) -> Iterator[tuple[str, ast.AST]]:
    for item in flatten(body):
        node = item.node
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname, node) for a in node.names if a.asname and a.asname != a.name)
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            counts = not _makes_type(node.value) if at_top else _may_be_callable(node.value)
            if not counts:
                continue
        yield from ((name, node) for name in bound_names(node))
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, at_top=False)


def _may_be_callable(value: ast.expr | None) -> bool:
    parts = dotted_parts(value.func) if isinstance(value, ast.Call) else ()
    return isinstance(value, ast.Name | ast.Attribute | ast.Lambda) or parts[-1:] == ("partial",)


def _makes_type(value: ast.expr | None) -> bool:
    parts = dotted_parts(value.func) if isinstance(value, ast.Call) else ()
    return bool(parts) and parts[-1] in _TYPE_MAKERS


def is_quiet(node: ast.AST, own: Own) -> bool:
    """Say whether a statement, or an expression, only binds names and builds plain values."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return not _binds_magic(node)
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            decorators = all(_is_quiet_decorator(d, own) for d in node.decorator_list)
            return decorators and _is_quiet_value(_evaluated(node), own)
        case ast.ClassDef():
            return _is_quiet_class(node, own)
        case ast.Assign():
            plain = all(_is_plain_target(target) for target in node.targets)
            return plain and not _binds_magic(node) and _is_quiet_value([node.value], own)
        case ast.AnnAssign():
            values = [node.annotation, *([node.value] if node.value else [])]
            plain = isinstance(node.target, ast.Name) and not _binds_magic(node)
            return plain and _is_quiet_value(values, own)
        case ast.expr():
            return _is_quiet_value([node], own)
    return type(node).__name__ == "TypeAlias"


def _binds_magic(node: ast.AST) -> bool:
    """`__builtins__`, `__path__`, `__class__` and the like change what other names mean."""
    magic = {name for name in bound_names(node) if name.startswith("__") and name.endswith("__")}
    return not magic <= _INERT_MAGIC


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain_target(each) for each in target.elts)
    return isinstance(target.value if isinstance(target, ast.Starred) else target, ast.Name)


def _evaluated(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.AST]:
    return [node.args, *([node.returns] if node.returns else [])]


def _is_quiet_value(nodes: Iterable[ast.AST], own: Own) -> bool:
    """Look at all that is evaluated at once, so not into the bodies of lambdas."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return False
        if isinstance(node, ast.Call) and not _is_quiet_call(node, own):
            return False
        if isinstance(node, ast.Lambda):
            waiting.append(node.args)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return True


def _is_quiet_call(call: ast.Call, own: Own) -> bool:
    parts = dotted_parts(call.func)
    last = parts[-1] if parts else ""
    if not last or last in own.opaque:
        return False
    if last in own.classes:
        return last not in own.busy
    if parts[-2:-1] == ("mark",) or (len(parts) == 2 and parts[0] in _STRATEGIES):
        return last != "example"
    if last not in _QUIET_CALLS and not last.lstrip("_")[:1].isupper():
        return False
    if last in _CHAINED_CALLS:
        # Not the built-in ones, and not those of executors: these take the inputs as well.
        return len(call.args) == 1 and isinstance(call.func, ast.Attribute)
    if last in _LAZY_CALLS:
        return True
    return not any(_hands_code(each, own) for each in _arguments(call))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg not in _MAKERS)]


def _hands_code(value: ast.expr, own: Own) -> bool:
    last = dotted_parts(value)[-1:]
    return isinstance(value, ast.Lambda) or (
        isinstance(value, ast.Name | ast.Attribute) and bool(last) and last[0] in own.functions
    )


def _is_quiet_decorator(decorator: ast.expr, own: Own) -> bool:
    parts = dotted_parts(called(decorator))
    if not parts or parts[-1] in own.opaque or parts[-1] in own.classes:
        return False
    known = (
        parts[-1] in _QUIET_DECORATORS
        or parts[-2:-1] == ("mark",)
        # `patch.object` patches when the function is called, not when it is defined.
        or (parts[-2:-1] == ("patch",) and parts[-1] in ("dict", "multiple", "object"))
    )
    if not known or not isinstance(decorator, ast.Call):
        return known
    return _is_quiet_value(
        [*decorator.args, *(keyword.value for keyword in decorator.keywords)], own
    )


def _is_quiet_class(node: ast.ClassDef, own: Own) -> bool:
    return (
        all(_is_quiet_decorator(each, own) for each in node.decorator_list)
        and _is_quiet_value([*node.bases, *(k.value for k in node.keywords)], own)
        and own.shaping.isdisjoint(name for base in node.bases for name in dotted_parts(base)[-1:])
        and not _has_own_keyword(node, own.classes | own.opaque)
        and all(is_quiet(item.node, own) for item in flatten(node.body))
        and _ACTIVE_METHODS.isdisjoint(_class_names(node))
    )


def _is_plain_member(node: ast.AST) -> bool:
    if isinstance(node, Function):
        hidden = node.name.startswith("_") and node.name.endswith("_")
        return not hidden and not node.decorator_list
    if isinstance(node, ast.ClassDef):
        return True
    special = any(n.startswith("__") for n in bound_names(node))
    return not special and all(
        isinstance(keyword.value, ast.Name) and keyword.value.id in _BUILTIN_MAKERS
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg in _MAKERS
    )
