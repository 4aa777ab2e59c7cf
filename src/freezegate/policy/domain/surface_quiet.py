"""Does a statement do nothing but bind names when its module is imported?

Closed by default: every call is a deed but for those of `surface_known`, by where their names come
from, and for own classes without behaviour. Attributes and operators of values that are there
already are trusted.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.surface_classes import is_plain_class, is_quiet_shape
from freezegate.policy.domain.surface_kinds import Comprehension, Scope, results
from freezegate.policy.domain.surface_known import (
    BOX_METHODS,
    CALLED_KEYWORDS,
    FIXTURES,
    ITERATORS,
    LAZY_DECORATORS,
    PARTIALS,
    STRATEGY_METHODS,
    TEXT_METHODS,
    Kind,
    is_lazy,
    is_mark,
    known_call,
    known_decorator,
)
from freezegate.policy.domain.surface_origins import Meaning, Names, Own, assigned, chain
from freezegate.policy.domain.surface_scope import Function, bound_names, called, flatten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Local = Mapping[str, Kind]

_INERT_MAGIC = frozenset(
    {"__all__", "__author__", "__doc__", "__hash__", "__slots__", "__test__", "__version__"}
)
_ACCESSORS = frozenset({"deleter", "getter", "setter"})
_DATE_FIELDS = frozenset(
    "year month day hour minute second microsecond tzinfo fold".split()  # noqa: SIM905 - a list
)


class Quiet:
    """Which statements of the test code are quiet; each question is about one module."""

    def __init__(self, names: Names) -> None:
        """Trust what `names` knows the origin of."""
        self._names = names

    def is_quiet(self, path: str, node: ast.AST) -> bool:
        """Say whether a statement, or an expression, only binds names and builds plain values."""
        return _Judge(self._names, path, {}, 0).statement(node)

    def meanings(self, path: str, node: ast.AST) -> tuple[Meaning, ...]:
        """Return what a name, or a chain of them, stands for; nothing where unknown."""
        parts = chain(node)
        return self._names.meanings(path, parts) if parts else ()


class _Judge(Scope):
    """One module, or one scope in it: `local` are names that do not mean what the module says."""

    def statement(self, node: ast.AST) -> bool:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                return not _binds_magic(node)
            case ast.Expr(value=ast.Constant()):
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                values = [node.args, *([node.returns] if node.returns else [])]
                return all(map(self._decorator, node.decorator_list)) and self.values(values)
            case ast.ClassDef():
                return self._class(node)
            case ast.Assign():
                plain = all(_is_plain_target(target) for target in node.targets)
                return plain and not _binds_magic(node) and self.values([node.value])
            case ast.AnnAssign():
                values = [node.annotation, *([node.value] if node.value else [])]
                plain = isinstance(node.target, ast.Name) and not _binds_magic(node)
                return plain and self.values(values)
            case ast.expr():
                return self.values([node])
        return type(node).__name__ == "TypeAlias"

    def _class(self, node: ast.ClassDef) -> bool:
        body = [item.node for item in flatten(node.body)]
        inner = self.within({name: Kind.OTHER for each in body for name in bound_names(each)})
        return (
            all(map(self._decorator, node.decorator_list))
            and self.values([*node.bases, *(k.value for k in node.keywords)])
            and is_quiet_shape(self.names, Own(self.path, node))
            and all(map(inner.statement, body))
        )

    def values(self, nodes: Iterable[ast.AST]) -> bool:
        """Look at all that is evaluated at once, so not into the bodies of lambdas."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            match node:
                case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                    return False
                case ast.Call():
                    if not self._call(node):
                        return False
                case ast.Name() | ast.Attribute():
                    if self._is_used_up(node):
                        return False
                    waiting.extend(ast.iter_child_nodes(node))
                case ast.Lambda():
                    waiting.append(node.args)
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    if not self._comprehension(node):
                        return False
                case _:
                    waiting.extend(ast.iter_child_nodes(node))
        return True

    def _comprehension(self, node: Comprehension) -> bool:
        judge = self
        for each in node.generators:
            if each.is_async or not judge.values([each.iter]):
                return False
            judge = judge.loop(each)
            if not judge.values([each.target, *each.ifs]):
                return False
        return judge.values(results(node))

    def _is_used_up(self, node: ast.AST) -> bool:
        """Iterators are other ones after somebody has looked at them."""
        return any(self._is_iterator(each) for each in self.meanings(node) if isinstance(each, Own))

    def _is_iterator(self, own: Own) -> bool:
        value = assigned(own.node)
        if isinstance(value, ast.GeneratorExp):
            return True
        judge = self.at(own.path)
        if not isinstance(value, ast.Call) or judge is None:
            return False
        return any(
            each in ITERATORS if isinstance(each, str) else _is_generator(each.node)
            for each in judge.meanings(value.func)
        )

    def _call(self, call: ast.Call) -> bool:
        if not self.values([*call.args, *(keyword.value for keyword in call.keywords)]):
            return False
        meanings = self.meanings(call.func)
        if meanings:
            return all(self._one_call(each, call) for each in meanings)
        return isinstance(call.func, ast.Attribute) and self._method(call, call.func)

    def _method(self, call: ast.Call, func: ast.Attribute) -> bool:
        if not self.values([func.value]):
            return False
        match self.kind(func.value):
            case Kind.STRATEGY:
                return func.attr in STRATEGY_METHODS
            case Kind.TEXT:
                known = func.attr in TEXT_METHODS
                return known and _moves_nothing(call, func.attr) and not self._hands_code(call)
            case Kind.BOX:
                return func.attr in BOX_METHODS and not self._hands_code(call)
        return False

    def _one_call(self, meaning: Meaning, call: ast.Call) -> bool:
        if isinstance(meaning, Own):
            return self._own_call(meaning)
        if meaning == "importlib.util.find_spec":
            # Of a dotted name it imports the packages.
            value = call.args[0] if len(call.args) == 1 else None
            return isinstance(value, ast.Constant) and "." not in str(value.value)
        if meaning == "builtins.map":
            return self._is_plain_map(call)
        if known_call(meaning) is None or self._hands_code(call, lazy=is_lazy(meaning)):
            return False
        # With a function these call it.
        return meaning not in ("pytest.raises", "pytest.warns") or len(call.args) <= 1

    def _own_call(self, own: Own) -> bool:
        if isinstance(own.node, ast.ClassDef):
            return is_plain_class(self.names, own)
        return self.is_composite(own) or self.is_made_type(own)

    def _is_plain_map(self, call: ast.Call) -> bool:
        meanings = self.meanings(call.args[0]) if call.args else ()
        return bool(meanings) and all(
            isinstance(each, str) and known_call(each) is Kind.TEXT for each in meanings
        )

    def _hands_code(self, call: ast.Call, *, lazy: bool = False) -> bool:
        """Say whether own code is handed to a call that may run it, or is marked by it."""
        if lazy:
            return False
        if any(k.arg is None and self.kind(k.value) is not Kind.TEXT for k in call.keywords):
            return True
        names = self.meanings(call.func)
        marks = any(isinstance(each, str) and is_mark(each) for each in names)
        alone = marks and len(call.args) == 1 and not call.keywords
        ids = call.args[3:] if marks else []
        strict = [*(call.args if alone else []), *ids]
        strict += [k.value for k in call.keywords if k.arg in CALLED_KEYWORDS]
        loose = [*call.args, *(k.value for k in call.keywords)]
        return any(self.is_code(each, strict=True) for each in strict) or any(
            self.is_code(each, strict=False) for each in loose
        )

    def is_code(self, value: ast.expr, *, strict: bool) -> bool:
        """Say whether a value is own code that could be called; if `strict`, whether it may be."""
        match value:
            case ast.Lambda():
                arguments = [each.arg for each in ast.walk(value.args) if isinstance(each, ast.arg)]
                inner = self.within(dict.fromkeys(arguments, Kind.OTHER))
                return not inner.values([value.body])
            case ast.Starred():
                hidden = strict and self.kind(value.value) is not Kind.TEXT
                return hidden or self.is_code(value.value, strict=strict)
            case ast.Name() | ast.Attribute():
                if self.kind(value) is Kind.TEXT:
                    return False
                meanings = self.meanings(value)
                return any(self._means_code(each, strict=strict) for each in meanings) or (
                    strict and not meanings
                )
            case ast.Call():
                names = set(self.meanings(value.func))
                if names & PARTIALS:
                    return True
                plain = names <= {"operator.attrgetter", "operator.itemgetter"} and names
                return strict and not plain and self.kind(value) in (Kind.OTHER, Kind.MARK)
            case ast.IfExp() | ast.BoolOp() | ast.Subscript():
                return strict and self.kind(value) is not Kind.TEXT
        return False

    def _means_code(self, meaning: Meaning, *, strict: bool) -> bool:
        if isinstance(meaning, str):
            return strict and known_call(meaning) is None
        if isinstance(meaning.node, Function):
            return True
        if isinstance(meaning.node, ast.ClassDef):
            return strict or not is_plain_class(self.names, meaning)
        value, judge = assigned(meaning.node), self.at(meaning.path)
        if value is None or judge is None:
            return strict
        return judge.is_code(value, strict=strict)

    def _decorator(self, decorator: ast.expr) -> bool:
        target = called(decorator)
        parts = chain(target)
        if len(parts) == 2 and parts[0] in self.local and parts[1] in _ACCESSORS:
            return not isinstance(decorator, ast.Call)
        meanings = self.meanings(target)
        if not meanings or not all(map(self._known_decorator, meanings)):
            return False
        if FIXTURES.intersection(meanings) and not parts[-1].endswith("fixture"):
            # Who looks for fixtures goes by this name.
            return False
        if not isinstance(decorator, ast.Call):
            return True
        if any(isinstance(each, Own) for each in meanings):
            return False
        if not self.values([*decorator.args, *(k.value for k in decorator.keywords)]):
            return False
        if LAZY_DECORATORS.issuperset(meanings):
            return True
        marked = any(self._is_class(each) for each in decorator.args)
        return not marked and not self._hands_code(decorator)

    def _is_class(self, value: ast.expr) -> bool:
        return any(
            isinstance(each, Own) and isinstance(each.node, ast.ClassDef)
            for each in self.meanings(value)
        )

    def _known_decorator(self, meaning: Meaning) -> bool:
        """A known one, or a name of the test code for a marker with its arguments."""
        if isinstance(meaning, str):
            return known_decorator(meaning)
        return self.meant(meaning) is Kind.MARK


def _is_generator(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in _own_nodes(node))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    return ast.walk(node) if isinstance(node, Function) else iter(())


def _moves_nothing(call: ast.Call, method: str) -> bool:
    """`replace` of a path, with one argument, moves a file; that of texts has more."""
    if method != "replace":
        return True
    fields = {keyword.arg for keyword in call.keywords}
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return not starred and (len(call.args) > 1 or (not call.args and fields <= _DATE_FIELDS))


def _binds_magic(node: ast.AST) -> bool:
    """`__builtins__`, `__path__`, `__class__` and the like change what other names mean."""
    magic = {name for name in bound_names(node) if name.startswith("__") and name.endswith("__")}
    return not magic <= _INERT_MAGIC


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain_target(each) for each in target.elts)
    return isinstance(target.value if isinstance(target, ast.Starred) else target, ast.Name)
