"""Strict JSON: one document that every reader reads alike, each fault with code, place and line."""

from __future__ import annotations

import json
import sys
import time

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.strict_json import dump_canonical, line_of, parse_json

_MAX_BYTES = 1 << 20
_OK_DEPTH = b"[" * 16 + b"]" * 16
# Python 3.13 points at the comma itself, older ones at what follows it.
_COMMA_PLACE = "column 7" if sys.version_info >= (3, 13) else "column 8"
_DEEP_PLACE = "[0]" * 16


def _parse(data: bytes) -> object:
    return parse_json(data, max_bytes=_MAX_BYTES)


@pytest.mark.parametrize(
    ("data", "code", "place", "line"),
    [
        pytest.param(b'{"a":1,"a":1}', "record.duplicate_key", "a", 1, id="key_twice"),
        pytest.param(
            b'{"a":1,\n"\\u0061":2}', "record.duplicate_key", "a", 2, id="key_twice_by_escape"
        ),
        pytest.param(
            b'{"a":[{"b":1},\n{"b":1,\n"b":2}]}',
            "record.duplicate_key",
            "a[1].b",
            3,
            id="key_twice_in_an_inner_object",
        ),
        pytest.param(b'{"a":1,"b":{"a":1},"a":2}', "record.duplicate_key", "a", 1, id="key_later"),
        pytest.param(b'{"":1,"":2}', "record.duplicate_key", "''", 1, id="empty_key_twice"),
        pytest.param(b'{"a":\n1.0}', "record.wrong_type", "a", 2, id="float_that_is_whole"),
        pytest.param(b'{"a":0.5}', "record.wrong_type", "a", 1, id="float"),
        pytest.param(b'{"a":1e0}', "record.wrong_type", "a", 1, id="exponent"),
        pytest.param(b'{"a":-0}', "record.wrong_type", "a", 1, id="minus_zero"),
        pytest.param(b'{"a":-0.0}', "record.wrong_type", "a", 1, id="minus_zero_float"),
        pytest.param(b'{"a":1e999}', "record.number_not_int", "a", 1, id="infinity_by_exponent"),
        pytest.param(b'{"a":-1e999}', "record.number_not_int", "a", 1, id="minus_infinity"),
        pytest.param(b'{"a":NaN}', "record.number_not_int", "a", 1, id="nan"),
        pytest.param(b'{"a":Infinity}', "record.number_not_int", "a", 1, id="infinity"),
        pytest.param(b'{"a":-Infinity}', "record.number_not_int", "a", 1, id="negative_infinity"),
        pytest.param(b"NaN", "record.number_not_int", "", 1, id="nan_alone"),
        pytest.param(
            b'{"a":[0,' + b"9" * 5000 + b"]}", "record.number_not_int", "a[1]", 1, id="5000_digits"
        ),
        pytest.param(
            b'{"a":-' + b"9" * 5000 + b"}", "record.number_not_int", "a", 1, id="minus_5000_digits"
        ),
        pytest.param(
            b'{"a":9007199254740993}', "record.number_not_int", "a", 1, id="two_to_53_plus_1"
        ),
        pytest.param(
            b'{"a":-9007199254740993}', "record.number_not_int", "a", 1, id="minus_two_to_53_plus_1"
        ),
        pytest.param(b"\xef\xbb\xbf{}", "record.bad_encoding", "", 1, id="byte_order_mark"),
        pytest.param(
            b'{"a":\n"\xff"}', "record.bad_encoding", "byte 7", 2, id="byte_that_is_no_utf_8"
        ),
        pytest.param(b'{"a":"\xe9"}', "record.bad_encoding", "byte 6", 1, id="latin_1"),
        pytest.param(b'{"a":"\xc0\xaf"}', "record.bad_encoding", "byte 6", 1, id="overlong_slash"),
        pytest.param(
            b'{"a":"\xed\xa0\xbd\xed\xb8\x80"}',
            "record.bad_encoding",
            "byte 6",
            1,
            id="cesu_surrogates",
        ),
        pytest.param(b'{"a":"\xf4\x90\x80\x80"}', "record.bad_encoding", "byte 6", 1, id="beyond"),
        pytest.param(b"\xff\xfe{\x00}\x00", "record.bad_encoding", "byte 0", 1, id="utf_16"),
        pytest.param(b'{"a":"\\ud800"}', "record.bad_string", "a", 1, id="lone_high_surrogate"),
        pytest.param(b'{"a":"\\udc00x"}', "record.bad_string", "a", 1, id="lone_low_surrogate"),
        pytest.param(
            b'{"a":"\\ude00\\ud83d"}', "record.bad_string", "a", 1, id="surrogates_swapped"
        ),
        pytest.param(
            b'{\n"\\ud800":1}', "record.bad_string", "'\\ud800'", 2, id="surrogate_in_a_key"
        ),
        pytest.param(b'{"a":"\x01"}', "record.bad_string", "column 7", 1, id="raw_control"),
        pytest.param(b'{"a":"\x00"}', "record.bad_string", "column 7", 1, id="raw_zero"),
        pytest.param(b'{"a":"x\ny"}', "record.bad_string", "column 8", 1, id="raw_newline"),
        pytest.param(b'{"a":"\x7f"}', "record.bad_string", "a", 1, id="raw_delete"),
        pytest.param(b'{"a":"\\u0000"}', "record.bad_string", "a", 1, id="escaped_zero"),
        pytest.param(b'{"a":"\\u001b[31m"}', "record.bad_string", "a", 1, id="escaped_escape"),
        pytest.param(b'{"a":"\\n"}', "record.bad_string", "a", 1, id="escaped_newline"),
        pytest.param(b'{"a":"\\t"}', "record.bad_string", "a", 1, id="escaped_tab"),
        pytest.param(b'{"a":"\\r"}', "record.bad_string", "a", 1, id="escaped_return"),
        pytest.param('{"a":"\u2028"}'.encode(), "record.bad_string", "a", 1, id="line_separator"),
        pytest.param(
            '{"a":"\u2029"}'.encode(), "record.bad_string", "a", 1, id="paragraph_separator"
        ),
        pytest.param('{"a":"\x85"}'.encode(), "record.bad_string", "a", 1, id="next_line"),
        pytest.param(b'{"a":"\\u0085"}', "record.bad_string", "a", 1, id="escaped_next_line"),
        pytest.param('{"a":"\ufeff"}'.encode(), "record.bad_string", "a", 1, id="inner_bom"),
        pytest.param(
            '{"x":[\n1,\n{"a\u2028":1}]}'.encode(),
            "record.bad_string",
            "x[1].'a\\u2028'",
            3,
            id="separator_in_a_key",
        ),
        pytest.param(b"[" * 17 + b"]" * 17, "record.too_deep", _DEEP_PLACE, 1, id="17_arrays"),
        pytest.param(
            b'{"a":' * 17 + b"1" + b"}" * 17,
            "record.too_deep",
            ".".join("a" * 16),
            1,
            id="17_objects",
        ),
        pytest.param(
            b"[" * 60_000 + b"]" * 60_000, "record.too_deep", _DEEP_PLACE, 1, id="60000_arrays"
        ),
        pytest.param(b"[" * 60_000, "record.too_deep", _DEEP_PLACE, 1, id="60000_open_brackets"),
        pytest.param(
            b'{"a":' * 60_000, "record.too_deep", ".".join("a" * 16), 1, id="60000_open_braces"
        ),
        pytest.param(b"", "record.missing_key", "", None, id="empty_file"),
        pytest.param(b" \r\n\t\n", "record.missing_key", "", None, id="white_space_alone"),
        pytest.param(b"{}\n{}", "record.bad_encoding", "column 1", 2, id="two_documents"),
        pytest.param(b"{}{}", "record.bad_encoding", "column 3", 1, id="two_documents_in_a_line"),
        pytest.param(b"{} x", "record.bad_encoding", "column 4", 1, id="trailing_garbage"),
        pytest.param(b"{}\x00", "record.bad_encoding", "column 3", 1, id="trailing_zero"),
        pytest.param(b"{'a':1}", "record.bad_encoding", "column 2", 1, id="single_quotes"),
        pytest.param(b'{"a":1,}', "record.bad_encoding", _COMMA_PLACE, 1, id="trailing_comma"),
        pytest.param(b'{"a":01}', "record.bad_encoding", "column 7", 1, id="leading_zero"),
        pytest.param(b'{"a":+1}', "record.bad_encoding", "column 6", 1, id="plus_sign"),
        pytest.param(b'{"a":0x1}', "record.bad_encoding", "column 7", 1, id="hexadecimal"),
        pytest.param(b'{"a":1 //\n}', "record.bad_encoding", "column 8", 1, id="comment"),
        pytest.param(b"\xc2\xa0{}", "record.bad_encoding", "column 1", 1, id="no_break_space"),
        pytest.param(b'{"a":"\\x41"}', "record.bad_encoding", "column 7", 1, id="bad_escape"),
        pytest.param(b'{"a":"', "record.bad_encoding", "column 6", 1, id="cut_in_a_text"),
    ],
)
def test_what_readers_might_read_differently_is_refused(
    data: bytes, code: str, place: str, line: int | None
) -> None:
    with pytest.raises(DecodeError) as refused:
        _parse(data)
    assert (refused.value.code, refused.value.place, refused.value.line) == (code, place, line)
    assert refused.value.rule is None
    assert refused.value.got
    assert refused.value.expected


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b"{}", {}, id="empty_object"),
        pytest.param(b' \r\n\t{"a" :\n[ 1 ]}\n', {"a": [1]}, id="white_space"),
        pytest.param(b'{"a":0,"b":-1}', {"a": 0, "b": -1}, id="whole_numbers"),
        pytest.param(b"9007199254740992", 2**53, id="two_to_53"),
        pytest.param(b"-9007199254740992", -(2**53), id="minus_two_to_53"),
        pytest.param(b'"\\u0041\\"\\\\\\/"', 'A"\\/', id="escapes"),
        pytest.param(b'"\\ud83d\\ude00"', "\U0001f600", id="surrogate_pair_by_escape"),
        pytest.param('"\U0001f600é語"'.encode(), "\U0001f600é語", id="raw_unicode"),
        pytest.param(b'{"a":{"a":1},"b":{"a":1}}', {"a": {"a": 1}, "b": {"a": 1}}, id="same_key"),
        pytest.param(b'{"a":1,"A":2}', {"a": 1, "A": 2}, id="keys_that_differ_in_case"),
        pytest.param(b"true", True, id="true"),
        pytest.param(b"null", None, id="null"),
    ],
)
def test_what_all_readers_read_alike_is_read(data: bytes, value: object) -> None:
    assert _parse(data) == value


