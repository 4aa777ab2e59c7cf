"""Ini files are read as pytest's iniconfig reads them, and setup.cfg as setuptools may."""

from __future__ import annotations

import configparser
from collections.abc import Callable

import iniconfig
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.policy.domain.ini import IniError, parse_ini, setup_lines

PIECES = (
    "[pytest]",
    "[tool:pytest]",
    "[pytest] # ]",
    "[pytest] ; ]",
    "[pytest ]",
    "[a]b]",
    "[",
    "[]",
    "[x",
    "]",
    "a",
    "b = 1",
    "a: 2",
    "a : b = c",
    "=",
    ":",
    " ",
    "\t",
    "#",
    ";",
    "\n",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\u00a0",
    "\ufeff",
    "\0",
    "é",
)
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text())


def by_iniconfig(text: str) -> dict[str, dict[str, str]] | None:
    try:
        read = iniconfig.IniConfig("x", data=text.replace("\r\n", "\n").replace("\r", "\n"))
    except iniconfig.ParseError:
        return None
    return {name: dict(options) for name, options in read.sections.items()}


def by_us(text: str) -> dict[str, dict[str, str]] | None:
    try:
        return parse_ini(text.encode())
    except IniError:
        return None


@settings(max_examples=1500, deadline=None)
@given(text=TEXTS)
def test_agrees_with_iniconfig(text: str) -> None:
    assert by_us(text.encode("utf-8", "replace").decode()) == by_iniconfig(
        text.encode("utf-8", "replace").decode()
    )


@pytest.mark.parametrize(
    "text",
    [
        "[pytest] # ]\naddopts = -p x\n",
        "[tox]\n# hi\u2028[pytest]\naddopts = -p x\n",
        "[tox]\n# hi\x85[pytest]\naddopts = -p x\n",
        "[tox]\n; hi\x0b[pytest]\naddopts = -p x\n",
        "\ufeff[pytest]\naddopts = -p x\n",
        "[pytest]\raddopts = -p x\r",
        "[pytest]\naddopts = -q\n  [x]\n[-p\n  x\n[other\n",
    ],
)
def test_sections_that_a_greedy_reader_misses(text: str) -> None:
    found = by_us(text)
    assert found == by_iniconfig(text)
    assert found
    assert "-p" in found["pytest"]["addopts"]


@pytest.mark.parametrize(
    "data",
    [b"\xff", b"a = 1\n", b"[a]\n[a]\n", b"[a]\nx\n", b"[a]\n x\n", b"[]\n", b"[a]\nx=1\nx=2\n"],
)
def test_what_pytest_stops_at_is_no_table(data: bytes) -> None:
    with pytest.raises(IniError):
        parse_ini(data)


@pytest.mark.parametrize("read", [parse_ini, lambda data: setup_lines(data, "x")])
def test_long_lines_cost_no_more_than_their_length(read: Callable[[bytes], object]) -> None:
    read(b"[x]\nkey" + b" " * 500_000 + b"= x\n")
    read(b"[x]\nkey = " + b"#;[]" * 100_000 + b"\n")
    read(b"[x]\na = b\n" + b" [\n" * 1_000)


@settings(max_examples=800, deadline=None)
@given(
    text=TEXTS.map(lambda text: text.replace("pytest", "options")),
    more=TEXTS.map(lambda text: text.replace("pytest", "options")),
)
def test_what_setuptools_sees_never_changes_unseen(text: str, more: str) -> None:
    if by_setuptools(text) != by_setuptools(more):
        assert by_lines(text) != by_lines(more), (by_setuptools(text), by_setuptools(more))


def by_setuptools(text: str) -> object:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as setuptools does
    try:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        parser.read_file([f"{line}\n" for line in lines])
    except configparser.Error:
        return None
    return dict(parser["options"]) if parser.has_section("options") else None


def by_lines(text: str) -> object:
    try:
        return setup_lines(text.encode("utf-8", "replace"), "options")
    except IniError:
        return "unreadable"
