"""What is said of a slip of the pen: the command that mends it, and no end of a sound freeze."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.git.test_witness_beside import land
from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, flaky_shop, last_day, witness
from tests.support import FIXTURE, PROPERTY, TEST_ID, Story, copy_of, git_environment

if TYPE_CHECKING:
    from pathlib import Path

LEDGER, CATALOG, RECORD = ".freeze/ledger.jsonl", ".freeze/catalog.toml", ".freeze/record.json"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A freeze that has landed, and a patch on top of it."""
    story = flaky_shop(tmp_path_factory.mktemp("landed") / "here")
    assert asked(story).verdict == "accepted"
    land(story)
    return story


@pytest.fixture
def shop(landed: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(landed, tmp_path / "here")


def typed(story: Story, command: str) -> None:
    """Type a command as it was printed, in a subfolder."""
    place = story.root / "tests"
    subprocess.run(["sh", "-ec", command], cwd=place, env=git_environment(), check=True)


def said_next(out: str) -> str:
    """The command behind `next:`."""
    return out.rpartition("next: ")[2].strip()


@pytest.mark.parametrize(
    "edit",
    [(b"fixtures", b"fixturs"), (b"statement", b"[oops\nstatement"), (b"statement", b"\xff")],
    ids=["key", "toml", "bytes"],
)
def test_a_catalogue_that_does_not_decode_ends_no_freeze(
    shop: Story, edit: tuple[bytes, bytes]
) -> None:
    shop.write(CATALOG, shop.read(CATALOG).replace(*edit)).commit("A slip")
    answer = shop.check()
    assert answer.errors == {"judge.invalid_new_policy"}, answer.output


def test_an_entry_that_this_branch_brings_has_to_land_first(shop: Story) -> None:
    catalog = shop.read(CATALOG)
    more = catalog.replace(PROPERTY.encode(), b"stock.total")
    shop.write(CATALOG, catalog + b"\n" + more).commit("Catalogue it")
    said = witness(shop, "--property", "stock.total")
    assert (said.codes, said.runs) == ({"budget.id_not_catalogued"}, 0)
    assert said.finding["remedy"].startswith("land the catalogue in a patch of its own (git push")


def test_an_entry_that_is_really_gone_ends_its_freeze(shop: Story) -> None:
    shop.write(CATALOG, b"").commit("Without it")
    assert "freeze.void" in shop.check().errors


def test_a_lock_under_a_freeze_names_its_end_as_the_next_step(shop: Story) -> None:
    shop.write(FIXTURE, shop.read(FIXTURE) + b" ")
    status, out = shop.run("lock")
    assert (status, out.count("freezegate ledger void")) == (0, 1)
    assert said_next(out).startswith("end what stands on the old bytes, as named above; then")


def test_a_changed_fixture_is_told_as_other_bytes(shop: Story) -> None:
    shop.write(FIXTURE, shop.read(FIXTURE) + b" ").commit("Edit")
    got = str(shop.check().finding("freeze.void")["got"])
    assert got.startswith("other bytes: ")
    assert got.endswith(f"while {TEST_ID} is frozen on what stood there")


def test_a_landed_record_that_was_edited_is_brought_back(shop: Story) -> None:
    shop.write(RECORD, shop.read(RECORD).replace(b'"ada"', b'"bob"')).commit("Edit")
    said = str(shop.check().finding("record.not_in_ledger")["remedy"])
    command, _, other = said.partition(", or ")
    typed(shop, command)
    shop.commit("Back")
    assert shop.check().verdict == "accepted"
    assert other.startswith("to ask for a freeze: freezegate witness")


def test_conflict_markers_are_mended_by_the_command_that_is_named(shop: Story) -> None:
    line = shop.read(LEDGER)
    shop.write(LEDGER, b"<<<<<<< HEAD\n" + line + b"=======\n" + line + b">>>>>>> it\n")
    shop.git("add", "-A")
    for code in ("ledger.conflict_markers", "ledger.not_append_only"):
        remedy = str(shop.check("--staged").finding(code)["remedy"])
        assert remedy.endswith("put the own lines behind the base's: freezegate ledger rebase")
    assert shop.run("ledger", "rebase")[0] == 0
    assert shop.read(LEDGER) == line


@pytest.mark.parametrize("gone", ["evidence", "snapshots", "ledger.jsonl"])
def test_verify_brings_back_what_git_has(shop: Story, gone: str) -> None:
    typed(shop, f"rm -r ../.freeze/{gone}")
    status, out = shop.run("ledger", "verify")
    assert status == 1
    assert said_next(out).startswith("git checkout HEAD -- ")
    typed(shop, said_next(out))
    assert shop.run("ledger", "verify")[0] == 0


def test_verify_takes_away_what_no_line_names(shop: Story) -> None:
    stray = "0" * 64
    shop.write(f".freeze/evidence/{stray}.json", b"{}").write(f".freeze/snapshots/{stray}", b"")
    shop.git("add", f".freeze/snapshots/{stray}")
    status, out = shop.run("ledger", "verify")
    assert status == 1
    typed(shop, said_next(out))
    assert shop.run("ledger", "verify")[0] == 0


def test_a_freeze_without_commits_left_is_due(shop: Story) -> None:
    assert "no freeze that ends within 0 days" in shop.run("ledger", "list", "--due", "0")[1]
    policy = shop.read(".freeze/policy.toml").decode()
    shop.write(".freeze/policy.toml", policy + "\n[freeze]\nmax_lifetime_commits = 4\n")
    shop.commit("A nearer end")
    shop.git("push", "-q", "origin", "HEAD:main")
    out = shop.run("ledger", "list", "--due", "0")[1]
    assert "0 commits left" in out
    assert "4 commits from its base to the target" in out


def test_a_branch_behind_the_target_is_not_called_equal_to_it(shop: Story) -> None:
    shop.git("reset", "-q", "--hard", "origin/main^")
    said = witness(shop, "--property", PROPERTY)
    assert "HEAD is behind the base (refs/remotes/origin/main)" in said.finding["got"]


def test_several_pieces_of_evidence_are_frozen_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = two_tests(tmp_path / "here")
    assert witness(story, TEST_ID, SECOND).verdict == "accepted"
    story.commit("Evidence")
    terms = ("--owner", "ada", "--expires-on", last_day())
    assert story.run("freeze", *terms)[0] == 2
    again = f"freezegate freeze {PROPERTY} stock.total --owner ada --expires-on {last_day()}"
    assert again in capsys.readouterr().err
    assert story.run("freeze", *again.split()[2:])[0] == 0
    story.commit("Freeze both")
    answer = story.check()
    assert (answer.verdict, answer.output.count('"status": "requested"')) == ("accepted", 2)


def test_a_first_init_is_repeated_with_its_options(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.git("init", "-q")
    out = story.run("init", "--preset", "standard", "--target", "refs/heads/trunk")[1]
    assert out.rstrip().endswith("freezegate init --preset standard --target refs/heads/trunk")


def test_a_file_that_no_line_names_goes_in_one_command(shop: Story) -> None:
    stray = f".freeze/snapshots/{hashlib.sha256(b'x').hexdigest()}"
    shop.write(stray, b"x").commit("A stray")
    said = str(shop.check().finding("path.unexpected")["remedy"])
    typed(shop, said)
    shop.commit("Without it")
    assert shop.check().verdict == "accepted"
    assert not (shop.root / stray).exists()


def test_a_request_that_has_not_landed_is_dropped_by_the_command_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Ask")
    assert story.run("ledger", "lift", PROPERTY)[0] == 2
    typed(story, capsys.readouterr().err.rpartition("by hand): ")[2])
    story.commit("Drop it")
    assert story.git("diff", "--name-only", "origin/main", "--", ".freeze") == ""
    assert story.check().verdict == "accepted"


def test_a_mistyped_property_to_lift_is_told(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shop.run("ledger", "lift", PROPERTY.replace("total", "totel"))[0] == 2
    assert f"did you mean {PROPERTY}?" in capsys.readouterr().err
