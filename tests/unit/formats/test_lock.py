"""The lock: what `sha256sum` writes and verifies, sorted, each path once."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.lock import dump_lock, parse_lock
from freezegate.model.digests import Sha256
from freezegate.model.paths import RepoPath

A, B, C = "a" * 64, "b" * 64, "c" * 64
NAMES = (
    "plain.json",
    "two words.json",
    " leading space.json",
    "größe/データ.json",
    "emoji/\U0001f600.bin",
    "quote's.json",
    "hash#percent%$HOME;&().json",
    "sub/dir/x",
    "Upper.json",
    "upper.json",
)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        pytest.param(f"{A}  x", "digest.bad_format", 1, id="last_line_without_newline"),
        pytest.param(f"{A}  x\n{B}  y", "digest.bad_format", 2, id="second_line_without_newline"),
        pytest.param(f"{A}  b\n{B}  a\n", "digest.bad_format", 2, id="unsorted"),
        pytest.param(f"{A}  é\n{B}  z\n", "digest.bad_format", 2, id="sorted_by_letters_not_bytes"),
        pytest.param(f"{A}  a\n{B}  B\n", "digest.bad_format", 2, id="sorted_without_case"),
        pytest.param(f"{A}  x\n{A}  x\n", "digest.bad_format", 2, id="the_same_line_twice"),
        pytest.param(f"{A}  x\n{B}  x\n", "digest.bad_format", 2, id="a_path_twice"),
        pytest.param(f"{A} *x\n", "digest.bad_format", 1, id="binary_marker"),
        pytest.param(f"{A}  *x\n", "path.bad_char", 1, id="star_in_the_path"),
        pytest.param(f"\\{A}  a\\\\b\n", "digest.bad_format", 1, id="escaped_backslash_form"),
        pytest.param(f"{A}  a\\nb\n", "path.bad_char", 1, id="backslash_in_the_path"),
        pytest.param(f"{A} x\n", "digest.bad_format", 1, id="one_space"),
        pytest.param(f"{A}\tx\n", "digest.bad_format", 1, id="tab"),
        pytest.param(f"{A.upper()}  x\n", "digest.bad_format", 1, id="upper_case"),
        pytest.param(f"{A[:-1]}  x\n", "digest.bad_format", 1, id="63_digits"),
        pytest.param(f"{A}a  x\n", "digest.bad_format", 1, id="65_digits"),
        pytest.param(f"{'a' * 40}  x\n", "digest.bad_format", 1, id="sha1"),
        pytest.param(f"sha256:{A}  x\n", "digest.bad_format", 1, id="prefix"),
        pytest.param(f"SHA256 (x) = {A}\n", "digest.bad_format", 1, id="bsd_form"),
        pytest.param(f"# locked\n{A}  x\n", "digest.bad_format", 1, id="comment"),
        pytest.param(f"{A}  x\n\n", "digest.bad_format", 2, id="empty_line"),
        pytest.param("\n", "digest.bad_format", 1, id="newline_alone"),
        pytest.param(f"{A}  \n", "digest.bad_format", 1, id="no_path"),
        pytest.param(f"{A}  x\r\n", "path.bad_char", 1, id="crlf"),
        pytest.param(f"{A}  x\u2028y\n", "path.bad_char", 1, id="line_separator"),
        pytest.param(f"{A}  ../x\n", "path.dotdot", 1, id="dotdot"),
        pytest.param(f"{A}  /x\n", "path.absolute", 1, id="absolute"),
        pytest.param(f"{A}  ./x\n", "path.not_canonical", 1, id="dot_slash"),
        pytest.param(f"{A}  .git/config\n", "path.dotgit", 1, id="dotgit"),
        pytest.param(f"{A}  e\u0301\n", "path.not_nfc", 1, id="not_nfc"),
        pytest.param(f"{A}  a\n{B}  b\n{C}  c/../d\n", "path.dotdot", 3, id="third_line"),
        pytest.param(f"<<<<<<< HEAD\n{A}  x\n", "digest.bad_format", 1, id="conflict_marker"),
    ],
)
def test_a_lock_in_another_form_is_refused_with_its_line(text: str, code: str, line: int) -> None:
    with pytest.raises(DecodeError) as refused:
        parse_lock(text.encode())
    assert (refused.value.code, refused.value.line) == (code, line)
    assert refused.value.place == f"line {line}"


def test_bytes_that_are_no_utf_8_are_refused_with_their_line() -> None:
    with pytest.raises(DecodeError) as refused:
        parse_lock(f"{A}  a\n{B}  ".encode() + b"\xff\n")
    assert (refused.value.code, refused.value.line) == ("record.bad_encoding", 2)


def test_an_empty_lock_locks_nothing() -> None:
    assert parse_lock(b"") == {}
    assert dump_lock({}) == b""


def test_a_lock_is_sorted_by_the_bytes_of_its_paths() -> None:
    locked = {RepoPath(name): Sha256(A) for name in ("é", "z", "a", "B", "a/b", "a-b")}
    data = dump_lock(locked)
    assert [line[66:].decode() for line in data.splitlines()] == ["B", "a", "a-b", "a/b", "z", "é"]
    assert parse_lock(data) == locked
    assert dump_lock(parse_lock(data)) == data


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    """A folder with a file for each of the names."""
    for name in NAMES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(f"bytes of {name}\r\n\0".encode())
    return tmp_path


def _sha256sum(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sha256sum", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )


def test_sha256sum_verifies_a_written_lock_without_freezegate(fixtures: Path) -> None:
    locked = {
        RepoPath(name): Sha256(hashlib.sha256((fixtures / name).read_bytes()).hexdigest())
        for name in NAMES
    }
    (fixtures / "lock").write_bytes(dump_lock(locked))
    done = _sha256sum(fixtures, "-c", "--strict", "lock")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b": OK\n") == len(NAMES)


def test_sha256sum_finds_the_one_file_that_changed(fixtures: Path) -> None:
    locked = {
        RepoPath(name): Sha256(hashlib.sha256((fixtures / name).read_bytes()).hexdigest())
        for name in NAMES
    }
    (fixtures / "lock").write_bytes(dump_lock(locked))
    (fixtures / "two words.json").write_bytes(b"other bytes")
    done = _sha256sum(fixtures, "-c", "--strict", "--quiet", "lock")
    assert (done.returncode, done.stdout) == (1, b"two words.json: FAILED\n")


def test_what_sha256sum_prints_is_a_lock(fixtures: Path) -> None:
    names = sorted(NAMES, key=str.encode)
    printed = _sha256sum(fixtures, "--", *names)
    assert printed.returncode == 0
    locked = parse_lock(printed.stdout)
    assert list(locked) == names
    assert dump_lock(locked) == printed.stdout


def test_names_that_sha256sum_escapes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a\\b").write_bytes(b"x")
    (tmp_path / "a\nb").write_bytes(b"x")
    for name in ("a\\b", "a\nb"):
        printed = _sha256sum(tmp_path, "--", name).stdout
        assert printed.startswith(b"\\")
        with pytest.raises(DecodeError):
            parse_lock(printed)
