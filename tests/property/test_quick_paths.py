"""The law of short cuts: what is quick for many paths says the same as what is thorough for one."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.errors import DecodeError, InvalidValue
from freezegate.formats import ledger
from freezegate.formats.ledger import MAX_LINE_BYTES, dump_line, read_lines
from freezegate.formats.ledger_canonical import read_canonical
from freezegate.formats.strict_json import dump_canonical, parse_json
from freezegate.model import paths
from freezegate.model.globs import Glob
from freezegate.model.ledger import LedgerLine
from freezegate.model.paths import RepoPath, are_plain_names, is_hidden_character
from freezegate.policy.globs import folder_of, literal_folder, many_matcher, matches
from tests.property import documents

_same_every_time = settings(deadline=None, derandomize=True, database=None, max_examples=150)
_parts = st.sampled_from(["a", "b", "ab", "a.json", "*", "*.json", "a*", "?", "[ab]", "**", "x y"])
_names = st.sampled_from(["a", "b", "ab", "a.json", "x.json", "c", "x y", "n\nl", "caf\udce9"])


@st.composite
def _globs(draw: st.DrawFn) -> Glob | None:
    text = "/".join(draw(st.lists(_parts, min_size=1, max_size=4)))
    front = draw(st.sampled_from(["", "", "", "/", "!", "!/"]))
    try:
        return Glob(front + text + draw(st.sampled_from(["", "", "/", "/**"])))
    except InvalidValue:
        return None


_patterns = st.lists(_globs(), max_size=4).map(lambda each: tuple(g for g in each if g is not None))
_paths = st.lists(_names, min_size=1, max_size=4).map("/".join)


@given(_patterns, _paths)
@_same_every_time
def test_many_paths_match_as_one_does(patterns: tuple[Glob, ...], path: str) -> None:
    thorough = matches(patterns, path.encode("utf-8", "surrogateescape"))
    assert many_matcher(patterns)(path) is thorough
    adding = [pattern for pattern in patterns if not pattern.startswith("!")]
    if thorough:
        roots = [literal_folder(pattern) for pattern in adding]
        assert any(not root or path.startswith(f"{root}/") for root in roots)
    whole = [folder for pattern in adding if (folder := folder_of(pattern))]
    if len(adding) == len(patterns) and any(path.startswith(f"{each}/") for each in whole):
        assert thorough


_name = st.text("abcnoultpx019._-~ \u0301é:\\", min_size=1, max_size=8)


@given(st.lists(_name, max_size=4))
@_same_every_time
def test_plain_names_are_paths(names: list[str]) -> None:
    if are_plain_names(names):
        assert all(RepoPath(f"folder/{name}").endswith(name) for name in names)
    assert are_plain_names(names) is all(are_plain_names([name]) for name in names)


_path_texts = st.lists(
    st.text("abcnoultpx019._-~ \u0301é:\\", max_size=4)
    | st.sampled_from(["a" * 200, "a" * 201, "CON", "nul.txt", ".git", "..", "a.", "git~1"]),
    max_size=18,
).map("/".join)


@given(_path_texts)
@_same_every_time
def test_a_plain_path_is_a_path(text: str) -> None:
    if paths._PLAIN_PATH.fullmatch(text):
        paths._refuse_bad_path(text)


def test_what_prints_does_not_hide() -> None:
    assert not [c for c in map(chr, range(0x110000)) if c.isprintable() and is_hidden_character(c)]


def test_reserved_names_are_not_plain() -> None:
    for name in (".git", "CON", "nul.txt", "com1", "a.", "a ", "-a", "git~1", "..", "é", "a\n", ""):
        assert not are_plain_names(["good", name, "good.json"]), name


def _strictly(raw: bytes) -> LedgerLine | None:
    """Return the canonical line that the strict decoder sees alone, without its counts."""
    try:
        value = parse_json(raw, max_bytes=MAX_LINE_BYTES)
        line = ledger._read_line(value)
    except DecodeError:
        return None
    return line if dump_canonical(value) == raw else None


def _agree(raw: bytes) -> LedgerLine | None:
    quick = read_canonical(raw)
    if quick is not None:
        strict = _strictly(raw)
        assert type(quick) is type(strict)
        assert quick == strict
        assert repr(quick) == repr(strict)
        assert dump_line(quick) == raw
    return quick


_EXAMPLES = (documents.CLASSIFIED, documents.FROZEN, documents.ENDED)
_lines = documents.ledger_lines.map(dump_line) | st.sampled_from(_EXAMPLES).map(dump_canonical)
# What each part of a line may become: other values, other spellings, a key twice, a key too many.
_SPELLINGS = (
    *(b"null true 0 -0 -1 01 1.0 1e3 9007199254740991 9007199254740992 999999999999999").split(),
    *(b'"" "pass" "frozen" "void" "merge_ok" "2026-02-30" "2026-12-14" [] {} ["pass"]').split(),
    *(rb'"a\"b" "a\\b" "a\/b" "\u0041" "\n" ["\u0000"] ["a\"","b"] ["a","b"]').split(),
    '"\u00e9\u061c"'.encode(),
    *'"\u200e" "\x7f" "\x85" "\u0619" "\u061a" "\ufeff"'.encode().split(),
    *(b"a" * 40, b"a" * 64, b"A" * 64, b"blake3:" + b"a" * 64),
    *(b', : { } [ ] \\ " \xff \n \t').split(b" "),
    b" ",
    b"",
    b'"owner":"eve",',
    b'"z":0,',
    b'"event":"frozen",',
)


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    raw = draw(_lines)
    for _ in range(draw(st.integers(1, 2))):
        ends = [match.span() for match in re.finditer(rb'"[^"]*"|[0-9a-z]+|[^"0-9a-z]', raw)]
        start, end = draw(st.sampled_from(ends))
        end = draw(st.sampled_from([start, end]))
        raw = raw[:start] + draw(st.sampled_from(_SPELLINGS)) + raw[end:]
    return raw


@given(_lines)
@_same_every_time
def test_a_canonical_line_is_what_the_strict_decoder_sees(raw: bytes) -> None:
    _agree(raw)


@given(_damaged())
@settings(_same_every_time, max_examples=1500)
def test_a_damaged_line_is_not_read_quickly_otherwise(raw: bytes) -> None:
    _agree(raw)


def test_usual_lines_are_read_quickly() -> None:
    for example in _EXAMPLES:
        assert _agree(dump_canonical(example)) is not None
        assert _agree(dump_canonical(example | {"owner": 'quoted "\\"'})) is None
    quoted = documents.FROZEN | {"fail_signatures": ['a "b", "c" \\', 'd","e']}
    assert _agree(dump_canonical(quoted)) is not None


def test_a_long_ledger_says_what_its_lines_say_alone() -> None:
    wrong: tuple[dict[str, object], ...] = (
        documents.FROZEN | {"fails": 3},
        documents.FROZEN | {"status": "block"},
        {},
    )
    lines = [dump_canonical(each) for each in (*_EXAMPLES, *wrong)]
    lines += [b"", b"<<<<<<< ours", b'{"event":"frozen","event":"lifted"}']
    long = list(read_lines(b"\n".join(lines * 200) + b"\n"))
    assert sum(map(len, lines)) * 200 > ledger._LONG_BYTES
    for entry, raw in zip(long, lines * 200, strict=True):
        (alone,) = read_lines(raw + b"\n", first_line=entry.number)
        assert str(getattr(entry, "error", entry)) == str(getattr(alone, "error", alone))
    assert sum(entry.is_damaged for entry in long) == 6 * 200


def test_what_is_too_long_is_not_read_quickly() -> None:
    for long in (
        documents.ENDED | {"reason": "a" * 4097},
        documents.FROZEN | {"owner": "a" * 201},
        documents.FROZEN | {"fail_signatures": ["a" * 2001]},
        documents.FROZEN | {"fail_signatures": ["a"] * 20_001},
        documents.FROZEN | {"base_runs": ["pass"] * 10_001},
    ):
        assert read_canonical(dump_canonical(long)) is None
    whole = dump_canonical(documents.FROZEN | {"fail_signatures": ["a" * 1999] * 150})
    assert len(whole) > MAX_LINE_BYTES
    assert read_canonical(whole) is None


def test_both_roads_know_the_same_fields() -> None:
    from freezegate.formats import ledger_canonical as quick

    assert ledger._FROZEN.keys() == {*quick._FROZEN, "event"}
    assert ledger._CLASSIFIED.keys() == {*quick._CLASSIFIED, "event"}
    assert ledger._ENDED.keys() == quick._ENDED.keys()
