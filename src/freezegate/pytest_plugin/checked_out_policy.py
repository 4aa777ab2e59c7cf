"""What the policy that is checked out allows of a freeze: its age, and what it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.formats.policy import built_in, parse_policy
from freezegate.policy.globs import first_match
from freezegate.policy.settings import Preset
from freezegate.pytest_plugin.guarded import POLICY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.model.catalog import Catalog, Property
    from freezegate.model.ledger import Frozen
    from freezegate.policy.settings import Policy


def policy_of(read: bytes | OSError | None) -> Policy | str:
    """Return the policy of what was read, the built-in one of None, or why there is none."""
    if isinstance(read, OSError):
        return f"{POLICY} cannot be read: {read.strerror}"
    try:
        return built_in(Preset.STANDARD) if read is None else parse_policy(read)
    except DecodeError as error:
        return f"{POLICY} cannot be read: {error.got}"


def forbids(line: Frozen, policy: Policy, catalog: Catalog | None) -> str | None:
    """Return why policy or catalogue forbid that a line freezes its test, None if they do not.

    Every entry counts that names the test: one of another property may keep it from a freeze.
    """
    paths = (line.test_id.path.raw, line.oracle_path.raw, line.fixture_path.raw)
    inside = first_match(policy.protected_paths, paths)
    if inside is not None:
        return f"{inside.decode('utf-8', 'surrogateescape')} lies under [protected] paths"
    for entry in _entries(line, catalog):
        if not entry.freezable:
            return "the catalogue says that it may not be frozen"
        tags = sorted(set(entry.tags) & set(policy.protected_tags))
        if tags:
            return f"the policy protects its tags: {', '.join(tags)}"
    return None


def _entries(line: Frozen, catalog: Catalog | None) -> Iterator[Property]:
    entries: Iterable[Property] = () if catalog is None else catalog.properties.values()
    for entry in entries:
        if entry.property_id == line.property_id or entry.speaks_of(line.test_id):
            yield entry
