"""Skip markers of ours: which sources get one, and which tests carry one already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.model.run import Side
from freezegate.policy.marking import is_marked, mark_test

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.cli.witness_asked import Wanted
    from freezegate.cli.witness_case import Setting
    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.ids import TestId


def marked_sources(
    setting: Setting, tree: Snapshot, wanted: tuple[Wanted, ...]
) -> dict[bytes, bytes]:
    """Return the test files of HEAD, which is `tree`, with a marker on each wanted test."""
    sources = dict[bytes, bytes]()
    roots = {"", "src", *setting.policy.runner.pythonpath}
    for each in wanted:
        path = each.test_id.path
        entry = tree.entry(path.raw)
        if entry is None or not entry.is_regular:
            msg = f"{path} is no file in HEAD, so no marker can stand there"
            raise UsageError(msg)
        if each.property_id is None:
            msg = "--mark writes the property's id, and there is none: name it with --property"
            raise UsageError(msg)
        source = sources.get(path.raw) or setting.session.store.blob(
            entry.oid, max_bytes=MAX_SOURCE_BYTES
        )
        try:
            local = _modules(tree, roots | {path.rpartition("/")[0]})
            sources[path.raw] = mark_test(source, each.test_id, each.property_id, local=local)
        except SyntaxError:
            msg = f"{path} is no Python that this interpreter can parse"
            raise UsageError(msg) from None
    return sources


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
