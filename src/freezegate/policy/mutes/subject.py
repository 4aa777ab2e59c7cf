"""Production code that knows the tests: detects them, agrees with all, or answers their values."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.guarded import swallows
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import normal_body, without_docstring
from freezegate.policy.mutes.silencers import SKIPPING
from freezegate.policy.mutes.step import looks_like_test_code, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from freezegate.policy.mutes.modules import Function, Module, Unit
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

    _Look = Callable[[ast.expr], ast.expr | None]

_DETECTOR = "subject"
_TELLING = 4  # letters of a literal that stands in no two places by chance
_STATE = frozenset(
    {"sys.modules", "os.environ", "os.getenv", "os.environb", "sys.argv"}
) | frozenset({"sys.orig_argv", "importlib.util.find_spec", "sys.flags", "psutil.Process"})
_FRAMES = frozenset({"inspect.stack", "inspect.currentframe", "sys._getframe", "inspect.trace"}) | (
    frozenset({"traceback.extract_stack", "traceback.format_stack", "sys._current_frames"})
)
_TEST_WORD = re.compile(
    r"(^|[^a-z])(pytest|_pytest|py\.test|unittest|hypothesis|nose|tests?|testing|conftest|tox|ci)"
    r"($|[^a-z])|PYTEST_|test_",
    re.IGNORECASE,
)
_AGREEING = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__bool__"}
    | {"__instancecheck__", "__subclasscheck__", "__exit__", "__aexit__"}
)
_SILENCING = SKIPPING | {
    f"hypothesis.{place}{name}" for place in ("", "control.") for name in ("assume", "reject")
}
_PLAIN: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2, "", b"", (), 0.0, 1.0)
_ASKING = (ast.Compare, ast.Call, ast.Subscript)
_REMEDY = "Mend the code itself, so that it needs to know of no test and of no test's values."


def find_subject(step: MuteStep) -> Iterator[Mute]:
    """Yield what changed production code knows of tests now, and did not before."""
    for pair in step.subject_files:
        if pair.new is None or pair.path == "setup.py":
            continue
        yield from _detecting(step, pair, pair.new)
        yield from _silencing(step, pair, pair.new)
        for name, unit in pair.new.units.items():
            old = pair.old.units.get(name) if pair.old else None
            if old is None or normal_body(old.node) != normal_body(unit.node):
                yield from _agreeing(pair, old, unit)
                yield from _special(step, pair, old, unit)
                yield from _swallowing(pair, old, unit)
        yield from _lambdas(pair, pair.new)


def _detecting(step: MuteStep, pair: FilePair, new: Module) -> Iterator[Mute]:
    old = _detections(step.old_names, pair.path, pair.old) if pair.old else ()
    before = Counter(ast.dump(node) for node in old)
    for node in _detections(step.new_names, pair.path, new):
        if before[ast.dump(node)]:
            before[ast.dump(node)] -= 1
        else:
            yield _mute(
                pair, node, Certainty.CLEAR, "code that does the same under test", shown(node)
            )


def _silencing(step: MuteStep, pair: FilePair, new: Module) -> Iterator[Mute]:
    """Calls that end the test which runs the code: `pytest.skip`, `reject()` of Hypothesis."""
    old = _silencers(step.old_names, pair.path, pair.old) if pair.old else ()
    before = Counter(ast.dump(node) for node in old)
    for node in _silencers(step.new_names, pair.path, new):
        if before[ast.dump(node)]:
            before[ast.dump(node)] -= 1
        else:
            was = "code that leaves it to the tests what they skip"
            yield _mute(pair, node, Certainty.CLEAR, was, shown(node))


def _silencers(names: Names, path: str, module: Module) -> Iterator[ast.expr]:
    units = [(unit.node, unit) for unit in module.units.values()]
    inside = {id(node): unit for root, unit in units for node in ast.walk(root)}
    for node in ast.walk(module.tree):
        called = node.func if isinstance(node, ast.Call) else getattr(node, "exc", None)
        if called is not None and names.names(path, called, inside.get(id(node))) & _SILENCING:
            yield called


def _detections(names: Names, path: str, module: Module) -> Iterator[ast.expr]:
    """The outermost expressions that ask whether tests are running."""
    units = [(unit.node, unit) for unit in module.units.values()]
    inside = {id(node): unit for root, unit in units for node in ast.walk(root)}
    seen = set[int]()
    for node in ast.walk(module.tree):
        if id(node) in seen or not isinstance(node, _ASKING):
            continue
        unit = inside.get(id(node))
        is_set = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
        if not is_set and _asks(names, path, node, unit):
            seen.update(id(each) for each in ast.walk(node))
            yield node


def _asks(names: Names, path: str, node: ast.expr, unit: Unit | None) -> bool:
    found = set[str]()
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute | ast.Name) and isinstance(each.ctx, ast.Load):
            found |= names.names(path, each, unit)
    if found & _FRAMES:
        return unit is not None and _mentions(unit.node)
    if "builtins.hasattr" in found and "sys" in found:
        return _mentions(node)
    return bool(found & _STATE) and _mentions(node, names, path, unit)


def _mentions(
    node: ast.AST, names: Names | None = None, path: str = "", unit: Unit | None = None
) -> bool:
    """Whether a text in it speaks of tests, put together or not."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant | ast.BinOp | ast.JoinedStr | ast.Name | ast.Call):
            value = fold(each, (lambda n: names.constant(path, n, unit)) if names else None)
            value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            if isinstance(value, str) and _TEST_WORD.search(value):
                return True
    return False


