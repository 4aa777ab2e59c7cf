"""What a judge's end is worth: every way to end but one refuses."""

from __future__ import annotations

import signal
from itertools import product

import pytest

from freezegate.hooks.believed import LOG, SAY, SHOW, Answer, believe, message
from freezegate.hooks.supervisor import FAULT, NO_MEMORY, Ended
from freezegate.model.host import HostLimits

ACCEPT = b"accept 0123456789abcdef\n"
LIMITS = HostLimits()
SAID = message(SAY, ["freezegate: accepted refs/heads/main"]) + message(LOG, ["{}"])


def _believed(ended: Ended) -> Answer:
    return believe(ended, LIMITS, ACCEPT)


def test_only_status_0_and_the_word_accept() -> None:
    answer = _believed(Ended(0, None, SAID + ACCEPT))
    assert answer == Answer(0, say=("freezegate: accepted refs/heads/main",), log=("{}",))


def test_nothing_else_accepts() -> None:
    said = (
        b"",
        SAID,
        ACCEPT,
        SAID + ACCEPT,
        ACCEPT + SAID,
        SAID + ACCEPT[:-1],
        SAID + b"accept 0\n",
    )
    for status, signal_, text, late in product((None, *range(256)), (None, 9), said, (True, False)):
        ended = Ended(status, signal_, text, timed_out=late)
        honest = (status, signal_, late) == (0, None, False) and text in (ACCEPT, SAID + ACCEPT)
        assert (_believed(ended).status == 0) is honest, ended


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        pytest.param(Ended(None, None, b"", timed_out=True), "limits.wall", id="too_slow"),
        pytest.param(
            Ended(None, None, SAID + ACCEPT, timed_out=True), "limits.wall", id="accepts_too_late"
        ),
        pytest.param(Ended(None, signal.SIGALRM, b""), "limits.wall", id="its_own_alarm"),
        pytest.param(Ended(None, signal.SIGXCPU, b""), "limits.cpu", id="out_of_processor_time"),
        pytest.param(Ended(None, signal.SIGKILL, SAID + ACCEPT), "internal.fault", id="killed"),
        pytest.param(Ended(None, signal.SIGSEGV, b""), "internal.fault", id="crashed"),
        pytest.param(Ended(NO_MEMORY, None, b""), "limits.memory", id="out_of_memory"),
        pytest.param(Ended(FAULT, None, b"ValueError: x"), "internal.fault", id="exception"),
        pytest.param(Ended(0, None, b""), "internal.fault", id="says_nothing"),
        pytest.param(Ended(0, None, SAID), "internal.fault", id="no_word"),
        pytest.param(Ended(0, None, SAID + b"accept 1\n"), "internal.fault", id="another_word"),
        pytest.param(Ended(0, None, ACCEPT + SAID), "internal.fault", id="goes_on_behind_it"),
        pytest.param(Ended(1, None, SAID + ACCEPT), "internal.fault", id="refuses_and_accepts"),
        pytest.param(Ended(5, None, SAID + ACCEPT), "internal.fault", id="another_status"),
        pytest.param(Ended(1, None, SAID[:-1]), "internal.fault", id="breaks_off"),
        pytest.param(Ended(1, None, b"X what\n"), "internal.fault", id="another_kind_of_line"),
        pytest.param(Ended(1, None, b"S \xff\n"), "internal.fault", id="no_ascii"),
    ],
)
def test_every_fault_has_a_code_and_a_remedy(ended: Ended, code: str) -> None:
    answer = _believed(ended)
    assert answer.status == 2
    assert answer.fault is not None
    assert answer.fault.code == code
    assert answer.fault.remedy
    assert (answer.say, answer.show, answer.log) == ((), (), ())


@pytest.mark.parametrize("status", [1, 2])
def test_a_refusal_needs_no_word(status: int) -> None:
    answer = _believed(Ended(status, None, SAID + message(SHOW, ["{", "}"])))
    assert (answer.status, answer.show, answer.fault) == (status, ("{", "}"), None)
