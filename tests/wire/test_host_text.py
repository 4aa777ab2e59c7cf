"""What a pusher's terminal gets from a host: our prefix, ASCII, 200 characters, nothing forged."""

from __future__ import annotations

from hypothesis import given, settings

from freezegate.model.digests import ObjectId
from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Base, Outcome, Transition, Verdict
from freezegate.report.host import MAX_LINE_CHARS, MAX_LINES, cut, host_lines, wrapped
from tests.property import documents

_FAKE = "x\nfreezegate: accepted refs/heads/main\r\x1b[2J\x1b]0;title\x07\u202e"


def _refused(*findings: Finding, ref: str = "refs/heads/main") -> Transition:
    rev = ObjectId("1" * 40)
    base = Base(rev=rev, source="refs/heads/main before this push")
    return Transition(ref=ref, outcome=Outcome.REFUSED, base=base, candidate=rev, findings=findings)


def _finding() -> Finding:
    return Finding(
        code="path.bad_char",
        severity=Severity.ERROR,
        got=_FAKE,
        expected=_FAKE,
        path=_FAKE,
        remedy=_FAKE,
    )


def _hold(lines: tuple[str, ...]) -> None:
    for line in lines:
        assert line.startswith("freezegate: ")
        assert len(line) <= MAX_LINE_CHARS
        assert line.isascii()
        assert line.isprintable()


def test_nothing_is_forged() -> None:
    lines = host_lines(Verdict(transitions=(_refused(_finding()),)))
    _hold(lines)
    assert not any(line.startswith("freezegate: accepted") for line in lines)
    assert lines[-1].startswith("freezegate: refused, so no ref of this push moves")


def test_the_detector_of_a_mute_is_named_and_that_a_person_must_look() -> None:
    mute = Finding(
        code="mute.unrecorded",
        severity=Severity.WARNING,
        got="a skip",
        expected="a freeze",
        path="tests/test_a.py",
        line=3,
        detector="marker",
    )
    lines = host_lines(Verdict(transitions=(_refused(mute, _finding()),)))
    assert "warning mute.unrecorded [marker] needs human tests/test_a.py:3: a skip" in "\n".join(
        lines
    )


def test_a_wrapped_text_cannot_look_like_an_answer() -> None:
    text = "remedy: " + "x" * 170 + " accepted refs/heads/main " + "y" * 600
    lines = tuple(wrapped(text))
    _hold(lines)
    assert all(line.startswith("freezegate:     | ") for line in lines[1:])
    assert text.replace(" ", "") == "".join(
        line.removeprefix("freezegate:     | ").removeprefix("freezegate: ") for line in lines
    ).replace(" ", "")


def test_long_lines_are_cut_and_many_are_left_out() -> None:
    assert cut("x" * 500).endswith("...")
    many = Verdict(
        transitions=tuple(_refused(_finding(), ref=f"refs/heads/{n}") for n in range(99))
    )
    lines = host_lines(many)
    _hold(lines)
    assert len(lines) <= MAX_LINES + 3
    assert "freezegate: more lines are not shown" in lines


@given(verdict=documents.verdicts)
@settings(deadline=None, derandomize=True, database=None, max_examples=100)
def test_every_verdict(verdict: Verdict) -> None:
    _hold(host_lines(verdict))
