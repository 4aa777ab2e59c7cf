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
        self.seen.update({"kind": "plain", "from_pytest": [], "settings": {}})
        self.failed = False

    def prepare(self, item: Any, seed: int) -> None:
        """Wrap the test of an item, before it is called; what cannot be done is a problem."""
        test = getattr(item.obj, "__func__", item.obj)
        handle: Any = getattr(test, "hypothesis", None)
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
            return _Given([self.codecs.decode(each, self.own) for each in part["$data"]])
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
                if _draws(value):
                    bound.arguments[name] = _Recorder(value, self._encode, name)
            return bound.args, bound.kwargs, self._written(bound)
        except Exception as error:  # it would be the test's own failure
            return args, kwargs, self._told(error)

    def _told(self, error: Exception) -> str:
        if isinstance(error, self.codecs.CodecError):
            return str(error)
        return "a codec failed: " + type(error).__name__ + ": " + str(error)

    def _written(self, bound: Any) -> dict[str, Any]:
        parameters = bound.signature.parameters
        named: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            many = parameters[name].kind is inspect.Parameter.VAR_KEYWORD
            named.update(value if many else {name: value})
        return {
            name: {"$data": value.drawn}
            if isinstance(value, _Recorder)
            else self._encode(value, name)
            for name, value in named.items()
            if name not in self.pytests
        }

    def _encode(self, value: Any, place: str) -> Any:
        return self.codecs.encode(value, self.own, place)

    def _after(self, error: BaseException, written: Any) -> None:
        """Note the input of a call that failed; one that was only rejected is none."""
        if type(error).__name__ in ("UnsatisfiedAssumption", "StopTest", "Frozen"):
            self.seen["rejected"] += 1
            return
        self.failed = True
        if isinstance(written, str):
            self.seen.update(input=None, problem=written)
        elif written is not None:
            self._keep(written)

    def _keep(self, written: dict[str, Any]) -> None:
        unwritten = [part["$data"] for part in written.values() if _is_unwritten(part)]
        if unwritten:  # by what a test draws itself: that is written while it runs
            self.seen.update(input=None, problem=self._told(unwritten[0][-1]))
            return
        size = len(json.dumps(written))
        if size > MAX_INPUT_CHARS:
            told = "the minimal input has " + str(size) + " characters as JSON; at most "
            self.seen.update(input=None, problem=told + str(MAX_INPUT_CHARS) + " are kept")
        else:
            self.seen.update(input=written, problem=None)


class _Recorder:
    """Stands for `data`: draws as it does, and notes what came."""

    def __init__(self, data: Any, encode: Any, name: str) -> None:
        self._data, self._encode, self._name = data, encode, name
        self.drawn: list[Any] = []

    def draw(self, strategy: Any, label: Any = None) -> Any:
        value = self._data.draw(strategy, label)
        if not _is_unwritten({"$data": self.drawn}):
            place = self._name + ".draw #" + str(len(self.drawn) + 1)
            try:
                self.drawn.append(self._encode(value, place))
            except Exception as error:  # it would be the test's own
                self.drawn.append(error)
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)


class _Given:
    """Stands for `data`: hands out what was drawn once, whatever the strategies are now."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def draw(self, strategy: Any, label: Any = None) -> Any:  # noqa: ARG002 - as `data` has it
        if not self._values:
            raise LookupError("freezegate: the test draws more than the fixture holds")
        return self._values.pop(0)

    def __repr__(self) -> str:
        return "data(...)"


def _draws(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "DataObject" and kind.__module__.startswith("hypothesis.")


def _is_unwritten(part: Any) -> bool:
    drawn: Any = part.get("$data") if isinstance(part, dict) else None
    return bool(drawn) and isinstance(drawn[-1], Exception)


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
