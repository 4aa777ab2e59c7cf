"""The domain of an oracle: each path that decides what it says, and why (SPEC section 2)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.digests import Blake3
    from freezegate.model.entries import Entry


class Why(StrEnum):
    """How a path comes to decide what an oracle says."""

    CONFTEST = "conftest chain"
    PACKAGE = "package chain"
    CONFIG = "pytest configuration"
    DEPENDENCIES = "what is installed"
    CATALOG = "catalogue entry"
    RUNNER = "runner settings"
    FIXTURE = "another fixture of the property"
    LISTED = "[domain] paths"
    IMPORTED = "imported"
    PLUGIN = "plugin"
    STARTUP = "imported at every start"
    BYTECODE = "cached bytecode"


class Reached(NamedTuple):
    """A path of the domain: `entry` is None where its absence counts.

    The path is `PATH#KEY` where only a part of a file counts, and `part` says so: a file's own
    name may hold a `#`. An empty key is a file or folder that counts by being there. `by` is the
    file that asks for it; `over` what an absent path would win over, were it there.
    """

    path: str
    entry: Entry | None
    why: Why
    by: str | None = None
    over: str | None = None
    part: bool = False

    @property
    def file(self) -> str:
        """The file in the repository that the path, or the part, lies in."""
        return self.path.rpartition("#")[0] if self.part else self.path


class DomainFault(NamedTuple):
    """What keeps a domain from being known; a freeze on it is refused with this code."""

    code: str
    path: str
    line: int | None
    got: str
    expected: str


class Domain(NamedTuple):
    """All that decides what one oracle says, apart from the subject; paths in raw order.

    `subject` are the subject's files that the domain imports itself, each with its importer;
    `modules` are the repository's modules that were walked, by their dotted names; `roots` are the
    folders in which Python looks for top-level modules, `""` for the repository's top.
    """

    oracle: str
    entries: Mapping[str, Reached]
    subject: Mapping[str, str]
    modules: Mapping[str, str]
    roots: tuple[str, ...]
    faults: tuple[DomainFault, ...]
    digest: Blake3

    @property
    def present(self) -> tuple[str, ...]:
        """The files that stand there and count whole."""
        return tuple(p for p, reached in self.entries.items() if reached.entry and not reached.part)


class DomainChange(NamedTuple):
    """A path of a domain that another tree holds otherwise; `new` is None where it is gone."""

    path: str
    reached: Reached
    new: Entry | None
