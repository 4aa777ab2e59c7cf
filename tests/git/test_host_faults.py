"""Each fault of a host declines the push with one line that tells the pusher what to do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.git.hosting import MAIN, SETTINGS, Host, hand_made, host, remote_lines
from tests.support import ORACLE, ZERO, Story, git_environment


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch with honest work, and its remote as a host."""
    return host(shop.patch())


def declined(hosted: Host, *expected: str, rev: str = "HEAD") -> str:
    """Assert that an honest push is declined by exactly one line, and return that."""
    before = hosted.refs()
    said = hosted.push("origin", f"{rev}:refs/heads/main").refused("pre-receive hook declined")
    assert hosted.refs() == before
    # A shell says itself that a program of it was killed.
    (line,) = [each for each in remote_lines(said.text) if "Killed" not in each]
    assert line.startswith("freezegate: undecided")
    assert len(line) <= 200
    for each in expected:
        assert each in line
    return line


def test_missing_settings(hosted: Host) -> None:
    hosted.settings.unlink()
    declined(hosted, "repository.no_settings", "doctor --host")
    hosted.git("config", "--unset", "freezegate.hostSettings")
    declined(hosted, "repository.no_settings", "administrator")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version = 1\n",
        "protected = [\n",
        f"{SETTINGS}x = 1\n",
        "\0",
        f'{SETTINGS}log = "log.jsonl"\n',
        f'{SETTINGS}[parents]\n"refs/heads/release/*" = "refs/heads/topic"\n',
    ],
)
def test_damaged_settings(hosted: Host, text: str) -> None:
    """Where they lie and what is wrong is told to the administrator, by doctor."""
    hosted.settings.write_text(text)
    line = declined(hosted, "repository.no_settings", "administrator", "doctor --host")
    assert str(hosted.settings.parent) not in line
    landed = hosted.hook((ZERO, hosted.refs()[MAIN], MAIN), name="post-receive")
    assert landed.stderr.endswith("administrator (repository.no_settings)\n")


def test_settings_that_are_a_folder(hosted: Host) -> None:
    hosted.settings.unlink()
    hosted.settings.mkdir()
    declined(hosted, "repository.no_settings")


def test_missing_interpreter(hosted: Host) -> None:
    hosted.git("config", "freezegate.python", "/nowhere/python")
    declined(hosted, "no freezegate ran on the host", "administrator")


def test_an_interpreter_without_freezegate(hosted: Host) -> None:
    bare = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
    script = hosted.settings.with_name("python")
    script.write_text(f'#!/bin/sh\nexec {bare} -S "$@"\n')
    script.chmod(0o755)
    hosted.git("config", "freezegate.python", str(script))
    declined(hosted, "no freezegate ran on the host")


def test_an_interpreter_that_is_killed(hosted: Host) -> None:
    script = hosted.settings.with_name("python")
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    hosted.git("config", "freezegate.python", str(script))
    declined(hosted, "no freezegate ran on the host")


def test_a_full_disk(hosted: Host) -> None:
    hosted.set(SETTINGS + 'log = "/dev/full"\n')
    declined(hosted, "internal.system", "No space left", "push again")


def test_a_log_in_a_folder_that_does_not_stand(hosted: Host) -> None:
    folder = hosted.settings.with_name("logs")
    hosted.set(f'{SETTINGS}log = "{folder}/shop.jsonl"\n')
    line = declined(hosted, "internal.system", "No such file", "administrator")
    assert str(folder) not in line
    assert not folder.exists()


def test_a_log_that_is_a_folder(hosted: Host) -> None:
    hosted.log.mkdir(parents=True)
    declined(hosted, "internal.system", "administrator")


def test_out_of_time(hosted: Host) -> None:
    hosted.set(SETTINGS + "[limits]\nwall_s = 1\n")
    # A judge that never gets to its end: it waits for whoever writes into the pipe.
    hosted.story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    update = hosted.refs()[MAIN], hosted.story.rev("HEAD"), MAIN
    os.mkfifo(hosted.root / "shallow")
    done = hosted.hook(update)
    assert done.returncode == 2
    assert done.stderr.startswith("freezegate: undecided (limits.wall): Push less at once")
    assert done.stderr.count("\n") == 1


