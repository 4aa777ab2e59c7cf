"""The record: six required keys, the known optional ones, and nothing that stands in for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.record import dump_record, parse_record

SHA256 = "5a" * 32
OTHER_SHA256 = "6b" * 32
BLOB = "0b" * 20
BLAKE3 = f"blake3:{'c3' * 32}"


def _run(index: int, exit_status: int) -> dict[str, Any]:
    return {
        "index": index,
        "passed": exit_status == 0,
        "exit_status": exit_status,
        "collected": 1,
        "fixture_sha256": SHA256,
        "signature": "AssertionError" if exit_status else None,
    }


def _record(**changes: Any) -> dict[str, Any]:
    return {
        "test_id": "tests/test_order.py::test_total",
        "fixture_path": "tests/fixtures/order.json",
        "fixture_sha256": SHA256,
        "disagreement": [_run(0, 0), _run(1, 1)],
        "oracle_path": "tests/properties/test_order_props.py",
        "oracle_blob": BLOB,
    } | changes


def _bytes(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


def _refusal(value: object) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        parse_record(_bytes(value))
    return refused.value


@pytest.mark.parametrize("key", [pytest.param(key, id=f"without_{key}") for key in _record()])
def test_no_required_key_may_be_missing(key: str) -> None:
    value = _record(notes="the key is here", property_id="a.b")
    del value[key]
    error = _refusal(value)
    assert (error.code, error.place) == ("record.missing_key", key)
    assert key in error.expected


@pytest.mark.parametrize("key", [pytest.param(key, id=f"null_{key}") for key in _record()])
def test_no_required_key_may_be_null(key: str) -> None:
    error = _refusal(_record(**{key: None}))
    assert (error.code, error.place) == ("record.wrong_type", key)
    assert error.got == "null"


@pytest.mark.parametrize("key", [pytest.param(key, id=f"run_without_{key}") for key in _run(0, 0)])
def test_no_key_of_a_run_may_be_missing(key: str) -> None:
    runs = [_run(0, 0), _run(1, 1)]
    del runs[1][key]
    error = _refusal(_record(disagreement=runs))
    assert (error.code, error.place) == ("record.missing_key", f"disagreement[1].{key}")


@pytest.mark.parametrize(
    ("changes", "code", "place", "line"),
    [
        pytest.param({"skip": True}, "record.unknown_key", "skip", 25, id="key_skip"),
        pytest.param({"test id": "x"}, "record.unknown_key", "'test id'", 25, id="key_with_space"),
        pytest.param({"Notes": "x"}, "record.unknown_key", "Notes", 25, id="key_in_other_case"),
        pytest.param({"expires_on": 20261214}, "record.wrong_type", "expires_on", 25, id="number"),
        pytest.param({"expires_on": "14.12.2026"}, "record.wrong_type", "expires_on", 25, id="dmy"),
        pytest.param({"expires_on": "2026-1-4"}, "record.wrong_type", "expires_on", 25, id="short"),
        pytest.param({"expires_on": "never"}, "record.wrong_type", "expires_on", 25, id="never"),
        pytest.param({"owner": 1}, "record.wrong_type", "owner", 25, id="number_for_owner"),
        pytest.param({"owner": "x" * 201}, "record.bad_string", "owner", 25, id="long_owner"),
        pytest.param({"owner": "a\u202eb"}, "record.bad_string", "owner", 25, id="bidi_owner"),
        pytest.param(
            {"expires_after_commits": True},
            "record.wrong_type",
            "expires_after_commits",
            25,
            id="true_for_a_number",
        ),
        pytest.param(
            {"expires_after_commits": 2.0},
            "record.wrong_type",
            "expires_after_commits",
            25,
            id="float_for_a_number",
        ),
        pytest.param(
            {"expires_after_commits": "9"},
            "record.wrong_type",
            "expires_after_commits",
            25,
            id="text_for_a_number",
        ),
        pytest.param(
            {"expires_after_commits": 2**53},
            "record.wrong_type",
            "expires_after_commits",
            25,
            id="more_than_canonical_json_holds",
        ),
        pytest.param({"property_id": ""}, "record.bad_string", "property_id", 25, id="empty_id"),
        pytest.param({"disagreement": []}, "record.wrong_type", "disagreement", 5, id="no_runs"),
        pytest.param(
            {"disagreement": [_run(0, 0)]}, "record.wrong_type", "disagreement", 5, id="one_run"
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1), _run(2, 1)]},
            "record.wrong_type",
            "disagreement",
            5,
            id="three_runs",
        ),
        pytest.param(
            {"disagreement": {"0": _run(0, 0), "1": _run(1, 1)}},
            "record.wrong_type",
            "disagreement",
            5,
            id="object_for_the_runs",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), []]},
            "record.wrong_type",
            "disagreement[1]",
            14,
            id="array_for_a_run",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"passed": 0}]},
            "record.wrong_type",
            "disagreement[1].passed",
            16,
            id="zero_for_false",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"exit_status": True}]},
            "record.wrong_type",
            "disagreement[1].exit_status",
            17,
            id="true_for_one",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"exit_status": 1.0}]},
            "record.wrong_type",
            "disagreement[1].exit_status",
            17,
            id="float_for_one",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"index": -1}]},
            "record.wrong_type",
            "disagreement[1].index",
            15,
            id="negative_index",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"started_at": None}]},
            "record.wrong_type",
            "disagreement[1].started_at",
            21,
            id="null_for_a_time",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"started_at": "2026-11-30T10:37:24Z"}]},
            "record.wrong_type",
            "disagreement[1].started_at",
            21,
            id="time_without_milliseconds",
        ),
        pytest.param(
            {
                "disagreement": [
                    _run(0, 0),
                    _run(1, 1) | {"started_at": "2026-11-30T10:37:24.123+00:00"},
                ]
            },
            "record.wrong_type",
            "disagreement[1].started_at",
            21,
            id="time_with_an_offset",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"started_at": "2026-11-30T24:00:00.000Z"}]},
            "record.wrong_type",
            "disagreement[1].started_at",
            21,
            id="hour_24",
        ),
        pytest.param(
            {"disagreement": [_run(0, 0), _run(1, 1) | {"outcome": "fail"}]},
            "record.unknown_key",
            "disagreement[1].outcome",
            21,
            id="unknown_key_of_a_run",
        ),
    ],
)
def test_values_of_another_form_are_refused_where_they_stand(
    changes: dict[str, Any], code: str, place: str, line: int
) -> None:
    error = _refusal(_record(**changes))
    assert (error.code, error.place, error.line) == (code, place, line)
    assert error.rule is None


@pytest.mark.parametrize(
    ("changes", "code", "rule"),
    [
        pytest.param({"expires_on": "2026-02-30"}, "record.bad_string", "calendar", id="30_feb"),
        pytest.param({"expires_on": "0000-01-01"}, "record.bad_string", "calendar", id="year_0"),
        pytest.param({"fixture_path": "a/../b"}, "path.dotdot", "repo-path", id="dotdot"),
        pytest.param({"fixture_path": ""}, "path.empty", "repo-path", id="empty_path"),
        pytest.param({"oracle_path": "/etc/passwd"}, "path.absolute", "repo-path", id="absolute"),
        pytest.param({"test_id": "tests/test_a.py"}, "test.not_single", "test-id", id="a_file"),
        pytest.param({"test_id": "-k"}, "test.bad_id", "test-id", id="an_option"),
    ],
)
def test_what_a_schema_cannot_say_is_refused_with_its_rule(
    changes: dict[str, Any], code: str, rule: str
) -> None:
    error = _refusal(_record(**changes))
    assert (error.code, error.rule) == (code, rule)


@pytest.mark.parametrize(
    ("key", "honest"),
    [
        pytest.param("fixture_sha256", SHA256, id="sha256"),
        pytest.param("oracle_blob", BLOB, id="object_id"),
        pytest.param("patch_digest", BLAKE3, id="blake3"),
    ],
)
@pytest.mark.parametrize(
    "spell",
    [
        pytest.param(str.upper, id="in_upper_case"),
        pytest.param(lambda text: f"sha256:{text}", id="with_the_prefix_sha256"),
        pytest.param(lambda text: f"blake3:{text}", id="with_another_prefix"),
        pytest.param(lambda text: f"0x{text}", id="as_a_hexadecimal_number"),
        pytest.param(lambda text: text[:-1], id="one_digit_short"),
        pytest.param(lambda text: f"{text}0", id="one_digit_long"),
        pytest.param(lambda text: text[:7], id="abbreviated"),
        pytest.param(lambda text: f"{text} ", id="with_a_space_behind"),
        pytest.param(lambda text: f" {text}", id="with_a_space_before"),
        pytest.param(lambda text: text[:-1] + "g", id="a_letter_that_is_no_digit"),
        pytest.param(lambda text: text[:-1] + "\u0663", id="a_foreign_digit"),
        pytest.param(lambda text: f"{text}^", id="the_parent_of_it"),
        pytest.param(lambda text: f"{text}^{{tree}}", id="its_tree"),
    ],
)
def test_a_digest_has_one_spelling(key: str, honest: str, spell: Any) -> None:
    assert parse_record(_bytes(_record(**{key: honest})))
    error = _refusal(_record(**{key: spell(honest)}))
    assert (error.code, error.place, error.rule) == ("digest.bad_format", key, None)


@pytest.mark.parametrize("key", ["fixture_sha256", "oracle_blob", "patch_digest"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("d" * 41, id="41_digits"),
        pytest.param("", id="empty"),
        pytest.param("HEAD", id="a_branch"),
        pytest.param("HEAD:tests/fixtures/order.json", id="a_revision_with_path"),
        pytest.param(":/fix", id="a_search"),
        pytest.param("@{-1}", id="a_reflog_entry"),
    ],
)
def test_no_name_stands_for_a_digest(key: str, text: str) -> None:
    error = _refusal(_record(**{key: text}))
    assert (error.code, error.place, error.rule) == ("digest.bad_format", key, None)


@pytest.mark.parametrize(
    "digest",
    [
        pytest.param(BLOB, id="40_digits_for_sha256"),
        pytest.param(BLAKE3, id="blake3_for_sha256"),
        pytest.param(f"SHA256:{SHA256}", id="prefix_in_upper_case"),
    ],
)
def test_a_fixture_digest_is_no_other_kind_of_digest(digest: str) -> None:
    assert _refusal(_record(fixture_sha256=digest)).code == "digest.bad_format"


def test_a_digest_with_a_newline_behind_is_refused_as_text() -> None:
    error = _refusal(_record(fixture_sha256=f"{SHA256}\n"))
    assert (error.code, error.place) == ("record.bad_string", "fixture_sha256")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([], id="array"),
        pytest.param("{}", id="text"),
        pytest.param(1, id="number"),
        pytest.param(None, id="null"),
        pytest.param([_record()], id="record_in_an_array"),
    ],
)
def test_a_record_is_an_object(value: object) -> None:
    error = _refusal(value)
    assert (error.code, error.place, error.line) == ("record.wrong_type", "", 1)


def test_an_unknown_key_is_refused_with_the_nearest_known_one() -> None:
    assert _refusal(_record(expires_at="2026-12-14")).expected == "`expires_on`?"
    assert "`owner`?" in _refusal(_record(owners="ada")).expected


def test_an_absent_optional_key_and_a_null_are_told_apart() -> None:
    without, with_null = parse_record(_bytes(_record())), parse_record(_bytes(_record(owner=None)))
    assert without.owner is None
    assert with_null.owner is None
    assert with_null.given - without.given == {"owner"}


def test_runs_keep_their_order_and_values() -> None:
    later = _run(4, 1) | {"started_at": "2026-11-30T10:37:24.123Z", "duration_ms": 5}
    first, second = parse_record(_bytes(_record(disagreement=[_run(2, 0), later]))).disagreement
    assert (first.index, first.passed, first.exit_status, first.signature) == (2, True, 0, None)
    assert (second.index, second.passed, second.exit_status) == (4, False, 1)
    assert (first.started_at, second.started_at) == (None, "2026-11-30T10:37:24.123Z")
    assert (first.duration_ms, second.duration_ms) == (None, 5)


def test_runs_may_name_different_digests_here_since_the_gate_judges_them() -> None:
    runs = [_run(0, 0), _run(1, 1) | {"fixture_sha256": OTHER_SHA256}]
    assert parse_record(_bytes(_record(disagreement=runs))).disagreement[1].passed is False


def test_a_record_of_64_kib_is_read_and_a_larger_one_is_not() -> None:
    data = _bytes(_record(notes="x" * 100))
    padded = data + b" " * (64 * 1024 - len(data))
    assert parse_record(padded).notes == "x" * 100
    with pytest.raises(DecodeError) as refused:
        parse_record(padded + b" ")
    assert refused.value.code == "record.too_large"


def test_a_written_record_has_sorted_keys_and_one_newline_at_the_end() -> None:
    data = dump_record(parse_record(_bytes(_record(owner="Zoë", notes=None))))
    value = json.loads(data)
    assert list(value) == sorted(_record(owner="Zoë", notes=None))
    assert data.endswith(b"\n}\n")
    assert "Zoë".encode() in data
    assert dump_record(parse_record(data)) == data
