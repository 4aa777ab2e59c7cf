"""Parts of files: where only a table or a section counts, an entry is `PATH#KEY` (SPEC 2)."""

from __future__ import annotations

from datetime import date, datetime, time
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from freezegate.model.entries import Entry
from freezegate.policy.domain.ini import IniError, parse_ini, setup_lines
from freezegate.policy.guards import CATALOG_PATH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.domain.tree import Tree

_MAX_EXACT = 2**53 - 1

# Of a project's pyproject.toml: what decides which plugins and libraries the runs find, and how
# pytest, Hypothesis and coverage behave. Everything else may change beside a freeze.
PROJECT_KEYS = (
    "build-system",
    "dependency-groups",
    "project.dependencies",
    "project.dynamic",
    "project.entry-points",
    "project.optional-dependencies",
    "project.requires-python",
    "tool.coverage",
    "tool.flit",
    "tool.hatch.build",
    "tool.hatch.envs",
    "tool.hypothesis",
    "tool.pdm.build",
    "tool.pdm.dev-dependencies",
    "tool.poetry.dependencies",
    "tool.poetry.dev-dependencies",
    "tool.poetry.extras",
    "tool.poetry.group",
    "tool.poetry.packages",
    "tool.poetry.plugins",
    "tool.pytest",
    "tool.setuptools",
    "tool.uv",
)
# Parts that count whether or not they stood there before, by the file at the repository's top.
PART_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pyproject.toml": PROJECT_KEYS,
        "setup.cfg": ("options", "options.entry_points", "options.extras_require"),
    }
)

SETUP_SECTION = "tool:pytest"  # in setup.cfg

# The key of a part that says no more than that the file stands there.
PRESENT = ""

# `true` as a blob: the entry of such a part.
PRESENT_ENTRY = Entry(0o100644, bytes.fromhex("f32a5804e292d30bedf68f62d32fb75d87e99fd9"))


def part_entry(value: object, whole: Entry) -> Entry | None:
    """Return the entry of a part: mode 100644 and the blob id of its RFC 8785 form.

    None where the part is not there; the whole file's entry where it cannot be read.
    """
    if value is None:
        return None
    if value is UNREADABLE:
        return whole
    from hashlib import sha1

    import rfc8785

    try:
        data = rfc8785.dumps(_plain(value))
    except RecursionError:
        return whole
    blob = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return Entry(0o100644, blob.digest())


UNREADABLE: Any = object()


def toml_part(tree: Tree, entry: Entry, key: str) -> Any:
    """Return the value at a dotted key of a TOML file; None where there is none."""
    tables = tree.toml(entry) if entry.is_regular else None
    return UNREADABLE if tables is None else value_at(tables, key)


def value_at(tables: Mapping[str, Any], key: str) -> Any:
    """Return the value at a dotted key, None where there is none."""
    value: Any = tables
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def ini_section(tree: Tree, entry: Entry, name: str) -> Any:
    """Return a section of an ini file as pytest sees it; None where there is none.

    A section `pytest` in a setup.cfg stops pytest: where `tool:pytest` is not there, it counts.
    """
    try:
        sections = parse_ini(tree.source(entry))
    except IniError:
        return UNREADABLE
    section = sections.get(name)
    if section is None and name == SETUP_SECTION and "pytest" in sections:
        return {"[pytest]": sections["pytest"]}
    return section


def parts_of(
    tree: Tree, path: str, entry: Entry, keys: tuple[str, ...]
) -> Iterator[tuple[str, Entry | None]]:
    """Yield `PATH#KEY` and its entry for each key of a file; None where the part is absent."""
    for key in keys:
        yield f"{path}#{key}", part_entry(_part(tree, path, entry, key), entry)


def _part(tree: Tree, path: str, entry: Entry, key: str) -> Any:
    if not entry.is_regular:
        return UNREADABLE
    if key == PRESENT:
        return True
    if path == CATALOG_PATH.decode():  # property ids have dots of their own
        properties = toml_part(tree, entry, "property")
        return properties.get(key) if isinstance(properties, dict) else properties
    if path.endswith(".toml"):
        return toml_part(tree, entry, key)
    if key == SETUP_SECTION or not path.endswith(".cfg"):
        return ini_section(tree, entry, key)
    try:
        return setup_lines(tree.source(entry), key)
    except IniError:
        return UNREADABLE


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: dates as texts, and texts for numbers that JSON lacks."""
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case datetime() | date() | time():
            return value.isoformat()
        case float() if not isfinite(value):
            return str(value)
        case int() if abs(value) > _MAX_EXACT:  # decimals cost the square of their number
            from hashlib import sha256

            return f"int:{sha256(f'{value:x}'.encode()).hexdigest()}"
        case _:
            return value
