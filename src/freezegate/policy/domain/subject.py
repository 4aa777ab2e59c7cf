"""Which files are the subject's: what patches change, and where the walk of imports ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from freezegate.policy.settings import Policy


def is_subject(policy: Policy, module: str, path: str) -> bool:
    """Say whether a path is subject code for the domain of a test module."""
    raw = path.encode("utf-8", "surrogateescape")
    return (
        matches(policy.subject_paths, raw)
        and path != module
        and path.rpartition("/")[2] != "conftest.py"  # a harness, wherever it lies
        and not matches(policy.domain_paths, raw)
        and not matches(policy.oracle_paths, raw)
    )
