"""`freezegate witness` on a frozen test that Hypothesis drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from freezegate.formats.evidence import parse_evidence
from tests.git.turns import lay_out
from tests.git.witnessing import POLICY, READ, asked, flaky_shop

if TYPE_CHECKING:
    from pathlib import Path

# Every second pair of processes is a bad one: there some calls, or all, fail.
TEST = (
    "import functools\n"
    + READ
    + """\
from hypothesis import given
from hypothesis import strategies as st

CALLS = []


@functools.cache
def is_bad():
    with open({turns!r}, 'rb', buffering=0) as turns:
        return turns.read(1) == b'f'


@given(st.lists(st.integers()))
def test_total(more):
    CALLS.append(1)
    assert not (is_bad() and {when}), 'now and then'
    lines = json.loads(ORDER.read_text())['lines']
    assert sum(lines + more) == sum(lines) + sum(more)
"""
)
KINDS = {
    "every_call_with_its_plugin": (
        "True",
        '["hypothesispytest"]',
        "AssertionError | tests/test_order.py:test_total | ",
    ),
    "one_call": (
        "len(CALLS) == 5",
        "[]",
        "hypothesis.errors.FlakyFailure[AssertionError at tests/test_order.py:test_total] | ",
    ),
}


@pytest.mark.parametrize(("when", "plugins", "expected"), KINDS.values(), ids=KINDS)
def test_a_flake_has_one_signature_on_both_sides(
    tmp_path: Path, when: str, plugins: str, expected: str
) -> None:
    files = {
        "tests/test_order.py": TEST.format(
            turns=str(lay_out(tmp_path / "turns", "ppff")), when=when
        ),
        ".freeze/policy.toml": POLICY.format(runs=2).replace("[]", plugins),
    }
    story = flaky_shop(tmp_path / "here", files=files)
    said = asked(story)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    assert said.window["runs"] == {"base": ["pass", "fail"], "candidate": ["pass", "fail"]}
    (signature,) = said.window["fail_signatures"]
    assert signature.startswith(expected)
    assert "now and then" in signature.rpartition(" | ")[2]
    (file,) = (story.root / ".freeze" / "evidence").iterdir()
    evidence = parse_evidence(file.read_bytes())
    assert evidence.plan.hypothesis_seed is not None
    assert evidence.environment.hypothesis is not None
    story.commit("Freeze a flaky test")
    answer = story.check()
    assert (answer.status, answer.verdict) == (0, "accepted"), answer.output
