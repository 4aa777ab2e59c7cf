"""`doctor` on real repositories: each line that it can say, and what its canary proves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from freezegate import __version__
from tests.support import Story, git_environment, plain_repository

HOOKS = ("pre-commit", "pre-merge-commit", "pre-push")
LOCK = ".freeze/fixtures.sha256"


def doctor(story: Story, *arguments: str) -> tuple[int, str]:
    """Ask the doctor without its canary."""
    return story.run("doctor", "--no-canary", *arguments)


def canary(story: Story) -> tuple[int, list[str]]:
    """Ask the doctor and return what its canary said."""
    status, out = story.run("doctor")
    lines = [line for line in out.splitlines() if " canary: " in line]
    return status, [line.replace(" canary: ", " ") for line in lines]


def line(out: str, word: str) -> str:
    """The only line of a report that holds a word, without its remedy."""
    found = [each for each in out.splitlines() if word in each and "remedy:" not in each]
    assert len(found) == 1, out
    return found[0]


def remedy(out: str, word: str) -> str:
    """The remedy below the line that holds a word."""
    lines = out.splitlines()
    place = lines.index(line(out, word))
    return lines[place + 1].split("remedy: ")[1]


def put(folder: Path, text: str, *names: str) -> None:
    """Put hooks with a text into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or HOOKS:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def everything(root: Path) -> dict[str, bytes]:
    """Every file below a folder, objects and all."""
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()
    }


def folders(root: Path) -> set[str]:
    """Every folder below a folder."""
    return {str(p.relative_to(root)) for p in root.rglob("*") if p.is_dir()}


@pytest.fixture
def ready(shop: Story) -> Story:
    """The shop with its hooks in place."""
    assert shop.run("install")[0] == 0
    return shop


def test_all_is_well_after_install(ready: Story) -> None:
    status, out = ready.run("doctor")
    assert status == 0, out
    assert [each.split()[0] for each in out.splitlines()] == ["ok"] * len(out.splitlines())
    assert f"freezegate {__version__}, Python" in line(out, "Python")
    assert "policy at refs/remotes/origin/main: preset basic" in line(out, "policy at")
    assert f"git looks for hooks in {ready.root}/.git/hooks (git's default)" in out
    assert line(out, "hooks run").endswith(f"freezegate {__version__} by {sys.executable}")
    assert "(1 locked)" in line(out, "rewrites a locked fixture")
    assert "a bad commit was refused by pre-commit, by freezegate" in line(out, "bad commit")
    assert "a bad push was refused by pre-push, by freezegate" in line(out, "bad push")
    assert "an honest commit and push were let through" in line(out, "honest")


def test_json_says_the_same(ready: Story) -> None:
    status, out = ready.run("doctor", "--format", "json")
    lines = json.loads(out)
    assert status == 0
    assert {frozenset(each) for each in lines} == {frozenset(("health", "said", "remedy"))}
    assert [each["said"] for each in lines if each["said"].startswith("canary: ")] == [
        "canary: a bad commit was refused by pre-commit, by freezegate",
        "canary: a bad push was refused by pre-push, by freezegate",
        "canary: an honest commit and push were let through",
    ]


def test_without_a_canary_it_says_that_nobody_saw_a_refusal(ready: Story) -> None:
    status, out = doctor(ready)
    assert status == 0
    assert line(out, "no canary").startswith("warning ")


# --- hooks and where git looks for them


def test_hooks_that_are_missing(shop: Story) -> None:
    status, out = doctor(shop)
    assert status == 1
    for name in HOOKS:
        assert line(out, f"{name}: missing").startswith("error ")
        assert remedy(out, f"{name}: missing") == "freezegate install"


def test_no_hooks_folder_at_all(shop: Story) -> None:
    hooks = shop.root / ".git/hooks"
    for path in hooks.iterdir():
        path.unlink()
    hooks.rmdir()
    status, out = doctor(shop)
    assert status == 1
    assert line(out, "no folder for hooks").startswith("error ")
    assert "core.hooksPath" not in out


