"""What test ids and paths name in the work tree, and what is nearest to those that name nothing."""

from __future__ import annotations

import os
import stat
from difflib import get_close_matches
from typing import TYPE_CHECKING

from freezegate.cli.witness_nearest import nearest_paths
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.policy.module_source import Named, find_test, tests_in

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.model.ids import TestId

_NEAR = 3


class FilesHere:
    """The work tree's files, asked about by their paths from the top; links are no files."""

    def __init__(self, top: Path, tracked: tuple[str, ...]) -> None:
        """Look below `top`; `tracked` are the paths that others may be mistaken for."""
        self._top, self._tracked = top, tracked

    def is_file(self, path: str) -> bool:
        """Say whether a regular file stands at a path, without a link on the way."""
        parts = path.split("/")
        try:
            modes = [
                os.lstat(self._top / "/".join(parts[:end])).st_mode
                for end in range(1, len(parts) + 1)
            ]
        except OSError:
            return False
        return stat.S_ISREG(modes[-1]) and all(map(stat.S_ISDIR, modes[:-1]))

    def source(self, path: str) -> bytes:
        """Return a file's bytes, as far as a module may be long."""
        with open(self._top / path, "rb") as file:
            return file.read(MAX_SOURCE_BYTES)

    def near(self, path: str) -> tuple[str, ...]:
        """Return the tracked files that are spelled like a path."""
        return nearest_paths(path, [each for each in self._tracked if self.is_file(each)])

    def named(self, test: TestId) -> Named | None:
        """Return what an id names; None where its file is none."""
        if not self.is_file(test.path):
            return None
        return find_test(
            self.source(test.path), test.names, has_parameter=test.parameter is not None
        )

    def tests(self, path: str) -> tuple[str, ...]:
        """Return the ids of a file's tests, none where it is no file."""
        names = tests_in(self.source(path)) if self.is_file(path) else ()
        return tuple(f"{path}::{name}" for name in names)

    def near_tests(self, test: TestId) -> tuple[str, ...]:
        """Return ids like this one: of its file, else of files that are spelled like it."""
        files = (str(test.path),) if self.is_file(test.path) else self.near(test.path)
        ids = [each for path in files for each in self.tests(path)]
        return tuple(get_close_matches(test, ids, n=_NEAR, cutoff=0.5) or ids[:_NEAR])
