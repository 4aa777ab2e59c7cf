"""The hooks under the real pre-commit and the real prek, with real commits and pushes.

No network: the configuration is `repo: local`, `language: system`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.git.local import BROKEN, BROKEN_CODE, POLICY, command, launder, remote_refs, user
from tests.support import FIXTURE, Story

CONFIG = ".pre-commit-config.yaml"
MANAGERS = ("pre-commit", "prek")
ONE_REF = "the hook manager shows one ref of a push only"
ROOT = Path(__file__).resolve().parents[2]


def managed(story: Story, tmp_path: Path, manager: str) -> Story:
    """Let a manager place its hooks for the configuration that `install` writes, and land that."""
    home = tmp_path / "home"
    home.mkdir()
    story.environ |= {
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PREK_HOME": str(home / "prek"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    story.on("main")
    assert story.run("install", "--manager", "pre-commit")[0] == 0
    story.commit("Let a manager run the hooks")
    story.git("push", "-q", "origin", "main")
    story.git("branch", "-q", "-f", "topic", "main")
    story.on("topic")
    command(story.root, [manager, "install"], story.environ).passed()
    return story


@pytest.fixture(params=MANAGERS)
def hooked(shop: Story, tmp_path: Path, request: pytest.FixtureRequest) -> Story:
    """The shop's topic branch under each manager."""
    return managed(shop, tmp_path, request.param)


def test_the_hook_types_of_the_configuration_are_placed(hooked: Story) -> None:
    placed = {p.name for p in (hooked.root / ".git/hooks").iterdir() if p.suffix != ".sample"}
    assert placed == {"pre-commit", "pre-merge-commit", "pre-push"}


def test_commits(hooked: Story) -> None:
    hooked.write("README.md", "# Shop\n").git("add", "-A")
    hooked.write(POLICY, BROKEN)  # unstaged: the managers put it aside while the hook runs
    user(hooked, "commit", "-m", "good").passed()
    assert hooked.read(POLICY) == BROKEN.encode()
    before = hooked.rev("HEAD")
    user(hooked, "commit", "-a", "-m", "bad").refused(BROKEN_CODE)
    user(hooked, "commit", "-m", "bad", "--", POLICY, under="src").refused()
    assert hooked.rev("HEAD") == before
    hooked.git("checkout", "--", POLICY)
    user(hooked, "rm", "-q", POLICY).passed()  # a deletion is in no manager's list of files
    user(hooked, "commit", "-m", "no judge").refused("error judge.invalid_new_policy")
    hooked.git("reset", "-q", "--hard")
    hooked.patch().request().write(hooked.root)
    hooked.git("add", "-A", "-f")
    user(hooked, "commit", "-m", "Freeze").passed()
    hooked.write(FIXTURE, '{"lines": [9]}\n').git("add", "-A")
    user(hooked, "commit", "--amend", "--no-edit").refused("error fixture.changed_in_patch")


def test_merges(hooked: Story) -> None:
    hooked.write("README.md", "# Shop\n").commit("ours")
    hooked.branch("theirs", "main").patch().on("topic")
    user(hooked, "merge", "-m", "good", "theirs").passed()
    launder(hooked.branch("bad", "main")).on("topic")
    user(hooked, "merge", "-m", "bad", "bad").refused("error oracle.changed")


def test_a_linked_worktree(hooked: Story, tmp_path: Path) -> None:
    linked = Story(tmp_path / "wt", hooked.environ)
    hooked.git("worktree", "add", "-q", str(linked.root), "-b", "linked", "main")
    linked.write(POLICY, BROKEN).git("add", "-A")
    user(linked, "commit", "-m", "bad").refused(BROKEN_CODE, "refs/heads/linked (index)")
    linked.git("reset", "-q", "--hard")
    launder(linked)
    user(linked, "push", "origin", "linked").refused("refused refs/heads/linked")


def test_pushes(hooked: Story) -> None:
    hooked.branch("ok", "main").patch()
    launder(hooked.branch("bad", "main"))
    said = user(hooked, "push", "origin", "bad").refused("freezegate: refused refs/heads/bad")
    assert ONE_REF in said.text
    hooked.on("ok")
    for refspecs in (("bad",), ("bad:main",), ("bad:refs/heads/other",)):
        user(hooked, "push", "origin", *refspecs).refused("error oracle.changed")
    assert remote_refs(hooked).keys() == {"HEAD", "refs/heads/main"}
    user(hooked, "push", "-u", "origin", "ok").passed()
    user(hooked, "push", "origin", ":ok").passed()
    user(hooked, "push", "origin", "ok:main").passed()
    assert remote_refs(hooked)["refs/heads/main"] == hooked.rev("ok")


def test_several_refs_of_which_one_is_shown(hooked: Story) -> None:
    """MECHANICS 24: no hook can judge what the manager hides, so it says that where it passes, too.

    This is why `install` recommends the native hooks, which refuse the last push here.
    """
    hooked.branch("ok", "main").patch()
    launder(hooked.branch("bad", "main")).on("ok")
    user(hooked, "push", "origin", "bad", "ok").refused("refused refs/heads/bad", ONE_REF)
    said = user(hooked, "push", "origin", "ok", "bad:zzz").passed()
    assert ONE_REF in said.text


