"""`lock` on real work trees: what it writes, what it refuses, what it says of drift."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from freezegate.formats.lock import parse_lock
from freezegate.model.paths import RepoPath
from tests.support import FIXTURE, PROPERTY, Story, git_environment, lock_line, plain_repository

LOCK = ".freeze/fixtures.sha256"
OTHER = "tests/fixtures/a b/é.json"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


def asked(story: Story, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Ask for JSON."""
    status, out = story.run("lock", *arguments, "--format", "json")
    return status, json.loads(out)


def states(document: dict[str, Any]) -> dict[str, str]:
    """What is said of each path that differs."""
    return {each["path"]: each["state"] for each in document["differences"]}


def verified(story: Story) -> bool:
    """Whether `sha256sum` finds the lock right."""
    done = subprocess.run(
        ["sha256sum", "--strict", "--quiet", "-c", LOCK],
        cwd=story.root,
        env=git_environment(),
        check=False,
    )
    return done.returncode == 0


def test_all_fixtures_are_locked_new_ones_too(shop: Story) -> None:
    shop.write(OTHER, "{}").write("tests/fixtures/z", "z").write(FIXTURE, "[]\n")
    shop.write(".gitignore", "*.log\n").write("tests/fixtures/run.log", "noise")
    status, document = asked(shop)
    assert (status, document["written"], document["fixtures"]) == (0, True, 3)
    assert states(document) == {
        OTHER: "not locked",
        FIXTURE: "changed",
        "tests/fixtures/z": "not locked",
    }
    assert list(parse_lock(shop.read(LOCK))) == [OTHER, FIXTURE, "tests/fixtures/z"]
    assert verified(shop)
    assert asked(shop)[1]["written"] is False
    assert shop.run("lock", "--check")[0] == 0


@pytest.mark.parametrize(
    ("content", "only"),
    [
        pytest.param('{"lines": [1, 2, 3]}\r\n', "line endings", id="line_endings"),
        pytest.param('{"lines":  [1, 2, 3]}', "whitespace", id="whitespace"),
        pytest.param('{"lines": [1, 2, 4]}\n', None, id="content"),
    ],
)
def test_drift_is_told_with_both_sides(shop: Story, content: str, only: str | None) -> None:
    old = shop.read(FIXTURE)
    before = shop.read(LOCK)
    shop.write(FIXTURE, content)
    status, document = asked(shop, "--check")
    assert status == 1
    assert document["differences"] == [
        {
            "path": FIXTURE,
            "state": "changed",
            "old": {"sha256": hashlib.sha256(old).hexdigest(), "size": len(old)},
            "new": {"sha256": hashlib.sha256(content.encode()).hexdigest(), "size": len(content)},
            "only": only,
            "freezes": [],
        }
    ]
    assert shop.read(LOCK) == before
    assert ("only)" in shop.run("lock", "--check")[1]) == (only is not None)


def test_what_is_gone_or_no_fixture(shop: Story) -> None:
    shop.write("README.md", "# shop\n")
    lines = [lock_line("README.md", "# shop\n"), shop.read(LOCK).decode()]
    shop.write(LOCK, "".join(sorted(lines, key=lambda line: line[66:])))
    (shop.root / FIXTURE).unlink()
    told = {"README.md": "not a fixture", FIXTURE: "missing"}
    assert states(asked(shop, "--check")[1]) == told
    assert states(asked(shop)[1]) == told
    assert shop.read(LOCK) == b""


def test_a_change_within_the_same_size_and_time_is_seen(shop: Story) -> None:
    assert asked(shop)[0] == 0
    path = shop.root / FIXTURE
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"3", b"4"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert states(asked(shop, "--check")[1]) == {FIXTURE: "changed"}