def test_a_hook_that_is_not_executable(ready: Story) -> None:
    path = ready.root / ".git/hooks/pre-push"
    path.chmod(0o644)
    status, out = doctor(ready)
    assert status == 1
    assert line(out, "pre-push:") == "error    pre-push: not executable, so git skips it"
    assert remedy(out, "pre-push:") == f"chmod +x {path}"
    assert line(out, "pre-commit:").startswith("ok ")


def test_a_link_to_nothing_is_no_hook(ready: Story) -> None:
    path = ready.root / ".git/hooks/pre-push"
    path.unlink()
    path.symlink_to("gone")
    status, out = doctor(ready)
    assert status == 1
    assert "a link to nothing, so git skips it" in line(out, "pre-push:")


def test_hooks_of_another_version(ready: Story) -> None:
    path = ready.root / ".git/hooks/pre-push"
    path.write_text(path.read_text() + "# edited\n")
    status, out = doctor(ready)
    assert status == 0
    assert line(out, "pre-push:") == "warning  pre-push: a hook of another version of freezegate"
    assert remedy(out, "pre-push:") == "freezegate install"


def test_somebodys_own_hook(shop: Story) -> None:
    put(shop.root / ".git/hooks", "#!/bin/sh\nexit 0\n")
    _, out = doctor(shop)
    assert line(out, "pre-push:") == "warning  pre-push: somebody's own hook"


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("# File generated by prek", "a hook of prek"),
        ("lefthook run", "a hook of lefthook"),
        (". husky.sh", "a hook of husky"),
    ],
)
def test_hooks_of_managers_are_left_to_the_canary(shop: Story, mark: str, said: str) -> None:
    put(shop.root / ".git/hooks", f"#!/bin/sh\n{mark}\n")
    assert line(doctor(shop)[1], "pre-push:") == (
        f"ok       pre-push: {said}; only the canary can tell whether it asks freezegate"
    )


def test_a_folder_whose_name_would_forge_a_line(tmp_path: Path) -> None:
    story = plain_repository(tmp_path / "caf\u00e9\nok       all is well")
    story.run("install")
    status, out = story.run("doctor")
    assert status == 0, out
    assert "\nok       all is well" not in out
    assert out.isascii()


def test_hooks_that_core_hooks_path_shadows(ready: Story, tmp_path: Path) -> None:
    put(tmp_path / "others", "#!/bin/sh\nexit 0\n")
    ready.git("config", "core.hooksPath", str(tmp_path / "others"))
    _, out = doctor(ready)
    said = line(out, "shadowed")
    assert said.startswith("warning ")
    assert f"{ready.root}/.git/hooks (pre-commit, pre-merge-commit, pre-push)" in said


def test_core_hooks_path_that_says_the_default_shadows_nothing(ready: Story) -> None:
    ready.git("config", "core.hooksPath", ".git/hooks")
    status, out = doctor(ready)
    assert status == 0
    assert "shadowed" not in out
    assert "(core.hooksPath is .git/hooks)" in line(out, "looks for hooks")


def test_core_hooks_path_that_points_at_nothing(ready: Story) -> None:
    ready.git("config", "core.hooksPath", "gone/hooks")
    status, out = doctor(ready)
    assert status == 1
    said = line(out, "points at nothing")
    assert said == (
        f"error    core.hooksPath (gone/hooks) points at nothing: {ready.root}/gone/hooks"
    )


def test_a_relative_hooks_path_counts_from_the_linked_worktree(
    ready: Story, tmp_path: Path
) -> None:
    ready.git("config", "core.hooksPath", ".git/hooks")
    ready.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    status, out = doctor(Story(tmp_path / "linked"))
    assert status == 1
    assert line(out, "points at nothing").endswith(
        f"{tmp_path}/linked/.git/hooks; a relative path counts from this linked worktree"
    )


# --- the interpreter


