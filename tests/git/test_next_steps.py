"""The next command of a refusal: it fits what stands here, and mends it from any folder."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.git.scenarios.test_renewals import edit_last, land
from tests.git.witnessing import asked, flaky_shop, last_day, witness
from tests.support import FIXTURE, PROPERTY, Answer, Story, copy_of, git_environment

if TYPE_CHECKING:
    from pathlib import Path

TEST = "tests/test_order.py"
LEDGER = ".freeze/ledger.jsonl"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A request with a marker, in no commit yet, behind a ledger that has landed."""
    story = flaky_shop(tmp_path_factory.mktemp("next") / "here")
    story.write(LEDGER, b"").commit("A ledger")
    story.git("push", "-q", "origin", "HEAD:main")
    story.patch("# once more\n")
    assert asked(story, "--mark").verdict == "accepted"
    return story


@pytest.fixture
def shop(written: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(written, tmp_path / "here")


def typed(story: Story, command: str) -> None:
    """Type a command in a subfolder, as it was printed."""
    subprocess.run(
        ["bash", "-ec", command],
        cwd=story.root / "tests" / "properties",
        env=git_environment(),
        check=True,
    )


def remedy(answer: Answer, code: str) -> str:
    """What is said to do."""
    return str(answer.finding(code)["remedy"])


def test_evidence_that_lies_untracked_is_added(shop: Story) -> None:
    shop.git("add", "-u")
    said = remedy(shop.check("--staged"), "evidence.missing")
    assert said == "it lies in the work tree, untracked: git add ':/.freeze'"
    typed(shop, said.rpartition("untracked: ")[2])
    assert shop.check("--staged").verdict == "accepted"


def test_evidence_that_is_nowhere_is_taken_with_the_request_s_own_values(shop: Story) -> None:
    shop.commit("Ask")
    shop.git("rm", "-q", "-r", ".freeze/evidence")
    shop.git("commit", "-q", "--no-verify", "-m", "Without evidence")
    said = remedy(shop.check(), "evidence.missing")
    terms = f"--owner ada --expires-on {last_day()}"
    assert said == f"take it: freezegate witness --property {PROPERTY} {terms}"


def test_a_marked_test_file_that_was_left_out_is_named(shop: Story) -> None:
    shop.git("add", ".freeze")
    shop.git("commit", "-q", "--no-verify", "-m", "Ask")
    said = remedy(shop.check(), "evidence.stale_patch")
    command = f"git add ':/{TEST}' && git commit"
    assert said == f"commit the marked test file {TEST}, too: {command}"
    typed(shop, f"{command} -q --no-verify -m 'The marker'")
    assert shop.check().verdict == "accepted"


def test_a_fixture_that_changed_is_what_is_mended_first(shop: Story) -> None:
    shop.write(FIXTURE, '{"lines": [1, 2, 3, 0]}\n').commit("Ask")
    answer = shop.check()
    back = f"git checkout {shop.rev('origin/main')} -- ':/{FIXTURE}'"
    for code in ("digest.mismatch", "fixture.changed_in_patch"):
        assert remedy(answer, code).startswith(f"{back}, commit that")
    typed(shop, back)
    shop.commit("Back")
    assert shop.check().verdict == "accepted"


@pytest.mark.parametrize(
    ("junk", "command"),
    [
        pytest.param(b"{}\n", "git checkout HEAD -- ':/.freeze/ledger.jsonl'", id="junk"),
        pytest.param(b"<<<<<<< x\n=======\n>>>>>>> y\n", "freezegate ledger rebase", id="markers"),
    ],
)
def test_a_damaged_ledger_is_mended_by_what_each_verb_names(
    shop: Story, capsys: pytest.CaptureFixture[str], junk: bytes, command: str
) -> None:
    shop.commit("Ask")
    shop.append(junk).git("add", LEDGER)
    answer = shop.check("--staged")
    assert {f["remedy"] for f in answer.findings if f["code"].startswith("ledger.")} == {command}
    for verb in (("verify",), ("list",), ("lift", PROPERTY)):
        out = shop.run("ledger", *verb)[1]
        assert command in out + capsys.readouterr().err
    if command.startswith("git"):
        typed(shop, command)
    else:
        assert shop.run("ledger", "rebase")[0] == 0
    assert shop.run("ledger", "verify")[0] == 0


def test_windows_line_endings_are_mended_by_what_each_verb_names(shop: Story) -> None:
    land(shop, "# later\n")
    shop.write(LEDGER, shop.read(LEDGER).replace(b"\n", b"\r\n")).git("add", LEDGER)
    said = remedy(shop.check("--staged"), "ledger.not_append_only")
    assert said.endswith("sed -i 's/\\r$//' .freeze/ledger.jsonl")
    assert said in shop.run("ledger", "verify")[1]
    typed(shop, said)
    assert shop.run("ledger", "verify")[0] == 0


def test_a_draft_is_accepted_first(shop: Story) -> None:
    catalog = ".freeze/catalog.toml"
    shop.write(catalog, shop.read(catalog).replace(b"[property.", b"[proposed."))
    land(shop, "# a draft\n")
    said = asked(shop)
    assert said.codes == {"budget.id_not_catalogued"}
    assert said.finding["remedy"].startswith(f"freezegate catalog accept {PROPERTY}, land that")


def test_a_request_is_dropped_and_evidence_waits_with_whole_commands(shop: Story) -> None:
    said = asked(shop)
    drop = said.finding["remedy"].rpartition("; or to drop it: ")[2]
    typed(shop, drop)
    assert shop.git("status", "--porcelain") == ""
    assert witness(shop, "--property", PROPERTY).verdict == "accepted"
    assert "--owner NAME --expires-on DATE" in shop.run("ledger", "list")[1]


def test_a_candidate_that_never_passed_is_said_so(tmp_path: Path) -> None:
    said = asked(flaky_shop(tmp_path / "here", "pfff"))
    assert "the candidate never passed" in said.window["next_step"]
    assert "--runs N" in said.window["next_step"]


def test_a_stale_marker_s_commands_stand_alone(shop: Story) -> None:
    edit_last(shop, lambda line: line.update(expires_on="2026-01-01"))
    land(shop, "# later\n").write("README.md", "# other\n").commit("Go on")
    said = remedy(shop.check(), "freeze.stale_marker")
    assert f"freezegate witness --property {PROPERTY} --owner NAME --expires-on DATE" in said
    assert said.rpartition("freezegate ledger lift ")[2].startswith("blake3:")
