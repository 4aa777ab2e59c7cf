"""Would git store a work tree file's bytes as they are, or rewrite their line endings?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygit2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from freezegate.git.repository import Repository

AUTOCRLF = "core.autocrlf"


def rewritten_by_git(repository: Repository, top: Path, paths: Iterable[str]) -> Iterator[str]:
    """Yield those of these files whose blob would hold other line endings than the file.

    libgit2 is asked by making the blob, as `git add` does; only for files with CRLF.
    """
    if not _may_rewrite(repository, top):
        return
    for path in paths:
        file = top / path
        data = file.read_bytes() if file.is_file() else b""
        if b"\r\n" in data and repository.create_blob_fromworkdir(path) != pygit2.hash(data):
            yield path


def _may_rewrite(repository: Repository, top: Path) -> bool:
    config = repository.config
    value = str(config[AUTOCRLF]) if AUTOCRLF in config else "false"
    return value.lower() not in ("false", "no", "off", "0", "") or (top / ".gitattributes").exists()
