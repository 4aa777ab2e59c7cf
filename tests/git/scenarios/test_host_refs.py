"""Corpus rows that need the hook on the git host: refs, tags, creation, and how history lands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.hosting import MAIN, PARENTS, SETTINGS, Host, host
from tests.git.local import launder
from tests.support import FILES, ORACLE, Story, plain_repository

WEAK = "def test_total_is_never_negative():\n    pass\n"


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch, and a host whose release branches and tags come from `main`."""
    return host(shop, SETTINGS + PARENTS)


def test_a118_a_replacement_of_the_oracle(hosted: Host) -> None:
    story = hosted.story
    blob = story.rev(f"HEAD:{ORACLE}")
    story.git("replace", blob, story.blob(WEAK))
    hosted.refuses("refs/replace/*:refs/replace/*", code="ref.replace")


def test_a126_delete_and_make_anew(hosted: Host) -> None:
    hosted.git("config", "receive.denyDeleteCurrent", "ignore")
    hosted.refuses(f":{MAIN}", code="ref.deleted")
    launder(hosted.story)
    hosted.refuses(f"HEAD:{MAIN}", code="oracle.changed")


def test_a127_a_new_protected_branch_with_an_oracle_of_its_own(hosted: Host) -> None:
    story = hosted.story
    first = story.rev("main")
    story.write(ORACLE, FILES[ORACLE] + "\n\ndef test_more():\n    assert 6 >= 0\n").commit(
        "harden"
    )
    hosted.accepts(f"HEAD:{MAIN}")
    story.branch("weak", first).write(ORACLE, WEAK).commit("weak")
    hosted.refuses("weak:refs/heads/release/2", code="ref.off_parent")
    launder(story.branch("weaker", "topic"))
    hosted.refuses("weaker:refs/heads/release/2", code="oracle.changed")


def test_a129_an_alias(hosted: Host) -> None:
    hosted.git("symbolic-ref", "refs/heads/alias", MAIN)
    launder(hosted.story)
    hosted.refuses("HEAD:refs/heads/alias", code="ref.alias")


def test_a130_another_case(hosted: Host) -> None:
    hosted.refuses("HEAD:refs/heads/Main", code="ref.twin")


def test_a132_a_tag_that_carries_a_freeze(hosted: Host) -> None:
    launder(hosted.story)
    hosted.story.git("tag", "-a", "-m", "one", "v1")
    hosted.refuses("v1", code="oracle.changed")


def test_h040_a_forced_push_to_an_unprotected_branch(hosted: Host) -> None:
    hosted.story.patch()
    hosted.accepts("HEAD:refs/heads/topic")
    hosted.story.git("commit", "-q", "--amend", "-m", "again")
    hosted.accepts("+HEAD:refs/heads/topic")


def test_h042_a_release_branch_at_the_tip(hosted: Host) -> None:
    said = hosted.accepts("main:refs/heads/release/1")
    assert "base.nothing_to_judge" in said


def test_h043_a_release_branch_at_an_older_tip(hosted: Host) -> None:
    for text in ("# one\n", "# two\n"):
        hosted.story.patch(text)
        hosted.accepts(f"HEAD:{MAIN}")
    assert "base.nothing_to_judge" in hosted.accepts("HEAD~1:refs/heads/release/1")


def test_h045_the_first_push_of_all(tmp_path: Path) -> None:
    story = plain_repository(tmp_path / "shop")
    story.git("init", "-q", "--bare", "-b", "main", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    for path, content in FILES.items():
        story.write(path, content)
    story.commit("start")
    assert "note base.bootstrap" in host(story).accepts(f"HEAD:{MAIN}")


def test_history_of_every_shape_lands(hosted: Host) -> None:
    """H031, H033, H034, H037, H046: one step, whatever the commits between look like."""
    story = hosted.story
    story.patch().freeze()
    story.branch("side", "main").write("src/shop/side.py", "x = 1\n").commit("side")
    hosted.accepts(f"side:{MAIN}")
    story.on("topic").git("merge", "-q", "--no-ff", "-m", "main in", "side")
    hosted.accepts(f"topic:{MAIN}")
    for name in ("one", "two"):
        story.branch(name, "topic").write(f"src/shop/{name}.py", "").commit(name)
    story.branch("octopus", "topic").git("merge", "-q", "--no-ff", "-m", "all", "one", "two")
    hosted.accepts(f"octopus:{MAIN}")
    story.branch("work", "octopus").write("src/shop/w.py", "1\n").commit("w")
    story.write("src/shop/w.py", "2\n").commit("w")
    story.branch("squashed", "octopus").git("merge", "-q", "--squash", "work")
    story.commit("squashed")
    hosted.accepts(f"squashed:{MAIN}")
    hosted.accepts("topic:refs/heads/release/1")


def test_h039_a_revert_takes_no_line_back(hosted: Host) -> None:
    story = hosted.story
    story.patch().freeze()
    hosted.accepts(f"HEAD:{MAIN}")
    story.git("revert", "--no-edit", "HEAD")
    hosted.refuses(f"HEAD:{MAIN}", code="ledger.not_append_only")
