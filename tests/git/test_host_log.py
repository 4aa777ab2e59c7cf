"""The host's log: what was decided, what landed, and which freeze came in by which push."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from freezegate.model.digests import Blake3
from tests.git.hosting import MAIN, SETTINGS, Host, host
from tests.git.local import launder, user
from tests.support import TEST_ID, ZERO, Story


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch, and its remote as a host."""
    return host(shop)


def told(hosted: Host, *options: str) -> tuple[int, str]:
    """What `freezegate log` says of the host."""
    return hosted.story.run("log", "--host", str(hosted.root), *options)


def test_what_was_decided_and_what_landed(hosted: Host) -> None:
    old = hosted.refs()[MAIN]
    hosted.story.patch().freeze()
    new = hosted.story.rev("HEAD")
    hosted.accepts("HEAD:main", "HEAD:topic")
    decided, landed = hosted.entries()
    shared = ("push", "repository", "ref", "old", "new", "verdict", "digest", "freezes")
    assert [decided["event"], landed["event"]] == ["decided", "landed"]
    assert {key: decided[key] for key in shared} == {key: landed[key] for key in shared}
    assert (landed["ref"], landed["old"], landed["new"]) == (MAIN, old, new)
    assert landed["verdict"] == "accepted"
    assert [(each["test_id"], each["status"]) for each in landed["freezes"]] == [
        (TEST_ID, "requested")
    ]


def test_the_digest_is_that_of_the_verdict_as_json_prints_it(hosted: Host) -> None:
    hosted.story.patch()
    hosted.story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    update = hosted.refs()[MAIN], hosted.story.rev("HEAD"), MAIN
    done = hosted.hook(update, options=("--format", "json"))
    assert hosted.entries()[-1]["digest"] == Blake3.of(done.stdout.encode())


def test_a_refusal_is_logged_and_never_landed(hosted: Host) -> None:
    launder(hosted.story)
    hosted.refuses("HEAD:main", code="oracle.changed")
    (entry,) = hosted.entries()
    assert (entry["event"], entry["verdict"]) == ("decided", "refused")
    assert "oracle.changed" in entry["codes"]
    assert told(hosted)[1] == ""
    assert "refused (" in told(hosted, "--all")[1]


def test_what_a_push_was_warned_of_is_kept(hosted: Host) -> None:
    story = hosted.story
    policy = story.read(".freeze/policy.toml").decode()
    story.write(".freeze/policy.toml", f'{policy}[protected]\npaths = ["src/**"]\n')
    story.commit("src is for people")
    hosted.accepts("HEAD:main")
    story.patch("# warned\n")
    hosted.accepts("HEAD:main")
    for event in ("decided", "landed"):
        assert "area.needs_human" in hosted.entries(event)[-1]["warnings"]
    assert "accepted, warned: area.needs_human" in told(hosted, "--all")[1]


