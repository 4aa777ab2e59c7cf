"""What one run is asked for: with what it is made, and what it is to tell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.model.sample import PropertyAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetting:
    """What every process of a window has in common.

    `tree` is the built tree's top; `pythonpath` counts from it. `plugins` None lets pytest load
    what is installed. `forbidden_roots` are the original work trees.
    Each process has a folder of its own below `scratch`, the system's temporary one for None.
    """

    tree: Path
    python: Path
    timeout_s: float
    pythonpath: tuple[str, ...] = ()
    plugins: tuple[str, ...] | None = None
    keep_options: tuple[str, ...] = ()
    pythonhashseed: int = 0
    hypothesis_seed: int | None = None
    forbidden_roots: tuple[Path, ...] = ()
    scratch: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(RunSetting):
    """One run of one test; `ignore_skip` sets aside plain skip marks on its own function.

    `asked` is there for a property: what of its input is read, or which one it is given.
    """

    test_id: str
    ignore_skip: bool = False
    asked: PropertyAsked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest(RunSetting):
    """A run of one file, with one test left out."""

    path: str
    without: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest(RunSetting):
    """The question which tests a selection of ids and paths means; nothing is run."""

    selection: tuple[str, ...]
