"""What the supervisor makes of a judge's end: only an explicit word accepts. Pure."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, NamedTuple

from freezegate.hooks.supervisor import FAULT, NO_MEMORY
from freezegate.model.reasons import REASONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.hooks.supervisor import Ended
    from freezegate.model.host import HostLimits

_REFUSED, _NO_ANSWER = 1, 2
SAY, SHOW, LOG = b"S ", b"O ", b"L "
_KINDS = (SAY, SHOW, LOG)


class Fault(NamedTuple):
    """Why there is no answer: a reason code, what was seen, what to do."""

    code: str
    got: str
    remedy: str


class Answer(NamedTuple):
    """The answer to a push: the exit status, and lines for the pusher, standard output, the log.

    `fault` stands where the judge was not believed; there are no lines then.
    """

    status: int
    say: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    fault: Fault | None = None


def message(kind: bytes, lines: Sequence[str]) -> bytes:
    """Return lines of one kind as the judge's child sends them."""
    return b"".join(kind + line.encode("ascii") + b"\n" for line in lines)


def believe(ended: Ended, limits: HostLimits, accept: bytes) -> Answer:
    """Return the answer of a judge that came to its end, else the fault that refuses."""
    if ended.timed_out:
        return _faulty("limits.wall", f"no answer within {limits.wall_s} s")
    if ended.signal is not None:
        return _killed(ended.signal, limits)
    if ended.status == NO_MEMORY:
        return _faulty("limits.memory", f"more than {limits.memory_mib} MiB needed")
    if ended.status == FAULT:
        return _faulty("internal.fault", ended.said.decode("ascii", "replace")[:80])
    if ended.status not in (0, _REFUSED, _NO_ANSWER):
        return _faulty("internal.fault", f"the judge ended with status {ended.status}")
    if ended.said.endswith(accept) is not (ended.status == 0):
        return _faulty("internal.fault", f"status {ended.status}, and no word that goes with it")
    return _read(ended.said.removesuffix(accept), ended.status)


def _read(said: bytes, status: int) -> Answer:
    lines = said.split(b"\n")
    if lines.pop() or any(line[:2] not in _KINDS for line in lines) or not said.isascii():
        return _faulty("internal.fault", "an answer that breaks off")
    say, show, log = (
        tuple(line[2:].decode("ascii") for line in lines if line[:2] == kind) for kind in _KINDS
    )
    return Answer(status, say, show, log)


def _killed(number: int, limits: HostLimits) -> Answer:
    if number == signal.SIGXCPU:
        return _faulty("limits.cpu", f"more than {limits.cpu_s} s of processor time")
    if number == signal.SIGALRM:
        return _faulty("limits.wall", f"no answer within {limits.wall_s} s")
    return _faulty("internal.fault", f"the judge was ended by signal {number}")


def _faulty(code: str, got: str) -> Answer:
    remedy = REASONS[code].remedy
    if code == "internal.fault":
        remedy = "push again; if that does not help, tell the host's administrator"
    return Answer(_NO_ANSWER, fault=Fault(code, got, remedy))