def test_pushes_of_other_things_to_other_places(hooked: Story) -> None:
    hooked.branch("ok", "main").patch()
    launder(hooked.branch("bad", "main")).on("ok")
    hooked.git("tag", "-a", "-m", "first", "bad-1", "bad")
    hooked.git("tag", "-a", "-m", "of it", "bad-2", "bad-1")
    url = str(hooked.root.parent / "origin.git")
    fork = str(hooked.root.parent / "fork.git")
    hooked.git("clone", "-q", "--bare", url, fork)
    hooked.git("remote", "add", "fork", fork)
    user(hooked, "push", url, "bad").refused("refused refs/heads/bad")
    user(hooked, "push", "fork", "bad:main").refused("refused refs/heads/main")
    user(hooked, "push", "origin", "bad-2", under="src").refused("refused refs/tags/bad-2")
    user(hooked, "push", "origin", "bad^{/Freeze a}:refs/heads/words").refused("heads/words")
    hooked.git("checkout", "-q", "--detach", "bad")
    user(hooked, "push", "origin", "HEAD:refs/heads/detached").refused("refs/heads/detached")
    user(hooked, "push", "fork", "ok:main").passed()
    user(hooked, "push", f"file://{url}", "ok").passed()


def test_what_a_manager_asks_no_hook_about(hooked: Story) -> None:
    """Measured: a deletion runs no hook, so one target may fall; native hooks refuse that."""
    hooked.git("push", "-q", "--no-verify", "origin", "main:refs/heads/release/1")
    said = user(hooked, "push", "origin", ":release/1").passed()
    assert "freezegate" not in said.text


def test_a_native_hook_that_a_manager_kept_still_sees_every_ref(
    shop: Story, tmp_path: Path
) -> None:
    assert shop.run("install")[0] == 0
    managed(shop, tmp_path, "pre-commit")
    assert (shop.root / ".git/hooks/pre-push.legacy").is_file()
    shop.branch("ok", "main").patch()
    launder(shop.branch("bad", "main")).on("ok")
    said = user(shop, "push", "origin", "ok", "bad:zzz")
    said.refused("freezegate: 2 refs judged: refs/heads/zzz refused")
    user(shop, "push", "origin", "ok").passed()
    shop.write(POLICY, BROKEN).git("add", "-A")
    user(shop, "commit", "-m", "bad", SKIP="freezegate").refused(BROKEN_CODE)


def test_a_history_without_a_common_beginning(hooked: Story) -> None:
    """FROM_REF is missing where a push brings a root commit."""
    hooked.git("checkout", "-q", "--orphan", "pages")
    hooked.write("index.html", "<p>").commit("pages")
    user(hooked, "push", "origin", "pages").passed()
    hooked.write(".freeze/record.json", "{}").commit("bad")
    user(hooked, "push", "origin", "pages").refused("error record.missing_key")


def test_skip_lets_everything_through(hooked: Story) -> None:
    """What `doctor` warns of: a managed hook can be switched off by a variable."""
    hooked.write(POLICY, BROKEN).git("add", "-A")
    user(hooked, "commit", "-m", "bad", SKIP="freezegate").passed()
    user(hooked, "push", "origin", "topic", SKIP="freezegate").refused(BROKEN_CODE)
    user(hooked, "push", "origin", "topic", SKIP="freezegate-pre-push").passed()
    assert hooked.check().errors == {"judge.invalid_new_policy"}


def test_undo_leaves_hooks_of_the_manager_alone(hooked: Story) -> None:
    before = (hooked.root / ".git/hooks/pre-push").read_bytes()
    assert hooked.run("install", "--undo")[0] == 0
    assert not (hooked.root / CONFIG).exists()
    assert (hooked.root / ".git/hooks/pre-push").read_bytes() == before


def test_native_install_does_not_clobber_a_manager(
    hooked: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {p: p.read_bytes() for p in (hooked.root / ".git/hooks").iterdir()}
    assert hooked.run("install")[0] == 2
    assert "freezegate install --manager" in capsys.readouterr().err
    assert {p: p.read_bytes() for p in (hooked.root / ".git/hooks").iterdir()} == before


def test_prek_by_its_own_file(shop: Story, tmp_path: Path) -> None:
    from freezegate.cli.managers import LINES

    managed(shop, tmp_path, "prek").on("main")
    (shop.root / CONFIG).unlink()
    shop.write("prek.toml", LINES["prek"]).commit("by prek.toml")
    shop.git("push", "-q", "--no-verify", "origin", "main")
    shop.branch("later")
    command(shop.root, ["prek", "install", "-f"], shop.environ).passed()
    shop.write("README.md", "# Shop\n").git("add", "-A")
    user(shop, "commit", "-m", "good").passed()
    shop.write(POLICY, BROKEN).git("add", "-A")
    user(shop, "commit", "-m", "bad").refused(BROKEN_CODE)
    user(shop, "commit", "-q", "--no-verify", "-m", "bad").passed()
    user(shop, "push", "origin", "later").refused(BROKEN_CODE)


@pytest.mark.parametrize("manager", MANAGERS)
def test_the_shipped_ids_are_valid(manager: str, shop: Story) -> None:
    file = str(ROOT / ".pre-commit-hooks.yaml")
    environ = {"HOME": str(shop.root), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    command(shop.root, [manager, "validate-manifest", file], environ).passed()


def test_the_shipped_ids_say_what_the_pasted_lines_say() -> None:
    import yaml

    from freezegate.cli.managers import _HOOKS

    shipped = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    pasted = yaml.safe_load(_HOOKS)[0]["hooks"]
    for ours, theirs in zip(shipped, pasted, strict=True):
        differing = ("name", "description", "language")
        assert {k: v for k, v in ours.items() if k not in differing} == {
            k: v for k, v in theirs.items() if k not in differing
        }