def test_sixteen_levels_are_read() -> None:
    assert json.dumps(_parse(_OK_DEPTH)).encode() == _OK_DEPTH
    assert _parse(b'{"a":' * 16 + b"1" + b"}" * 16)


def test_a_document_may_be_as_large_as_its_limit_and_no_byte_larger() -> None:
    assert parse_json(b"[1]", max_bytes=3) == [1]
    with pytest.raises(DecodeError) as refused:
        parse_json(b"[1] ", max_bytes=3)
    assert refused.value.code == "record.too_large"
    assert (refused.value.got, refused.value.expected) == ("4 bytes", "at most 3")


def test_lines_count_from_the_line_on_which_the_document_starts() -> None:
    for data in (b'{\n"a":0.5}', b'{\n"a":"\xff"}', b'{\n"a":x}', b'{\n"a":"\\n"}'):
        with pytest.raises(DecodeError) as refused:
            parse_json(data, max_bytes=_MAX_BYTES, first_line=41)
        assert refused.value.line == 42


def test_the_first_of_several_faults_is_told() -> None:
    with pytest.raises(DecodeError) as refused:
        _parse(b'{"a":"\\n","b":0.5,"b":1}')
    assert refused.value.place == "a"


def test_a_fault_in_front_of_broken_syntax_is_told_first() -> None:
    with pytest.raises(DecodeError) as refused:
        _parse(b"[1.5, }]]]")
    assert (refused.value.code, refused.value.place) == ("record.wrong_type", "[0]")


