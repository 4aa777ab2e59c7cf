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


def code_of(change: DomainChange) -> str:
    """Return the code of a changed path: by what it is, else by why it counts."""
    if stem_of(change.path):
        return "domain.bytecode"
    if change.reached.why is Why.STARTUP and is_startup_name(change.path):
        return "domain.startup_file"
    return _CODES[change.reached.why]


def is_startup_name(path: str) -> bool:
    """Say whether Python runs a file of this name whenever it starts."""
    parts = path.casefold().split("/")
    last = parts[-1].partition(".")[0] if parts[-1] != "__init__.py" else parts[-2:][0]
    return last in STARTUP or parts[-1].endswith((".pth", "._pth", ".egg-link"))
