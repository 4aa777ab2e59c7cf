"""Lines of the host's log: one line whatever a push holds, and nothing but our own is read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.errors import DecodeError
from freezegate.formats.host_log import dump_entry, instant_of, parse_entry
from freezegate.model.digests import ObjectId
from freezegate.model.host import LogEntry, LogEvent, LoggedFreeze

ENTRY = LogEntry(
    event=LogEvent.LANDED,
    time="2026-11-30T10:37:24.123Z",
    push="0123456789abcdef",
    repository="/srv/git/shop.git",
    ref="refs/heads/main",
    old=None,
    new=ObjectId("1" * 40),
    verdict="accepted",
    digest="blake3:" + "2" * 64,
    codes=(),
    freezes=(LoggedFreeze("blake3:" + "3" * 64, "tests/test_a.py::test_a", "requested"),),
)


def test_an_entry_comes_back() -> None:
    assert parse_entry(dump_entry(ENTRY).encode()) == ENTRY
    nothing = ENTRY._replace(push=None, verdict=None, digest=None, new=None, freezes=())
    assert parse_entry(dump_entry(nothing).encode()) == nothing


@given(st.text(max_size=40))
@settings(deadline=None, derandomize=True, database=None)
def test_no_text_breaks_out(text: str) -> None:
    line = dump_entry(ENTRY._replace(ref=text, repository=text))
    assert line.isascii()
    assert line.isprintable()


def test_names_that_are_no_text_are_shown() -> None:
    assert r"\\udcff" in dump_entry(ENTRY._replace(ref="refs/heads/\udcff"))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        dump_entry(ENTRY).encode()[:-1],
        dump_entry(ENTRY).replace("landed", "Landed").encode(),
        dump_entry(ENTRY).replace('"push"', '"pushed"').encode(),
        dump_entry(ENTRY).replace('"1111', '"').encode(),
        dump_entry(ENTRY).replace("{", '{"ref":"refs/heads/x",', 1).encode(),
    ],
)
def test_what_we_did_not_write_is_not_read(line: bytes) -> None:
    with pytest.raises(DecodeError):
        parse_entry(line)


def test_times_are_utc_with_milliseconds() -> None:
    assert instant_of(datetime(2026, 11, 30, 1, 2, 3, 4567, UTC)) == "2026-11-30T01:02:03.004Z"
