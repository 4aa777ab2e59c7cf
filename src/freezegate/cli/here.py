"""What `.freeze/` holds in the work tree: that is what people edit; the gate reads commits."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from freezegate.errors import DecodeError, UsageError
from freezegate.formats.strict_toml import MAX_TOML_BYTES
from freezegate.ledger.regular_file import read_regular
from freezegate.policy.guards import CATALOG_PATH, FOLDER, LOCK_PATH, POLICY_PATH

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from freezegate.model.catalog import Catalog
    from freezegate.policy.settings import Policy

T = TypeVar("T")


class CatalogHere(NamedTuple):
    """The catalogue's bytes, and what they say."""

    data: bytes
    catalog: Catalog


def policy_here(top: Path) -> Policy:
    """Return the work tree's policy; raises UsageError where there is none that decodes."""
    from freezegate.formats.policy import parse_policy

    data = read_here(top, POLICY_PATH, MAX_TOML_BYTES)
    if data is None:
        msg = (
            "no .freeze/policy.toml in the work tree; expected one, since it says where oracles "
            "and fixtures lie: freezegate init"
        )
        raise UsageError(msg)
    return decoded(POLICY_PATH, data, parse_policy)


def catalog_here(top: Path) -> CatalogHere:
    """Return the work tree's catalogue, empty where there is none; raises UsageError."""
    from freezegate.formats.catalog import parse_catalog

    data = read_here(top, CATALOG_PATH, MAX_TOML_BYTES) or b""
    return CatalogHere(data, decoded(CATALOG_PATH, data, parse_catalog))


def lock_here(top: Path) -> bytes:
    """Return the bytes of the work tree's lock, empty where there is none; raises UsageError."""
    from freezegate.formats.lock import MAX_LOCK_BYTES

    return read_here(top, LOCK_PATH, MAX_LOCK_BYTES) or b""


def decoded(path: bytes, data: bytes, parse: Callable[[bytes], T]) -> T:
    """Return what a file says; raises UsageError with the place where it says nothing."""
    try:
        return parse(data)
    except DecodeError as fault:
        line = f" line {fault.line}" if fault.line else ""
        msg = (
            f"{path.decode()}{line} does not decode ({fault.code}): got {fault.got} at "
            f"{fault.place or 'the document'}, expected {fault.expected}; mend it by hand, then "
            "run this again"
        )
        raise UsageError(msg) from None


def read_here(top: Path, path: bytes, max_bytes: int) -> bytes | None:
    """Return a file's bytes, None where it is absent; raises UsageError for links and the like."""
    for part in (FOLDER, path):
        mode = _mode(os.fsencode(top) + b"/" + part)
        wanted = stat.S_IFDIR if part == FOLDER else stat.S_IFREG
        if mode is None:
            return None
        if stat.S_IFMT(mode) != wanted:
            msg = (
                f"{part.decode()} is no {'folder' if part == FOLDER else 'regular file'}; expected "
                "one of this repository's own: move it away, then run this again"
            )
            raise UsageError(msg)
    try:
        return read_regular(top / path.decode(), max_bytes)
    except OSError as error:
        if error.errno is not None:
            raise
        msg = f"{path.decode()} is {error.strerror}; expected at most that"
        raise UsageError(msg) from None


def _mode(path: bytes) -> int | None:
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None
