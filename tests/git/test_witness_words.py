"""What `freezegate witness` says to somebody who uses it for the first time."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from freezegate.cli.verbs import VERBS, run_command
from tests.git.test_witness_all import score
from tests.git.witnessing import asked, flake, flaky_shop, last_day, terms, witness
from tests.support import (
    CATALOG,
    FIXTURE,
    ORACLE,
    PROPERTY,
    TEST_ID,
    Story,
    git_environment,
    lock_line,
)

P = ("--property", PROPERTY)


def lines_of(command: str) -> list[str]:
    """The words behind `freezegate witness` of a command that a remedy shows."""
    words = shlex.split(command[command.index("freezegate witness") :])
    return words[2:]


# --- ids that name nothing


@pytest.mark.parametrize(
    ("test_id", "code"),
    [
        pytest.param("tests/test_order.py::test_totl", "test.not_found_at_base", id="name"),
        pytest.param("tests/test_ordre.py::test_total", "test.not_found_at_base", id="file"),
        pytest.param("test/test_order.py::test_total", "test.not_found_at_base", id="folder"),
        pytest.param("test_order.py::test_totl", "test.not_found_at_base", id="both"),
    ],
)
def test_an_unknown_id_is_told_before_anything_is_asked_for(
    tmp_path: Path, test_id: str, code: str
) -> None:
    said = witness(flaky_shop(tmp_path / "here"), test_id)
    assert (said.status, said.codes, said.runs) == (1, {code}, 0), said.out
    assert f"name one of them: {TEST_ID}" in said.finding["remedy"]
    assert f"freezegate witness --property {PROPERTY}" in said.finding["remedy"]


def test_of_a_family_its_members_are_offered(tmp_path: Path) -> None:
    body = "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert n\n"
    story = flaky_shop(tmp_path / "here", files={"tests/test_n.py": body})
    said = witness(story, "tests/test_n.py::test_n")
    assert (said.status, said.codes) == (1, {"test.not_single"})
    assert "'tests/test_n.py::test_n[1]', 'tests/test_n.py::test_n[2]'" in said.finding["remedy"]


def test_a_test_that_the_patch_brings_must_land_first(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write("tests/test_new.py", "def test_new():\n    pass\n").commit("a test")
    said = witness(story, "tests/test_new.py::test_new")
    assert said.codes == {"test.not_found_at_base"}
    assert "Land the test first" in said.finding["remedy"]


# --- options, not keys of files that are not written yet


@pytest.mark.parametrize(
    ("arguments", "about", "words"),
    [
        pytest.param(("--expires-on", last_day()), "--owner", "--owner NAME", id="no_owner"),
        pytest.param(
            ("--owner", "todo", "--expires-on", last_day()), "--owner", "--owner NAME", id="todo"
        ),
        pytest.param(
            ("--owner", "ada"), "--expires-on", f"--expires-on {last_day(14)}", id="no_day"
        ),
        pytest.param(
            ("--owner", "ada", "--expires-on", last_day(99)),
            "--expires-on",
            f"{last_day(14)} is the latest day",
            id="far",
        ),
        pytest.param(
            ("--owner", "ada", "--expires-on", last_day(-1)),
            "--expires-on",
            f"{last_day(14)} is the latest day",
            id="past",
        ),
        pytest.param(
            (*terms(), "--expires-after-commits", "999"),
            "--expires-after-commits",
            "--expires-after-commits 200",
            id="commits",
        ),
    ],
)
def test_refusals_name_the_option(
    tmp_path: Path, arguments: tuple[str, ...], about: str, words: str
) -> None:
    said = witness(flaky_shop(tmp_path / "here"), *P, *arguments)
    assert (said.status, said.runs) == (1, 0)
    assert (said.finding["about"], said.finding["path"]) == (about, None)
    assert words in said.finding["remedy"]
    assert ".freeze/" not in said.finding["remedy"]


@pytest.mark.parametrize(
    ("option", "path", "near", "code"),
    [
        ("--fixture", "tests/fixtures/ordre.json", FIXTURE, "fixture.missing"),
        ("--fixture", "order.json", FIXTURE, "fixture.missing"),
        ("--oracle", "tests/properties/test_order_prop.py", ORACLE, "oracle.missing_at_base"),
    ],
)
def test_a_wrong_path_is_told_with_a_command_that_works(
    tmp_path: Path, option: str, path: str, near: str, code: str
) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, *P, *terms(), option, path)
    assert (said.status, said.codes, said.runs) == (1, {code}, 0), said.out
    assert said.finding["about"] == f"{option} {path}"
    assert "0" * 40 not in said.out
    again = lines_of(said.finding["remedy"])
    assert again[again.index(option) + 1] == near
    assert witness(story, *again).verdict == "accepted"


def test_a_wrong_path_of_a_single_step_is_told_with_its_own_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert story.run("replay", *P, "--side", "base", "--fixture", "order.json")[0] == 2
    again = f"freezegate replay --property {PROPERTY} --fixture {FIXTURE} --side base"
    assert again in capsys.readouterr().err


def test_a_changed_fixture_is_told_once_and_of_no_file_that_nobody_wrote(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write(FIXTURE, '{"lines": [6]}\n').commit("other bytes")
    said = asked(story)
    assert (said.finding["code"], said.finding["about"]) == (
        "fixture.changed_in_patch",
        "--fixture",
    )
    assert said.codes == {"fixture.changed_in_patch", "fixture.lock_stale"}
    assert "record.json" not in said.out


def test_a_budget_is_told_in_tests(tmp_path: Path) -> None:
    second = CATALOG.replace(PROPERTY, "stock.total").replace("::test_total", "::test_stock")
    story = flaky_shop(
        tmp_path / "here",
        policy="[freeze]\nmax_active_per_file = 1\n",
        files={
            ".freeze/catalog.toml": f"{CATALOG}\n{second}",
            "tests/test_order.py": "def test_total():\n    pass\n\n\ndef test_stock():\n    pass\n",
        },
    )
    said = witness(story, *P, "--property", "stock.total", *terms())
    (only,) = said.document["verdict"]["transitions"][0]["findings"]
    assert (only["code"], only["path"], said.runs) == ("budget.exceeded", None, 0)
    assert only["expected"].startswith("at most 1 active freezes of one test file")
    assert only["remedy"].startswith(f"name fewer of {PROPERTY}, stock.total; or end one")
    assert "freezegate ledger lift" in only["remedy"]


# --- what stands already


def landed(tmp_path: Path) -> Story:
    """A shop whose freeze has landed, on a branch with another patch."""
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Freeze it")
    story.git("push", "-q", "origin", "HEAD:main")
    return story.branch("again").patch("# more\n")


def test_all_shows_active_freezes_and_scores_them(tmp_path: Path) -> None:
    story = landed(tmp_path)
    scores = score(story)
    (only,) = scores.document["properties"]
    assert only["base_runs"], "the row is scored"
    assert only["freeze"]["owner"] == "ada"
    assert only["freeze"]["expires_on"] == last_day()
    assert only["freeze"]["freeze"].startswith("blake3:")
    assert f"frozen until {last_day()}, owner ada" in story.run("witness", "--all")[1]


def test_all_shows_no_freeze_of_other_bytes(tmp_path: Path) -> None:
    story = landed(tmp_path)
    story.write(FIXTURE, '{"lines": [6]}\n').commit("other bytes")
    _, out = story.run("witness", "--all", "--format", "json")
    assert json.loads(out)["properties"][0]["freeze"] is None


def stale_request(tmp_path: Path, pattern: str) -> Story:
    """A shop with a request, and one more commit behind it."""
    story = flaky_shop(tmp_path / "here", pattern)
    assert asked(story).verdict == "accepted"
    story.commit("Freeze it")
    return story.patch("# more\n")


def test_a_refused_refresh_says_that_the_older_request_stands(tmp_path: Path) -> None:
    story = stale_request(tmp_path, "ppff" + "pppp")
    said = witness(story, "--refresh")
    assert (said.status, said.verdict) == (1, "refused")
    findings = said.document["verdict"]["transitions"][0]["findings"]
    (note,) = [f for f in findings if f["severity"] == "note" and "older" in f["got"]]
    assert "still stands" in note["got"]
    assert "stale" in note["got"]
    assert json.loads(story.read(".freeze/ledger.jsonl"))["evidence"] in note["got"]
    drop = note["remedy"].split("to drop the request: ")[1]
    subprocess.run(["sh", "-e", "-c", drop], cwd=story.root, env=git_environment(), check=True)
    story.commit("Drop it")
    assert story.check().verdict == "accepted"
    assert not (story.root / ".freeze" / "record.json").exists()


def test_a_refresh_keeps_a_larger_window(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--runs", "4").verdict == "accepted"
    story.commit("Freeze it")
    story.patch("# more\n")
    said = witness(story, "--refresh")
    assert said.window["runs_per_side"] == 4
    assert witness(story, "--refresh", "--runs", "2").window["runs_per_side"] == 2


# --- what no run could change


def junk(story: Story) -> None:
    """Leave a file beside the evidence."""
    story.write(".freeze/evidence/junk.txt", "x\n")


def evidence_is_a_file(story: Story) -> None:
    """Stand a file where a folder must be."""
    story.write(".freeze/evidence", "x\n")


def notes(story: Story) -> None:
    """Leave notes."""
    story.write(".freeze/notes.md", "x\n")


def record_is_a_link(story: Story) -> None:
    """Let the record lead elsewhere."""
    (story.root / ".freeze" / "record.json").symlink_to("nowhere.json")


def record_is_a_folder(story: Story) -> None:
    """Stand a folder where a file must be."""
    (story.root / ".freeze" / "record.json").mkdir()


STRANGE = [junk, evidence_is_a_file, notes, record_is_a_link, record_is_a_folder]


@pytest.mark.parametrize("refresh", [(), ("--refresh",)], ids=["first", "refresh"])
@pytest.mark.parametrize("spoil", STRANGE)
def test_strangers_in_the_folder_are_told_before_the_first_run(
    tmp_path: Path, spoil: Callable[[Story], None], refresh: tuple[str, ...]
) -> None:
    story = flaky_shop(tmp_path / "here")
    spoil(story)
    said = asked(story, *refresh)
    assert (said.status, said.verdict, said.runs) == (1, "refused", 0), said.out + said.err
    assert all(code.startswith("path.") for code in said.codes), said.codes
    path = story.root / said.finding["path"]
    assert stat.S_IFMT(path.lstat().st_mode), "nothing was removed"


def test_what_git_ignores_is_nobodys_business(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", files={".gitignore": "*.swp\n"})
    story.write(".freeze/.policy.toml.swp", "x\n")
    assert asked(story).verdict == "accepted"


@pytest.mark.parametrize("spoil", STRANGE[:4])
def test_committed_strangers_are_told_before_the_first_run(
    tmp_path: Path, spoil: Callable[[Story], None]
) -> None:
    story = flaky_shop(tmp_path / "here")
    spoil(story)
    story.commit("a stranger")
    said = asked(story)
    assert (said.verdict, said.runs) == ("refused", 0), said.out + said.err


def test_lost_evidence_of_an_active_freeze_is_told_before_the_first_run(tmp_path: Path) -> None:
    story = landed(tmp_path)
    (evidence,) = (story.root / ".freeze" / "evidence").iterdir()
    evidence.unlink()
    story.commit("lose it")
    said = witness(story, *P)
    assert (said.codes, said.runs) == ({"evidence.missing"}, 0), said.out


@pytest.mark.parametrize("base", ["HEAD", "topic"])
def test_an_empty_patch_is_no_ground_for_runs(tmp_path: Path, base: str) -> None:
    story = flaky_shop(tmp_path / "here")
    said = asked(story, "--base", base)
    assert (said.status, said.codes, said.runs) == (1, {"base.nothing_to_judge"}, 0)
    assert "nothing to witness: HEAD equals the base" in said.finding["got"]


def test_a_patch_of_freezegates_own_files_is_empty_too(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.branch("other", "main").write(".freeze/catalog.toml", CATALOG + "\n").commit("catalogue")
    said = asked(story)
    assert (said.codes, said.runs) == ({"base.nothing_to_judge"}, 0)


# --- interpreters, configurations, progress


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("/bin/true", "a program that is no Python 3", id="another_program"),
        pytest.param(".", "a folder", id="folder"),
        pytest.param("./README.md", "a file that cannot be run", id="file"),
        pytest.param("python9", "no file", id="nothing"),
    ],
)
def test_what_is_no_interpreter_is_said(tmp_path: Path, name: str, words: str) -> None:
    said = asked(flaky_shop(tmp_path / "here"), "--python", name)
    assert (said.status, said.undecided, said.runs) == (2, "usage.error", 0)
    assert f"no interpreter here ({words})" in said.err


def test_each_test_is_run_with_the_options_of_its_own_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    second = "sub/tests/test_stock.py::test_total"
    text = flake(folder / "second", "ppff").replace("def test_total():", "def test_total(request):")
    text = text.replace(
        "    value =",
        "    assert request.config.getoption('importmode') == 'importlib'\n    value =",
    )
    entry = CATALOG.replace(PROPERTY, "stock.total").replace(TEST_ID, second)
    entry = entry.replace(FIXTURE, "tests/fixtures/stock.json")
    data = '{"lines": [1, 2, 3]}\n'
    story = flaky_shop(
        folder,
        files={
            ".freeze/catalog.toml": f"{CATALOG}\n{entry}",
            ".freeze/fixtures.sha256": lock_line(FIXTURE, data)
            + lock_line("tests/fixtures/stock.json", data + "\n"),
            "tests/fixtures/stock.json": data + "\n",
            "sub/pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
            "sub/tests/test_stock.py": text.replace(
                "pathlib.Path(__file__).parent / 'fixtures' / 'order.json'",
                "pathlib.Path(__file__).parents[2] / 'tests' / 'fixtures' / 'stock.json'",
            ),
        },
    )
    said = witness(story, TEST_ID, second, *terms())
    assert said.verdict == "accepted", said.out
    assert f"run 1 of 4, base of {TEST_ID}: passed" in said.err
    assert f"run 1 of 4, base of {second}: passed" in said.err


# --- one object, whatever happens


def said_json(
    story: Story, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, dict[str, object]]:
    """Run a verb, also one that argparse refuses, and return its status and its object."""
    capsys.readouterr()
    try:
        status, out = story.run(*arguments)
    except SystemExit as stop:
        status, out = int(str(stop.code)), ""
    document = json.loads(out or capsys.readouterr().out)
    assert isinstance(document, dict)
    return status, document


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"init", "install", "demo"}))
@pytest.mark.parametrize("form", [("--format", "json"), ("--format=json",)], ids=["two", "one"])
def test_an_option_that_nobody_knows_is_told_in_json_too(
    verb: str, form: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run_command([verb, *form, "--nobody-knows"], os.environ)
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["verdict"]) == ("freezegate/verdict/v1", "undecided")
    assert document["transitions"][0]["findings"][0]["code"] == "usage.error"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("witness", "--all", "--owner", "ada"), "usage.error", id="mixed"),
        pytest.param(("witness", "--all", "--base", "no"), "repository.bad_revision", id="all"),
        pytest.param(("replay", TEST_ID, "a.py::b"), "usage.error", id="replay_two"),
        pytest.param(("replay", "x"), "test.not_single", id="replay_bad_id"),
        pytest.param(("classify", *P, "--base", "no"), "repository.bad_revision", id="classify"),
        pytest.param(("domain", PROPERTY, "--rev", "no"), "repository.bad_revision", id="domain"),
        pytest.param(("check", "--python", "x"), "usage.error", id="check"),
        pytest.param(("plan", "--rate", "7"), "usage.error", id="plan"),
    ],
)
def test_whatever_is_no_answer_is_told_in_json(
    tmp_path: Path, arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    story = flaky_shop(tmp_path / "here")
    status, document = said_json(story, capsys, *arguments, "--format", "json")
    assert (status, document["schema"], document["verdict"]) == (
        2,
        "freezegate/verdict/v1",
        "undecided",
    )
    assert code in json.dumps(document)


def test_replay_takes_one_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flaky_shop(tmp_path / "here").run("replay", TEST_ID, "a.py::b")[0] == 2
    said = capsys.readouterr().err
    assert "2 tests are named, and replay takes one" in said
    assert f"freezegate replay {TEST_ID} && freezegate replay a.py::b" in said
