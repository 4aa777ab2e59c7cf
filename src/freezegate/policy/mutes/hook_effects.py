"""What a hook or fixture does to outcomes, items and options, each effect with its conditions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes import hook_words as words
from freezegate.policy.mutes.constants import UNKNOWN, fold, truth
from freezegate.policy.mutes.given import Hook, find_tainted, is_items, root
from freezegate.policy.mutes.guarded import Guarded, closure, guarded, swallows
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.modules import Function, Unit
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.names import TOO_FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names

_MAX_REACH = 50  # functions that hand on what a hook was given
_MAX_FOLLOWED = 2_000  # calls of them for one hook; what takes more may do anything
_HARMLESS = frozenset(
    f"builtins.{name}"
    for name in (
        "len",
        "sorted",
        "list",
        "tuple",
        "set",
        "iter",
        "enumerate",
        "print",
        "str",
        "repr",
        "any",
        "all",
        "sum",
        "reversed",
        "zip",
        "map",
        "filter",
        "min",
        "max",
        "isinstance",
        "bool",
        "getattr",
        "hasattr",
        "id",
        "type",
        "dict",
    )
) | frozenset({"random.shuffle", "random.sample", "collections.Counter", "itertools.groupby"})
_SORTING = frozenset({"builtins.sorted", "builtins.reversed", "builtins.list", "random.sample"})
_MARKS_OF = frozenset({"get_closest_marker", "iter_markers", "keywords", "own_markers"})


class Effect(NamedTuple):
    """One thing that a hook does; `key` holds it with all that it depends on."""

    node: ast.AST
    key: str
    certainty: Certainty


class HookEffects:
    """The effects of hooks on one side."""

    def __init__(self, side: Side, names: Names) -> None:
        """Follow names on that side."""
        self._side, self._names = side, names
        self._marks = Marks(side, names)

    def of(self, hook: Hook) -> Iterator[Effect]:
        """Yield what a hook does to outcomes, items and options."""
        self._left = _MAX_FOLLOWED
        yield from self._of(hook, ())

    def _of(self, hook: Hook, above: tuple[Hook, ...]) -> Iterator[Effect]:
        module = self._side.module(hook.path)
        if module is None or hook in above:
            return
        self._left -= 1
        if len(above) > _MAX_REACH or self._left < 0:
            yield Effect(hook.unit.node, f"{hook.name} {TOO_FAR}", Certainty.CLEAR)
            return
        tainted = find_tainted(hook)
        for statement in guarded(hook.unit.node.body):
            for node, certainty in self._found(hook, statement, tainted):
                around = list(statement.conditions())
                if isinstance(node, ast.Try | ast.TryStar):
                    parts: list[ast.AST] = [*node.handlers]
                else:
                    parts = [node]
                text = closure(self._names, hook.path, module, hook.unit, [*parts, *around])
                if certainty is Certainty.CLEAR and asks_for_marks(around):
                    certainty = Certainty.DOUBTFUL if _skips(node) else certainty
                yield Effect(node, f"{hook.name} {text}", certainty)
            yield from self._handed_on(hook, statement, tainted, above)

    def _found(
        self, hook: Hook, statement: Guarded, tainted: frozenset[str]
    ) -> Iterator[tuple[ast.AST, Certainty]]:
        node = statement.node
        inside = any(isinstance(each, Function | ast.Lambda) for each in statement.around)
        if isinstance(node, ast.Try | ast.TryStar) and self._hides(hook, node):
            yield node, Certainty.CLEAR
        if isinstance(node, ast.With | ast.AsyncWith) and self._suppresses(hook, node):
            yield node, Certainty.CLEAR
        if isinstance(node, ast.Return) and not inside:
            answer = self._answers(hook, node)
            if answer is not None:
                yield node, answer
        for part in statement.parts():
            certainty = self._does(hook, part, node, tainted)
            if certainty is not None:
                yield (node if isinstance(part, ast.Attribute | ast.Subscript) else part), certainty

    def _does(
        self, hook: Hook, part: ast.AST, statement: ast.stmt, tainted: frozenset[str]
    ) -> Certainty | None:
        match part:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) if root(part) in tainted:
                return _attribute(part)
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                return self._item(hook, part, statement, tainted)
            case ast.AugAssign(target=ast.Name(id=name)) if name in tainted:
                return Certainty.CLEAR if is_items(part.target, hook, tainted) else None
            case ast.Call():
                return self._called(hook, part, tainted)
            case ast.Name() | ast.Attribute() if hook.name in words.HOOKS:
                names = self._marks.with_helpers(self._names.names(hook.path, part, hook.unit))
                return Certainty.CLEAR if names & words.SKIP_CALLS else None
            case _:
                return None

    def _item(
        self, hook: Hook, part: ast.Subscript, statement: ast.stmt, tainted: frozenset[str]
    ) -> Certainty | None:
        """`items[:] = ...`, `del items[0]`, `x.__dict__["outcome"] = ...`, `stash[KEY] = ...`."""
        holder = part.value
        if isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
            key = fold(part.slice)
            return Certainty.CLEAR if root(holder) in tainted and _decides(key) else None
        if isinstance(holder, ast.Attribute) and holder.attr in ("stash", "_store"):
            names = self._names.names(hook.path, part.slice, hook.unit)
            return Certainty.CLEAR if any(n.startswith("_pytest") for n in names) else None
        if not is_items(holder, hook, tainted):
            return None
        value = statement.value if isinstance(statement, ast.Assign) else None
        return None if value and self._only_sorts(hook, value, tainted) else Certainty.CLEAR

    def _only_sorts(self, hook: Hook, value: ast.expr, tainted: frozenset[str]) -> bool:
        if is_items(value, hook, tainted):
            return True
        if isinstance(value, ast.Call) and value.args:
            called = self._names.names(hook.path, value.func, hook.unit)
            return bool(called & _SORTING) and self._only_sorts(hook, value.args[0], tainted)
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            plain = value.slice.lower is None and value.slice.upper is None
            step = value.slice.step
            turned = step is None or fold(step) in (1, -1)
            return plain and turned and self._only_sorts(hook, value.value, tainted)
        return False

    def _called(self, hook: Hook, call: ast.Call, tainted: frozenset[str]) -> Certainty | None:
        function = call.func
        if isinstance(function, ast.Attribute):
            found = self._method(hook, call, function, tainted)
            if found is not None:
                return found
        names = self._names.names(hook.path, function, hook.unit)
        first = call.args[0] if call.args else None
        if names & {"builtins.setattr", "builtins.delattr"} or (
            isinstance(function, ast.Attribute) and function.attr in ("__setattr__", "__delattr__")
        ):
            return self._set(call, tainted)
        whole = first is not None and is_items(first, hook, tainted)
        if whole and any(f"builtins.list.{each}" in names for each in words.LIST_CHANGES):
            return Certainty.CLEAR
        if (
            whole
            and hook.name == "pytest_collection_modifyitems"
            and not (isinstance(function, ast.Attribute) and root(function) in tainted)
        ):
            ours = any(self._names.unit(each) for each in names)
            return None if ours or names & _HARMLESS else Certainty.DOUBTFUL
        return None

    def _method(
        self, hook: Hook, call: ast.Call, function: ast.Attribute, tainted: frozenset[str]
    ) -> Certainty | None:
        ours = root(function) in tainted
        match function.attr:
            case "force_result" | "force_exception":
                return Certainty.CLEAR
            case name if name in words.LIST_CHANGES and is_items(function.value, hook, tainted):
                return Certainty.CLEAR
            case name if name in words.MARK_CALLS:
                return self._marked(hook, call)
            case name if name in words.PLUGIN_CALLS and ours:
                return self._plugged(hook, call, name)
            case "addinivalue_line" if ours and len(call.args) > 1:
                return _ini_line(call)
            case "parametrize" if ours and hook.name == "pytest_generate_tests":
                rows = call.args[1] if len(call.args) > 1 else None
                return Certainty.CLEAR if rows is not None and fold(rows) in ([], ()) else None
            case "append" | "extend" | "insert" if isinstance(function.value, ast.Attribute):
                return Certainty.DOUBTFUL if function.value.attr == "own_markers" else None
            case _:
                return None

    def _plugged(self, hook: Hook, call: ast.Call, name: str) -> Certainty | None:
        """A plugin that is written down in the repository is read where it stands."""
        if name in ("set_blocked", "unregister"):
            return Certainty.DOUBTFUL
        first = call.args[0] if call.args else None
        if first is None:
            return None
        if name == "import_plugin":
            text = fold(first)
            known = isinstance(text, str) and self._names.file_of(hook.path, text)
            return None if known else Certainty.DOUBTFUL
        called = self._names.names(hook.path, first, hook.unit)
        return (
            None
            if any("::" in e or e.startswith("module:") for e in called)
            else (Certainty.TOLD if called else Certainty.DOUBTFUL)
        )

    def _marked(self, hook: Hook, call: ast.Call) -> Certainty | None:
        found: Certainty | None = None
        for each in call.args[:1]:
            names = self._names.names(hook.path, each, hook.unit)
            text = fold(each)
            if isinstance(text, str):
                names |= {f"pytest.mark.{text}"}
            if names & (words.SKIPPING | {"pytest.mark.?", "pytest.Mark", "pytest.MarkDecorator"}):
                found = Certainty.CLEAR
            elif names & words.RERUNNING or not names:
                found = Certainty.DOUBTFUL
        return found

    def _set(self, call: ast.Call, tainted: frozenset[str]) -> Certainty | None:
        if len(call.args) < 2:
            return None
        place = 0 if isinstance(call.func, ast.Name) or len(call.args) > 2 else -1
        target = call.args[0] if place == 0 else None
        if target is not None and root(target) not in tainted:
            return None
        if isinstance(target, ast.Attribute) and target.attr == "option":
            return _option(fold(call.args[1]))
        name = call.args[1] if place == 0 else call.args[0]
        value = fold(name)
        if value is UNKNOWN:
            start = _known_start(name)
            safe = start and not any(each.startswith(start) for each in words.DECIDING_ATTRIBUTES)
            return None if safe else Certainty.DOUBTFUL
        return Certainty.CLEAR if _decides(value) else None

    def _answers(self, hook: Hook, node: ast.Return) -> Certainty | None:
        """What a returned value decides; a wrapper may hand on what it got."""
        value = node.value
        if value is None or _is_wrapper_of_old(hook) or self._hands_back(hook, value):
            return None
        known = fold(value)
        if known is None:
            return None
        if hook.name in words.DECIDING:
            return Certainty.DOUBTFUL if self._runs(hook) else Certainty.CLEAR
        if hook.name == "pytest_markeval_namespace":  # what conditions written as texts ask
            return Certainty.DOUBTFUL
        if hook.name == "pytest_ignore_collect":
            return None if truth(value) is False else Certainty.CLEAR
        if hook.name == "pytest_report_teststatus" and isinstance(value, ast.Tuple) and value.elts:
            kind = fold(value.elts[0])
            return Certainty.CLEAR if kind in ("", "passed", "skipped", "xfailed") else None
        return Certainty.DOUBTFUL if hook.name in words.CHOOSING else None

    def _hands_back(self, hook: Hook, value: ast.expr) -> bool:
        if isinstance(value, ast.Yield):
            return True
        if not isinstance(value, ast.Name):
            return False
        bound = self._names.constant(hook.path, value.id, hook.unit)
        return isinstance(bound, ast.Yield)

    def _runs(self, hook: Hook) -> bool:
        """Whether a hook that answers calls the test itself: how coroutines are run."""
        if hook.name not in ("pytest_pyfunc_call", "pytest_cmdline_main"):
            return False
        return any(
            isinstance(node, ast.Attribute) and node.attr in ("obj", "funcargs", "main", "runtest")
            for node in ast.walk(hook.unit.node)
        )

    def _hides(self, hook: Hook, node: ast.Try | ast.TryStar) -> bool:
        return hook.name in words.RUNNING and swallows(node) and _holds_test(node.body)

    def _suppresses(self, hook: Hook, node: ast.With | ast.AsyncWith) -> bool:
        called = [each.context_expr for each in node.items]
        names = frozenset[str]().union(
            *(self._names.names(hook.path, c, hook.unit) for c in called)
        )
        hides = bool(names & {"contextlib.suppress", "pytest.raises"})
        return hides and hook.name in words.RUNNING and _holds_test(node.body)

    def _handed_on(
        self, hook: Hook, statement: Guarded, tainted: frozenset[str], above: tuple[Hook, ...]
    ) -> Iterator[Effect]:
        """Effects of the repository's own functions that are given a hook's arguments."""
        for call in statement.parts():
            if not isinstance(call, ast.Call):
                continue
            given = [place for place, each in enumerate(call.args) if root(each) in tainted]
            named = {k.arg for k in call.keywords if k.arg and root(k.value) in tainted}
            if not given and not named:
                continue
            for origin in sorted(self._names.names(hook.path, call.func, hook.unit)):
                found = self._names.unit(origin)
                if found and found[1].node is not hook.unit.node:
                    inner = _given(hook, *found, given, named)
                    for effect in self._of(inner, (*above, hook)):
                        around = "".join(ast.dump(each) for each in statement.conditions())
                        yield effect._replace(key=f"{effect.key}{around}", node=call)


def _given(hook: Hook, path: str, unit: Unit, places: list[int], named: set[str]) -> Hook:
    arguments = [each.arg for each in (*unit.node.args.posonlyargs, *unit.node.args.args)]
    bound = arguments[1:] if arguments[:1] in (["self"], ["cls"]) else arguments
    taken = {bound[place] for place in places if place < len(bound)}
    kind = hook.name if hook.name != "pytest_ignore_collect" else "fixture"
    return Hook(f"{kind}", path, unit, frozenset(taken | named))


def _attribute(node: ast.Attribute) -> Certainty | None:
    if isinstance(node.value, ast.Attribute) and node.value.attr == "option":
        return _option(node.attr)
    if node.attr in ("option", "args"):
        return Certainty.CLEAR
    if node.attr == "items" or _decides(node.attr):
        return Certainty.CLEAR
    return None


def _decides(name: object) -> bool:
    return name in words.DECIDING_ATTRIBUTES or name == "option"


def _option(name: object) -> Certainty:
    return Certainty.CLEAR if name in words.DECIDING_OPTIONS else Certainty.DOUBTFUL


def _ini_line(call: ast.Call) -> Certainty | None:
    match fold(call.args[0]):
        case "markers" | "usefixtures":
            return None
        case "filterwarnings":
            line = fold(call.args[1])
            return None if isinstance(line, str) and line.startswith("error") else Certainty.TOLD
        case _:
            return Certainty.DOUBTFUL


def _known_start(node: ast.expr) -> str:
    """The text that a computed one begins with: `"rep_" + report.when`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        value = fold(node.left)
        return value.split("%")[0] if isinstance(value, str) else ""
    if isinstance(node, ast.JoinedStr) and node.values:
        first = fold(node.values[0])
        return first if isinstance(first, str) else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        value = fold(node.func.value)
        return value.split("{")[0] if isinstance(value, str) else ""
    return ""


def _holds_test(body: list[ast.stmt]) -> bool:
    """Whether a block is where the test runs: a wrapper's `yield`, or a call of the test."""
    called = ("runtest", "obj", "_obj", "pytest_runtest_call", "pytest_pyfunc_call", "multicall")
    return any(
        isinstance(node, ast.Yield)
        or (isinstance(node, ast.Attribute) and node.attr in (*called, "get_result"))
        for statement in body
        for node in ast.walk(statement)
    )


def _is_wrapper_of_old(hook: Hook) -> bool:
    """What a `hookwrapper=True` returns is thrown away."""
    return any(
        keyword.arg == "hookwrapper" and truth(keyword.value)
        for each in hook.unit.node.decorator_list
        if isinstance(each, ast.Call)
        for keyword in each.keywords
    )


def asks_for_marks(conditions: list[ast.AST]) -> bool:
    """Whether it is done to tests with some marker alone: the marker is then what silences."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in _MARKS_OF
        for each in conditions
        for node in ast.walk(each)
    )


def _skips(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in words.MARK_CALLS
    return isinstance(node, ast.Name | ast.Attribute)