def test_a_line_of_a_version_before_is_read(hosted: Host) -> None:
    hosted.story.patch().freeze()
    hosted.accepts("HEAD:main")
    before = told(hosted, "--all")
    old = [{k: v for k, v in e.items() if k != "detail"} for e in hosted.entries()]
    hosted.log.write_text("".join(f"{json.dumps(entry)}\n" for entry in old))
    assert told(hosted, "--all") == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no push that landed brought a freeze: 2 lines"),
        (("--freeze", "x"), "brought a freeze or test that is called x"),
        (("--freeze", "x", "--all"), "none of 2 lines about this repository"),
    ],
)
def test_an_empty_answer_says_what_was_looked_at(
    hosted: Host, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert told(hosted, *options)[1] == ""
    assert "no log yet: " in capsys.readouterr().err
    hosted.story.patch()
    hosted.accepts("HEAD:main")
    assert told(hosted, *options)[1] == ""
    assert said in capsys.readouterr().err
    hosted.log.write_text("")
    told(hosted, *options)
    assert "holds no line about this repository" in capsys.readouterr().err


def test_a_push_to_a_linked_work_tree_is_logged_where_all_are(hosted: Host) -> None:
    linked = hosted.settings.with_name("linked")
    hosted.git("worktree", "add", "-q", str(linked), "main")
    hosted.git("config", "receive.denyCurrentBranch", "ignore")
    hosted.story.patch().freeze()
    user(hosted.story, "push", "-q", "--no-verify", str(linked), "HEAD:main").passed()
    assert [entry["event"] for entry in hosted.entries()] == ["decided", "landed"]
    git_dir = hosted.root / "worktrees" / "linked"
    assert hosted.story.run("log", "--host", str(git_dir)) == told(hosted)


def test_which_freeze_came_in_by_which_push(hosted: Host) -> None:
    story = hosted.story
    story.patch("# before\n")
    hosted.accepts("HEAD:main")
    story.git("fetch", "-q")
    story.patch().freeze()
    hosted.accepts("HEAD:main")
    landed = hosted.entries("landed")[-1]
    status, text = told(hosted)
    first, second = text.splitlines()
    assert status == 0
    assert (
        f"landed push {landed['push']} {MAIN} {landed['old'][:12]}..{landed['new'][:12]}" in first
    )
    freeze = landed["freezes"][0]["freeze"]
    assert second == f"  requested {freeze} {TEST_ID}"
    for name in (freeze, freeze[:12], freeze.removeprefix("blake3:")[:6], TEST_ID):
        assert told(hosted, "--freeze", name) == (status, text)
    assert told(hosted, "--freeze", "blake3:none") == (1, "")
    (entry,) = json.loads(told(hosted, "--format", "json")[1])
    assert entry == landed
    assert len(told(hosted, "--all")[1].splitlines()) == 6


def test_it_survives_the_branch(hosted: Host) -> None:
    hosted.story.patch().freeze()
    hosted.accepts("HEAD:main")
    before = told(hosted)
    hosted.git("update-ref", "-d", MAIN)
    hosted.git("gc", "-q", "--prune=now")
    assert told(hosted) == before
    assert before[1]


def test_two_repositories_with_one_log_know_their_own_pushes(hosted: Host) -> None:
    log = hosted.settings.with_name("all.jsonl")
    hosted.set(f'{SETTINGS}log = "{log}"\n')
    hosted.story.patch().freeze()
    hosted.accepts("HEAD:main")
    other = log.read_text().replace(str(hosted.root.resolve()), "/srv/other.git")
    log.write_text(other)
    assert told(hosted, "--all") == (0, "")


def test_pushes_at_once_leave_whole_lines(hosted: Host) -> None:
    """Two pushes are judged by the same T; git lets one of them in."""
    story = hosted.story
    for number in range(4):
        story.branch(f"work{number}", "main").patch(f"# {number}\n")
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda n: hosted.push("origin", f"work{n}:main"), range(4)))
    assert [each.status for each in said].count(0) == 1
    assert len(hosted.entries("landed")) == 1
    decided = [entry for entry in hosted.entries("decided") if entry["verdict"] == "accepted"]
    assert hosted.refs()[MAIN] in {entry["new"] for entry in decided}


def test_text_of_a_push_does_not_break_out(hosted: Host) -> None:
    old = hosted.refs()[MAIN]
    ref = 'refs/heads/release/x","verdict":"accepted'
    hosted.hook((ZERO, old, ref))
    hosted.hook((ZERO, old, "refs/heads/release/\u2028\x85"))
    assert [entry["verdict"] for entry in hosted.entries()] == ["refused", "refused"]


def test_no_log_for_a_folder_that_is_no_repository(
    hosted: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hosted.story.run("log", "--host", os.fspath(hosted.story.root / "src"))[0] == 2
    assert "no git directory" in capsys.readouterr().err
    hosted.settings.unlink()
    assert told(hosted)[0] == 2


def test_a_landed_push_that_nobody_decided_on_is_logged_as_such(hosted: Host) -> None:
    old = hosted.refs()[MAIN]
    assert hosted.hook((ZERO, old, MAIN), name="post-receive").returncode == 0
    (entry,) = hosted.entries()
    assert (entry["push"], entry["verdict"]) == (None, None)
    assert "not decided here" in told(hosted, "--all")[1]


def test_post_receive_tells_what_it_cannot_log(hosted: Host) -> None:
    hosted.set(f'{SETTINGS}log = "/dev/full"\n')
    done = hosted.hook((ZERO, hosted.refs()[MAIN], MAIN), name="post-receive")
    assert done.returncode == 2
    assert done.stderr.startswith("freezegate: the push is in, but not logged")
    assert done.stderr.count("\n") == 1
