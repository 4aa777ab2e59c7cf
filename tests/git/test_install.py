"""`install` on real repositories: what git then runs, and that undoing restores every byte."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import Story, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("pre-commit", "pre-merge-commit", "pre-push")
OLD_HOOK = b"#!/bin/sh\necho the old hook was here\ncat\n"


def everything(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder with its bytes and mode, but for git's own bookkeeping."""

    def files() -> Iterator[Path]:
        yield from (path for path in root.rglob("*") if path.is_file())

    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode)
        for path in files()
        if not {"objects", "logs"} & set(path.parts) and path.name != "index"
    }


def git(story: Story, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git as a user does."""
    return subprocess.run(
        ["git", *arguments],
        cwd=story.root,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def ask_with_a_weak_oracle(story: Story) -> None:
    """Stage a patch that the gate refuses."""
    story.write(".freeze/record.json", "{}").git("add", "-A")


def place_hook(story: Story, name: str, data: bytes, mode: int = 0o755) -> Path:
    """Put a hook where git's default is."""
    path = story.root / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_installed_hooks_refuse_a_bad_commit_and_a_bad_push(shop: Story) -> None:
    assert shop.run("install")[0] == 0
    ask_with_a_weak_oracle(shop)
    done = git(shop, "commit", "-m", "bad")
    assert done.returncode == 1
    assert "record.missing_key" in done.stderr
    assert git(shop, "commit", "-q", "--no-verify", "-m", "bad").returncode == 0
    assert git(shop, "push", "origin", "topic").returncode != 0


def test_installed_hooks_let_honest_work_pass(shop: Story) -> None:
    shop.run("install")
    shop.write("src/shop/order.py", "x = 1\n").git("add", "-A")
    assert git(shop, "commit", "-q", "-m", "honest").returncode == 0
    assert git(shop, "push", "-q", "origin", "topic").returncode == 0


def test_the_interpreter_is_noted_so_no_path_is_needed(shop: Story) -> None:
    shop.run("install")
    assert shop.git("config", "freezegate.python") == sys.executable


@pytest.mark.parametrize("name", NAMES)
def test_a_hook_that_was_there_runs_first(shop: Story, name: str) -> None:
    place_hook(shop, name, OLD_HOOK)
    shop.run("install")
    shop.write("src/shop/order.py", "x = 1\n").git("add", "-A")
    said = git(shop, "commit", "-m", "honest")
    shop.branch("side", "main").write("src/shop/b.py", "").commit("side")
    shop.on("topic")
    merged = git(shop, "merge", "--no-ff", "-m", "merge", "side")
    pushed = git(shop, "push", "origin", "topic")
    outputs = {"pre-commit": said, "pre-merge-commit": merged, "pre-push": pushed}
    heard = outputs[name].stdout + outputs[name].stderr
    assert "the old hook was here" in heard
    assert "freezegate: accepted" in heard
    if name == "pre-push":
        assert "refs/heads/topic" in heard.split("freezegate")[0]


def test_a_hook_that_was_there_can_still_refuse(shop: Story) -> None:
    place_hook(shop, "pre-commit", b"#!/bin/sh\necho no, says the old one >&2; exit 7\n")
    shop.run("install")
    shop.write("src/shop/order.py", "x = 1\n").git("add", "-A")
    done = git(shop, "commit", "-m", "honest")
    assert done.returncode == 1
    assert "no, says the old one" in done.stderr


def test_undo_restores_every_byte(shop: Story) -> None:
    place_hook(shop, "pre-push", OLD_HOOK)
    before = everything(shop.root)
    shop.run("install")
    assert everything(shop.root) != before
    status, said = shop.run("install", "--undo")
    assert status == 0
    assert "restored" in said
    assert everything(shop.root) == before


def test_undo_keeps_configuration_that_came_later(shop: Story) -> None:
    shop.run("install")
    shop.git("config", "user.nickname", "Ada")
    shop.run("install", "--undo")
    assert shop.git("config", "user.nickname") == "Ada"
    assert not shop.git("config", "--get", "freezegate.python", check=False)


def test_undo_touches_nothing_where_a_hook_was_edited_since(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run("install")
    hook = shop.root / ".git/hooks/pre-push"
    hook.write_bytes(hook.read_bytes() + b"# mine\n")
    before = everything(shop.root)
    assert shop.run("install", "--undo")[0] == 2
    assert "edited since" in capsys.readouterr().err
    assert everything(shop.root) == before


def test_undo_without_install(shop: Story) -> None:
    assert shop.run("install", "--undo") == (0, "nothing was installed here\n")


def test_installing_twice_changes_nothing(shop: Story) -> None:
    place_hook(shop, "pre-push", OLD_HOOK)
    shop.run("install")
    before = everything(shop.root)
    assert shop.run("install")[0] == 0
    assert everything(shop.root) == before


@pytest.mark.parametrize(
    ("data", "mode", "said"),
    [
        pytest.param(OLD_HOOK, 0o644, "no plain executable file", id="not_executable"),
        pytest.param(b"\x7fELF", 0o755, "no plain executable file", id="a_binary"),
        pytest.param(
            b"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n",
            0o755,
            "--manager pre-commit",
            id="pre_commit",
        ),
        pytest.param(b"#!/bin/sh\nexec prek hook-impl\n", 0o755, "--manager prek", id="prek"),
        pytest.param(b"#!/bin/sh\ncall_lefthook run\n", 0o755, "--manager lefthook", id="lefthook"),
        pytest.param(b'#!/bin/sh\n. "$(dirname "$0")/_/husky.sh"\n', 0o755, "husky", id="husky"),
    ],
)
def test_what_it_does_not_know_is_not_clobbered(
    shop: Story, data: bytes, mode: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place_hook(shop, "pre-commit", data, mode)
    before = everything(shop.root)
    assert shop.run("install")[0] == 2
    assert said in capsys.readouterr().err
    assert everything(shop.root) == before


def test_a_hooks_path_of_the_repository_is_honoured(shop: Story) -> None:
    shop.git("config", "core.hooksPath", ".githooks")
    shop.run("install")
    assert (shop.root / ".githooks/pre-push").is_file()
    ask_with_a_weak_oracle(shop)
    assert git(shop, "commit", "-m", "bad").returncode == 1


def test_a_hooks_path_for_all_repositories_is_left_alone(
    shop: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path}/shared\n")
    done = subprocess.run(
        [sys.executable, "-m", "freezegate", "install"],
        cwd=shop.root,
        env=git_environment() | {"HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "more than this repository" in done.stderr
    assert not (tmp_path / "shared").exists()


def test_from_a_linked_worktree_the_common_hooks_are_meant(shop: Story, tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "linked", "main")
    linked = Story(tmp_path / "wt")
    linked.run("install")
    assert (shop.root / ".git/hooks/pre-push").is_file()
    ask_with_a_weak_oracle(linked)
    assert git(linked, "commit", "-m", "bad").returncode == 1


CONFIGURATIONS = [
    pytest.param(None, id="none"),
    pytest.param("repos: []\n", id="empty_list_in_a_line"),
    pytest.param("repos:\n", id="empty_list"),
    pytest.param(
        "# ours\nrepos:\n- repo: https://example.org/a  # keep\n  rev: v1\n  hooks:\n  - id: a\n",
        id="items_at_the_margin",
    ),
    pytest.param(
        "repos:\n  - repo: https://example.org/a\n    rev: v1\n    hooks:\n      - id: a\n"
        "ci:\n  autofix: false\n",
        id="indented_items_and_a_key_behind",
    ),
    pytest.param(
        "default_install_hook_types: [pre-commit, pre-merge-commit, pre-push, commit-msg]\n"
        "repos:\n  - repo: local\n    hooks: []\n",
        id="types_that_fit",
    ),
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_joining_the_pre_commit_framework(shop: Story, configuration: str | None) -> None:
    import yaml

    path = shop.root / ".pre-commit-config.yaml"
    if configuration is not None:
        path.write_text(configuration)
    before = everything(shop.root)
    status, _ = shop.run("install", "--manager", "pre-commit")
    if configuration == "repos: []\n":
        assert status == 2
        assert everything(shop.root) == before
        return
    assert status == 0
    value = yaml.safe_load(path.read_text())
    ids = [hook["id"] for repo in value["repos"] for hook in repo["hooks"]]
    assert ids[-2:] == ["freezegate", "freezegate-pre-push"]
    assert "pre-push" in value["default_install_hook_types"]
    for line in (configuration or "").splitlines():
        assert line in path.read_text().splitlines()
    after = everything(shop.root)
    assert shop.run("install", "--manager", "pre-commit")[0] == 0
    assert everything(shop.root) == after
    shop.run("install", "--undo")
    assert everything(shop.root) == before


@pytest.mark.parametrize(
    "text",
    ["a: [", "- a list\n", "repos: 3\n", "default_install_hook_types: [commit-msg]\nrepos:\n"],
)
def test_configurations_that_cannot_be_edited_safely(
    shop: Story, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shop.root / ".pre-commit-config.yaml"
    path.write_text(text)
    assert shop.run("install", "--manager", "pre-commit")[0] == 2
    assert ".pre-commit-config.yaml" in capsys.readouterr().err
    assert path.read_text() == text


@pytest.mark.parametrize("manager", ["prek", "lefthook", "husky"])
def test_the_lines_for_other_managers(shop: Story, manager: str) -> None:
    before = everything(shop.root)
    status, said = shop.run("install", "--manager", manager)
    assert status == 0
    assert "freezegate hook pre-push" in said
    assert everything(shop.root) == before


def test_the_lines_for_prek_are_a_document() -> None:
    import tomllib

    from freezegate.cli.managers import LINES

    value = tomllib.loads(LINES["prek"])
    assert [hook["id"] for hook in value["repos"][0]["hooks"]] == [
        "freezegate",
        "freezegate-pre-push",
    ]


def test_install_in_a_bare_repository(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert Story(shop.root.parent / "origin.git").run("install")[0] == 2
    assert "clone" in capsys.readouterr().err


def test_a_copy_of_the_repository_undoes_its_own_install(shop: Story, tmp_path: Path) -> None:
    place_hook(shop, "pre-push", OLD_HOOK)
    before = everything(shop.root)
    shop.run("install")
    installed = everything(shop.root)
    shutil.copytree(shop.root, tmp_path / "copy", symlinks=True)
    copy = Story(tmp_path / "copy")
    assert copy.run("install", "--undo")[0] == 0
    assert everything(copy.root) == before
    assert everything(shop.root) == installed


def test_an_install_that_was_killed_in_the_middle_can_be_undone(shop: Story) -> None:
    place_hook(shop, "pre-push", OLD_HOOK)
    before = everything(shop.root)
    shop.run("install")
    (shop.root / ".git/hooks/pre-push").write_bytes(OLD_HOOK)  # as if its write never came
    shop.git("config", "--unset", "freezegate.python")
    assert shop.run("install", "--undo")[0] == 0
    after = everything(shop.root)
    assert after.keys() == before.keys()
    assert after[".git/hooks/pre-push"] == before[".git/hooks/pre-push"]


def test_a_damaged_journal_is_told(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    shop.run("install")
    (shop.root / ".git/freezegate/installed.json").write_text('{"changes": [{}]}')
    assert shop.run("install", "--undo")[0] == 2
    assert "damaged" in capsys.readouterr().err


def test_a_hook_that_only_speaks_of_us_is_kept(shop: Story) -> None:
    place_hook(shop, "pre-push", b"#!/bin/sh\n# runs lint, then asks freezegate\nexit 7\n")
    shop.run("install")
    assert (shop.root / ".git/hooks/pre-push.before-freezegate").is_file()


def test_a_configuration_that_is_locked_leaves_everything_as_it_was(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    place_hook(shop, "pre-push", OLD_HOOK)
    (shop.root / ".git/config.lock").touch()
    before = everything(shop.root)
    assert shop.run("install")[0] == 2
    assert "freezegate.python" in capsys.readouterr().err
    assert everything(shop.root) == before


def test_undo_brings_back_the_old_interpreter(shop: Story) -> None:
    shop.git("config", "freezegate.python", "/old/python")
    shop.run("install")
    shop.git("config", "user.nickname", "Ada")
    shop.run("install", "--undo")
    assert shop.git("config", "freezegate.python") == "/old/python"
    assert shop.git("config", "user.nickname") == "Ada"


def test_links_are_not_replaced_by_files(
    shop: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shared.yaml").write_text("repos:\n")
    (shop.root / ".pre-commit-config.yaml").symlink_to(tmp_path / "shared.yaml")
    assert shop.run("install", "--manager", "pre-commit")[0] == 2
    assert "symbolic link" in capsys.readouterr().err
    assert (shop.root / ".pre-commit-config.yaml").is_symlink()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("repos:\r\n- repo: local\r\n  hooks: []\r\n", id="crlf"),
        pytest.param("---\nrepos:\n- repo: local\n  hooks: []\n", id="document_marker"),
        pytest.param("# ours\n--- # here\nrepos:\n", id="marker_behind_a_comment"),
        pytest.param("", id="empty"),
        pytest.param("\n", id="blank"),
    ],
)
def test_other_spellings_of_a_configuration(shop: Story, text: str) -> None:
    import yaml

    path = shop.root / ".pre-commit-config.yaml"
    path.write_bytes(text.encode())
    assert shop.run("install", "--manager", "pre-commit")[0] == 0
    data = path.read_bytes()
    assert data.count(b"\r\n") in (0, data.count(b"\n"))
    assert (b"\r\n" in data) is ("\r\n" in text)
    ids = [hook["id"] for repo in yaml.safe_load(data)["repos"] for hook in repo["hooks"]]
    assert ids == ["freezegate", "freezegate-pre-push"]


@pytest.mark.parametrize(
    "data",
    [
        b"repos: [foo]\n",
        b"repos:\n- repo: local\n  hooks: [a]\n",
        b"repos:\n- repo: local\n  hooks: 5\n",
        b"default_install_hook_types: 5\nrepos:\n",
        b"default_install_hook_types: [[a]]\nrepos:\n",
        b"[" * 3000,
        b"repos: 2026-13-45\n",
        b"\xff\xfe",
        b"repos:\n- repo: local\n  hooks:\n  - id: freezegate\n",
    ],
)
def test_odd_configurations_are_told_and_left_alone(
    shop: Story, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shop.root / ".pre-commit-config.yaml"
    path.write_bytes(data)
    assert shop.run("install", "--manager", "pre-commit")[0] == 2
    assert "Traceback" not in capsys.readouterr().err
    assert path.read_bytes() == data


@pytest.mark.parametrize("setting", ["", "~nosuchuser/hooks", "README.md/hooks"])
def test_odd_hooks_paths_are_no_traceback(
    shop: Story, setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.git("config", "core.hooksPath", setting)
    status, _ = shop.run("install")
    assert status in (0, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_git_is_asked_where_it_looks(shop: Story, tmp_path: Path) -> None:
    config = shop.root / ".git/config"
    (tmp_path / "more").write_text(f"[core]\n\thooksPath = {tmp_path}/elsewhere\n")
    include = f'[includeIf "hasconfig:remote.*.url:**"]\n\tpath = {tmp_path}/more\n'
    config.write_text(config.read_text() + include)
    status, said = shop.run("install")
    assert (status, "elsewhere" in said) == (0, True)
    assert (tmp_path / "elsewhere/pre-push").is_file()
