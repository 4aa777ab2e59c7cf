"""Real pushes to real hosts: what moves, what does not, and what the pusher reads of it."""

from __future__ import annotations

import random

import pytest

from tests.git.hosting import MAIN, Host, remote_lines
from tests.git.local import launder

_ESCAPE = "\x1b"
_MORE_THAN_ONE_POST = 2 * 1024 * 1024  # http.postBuffer is 1 MiB: git sends what is more in chunks


def test_an_honest_freeze_lands_and_is_logged(hosted: Host) -> None:
    hosted.story.patch().freeze()
    said = hosted.accepts("HEAD:refs/heads/main")
    assert "remote: freezegate: accepted refs/heads/main" in said
    assert _ESCAPE not in said
    head = hosted.story.rev("HEAD")
    assert hosted.refs()[MAIN] == head
    newest = [(entry["event"], entry["new"]) for entry in hosted.entries()[-2:]]
    assert newest == [("decided", head), ("landed", head)]


def test_the_pusher_reads_why_and_what_to_do(hosted: Host) -> None:
    launder(hosted.story)
    said = hosted.refuses("HEAD:refs/heads/main", code="error oracle.changed")
    first, *rest = remote_lines(said)
    assert first.startswith("freezegate: refused refs/heads/main")
    assert any("remedy: git checkout" in line for line in rest), said
    assert rest[-1].endswith("freezegate explain oracle.changed")
    assert _ESCAPE not in said


@pytest.mark.parametrize("option", ["--no-atomic", "--atomic"])
def test_one_bad_ref_stops_all(hosted: Host, option: str) -> None:
    launder(hosted.story.branch("bad", "main"))
    hosted.story.branch("good", "main").patch()
    refs = ("good:one", "bad:refs/heads/main", "good:two")
    said = hosted.refuses(option, *refs, code="oracle.changed")
    assert said.count("[remote rejected]") == len(refs)


@pytest.mark.parametrize("option", ["--no-atomic", "--atomic"])
def test_several_good_refs_land_together(hosted: Host, option: str) -> None:
    hosted.story.patch().freeze()
    hosted.accepts(option, "HEAD:refs/heads/main", "HEAD:one", "HEAD~1:refs/heads/two")
    head, refs = hosted.story.rev("HEAD"), hosted.refs()
    assert (refs[MAIN], refs["refs/heads/one"]) == (head, head)
    assert refs["refs/heads/two"] == hosted.story.rev("HEAD~1")


def test_a_branch_comes_and_goes(hosted: Host) -> None:
    launder(hosted.story)
    hosted.accepts("HEAD:topic")
    hosted.story.git("commit", "-q", "--amend", "-m", "another")
    hosted.accepts("+HEAD:topic")
    hosted.accepts(":topic")
    assert "refs/heads/topic" not in hosted.refs()


def test_a_protected_branch_comes_from_its_parent_and_stays(hosted: Host) -> None:
    hosted.accepts("main:refs/heads/release/1")
    hosted.refuses(":release/1", code="ref.deleted")
    hosted.refuses(":main", ":release/1", code="ref.deleted")
    hosted.story.git("checkout", "-q", "--orphan", "fresh")
    hosted.story.commit("anew")
    hosted.refuses("fresh:refs/heads/release/2", code="ref.off_parent")
    hosted.refuses("+fresh:main", code="ref.rewound")


def test_escape_sequences_do_not_reach_the_terminal(hosted: Host) -> None:
    blob = hosted.story.blob("x\n")
    trick = f"src/{_ESCAPE}[2J{_ESCAPE}]0;accepted\nremote: freezegate: accepted"
    hosted.story.plumb({trick: ("100644", blob)})
    said = hosted.refuses("HEAD:refs/heads/main", code="path.bad_char")
    assert _ESCAPE not in said
    assert not any(line.startswith("freezegate: accepted") for line in remote_lines(said))


def test_a_push_of_more_than_one_request_is_judged_whole(hosted: Host) -> None:
    noise = random.Random(0).randbytes(_MORE_THAN_ONE_POST)  # noqa: S311  # what does not compress
    hosted.story.write("docs/noise.bin", noise).commit("Noise")
    hosted.accepts("HEAD:refs/heads/main")
    launder(hosted.story.write("docs/noise.bin", noise[1:]))
    hosted.refuses("HEAD:refs/heads/main", code="oracle.changed")


def test_a_host_without_its_settings_declines(hosted: Host) -> None:
    hosted.git("config", "freezegate.hostSettings", "none.toml")
    hosted.refuses("main:refs/heads/topic", code="repository.no_settings")


def test_a_host_whose_interpreter_is_gone_declines(hosted: Host) -> None:
    hosted.git("config", "freezegate.python", "/nonexistent/python3")
    hosted.refuses("main:refs/heads/topic", code="no freezegate ran on the host")