def _agreeing(pair: FilePair, old: Unit | None, new: Unit) -> Iterator[Mute]:
    """`__eq__` and their like that give one answer whatever they are asked."""
    if not new.classes or new.node.name not in _AGREEING:
        return
    answer = _only_answer(new.node)
    silent = new.node.name in ("__exit__", "__aexit__", "__bool__") and answer is not True
    if answer is UNKNOWN or silent or (old and _only_answer(old.node) == answer):
        return
    certainty = Certainty.DOUBTFUL if new.node.name == "__bool__" else Certainty.CLEAR
    now = f"{new.name} always answers {answer!r}"
    yield _mute(pair, new.node, certainty, _body(old), now, after=_body(new))


def _only_answer(node: Function) -> Any:
    """The one constant that a function returns, UNKNOWN where there is none or several."""
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    values = [fold(value) if value else None for value in returned]
    known = [value for value in values if isinstance(value, bool | int | str)]
    same = bool(known) and len(known) == len(values) and all(v == known[0] for v in known)
    return known[0] if same else UNKNOWN


def _lambdas(pair: FilePair, new: Module) -> Iterator[Mute]:
    """`__eq__ = lambda self, other: True` in a class."""
    before = {ast.dump(n) for k in pair.old.classes.values() for n in k.body} if pair.old else set()
    for klass in new.classes.values():
        for node in klass.body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Lambda):
                continue
            names = {t.id for t in node.targets if isinstance(t, ast.Name)} & _AGREEING
            if names and fold(node.value.body) is not UNKNOWN and ast.dump(node) not in before:
                now = f"{klass.name}.{min(names)} always answers {shown(node.value.body)}"
                yield _mute(
                    pair, node, Certainty.CLEAR, "an answer that depends on the values", now
                )


def _special(step: MuteStep, pair: FilePair, old: Unit | None, new: Unit) -> Iterator[Mute]:
    """Branches and tables that answer single values: those that stand in the tests as well."""
    told = False
    tables = _tables(step.old_names, pair.path), _tables(step.new_names, pair.path)
    before = {ast.dump(node) for node, _ in _cases(old.node, tables[0])} if old else set()
    for node, values in _cases(new.node, tables[1]):
        file = None if ast.dump(node) in before else _test_with(step, values)
        if file:
            told = True
            now = f"{new.name}: {shown(node, 80)}, values of {file}"
            yield _mute(pair, node, Certainty.CLEAR, "an answer that is worked out", now)
    known = {ast.dump(test) for test in _asked(old.node)} if old else set()
    for test in () if told else _asked(new.node):
        file = None if ast.dump(test) in known else _test_with(step, _long_values(test))
        if file:
            now = f"{new.name}: {shown(test, 80)}, a value of {file}"
            yield _mute(pair, test, Certainty.DOUBTFUL, "no branch for that value alone", now)


def _tables(names: Names, path: str) -> _Look:
    """Look up what a name at the top of a module is bound to."""
    return lambda node: names.constant(path, node.id) if isinstance(node, ast.Name) else None


def _asked(node: Function) -> Iterator[ast.Compare]:
    """The comparisons in conditions with a value that hardly stands anywhere by chance."""
    for each in ast.walk(node):
        if isinstance(each, ast.If | ast.IfExp | ast.While):
            for part in ast.walk(each.test):
                if isinstance(part, ast.Compare) and _long_values(part):
                    yield part


