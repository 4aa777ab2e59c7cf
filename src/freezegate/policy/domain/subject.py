"""Which files are the subject's: what patches change, and where the walk of imports ends."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from freezegate.policy.settings import Policy

_TEST_FOLDER = re.compile(r"(?:tests?|testing|specs?)", re.IGNORECASE)


def is_subject(policy: Policy, module: str, path: str) -> bool:
    """Say whether a path is subject code for the domain of a test module."""
    raw = path.encode("utf-8", "surrogateescape")
    return (
        matches(policy.subject_paths, raw)
        and path != module
        and path.rpartition("/")[2] != "conftest.py"  # a harness, wherever it lies
        and not path.startswith(_test_folder(module))
        and not matches(policy.domain_paths, raw)
        and not matches(policy.oracle_paths, raw)
    )


@lru_cache(maxsize=64)
def _test_folder(module: str) -> str:
    """Return the topmost folder called like tests that a module lies in, with a slash behind it.

    Helpers beside a test are its harness, though a glob like `shop/**` takes them in; a text that
    no path begins with where there is no such folder.
    """
    parts = module.split("/")[:-1]
    for number, part in enumerate(parts, 1):
        if _TEST_FOLDER.fullmatch(part):
            return "/".join(parts[:number]) + "/"
    return "\0"
