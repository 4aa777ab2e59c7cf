"""Paths that some file system takes for one that counts: none comes in."""

from __future__ import annotations

import pytest

from tests.git.hosting import Host, host
from tests.git.local import launder
from tests.support import FIXTURE, ORACLE, Story

_BESIDE = [
    pytest.param("tests/properties/Test_order_props.py", id="oracle"),
    pytest.param("tests/properties/test_order_prop\u017f.py", id="oracle_by_a_long_s"),
    pytest.param("tests/properties/test_order_\u200dprops.py", id="oracle_with_what_hfs_ignores"),
    pytest.param("tests/properties/test_order_props.py.", id="oracle_with_a_dot_that_goes"),
    pytest.param("tests/Properties/test_order_props.py", id="oracle_in_another_folder"),
    pytest.param("tests/Properties/new.py", id="folder_of_an_oracle"),
    pytest.param("tests/Properties", id="file_in_place_of_a_folder"),
    pytest.param("Tests/new.py", id="folder_on_the_way"),
    pytest.param("tests/Test_order.py", id="catalogued_test"),
    pytest.param("tests/fixtures/Order.json", id="fixture"),
    pytest.param("tests/test_order.PY/x", id="folder_in_place_of_a_file"),
    pytest.param(".freeze/Policy.toml", id="policy"),
    pytest.param(".freeze/Ledger.jsonl", id="ledger"),
    pytest.param(".Freeze/policy.toml", id="folder_of_ours"),
]


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch, and its remote as a host."""
    return host(shop)


@pytest.mark.parametrize("path", _BESIDE)
def test_a_push_brings_no_second_spelling(hosted: Host, path: str) -> None:
    story = hosted.story
    story.plumb({path: ("100644", story.blob("x = 1\n"))})
    said = hosted.refuses("HEAD:main", code="error path.fold_collision")
    assert " beside " in said or "no second spelling" in said
    assert "path.fold_collision" in story.check().errors


def test_a_link_in_place_of_a_folder(hosted: Host) -> None:
    story = hosted.story
    story.plumb({"tests/PROPERTIES": ("120000", story.blob("../src"))})
    hosted.refuses("HEAD:main", code="error path.fold_collision")


@pytest.mark.parametrize("swapped", [False, True])
def test_a_composed_and_a_decomposed_name(hosted: Host, swapped: bool) -> None:
    story, names = hosted.story, ["tests/fixtures/t\u00e9.json", "tests/fixtures/te\u0301.json"]
    first, second = reversed(names) if swapped else names
    story.plumb({first: ("100644", story.blob("{}"))})
    hosted.accepts("HEAD:main")
    story.plumb({second: ("100644", story.blob("[]"))})
    hosted.refuses("HEAD:main", code="error path.fold_collision")


@pytest.mark.parametrize("name", ["conftest.py", "pytest.ini", "src/pyproject.toml"])
def test_what_configures_tests_has_no_twin(shop: Story, name: str) -> None:
    shop.on("main").write(name, "").commit("configuration")
    shop.git("push", "-q", "origin", "main")
    shop.branch("twin").plumb({name.upper(): ("100644", shop.blob(""))})
    assert "path.fold_collision" in shop.check().errors


@pytest.mark.parametrize(
    "name",
    [
        "tests/Conftest.py",
        "CONFTEST.PY",
        "tests/conftest.py ",
        "tests/conftest.py.",
        "Pytest.ini",
        "src/PyProject.toml",
        "TOX.ini",
        "setup.CFG",
        "src/SiteCustomize.py",
    ],
)
def test_what_would_configure_tests_has_no_other_spelling(shop: Story, name: str) -> None:
    shop.plumb({name: ("100644", shop.blob(""))})
    assert "path.fold_collision" in shop.check().errors


def test_both_in_one_patch(shop: Story) -> None:
    for path in ("tests/properties/new.py", "tests/properties/New.py"):
        shop.plumb({path: ("100644", shop.blob("def test_new():\n    assert 1\n"))})
    assert "path.fold_collision" in shop.check().errors


def test_a_twin_of_what_lay_in_wait(hosted: Host) -> None:
    """The second spelling comes first, while there is nothing to replace."""
    story = hosted.story
    story.plumb({"tests/fixtures/Later.json": ("100644", story.blob("{}"))})
    hosted.accepts("HEAD:main")
    story.plumb({"tests/fixtures/later.json": ("100644", story.blob("[]"))})
    hosted.refuses("HEAD:main", code="error path.fold_collision")


def test_a_rename_by_case_is_honest(hosted: Host) -> None:
    story = hosted.story
    moved = story.rev(f"HEAD:{FIXTURE}")
    story.plumb({FIXTURE: None, "tests/fixtures/Order.json": ("100644", moved)})
    assert "path.fold_collision" not in story.check().codes


def test_case_pairs_elsewhere_are_honest(hosted: Host) -> None:
    story = hosted.story
    for path in ("docs/Readme.md", "docs/README.md", "src/shop/Order.py"):
        story.plumb({path: ("100644", story.blob(""))})
    hosted.accepts("HEAD:main")


def test_many_spellings_of_many_folders(hosted: Host) -> None:
    """Two spellings of each of ten folders are a thousand of a path."""
    story = hosted.story
    tree = story.git("mktree", data=f"100644 blob {story.blob('')}\tx\n".encode())
    for _ in range(10):
        tree = story.git("mktree", data=f"40000 tree {tree}\tA\n40000 tree {tree}\ta\n".encode())
    story.git("read-tree", "--prefix=junk/", tree)
    story.git("commit", "-q", "-m", "a thousand spellings")
    hosted.refuses("HEAD:main", code="more than 64 spellings of one path")


def test_an_oracle_is_still_the_oracle(hosted: Host) -> None:
    launder(hosted.story)
    said = hosted.refuses("HEAD:main", code="error oracle.changed")
    assert "path.fold_collision" not in said
    assert ORACLE in said
