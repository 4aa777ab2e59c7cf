"""What holds for every domain: an empty comparison means an equal domain, order means nothing."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freezegate.model.domain import Domain
from freezegate.model.paths import RepoPath
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.domain.resolve import resolve_domain
from tests.property.layouts import (
    CONFIGS,
    IMPORTS,
    NAMES,
    ORACLE,
    PLACES,
    body_of,
    layouts,
)
from tests.unit.policy.domain.memory import LINK, MemoryTree, patch, policy

Files = dict[str, str | bytes]
POLICY = policy(subject="src/shop/**", more='[domain]\npaths = ["tests/strategies/**"]\n')
# What an edit may bring beside the names that layouts have already: other spellings of modules,
# files where folders are wanted and folders where files are, what Python and pytest run unasked.
SPELLINGS = (
    *NAMES,
    "helper",
    "helper.so",
    "helper.abi3.so",
    "helper.cpython-312-x86_64-linux-gnu.so",
    "helper.cpython-311-x86_64-linux-gnu.so",
    "helper.pyc",
    "helper.py/inside.py",
    "helper/__init__.so",
    "helper/__init__.pyc",
    "helper/inner/__init__.py",
    "helper/inner/more.py",
    "helper/deep.py",
    "helper/__pycache__/inner.cpython-312.pyc",
    "__pycache__/helper.cpython-312.pyc",
    "__pycache__/conftest.cpython-312.pyc",
    "other/__init__.py",
    "other.py",
    "other/part.py",
    "space.py",
    "space/__init__.py",
    "wave/__init__.py",
    "shop.py",
    "shop/order/__init__.py",
    "importlib.py",
    "importlib/__init__.py",
    "pytest.py",
    "_pytest/__init__.py",
    "sitecustomize.py",
    "usercustomize/__init__.py",
    "conftest.py",
    "conftest/__init__.py",
    "__init__.py",
    "__init__.py/inside.py",
    "__init__.pyc",
    "tests/__init__.py",
    "tests.py",
    "props.py",
    "props/__init__.py",
    "test_oracle/__init__.py",
    "test_oracle.so",
    "strategies/numbers.py",
    "pyproject.toml/inside",
    "pytest.ini/inside",
)
SOLID = ("lib", "src", "src/shop", "tests/strategies", "uv.lock", "setup.py", "README.md")
BODIES = st.builds(body_of, st.lists(st.sampled_from(IMPORTS), max_size=2), st.just(""))
PATHS = st.one_of(
    st.builds(str.__add__, st.sampled_from(PLACES), st.sampled_from(SPELLINGS)),
    st.sampled_from(SOLID),
)


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, str | None]]:
    """Paths with their new content, None for one that goes away."""
    found: list[tuple[str, str | None]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 4)) == 0:
            path, text = draw(st.sampled_from(CONFIGS))
            found.append((path, text.format("pythonpath = lib\n")))
        else:
            content = st.one_of(BODIES, st.just(LINK), st.none())
            found.append((draw(PATHS), draw(content)))
    return found


def edited(files: Mapping[str, str], changes: list[tuple[str, str | None]]) -> dict[str, str]:
    """Return the files after the edits; a file makes way for a folder and a folder for a file."""
    result = dict(files)
    for path, content in changes:
        clash = [p for p in result if p.startswith(f"{path}/") or path.startswith(f"{p}/")]
        if ORACLE in (path, *clash):
            continue
        for gone in (*clash, path):
            result.pop(gone, None)
        if content is not None:
            result[path] = content
    return result


def resolved(files: Mapping[str, str | bytes]) -> Domain:
    return resolve_domain(MemoryTree(files), POLICY, RepoPath(ORACLE), None, None)


def bare(domain: Domain) -> dict[str, object]:
    return {path: reached.entry for path, reached in domain.entries.items()}


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(files=layouts(), changes=edits())
def test_nothing_changed_means_the_same_domain(
    files: dict[str, str], changes: list[tuple[str, str | None]]
) -> None:
    old, new = MemoryTree(files), MemoryTree(edited(files, changes))
    domain = resolved(files)
    if not changed_in(domain, patch(old, new), new, POLICY):
        after = resolved(edited(files, changes))
        assert bare(after) == bare(domain), (files, changes)
        assert after.digest == domain.digest
        assert {f[:2] for f in after.faults} == {f[:2] for f in domain.faults}
