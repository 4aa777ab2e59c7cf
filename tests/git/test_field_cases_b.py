"""Field cases B: what went wrong elsewhere on git hosts, tried on this one."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tests.git.hosting import MAIN, Host, host
from tests.git.local import launder
from tests.support import FIXTURE, ORACLE, ZERO, Story, lock_line

CASES = "B1 B2 B4 B6 B7 B8"
WEAK = "def test_total_is_never_negative():\n    pass\n"


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch, and its remote as a host."""
    return host(shop)


def test_every_case_is_a_test() -> None:
    found = re.findall(r"^def test_b(\d+)_", Path(__file__).read_text(), re.MULTILINE)
    assert {f"B{number}" for number in found} == set(CASES.split())


@pytest.mark.parametrize("limit", ["1", "10000"], ids=["packed", "loose"])
def test_b1_objects_in_quarantine(hosted: Host, limit: str) -> None:
    hosted.git("config", "receive.unpackLimit", limit)
    launder(hosted.story)
    hosted.refuses(f"HEAD:{MAIN}", code="oracle.changed")
    hosted.story.branch("good", "main").patch().freeze()
    hosted.accepts(f"HEAD:{MAIN}")


def test_b2_nothing_is_left_behind(hosted: Host) -> None:
    def files() -> set[str]:
        return {
            str(path.relative_to(hosted.root))
            for path in hosted.root.rglob("*")
            if "freezegate" not in path.parts
        }

    launder(hosted.story)
    before = files()
    hosted.refuses(f"HEAD:{MAIN}", code="oracle.changed")
    assert files() == before
    assert hosted.git("worktree", "list").count("\n") == 0
    hosted.git("config", "freezegate.python", "/nowhere")
    hosted.push("origin", f"HEAD:{MAIN}").refused("declined")
    assert files() == before
    hosted.git("fsck", "--strict")


def test_b4_many_commits_and_files_with_one_bad_freeze(hosted: Host) -> None:
    hosted.measure()
    story = hosted.story
    start = story.rev("main")
    commits = "".join(
        f"commit refs/heads/long\ncommitter A <a@b> {number} +0000\ndata 1\nx\n"
        + (f"from {start}\n" if number == 1 else "")
        + "".join(f"M 644 inline src/shop/d{number}/f{n}.txt\ndata 1\n{n}\n" for n in range(4))
        for number in range(1, 5_001)
    )
    story.git("fast-import", "--quiet", data=commits.encode())
    launder(story.on("long"))
    hosted.refuses(f"HEAD:{MAIN}", code="oracle.changed")
    assert hosted.cost()[0] < 30  # 4 on a machine with nothing else to do
    hosted.set(
        hosted.settings.read_text().replace("max_changed", "x") + "max_changed_entries = 99\n"
    )
    hosted.refuses(f"HEAD:{MAIN}", code="limits.too_many_changes")


def test_b6_merges_made_by_a_web_interface(hosted: Host) -> None:
    """Lines for commits that were made on the host itself: a squash, a rebase, an edited file."""
    story = hosted.story
    story.patch().freeze()
    story.git("push", "-q", "origin", "HEAD:refs/heads/topic")
    old = hosted.refs()[MAIN]
    tree = hosted.git("rev-parse", "topic^{tree}")
    squash = Story(hosted.root).git("commit-tree", "-p", old, "-m", "squashed", tree)
    assert hosted.hook((old, squash, MAIN)).returncode == 0
    weak = launder(story.branch("bad", "main")).rev("HEAD^{tree}")
    story.git("push", "-q", "origin", "HEAD:refs/heads/bad")
    edited = Story(hosted.root).git("commit-tree", "-p", old, "-m", "edited in the browser", weak)
    done = hosted.hook((old, edited, MAIN), (ZERO, edited, "refs/heads/web"))
    assert done.returncode == 1
    assert "oracle.changed" in done.stderr


def test_b7_replacement_refs_and_grafts_on_the_host(hosted: Host) -> None:
    story = hosted.story
    launder(story)
    edited = story.rev("HEAD~1")
    replacement = story.git("commit-tree", "-m", "as if", f"{edited}^{{tree}}")
    hosted.refuses(f"{replacement}:refs/replace/{story.rev('main')}", code="ref.replace")
    story.git("push", "-q", "origin", f"{replacement}:refs/heads/objects")
    hosted.git("update-ref", f"refs/replace/{story.rev('main')}", replacement)
    hosted.refuses(f"HEAD:{MAIN}", code="oracle.changed")
    (hosted.root / "info").mkdir(exist_ok=True)
    (hosted.root / "info" / "grafts").write_text(f"{story.rev('main')} {replacement}\n")
    hosted.push("origin", f"HEAD:{MAIN}").refused("base.history_unavailable")


def test_b8_an_lfs_pointer_is_not_the_file(hosted: Host) -> None:
    story = hosted.story
    real = b'{"lines": [1, 2, 3]}\n'
    pointer = (
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{hashlib.sha256(real).hexdigest()}\nsize {len(real)}\n"
    )
    story.write(FIXTURE, pointer)
    story.write(".freeze/fixtures.sha256", lock_line(FIXTURE, pointer)).commit("to LFS")
    hosted.accepts(f"HEAD:{MAIN}")
    story.git("fetch", "-q")
    story.patch().freeze()
    hosted.refuses(f"HEAD:{MAIN}", code="path.lfs_pointer")


def test_a10_hooks_that_were_switched_off_at_the_desk(hosted: Host) -> None:
    story = hosted.story
    story.write(ORACLE, WEAK).git("add", "-A")
    story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--no-verify", "-m", "weak")
    story.freeze()
    hosted.refuses("--no-verify", f"HEAD:{MAIN}", code="oracle.changed")
