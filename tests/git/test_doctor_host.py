"""`doctor --host`: what it proves about a host, and that it sees each way to be no gate at all."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.git.hosting import HOOKS, PARENTS, SETTINGS, Host, host
from tests.support import Story


@pytest.fixture
def hosted(shop: Story, tmp_path: Path) -> Host:
    """A host with hooks of its own folder, which may be spoilt."""
    made = host(shop)
    shutil.copytree(HOOKS, tmp_path / "hooks")
    made.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    return made


def examined(hosted: Host, *options: str) -> tuple[int, dict[str, list[str]]]:
    """The exit status and the lines by health."""
    arguments = ("doctor", "--host", str(hosted.root), "--format", "json", *options)
    status, output = hosted.story.run(*arguments)
    lines: dict[str, list[str]] = {"ok": [], "warning": [], "error": []}
    for line in json.loads(output):
        lines[line["health"]].append(line["said"])
    return status, lines


def spoil(hosted: Host, text: str) -> None:
    """Put another script in pre-receive's place."""
    path = Path(hosted.git("config", "core.hooksPath")) / "pre-receive"
    path.write_text(text)


def test_a_host_that_is_well(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    before = hosted.refs(), hosted.objects(), hosted.entries()
    status, lines = examined(hosted)
    assert (status, lines["error"], lines["warning"]) == (0, [], [])
    assert "canary: a bad push was declined, by freezegate" in lines["ok"]
    assert "canary: the deletion of a protected ref was declined, by freezegate" in lines["ok"]
    assert "canary: another honest push went in" in lines["ok"]
    assert (hosted.refs(), hosted.objects(), hosted.entries()) == before


def test_hooks_of_the_hosts_own_are_not_asked(hosted: Host) -> None:
    """gitolite's `update` declines whatever gitolite did not start (tests/hosts)."""
    shutil.copytree(HOOKS, hosted.root / "hooks", dirs_exist_ok=True)
    update = hosted.root / "hooks" / "update"
    update.write_text("#!/bin/sh\nexit 1\n")
    update.chmod(0o755)
    hosted.git("config", "--unset", "core.hooksPath")
    status, lines = examined(hosted)
    assert (status, lines["error"]) == (0, [])
    assert "canary: a bad push was declined, by freezegate" in lines["ok"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("#!/bin/sh\nexit 0\n", "canary: a bad push WENT IN", id="asks_nobody"),
        pytest.param(
            '#!/bin/sh\n{ "$(git config freezegate.python)" -I -m freezegate hook pre-receive; } '
            "2>&1 | cat\n",
            "canary: a bad push WENT IN",
            id="loses_the_status",
        ),
        pytest.param(
            "#!/bin/sh\nexit 1\n", "canary: a first honest push was declined", id="declines_all"
        ),
    ],
)
def test_a174_a_hook_that_is_no_gate(hosted: Host, script: str, said: str) -> None:
    spoil(hosted, script)
    status, lines = examined(hosted)
    assert status == 1
    assert any(line.startswith(said) for line in lines["error"]), lines


def test_b6_a_hook_that_is_not_executable(hosted: Host) -> None:
    (Path(hosted.git("config", "core.hooksPath")) / "pre-receive").chmod(0o644)
    status, lines = examined(hosted)
    assert status == 1
    assert any("pre-receive: not executable" in line for line in lines["error"])
    assert any(line.startswith("canary: a bad push WENT IN") for line in lines["error"])


def test_what_is_missing_is_named(hosted: Host) -> None:
    for name in ("pre-receive", "post-receive"):
        (Path(hosted.git("config", "core.hooksPath")) / name).unlink()
    hosted.git("config", "freezegate.python", "/nowhere/python")
    status, lines = examined(hosted, "--no-canary")
    assert status == 1
    assert any(line.startswith("pre-receive: missing") for line in lines["error"])
    assert any("/nowhere/python, which has no freezegate" in line for line in lines["error"])
    assert any(line.startswith("post-receive: missing") for line in lines["warning"])
    assert any(line.startswith("no canary") for line in lines["warning"])


def test_settings_that_are_missing_damaged_or_open_to_others(hosted: Host) -> None:
    hosted.settings.chmod(0o666)
    assert any("may write" in line for line in examined(hosted, "--no-canary")[1]["warning"])
    hosted.settings.write_text("version = 2\n")
    assert any("does not decode" in line for line in examined(hosted)[1]["error"])
    hosted.settings.unlink()
    assert any("No such file" in line for line in examined(hosted)[1]["error"])


def test_settings_that_protect_nothing_here(hosted: Host) -> None:
    hosted.set(SETTINGS.replace("refs/heads/main", "refs/heads/mian"))
    status, lines = examined(hosted, "--no-canary")
    assert status == 1
    assert any(line.startswith("none of the 1 refs here is protected") for line in lines["error"])
    hosted.git("update-ref", "refs/heads/release/1", "refs/heads/main")
    status, lines = examined(hosted, "--no-canary")
    assert "1 of the 2 refs here are protected" in lines["ok"]
    assert "HEAD's branch refs/heads/main is not protected" in lines["warning"]
    for ref in hosted.refs():
        hosted.git("update-ref", "-d", ref)
    assert any("no ref stands here yet" in line for line in examined(hosted)[1]["ok"])


def test_parents_that_are_not_protected_or_not_here(hosted: Host) -> None:
    release = '[parents]\n"refs/heads/release/*" = '
    hosted.set(f'{SETTINGS}{release}"refs/heads/release/0"\n')
    _, lines = examined(hosted, "--no-canary")
    assert any(line.startswith("no refs/heads/release/0 stands") for line in lines["warning"])
    hosted.set(f'{SETTINGS}{release}"refs/heads/topic"\n')
    status, lines = examined(hosted)
    assert status == 1
    (line,) = lines["error"]
    assert line.endswith("names refs/heads/topic, which `protected` does not list")


def test_a_log_in_a_folder_that_does_not_stand(hosted: Host) -> None:
    hosted.set(f'{SETTINGS}log = "{hosted.settings.parent}/logs/shop.jsonl"\n')
    status, lines = examined(hosted)
    assert status == 1
    (line,) = lines["error"]
    assert line.startswith("the log's folder does not stand")


def test_a_log_that_cannot_be_written(hosted: Host) -> None:
    hosted.log.mkdir(parents=True)
    status, lines = examined(hosted, "--no-canary")
    assert status == 1
    assert any(line.startswith("the log cannot be written") for line in lines["error"])


def test_no_repository(hosted: Host) -> None:
    status, output = hosted.story.run("doctor", "--host", sys.prefix)
    assert status == 1
    assert "is no git directory" in output