def test_out_of_memory(hosted: Host) -> None:
    """A folder of more names than the judge may keep in mind."""
    hosted.set(SETTINGS + "[limits]\nmemory_mib = 256\n")
    blob = hosted.story.blob("")
    names = (f"{number:07}".encode() for number in range(600_000))
    rev = hand_made(hosted.story, [(b"100644", name, blob) for name in names])
    line = declined(hosted, "limits.memory", "memory_mib", rev=rev)
    assert "256 MiB" in line


def test_an_unreadable_object(hosted: Host) -> None:
    hosted.story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    update = hosted.refs()[MAIN], hosted.story.rev("HEAD"), MAIN
    blob = hosted.git("rev-parse", f"{MAIN}:.freeze/policy.toml")
    path = hosted.root / "objects" / blob[:2] / blob[2:]
    data = path.read_bytes()
    path.chmod(0o644)
    for damaged in (data[:20], b"", None):
        path.write_bytes(damaged) if damaged is not None else path.unlink()
        done = hosted.hook(update)
        assert done.returncode == 2
        assert "undecided refs/heads/main" in done.stderr
        assert f"error repository.object_missing: the object {blob}" in done.stderr or (
            f"error repository.object_missing: no object {blob}" in done.stderr
        )


def test_a_killed_judge_takes_nothing_with_it(hosted: Host) -> None:
    """The judge is stopped from outside while it waits; the supervisor declines."""
    hosted.story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    line = f"{hosted.refs()[MAIN]} {hosted.story.rev('HEAD')} {MAIN}\n"
    program = (
        "import os, sys\n"
        "from freezegate.hooks import received\n"
        "judge = received.judge_received\n"
        "def killed(*arguments):\n"
        "    judge(*arguments)\n"
        f"    os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
        "received.judge_received = killed\n"
        "from freezegate.cli.verbs import run_command\n"
        "sys.exit(run_command(['hook', 'pre-receive'], os.environ))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=hosted.root,
        env=git_environment(),
        input=line,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("freezegate: undecided (internal.fault)")
    (entry,) = hosted.entries()
    assert (entry["verdict"], entry["codes"]) == ("undecided", ["internal.fault"])
    assert entry["detail"] == "the judge was ended by signal 9"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x\n",
        b"\n",
        b"0 0 refs/heads/main\n",
        b"0" * 64 + b" " + b"1" * 64 + b" refs/heads/x\n",
    ],
)
def test_input_that_git_does_not_write(hosted: Host, data: bytes) -> None:
    done = hosted.hook(data=data)
    assert done.returncode == 2
    assert done.stderr.startswith("freezegate: undecided (re")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [("pre-receive", "undecided (internal.fault)"), ("post-receive", "not logged")],
)
def test_a_fault_of_ours_is_one_line_without_a_traceback(
    hosted: Host, name: str, said: str
) -> None:
    """Nothing stands behind standard input, which no code here expects."""
    command = f"exec '{sys.executable}' -I -m freezegate hook {name} <&-"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=hosted.root,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("freezegate: ")
    assert said in line


def test_nothing_of_the_pushed_tree_is_run(hosted: Host) -> None:
    for name in ("tomllib.py", "pygit2.py", "freezegate/__init__.py", "sitecustomize.py"):
        (hosted.root / name).parent.mkdir(exist_ok=True)
        (hosted.root / name).write_text("raise SystemExit(0)\n")
    hosted.story.write(ORACLE, "def test_x():\n    pass\n").commit("weak")
    hosted.story.freeze()
    hosted.refuses("HEAD:main", code="oracle.changed")


def test_a_hook_that_is_not_executable_is_not_even_run(hosted: Host, tmp_path: Path) -> None:
    """What `doctor --host` is for: git only hints, and lets everything in."""
    folder = tmp_path / "hooks"
    shutil.copytree(Path(hosted.git("config", "core.hooksPath")), folder)
    (folder / "pre-receive").chmod(0o644)
    hosted.git("config", "core.hooksPath", str(folder))
    hosted.story.write(ORACLE, "def test_x():\n    pass\n").commit("weak")
    hosted.story.freeze()
    hosted.accepts("HEAD:main")
