"""What a child process wrote down, parsed once; it came from where the test ran, so it is data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from freezegate.formats.property_fixture import parse_arguments
from freezegate.model.evidence import Environment
from freezegate.model.observation import Effect, Failure, Frame, Leaf
from freezegate.model.sample import PropertySeen, TestKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child process ended; `exit_status` is negative for a signal, as subprocess has it.

    `outlived_by` counts the processes that it left; `lost` says what stands for its result;
    `held_up` that we were stopped until its time was over.
    """

    exit_status: int
    timed_out: bool
    started_at: str
    duration_ms: int
    output: str
    outlived_by: int = 0
    held_up: bool = False
    lost: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception as it left the test; `kind` is skip, xfail, exit, system_exit or error."""

    kind: str
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One of setup, call and teardown, before anybody could alter what it raised."""

    test_id: str
    when: str
    subtest: bool
    raised: Raised | None
    xfail_marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What pytest told the world of a phase, after everybody could alter it."""

    test_id: str
    when: str
    outcome: str
    xfail: bool = False
    subtest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that a child process saw of its pytest session.

    `stage` is started, configured, collecting, collected or ran. `calls` are the ends of the test
    functions themselves: test id, and the kind of what each raised. `foreign` is code that came
    from an original work tree, `outside` what was written there. `unwatched` is
    what could not be seen.
    """

    stage: str = "started"
    refused: tuple[str, str] | None = None
    returned: int = 0
    raised: str | None = None
    interrupted: str | None = None
    internal_error: str | None = None
    inipath: str | None = None
    collected: tuple[str, ...] = ()
    collected_count: int = 0
    deselected: int = 0
    collect_errors: tuple[tuple[str, str], ...] = ()
    collect_skips: tuple[tuple[str, str], ...] = ()
    calls: tuple[tuple[str, str | None], ...] = ()
    phases: tuple[Phase, ...] = ()
    reports: tuple[Report, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    foreign: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    unwatched: str | None = None
    environment: Environment | None = None
    property_seen: PropertySeen | None = None


def parse_facts(
    data: bytes, *, isolation: str, plugins: tuple[str, ...] | None = None
) -> Facts | None:
    """Return what the result file holds, None where no honest child wrote it."""
    try:
        return _facts(json.loads(data), isolation, plugins)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _facts(document: dict[str, Any], isolation: str, plugins: tuple[str, ...] | None) -> Facts:
    get = document.get
    refused = get("refused")
    environment = get("environment")
    return Facts(
        stage=_text(get("stage", "started")),
        refused=None if refused is None else _pair(refused),
        returned=_int(document["returned"]),
        raised=_optional(get("raised")),
        interrupted=_optional(get("interrupted")),
        internal_error=_optional(get("internal_error")),
        inipath=_optional(get("inipath")),
        collected=_all(_text, get("collected", ())),
        collected_count=_int(get("collected_count", 0)),
        deselected=_int(get("deselected", 0)),
        collect_errors=_all(_pair, get("collect_errors", ())),
        collect_skips=_all(_pair, get("collect_skips", ())),
        calls=tuple((_text(name), _optional(kind)) for name, kind in get("calls", ())),
        phases=_all(_phase, get("phases", ())),
        reports=_all(_report, get("reports", ())),
        reads=_all(_text, get("reads", ())),
        writes=_all(_text, get("writes", ())),
        effects=tuple(Effect(kind=_text(k), what=_text(w)) for k, w in get("effects", ())),
        foreign=_all(_text, get("foreign", ())),
        outside=_all(_text, get("outside", ())),
        unwatched=_optional(get("unwatched")),
        environment=None if environment is None else _environment(environment, isolation, plugins),
        property_seen=_property(document["property"]) if "property" in document else None,
    )


def _property(document: dict[str, Any]) -> PropertySeen:
    arguments = document["input"]
    return PropertySeen(
        kind=TestKind(document["kind"]),
        calls=_int(document["calls"]),
        rejected=_int(document["rejected"]),
        arguments=None if arguments is None else parse_arguments(arguments),
        problem=_optional(document["problem"]),
        from_pytest=_all(_text, document["from_pytest"]),
        settings={_text(name): _text(value) for name, value in document["settings"].items()},
        unanswered=_optional(document["unanswered"]),
    )


def _environment(
    document: dict[str, Any], isolation: str, plugins: tuple[str, ...] | None
) -> Environment:
    return Environment(
        python=_text(document["python"]),
        platform=_text(document["platform"]),
        pytest=_text(document["pytest"]),
        hypothesis=_optional(document["hypothesis"]),
        isolation=isolation,
        plugins=plugins,
    )


def _phase(document: dict[str, Any]) -> Phase:
    raised = document["raised"]
    return Phase(
        test_id=_text(document["id"]),
        when=_text(document["when"]),
        subtest=bool(document["subtest"]),
        raised=None if raised is None else _raised(raised),
        xfail_marked=bool(document["xfail"]),
    )


def _report(document: dict[str, Any]) -> Report:
    return Report(
        test_id=_text(document["id"]),
        when=_text(document["when"]),
        outcome=_text(document["outcome"]),
        xfail=bool(document["xfail"]),
        subtest=bool(document["subtest"]),
    )


def _raised(document: dict[str, Any]) -> Raised:
    failure = Failure(
        type_name=_text(document["type_name"]),
        message=_text(document["message"]),
        frames=_all(_frame, document["frames"]),
        leaves=_all(_leaf, document["leaves"]),
    )
    return Raised(kind=_text(document["kind"]), failure=failure)


def _leaf(document: dict[str, Any]) -> Leaf:
    return Leaf(
        type_name=_text(document["type_name"]),
        message=_text(document["message"]),
        frames=_all(_frame, document["frames"]),
    )


def _frame(document: list[Any]) -> Frame:
    path, qualname, source, line = document
    return Frame(
        path=_optional(path), qualname=_text(qualname), source=_text(source), line=_int(line)
    )


def _all(one: Callable[[Any], _T], many: Iterable[Any]) -> tuple[_T, ...]:
    return tuple(one(each) for each in many)


def _pair(document: list[Any]) -> tuple[str, str]:
    first, second = document
    return _text(first), _text(second)


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    # Names that are no UTF-8 come as lone surrogates, which no document may hold.
    return value.encode("utf-8", "backslashreplace").decode()


def _int(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value
