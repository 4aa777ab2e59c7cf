"""Corpus group `record`: documents that two readers could read differently, or none at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.git.scenarios.asking import assert_refused
from tests.support import Story

RECORD = ".freeze/record.json"
REQUIRED = (
    "test_id",
    "fixture_path",
    "fixture_sha256",
    "disagreement",
    "oracle_path",
    "oracle_blob",
)


def rewrite(shop: Story, change: Callable[[str], str | bytes]) -> Story:
    """Ask for an honest freeze, then rewrite the record's text."""
    shop.patch().request().write(shop.root)
    return shop.write(RECORD, change(shop.read(RECORD).decode()))


def replace(old: str, new: str) -> Callable[[str], str]:
    """Return a change of one text that must be there."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize("key", REQUIRED)
def test_a001_one_required_key_missing(shop: Story, key: str) -> None:
    shop.patch().request(drop=[key]).write(shop.root)
    assert_refused(shop, "record.missing_key")


@pytest.mark.parametrize("key", REQUIRED)
def test_a001_null_stands_in_for_no_required_key(shop: Story, key: str) -> None:
    def change(text: str) -> str:
        return json.dumps(json.loads(text) | {key: None})

    assert_refused(rewrite(shop, change), "record.wrong_type")


def test_a003_duplicate_key_with_another_value(shop: Story) -> None:
    change = replace("{\n", '{\n  "fixture_sha256": "' + "0" * 64 + '",\n')
    assert_refused(rewrite(shop, change), "record.duplicate_key")


def test_a004_duplicate_key_that_differs_by_an_escape_only(shop: Story) -> None:
    change = replace("{\n", '{\n  "test\\u005fid": "tests/test_order.py::test_other",\n')
    assert_refused(rewrite(shop, change), "record.duplicate_key")


def test_a003_duplicate_key_inside_a_run(shop: Story) -> None:
    change = replace('"passed": true', '"passed": true, "passed": false')
    assert_refused(rewrite(shop, change), "record.duplicate_key")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"exit_status": 0', '"exit_status": false', id="false_for_zero"),
        pytest.param('"exit_status": 1', '"exit_status": true', id="true_for_one"),
        pytest.param('"collected": 1', '"collected": true', id="true_collected"),
        pytest.param('"passed": true', '"passed": 1', id="one_for_true"),
    ],
)
def test_a006_bool_where_int_is_expected(shop: Story, old: str, new: str) -> None:
    assert_refused(rewrite(shop, replace(old, new)), "record.wrong_type")


@pytest.mark.parametrize("number", ["1.0", "-0", "1e0"])
def test_a007_float_where_int_is_expected(shop: Story, number: str) -> None:
    change = replace('"exit_status": 1', f'"exit_status": {number}')
    assert_refused(rewrite(shop, change), "record.wrong_type")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_a009_number_that_becomes_infinity(shop: Story, number: str) -> None:
    change = replace('"expires_after_commits": null', f'"expires_after_commits": {number}')
    assert_refused(rewrite(shop, change), "record.number_not_int")


@pytest.mark.parametrize("number", ["9" * 5000, str(2**53 + 1), str(-(2**53) - 1)])
def test_a010_huge_integer(shop: Story, number: str) -> None:
    change = replace('"expires_after_commits": null', f'"expires_after_commits": {number}')
    assert_refused(rewrite(shop, change), "record.number_not_int")


def test_a012_record_of_a_hundred_megabytes(shop: Story) -> None:
    change = replace("{\n", '{\n  "notes": "' + "n" * 100_000_000 + '",\n')
    assert_refused(rewrite(shop, change), "record.too_large")


def test_a013_byte_order_mark(shop: Story) -> None:
    assert_refused(rewrite(shop, lambda text: "\ufeff" + text), "record.bad_encoding")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_a013_other_encodings(shop: Story, encoding: str) -> None:
    def change(text: str) -> bytes:
        return text.replace("ada", "adä").encode(encoding)

    assert_refused(rewrite(shop, change), "record.bad_encoding")


@pytest.mark.parametrize("escaped", [True, False])
def test_a015_carriage_return_inside_a_ledger_value(shop: Story, escaped: bool) -> None:
    request = shop.patch().request()
    request.write(shop.root)
    ledger = shop.read(".freeze/ledger.jsonl")
    hidden = b"test_total\\r" if escaped else b"test_total\r"
    shop.write(".freeze/ledger.jsonl", ledger.replace(b"test_total", hidden, 1))
    assert_refused(shop, "record.bad_string")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_a016_separators_that_split_a_row_for_some_readers(shop: Story, separator: str) -> None:
    request = shop.patch().request(line={"owner": f"ada{separator}bob"})
    request.write(shop.root)
    assert_refused(shop, "record.bad_string")


def test_a018_lone_surrogate(shop: Story) -> None:
    assert_refused(rewrite(shop, replace('"ada"', '"\\ud800"')), "record.bad_string")


def test_a019_surrogate_as_bytes(shop: Story) -> None:
    def change(text: str) -> bytes:
        return text.encode().replace(b'"ada"', b'"\xed\xa0\x80"')

    assert_refused(rewrite(shop, change), "record.bad_encoding")


@pytest.mark.parametrize("target", ["/etc/passwd", "../README.md", "catalog.toml"])
def test_a021_record_is_a_symbolic_link(shop: Story, target: str) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / RECORD).unlink()
    (shop.root / RECORD).symlink_to(target)
    assert_refused(shop, "record.not_regular_file")


def test_a022_record_is_a_submodule(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    shop.commit()
    shop.plumb({RECORD: ("160000", shop.rev("HEAD"))})
    answer = shop.check()
    assert "record.not_regular_file" in answer.errors


def test_a022_record_is_a_folder(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / RECORD).unlink()
    shop.write(f"{RECORD}/inside", "x")
    assert_refused(shop, "path.unexpected")


@pytest.mark.parametrize("content", ["", "\n", "  \n\n"])
def test_a024_empty_record(shop: Story, content: str) -> None:
    assert_refused(rewrite(shop, lambda _: content), "record.missing_key")


def test_a025_the_index_is_judged_never_the_work_tree(shop: Story) -> None:
    good = shop.patch().request()
    good.write(shop.root)
    text = shop.read(RECORD)
    broken: dict[str, Any] = json.loads(text)
    del broken["oracle_blob"]
    shop.write(RECORD, json.dumps(broken))
    shop.git("add", "-A", "-f")
    shop.write(RECORD, text)
    answer = shop.check("--staged")
    assert "record.missing_key" in answer.errors
    shop.git("commit", "-q", "--no-verify", "-m", "the index is what is committed")
    assert "record.missing_key" in shop.check().errors


def test_a025_a_bad_work_tree_does_not_spoil_a_good_index(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    shop.git("add", "-A", "-f")
    shop.write(RECORD, "nonsense")
    assert shop.check("--staged").verdict == "accepted"
