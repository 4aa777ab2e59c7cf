"""What do runs inherit from us, their parent, or find on the machine? Noted, compared, put back.

Any process of the same user may change limits, processors and priority of another: a run those of
its parent, so that the next run finds them.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Inherited = Mapping[str, object]

# A clock that is kept right goes 0.0005 s in a second too fast or slow (adjtimex(2)), or is set
# once, when it is far off; both clocks go on while the machine sleeps.
_MAX_CLOCK_STEP_S = 2.0
_CLOCK = "clock, counted from the start of the machine,"
_LIMITS = {name: getattr(resource, name) for name in sorted(dir(resource)) if name[:7] == "RLIMIT_"}
_SETTINGS = {  # of proc(5), what a child inherits
    name: f"/proc/self/{name}"
    for name in ("oom_score_adj", "coredump_filter", "timerslack_ns", "cgroup")
}


def take_inherited() -> Inherited:
    """Return what a run that starts now would have from us, by names for a message."""
    return dict(_values())


def first_change(before: Inherited, after: Inherited) -> str | None:
    """Return in words what is not as it was, None where all is."""
    for name, stood in before.items():
        if not _is_same(name, stood, after[name]):
            return f"{name} {_shown(after[name])} instead of {_shown(stood)}"
    return None


def put_back(before: Inherited, after: Inherited) -> None:
    """Give ourselves back what was changed, where we may; clock and host name are the machine's."""
    for name, stood in before.items():
        if stood != after[name]:
            with suppress(OSError, ValueError):  # lower limits and priority are for good
                _set(name, stood)


def _values() -> Iterator[tuple[str, object]]:
    for name, number in _LIMITS.items():
        yield name, resource.getrlimit(number)
    yield "priority", os.getpriority(os.PRIO_PROCESS, 0)
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        yield "processors", tuple(sorted(os.sched_getaffinity(0)))
        yield "scheduling", (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority)
    yield from ((name, _text(path)) for name, path in _SETTINGS.items())
    yield "host name", os.uname().nodename
    yield _CLOCK, time.time() - _since_boot()


def _since_boot() -> float:
    clock = getattr(time, "CLOCK_BOOTTIME", None)  # Linux; goes on in sleep
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def _text(path: str) -> str | None:
    with suppress(OSError), open(path, encoding="ascii", errors="backslashreplace") as file:
        return file.read().strip()
    return None


def _is_same(name: str, before: object, after: object) -> bool:
    if name == _CLOCK and isinstance(before, float) and isinstance(after, float):
        return abs(after - before) <= _MAX_CLOCK_STEP_S
    return before == after


def _shown(value: object) -> str:
    return f"{value:.0f} s" if isinstance(value, float) else repr(value)


def _set(name: str, value: object) -> None:
    match name, value:
        case _, (int() as soft, int() as hard) if name in _LIMITS:
            resource.setrlimit(_LIMITS[name], (soft, hard))
        case "priority", int():
            os.setpriority(os.PRIO_PROCESS, 0, value)
        case "processors", tuple():
            os.sched_setaffinity(0, value)
        case "scheduling", (int() as policy, int() as priority):
            os.sched_setscheduler(0, policy, os.sched_param(priority))
        case (("oom_score_adj" | "coredump_filter" | "timerslack_ns"), str()):
            _write_setting(_SETTINGS[name], value)


def _write_setting(path: str, value: str) -> None:
    base = "0x" if path.endswith("coredump_filter") else ""  # shown in hexadecimal without it
    with open(path, "w", encoding="ascii") as file:
        file.write(base + value)
