"""Corpus group `test_id`: ids that select more, less or something else than one test."""

from __future__ import annotations

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused
from tests.support import TEST_ID, Story

BAD_IDS = [
    pytest.param("@ids.txt", "test.bad_id", id="a060_argument_file"),
    pytest.param("-k test_total", "test.bad_id", id="a060_option"),
    pytest.param(f"{TEST_ID} tests/b.py::test_b", "test.bad_id", id="a061_two_ids"),
    pytest.param(f"{TEST_ID}::", "test.bad_id", id="a061_trailing_separator"),
    pytest.param("tests/test_order.py", "test.not_single", id="a063_file"),
    pytest.param("tests/", "test.not_single", id="a063_folder"),
    pytest.param("tests", "test.not_single", id="a063_folder_without_slash"),
    pytest.param("tests/test_order.py::TestClass", "test.not_single", id="a063_class"),
    pytest.param("tests/test_order.py::test_family", "test.not_single", id="a064_family"),
    pytest.param("tests/test_order.py[x]", "test.not_single", id="a064_brackets_on_a_file"),
    pytest.param("tests/test_order.py::test_new", "test.not_found_at_base", id="a066_new_test"),
    pytest.param("tests/nowhere.py::test_total", "test.not_found_at_base", id="a066_new_file"),
    pytest.param("tests/test_order.py::TestClass::test_x", "test.not_found_at_base", id="a066_new"),
    pytest.param("tests/test_order.py::test_a\u202e", "test.bad_id", id="a069_bidi"),
    pytest.param("tests/test_order.py::test_\ufb01", "test.bad_id", id="a069_ligature"),
    pytest.param("test_order.py::test_total", "test.not_found_at_base", id="a070_nested_rootdir"),
    pytest.param("../tests/test_order.py::test_total", "test.bad_id", id="a070_outside"),
    pytest.param("tests/test_order.py::test_total[x", "test.bad_id", id="open_bracket"),
]


@pytest.mark.parametrize(("test_id", "code"), BAD_IDS)
def test_a060_to_a070_bad_ids(shop: Story, test_id: str, code: str) -> None:
    shop.write(
        "tests/test_order.py", shop.read("tests/test_order.py") + b"\n\ndef test_new():\n    pass\n"
    )
    shop.patch().request(record={"test_id": test_id}).write(shop.root)
    assert_refused(shop, code)


def test_a069_control_characters_in_an_id(shop: Story) -> None:
    shop.patch().request(record={"test_id": TEST_ID + "\x1b[2J"}).write(shop.root)
    assert_refused(shop, "record.bad_string")


@pytest.mark.parametrize(
    "test_id",
    [
        TEST_ID,
        "tests/test_order.py::test_family[1]",
        "tests/test_order.py::TestClass::test_method",
    ],
)
def test_one_test_may_be_named_in_each_of_its_forms(shop: Story, test_id: str) -> None:
    shop.patch().request(test_id=test_id).write(shop.root)
    assert_accepted(shop)
