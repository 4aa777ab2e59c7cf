"""`.freeze/fixtures.sha256`: the lock, as `sha256sum` writes and verifies it (SPEC section 3)."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError, InvalidValue
from freezegate.formats.encoding import decode_utf8
from freezegate.model.digests import Sha256
from freezegate.model.paths import RepoPath

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LOCK_BYTES = 32 * 1024 * 1024  # 100,000 fixtures with long paths
_LINE = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
_LINES = re.compile(rb"(?:[0-9a-f]{64}  [^\n]+\n)*+")
_EXPECTED = "64 hexadecimal digits, two spaces, a path: `sha256sum PATH` prints it"


def parse_lock(data: bytes) -> Mapping[RepoPath, Sha256]:
    """Decode a lock; raises DecodeError with the line."""
    text = decode_utf8(data, max_bytes=MAX_LOCK_BYTES)
    *lines, rest = text.split("\n")
    if rest:
        raise _bad(len(lines) + 1, "a last line without newline", "one newline behind each line")
    locked: dict[RepoPath, Sha256] = {}
    last: RepoPath | None = None
    for number, line in enumerate(lines, 1):
        path, digest = _parse_line(line, number)
        if last is not None and path.raw <= last.raw:
            got = f"{path!a} behind {last!a}"
            raise _bad(number, got, "each path once, sorted: LC_ALL=C sort -k2")
        locked[path] = digest
        last = path
    return MappingProxyType(locked)


def split_lock(data: bytes) -> dict[str, str] | None:
    """Return a lock's digests by path, quickly; None where `parse_lock` has to say what is wrong.

    Its paths may be none that a freeze can name: this is for comparing with paths that can.
    """
    if not _LINES.fullmatch(data):
        return None
    try:
        lines = data.decode().split("\n")[:-1]
    except UnicodeDecodeError:
        return None
    paths = [line[66:] for line in lines]
    digests = dict(zip(paths, (line[:64] for line in lines), strict=True))
    return digests if len(digests) == len(paths) and sorted(paths) == paths else None


def dump_lines(digests: Mapping[str, str]) -> bytes:
    """Return a lock's bytes for paths that are known to be good, sorted by their bytes."""
    # Texts sort by code points, and so do their UTF-8 bytes.
    return "".join([f"{digests[path]}  {path}\n" for path in sorted(digests)]).encode()


def dump_lock(locked: Mapping[RepoPath, Sha256]) -> bytes:
    """Return the lock's bytes, sorted by the paths' bytes."""
    paths = sorted(locked, key=lambda path: path.raw)
    return "".join(f"{locked[path]}  {path}\n" for path in paths).encode()


def _parse_line(line: str, number: int) -> tuple[RepoPath, Sha256]:
    match = _LINE.fullmatch(line)
    if not match:
        raise _bad(number, ascii(line[:100]), _EXPECTED)
    try:
        return RepoPath(match[2]), Sha256(match[1])
    except InvalidValue as error:
        raise _bad(number, error.got, error.expected, error.code) from None


def _bad(number: int, got: str, expected: str, code: str = "digest.bad_format") -> DecodeError:
    return DecodeError(code, place=f"line {number}", line=number, got=got, expected=expected)
