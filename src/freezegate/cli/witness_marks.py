"""Skip markers of ours: which sources get one, and which tests carry one already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.witness_options import same_again
from freezegate.errors import UsageError
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.git.trees import Snapshot
from freezegate.model.run import Side
from freezegate.policy.marking import is_marked, mark_test

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from freezegate.cli.witness_asked import Wanted
    from freezegate.cli.witness_setting import Setting
    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.model.entries import Entry
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.ledger import Classified
    from freezegate.model.paths import RepoPath
    from freezegate.witness.request import Terms


def refuse_unasked_mark(options: argparse.Namespace, terms: Iterable[Terms | None]) -> None:
    """Raise UsageError where --mark would skip a test for which no freeze is asked."""
    if options.mark and None in terms:
        again = same_again(options, owner="NAME", expires_on="DATE")
        msg = f"--mark goes with --owner and --expires-on: {again}"
        raise UsageError(msg)


def marked_sources(
    setting: Setting,
    tree: Snapshot,
    wanted: tuple[Wanted, ...],
    standing: Mapping[bytes, bytes],
) -> dict[bytes, bytes]:
    """Return the test files of HEAD, which is `tree`, with a marker on each wanted test.

    `standing` are those that have some of the markers already.
    """
    sources = dict(standing)
    for each in wanted:
        path = each.test_id.path
        entry = tree.entry(path.raw)
        if entry is None or not entry.is_regular:
            msg = f"{path} is no file in HEAD, so no marker can stand there"
            raise UsageError(msg)
        if each.property_id is None:
            msg = "--mark writes the property's id, and there is none: name it with --property"
            raise UsageError(msg)
        source = sources.get(path.raw) or _source(setting, entry)
        sources[path.raw] = _marked(setting, tree, source, each.test_id, each.property_id)
    return sources


def own_marks(setting: Setting, lines: Iterable[Classified]) -> dict[bytes, bytes]:
    """Return the sources that the work tree has as HEAD does, but for markers of these requests."""
    tree = Snapshot(setting.session.store, setting.session.store.commit(setting.head).tree)
    by_path: dict[RepoPath, list[Classified]] = {}
    for line in lines:
        by_path.setdefault(line.test_id.path, []).append(line)
    found = {path: _own_mark(setting, tree, path, own) for path, own in by_path.items()}
    return {path.raw: data for path, data in found.items() if data is not None}


def _own_mark(
    setting: Setting, tree: Snapshot, path: RepoPath, lines: Iterable[Classified]
) -> bytes | None:
    """Return what stands at a path, if that is HEAD's source with our markers and no more."""
    entry, place = tree.entry(path.raw), setting.top / path
    if entry is None or not entry.is_regular or not place.is_file() or place.is_symlink():
        return None
    stands, source = place.read_bytes(), _source(setting, entry)
    marked = source
    try:
        for line in lines:
            if line.property_id is not None and is_marked(stands, line.test_id):
                marked = _marked(setting, tree, marked, line.test_id, line.property_id)
    except UsageError:  # no marker of ours can stand there, so that what does is an edit
        return None
    return stands if stands == marked != source else None


def _source(setting: Setting, entry: Entry) -> bytes:
    return setting.session.store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES)


def _marked(
    setting: Setting, tree: Snapshot, source: bytes, test_id: TestId, property_id: PropertyId
) -> bytes:
    path = test_id.path
    roots = {"", "src", *setting.policy.runner.pythonpath, path.rpartition("/")[0]}
    try:
        return mark_test(source, test_id, property_id, local=_modules(tree, roots))
    except SyntaxError:
        msg = f"{path} is no Python that this interpreter can parse"
        raise UsageError(msg) from None


def _modules(tree: Snapshot, folders: Iterable[str]) -> frozenset[str]:
    """Return the names of the repository's own modules, as far as they stand in these folders."""
    names = (name for folder in folders for name in tree.names(folder.strip("/").encode()))
    return frozenset(name.decode("utf-8", "replace").removesuffix(".py") for name in names)


def marked_sides(store: ObjectStore, step: Step, test_id: TestId) -> frozenset[Side]:
    """Return the sides on which a test carries a marker of ours, which its runs then set aside."""
    found = set()
    for side, tree in ((Side.BASE, step.base_tree), (Side.CANDIDATE, step.tree)):
        entry = tree.entry(test_id.path.raw)
        if entry is not None and entry.is_regular:
            source = store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES)
            if is_marked(source, test_id):
                found.add(side)
    return frozenset(found)