def test_an_interpreter_that_is_gone(ready: Story) -> None:
    ready.git("config", "freezegate.python", "/gone/python")
    status, out = doctor(ready)
    assert status == 1
    assert line(out, "has no freezegate").startswith("error    freezegate.python is /gone/python")
    assert remedy(out, "has no freezegate") == f"git config freezegate.python {sys.executable}"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("exit 1", "error    freezegate.python is {}, which has", id="none_in_it"),
        pytest.param("echo 0.0.9", "warning  hooks run freezegate 0.0.9 ({})", id="another"),
    ],
)
def test_an_interpreter_with_another_freezegate(
    ready: Story, tmp_path: Path, script: str, said: str
) -> None:
    put(tmp_path / "bin", f"#!/bin/sh\n{script}\n", "python")
    python = tmp_path / "bin/python"
    ready.git("config", "freezegate.python", str(python))
    _, out = doctor(ready)
    assert said.format(python) in out


def test_an_interpreter_below_home(ready: Story, tmp_path: Path) -> None:
    """The hooks ask git for a path, which expands `~`."""
    put(tmp_path / "bin", f'#!/bin/sh\nexec {sys.executable} "$@"\n', "python")
    ready.git("config", "freezegate.python", "~/bin/python")
    ready.environ["HOME"] = str(tmp_path)
    status, out = ready.run("doctor")
    assert status == 0, out


@pytest.mark.parametrize(
    ("names", "said"),
    [
        pytest.param({}, "error    freezegate.python is not set, hooks take python3", id="nothing"),
        pytest.param({"freezegate": "exit 0"}, "is not set: hooks run {}/freezegate", id="command"),
        pytest.param({"python3": f"echo {__version__}"}, f"{__version__} by python3", id="python3"),
    ],
)
def test_what_path_has_where_none_is_set(
    ready: Story, tmp_path: Path, names: dict[str, str], said: str
) -> None:
    ready.git("config", "--unset", "freezegate.python")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in names.items():
        put(folder, f"#!/bin/sh\n{script}\n", name)
    ready.environ["PATH"] = str(folder)
    _, out = doctor(ready)
    assert said.format(folder) in out


# --- what is judged, and by what


def test_a_shallow_clone(ready: Story, tmp_path: Path) -> None:
    remote = f"file://{ready.root.parent}/origin.git"
    ready.git("clone", "-q", "--depth", "1", remote, str(tmp_path / "shallow"))
    _, out = doctor(Story(tmp_path / "shallow"))
    assert line(out, "clone is shallow") == "warning  this clone is shallow"
    assert remedy(out, "clone is shallow") == "git fetch --unshallow"


def test_a_graft_is_no_answer(ready: Story, capsys: pytest.CaptureFixture[str]) -> None:
    ready.write(".git/info/grafts", f"{ready.rev('HEAD')}\n")
    assert doctor(ready) == (2, "")
    assert "a graft file that rewrites history" in capsys.readouterr().err


@pytest.mark.parametrize("attributes", ["filter=lfs", "eol=crlf", "text=auto", "ident"])
def test_attributes_that_rewrite_a_locked_fixture(ready: Story, attributes: str) -> None:
    ready.write(".gitattributes", f"*.json {attributes}\n").git("add", "-A")
    status, out = doctor(ready)
    assert status == 0
    assert line(out, "lets a checkout").startswith("warning  'tests/fixtures/order.json': ")
    assert attributes in line(out, "lets a checkout")
    ready.write(".gitattributes", "*.json -text -filter -ident -eol\n").git("add", "-A")
    assert "lets a checkout" not in doctor(ready)[1]


@pytest.mark.parametrize("value", ["true", "input"])
def test_a_setting_that_rewrites_line_endings(ready: Story, value: str) -> None:
    word = "core.autocrlf"
    assert word not in doctor(ready)[1]
    ready.git("config", word, value)
    out = doctor(ready)[1]
    assert line(out, word).startswith(f"warning  {word} is {value}: ")
    assert "tests/fixtures/order.json" in line(out, word)
    command = remedy(out, word).removesuffix(", then commit it")
    subprocess.run(["sh", "-e", "-c", command], cwd=ready.root, env=git_environment(), check=True)
    assert ready.read(".gitattributes") == b".freeze/** -text\ntests/fixtures/** -text\n"
    assert word not in doctor(ready)[1]
    ready.git("config", word, "false")
    ready.git("rm", "-q", "-f", ".gitattributes")
    assert word not in doctor(ready)[1]