def test_a_damaged_memory_is_none(shop: Story) -> None:
    old = 1_600_000_000 * 10**9
    os.utime(shop.root / FIXTURE, ns=(old, old))
    asked(shop)
    memory = shop.root / ".git" / "freezegate" / "lock-cache"
    memory.write_bytes(memory.read_bytes()[:-1] + b"x")
    assert shop.run("lock", "--check")[0] == 0
    memory.write_bytes(b"")
    assert shop.run("lock", "--check")[0] == 0


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("link.json", "path.symlink", id="symlink"),
        pytest.param("lfs.bin", "path.lfs_pointer", id="lfs_pointer"),
        pytest.param("e\u0301.json", "path.not_nfc", id="not_nfc"),
        pytest.param("con.json", "path.not_portable", id="device_name"),
        pytest.param("module", "path.gitlink", id="gitlink"),
        pytest.param("pipe", "path.not_regular", id="fifo"),
    ],
)
def test_what_no_freeze_can_name_is_refused_by_name(shop: Story, path: str, code: str) -> None:
    place = shop.root / "tests/fixtures" / path
    if code == "path.symlink":
        place.symlink_to("order.json")
    elif code == "path.gitlink":
        plain_repository(place).write("a", "a").commit()
    elif code == "path.not_regular":
        os.mkfifo(place)
    else:
        place.write_text(POINTER if code == "path.lfs_pointer" else "{}")
    shop.write(OTHER, "{}")
    before = shop.read(LOCK)
    status, document = asked(shop)
    assert (status, document["written"]) == (1, False)
    assert [(e["path"], e["code"]) for e in document["refused"]] == [
        (
            ascii(f"tests/fixtures/{path}")[1:-1]
            if not path.isprintable()
            else f"tests/fixtures/{path}",
            code,
        )
    ]
    assert shop.read(LOCK) == before
    assert code in shop.run("lock", "--check")[1]