def test_refusals_hold_nothing_that_a_terminal_would_obey() -> None:
    for data in (b'{"\x1b[31m":1}', b'{"\\u001b":1}', b"[1.5\x1b[31m]", b'{"a\\u202e":1.5}'):
        with pytest.raises(DecodeError) as refused:
            _parse(data)
        assert str(refused.value).isprintable()


def test_a_large_document_with_one_foreign_letter_is_checked_quickly() -> None:
    entries = [{"path": f"tests/{n}.py", "mode": 33188, "blob": "a" * 40} for n in range(10_000)]
    data = json.dumps([entries, "→"], ensure_ascii=False).encode()
    before = time.process_time()
    assert parse_json(data, max_bytes=4 << 20) == [entries, "→"]
    assert time.process_time() - before < 6  # counting lines anew for each token took 12 s


def test_places_of_a_document_have_lines() -> None:
    data = b'{"a": 1,\n "b": [\n  {"c d": 2}\n ]}'
    assert line_of(data, "b") == 2
    assert line_of(data, "b[0]") == 3
    assert line_of(data, "b[0].'c d'") == 3
    assert line_of(data, "b[1]") is None


def test_the_canonical_form_sorts_keys_and_leaves_out_spaces() -> None:
    value = {"b": [1, True, None], "a": "é\n", "\U0001f600": 1, "\uff01": 2}
    assert dump_canonical(value) == (
        '{"a":"é\\n","b":[1,true,null],"\U0001f600":1,"\uff01":2}'.encode()
    )
