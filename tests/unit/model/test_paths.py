"""Paths mean the same file for every tool on every system, or are refused with a code."""

from __future__ import annotations

import shlex

import pytest

from freezegate.errors import InvalidValue
from freezegate.model.paths import RepoPath, fold, is_dotgit, shell_word, shown_path


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "path.empty", id="empty"),
        pytest.param("/etc/passwd", "path.absolute", id="absolute"),
        pytest.param("//server/share", "path.absolute", id="unc"),
        pytest.param("C:/x", "path.absolute", id="drive"),
        pytest.param("c:\\x", "path.absolute", id="drive_with_backslash"),
        pytest.param("../x", "path.dotdot", id="dotdot_first"),
        pytest.param("a/../b", "path.dotdot", id="dotdot_inside"),
        pytest.param("a/..", "path.dotdot", id="dotdot_last"),
        pytest.param("a\\..\\b", "path.dotdot", id="dotdot_between_backslashes"),
        pytest.param(".git/config", "path.dotgit", id="dotgit"),
        pytest.param("a/.git", "path.dotgit", id="inner_dotgit"),
        pytest.param("a/.GIT/x", "path.dotgit", id="dotgit_in_upper_case"),
        pytest.param(".git./x", "path.dotgit", id="dotgit_with_a_dot"),
        pytest.param(".git /x", "path.dotgit", id="dotgit_with_a_space"),
        pytest.param("git~1/x", "path.dotgit", id="short_name_of_dotgit"),
        pytest.param("GIT~2", "path.dotgit", id="another_short_name"),
        pytest.param(".git::$INDEX_ALLOCATION/x", "path.dotgit", id="stream_of_dotgit"),
        pytest.param(".git:x", "path.dotgit", id="short_stream_of_dotgit"),
        pytest.param(".git\\config", "path.dotgit", id="dotgit_before_a_backslash"),
        pytest.param(".g\u200cit/x", "path.dotgit", id="ignored_character_in_dotgit"),
        pytest.param("\ufeff.git", "path.dotgit", id="byte_order_mark_before_dotgit"),
        pytest.param("a\\b", "path.bad_char", id="backslash"),
        pytest.param("a*b", "path.bad_char", id="star"),
        pytest.param("a?b", "path.bad_char", id="question_mark"),
        pytest.param('a"b', "path.bad_char", id="quote"),
        pytest.param("a<b", "path.bad_char", id="less"),
        pytest.param("a>b", "path.bad_char", id="greater"),
        pytest.param("a|b", "path.bad_char", id="bar"),
        pytest.param("a:b", "path.bad_char", id="colon"),
        pytest.param(":(glob)**", "path.bad_char", id="pathspec_magic"),
        pytest.param("-rf", "path.bad_char", id="leading_dash"),
        pytest.param("a\nb", "path.bad_char", id="newline"),
        pytest.param("a\x00b", "path.bad_char", id="zero"),
        pytest.param("a\x1b[31m", "path.bad_char", id="escape"),
        pytest.param("a\x85b", "path.bad_char", id="next_line"),
        pytest.param("a\u2028b", "path.bad_char", id="line_separator"),
        pytest.param("a\u2029b", "path.bad_char", id="paragraph_separator"),
        pytest.param("a\u202egnp.exe", "path.bad_char", id="bidi"),
        pytest.param("a\u200bb", "path.bad_char", id="zero_width_space"),
        pytest.param("a\u200cb", "path.bad_char", id="zero_width_non_joiner"),
        pytest.param("a\u00adb", "path.bad_char", id="soft_hyphen"),
        pytest.param("a\ud800b", "path.bad_char", id="lone_surrogate"),
        pytest.param("a\udcffb", "path.bad_char", id="escaped_byte"),
        pytest.param("a//b", "path.not_canonical", id="empty_part"),
        pytest.param("a/", "path.not_canonical", id="trailing_slash"),
        pytest.param("./a", "path.not_canonical", id="dot_first"),
        pytest.param("a/./b", "path.not_canonical", id="dot_inside"),
        pytest.param(".", "path.not_canonical", id="dot"),
        pytest.param("e\u0301", "path.not_nfc", id="letter_and_accent"),
        pytest.param("\u1112\u1161\u11ab", "path.not_nfc", id="hangul_in_parts"),
        pytest.param("\u212b", "path.not_nfc", id="angstrom_sign"),
        pytest.param("con", "path.not_portable", id="device"),
        pytest.param("a/AUX.json", "path.not_portable", id="device_with_a_suffix"),
        pytest.param("nul.tar.gz", "path.not_portable", id="device_with_two_suffixes"),
        pytest.param("com1", "path.not_portable", id="serial_port"),
        pytest.param("COM¹", "path.not_portable", id="serial_port_by_superscript"),
        pytest.param("lpt9.x/a", "path.not_portable", id="printer_as_a_folder"),
        pytest.param("a.", "path.not_portable", id="trailing_dot"),
        pytest.param("a /b", "path.not_portable", id="trailing_space"),
        pytest.param("a/...", "path.not_portable", id="three_dots"),
        pytest.param("a/" * 64 + "b", "path.too_long", id="65_parts"),
        pytest.param("a" * 256, "path.too_long", id="part_of_256_bytes"),
        pytest.param("é" * 128, "path.too_long", id="part_of_256_bytes_in_128_letters"),
        pytest.param("/".join(["a" * 200] * 21), "path.too_long", id="path_of_4220_bytes"),
        pytest.param("\ud800" * 2000, "path.too_long", id="6000_bytes_of_surrogates"),
    ],
)
def test_a_path_that_tools_may_read_differently_is_refused(text: str, code: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        RepoPath(text)
    assert refused.value.code == code
    assert refused.value.got.isascii()
    assert refused.value.expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a", id="one_letter"),
        pytest.param("src/shop/order.py", id="plain"),
        pytest.param(".gitignore", id="gitignore"),
        pytest.param(".github/workflows/ci.yml", id="github"),
        pytest.param("a/.gitkeep", id="gitkeep"),
        pytest.param("git~/x", id="git_and_a_tilde"),
        pytest.param("git", id="git"),
        pytest.param("x.git/y", id="bare_repository"),
        pytest.param(".hidden", id="hidden"),
        pytest.param("..a/b", id="two_dots_and_a_letter"),
        pytest.param("a..b", id="two_dots_inside"),
        pytest.param("two words/x y.json", id="spaces"),
        pytest.param(" leading", id="leading_space"),
        pytest.param("a/-b", id="dash_of_an_inner_part"),
        pytest.param("größe/データ.json", id="foreign_letters"),
        pytest.param("\U0001f600.bin", id="emoji"),
        pytest.param("'q';$(x)&#%~`!@^+={}[],", id="what_shells_read"),
        pytest.param("console.log", id="longer_than_a_device"),
        pytest.param("com10", id="port_that_is_none"),
        pytest.param("/".join(["a"] * 64), id="64_parts"),
        pytest.param("a" * 255, id="part_of_255_bytes"),
    ],
)
def test_a_path_that_all_tools_read_alike_is_taken(text: str) -> None:
    path = RepoPath(text)
    assert path == text
    assert path.raw == text.encode()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b".git", id="plain"),
        pytest.param(b".GiT", id="mixed_case"),
        pytest.param(b".git.", id="trailing_dot"),
        pytest.param(b".git . .", id="trailing_dots_and_spaces"),
        pytest.param(b"git~1", id="short_name"),
        pytest.param(b"GIT~12", id="short_name_with_two_digits"),
        pytest.param(b"git~1.", id="short_name_with_a_dot"),
        pytest.param(b".git:stream", id="stream"),
        pytest.param(b".git::$INDEX_ALLOCATION", id="index_allocation"),
        pytest.param(b".git:\nx", id="stream_with_a_newline"),
        pytest.param(b".git\\hooks\\pre-commit", id="backslash"),
        pytest.param("\u200c.git".encode(), id="ignored_first"),
        pytest.param(".gi\u200dt".encode(), id="ignored_inside"),
        pytest.param(".git\u206f".encode(), id="ignored_last"),
        pytest.param("\ufeff.\u200eg\u202ei\u206at".encode(), id="several_ignored"),
    ],
)
def test_names_that_some_system_takes_for_dotgit(name: bytes) -> None:
    assert is_dotgit(name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b".gitignore", id="gitignore"),
        pytest.param(b".gitmodules", id="gitmodules"),
        pytest.param(b"git", id="git"),
        pytest.param(b"git~", id="git_tilde"),
        pytest.param(b"git~x", id="git_tilde_letter"),
        pytest.param(b"agit~1", id="longer_short_name"),
        pytest.param(b"..git", id="two_dots"),
        pytest.param(b" .git", id="leading_space"),
        pytest.param(b".g\xffit", id="byte_inside"),
        pytest.param(b"", id="empty"),
    ],
)
def test_names_that_no_system_takes_for_dotgit(name: bytes) -> None:
    assert not is_dotgit(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("README", "readme", id="case"),
        pytest.param("é", "e\u0301", id="normal_form"),
        pytest.param("straße", "STRASSE", id="sharp_s"),
        pytest.param("ﬁle", "FILE", id="ligature"),
        pytest.param("\u212a", "k", id="kelvin_sign"),
    ],
)
def test_names_that_are_one_for_some_file_system_fold_alike(one: str, other: str) -> None:
    assert fold(one.encode()) == fold(other.encode())


def test_names_that_are_two_for_all_file_systems_fold_apart() -> None:
    assert fold(b"a") != fold(b"b")
    assert fold(b"\xff") != fold(b"\xfe")


def test_shown_paths_are_printable_whatever_their_bytes() -> None:
    assert shown_path("größe.py".encode()) == "größe.py"
    assert shown_path(b"a\xffb") == "a\\xffb"
    assert shown_path(b"a\n\x1bb") == "a\\n\\x1bb"
    assert shown_path("\u202e".encode()) == "\\u202e"


@pytest.mark.parametrize(
    "char", "\u00ad\u034f\u115f\u1160\u180b\u200b\u200d\u2060\u2800\u3164\ufe0f\uffa0\U000e0100"
)
def test_what_nobody_sees_is_shown_escaped(char: str) -> None:
    assert shown_path(f"a{char}b".encode()) == f"a{ascii(char)[1:-1]}b"


@pytest.mark.parametrize("name", ["refs/heads/main", "a;b", "$(id)", "it's", "a b", "", "`x`|&<>"])
def test_a_name_is_one_word_for_a_shell(name: str) -> None:
    assert shlex.split(shell_word(name)) == [name]