def test_a_lock_that_does_not_decode(ready: Story) -> None:
    ready.write(LOCK, "nonsense\n").git("add", "-A")
    status, out = doctor(ready)
    assert status == 1
    assert line(out, "fixtures.sha256 does not decode").startswith("error ")


def test_no_locked_fixture(ready: Story) -> None:
    ready.git("rm", "-q", LOCK)
    assert line(doctor(ready)[1], "is locked") == "ok       no fixture is locked"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SKIP", "flake8,freezegate"),
        ("SKIP", "freezegate-pre-push"),
        ("PREK_SKIP", ".:freezegate"),
        ("LEFTHOOK", "0"),
        ("HUSKY", "0"),
    ],
)
def test_variables_that_switch_it_off(ready: Story, name: str, value: str) -> None:
    ready.environ[name] = value
    _, out = doctor(ready)
    assert line(out, "switches freezegate off under") == (
        f"warning  {name}={value} switches freezegate off under hook managers"
    )


def test_other_hooks_may_be_skipped(ready: Story) -> None:
    ready.environ["SKIP"] = "flake8"
    assert line(doctor(ready)[1], "SKIP").startswith("ok ")


def test_no_policy_yet(ready: Story) -> None:
    ready.git("rm", "-q", "-r", ".freeze")
    ready.commit("No policy")
    ready.git("push", "-q", "--no-verify", "-f", "origin", "HEAD:main")
    ready.git("branch", "-q", "-D", "main")
    _, out = doctor(ready)
    assert line(out, "no policy at").startswith("warning  no policy at refs/remotes/origin/main")


def test_a_policy_under_which_nothing_can_be_frozen(ready: Story) -> None:
    text = ready.read(".freeze/policy.toml").decode()
    ready.write(".freeze/policy.toml", text.replace('"tests/properties/**/*.py"', ""))
    ready.commit("No oracle")
    ready.git("push", "-q", "origin", "HEAD:main")
    _, out = doctor(ready)
    assert "but no [oracle] paths: nothing can be frozen" in line(out, "policy at")


def test_a_damaged_policy(ready: Story) -> None:
    ready.write(".freeze/policy.toml", "version = 1\nnonsense\n").commit("Damage")
    ready.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    ready.git("branch", "-q", "-D", "main")
    status, out = doctor(ready)
    assert status == 1
    assert line(out, "does not decode").startswith("error    the policy at refs/remotes/origin/")


def test_no_target(tmp_path: Path) -> None:
    status, out = doctor(plain_repository(tmp_path / "alone"))
    assert status == 1
    assert line(out, "no target found here").startswith("warning ")


def test_several_targets(ready: Story) -> None:
    ready.git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/release/1")
    ready.patch().git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/release/2")
    ready.git("remote", "set-head", "origin", "--delete")
    ready.git("branch", "-q", "-D", "main")
    status, out = doctor(ready)
    assert status == 1
    assert line(out, "no trusted base").startswith("error    no trusted base: several targets")


# --- the canary


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(
            "exit 0",
            [
                "error    a bad commit went through: pre-commit does not ask freezegate",
                "error    a bad push went through: pre-push does not ask freezegate",
                "ok       an honest commit and push were let through",
            ],
            id="asks_nobody",
        ),
        pytest.param(
            "echo no; exit 1",
            [
                "error    a bad commit was stopped, but not by freezegate: no",
                "error    a bad push was stopped, but not by freezegate: error: failed to push "
                "some refs to 'REMOTE'",
                "error    an honest commit was stopped: no",
            ],
            id="refuses_everything",
        ),
        pytest.param(
            "echo 'freezegate: refused all of it' >&2; exit 1",
            [
                "ok       a bad commit was refused by pre-commit, by freezegate",
                "ok       a bad push was refused by pre-push, by freezegate",
                "error    an honest commit was stopped: freezegate: refused all of it",
            ],
            id="refuses_everything_in_our_name",
        ),
    ],
)
def test_hooks_that_are_not_ours(shop: Story, script: str, said: list[str]) -> None:
    put(shop.root / ".git/hooks", f"#!/bin/sh\n{script}\n")
    status, lines = canary(shop)
    assert status == 1
    remote = lines[1].partition(" refs to '")[2].rstrip("'")
    assert [each.replace(remote, "REMOTE") if remote else each for each in lines] == said


