"""Test ids name one test, property ids are stable words, owners are somebody."""

from __future__ import annotations

import pytest

from freezegate.errors import InvalidValue
from freezegate.model.ids import PropertyId, TestId, names_nobody


@pytest.mark.parametrize(
    ("text", "path", "names", "parameter"),
    [
        pytest.param("tests/test_a.py::test_b", "tests/test_a.py", ("test_b",), None, id="plain"),
        pytest.param("a.py::T::test_b", "a.py", ("T", "test_b"), None, id="in_a_class"),
        pytest.param("a.py::T::U::t", "a.py", ("T", "U", "t"), None, id="in_an_inner_class"),
        pytest.param("a.py::t[1]", "a.py", ("t",), "1", id="parameter"),
        pytest.param("a.py::t[]", "a.py", ("t",), "", id="empty_parameter"),
        pytest.param("a.py::t[x::y]", "a.py", ("t",), "x::y", id="colons_in_the_parameter"),
        pytest.param("a.py::t[[a]-b]]", "a.py", ("t",), "[a]-b]", id="brackets_in_it"),
        pytest.param("a.py::t[a/../b c]", "a.py", ("t",), "a/../b c", id="path_in_the_parameter"),
        pytest.param("a.py::t[é-語]", "a.py", ("t",), "é-語", id="foreign_parameter"),
        pytest.param("a.py::test_größe", "a.py", ("test_größe",), None, id="foreign_name"),
        pytest.param(".py::t", ".py", ("t",), None, id="file_that_is_a_suffix"),
        pytest.param("a b/c d.py::t", "a b/c d.py", ("t",), None, id="spaces_in_the_path"),
    ],
)
def test_an_id_of_one_test_has_a_file_names_and_perhaps_a_parameter(
    text: str, path: str, names: tuple[str, ...], parameter: str | None
) -> None:
    test_id = TestId(text)
    assert test_id == text
    assert (test_id.path, test_id.names, test_id.parameter) == (path, names, parameter)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "test.bad_id", id="empty"),
        pytest.param("-k test_b", "test.bad_id", id="option"),
        pytest.param("--deselect=a.py::t", "test.bad_id", id="long_option"),
        pytest.param("@args.txt", "test.bad_id", id="file_of_arguments"),
        pytest.param("tests/test_a.py", "test.not_single", id="file"),
        pytest.param("tests", "test.not_single", id="folder"),
        pytest.param("tests/", "test.not_single", id="folder_with_slash"),
        pytest.param(".", "test.bad_id", id="dot"),
        pytest.param("a.py::", "test.bad_id", id="no_name"),
        pytest.param("::t", "test.bad_id", id="no_file"),
        pytest.param("a.py::::t", "test.bad_id", id="empty_class"),
        pytest.param("a.py::t::", "test.bad_id", id="empty_function"),
        pytest.param("a.py:t", "test.bad_id", id="one_colon"),
        pytest.param("a.txt::t", "test.bad_id", id="doctest"),
        pytest.param("a.pyc::t", "test.bad_id", id="bytecode"),
        pytest.param("a.PY::t", "test.bad_id", id="suffix_in_upper_case"),
        pytest.param("a.py::t b", "test.bad_id", id="space_in_the_name"),
        pytest.param("a.py::t or u", "test.bad_id", id="expression"),
        pytest.param("a.py::1t", "test.bad_id", id="name_that_starts_with_a_digit"),
        pytest.param("a.py::t-u", "test.bad_id", id="dash_in_the_name"),
        pytest.param("a.py::t*", "test.bad_id", id="star_in_the_name"),
        pytest.param("a.py::t[1", "test.bad_id", id="open_bracket"),
        pytest.param("a.py::t[1]x", "test.bad_id", id="text_behind_the_bracket"),
        pytest.param("a.py::t]", "test.bad_id", id="bracket_never_opened"),
        pytest.param("a.py::[1]", "test.bad_id", id="parameter_alone"),
        pytest.param("a.py::ﬁx", "test.bad_id", id="ligature_that_python_reads_as_two"),
        pytest.param(
            "a.py::\U0001d42d", "test.bad_id", id="bold_letter_that_python_reads_as_plain"
        ),
        pytest.param("/a.py::t", "test.bad_id", id="absolute"),
        pytest.param("../a.py::t", "test.bad_id", id="dotdot"),
        pytest.param("./a.py::t", "test.bad_id", id="dot_slash"),
        pytest.param("a//b.py::t", "test.bad_id", id="empty_part"),
        pytest.param("a\\b.py::t", "test.bad_id", id="backslash"),
        pytest.param(".git/a.py::t", "test.bad_id", id="dotgit"),
        pytest.param("a.py::t\n", "test.bad_id", id="newline"),
        pytest.param("a.py::t[\x1b[31m]", "test.bad_id", id="escape_in_the_parameter"),
        pytest.param("a.py::t[\u202e]", "test.bad_id", id="bidi_in_the_parameter"),
        pytest.param("a.py::t\u200b", "test.bad_id", id="zero_width_space"),
        pytest.param("a.py::t[\ud800]", "test.bad_id", id="lone_surrogate"),
        pytest.param(f"a.py::t[{'x' * 4096}]", "test.bad_id", id="too_long"),
        pytest.param(f"a.py::t[{'é' * 2048}]", "test.bad_id", id="too_many_bytes"),
    ],
)
def test_what_is_no_id_of_one_test_is_refused(text: str, code: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        TestId(text)
    assert refused.value.code == code
    assert refused.value.got.isascii()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a", id="one_letter"),
        pytest.param("order_total.non_negative", id="two_words"),
        pytest.param("a-b_c1.2d.x", id="dashes_and_digits"),
        pytest.param("a" * 200, id="200_letters"),
    ],
)
def test_a_property_id_is_lower_case_words_with_dots_between(text: str) -> None:
    assert PropertyId(text) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("A", id="upper_case"),
        pytest.param("a.B", id="upper_case_later"),
        pytest.param("1a", id="leading_digit"),
        pytest.param("_a", id="leading_underscore"),
        pytest.param("a.-b", id="word_with_a_leading_dash"),
        pytest.param(".a", id="leading_dot"),
        pytest.param("a.", id="trailing_dot"),
        pytest.param("a..b", id="empty_word"),
        pytest.param("a b", id="space"),
        pytest.param("a\n", id="trailing_newline"),
        pytest.param("a/b", id="slash"),
        pytest.param("a.py::test_b", id="test_id"),
        pytest.param("é", id="foreign_letter"),
        pytest.param("a\u0661", id="foreign_digit"),
        pytest.param("a" * 201, id="201_letters"),
    ],
)
def test_what_is_no_property_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        PropertyId(text)
    assert refused.value.code == "record.bad_string"


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param("", id="empty"),
        pytest.param("   ", id="spaces"),
        pytest.param("TBD", id="tbd"),
        pytest.param("todo", id="todo"),
        pytest.param("<your name>", id="placeholder"),
        pytest.param("your-name", id="placeholder_with_a_dash"),
        pytest.param("[owner]", id="word_in_brackets"),
        pytest.param("@team", id="team"),
        pytest.param("N/A", id="not_available"),
        pytest.param("na", id="not_available_in_short"),
        pytest.param("null", id="null"),
        pytest.param("None", id="none"),
        pytest.param("Nobody", id="nobody"),
        pytest.param("no one", id="no_one"),
        pytest.param("xxx", id="crosses"),
        pytest.param("\uff34\uff4f\uff44\uff4f", id="wide_letters"),
        pytest.param("---", id="dashes"),
        pytest.param("?", id="question_mark"),
        pytest.param("\u3164", id="letter_that_shows_nothing"),
    ],
)
def test_an_owner_that_is_nobody_is_found_out(owner: str) -> None:
    assert names_nobody(owner)


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param("ada", id="name"),
        pytest.param("Zoë", id="foreign_name"),
        pytest.param("李", id="name_of_one_letter"),
        pytest.param("@ada", id="handle"),
        pytest.param("payments-team", id="named_team"),
        pytest.param("ada@example.org", id="address"),
        pytest.param("Ada <ada@example.org>", id="name_and_address"),
        pytest.param("Max Userman", id="name_that_holds_a_word"),
        pytest.param("7", id="number"),
    ],
)
def test_an_owner_that_is_somebody_is_taken(owner: str) -> None:
    assert not names_nobody(owner)
