"""The next command of a refusal: it fits what stands here, and mends it from any folder."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from freezegate.model.digests import Blake3
from tests.git.scenarios.test_renewals import edit_last, land
from tests.git.witnessing import asked, flaky_shop, witness
from tests.support import (
    FIXTURE,
    ORACLE,
    PROPERTY,
    Answer,
    Story,
    copy_of,
    git_environment,
    plain_repository,
)

if TYPE_CHECKING:
    from pathlib import Path

TEST = "tests/test_order.py"
LEDGER = ".freeze/ledger.jsonl"
MARKER = f'@pytest.mark.skip(reason="freezegate: {PROPERTY}")\n'.encode()


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


def test_evidence_that_is_nowhere_is_taken_anew(shop: Story) -> None:
    shop.commit("Ask")
    shop.git("rm", "-q", "-r", ".freeze/evidence")
    shop.git("commit", "-q", "--no-verify", "-m", "Without evidence")
    said = remedy(shop.check(), "evidence.missing")
    assert said == "take it anew: freezegate witness --refresh"
    assert witness(shop, "--refresh").verdict == "accepted"
    shop.commit("Taken")
    assert shop.check().verdict == "accepted"


def test_a_marked_test_file_that_was_left_out_is_named(shop: Story) -> None:
    shop.git("add", ".freeze")
    shop.git("commit", "-q", "--no-verify", "-m", "Ask")
    said = remedy(shop.check(), "evidence.stale_patch")
    command = f"git add ':/{TEST}' && git commit"
    assert said == f"commit the marked test file {TEST}, too: {command}"
    typed(shop, f"{command} -q --no-verify -m 'The marker'")
    assert shop.check().verdict == "accepted"


def test_more_work_behind_a_marked_test_needs_fresh_evidence(shop: Story) -> None:
    shop.commit("Ask")
    assert shop.check().verdict == "accepted"
    shop.patch("# more\n")
    said = remedy(shop.check(), "evidence.stale_patch")
    assert said == "Take fresh evidence for the patch as it is now: freezegate witness --refresh"


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


def test_the_lock_names_the_line_that_the_gate_asks_for(shop: Story) -> None:
    land(shop, "# later\n").write(FIXTURE, '{"lines": [6]}\n')
    for verb in (("lock", "--check"), ("lock",)):
        out = shop.run(*verb)[1]
        command = out.partition("in the same patch: ")[2].splitlines()[0]
        assert command.startswith("freezegate ledger void blake3:")
        shop.git("checkout", ".freeze")
    assert shop.run(*shlex.split(command)[1:])[0] == 0
    assert "ledger void" not in shop.run("lock", "--check")[1]
    shop.run("lock")
    shop.write(TEST, shop.read(TEST).replace(MARKER, b"")).commit("Another fixture")
    assert "freeze.void" not in shop.check().codes


def test_short_ids_of_freezes(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    land(shop, "# later\n")
    freeze = Blake3.of(shop.read(LEDGER).splitlines()[-1])
    assert shop.run("ledger", "void", freeze.hex[:6])[0] == 2
    said = capsys.readouterr().err
    assert "12 digits are needed" in said
    assert freeze in said


def test_two_wrong_files_are_corrected_at_once(shop: Story) -> None:
    shop.commit("Ask")
    wrong = ("--fixture", FIXTURE.replace("order", "ordre"), "--oracle", f"{ORACLE[:-3]}s.py")
    said = asked(shop, *wrong, "--refresh")
    remedies = [f["remedy"] for f in said.document["verdict"]["transitions"][0]["findings"][:2]]
    for remedy_ in remedies:
        assert f"--fixture {FIXTURE}" in remedy_
        assert f"--oracle {ORACLE}" in remedy_


def test_a_case_that_is_none_is_told_with_all_cases(tmp_path: Path) -> None:
    family = (
        "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert n\n"
    )
    story = flaky_shop(tmp_path / "here", files={"tests/test_n.py": family})
    text = story.on("main").read(".freeze/policy.toml").replace(b'"standard"', b'"basic"')
    story.write(".freeze/policy.toml", text).commit("basic")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    said = witness(story, "tests/test_n.py::test_n[9]", "--fixture", FIXTURE, "--oracle", ORACLE)
    assert (said.codes, said.finding["got"]) == (
        {"test.not_found_at_base"},
        "no case [9] of tests/test_n.py::test_n",
    )
    for case in ("[1]", "[2]"):
        assert f"tests/test_n.py::test_n{case}" in said.finding["remedy"]


def test_a_fixture_that_is_gone_is_not_to_be_locked(shop: Story) -> None:
    shop.commit("Ask")
    (shop.root / FIXTURE).unlink()
    shop.write(".freeze/fixtures.sha256", "")
    text = shop.run("catalog", "check")[1]
    assert text.startswith("freezegate catalog: 1 property, 0 drafts, 1 problem\n")
    assert "freezegate lock" not in text


def test_a_branch_without_commits_has_no_ledger_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plain_repository(tmp_path / "empty").run("ledger", "list")[0] == 2
    assert capsys.readouterr().err.endswith("git commit, then run the same again\n")


def test_without_a_policy_init_is_named(tmp_path: Path) -> None:
    story = plain_repository(tmp_path / "plain").write("a.py", "")
    story.commit("Begin")
    story.write("b.py", "").commit("Go on")
    assert "freezegate init" in story.run("doctor", "--no-canary")[1]
    said = story.check().finding("judge.no_policy")
    assert said["got"].startswith("no .freeze/policy.toml at the trusted base (")


def test_hooks_that_the_framework_places_are_placed_by_it(shop: Story) -> None:
    shop.run("install", "--manager", "pre-commit")
    assert "remedy: pre-commit install" in shop.run("doctor", "--no-canary")[1]


def test_presets_are_named_as_they_are_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        plain_repository(tmp_path / "plain").run("init", "--preset", "foo")
    assert "Preset" not in capsys.readouterr().err
