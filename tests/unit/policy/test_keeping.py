"""Which fields of an input `keep` holds, and what goes."""

from __future__ import annotations

from typing import Any

import pytest

from freezegate.policy.keeping import Projection, project, with_field

ORDER = {"order": {"discount": 61, "lines": [1], "note": "a"}}
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], Projection]] = {
    "nothing_named_keeps_all": (ORDER, (), Projection(ORDER, (), ())),
    "all_named": (ORDER, ("lines", "discount", "note"), Projection(ORDER, (), ())),
    "some_named": (
        ORDER,
        ("lines", "discount"),
        Projection({"order": {"discount": 61, "lines": [1]}}, ("note",), ()),
    ),
    "an_argument_named": (ORDER, ("order",), Projection(ORDER, (), ())),
    "one_that_is_not_there": (
        ORDER,
        ("lines", "tax"),
        Projection({"order": {"lines": [1]}}, ("discount", "note"), ("tax",)),
    ),
    "pairs_in_another_order": (
        {"order": {"$dict": [["lines", [1]], ["discount", 61]]}},
        ("lines",),
        Projection({"order": {"$dict": [["lines", [1]]]}}, ("discount",), ()),
    ),
    "a_mapping_that_is_data": (
        {"order": {"lines": [1]}, "prices": {"a": 1}},
        ("lines",),
        Projection({"order": {"lines": [1]}, "prices": {"a": 1}}, (), ()),
    ),
    "a_tagged_value_is_no_mapping": (
        {"price": {"$decimal": "1"}},
        ("price",),
        Projection({"price": {"$decimal": "1"}}, (), ()),
    ),
}


@pytest.mark.parametrize(("arguments", "keep", "expected"), CASES.values(), ids=CASES)
def test_what_keep_leaves(
    arguments: dict[str, Any], keep: tuple[str, ...], expected: Projection
) -> None:
    assert project(arguments, keep) == expected


def test_one_field_comes_back_alone() -> None:
    kept = with_field(ORDER, "note", ("discount", "note"))
    assert kept == {"order": {"lines": [1], "note": "a"}}
