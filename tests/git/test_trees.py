"""Our own comparison of trees says what git says, and laid changes make the other tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freezegate.errors import HostileObject, Unanswerable
from freezegate.git.session import Session
from freezegate.git.trees import Snapshot, compare_trees
from freezegate.model.entries import Entry
from tests.support import Story, plain_repository, standing_in

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.sampled_from(["a", "b", "a.b", "a0", "\u00e9", "new\nline"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
CONTENTS = st.sampled_from(["one", "two"])
MODES = st.sampled_from(["100644", "100755", "120000"])
TREES = st.dictionaries(PATHS, st.tuples(MODES, CONTENTS), max_size=6)


def without_files_as_folders(tree: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Drop paths that lie below another path of the same tree."""
    return {p: v for p, v in tree.items() if not any(p.startswith(q + "/") for q in tree)}


def write_tree(story: Story, tree: dict[str, tuple[str, str]]) -> str:
    """Store a tree through git's own plumbing."""
    story.git("read-tree", "--empty")
    lines = b"".join(
        f"{mode} {story.blob(content)}\t{path}".encode() + b"\0"
        for path, (mode, content) in without_files_as_folders(tree).items()
    )
    story.git("update-index", "-z", "--index-info", data=lines)
    return story.git("write-tree")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A repository without commits."""
    return plain_repository(tmp_path_factory.mktemp("trees"))


@given(old=TREES, new=TREES)
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_comparison_is_gits_and_laid_changes_make_the_other_tree(
    plain: Story, old: dict[str, tuple[str, str]], new: dict[str, tuple[str, str]]
) -> None:
    one, other = write_tree(plain, old), write_tree(plain, new)
    with standing_in(plain.root, {}):
        store = Session.open(os.environ).store
    left, right = bytes.fromhex(one), bytes.fromhex(other)
    changes = compare_trees(store, left, right, max_changes=1000)
    said = plain.git("diff-tree", "-r", "--no-renames", "--name-only", "-z", one, other)
    assert {path.decode() for path in changes} == {path for path in said.split("\0") if path}
    laid = Snapshot(store, left, {path: change.new for path, change in changes.items()})
    target = Snapshot(store, right)
    assert dict(laid.files()) == dict(target.files())
    for path in {*changes, *(p.encode() for p in (*old, *new)), b"nowhere", b"a/b/c/d"}:
        assert same(laid.entry(path), target.entry(path))
    for folder in (b"", b"a", b"a/b", b"a.b", b"nowhere"):
        assert laid.names(folder) == target.names(folder)


def same(one: Entry | None, other: Entry | None) -> bool:
    """Whether two entries are equal; of folders only the kind is told."""
    if one and other and one.kind == other.kind == "a folder":
        return True
    return one == other


def test_the_comparison_has_a_budget(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    for number in range(5):
        story.write(f"f{number}", "")
    story.commit()
    with standing_in(story.root, {}):
        store = Session.open(os.environ).store
    tree = bytes.fromhex(story.rev("HEAD^{tree}"))
    assert len(compare_trees(store, b"", tree, max_changes=5)) == 5
    with pytest.raises(Unanswerable, match=r"limits\.too_many_changes"):
        compare_trees(store, b"", tree, max_changes=4)


def test_a_tree_that_names_ten_billion_paths_stops_at_the_budget(shop: Story) -> None:
    oid, kind = shop.blob("x"), "100644 blob"
    for _ in range(10):
        lines = "".join(f"{kind} {oid}\tn{i}\0" for i in range(10)).encode()
        oid, kind = shop.git("mktree", "-z", data=lines), "040000 tree"
    commit = shop.git("commit-tree", oid, "-p", "HEAD", "-m", "bomb")
    answer = shop.check("--rev", commit)
    assert (answer.status, answer.errors) == (2, {"limits.too_many_changes"})


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"100644 b\0%s100644 a\0%s", id="out_of_order"),
        pytest.param(b"130000 a\0%s", id="unknown_mode"),
        pytest.param(b"100644 \0%s", id="empty_name"),
        pytest.param(b"100644 a/b\0%s", id="name_with_a_slash"),
        pytest.param(b"100644 a\0short", id="cut_off"),
        pytest.param(b"nonsense", id="no_tree_at_all"),
        pytest.param(b"40000 a\0%s100644 a\0%s", id="folder_and_file_of_one_name"),
    ],
)
def test_hand_made_trees_are_refused(shop: Story, raw: bytes) -> None:
    blob = bytes.fromhex(shop.blob("x"))
    data = raw.replace(b"%s", blob)
    tree = shop.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=data)
    with standing_in(shop.root, {}):
        store = Session.open(os.environ).store
    with pytest.raises(HostileObject):
        store.tree(bytes.fromhex(tree))
