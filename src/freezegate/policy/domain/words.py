"""Why a path belongs to a domain, and what a change of it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.domain import Why
from freezegate.policy.domain.finder import stem_of
from freezegate.policy.domain.standard import STARTUP

if TYPE_CHECKING:
    from freezegate.model.domain import DomainChange, Reached

_CODES = {
    Why.BYTECODE: "domain.bytecode",
    Why.CATALOG: "domain.changed",
    Why.CONFIG: "domain.config_changed",
    Why.CONFTEST: "domain.config_changed",
    Why.DEPENDENCIES: "domain.config_changed",
    Why.FIXTURE: "domain.changed",
    Why.IMPORTED: "domain.resolution_changed",
    Why.LISTED: "domain.changed",
    Why.PACKAGE: "domain.resolution_changed",
    Why.PLUGIN: "domain.resolution_changed",
    Why.RUNNER: "domain.config_changed",
    Why.STARTUP: "domain.resolution_changed",
}


def reason_of(reached: Reached) -> str:
    """Return the words for why a path counts: `imported by tests/a.py`."""
    told = {
        Why.IMPORTED: f"imported by {reached.by}",
        Why.PLUGIN: f"plugin, asked for by {reached.by}",
        Why.PACKAGE: f"package chain of {reached.by}",
        Why.STARTUP: f"imported at every start by {reached.by}",
        Why.BYTECODE: f"cached bytecode of a module that {reached.by} imports",
    }.get(reached.why, str(reached.why))
    if reached.entry is not None:
        return told
    return f"absent, would win over {reached.over}" if reached.over else f"absent; {told}"


def change_reason(reached: Reached) -> str:
    """Return the words for why a change of a path counts: what was absent is there now."""
    reason = reason_of(reached)
    return f"was {reason}" if reached.entry is None else reason


def code_of(change: DomainChange) -> str:
    """Return the code of a changed path: by what it is, else by why it counts."""
    if stem_of(change.path):
        return "domain.bytecode"
    if change.reached.why is Why.STARTUP and is_startup_name(change.path):
        return "domain.startup_file"
    return _CODES[change.reached.why]


def is_startup_name(path: str) -> bool:
    """Say whether Python, or pytest by its entry points, takes such a file in at every start.

    Metadata of distributions (`*.dist-info`, `*.egg-info`) is looked for in each folder on the
    path, and names plugins that pytest then loads.
    """
    *folders, name = path.casefold().split("/")
    stem, _, suffix = name.partition(".")
    if name.startswith("__init__.") and folders:
        stem = folders[-1]
    if stem in STARTUP and suffix in ("", "py", "pyw"):
        return True
    parts = (*folders, name)
    return name.endswith((".pth", "._pth", ".egg-link", ".egg")) or any(
        part.endswith((".dist-info", ".egg-info", ".egg")) for part in parts
    )