def test_only_what_is_asked(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    shop.write("tests/fixtures/a/x", "x").write("tests/fixtures/b/y", "y").write(FIXTURE, "[]")
    assert states(asked(shop, "tests/fixtures/a/")[1]) == {"tests/fixtures/a/x": "not locked"}
    assert list(parse_lock(shop.read(LOCK))) == ["tests/fixtures/a/x", FIXTURE]
    for path, said in {
        "tests/fixtures/ordr.json": "did you mean tests/fixtures/order.json",
        "README.md": "README.md matches no [fixtures] paths",
        "../x": "expected a path without `..`",
    }.items():
        assert shop.run("lock", path) == (2, "")
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "path",
    ["order.json", "order", "ordre.json", "fixtures/order.json", "tests/fixture", "order.jsn"],
)
def test_a_name_that_is_none_is_told_with_a_near_one(
    shop: Story, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shop.run("lock", path)[0] == 2
    assert f"did you mean {FIXTURE}?" in capsys.readouterr().err


def test_names_that_are_no_text(shop: Story) -> None:
    folder = os.fsencode(shop.root / "tests/fixtures") + b"/caf\xe9"
    os.mkdir(folder)
    assert asked(shop)[0] == 0
    with open(folder + b"/x.json", "w") as file:
        file.write("{}")
    status, document = asked(shop)
    assert (status, [each["code"] for each in document["refused"]]) == (1, ["path.bad_char"])
    assert "caf\\udce9" in shop.run("lock", "--check")[1]


def test_the_only_line_is_asked_for(shop: Story) -> None:
    shop.write(FIXTURE, "[]\n")
    assert states(asked(shop, FIXTURE)[1]) == {FIXTURE: "changed"}
    assert shop.read(LOCK) == lock_line(FIXTURE, "[]\n").encode()


def test_a_damaged_lock_is_written_anew_as_a_whole(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.write(LOCK, "<<<<<<< HEAD\n")
    for arguments in (["--check"], [FIXTURE]):
        assert shop.run("lock", *arguments)[0] == 2
        assert "to write all of it anew: freezegate lock" in capsys.readouterr().err
    assert shop.run("lock")[0] == 0
    assert verified(shop)


def test_a_lock_with_line_endings_of_windows(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.write(LOCK, shop.read(LOCK).replace(b"\n", b"\r\n"))
    assert shop.run("lock", "--check")[0] == 2
    assert "line endings CRLF; expected LF: cd " in capsys.readouterr().err
    assert shop.run("lock")[0] == 0
    assert verified(shop)


def test_nothing_is_to_be_checked_out_for_a_new_file(shop: Story) -> None:
    shop.write("tests/fixtures/new.json", "{}\n")
    assert "git checkout" not in shop.run("lock", "--check")[1]
    shop.write("tests/fixtures/new.json", "{}\n").write(FIXTURE, "{}\n")
    assert f"git checkout -- ':/{FIXTURE}'" in shop.run("lock", "--check")[1]


def test_a_freeze_that_a_new_line_ends_is_named(shop: Story) -> None:
    shop.patch().freeze(property_id=PROPERTY)
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("fetch", "-q", "origin")
    shop.write(FIXTURE, "[6]\n")
    (freeze,) = asked(shop, "--check")[1]["differences"][0]["freezes"]
    assert (freeze["property_id"], freeze["owner"]) == (PROPERTY, "ada")
    status, out = shop.run("lock")
    assert status == 0
    assert "stands on the old bytes: once this lands it is void" in out


def test_from_a_subfolder_and_a_linked_work_tree(shop: Story) -> None:
    inside = Story(shop.root / "tests" / "fixtures")
    shop.write(FIXTURE, "[]\n")
    assert states(asked(inside, "--check")[1]) == {FIXTURE: "changed"}
    shop.git("worktree", "add", "-q", "--detach", "../other", "main")
    other = Story(shop.root.parent / "other")
    assert states(asked(other, "--check")[1]) == {}
    other.write("tests/fixtures/n", "n")
    assert asked(other)[1]["written"]
    assert states(asked(shop, "--check")[1]) == {FIXTURE: "changed"}


def test_without_policy_or_globs_there_is_no_answer(
    shop: Story, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    policy = shop.read(".freeze/policy.toml").decode()
    shop.write(".freeze/policy.toml", policy.replace('"tests/fixtures/**"', ""))
    assert shop.run("lock")[0] == 2
    assert "names no fixtures" in capsys.readouterr().err
    shop.write(".freeze/policy.toml", "[")
    assert shop.run("lock")[0] == 2
    assert "policy.toml does not decode" in capsys.readouterr().err
    assert plain_repository(tmp_path / "empty").run("lock")[0] == 2
    assert "freezegate init" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("globs", "locked"),
    [
        pytest.param(["*.json"], ["data/x.json", "deep/data/y.json", FIXTURE], id="any_depth"),
        pytest.param(["**", "!src/**"], None, id="all_but"),
        pytest.param(["/data/*.json"], ["data/x.json"], id="anchored"),
        pytest.param(["data/**", "!*.txt"], ["data/x.json"], id="taken_out"),
        pytest.param(
            ["data/", "nothing/**"], ["data/t.txt", "data/x.json", "deep/data/y.json"], id="folder"
        ),
    ],
)
def test_globs_mean_what_the_gate_means(
    shop: Story, globs: list[str], locked: list[str] | None
) -> None:
    for path in ("data/x.json", "data/t.txt", "deep/data/y.json"):
        shop.write(path, "{}")
    shop.write("link", "")
    policy = shop.read(".freeze/policy.toml").decode()
    shop.write(".freeze/policy.toml", policy.replace('["tests/fixtures/**"]', json.dumps(globs)))
    assert asked(shop)[0] == 0
    found = list(parse_lock(shop.read(LOCK)))
    if locked is not None:
        assert found == sorted(locked)
    else:
        assert "link" in found
        assert not [path for path in found if path.startswith(("src/", ".freeze/", ".git/"))]


def test_many_files_are_shared_by_two_processes(shop: Story) -> None:
    old = 1_600_000_000 * 10**9
    for number in range(4_500):
        shop.write(f"tests/fixtures/many/{number % 7}/{number}", str(number))
        os.utime(shop.root / f"tests/fixtures/many/{number % 7}/{number}", ns=(old, old))
    command = [sys.executable, "-I", "-m", "freezegate", "lock"]
    for arguments in ([], ["--check"]):
        done = subprocess.run(
            [*command, *arguments],
            cwd=shop.root,
            env=git_environment(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert verified(shop)
    shop.write("tests/fixtures/many/6/6", "other")
    done = subprocess.run(
        [*command, "--check"],
        cwd=shop.root,
        env=git_environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"tests/fixtures/many/6/6" in done.stdout


def _much_older(story: Story) -> None:
    """Let every file and folder be older than any look at them."""
    old = 1_600_000_000 * 10**9
    for folder, _, names in os.walk(story.root / "tests"):
        for name in (".", *names):
            os.utime(Path(folder) / name, ns=(old, old))


@pytest.mark.parametrize(
    ("globs", "path"),
    [
        pytest.param(["tests/fixtures/**"], "tests/fixtures/new.json", id="beside"),
        pytest.param(["tests/fixtures/**"], "tests/fixtures/deep/er/new.json", id="below"),
        pytest.param(["tests/fixtures/**", "more/data/**"], "more/data/new.json", id="a_new_root"),
        pytest.param(["*.json"], "anywhere/new.json", id="any_depth"),
    ],
)
def test_a_remembered_set_has_no_file_too_few(shop: Story, globs: list[str], path: str) -> None:
    policy = shop.read(".freeze/policy.toml").decode()
    shop.write(".freeze/policy.toml", policy.replace('["tests/fixtures/**"]', json.dumps(globs)))
    _much_older(shop)
    assert asked(shop)[0] == 0
    assert asked(shop, "--check")[0] == 0
    shop.write(path, "{}")
    assert states(asked(shop, "--check")[1]) == {path: "not locked"}


def test_what_is_ignored_no_more_is_a_fixture(shop: Story) -> None:
    shop.write(".gitignore", "*.log\n").write("tests/fixtures/run.log", "noise")
    _much_older(shop)
    assert asked(shop)[0] == 0
    shop.write(".gitignore", "")
    assert states(asked(shop, "--check")[1]) == {"tests/fixtures/run.log": "not locked"}


def test_a_folder_that_becomes_a_link_is_refused(shop: Story) -> None:
    _much_older(shop)
    assert asked(shop)[0] == 0
    (shop.root / "tests").rename(shop.root / "elsewhere")
    (shop.root / "tests").symlink_to("elsewhere")
    status, document = asked(shop, "--check")
    assert status == 1
    assert [(e["path"], e["code"]) for e in document["refused"]] == [("tests", "path.symlink")]


@pytest.mark.parametrize(
    ("config", "attributes"), [("true", ""), ("input", ""), ("false", "*.json text=auto\n")]
)
def test_bytes_that_git_would_not_store_are_not_locked(
    shop: Story, config: str, attributes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No commit would hold them; with the command that is told they are locked as git has them."""
    stored = shop.read(FIXTURE)
    before = shop.read(LOCK)
    shop.git("config", "core.autocrlf", config)
    if attributes:
        shop.write(".gitattributes", attributes)
    shop.write(FIXTURE, stored.replace(b"\n", b"\r\n").replace(b"1", b"9"))
    assert shop.run("lock")[0] == 2
    said = capsys.readouterr().err
    assert f"{FIXTURE} have line endings CRLF here" in said
    assert shop.read(LOCK) == before
    command = said[said.index("printf") :].strip()
    subprocess.run(command, shell=True, cwd=shop.root, env=git_environment(), check=True)  # noqa: S602 - our own words
    assert shop.run("lock")[0] == 0
    shop.git("add", "-A")
    blob = shop.git("cat-file", "blob", f":{FIXTURE}") + "\n"
    assert (
        parse_lock(shop.read(LOCK))[RepoPath(FIXTURE)] == hashlib.sha256(blob.encode()).hexdigest()
    )


def test_bytes_that_git_leaves_alone_are_locked_as_they_are(shop: Story) -> None:
    shop.git("config", "core.autocrlf", "true")
    shop.write(".gitattributes", "*.json -text\n").write(FIXTURE, "{}\r\n")
    assert asked(shop)[0] == 0
    assert verified(shop)
