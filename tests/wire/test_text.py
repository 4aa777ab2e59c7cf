"""What people read: whole outputs, held against golden files (`make golden` remakes them)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from freezegate.model.digests import Blake3, ObjectId
from freezegate.model.finding import Finding, Severity
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.verdict import Base, Outcome, ShownFreeze, Transition, Verdict
from freezegate.report.document import dump_verdict
from freezegate.report.mutes import mute_lines
from freezegate.report.text import MAX_BLOCKS, verdict_lines

GOLDEN = Path(__file__).parent / "golden"
BASE = Base(rev=ObjectId("a" * 40), source="refs/remotes/origin/main")
REV = ObjectId("b" * 40)
FREEZE = ShownFreeze(
    freeze=Blake3("blake3:" + "c" * 64),
    property_id=PropertyId("order_total.non_negative"),
    test_id=TestId("tests/test_order.py::test_total"),
    status="requested",
)


def finding(code: str = "oracle.changed", severity: Severity = Severity.ERROR) -> Finding:
    """A finding with every part."""
    return Finding(
        code=code,
        severity=severity,
        path="tests/properties/test_order_props.py",
        line=3,
        about="oracle_path of .freeze/record.json",
        got="another blob",
        expected="the blob of the trusted base",
    )


HOSTILE = Finding(
    code="path.unexpected",
    severity=Severity.ERROR,
    path=".freeze/\x1b]0;owned\x07\nfreezegate: accepted \u202erefs/heads/main",
    about="caf\u00e9\r",
    got="\x1b[2J",
    expected="\udcff",
)
VERDICTS = {
    "accepted": Verdict(
        (
            Transition(
                ref="refs/heads/topic",
                outcome=Outcome.ACCEPTED,
                base=BASE,
                candidate=REV,
                freezes=(FREEZE,),
                findings=(finding("judge.no_policy", Severity.NOTE),),
                assurance=("step", "candidate-only"),
            ),
        )
    ),
    "nothing": Verdict(
        (Transition(ref="refs/heads/topic", outcome=Outcome.ACCEPTED, base=BASE, candidate=None),)
    ),
    "refused": Verdict(
        (
            Transition(
                ref="refs/heads/topic",
                outcome=Outcome.REFUSED,
                base=BASE,
                candidate=REV,
                findings=(
                    finding("area.needs_human", Severity.WARNING),
                    finding("judge.change_alone", Severity.NOTE),
                    finding(),
                    finding("record.missing_key"),
                ),
            ),
        )
    ),
    "undecided": Verdict(
        (
            Transition(
                ref="HEAD",
                outcome=Outcome.UNDECIDED,
                base=None,
                candidate=None,
                findings=(finding("base.history_unavailable"),),
            ),
        )
    ),
    "hostile": Verdict(
        (
            Transition(
                ref="refs/heads/\u202eevil\x1b[2J",
                outcome=Outcome.REFUSED,
                base=BASE,
                candidate=REV,
                findings=(HOSTILE,),
            ),
        )
    ),
    "two_refs": Verdict(
        tuple(
            Transition(
                ref=ref,
                outcome=outcome,
                base=BASE,
                candidate=REV,
                findings=(finding(),) if outcome is Outcome.REFUSED else (),
            )
            for ref, outcome in (
                ("refs/heads/good", Outcome.ACCEPTED),
                ("refs/heads/bad", Outcome.REFUSED),
            )
        )
    ),
}


MUTED = Verdict(
    (
        Transition(
            ref="refs/heads/topic",
            outcome=Outcome.REFUSED,
            base=BASE,
            candidate=REV,
            findings=(
                Finding(
                    code="mute.unrecorded",
                    severity=Severity.ERROR,
                    path="tests/test_order.py",
                    line=4,
                    about="tests/test_order.py::test_total",
                    detector="marker",
                    got="pytest.mark.skip",
                    expected="as before: tests/test_order.py::test_total ran",
                    before="def test_total(): assert total([1]) == 1",
                    after="pytest.mark.skip",
                ),
                Finding(
                    code="mute.unrecorded",
                    severity=Severity.WARNING,
                    path="Makefile",
                    detector="runner",
                    got="test: pytest -k fast  [-k fast is new]",
                    expected="as before: pytest",
                    before="pytest",
                    after="pytest -k fast\x1b[2J",
                ),
            ),
        ),
    )
)


def assert_golden(name: str, text: str) -> None:
    """Compare a text with its golden file, or remake that."""
    path = GOLDEN / name
    if os.environ.get("REMAKE_GOLDEN"):
        path.write_text(text, encoding="ascii")
    assert text == path.read_text(encoding="ascii")


@pytest.mark.parametrize("name", VERDICTS)
def test_text(name: str) -> None:
    assert_golden(f"{name}.txt", "\n".join(verdict_lines(VERDICTS[name])) + "\n")


def test_mutes_before_and_after() -> None:
    lines = [*verdict_lines(MUTED), *mute_lines(MUTED)]
    assert_golden("explained_mutes.txt", "\n".join(lines) + "\n")


def test_no_mutes_are_told_too() -> None:
    assert list(mute_lines(VERDICTS["nothing"]))[1].startswith("mutes: 0,")


@pytest.mark.parametrize("name", VERDICTS)
def test_json(name: str) -> None:
    assert_golden(f"{name}.json", dump_verdict(VERDICTS[name]))


def test_colour_is_the_only_escape_sequence() -> None:
    lines = list(verdict_lines(VERDICTS["hostile"], colour=True))
    plain = [line.replace("\x1b[1m", "").replace("\x1b[31m", "") for line in lines]
    assert all(line.replace("\x1b[0m", "").isprintable() for line in plain)
    assert any("\x1b[31m" in line for line in lines)


def test_no_more_than_a_page_and_the_rest_is_counted() -> None:
    many = tuple(
        Finding(code="path.unexpected", severity=Severity.ERROR, path=f"{n}", got="x", expected="y")
        for n in range(MAX_BLOCKS + 5)
    )
    transition = Transition(
        ref="HEAD", outcome=Outcome.REFUSED, base=BASE, candidate=REV, findings=many
    )
    lines = list(verdict_lines(Verdict((transition,))))
    assert sum(line.startswith("error") for line in lines) == MAX_BLOCKS
    assert "5 not shown: --format json" in lines[-2]
    assert lines[-1] == "next: Remove it: git rm --cached PATH"
    assert len(lines) < 40


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ([], Outcome.UNDECIDED),
        ([Outcome.ACCEPTED], Outcome.ACCEPTED),
        ([Outcome.ACCEPTED, Outcome.UNDECIDED], Outcome.UNDECIDED),
        ([Outcome.UNDECIDED, Outcome.REFUSED, Outcome.ACCEPTED], Outcome.REFUSED),
    ],
)
def test_the_worst_transition_decides(outcomes: list[Outcome], worst: Outcome) -> None:
    transitions = tuple(
        Transition(
            ref="HEAD",
            outcome=outcome,
            base=BASE,
            candidate=REV,
            findings=() if outcome is Outcome.ACCEPTED else (finding(),),
        )
        for outcome in outcomes
    )
    assert Verdict(transitions).outcome is worst


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_acceptance_has_no_error_and_all_else_has_one(outcome: Outcome) -> None:
    findings = (finding(),) if outcome is Outcome.ACCEPTED else ()
    with pytest.raises(ValueError, match="error"):
        Transition(ref="HEAD", outcome=outcome, base=BASE, candidate=REV, findings=findings)
