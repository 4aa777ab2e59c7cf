"""Real failures have one signature in every process and place, and two where they are two."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.model.paths import RepoPath
from freezegate.policy.messages import Folders
from freezegate.witness.request import Signer
from tests.witness.failures import (
    ASSERTIONS,
    HYPOTHESIS,
    MESSAGES,
    RAISED,
    UNITTESTS,
    Failing,
)
from tests.witness.support import observed, plant

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.model.observation import Failure

ABOVE = """\
# Written above, on the other side.

import os as other_side


def another():
    return other_side


"""
TABLES = {
    f"{table}-{name}": failing
    for table, rows in (
        ("assertion", ASSERTIONS),
        ("unittest", UNITTESTS),
        ("raised", RAISED),
        ("message", MESSAGES),
        ("hypothesis", HYPOTHESIS),
    )
    for name, failing in rows.items()
}


def failure_in(window: Path, files: dict[str, str], test: str, hash_seed: int = 0) -> Failure:
    """Run a test in a window's folder, and return how it failed."""
    tree = plant(window / "tree", files)
    failure = observed(
        tree,
        f"test_it.py::{test}",
        scratch=window,
        pythonhashseed=hash_seed,
        hypothesis_seed=1,  # as a window's plan does: without one, examples are drawn anew
    ).failure
    assert failure is not None
    return failure


def sign(failure: Failure, window: Path, changed: str = "") -> str:
    """Sign a failure as its window would; all files but one are equal on both sides."""
    signer = Signer(
        test_path=RepoPath("test_it.py"),
        is_equal=lambda path: path != changed,
        folders=Folders(trees=(str(window / "tree"),), temporary=(str(window),)),
    )
    return signer.sign(failure)


def signature(window: Path, failing: Failing, text: str, hash_seed: int = 0) -> str:
    """Return the signature of one run."""
    failure = failure_in(window, {"test_it.py": text}, failing.test, hash_seed)
    return sign(failure, window)


@pytest.mark.parametrize("failing", TABLES.values(), ids=TABLES)
def test_one_failure_has_one_signature(tmp_path: Path, failing: Failing) -> None:
    """Take another process, folder, time and hash seed, and other lines above; then edit it."""
    text = dedent(failing.text)
    base = signature(tmp_path / "one", failing, text)
    other_seed = 7 if failing.any_hash_seed else 0
    candidate = signature(tmp_path / "other place", failing, ABOVE + text, other_seed)
    assert base == candidate
    assert failing.signature in (None, base)
    assert base.isprintable()
    assert base.count(" | ") >= 3
    assert len(base) <= MAX_SIGNATURE_CHARS
    assert str(tmp_path) not in base
    for number, (old, new) in enumerate(failing.others):
        assert old in text
        edited = text.replace(old, new)
        assert base != signature(tmp_path / f"other-{number}", failing, edited), new


SHOP = """
    def load(orders):
        return orders[{key}]
    def save(orders):
        return orders[{key}]
"""
SHOP_TEST = """
    import helpers, shop
    def test_it():
        helpers.check(shop.{function}({{"price": 3}}))
        helpers.check(shop.{function})
"""
HELPERS = """
    def check(total):
        assert total == 3
"""


def shop(key: str = "'total'", function: str = "load") -> dict[str, str]:
    """A test, a helper that is equal on both sides, and subject code that is not."""
    return {
        "test_it.py": SHOP_TEST.format(function=function),
        "helpers.py": HELPERS,
        "shop.py": SHOP.format(key=key),
    }


def test_a_changed_file_s_lines_do_not_count_and_its_functions_do(tmp_path: Path) -> None:
    base, candidate, other = (
        sign(failure_in(tmp_path / name, files, "test_it"), tmp_path / name, "shop.py")
        for name, files in (
            ("base", shop()),
            ("candidate", shop("'to' + 'tal'")),
            ("other", shop(function="save")),
        )
    )
    assert base == candidate
    assert base == (
        "KeyError | test_it.py:test_it => shop.py:load | "
        """helpers.check(shop.load({"price": 3})) | 'total'"""
    )
    assert "test_it.py:test_it => shop.py:save" in other


def test_a_helper_that_both_sides_have_counts(tmp_path: Path) -> None:
    failure = failure_in(tmp_path, shop("'price'"), "test_it")
    assert sign(failure, tmp_path, "shop.py").startswith(
        "AssertionError | helpers.py:check | helpers.check(shop.load) => assert total == 3 | "
    )


@pytest.mark.skipif(
    tuple(map(int, pytest.__version__.split(".")[:1])) < (9,), reason="pytest 9 has subtests"
)
def test_the_first_subtest_that_failed_counts(tmp_path: Path) -> None:
    text = """
        import random
        def test_it(subtests):
            for n in range(5):
                with subtests.test("shop", n=random.random()):
                    assert n != 1
                    assert n != {number}
    """
    for number, name in ((3, "one"), (0, "other")):
        failure = failure_in(tmp_path / name, {"test_it.py": text.format(number=number)}, "test_it")
        expected = "assert n != 1" if number else "assert n != 0"
        assert sign(failure, tmp_path / name) == (
            f"AssertionError | test_it.py:test_it | {expected} | assert <n> != <n>"
        )