def test_an_honest_push_that_is_stopped(ready: Story) -> None:
    put(ready.root / ".git/hooks", "#!/bin/sh\necho 'freezegate: refused'; exit 1\n", "pre-push")
    status, lines = canary(ready)
    assert status == 1
    assert lines[2] == "error    an honest push was stopped: freezegate: refused"


def test_no_hooks(shop: Story) -> None:
    status, lines = canary(shop)
    assert status == 1
    assert "went through" in lines[0]
    assert "went through" in lines[1]
    assert lines[2].startswith("ok ")


def test_an_interpreter_without_freezegate_stops_the_honest_too(ready: Story) -> None:
    ready.git("config", "freezegate.python", "/gone/python")
    status, lines = canary(ready)
    assert status == 1
    assert "an honest commit was stopped: freezegate: undecided, pre-commit refuses" in lines[2]


def test_a_hook_that_hangs_is_ended(ready: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freezegate.cli.canary.TIMEOUT_S", 1)
    put(ready.root / ".git/hooks", "#!/bin/sh\nsleep 600 &\nwait\n", "pre-commit")
    status, lines = canary(ready)
    assert status == 1
    assert lines[0].endswith("not by freezegate: no end after 1 s")


def test_in_a_linked_worktree(ready: Story, tmp_path: Path) -> None:
    ready.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    status, out = Story(tmp_path / "linked").run("doctor")
    assert status == 0, out
    assert not list((ready.root / ".git/freezegate").glob("canary-*"))


def test_on_a_detached_head_and_in_a_subfolder(ready: Story) -> None:
    ready.git("checkout", "-q", "--detach")
    assert Story(ready.root / "src").run("doctor")[0] == 0


def test_on_an_unborn_branch(tmp_path: Path) -> None:
    story = plain_repository(tmp_path / "new")
    story.run("install")
    status, lines = canary(story)
    assert status == 0
    assert [each.split()[0] for each in lines] == ["ok", "ok", "ok"]


def test_on_an_orphan_branch(ready: Story) -> None:
    ready.git("checkout", "-q", "--orphan", "fresh")
    assert canary(ready)[0] == 0


def test_configuration_of_the_user_does_not_disturb_it(ready: Story, tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[push]\n\tgpgSign = true\n"
        "[user]\n\tuseConfigOnly = true\n[core]\n\teditor = false\n"
    )
    ready.environ["HOME"] = str(tmp_path)
    put(ready.root / ".git/hooks", "#!/bin/sh\ntouch ran; exit 1\n", "post-checkout")
    status, lines = canary(ready)
    assert status == 0, lines


@pytest.mark.parametrize("installed", [True, False])
def test_nothing_is_left_behind(shop: Story, *, installed: bool) -> None:
    if installed:
        shop.run("install")
    before = everything(shop.root), folders(shop.root)
    shop.run("doctor")
    assert (everything(shop.root), folders(shop.root)) == before


def test_the_pre_commit_framework(shop: Story, tmp_path: Path) -> None:
    shop.environ |= {
        "HOME": str(tmp_path),
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
    }
    shop.run("install", "--manager", "pre-commit")
    shop.commit("Ask freezegate")
    manage(shop, sys.executable, "-m", "pre_commit", "install")
    status, out = shop.run("doctor")
    assert status == 0, out
    for name in HOOKS:
        assert line(out, f"{name}: a hook of the pre-commit framework").startswith("ok ")
    shop.environ["SKIP"] = "freezegate"
    status, lines = canary(shop)
    assert status == 1
    assert lines[0].endswith("a bad commit went through: pre-commit does not ask freezegate")
    assert lines[1].startswith("ok ")


def test_prek(shop: Story, tmp_path: Path) -> None:
    scripts = sysconfig.get_path("scripts")
    prek = shutil.which("prek", path=scripts) or shutil.which("prek")
    if prek is None:
        pytest.skip("prek is not installed")
    path = f"{scripts}:{os.environ['PATH']}"
    shop.environ |= {"HOME": str(tmp_path), "PREK_HOME": str(tmp_path / "cache"), "PATH": path}
    shop.run("install", "--manager", "pre-commit")
    shop.commit("Ask freezegate")
    manage(shop, prek, "install")
    status, out = shop.run("doctor")
    assert status == 0, out
    assert line(out, "pre-push: a hook of prek").startswith("ok ")


def manage(story: Story, *command: str) -> None:
    """Run a hook manager itself."""
    done = subprocess.run(
        command,
        cwd=story.root,
        env=git_environment() | story.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- no answer


def test_a_bare_repository_is_no_place_for_client_hooks(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Story(shop.root.parent / "origin.git").run("doctor") == (2, "")
    assert "client hooks belong into a clone" in capsys.readouterr().err


def test_no_repository(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "freezegate", "doctor"],
        cwd=tmp_path,
        env=git_environment() | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "expected a git repository" in done.stderr


def test_a_base_in_the_environment_is_told(ready: Story) -> None:
    ready.environ = {"FREEZEGATE_BASE": "HEAD"}
    status, out = doctor(ready)
    assert (status, remedy(out, "FREEZEGATE_BASE=HEAD")) == (0, "unset FREEZEGATE_BASE")


def test_a_daemon_that_holds_the_output_open_does_not_hold_up_the_doctor(
    ready: Story, tmp_path: Path
) -> None:
    noted = tmp_path / "pids"
    daemon = f"#!/bin/sh\nsetsid sleep 600 &\necho $! >> {noted}\nexit 0\n"
    put(ready.root / ".git/hooks", daemon, "post-commit")
    status, lines = canary(ready)
    assert (status, len(lines)) == (0, 3)
    for pid in map(int, noted.read_text().split()):
        os.kill(pid, signal.SIGKILL)  # it was still there when the doctor had gone


def test_another_hook_that_stops_honest_work_is_not_blamed_on_us(ready: Story) -> None:
    put(ready.root / ".git/hooks", "#!/bin/sh\necho no ticket >&2; exit 1\n", "commit-msg")
    status, lines = canary(ready)
    assert status == 0
    assert "by another hook" in lines[-1]
    assert "no ticket" in lines[-1]


def test_what_a_killed_doctor_left_is_swept(ready: Story) -> None:
    left = ready.root / ".git/freezegate/canary-left"
    left.mkdir()
    canary(ready)
    assert not left.exists()


def test_an_empty_hooks_path_is_where_git_looks(ready: Story) -> None:
    ready.git("config", "core.hooksPath", "")
    status, out = doctor(ready)
    assert status == 1
    assert "pre-push: missing" in out


def test_a_configuration_that_is_not_committed_is_told(shop: Story) -> None:
    put(shop.root / ".git/hooks", "#!/bin/sh\n# File generated by pre-commit\nexit 0\n")
    shop.write(".pre-commit-config.yaml", "repos: []\n")
    _, out = shop.run("doctor")
    assert "is not HEAD's" in line(out, ".pre-commit-config.yaml is")
    shop.commit("the configuration")
    assert "is not HEAD's" not in shop.run("doctor")[1]


def test_a_policy_of_another_version(ready: Story) -> None:
    policy = ready.read(".freeze/policy.toml").replace(b"version = 1", b"version = 2")
    ready.on("main").write(".freeze/policy.toml", policy).commit("the next format")
    ready.git("push", "-q", "--no-verify", "origin", "main")
    status, out = doctor(ready)
    assert status == 1
    assert "wants another version of freezegate" in line(out, "the policy at")
    assert "version of freezegate" in remedy(out, "the policy at")
