"""`freezegate ledger`: the life of freezes, as people list and end them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from freezegate.model.digests import Blake3
from freezegate.resources import read_shipped
from tests.git.scenarios.test_renewals import edit_last, land, lines
from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, flaky_shop, last_day, terms, witness
from tests.support import FIXTURE, PROPERTY, TEST_ID, Story, copy_of, git_environment

LEDGER = ".freeze/ledger.jsonl"
RECORD = ".freeze/record.json"
REBASE = "freezegate ledger rebase"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A freeze with a marker that has landed, and another patch."""
    story = flaky_shop(tmp_path_factory.mktemp("ledger") / "here")
    assert asked(story, "--mark").verdict == "accepted"
    story.git("config", "user.name", "ada")
    return land(story, "# more\n")


@pytest.fixture
def shop(landed: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(landed, tmp_path / "here")


def listed(story: Story, *arguments: str) -> list[dict[str, Any]]:
    """What `ledger list` says."""
    status, text = story.run("ledger", "list", "--format", "json", *arguments)
    assert status == 0
    document = json.loads(text)
    jsonschema.validate(document, json.loads(read_shipped("policy/schema", "freezes.schema.json")))
    freezes: list[dict[str, Any]] = document["freezes"]
    return freezes


def freeze_id(story: Story) -> str:
    """The id of the first freeze."""
    return Blake3.of(lines(story)[0])


# --- list


def test_an_active_freeze_is_listed_with_all_that_is_left_of_it(shop: Story) -> None:
    (only,) = listed(shop)
    assert (only["state"], only["owner"], only["freeze"]) == ("active", "ada", freeze_id(shop))
    assert (only["property_id"], only["test_id"]) == (PROPERTY, TEST_ID)
    assert (only["expires_on"], only["days_left"], only["age_days"]) == (last_day(), 7, 0)
    assert (only["age_commits"], only["commits_left"]) == (2, 198)
    assert (only["why"], only["shaken"]) == (None, None)


def test_the_text_says_the_same(shop: Story) -> None:
    _, text = shop.run("ledger", "list")
    for part in (
        "active",
        PROPERTY,
        "owner     ada",
        "7 days left",
        freeze_id(shop),
        ".freeze/evid",
    ):
        assert part in text


def test_a_request_is_listed_as_one(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    (only,) = listed(story)
    assert (only["state"], only["days_left"], only["commits_left"]) == ("requested", 7, 200)


def test_evidence_that_waits_is_listed(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert witness(story, "--property", PROPERTY).verdict == "accepted"
    (only,) = listed(story)
    assert (only["state"], only["freeze"], only["owner"]) == ("waiting", None, None)
    text = story.run("ledger", "list")[1]
    assert f"freezegate freeze {only['evidence']} --owner NAME" in text
    assert listed(story, "--due", "30") == []
    assert story.run("freeze", *terms())[0] == 0
    assert [each["state"] for each in listed(story)] == ["requested"]


def test_no_freeze_at_all(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert listed(story) == []
    assert "no freeze in .freeze/ledger.jsonl at" in story.run("ledger", "list")[1]


def test_what_head_changes_of_its_ground_is_told(shop: Story) -> None:
    shop.write(FIXTURE, '{"lines": [1, 2, 3, 0]}\n').commit("Drift")
    (only,) = listed(shop)
    assert only["shaken"].startswith(FIXTURE)


@pytest.mark.parametrize(("due", "count"), [("0", 0), ("6", 0), ("7", 1), ("30", 1)])
def test_due_counts_days(shop: Story, due: str, count: int) -> None:
    assert len(listed(shop, "--due", due)) == count


def test_an_expired_freeze_stays_due_until_a_line_closes_it(shop: Story) -> None:
    past = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    edit_last(shop, lambda line: line.update(expires_on=past))
    land(shop, "# and more\n")
    (only,) = listed(shop, "--due", "0")
    assert (only["state"], only["days_left"]) == ("expired", -2)
    assert shop.run("ledger", "lift", PROPERTY)[0] == 0
    assert listed(shop, "--due", "0") == []


def test_a_bad_number_of_days(shop: Story) -> None:
    assert shop.run("ledger", "list", "--due", "-1")[0] == 2


# --- lift and void


@pytest.mark.parametrize(("action", "event"), [("lift", "lifted"), ("void", "void")])
@pytest.mark.parametrize("by", ["id", "digits", "prefix", "property", "test"])
def test_a_freeze_is_ended_by_any_of_its_names(
    shop: Story, action: str, event: str, by: str
) -> None:
    whole = freeze_id(shop)
    name = {
        "id": whole,
        "digits": whole.removeprefix("blake3:"),
        "prefix": whole[: len("blake3:") + 12],
        "property": PROPERTY,
        "test": TEST_ID,
    }[by]
    status, text = shop.run("ledger", action, name, "--reason", "repaired in #41")
    assert status == 0
    assert "take its skip marker out" in text
    line = json.loads(lines(shop)[-1])
    assert (line["event"], line["freeze"]) == (event, whole)
    assert (line["reason"], line["owner"]) == ("repaired in #41", "ada")
    source = shop.read("tests/test_order.py").splitlines(keepends=True)
    shop.write("tests/test_order.py", b"".join(x for x in source if b"freezegate: " not in x))
    shop.commit("End it")
    assert shop.check().verdict == "accepted"
    (only,) = listed(shop)
    assert (only["state"], only["why"]) == (event, "line 2: repaired in #41 (ada)")
    assert (only["days_left"], only["commits_left"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("stock.total",), f"there are: {PROPERTY}", id="unknown"),
        pytest.param((PROPERTY, "--reason", "a\nb"), "one line", id="two_lines"),
        pytest.param((PROPERTY, "--reason", " "), "one line", id="no_reason"),
        pytest.param((PROPERTY, "--owner", "nobody"), "nobody's name", id="nobody"),
    ],
)
def test_what_cannot_be_ended_is_told(
    shop: Story, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    before = shop.read(LEDGER)
    assert shop.run("ledger", "lift", *arguments)[0] == 2
    assert said in capsys.readouterr().err
    assert shop.read(LEDGER) == before


def test_a_freeze_is_ended_once(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert shop.run("ledger", "lift", PROPERTY)[0] == 0
    assert shop.run("ledger", "lift", PROPERTY)[0] == 2
    assert "is over already: lifted" in capsys.readouterr().err


def test_a_request_is_not_lifted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    assert story.run("ledger", "lift", PROPERTY)[0] == 2
    assert "a request of this branch" in capsys.readouterr().err


def crlf(story: Story) -> None:
    story.write(LEDGER, story.read(LEDGER).replace(b"\n", b"\r\n"))


def folder_elsewhere(story: Story) -> None:
    outside = story.root.parent / "outside"
    (story.root / ".freeze").rename(outside)
    (story.root / ".freeze").symlink_to(outside)


def no_file(story: Story) -> None:
    (story.root / LEDGER).unlink()
    (story.root / LEDGER).mkdir()


@pytest.mark.parametrize("action", ["lift", "void"])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(
            lambda s: (s.root / LEDGER).unlink(), "git checkout -- ':/.freeze", id="removed"
        ),
        pytest.param(lambda s: s.write(LEDGER, b"{}\n"), "ledger rebase", id="rewritten"),
        pytest.param(crlf, "line endings CRLF", id="crlf"),
        pytest.param(lambda s: s.append(b"<<<<<<< x\n"), "conflict markers", id="markers"),
        pytest.param(lambda s: s.append(b"{}\n"), "ledger.jsonl:2: an own line", id="bad_line"),
        pytest.param(lambda s: s.append(b"{"), "newline", id="no_newline"),
        pytest.param(folder_elsewhere, ".freeze is no folder", id="link"),
        pytest.param(no_file, "is no regular file", id="no_file"),
    ],
)
def test_nothing_is_put_behind_a_ledger_that_cannot_be_right(
    shop: Story, capsys: pytest.CaptureFixture[str], action: str, damage: Any, said: str
) -> None:
    damage(shop)
    path = shop.root / LEDGER
    before = path.read_bytes() if path.is_file() else None
    assert shop.run("ledger", action, PROPERTY)[0] == 2
    assert said in capsys.readouterr().err
    assert (path.read_bytes() if path.is_file() else None) == before


@pytest.mark.parametrize(("user", "owner"), [("Grace", "Grace"), ("nobody", "ada")])
def test_who_ends_it_signs(shop: Story, user: str, owner: str) -> None:
    shop.git("config", "user.name", user)
    assert f"signed by {owner}\n" in shop.run("ledger", "lift", PROPERTY)[1]
    assert json.loads(lines(shop)[-1])["owner"] == owner


def test_a_full_disk_behind_the_answer_does_not_hide_what_was_written(shop: Story) -> None:
    command = [sys.executable, "-m", "freezegate", "ledger", "lift", PROPERTY]
    top = str(Path(__file__).parents[2] / "src")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            command,
            cwd=shop.root,
            env=git_environment() | {"PYTHONPATH": top},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"the line stands in .freeze/ledger.jsonl" in done.stderr
    assert b"nothing passes" not in done.stderr
    assert json.loads(lines(shop)[-1])["event"] == "lifted"


def test_two_at_once_end_it_once(shop: Story) -> None:
    command = [sys.executable, "-m", "freezegate", "ledger", "lift", PROPERTY, "--reason"]
    environ = git_environment() | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    both = [
        subprocess.Popen(
            [*command, word], cwd=shop.root, env=environ, stderr=subprocess.DEVNULL, text=True
        )
        for word in ("one", "other")
    ]
    assert sorted(each.wait() for each in both) == [0, 2]
    assert len(lines(shop)) == 2


# --- verify


def verified(story: Story) -> tuple[int, set[str]]:
    """Exit status and codes of `ledger verify`."""
    status, text = story.run("ledger", "verify", "--format", "json")
    return status, {fault["code"] for fault in json.loads(text)["faults"]}


def test_a_good_ledger_is_verified(shop: Story) -> None:
    assert verified(shop) == (0, set())
    assert "ok: 1 line, 1 of them freezes" in shop.run("ledger", "verify")[1]


FAULTS = [
    pytest.param(lambda s: s.append(b"{}\n"), "ledger.bad_row", id="no_event"),
    pytest.param(lambda s: s.append(b"<<<<<<< x\n"), "ledger.conflict_markers", id="markers"),
    pytest.param(lambda s: s.append(b"{"), "ledger.bad_row", id="no_newline"),
    pytest.param(lambda s: s.append(lines(s)[0] + b"\n"), "ledger.duplicate_row", id="twice"),
    pytest.param(
        lambda s: s.append(lines(s)[0].replace(b":", b": ", 1) + b"\n"),
        "ledger.bad_row",
        id="not_canonical",
    ),
    pytest.param(lambda s: s.write(LEDGER, b""), "ledger.not_append_only", id="emptied"),
    pytest.param(
        lambda s: s.write(".freeze/evidence/x.json", "{}"), "path.unexpected", id="stranger"
    ),
    pytest.param(lambda s: one(s, "evidence").unlink(), "evidence.missing", id="no_evidence"),
    pytest.param(
        lambda s: one(s, "evidence").write_text("{}"), "evidence.mismatch", id="edited_evidence"
    ),
    pytest.param(lambda s: one(s, "snapshots").unlink(), "fixture.missing", id="no_snapshot"),
    pytest.param(
        lambda s: one(s, "snapshots").write_text("{}"), "digest.mismatch", id="edited_snapshot"
    ),
]


def one(story: Story, folder: str) -> Path:
    """The only file of a folder."""
    (only,) = (story.root / ".freeze" / folder).iterdir()
    return only


def test_line_endings_are_one_fault_and_no_circle(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    crlf(shop)
    _, text = shop.run("ledger", "verify")
    (only,) = text.splitlines()
    assert "line endings: CRLF; expected LF: cd " in only
    assert "`.freeze/** -text` in .gitattributes" in only
    assert shop.run("ledger", "rebase")[0] == 2
    assert "line endings CRLF; expected LF: cd " in capsys.readouterr().err


@pytest.mark.parametrize(("damage", "code"), FAULTS)
def test_each_fault_is_found(shop: Story, damage: Any, code: str) -> None:
    damage(shop)
    status, codes = verified(shop)
    assert status == 1
    assert code in codes


# --- rebase


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Two branches that asked for a freeze each; one has landed."""
    story = two_tests(tmp_path_factory.mktemp("parted") / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Ask for one")
    story.git("checkout", "-q", "-b", "other", "origin/main")
    story.write("src/other.py", "x = 1\n").commit("Other work")
    said = witness(story, SECOND, *terms())
    assert said.verdict == "accepted", said.out
    story.commit("Ask for another")
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")
    story.git("checkout", "-q", "topic")
    return story


def in_conflict(story: Story, *command: str) -> None:
    """Run a git command that stops at a conflict."""
    with pytest.raises(AssertionError):
        story.git(*command)


@pytest.mark.parametrize("how", ["merge", "rebase", "plain"])
def test_own_lines_go_behind_those_that_landed(parted: Story, tmp_path: Path, how: str) -> None:
    story = copy_of(parted, tmp_path / "here")
    (own,) = lines(story)
    record = story.read(".freeze/record.json")
    if how == "plain":
        assert story.run("ledger", "rebase")[0] == 0
        assert lines(story)[1:] == [own]
        return
    in_conflict(story, how, "-q", "origin/main")
    status, text = story.run("ledger", "rebase")
    assert status == 0, text
    assert f"git {how} --continue" in text
    first, second = lines(story)
    assert (json.loads(first)["property_id"], second) == ("stock.total", own)
    assert story.read(".freeze/record.json") == record
    story.git("add", ".freeze")
    story.git("-c", "core.editor=true", how, "--continue")
    assert story.run("ledger", "verify")[0] == 0
    assert story.check().verdict == "accepted"


def test_lines_that_landed_elsewhere_are_dropped(parted: Story, tmp_path: Path) -> None:
    story = copy_of(parted, tmp_path / "here")
    (own,) = lines(story)
    story.branch("squashed", "origin/main").append(own + b"\n").commit("The same line, squashed")
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")
    landed = lines(story)
    assert landed[1:] == [own]
    story.on("topic")
    status, text = story.run("ledger", "rebase", "--format", "json")
    assert status == 0
    document = json.loads(text)
    assert (document["kept"], document["dropped"]) == (0, 1)
    assert document["written"] == [LEDGER, RECORD]
    assert lines(story) == landed
    assert story.read(RECORD).decode() == story.git("show", f"origin/main:{RECORD}") + "\n"


@pytest.mark.parametrize("how", ["merge", "rebase", "plain"])
def test_a_branch_whose_request_was_squashed_goes_on(
    parted: Story, tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another freeze landed behind it, and the branch asks for nothing more."""
    story = copy_of(parted, tmp_path / "here")
    (own,) = lines(story)
    story.branch("squashed", "origin/main").git("checkout", "topic", "--", "src", ".freeze")
    story.git("checkout", "origin/main", "--", LEDGER, RECORD)
    story.append(own + b"\n").commit("Squash it")
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")
    story.on("topic").write("src/more.py", "x = 1\n").commit("More work")
    answer = story.check()
    assert answer.errors == {"ledger.duplicate_row", "record.not_in_ledger"}
    errors = [each for each in answer.findings if each["severity"] == "error"]
    assert {each["remedy"] for each in errors} == {REBASE}
    assert f"next: {REBASE}" in story.run("check")[1]
    assert story.run("witness", "--refresh")[0] == 2
    assert REBASE in capsys.readouterr().err
    if how != "plain":
        in_conflict(story, how, "-q", "origin/main")
    status, text = story.run("ledger", "rebase")
    assert status == 0, text
    assert f"wrote {RECORD}" in text
    story.git("add", ".freeze")
    if how == "plain":
        story.commit("As the base has them")
    else:
        story.git("-c", "core.editor=true", how, "--continue")
    for path in (LEDGER, RECORD):
        assert story.git("show", f"HEAD:{path}") == story.git("show", f"origin/main:{path}")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output
    assert not answer.document["transitions"][0]["freezes"]


def test_nothing_to_rebase(shop: Story) -> None:
    status, text = shop.run("ledger", "rebase")
    assert status == 0
    assert "nothing to do" in text


def test_conflict_markers_that_git_forgot(
    parted: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = copy_of(parted, tmp_path / "here")
    in_conflict(story, "merge", "-q", "origin/main")
    story.git("add", ".freeze")
    assert story.run("ledger", "lift", PROPERTY)[0] == 2
    assert "mend it: freezegate ledger rebase" in capsys.readouterr().err
    assert "next: freezegate ledger rebase" in story.run("ledger", "verify")[1]
    assert story.run("ledger", "rebase")[0] == 0
    assert b"<<<<" not in story.read(LEDGER)
    assert story.run("ledger", "verify")[0] == 0


def test_a_line_appended_in_a_conflict_is_kept(parted: Story, tmp_path: Path) -> None:
    story = copy_of(parted, tmp_path / "here")
    (own,) = lines(story)
    in_conflict(story, "merge", "-q", "origin/main")
    new = dict(json.loads(own), owner="grace")
    story.append(new)
    status, text = story.run("ledger", "rebase")
    assert status == 0, text
    assert "1 line of the work tree, on no side of the conflict, kept behind" in text
    assert "landed already" not in text
    assert [json.loads(line)["owner"] for line in lines(story)] == ["ada", "ada", "grace"]


def test_a_half_line_in_a_conflict_is_refused(
    parted: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = copy_of(parted, tmp_path / "here")
    in_conflict(story, "merge", "-q", "origin/main")
    story.append(b"{}\n")
    before = story.read(LEDGER)
    assert story.run("ledger", "rebase")[0] == 2
    assert "does not decode" in capsys.readouterr().err
    assert story.read(LEDGER) == before


def test_a_bad_line_that_the_target_took_out_is_nobodys_own(shop: Story) -> None:
    good = shop.read(LEDGER)
    shop.append(b"{}\n").commit("Bad")
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("checkout", "-q", "-b", "mended")
    shop.write(LEDGER, good).commit("Mend it")
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("fetch", "-q", "origin")
    shop.git("checkout", "-q", "-")
    own = {"event": "lifted", "freeze": freeze_id(shop)} | {
        key: json.loads(lines(shop)[0])[key] for key in ("base_rev", "fixture_sha256", "owner")
    }
    shop.append({**own, "reason": "repaired"})
    status, text = shop.run("ledger", "rebase")
    assert status == 0, text
    assert "1 line of this branch behind those of" in text
    assert "dropped" not in text
    assert shop.read(LEDGER).startswith(good)
    assert len(lines(shop)) == 2


def test_two_commits_with_own_lines_are_applied_anew(parted: Story, tmp_path: Path) -> None:
    story = copy_of(parted, tmp_path / "here")
    (own,) = lines(story)
    story.append(dict(json.loads(own), owner="grace")).commit("One more")
    in_conflict(story, "rebase", "-q", "origin/main")
    for owners in (["ada", "ada"], ["ada", "ada", "grace"]):
        status, text = story.run("ledger", "rebase")
        assert status == 0, text
        assert [json.loads(line)["owner"] for line in lines(story)] == owners
        assert "dropped" not in text
        story.git("add", ".freeze")
        story.git("-c", "core.editor=true", "rebase", "--continue", check=False)
    assert len(lines(story)) == 3
    assert story.git("status", "--porcelain") == ""
