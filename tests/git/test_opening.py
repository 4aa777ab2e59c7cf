"""The repository and the index that git means (MECHANICS 1 to 7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import Story, plain_repository


def test_git_dir_is_honoured(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    elsewhere = plain_repository(tmp_path / "elsewhere")
    elsewhere.environ = {"GIT_DIR": str(shop.root / ".git")}
    answer = elsewhere.check()
    assert answer.document["transitions"][0]["candidate"]["rev"] == shop.rev("HEAD")


def test_git_dir_that_is_none(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.environ = {"GIT_DIR": str(tmp_path / "nowhere")}
    assert (story.check().status, story.check().errors) == (2, {"repository.not_found"})


def test_the_index_that_git_names_is_judged(shop: Story) -> None:
    shop.patch()
    shop.write(".freeze/stranger", "x")
    index = shop.root / ".git" / "next-index"
    index.write_bytes((shop.root / ".git" / "index").read_bytes())
    other = Story(shop.root, {"GIT_INDEX_FILE": str(index)})
    other.git("add", ".freeze/stranger")
    assert shop.check("--staged").verdict == "accepted"
    assert other.check("--staged").errors == {"path.unexpected"}


@pytest.mark.parametrize("folder", [".", "src/shop"])
def test_a_relative_index_is_read_from_the_top(shop: Story, folder: str) -> None:
    shop.write(".freeze/stranger", "x")
    index = shop.root / ".git" / "next-index"
    index.write_bytes((shop.root / ".git" / "index").read_bytes())
    environ = {"GIT_INDEX_FILE": ".git/next-index"}
    Story(shop.root, environ).git("add", ".freeze/stranger")
    answer = Story(shop.root / folder, environ).check("--staged")
    assert answer.errors == {"path.unexpected"}


def test_conflicts_in_the_index_are_no_answer(shop: Story) -> None:
    shop.branch("one").write("README.md", "one\n").commit("one")
    shop.on("topic").write("README.md", "two\n").commit("two")
    shop.git("merge", "-q", "one", check=False)
    answer = shop.check("--staged")
    assert (answer.status, answer.errors) == (2, {"repository.index_unreadable"})
    assert answer.finding("repository.index_unreadable")["path"] == "README.md"


def test_a_damaged_index_is_no_answer(shop: Story) -> None:
    (shop.root / ".git" / "index").write_bytes(b"DIRC garbage")
    answer = shop.check("--staged")
    assert (answer.status, answer.errors) == (2, {"repository.index_unreadable"})


def test_a_path_that_is_only_meant_to_be_added_is_not_staged(shop: Story) -> None:
    shop.write(".freeze/stranger", "x").git("add", "-N", ".freeze/stranger")
    assert shop.check("--staged").verdict == "accepted"


def test_staged_removal_of_everything(shop: Story) -> None:
    shop.git("rm", "-rq", "--cached", ".")
    assert "judge.invalid_new_policy" in shop.check("--staged").errors


def test_a_merge_in_progress_has_both_parents(shop: Story) -> None:
    shop.patch()
    shop.on("main").write("src/shop/other.py", "").commit("other")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic").git("merge", "-q", "--no-commit", "--no-ff", "main")
    answer = shop.check("--staged")
    assert answer.verdict == "accepted", answer.output


def test_nothing_is_written(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    shop.git("add", "-A")

    def everything() -> dict[Path, tuple[int, int]]:
        return {
            path: (path.stat().st_size, path.stat().st_mtime_ns)
            for path in shop.root.rglob("*")
            if path.is_file()
        }

    before = everything()
    assert shop.check("--staged").verdict == "accepted"
    assert shop.check().verdict == "accepted"
    assert everything() == before


def test_reftable_and_other_extensions_are_unsupported(shop: Story) -> None:
    shop.git("config", "core.repositoryformatversion", "1")
    shop.git("config", "extensions.refStorage", "reftable")
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"repository.unsupported"})