def _long_values(node: ast.Compare) -> tuple[Any, ...]:
    """The lists, tuples and tables of values that something is compared with, as a whole."""
    if not isinstance(node.ops[0], ast.Eq | ast.Is | ast.NotEq | ast.In | ast.NotIn):
        return ()
    sides: list[ast.expr] = [node.left, *node.comparators]
    if isinstance(node.ops[0], ast.In | ast.NotIn):
        sides = [e for each in sides for e in getattr(each, "elts", ())]
    values = [fold(each) for each in sides]
    return tuple(v for v in values if isinstance(v, list | tuple | dict) and len(v) > 1)


def _of_table(node: ast.AST, table: ast.expr | None) -> Iterator[tuple[ast.AST, tuple[Any, ...]]]:
    if isinstance(table, ast.Dict):
        for asked, answer in zip(table.keys, table.values, strict=True):
            if asked is not None:
                yield from _known(node, asked, answer)


def _cases(node: Function, look: _Look) -> Iterator[tuple[ast.AST, tuple[Any, ...]]]:
    """`if x == 37: return 4711`, conditional expressions, `match` and tables of such pairs."""
    for each in ast.walk(node):
        match each:
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as value), *_]):
                yield from _case(each, test, value)
            case ast.IfExp(test=test, body=value):
                yield from _case(each, test, value)
            case ast.match_case(
                pattern=ast.MatchValue(value=key), body=[ast.Return(value=ast.expr() as value)]
            ):
                yield from _known(each, key, value)
            case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
                yield from _of_table(each, table if isinstance(table, ast.Dict) else look(table))


def _case(
    node: ast.AST, test: ast.expr, value: ast.expr
) -> Iterator[tuple[ast.AST, tuple[Any, ...]]]:
    for each in ast.walk(test):
        if isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq | ast.Is | ast.In):
            for side in (each.left, *each.comparators):
                yield from _known(node, side, value)


def _known(
    node: ast.AST, key: ast.expr, value: ast.expr
) -> Iterator[tuple[ast.AST, tuple[Any, ...]]]:
    asked, answer = fold(key), fold(value)
    if asked is UNKNOWN or answer is UNKNOWN:
        return
    if asked not in _PLAIN and len(repr(asked)) >= _TELLING:
        yield node, (asked, answer)


def _test_with(step: MuteStep, values: tuple[Any, ...]) -> str | None:
    """The test module that has all of some values."""
    wanted = [form for value in values if (form := _written(value))]
    for path, entry in step.new.tree.files("") if wanted else ():
        if looks_like_test_code(path) and path.endswith(".py") and entry.is_regular:
            source = step.new.tree.source(entry)
            if all(any(re.search(each, source) for each in forms) for forms in wanted):
                return path
    return None


def _written(value: Any) -> list[bytes]:
    """How a value may be written in a test."""
    text = repr(list(value) if isinstance(value, tuple) else value)
    forms = {text, text.replace("'", '"')}
    if isinstance(value, tuple):
        forms |= {repr(value), repr(value).replace("'", '"')}
    return [rb"(?<![\w.])" + re.escape(form.encode()) + rb"(?![\w.])" for form in forms]


def _swallowing(pair: FilePair, old: Unit | None, new: Unit) -> Iterator[Mute]:
    """A broad handler newly around a function's body."""
    if old is None or any(_around_all(old.node)):
        return
    for node in _around_all(new.node):
        now = f"{new.name}: {shown(node.handlers[0], 80)}"
        yield _mute(pair, node, Certainty.TOLD, "errors that reach the caller", now)


def _around_all(node: Function) -> Iterator[ast.Try]:
    for each in without_docstring(node.body):
        if isinstance(each, ast.Try) and swallows(each):
            yield each


def _body(unit: Unit | None) -> str:
    return shown(unit.node, 200) if unit else "no such method"


def _mute(
    pair: FilePair, node: ast.AST, certainty: Certainty, was: str, now: str, after: str = ""
) -> Mute:
    return Mute(
        family=MuteFamily.SUBJECT,
        detector=_DETECTOR,
        certainty=certainty,
        path=pair.path,
        line=getattr(node, "lineno", None),
        was=was,
        now=now,
        remedy=_REMEDY,
        before=was,
        after=after or shown(node, 200),
    )
