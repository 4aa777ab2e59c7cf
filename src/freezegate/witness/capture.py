"""Inside the child process: which input made a Hypothesis test fail, or exactly one given to it.

Executed in the guarded project's interpreter, as child/ is: standard library, Python 3.8 and
later. Hypothesis generates and shrinks; here only the arguments are read, at the last moment.
Nothing is encoded while calls pass: Hypothesis repeats its minimal input once more at the end, and
says so of that call, as it does of explicit examples. Arguments are encoded before the call,
because the test may change them.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys

from .capture_draws import Given, Recorder, draw_place, draws_itself

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from typing import Any

MAX_INPUT_CHARS = 1_000_000
_RECORDED = ("max_examples", "derandomize", "stateful_step_count", "deadline", "phases")


class Property:
    """One property test of this process: its own call wrapped, and what was seen of it."""

    def __init__(self, asked: dict[str, Any], codecs: Any) -> None:
        self.asked, self.codecs = asked, codecs
        self.seen: dict[str, Any] = {"calls": 0, "rejected": 0, "input": None, "problem": None}
        self.seen.update({"kind": "plain", "from_pytest": [], "settings": {}, "unanswered": None})
        self.failed = False

    def prepare(self, item: Any, seed: int) -> None:
        """Wrap the test of an item, before it is called; what cannot be done is a problem."""
        outer = getattr(item.obj, "__func__", item.obj)
        handle: Any = getattr(outer, "hypothesis", None)
        test = _given_of(outer, handle)
        self.own = self.codecs.own_codecs(getattr(item, "module", None))
        self.seen["kind"] = _kind(test, handle)
        if self.seen["kind"] not in ("given", "async"):
            return
        self.seen["settings"] = _recorded(test)
        test._hypothesis_internal_use_seed = seed  # noqa: SLF001 - what @seed sets; before all else
        self.pytests = list(inspect.signature(test, follow_wrapped=False).parameters)
        self.seen["from_pytest"] = self.pytests
        if self.asked["input"] is not None:
            try:
                self._give(test)
            except Exception as error:  # a project's own codec, too; then nothing runs at all
                self.seen["problem"] = self._told(error)
        handle.inner_test = self._wrapped(handle.inner_test)

    def _give(self, test: Any) -> None:
        """Let Hypothesis run one explicit example and generate nothing."""
        from hypothesis import Phase, example, settings

        old = test._hypothesis_internal_use_settings  # noqa: SLF001 - @settings works only once
        test._hypothesis_internal_use_settings = settings(  # noqa: SLF001
            old, phases=(Phase.explicit,), database=None
        )
        test._hypothesis_internal_use_reproduce_failure = None  # noqa: SLF001 - the same
        test.hypothesis_explicit_examples = []
        example(**{name: self._decoded(part) for name, part in self.asked["input"].items()})(test)

    def _decoded(self, part: Any) -> Any:
        if isinstance(part, dict) and list(part) == ["$data"]:
            values = [self.codecs.decode(each, self.own) for each in part["$data"]]
            return Given(values, self.seen)
        return self.codecs.decode(part, self.own)

    def _wrapped(self, inner: Any) -> Any:
        if inspect.iscoroutinefunction(inner):

            @functools.wraps(inner)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                args, kwargs, written = self._before(inner, args, kwargs)
                try:
                    return await inner(*args, **kwargs)
                except BaseException as error:
                    self._after(error, written)
                    raise

            return _signed(call_async, inner)

        @functools.wraps(inner)
        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs, written = self._before(inner, args, kwargs)
            try:
                return inner(*args, **kwargs)
            except BaseException as error:
                self._after(error, written)
                raise

        return _signed(call, inner)

    def _before(self, inner: Any, args: Any, kwargs: Any) -> Any:
        """Return with what to call, and the input as it is now: None where nobody asks for it."""
        self.seen["calls"] += 1
        final = _is_final()
        if self.asked["input"] is not None or not (self.failed if final is None else final):
            return args, kwargs, None
        try:
            bound = inspect.signature(inner).bind(*args, **kwargs)
            for name, value in bound.arguments.items():
                if draws_itself(value):
                    bound.arguments[name] = Recorder(value, self._pair, name)
            return bound.args, bound.kwargs, self._written(bound)
        except Exception as error:  # it would be the test's own failure
            return args, kwargs, self._told(error)

    def _told(self, error: Exception) -> str:
        if isinstance(error, self.codecs.CodecError):
            return str(error)
        return "a codec failed: " + type(error).__name__ + ": " + str(error)

    def _written(self, bound: Any) -> dict[str, Any]:
        """Return each generated argument as it is written, with all that it is."""
        parameters = bound.signature.parameters
        named: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            many = parameters[name].kind is inspect.Parameter.VAR_KEYWORD
            named.update(value if many else {name: value})
        given = {name: value for name, value in named.items() if name not in self.pytests}
        if "self" in given:
            text = "a generated argument has the name self, which no @example can give: rename it"
            raise self.codecs.CodecError(text)
        return {
            name: value if isinstance(value, Recorder) else self._pair(value, name)
            for name, value in given.items()
        }

    def _pair(self, value: Any, place: str) -> tuple[Any, Any]:
        """Return a value as it is written, and all of it, as it is now: to be compared later."""
        written = self.codecs.encode(value, self.own, place)
        return written, self.codecs.whole(value, self.own, place)

    def _after(self, error: BaseException, written: Any) -> None:
        """Note the input of a call that failed; one that was only rejected is none."""
        if isinstance(error, _rejections()):
            self.seen["rejected"] += 1
            return
        self.failed = True
        if isinstance(written, str):
            self.seen.update(input=None, problem=written)
        elif written is not None:
            self._keep(written)

    def _keep(self, pairs: dict[str, Any]) -> None:
        """Note an input that makes the same values again; of any other why it does not."""
        try:
            written = {name: self._made_again(name, pair) for name, pair in pairs.items()}
        except Exception as error:  # of a project's own class or codec
            self.seen.update(input=None, problem=self._told(error))
            return
        size = len(json.dumps(written))
        if size > MAX_INPUT_CHARS:
            told = "the minimal input has " + str(size) + " characters as JSON; at most "
            self.seen.update(input=None, problem=told + str(MAX_INPUT_CHARS) + " are kept")
        else:
            self.seen.update(input=written, problem=None)

    def _made_again(self, name: str, pair: Any) -> Any:
        if isinstance(pair, Recorder):
            if pair.problem is not None:
                raise pair.problem
            places = [draw_place(name, number) for number in range(len(pair.drawn))]
            return {"$data": list(map(self._made_again, places, pair.drawn))}
        self.codecs.refuse_other(pair[0], pair[1], self.own, name)
        return pair[0]


def _rejections() -> tuple[type[BaseException], ...]:
    """Return what Hypothesis itself raises where an input is none; any name may be taken twice."""
    errors: Any = sys.modules.get("hypothesis.errors")
    names = ("UnsatisfiedAssumption", "StopTest", "Frozen")
    found = [getattr(errors, name, None) for name in names]
    return tuple(kind for kind in found if isinstance(kind, type))


def _given_of(outer: Any, handle: Any) -> Any:
    """Return the function that @given made, below decorators that wrap it: it has the settings."""
    test = outer
    while getattr(getattr(test, "__wrapped__", None), "hypothesis", None) is handle is not None:
        test = test.__wrapped__
    return test


def _signed(call: Any, inner: Any) -> Any:
    """Give a wrapper the signature of what it wraps: Hypothesis looks at the function itself."""
    call.__signature__ = inspect.signature(inner)
    return call


def _kind(test: Any, handle: Any) -> str:
    if getattr(test, "_hypothesis_state_machine_class", None) is not None:
        return "stateful"
    if handle is None:
        return "plain"
    if getattr(test, "_hypothesis_internal_use_reproduce_failure", None) is not None:
        return "reproduce_failure"
    return "async" if inspect.iscoroutinefunction(handle.inner_test) else "given"


def _recorded(test: Any) -> dict[str, str]:
    used: Any = getattr(test, "_hypothesis_internal_use_settings", None)
    values: dict[str, Any] = {name: getattr(used, name, None) for name in _RECORDED}
    values["phases"] = ", ".join(phase.name for phase in getattr(used, "phases", ()))
    return {name: str(value) for name, value in values.items()}


def _is_final() -> bool | None:
    """Say whether Hypothesis calls with an input that it would report; None where it cannot say."""
    control: Any = sys.modules.get("hypothesis.control")
    current = getattr(control, "_current_build_context", None)
    final: bool | None = getattr(getattr(current, "value", None), "is_final", None)
    return final
