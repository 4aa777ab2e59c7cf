"""No path comes in that some file system takes for one that judges or is judged (THREATS)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.globs import literal_folder
from freezegate.policy.guards import FOLDER, is_guarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.model.catalog import Property
    from freezegate.model.paths import RepoPath
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy


# What configures the runs of oracles and tests, wherever it lies.
_CONFIGURES = re.compile(
    rb"(.*/)?(conftest\.py|\.?pytest\.(toml|ini)|pyproject\.toml|tox\.ini|setup\.cfg"
    rb"|(site|user)customize\.py)",
    re.DOTALL,
)


def judge_twins(facts: Facts) -> Iterator[Finding]:
    """Refuse a second spelling of what judges or is judged, or of a folder on the way there."""
    policy = facts.judges.policy.value or facts.standard
    ways = frozenset(_steps_of((*_named(facts), *_folders_of(policy))))
    told: set[bytes] = set()
    for added, other in facts.twins:
        for own, twin in zip(_steps(added), _steps(other), strict=False):
            if own == twin or added in told:
                continue
            if any(_counts(each, ways, policy, facts.ci_judges) for each in (own, twin)):
                told.add(added)
                yield _collision(added, own, twin)


def _counts(
    path: bytes, ways: frozenset[bytes], policy: Policy, ci_judges: frozenset[bytes]
) -> bool:
    return (
        path in ways
        or path.startswith(FOLDER + b"/")
        or is_guarded(path, policy, ci_judges)
        or _CONFIGURES.fullmatch(path) is not None
    )


def _named(facts: Facts) -> Iterator[bytes]:
    """What T's catalogue names: oracles, tests, fixtures."""
    catalog = facts.judges.catalog.value
    for entry in catalog.properties.values() if catalog else ():
        yield from (path.raw for path in _files_of(entry))


def _folders_of(policy: Policy) -> Iterator[bytes]:
    """The folders of guarded globs, and our own."""
    globs = (*policy.oracle_paths, *policy.domain_paths, *policy.fixture_paths)
    yield from (literal_folder(glob).encode() for glob in globs)
    yield FOLDER


def _files_of(entry: Property) -> tuple[RepoPath, ...]:
    return (entry.oracle, entry.property_test.path, entry.test.path, *entry.fixtures)


def _steps_of(paths: Iterable[bytes]) -> Iterator[bytes]:
    return (step for path in paths for step in _steps(path))


def _steps(path: bytes) -> Iterator[bytes]:
    """Yield a path's folders from the top, and the path itself."""
    parts = path.split(b"/")
    yield from (b"/".join(parts[:end]) for end in range(1, len(parts) + 1))


def _collision(added: bytes, own: bytes, twin: bytes) -> Finding:
    return Finding(
        code="path.fold_collision",
        severity=Severity.ERROR,
        path=shown_path(added[:200]),
        got=f"{shown_path(own[:200])!a} beside {shown_path(twin[:200])!a}",
        expected="one spelling of what judges or is judged: some file systems hold one of them",
    )
