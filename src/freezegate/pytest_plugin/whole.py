"""Was everything collected that a session would collect without options, and is a file of it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

# What takes tests out, by the names that pytest keeps its options under.
_SELECTING = ("file_or_dir", "keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf")


def is_whole(config: pytest.Config, items: Iterable[pytest.Item]) -> bool:
    """Say whether nothing selects tests, and no file failed to be collected."""
    if any(getattr(config.option, name, None) for name in _SELECTING):
        return False
    return not any(item.session.testsfailed for item in items)


def is_collected(config: pytest.Config, file: Path) -> bool:
    """Say whether a file lies where this session collects: `testpaths`, else where it began."""
    begun = config.invocation_params.dir
    return any(file.is_relative_to(Path(begun, each)) for each in config.args)
