"""What fits into a request, and which statement counts as the assertion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.model.brief import FileDiff
from freezegate.model.observation import Failure, Frame, Leaf
from freezegate.policy.briefing import bound_brief, find_assertion

ORACLE = "tests/properties/rules.py"


def frame(path: str | None, line: int) -> Frame:
    """A frame that can be told apart by its line."""
    return Frame(path=path, qualname=f"f{line}", source=f"line {line}", line=line)


OWN, HELPER, SUBJECT, LIBRARY = frame(ORACLE, 5), frame(ORACLE, 2), frame("a.py", 9), frame(None, 1)


@pytest.mark.parametrize(
    ("frames", "leaf", "expected"),
    [
        ((OWN,), (), (ORACLE, 5)),
        ((OWN, HELPER), (), (ORACLE, 2)),
        ((OWN, SUBJECT, LIBRARY), (), (ORACLE, 5)),
        ((SUBJECT, LIBRARY), (), ("a.py", 9)),
        ((OWN,), (HELPER, SUBJECT), (ORACLE, 2)),
        ((LIBRARY,), (), (ORACLE, 0)),
        ((), (), (ORACLE, 0)),
    ],
)
def test_the_assertion_is_the_oracle_s_innermost_statement(
    frames: tuple[Frame, ...], leaf: tuple[Frame, ...], expected: tuple[str, int]
) -> None:
    leaves = (Leaf(type_name="KeyError", message="x", frames=leaf),) if leaf else ()
    failure = Failure(type_name="AssertionError", message="no", frames=frames, leaves=leaves)
    found = find_assertion(failure, f"{ORACLE}::test_it", ORACLE)
    assert (found.path, found.line) == expected
    assert found.message == "AssertionError: no"


def test_a_long_message_is_cut() -> None:
    failure = Failure(type_name="E", message="\u00e9" * 5000)
    message = find_assertion(failure, "t", ORACLE).message
    assert len(message.encode()) <= 2_010
    assert message.endswith("\u00e9 [...]")


DIFFS = st.lists(
    st.builds(FileDiff, st.sampled_from("abcdefgh"), st.text(max_size=40)),
    unique_by=lambda each: each.path,
)


@given(st.text(max_size=60), DIFFS, st.frozensets(st.sampled_from("abcdefgh")), st.integers(0, 200))
def test_what_is_shown_is_bounded_and_the_rest_is_named(
    fixture: str, diffs: list[FileDiff], involved: frozenset[str], most: int
) -> None:
    found = bound_brief(fixture, diffs, involved, most)
    shown = found.fixture or ""
    assert len(shown.encode()) + sum(each.size for each in found.diffs) <= most
    assert (found.fixture is None) == (len(fixture.encode()) > most)
    assert sorted((*found.diffs, *found.left_out)) == sorted(diffs)
    room = most - len(shown.encode()) - sum(each.size + len(each.path) for each in found.diffs)
    assert all(each.size + len(each.path) > room for each in found.left_out)
    order = [each.path not in involved for each in found.diffs]
    assert order == sorted(order)
