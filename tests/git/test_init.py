"""`init` on real repositories: what it writes, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from freezegate.formats.policy import parse_policy
from tests.git.test_witness_again import shell
from tests.support import FIXTURE, Story, lock_line, plain_repository, start

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bare_shop(tmp_path: Path) -> Story:
    """The shop before it knew freezegate, pushed."""
    shop = start(tmp_path / "here")
    shop.git("rm", "-rq", ".freeze")
    shop.commit("before freezegate")
    shop.git("push", "-q", "origin", "main")
    return shop


def test_init_guesses_writes_and_says_what_comes_next(bare_shop: Story) -> None:
    status, said = bare_shop.run("init")
    assert status == 0
    policy = parse_policy(bare_shop.read(".freeze/policy.toml"))
    assert policy.targets == ("refs/heads/main",)
    assert policy.subject_paths == ("src/**",)
    assert policy.oracle_paths == ("tests/properties/**/*.py",)
    assert policy.fixture_paths == ("tests/fixtures/**",)
    assert bare_shop.read(".freeze/fixtures.sha256").decode() == lock_line(
        FIXTURE, bare_shop.read(FIXTURE)
    )
    steps = [line.strip()[:2] for line in said.splitlines() if line.startswith("  ")]
    assert [step for step in steps if step in ("1.", "2.", "3.", "4.")] == ["1.", "2.", "3."]
    for word in (
        "refs/heads/main",
        "src/**",
        "git add ':/.freeze'",
        "freezegate install",
        "doctor",
        "preset    basic",
    ):
        assert word in said


def test_init_before_the_first_add_says_that_only_tracked_files_count(tmp_path: Path) -> None:
    story = plain_repository(tmp_path / "new")
    story.git("rm", "-rqf", "--ignore-unmatch", ".")
    story.write("src/shop/order.py", "x = 1\n")
    status, said = story.run("init")
    assert status == 0
    assert "only tracked files are looked at" in said
    script = said.partition("with files: ")[2].removesuffix("freezegate init\n")
    shell(story, script + "true")
    assert "src/**" in story.run("init")[1]


def test_what_init_wrote_is_accepted_as_an_adoption(bare_shop: Story) -> None:
    bare_shop.branch("adopt").run("init")
    bare_shop.commit("adopt")
    answer = bare_shop.check()
    assert answer.verdict == "accepted", answer.output
    assert answer.codes == {"judge.no_policy"}


def test_init_changes_nothing_where_a_policy_is(shop: Story) -> None:
    shop.git("rm", "-q", ".freeze/catalog.toml")
    before = shop.git("status", "--porcelain")
    status, said = shop.run("init")
    assert status == 0
    assert said.startswith('.freeze/policy.toml is there already (extends = "basic", targets refs/')
    assert ": nothing was changed; " in said
    assert shop.git("status", "--porcelain") == before


def test_init_in_a_subfolder_writes_at_the_top(bare_shop: Story) -> None:
    Story(bare_shop.root / "src").run("init")
    assert (bare_shop.root / ".freeze/policy.toml").is_file()


def test_init_in_a_linked_worktree_writes_there(bare_shop: Story, tmp_path: Path) -> None:
    bare_shop.git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "linked")
    Story(tmp_path / "wt").run("init")
    assert (tmp_path / "wt/.freeze/policy.toml").is_file()
    assert not (bare_shop.root / ".freeze").exists()


def test_init_takes_the_name_of_another_default_branch(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.git("checkout", "-q", "-b", "trunk")
    story.write("a.py", "").commit("first")
    story.run("init")
    assert parse_policy(story.read(".freeze/policy.toml")).targets == ("refs/heads/trunk",)


def test_init_before_the_first_commit(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    assert story.run("init")[0] == 0
    assert parse_policy(story.read(".freeze/policy.toml")).targets == ("refs/heads/main",)


def test_init_only_prints_if_asked(bare_shop: Story) -> None:
    status, said = bare_shop.run("init", "--print", "--preset", "strict")
    assert status == 0
    assert parse_policy(said.encode()).preset == "strict"
    assert not (bare_shop.root / ".freeze").exists()


@pytest.mark.parametrize("target", ["main", "refs/heads/", "refs/heads/a b", 'refs/heads/"x"'])
def test_init_refuses_what_is_no_full_ref_name(
    bare_shop: Story, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bare_shop.run("init", "--target", target)[0] == 2
    assert "--target" in capsys.readouterr().err
    assert not (bare_shop.root / ".freeze").exists()


def test_init_does_not_follow_a_link(bare_shop: Story, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (bare_shop.root / ".freeze").symlink_to(tmp_path / "elsewhere")
    assert bare_shop.run("init")[0] == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_init_outside_of_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Story(tmp_path).run("init")[0] == 2
    assert "a git repository" in capsys.readouterr().err


def test_init_in_a_bare_repository(bare_shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert Story(bare_shop.root.parent / "origin.git").run("init")[0] == 2
    assert "clone" in capsys.readouterr().err
