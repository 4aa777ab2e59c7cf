"""Which tests and files of the base are nearest to a name that means none of them?"""

from __future__ import annotations

from difflib import get_close_matches
from posixpath import basename
from typing import TYPE_CHECKING

from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.policy.module_source import tests_in
from freezegate.witness.window_run import collected_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.ids import TestId
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import Runner, WindowRequest

_NEAR = 3
_CASES = 20  # of one test: whoever missed one sees them all
_MAX_READ = 2_000  # test files that are read for one name
_MAX_LISTED = 20_000  # paths of a tree that are compared with a mistyped one


def collected_nearest(trees: Trees, runner: Runner, request: WindowRequest) -> tuple[str, ...]:
    """Return the ids that pytest collects from the test's file and that are close to its id."""
    ids = collected_ids(trees, runner, request, request.test_id.path)
    test, bracket, _ = request.test_id.partition("[")
    own = [each for each in ids if each.startswith((f"{test}[", f"{test}::"))]
    own = own[: _CASES if bracket else _NEAR]
    return tuple(own or get_close_matches(request.test_id, ids, n=_NEAR, cutoff=0.3) or ids[:_NEAR])


def nearest_tests(store: ObjectStore, tree: Snapshot, test_id: TestId) -> tuple[str, ...]:
    """Return ids of a tree's tests, by its sources alone: of the id's file, else of those near."""
    entry = tree.entry(test_id.path.raw)
    is_file = entry is not None and entry.is_regular
    files = (str(test_id.path),) if is_file else nearest_paths(test_id.path, _test_files(tree))
    ids = [f"{path}::{name}" for path in files for name in _tests_of(store, tree, path)]
    near = get_close_matches(test_id, ids, n=_NEAR, cutoff=0.5)
    return tuple(near or ids[:_NEAR])


def tests_called(store: ObjectStore, tree: Snapshot, name: str) -> tuple[str, ...]:
    """Return the ids of a tree's tests that end in a name, by its sources alone."""
    files = _test_files(tree)[:_MAX_READ]
    ids = (f"{path}::{each}" for path in files for each in _tests_of(store, tree, path))
    return tuple(each for each in ids if each.endswith(f"::{name}"))


def nearest_paths(path: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that are spelled alike: of the same name, as a whole, by their names."""
    paths = list(known)[:_MAX_LISTED]
    names: dict[str, list[str]] = {}
    for each in paths:
        names.setdefault(basename(each), []).append(each)
    same = names.get(basename(path), [])
    alike = get_close_matches(path, paths, n=_NEAR, cutoff=0.6)
    close = get_close_matches(basename(path), names, n=_NEAR, cutoff=0.6)
    by_name = (each for name in close for each in names[name])
    return tuple(dict.fromkeys([*same, *alike, *by_name]))[:_NEAR]


def paths_in(tree: Snapshot) -> tuple[str, ...]:
    """Return the paths of all regular files whose names are text, sorted."""
    found = (path for path, entry in tree.files() if entry.is_regular)
    return tuple(sorted(path.decode() for path in found if _is_text(path)))


def _test_files(tree: Snapshot) -> Sequence[str]:
    named = ((path, basename(path)) for path in paths_in(tree) if path.endswith(".py"))
    return [p for p, name in named if name.startswith("test") or name.endswith("_test.py")]


def _tests_of(store: ObjectStore, tree: Snapshot, path: str) -> tuple[str, ...]:
    entry = tree.entry(path.encode())
    if entry is None or not entry.is_regular:
        return ()
    return tests_in(store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES))


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
