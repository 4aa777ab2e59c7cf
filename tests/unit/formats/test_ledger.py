"""The ledger: canonical lines, counts that are those of the runs, and no bad line hides another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.ledger import MAX_LINE_BYTES, dump_line, parse_ledger, parse_line
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.digests import Blake3
from freezegate.model.ledger import BadLine, Classified, Ended, Ending, Frozen, LedgerEntry

SHA256 = "5a" * 32
OID = "0b" * 20
BLAKE3 = f"blake3:{'c3' * 32}"


def _classified(**changes: Any) -> dict[str, Any]:
    return {
        "event": "classified",
        "property_id": "order_total.non_negative",
        "test_id": "tests/test_order.py::test_total",
        "fixture_path": "tests/fixtures/order.json",
        "fixture_sha256": SHA256,
        "oracle_path": "tests/properties/test_order_props.py",
        "oracle_blob": OID,
        "seed": None,
        "base_rev": OID,
        "candidate_rev": OID,
        "base_runs": ["pass", "fail"],
        "candidate_runs": ["fail", "pass", "pass"],
        "runs": 5,
        "passes": 3,
        "fails": 2,
        "fail_signatures": ["AssertionError", "AssertionError"],
        "class": "env_unstable",
        "freeze_eligible": True,
        "status": "freeze_candidate",
        "reason": "intermittent_on_stable_digest",
        "patch_digest": BLAKE3,
        "domain_digest": BLAKE3,
        "evidence": BLAKE3,
    } | changes


def _frozen(**changes: Any) -> dict[str, Any]:
    asked = {
        "event": "frozen",
        "status": "frozen",
        "owner": "Zoë",
        "expires_on": "2026-12-14",
        "expires_after_commits": None,
        "renews": None,
    }
    return _classified(**asked) | changes


def _ended(**changes: Any) -> dict[str, Any]:
    return {
        "event": "lifted",
        "freeze": BLAKE3,
        "base_rev": OID,
        "fixture_sha256": SHA256,
        "reason": "the test was repaired",
        "owner": "ada",
    } | changes


def _without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


def _refusal(raw: bytes) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        parse_line(raw)
    return refused.value


def _bad(data: bytes) -> BadLine:
    (entry,) = parse_ledger(data)
    assert isinstance(entry, BadLine)
    return entry


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        pytest.param(_classified(), Classified, id="classified"),
        pytest.param(_classified(base_runs=[], runs=3, passes=2, fails=1), Classified, id="fewer"),
        pytest.param(
            _classified(
                base_runs=[],
                candidate_runs=[],
                runs=0,
                passes=0,
                fails=0,
                fail_signatures=[],
                status="block",
                reason="missing_fixture",
                freeze_eligible=False,
            ),
            Classified,
            id="no_runs_at_all",
        ),
        pytest.param(_frozen(), Frozen, id="frozen"),
        pytest.param(_frozen(renews=BLAKE3, expires_after_commits=200), Frozen, id="renewal"),
        pytest.param(
            _frozen(
                property_id=None,
                base_runs=[],
                candidate_runs=["pass", "fail"],
                runs=2,
                passes=1,
                fails=1,
                fail_signatures=["E"],
                evidence=None,
                domain_digest=Blake3(BLAKE3),
                candidate_rev=None,
            )
            | {"class": None},
            Frozen,
            id="basic_without_a_catalogue_entry",
        ),
        pytest.param(_ended(), Ended, id="lifted"),
        pytest.param(_ended(event="void"), Ended, id="void"),
        pytest.param(_ended(event="expired", reason=""), Ended, id="expired"),
    ],
)
def test_good_lines_are_read_and_written_alike(value: dict[str, Any], kind: type[object]) -> None:
    raw = dump_canonical(value)
    line = parse_line(raw)
    assert type(line) is kind
    assert dump_line(line) == raw


@pytest.mark.parametrize(
    ("value", "place"),
    [
        pytest.param(_classified(runs=4), "runs", id="runs_too_few"),
        pytest.param(_classified(runs=6), "runs", id="runs_too_many"),
        pytest.param(_classified(passes=4), "passes", id="passes_too_many"),
        pytest.param(_classified(fails=1), "fails", id="fails_too_few"),
        pytest.param(_classified(passes=2, fails=3), "passes", id="one_moved_over"),
        pytest.param(_classified(base_runs=["pass", "pass"]), "passes", id="a_run_turned_green"),
        pytest.param(_classified(base_runs=[]), "runs", id="base_runs_left_out"),
        pytest.param(_frozen(fail_signatures=[]), "fail_signatures", id="no_signatures"),
        pytest.param(_frozen(fail_signatures=["E"]), "fail_signatures", id="a_signature_short"),
        pytest.param(_frozen(fail_signatures=["E"] * 3), "fail_signatures", id="one_too_many"),
        pytest.param(_frozen(status="freeze_candidate"), "status", id="frozen_but_a_candidate"),
        pytest.param(_frozen(status="merge_ok"), "status", id="frozen_but_merge_ok"),
    ],
)
def test_counts_that_contradict_the_runs_are_refused(value: dict[str, Any], place: str) -> None:
    error = _refusal(dump_canonical(value))
    assert (error.code, error.place, error.rule) == ("ledger.bad_row", place, "counts")


def test_a_classified_line_is_never_frozen() -> None:
    error = _refusal(dump_canonical(_classified(status="frozen")))
    assert (error.code, error.place, error.rule) == ("ledger.bad_row", "status", "frozen-line")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(json.dumps(_ended(), sort_keys=True).encode(), id="spaces_behind_separators"),
        pytest.param(dump_canonical(_ended()) + b" ", id="space_at_the_end"),
        pytest.param(b" " + dump_canonical(_ended()), id="space_at_the_start"),
        pytest.param(dump_canonical(_ended()) + b"\r", id="crlf"),
        pytest.param(
            json.dumps(_ended(), separators=(",", ":")).encode(), id="keys_in_another_order"
        ),
        pytest.param(
            dump_canonical(_ended()).replace(b"ada", b"\\u0061da"), id="escape_of_a_plain_letter"
        ),
        pytest.param(
            dump_canonical(_ended(owner="Zoë")).replace("ë".encode(), b"\\u00eb"),
            id="escape_of_a_foreign_letter",
        ),
        pytest.param(dump_canonical(_ended(owner="a/b")).replace(b"/", b"\\/"), id="escaped_slash"),
    ],
)
def test_another_spelling_of_a_good_line_is_refused(raw: bytes) -> None:
    error = _refusal(raw)
    assert (error.code, error.rule) == ("ledger.bad_row", "canonical")
    assert type(parse_line(raw, canonical=False)) is Ended


@pytest.mark.parametrize("key", [pytest.param(key, id=f"without_{key}") for key in _frozen()])
def test_no_key_of_a_frozen_line_may_be_missing(key: str) -> None:
    bad = _bad(dump_canonical(_without(_frozen(), key)) + b"\n")
    assert bad.error.code == "ledger.bad_row"
    assert bad.error.place == key


@pytest.mark.parametrize("key", [pytest.param(key, id=f"without_{key}") for key in _ended()])
def test_no_key_of_an_ending_may_be_missing(key: str) -> None:
    bad = _bad(dump_canonical(_without(_ended(), key)) + b"\n")
    assert bad.error.code == "ledger.bad_row"
    assert bad.error.place == key


@pytest.mark.parametrize(
    ("value", "place"),
    [
        pytest.param(_frozen(skip=True), "skip", id="key_skip"),
        pytest.param(_frozen(notes="x"), "notes", id="notes_belong_to_records"),
        pytest.param(_classified(owner="ada"), "owner", id="classified_with_an_owner"),
        pytest.param(_ended(renews=None), "renews", id="ending_that_renews"),
        pytest.param(_frozen(base_rev=None), "base_rev", id="null_base_rev"),
        pytest.param(_frozen(base_rev="HEAD"), "base_rev", id="base_rev_is_a_branch"),
        pytest.param(_frozen(base_rev=OID[:12]), "base_rev", id="base_rev_abbreviated"),
        pytest.param(_frozen(fixture_sha256=None), "fixture_sha256", id="null_fixture_sha256"),
        pytest.param(_frozen(base_runs=["passed"]), "base_runs[0]", id="unknown_outcome"),
        pytest.param(_frozen(base_runs=["skip"]), "base_runs[0]", id="outcome_skip"),
        pytest.param(_frozen(base_runs=[True]), "base_runs[0]", id="true_for_an_outcome"),
        pytest.param(_frozen(base_runs="pass"), "base_runs", id="text_for_the_runs"),
        pytest.param(_frozen(runs=True), "runs", id="true_for_a_count"),
        pytest.param(_frozen(runs=-1), "runs", id="negative_count"),
        pytest.param(_frozen(status="skip"), "status", id="status_skip"),
        pytest.param(_frozen(reason="flaky"), "reason", id="unknown_reason"),
        pytest.param(_frozen() | {"class": "flaky"}, "class", id="unknown_class"),
        pytest.param(_frozen(freeze_eligible=1), "freeze_eligible", id="one_for_true"),
        pytest.param(_frozen(patch_digest=SHA256), "patch_digest", id="sha256_for_blake3"),
        pytest.param(_frozen(test_id="tests"), "test_id", id="folder_for_a_test"),
        pytest.param(_frozen(fixture_path="../x"), "fixture_path", id="path_with_dotdot"),
        pytest.param(_ended(owner=None), "owner", id="ended_by_null"),
        pytest.param(_ended(freeze=None), "freeze", id="ends_no_freeze"),
        pytest.param(_ended(event="renewed"), "event", id="unknown_event"),
        pytest.param(_ended(event="Lifted"), "event", id="event_in_other_case"),
        pytest.param(_ended(event=None), "event", id="null_event"),
        pytest.param(_ended(event=["lifted"]), "event", id="array_for_an_event"),
        pytest.param([_ended()], "event", id="array_for_a_line"),
        pytest.param("lifted", "event", id="text_for_a_line"),
        pytest.param(None, "event", id="null_for_a_line"),
    ],
)
def test_lines_of_another_form_are_bad_rows(value: object, place: str) -> None:
    bad = _bad(dump_canonical(value) + b"\n")
    assert (bad.error.code, bad.error.place) == ("ledger.bad_row", place)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        pytest.param(b"", "ledger.bad_row", id="blank_line"),
        pytest.param(b"   ", "ledger.bad_row", id="line_of_spaces"),
        pytest.param(b"<<<<<<< HEAD", "ledger.conflict_markers", id="conflict_start"),
        pytest.param(b"||||||| 1a2b3c4", "ledger.conflict_markers", id="conflict_base"),
        pytest.param(b"=======", "ledger.conflict_markers", id="conflict_middle"),
        pytest.param(b">>>>>>> topic", "ledger.conflict_markers", id="conflict_end"),
        pytest.param(b"# a comment", "record.bad_encoding", id="comment"),
        pytest.param(b"{", "record.bad_encoding", id="cut"),
        pytest.param(b"\xef\xbb\xbf{}", "record.bad_encoding", id="byte_order_mark"),
        pytest.param(b'{"a":"\xff"}', "record.bad_encoding", id="no_utf_8"),
        pytest.param(b'{"event":"void","event":"lifted"}', "record.duplicate_key", id="two_events"),
        pytest.param(b'{"event":1e999}', "record.number_not_int", id="infinity"),
        pytest.param(b'{"event":1.0}', "ledger.bad_row", id="float"),
        pytest.param(b'{"event":"a\\r"}', "record.bad_string", id="return_inside_a_value"),
        pytest.param(b'{"event":"a\xe2\x80\xa8"}', "record.bad_string", id="line_separator"),
        pytest.param(b'{"event":"a\xc2\x85"}', "record.bad_string", id="next_line"),
        pytest.param(b"[" * 17 + b"]" * 17, "record.too_deep", id="17_levels"),
        pytest.param(b" " * (MAX_LINE_BYTES + 1), "record.too_large", id="line_too_long"),
    ],
)
def test_lines_that_are_no_json_say_so_with_the_code_of_the_text(raw: bytes, code: str) -> None:
    bad = _bad(raw + b"\n")
    assert bad.error.code == code
    assert bad.raw == raw


@pytest.mark.parametrize(
    ("value", "place"),
    [
        pytest.param(_frozen(expires_on="2026-02-30"), "expires_on", id="day_that_is_none"),
        pytest.param(_frozen(owner="a\u202eb"), "owner", id="owner_written_backwards"),
        pytest.param(_frozen(property_id="A.b"), "property_id", id="property_in_upper_case"),
        pytest.param(_ended(owner=""), "owner", id="ended_by_nobody"),
        pytest.param(_ended(reason="x" * 4097), "reason", id="reason_too_long"),
    ],
)
def test_texts_of_another_form_keep_the_code_of_the_text(value: object, place: str) -> None:
    bad = _bad(dump_canonical(value) + b"\n")
    assert (bad.error.code, bad.error.place) == ("record.bad_string", place)


def test_a_separator_inside_a_value_makes_no_second_line() -> None:
    smuggled = dump_canonical(_ended(reason="x\u2028" + dump_canonical(_ended()).decode()))
    assert len(parse_ledger(smuggled + b"\n")) == 1


def test_bad_lines_hide_no_others_and_each_has_its_number() -> None:
    good = dump_canonical(_ended())
    data = b"\n".join([good, b"", b"<<<<<<< HEAD", good, b"{", dump_canonical(_frozen())]) + b"\n"
    entries = parse_ledger(data)
    assert [type(entry) for entry in entries] == [
        LedgerEntry,
        BadLine,
        BadLine,
        LedgerEntry,
        BadLine,
        LedgerEntry,
    ]
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert entries[3].raw == good


def test_numbers_of_added_lines_count_on_from_the_lines_before() -> None:
    good = dump_canonical(_ended())
    assert [entry.number for entry in parse_ledger(good + b"\n" + good, first_line=8)] == [8, 9]


def test_a_last_line_without_newline_is_refused_though_it_is_good() -> None:
    good = dump_canonical(_ended())
    first, second = parse_ledger(good + b"\n" + good)
    assert isinstance(first, LedgerEntry)
    assert isinstance(second, BadLine)
    assert (second.number, second.raw, second.error.code) == (2, good, "ledger.bad_row")


def test_an_empty_ledger_has_no_lines() -> None:
    assert parse_ledger(b"") == ()


def test_lines_that_landed_need_no_canonical_spelling() -> None:
    raw = json.dumps(_frozen()).encode()
    assert isinstance(parse_ledger(raw + b"\n")[0], BadLine)
    assert isinstance(parse_ledger(raw + b"\n", canonical=False)[0], LedgerEntry)


def test_counts_of_lines_that_landed_are_still_those_of_their_runs() -> None:
    raw = json.dumps(_frozen(fails=1)).encode()
    assert isinstance(parse_ledger(raw + b"\n", canonical=False)[0], BadLine)


def test_a_freeze_id_is_the_digest_of_the_line_without_its_newline() -> None:
    raw = dump_canonical(_frozen())
    (entry,) = parse_ledger(raw + b"\n")
    assert isinstance(entry, LedgerEntry)
    assert entry.freeze_id == Blake3.of(raw)
    assert entry.freeze_id != Blake3.of(raw + b"\n")


def test_a_freeze_is_for_a_property_and_a_digest_or_for_a_test_where_none_is_named() -> None:
    named = parse_line(dump_canonical(_frozen()))
    unnamed = parse_line(dump_canonical(_frozen(property_id=None)))
    assert isinstance(named, Frozen)
    assert isinstance(unnamed, Frozen)
    assert named.key == ("order_total.non_negative", SHA256)
    assert unnamed.key == ("test:tests/test_order.py::test_total", SHA256)


def test_endings_keep_what_they_say() -> None:
    line = parse_line(dump_canonical(_ended(event="void")))
    assert isinstance(line, Ended)
    assert (line.event, line.freeze, line.owner) == (Ending.VOID, BLAKE3, "ada")
