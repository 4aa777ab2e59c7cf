"""Failures that differ only in what their message quotes are told apart from others."""

from __future__ import annotations

import pytest

from freezegate.model.ledger import LineReason
from freezegate.model.run import RunOutcome
from freezegate.policy.divergence import differing_quotes
from freezegate.policy.window import judge_window

HEAD = "ValueError | t.py:test | f() | "
CASES = [
    pytest.param([], None, id="none"),
    pytest.param([HEAD + "no 'a'"], None, id="one"),
    pytest.param([HEAD + "no 'a'", HEAD + "no 'b'"], ("'a'", "'b'"), id="quoted_text"),
    pytest.param([HEAD + "x 'a' 'c'", HEAD + "x 'a' \"d\""], ("'c'", '"d"'), id="second_text"),
    pytest.param([HEAD + "no 'a'", HEAD + "nor 'b'"], None, id="other_words"),
    pytest.param([HEAD + "no 'a'", HEAD + "no 'a' 'b'"], None, id="one_more"),
    pytest.param([HEAD + "no 'a | b'", HEAD + "no 'a | c'"], ("'a | b'", "'a | c'"), id="bar"),
    pytest.param([HEAD + "no 'a'", "KeyError | t.py:test | f() | no 'b'"], None, id="type"),
    pytest.param(["no 'a'", "no 'b'"], ("'a'", "'b'"), id="no_parts"),
]


@pytest.mark.parametrize(("signatures", "expected"), CASES)
def test_differing_quotes(signatures: list[str], expected: tuple[str, str] | None) -> None:
    assert differing_quotes(signatures) == expected


def test_the_next_step_names_what_differs() -> None:
    answer = judge_window(
        [RunOutcome.FAIL, RunOutcome.FAIL],
        [HEAD + "no 'a'", HEAD + "no 'b'"],
        complete=True,
    )
    assert answer.reason is LineReason.DIVERGENT_SIGNATURES
    assert "'a' and 'b'" in answer.next_step
    assert "make the message stable" in answer.next_step
