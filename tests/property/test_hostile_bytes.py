"""Whatever bytes come in, a parser returns a value or says with DecodeError what is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
import tomli_w

from freezegate.errors import DecodeError
from freezegate.formats.catalog import parse_catalog
from freezegate.formats.evidence import parse_evidence
from freezegate.formats.host import parse_host_settings
from freezegate.formats.ledger import parse_ledger, parse_line
from freezegate.formats.lock import parse_lock
from freezegate.formats.policy import parse_policy
from freezegate.formats.record import parse_record
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.ledger import BadLine
from freezegate.model.reasons import REASONS
from tests.property import documents

MUTANTS_OF_EACH = 3000

_LOCK = "".join(f"{digit * 64}  tests/fixtures/{digit} é.json\n" for digit in "012345").encode()
_LEDGER = b"".join(
    dump_canonical(line) + b"\n"
    for line in (documents.CLASSIFIED, documents.FROZEN, documents.ENDED)
)
_KINDS: tuple[tuple[str, Callable[[bytes], object], bytes], ...] = (
    ("policy", parse_policy, tomli_w.dumps(documents.POLICY).encode()),
    ("host", parse_host_settings, tomli_w.dumps(documents.HOST).encode()),
    ("catalog", parse_catalog, tomli_w.dumps(documents.CATALOG).encode()),
    ("record", parse_record, json.dumps(documents.RECORD, indent=2).encode()),
    ("ledger_line", parse_line, dump_canonical(documents.FROZEN)),
    ("lock", parse_lock, _LOCK),
    ("evidence", parse_evidence, dump_canonical(documents.EVIDENCE) + b"\n"),
)
_every_kind = pytest.mark.parametrize(
    ("parse", "honest"), [pytest.param(parse, honest, id=name) for name, parse, honest in _KINDS]
)

_TOKENS: tuple[bytes, ...] = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"'", b"\\", b"#", b"=", b".", b"\n", b"\r", b" "),
    *(b"null", b"true", b"1.5", b"-0", b"1e999", b"NaN", b"-Infinity", b"0x10", b"1_000", b"+1"),
    *(b"9007199254740991", b"9007199254740992", b"9007199254740993", b"-" + b"9" * 17),
    *(b"9" * 5000, b"1" + b"0" * 400, b"0." + b"1" * 500, b"2026-02-30", b"24:00:00"),
    *(b"\x00", b"\x1b[31m", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
    *(b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xe2\x80\x8c", b"\xf4\x8f\xbf\xbf"),
    *(b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"\\u202e", b"\\x", b"\\n", b"\\U0010FFFF"),
    *(b"../", b"/", b"-", b"@", b"!", b"**", b"*" * 60, b".git/", b"::", b"[0]", b"refs/heads/"),
    *(b"<<<<<<< HEAD\n", b"=======\n", b"  ", b'"""', b"'''", b"[[a]]\n", b"[base]\n", b"a.a=1\n"),
    *(b"[" * 40, b"[" * 60_000, b'{"a":' * 40, b'{"a":' * 20_000, b"{a=" * 600, b"]" * 40),
    *(b"a." * 20 + b"a=1\n", b"a." * 1900, b'"a".' * 900, b"[" + b"a." * 1900 + b"a]\n"),
)
_VALUES: tuple[Any, ...] = (None, True, 0, -1, 2**53, 10**30, 0.5, "", "x" * 70_000, [], {}, [[]])


def _flipped(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, dice: random.Random) -> bytes:
    start, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def _shortened(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data))]


def _with_token(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(_TOKENS) + data[at + dice.choice((0, 0, 1, 8)) :]


def _with_line_again(data: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines, dice.choice(lines)] if dice.random() < 0.5 else lines[::-1])


def _with_part_again(data: bytes, dice: random.Random) -> bytes:
    start, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] * dice.choice((1, 3)) + data[end:]


def _with_words_swapped(data: bytes, dice: random.Random) -> bytes:
    words = data.split(b'"')
    one, other = dice.randrange(len(words)), dice.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return b'"'.join(words)


def _with_value_replaced(data: bytes, dice: random.Random) -> bytes:
    words = data.split(b'"')
    words[dice.randrange(len(words))] = json.dumps(dice.choice(_VALUES)).encode().strip(b'"')
    return b'"'.join(words)


_WAYS = (
    _flipped,
    _cut,
    _shortened,
    _with_token,
    _with_token,
    _with_line_again,
    _with_part_again,
    _with_words_swapped,
    _with_value_replaced,
)


def _mutants(honest: bytes) -> Iterator[bytes]:
    """Hostile documents without end, the same at every run."""
    dice = random.Random(len(honest))  # noqa: S311 - no secret, the same at every run
    while True:
        data = honest
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            data = dice.choice(_WAYS)(data, dice) or b"\n"
        yield data


def _hold_refusal(error: DecodeError) -> None:
    """A refusal has a code to look up and says what was got and expected, printably."""
    assert error.code in REASONS
    assert error.got
    assert error.expected
    for text in (error.place, error.got, error.expected, str(error)):
        assert text.isprintable(), ascii(text)
        assert len(text) < 3000
    assert error.line is None or error.line >= 1


@_every_kind
def test_honest_documents_are_read(parse: Callable[[bytes], object], honest: bytes) -> None:
    assert parse(honest) is not None


@_every_kind
def test_hostile_documents_are_read_or_refused_in_words(
    parse: Callable[[bytes], object], honest: bytes
) -> None:
    refused = 0
    for data in islice(_mutants(honest), MUTANTS_OF_EACH):
        try:
            parse(data)
        except DecodeError as error:
            refused += 1
            _hold_refusal(error)
    assert refused > MUTANTS_OF_EACH // 2


def test_hostile_ledgers_give_their_good_lines_and_a_reason_for_each_bad_one() -> None:
    bad = 0
    for data in islice(_mutants(_LEDGER), MUTANTS_OF_EACH):
        entries = parse_ledger(data)
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        assert b"\n".join(entry.raw for entry in entries) == data.removesuffix(b"\n")
        for entry in entries:
            if isinstance(entry, BadLine):
                bad += 1
                _hold_refusal(entry.error)
    assert bad > MUTANTS_OF_EACH // 2


@_every_kind
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n", id="a_newline"),
        pytest.param(b"\x00" * 1000, id="zeros"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="utf_16"),
        pytest.param(b"[" * 60_000, id="open_brackets"),
        pytest.param(b'{"a":' * 60_000, id="open_braces"),
        pytest.param(b"\n" * 100_000, id="newlines"),
        pytest.param(b" " * 100_000, id="spaces"),
        pytest.param(b"a = " + b"[" * 4000 + b"\n", id="open_toml_arrays"),
        pytest.param((b"[" + b"a." * 2000 + b"a]\n") * 60, id="long_toml_headers"),
        pytest.param(b"\n".join(b" " * 4000 for _ in range(60)), id="lines_of_spaces"),
        pytest.param(b"\n".join(b'"' + b"a" * 4000 for _ in range(60)), id="open_quotes"),
    ],
)
def test_floods_end_in_a_value_or_a_refusal(
    parse: Callable[[bytes], object], honest: bytes, data: bytes
) -> None:
    try:
        parse(data)
    except DecodeError as error:
        _hold_refusal(error)
