"""What paths say about a repository's layout, by a table."""

from __future__ import annotations

import pytest

from freezegate.cli.guess import Guess, guess_paths
from freezegate.model.globs import Glob
from freezegate.policy.globs import matches

CASES = [
    pytest.param((), Guess((), (), (), ()), id="empty"),
    pytest.param(
        ("src/shop/a.py", "tests/test_a.py", "tests/fixtures/a.json", "tests/properties/test_p.py"),
        Guess(("src/**",), ("tests/properties/**/*.py",), ("tests/fixtures/**",), ("tests/**",)),
        id="src_layout",
    ),
    pytest.param(
        ("shop/__init__.py", "shop/a.py", "test/test_a.py", "test/data/a.bin"),
        Guess(("shop/**",), (), ("test/data/**",), ("test/**",)),
        id="flat_layout",
    ),
    pytest.param(
        ("shop/__init__.py", "shop/tests/test_a.py", "shop/tests/test_props.py"),
        Guess(("shop/**", "!shop/tests/**"), ("shop/tests/test_props.py",), (), ("shop/tests/**",)),
        id="tests_inside_the_package",
    ),
    pytest.param(
        ("tool.py", "setup.py", "conftest.py"),
        Guess(("/*.py",), (), (), ()),
        id="single_module",
    ),
    pytest.param(
        ("README.md", "docs/fixtures/x.json"), Guess((), (), (), ()), id="nothing_of_python"
    ),
    pytest.param(
        ("checks/test_a.py", "lib/__init__.py"),
        Guess(("lib/**",), (), (), ("checks/**",)),
        id="a_folder_that_only_its_files_tell",
    ),
    pytest.param(
        ('tests/fix"tures/a', "tests/fixtures/[a].json", "tests/test_a.py"),
        Guess((), (), (), ("tests/**",)),
        id="names_that_no_glob_can_hold",
    ),
]


@pytest.mark.parametrize(("paths", "guess"), CASES)
def test_paths_tell_the_layout(paths: tuple[str, ...], guess: Guess) -> None:
    assert guess_paths(paths) == guess


@pytest.mark.parametrize(("paths", "guess"), CASES)
def test_each_guess_matches_something(paths: tuple[str, ...], guess: Guess) -> None:
    for globs in guess:
        for glob in globs:
            assert any(matches((Glob(glob.removeprefix("!")),), path.encode()) for path in paths)
