"""`freezegate witness`, with real git, real pytest and tests that really waver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from freezegate.formats.evidence import parse_evidence
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.digests import Blake3
from tests.git.turns import taken
from tests.git.witnessing import (
    ORACLE_TEXT,
    asked,
    flake,
    flaky_shop,
    last_day,
    leftovers,
    terms,
    turns_of,
    witness,
)
from tests.support import FIXTURE, ORACLE, PROPERTY, TEST_ID, Story, git_environment, lock_line

LEDGER = ".freeze/ledger.jsonl"
RECORD = ".freeze/record.json"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for all temporary files, looked at in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


# --- the whole way


def test_a_flake_is_witnessed_committed_checked_and_pushed(tmp_path: Path, temporary: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = asked(story)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    assert said.window["runs"] == {"base": ["pass", "fail"], "candidate": ["pass", "fail"]}
    assert said.window["class"] == "env_unstable"
    assert said.runs == 4
    assert leftovers(temporary) == []
    story.commit("Freeze a flaky test")
    answer = story.check()
    assert (answer.status, answer.verdict) == (0, "accepted"), answer.output
    assert not answer.codes, answer.output
    (evidence,) = (story.root / ".freeze" / "evidence").iterdir()
    read = {each.path for each in parse_evidence(evidence.read_bytes()).reads}
    assert {FIXTURE, "src/shop/order.py"} & read == {FIXTURE}
    assert not read & {"tests/test_order.py", ".freeze/policy.toml"}


def test_nothing_is_left_to_be_written_twice(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = asked(story)
    assert sorted(said.document["written"]) == story.git(
        "ls-files", "--others", "--exclude-standard"
    ).split("\n")
    assert story.git("status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.parametrize(
    ("pattern", "variance", "status", "reason", "code"),
    [
        pytest.param("pppp", "pass", "merge_ok", "property_holds", "runs.no_disagreement"),
        pytest.param(
            "pfpf", "deterministic_miss", "block", "stable_violation", "runs.no_disagreement"
        ),
        pytest.param(
            "pppf", "seed_unstable", "block", "seed_unstable", "runs.no_base_disagreement"
        ),
        pytest.param("fppp", "unresolved", "block", "unresolved", "runs.no_disagreement"),
        pytest.param("ffff", "unresolved", "block", "unresolved", "runs.no_disagreement"),
        pytest.param(
            "ppfk", "env_unstable", "block", "divergent_signatures", "runs.divergent_signatures"
        ),
    ],
)
def test_other_classes_are_refused_with_their_words(
    tmp_path: Path, pattern: str, variance: str, status: str, reason: str, code: str
) -> None:
    story = flaky_shop(tmp_path / "here", pattern)
    said = asked(story)
    window = said.window
    assert (said.status, said.verdict) == (1, "refused")
    assert (window["class"], window["status"], window["reason"]) == (variance, status, reason)
    assert said.codes == {code}
    assert story.git("status", "--porcelain") == ""
    (kept,) = said.document["kept"]
    document = json.loads(Path(kept["path"]).read_text())
    assert (document["class"], document["reason"]) == (variance, reason)
    assert Path(kept["path"]).parent == story.root / ".git" / "freezegate" / "windows"


@pytest.mark.parametrize(
    ("pattern", "runs", "word", "code"),
    [
        pytest.param("ppsf", 3, "skipped", "evidence.incomplete", id="skips"),
        pytest.param("pwff", 2, "fixture_drift", "runs.fixture_drift", id="rewrites_its_fixture"),
    ],
)
def test_an_incomplete_window_stops_where_it_broke(
    tmp_path: Path, pattern: str, runs: int, word: str, code: str
) -> None:
    story = flaky_shop(tmp_path / "here", pattern)
    said = asked(story)
    assert (said.status, said.codes) == (1, {code})
    assert said.window["stopped"]["word"] == word
    assert said.runs == runs
    assert story.git("status", "--porcelain") == ""


def test_the_text_counts_honestly(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", "ppfpff", runs=3)
    status, text = story.run("witness", TEST_ID, *terms())
    assert status == 0
    assert "  base:      pass fail fail\n  candidate: pass pass fail\n" in text
    assert "3 of 6 runs failed; this is not a failure rate" in text
    assert "class:     env_unstable: freeze_candidate / intermittent_on_stable_digest" in text
    assert "freezegate: accepted refs/heads/topic" in text
    assert "next: git add ':/.freeze' && git commit" in text


def test_only_the_last_twenty_refused_windows_are_kept(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", "pppp")
    folder = story.root / ".git" / "freezegate" / "windows"
    folder.mkdir(parents=True)
    for number in range(25):
        (folder / f"20200101T0000{number:02}.000000Z.json").write_text("{}")
    (kept,) = asked(story).document["kept"]
    assert len(list(folder.iterdir())) == 20
    assert Path(kept["path"]).is_file()


def test_more_runs_do_not_help_where_failures_differ(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", "ppfk")
    assert asked(story).codes == {"runs.divergent_signatures"}
    said = asked(story, "--runs", "3")
    assert (said.status, said.runs) == (2, 0)
    assert "more runs will not help" in said.err


# --- without owner and end


def test_without_owner_and_end_a_classified_line_is_written(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, "--property", PROPERTY)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    (line,) = map(json.loads, story.read(LEDGER).splitlines())
    assert (line["event"], line["status"]) == ("classified", "freeze_candidate")
    assert line["freeze_eligible"] is True
    assert not (story.root / RECORD).exists()
    story.commit("Evidence alone")
    assert story.check().verdict == "accepted"


def test_the_text_says_where_a_freeze_is_opened(tmp_path: Path) -> None:
    _, text = flaky_shop(tmp_path / "here").run("witness", "--property", PROPERTY)
    assert "freezegate freeze --owner NAME" in text


# --- markers and fresh evidence


def test_a_marker_is_part_of_the_patch_that_is_witnessed(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = asked(story, "--mark")
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    marker = f'@pytest.mark.skip(reason="freezegate: {PROPERTY}")\ndef test_total():'
    assert marker in story.read("tests/test_order.py").decode()
    story.commit("Freeze a flaky test")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_fresh_evidence_after_another_commit(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    asked(story, "--mark")
    story.commit("Freeze a flaky test")
    before = story.read(LEDGER)
    story.patch("# and smaller\n")
    assert "evidence.stale_patch" in story.check().errors
    said = witness(story, "--refresh")
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    after = story.read(LEDGER)
    assert after.count(b"\n") == before.count(b"\n") == 1
    assert len(list((story.root / ".freeze" / "evidence").iterdir())) == 1
    old, new = json.loads(before), json.loads(after)
    for key in ("test_id", "fixture_path", "oracle_path", "property_id", "owner", "expires_on"):
        assert old[key] == new[key]
    assert old["patch_digest"] != new["patch_digest"]
    story.commit("Fresh evidence")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_fresh_evidence_in_place_of_what_was_not_committed(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    asked(story)
    again = asked(story)
    assert (again.status, again.codes, again.runs) == (1, {"repository.dirty"}, 0)
    assert "--refresh" in again.finding["remedy"]
    assert witness(story, "--refresh").verdict == "accepted"
    assert len(list((story.root / ".freeze" / "evidence").iterdir())) == 1
    assert story.read(LEDGER).count(b"\n") == 1
    story.commit("Freeze a flaky test")
    assert story.check().verdict == "accepted"


def test_a_classified_line_becomes_a_request(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    witness(story, "--property", PROPERTY)
    story.commit("Evidence alone")
    said = witness(story, "--refresh", *terms())
    assert said.verdict == "accepted", said.out
    assert json.loads(story.read(LEDGER))["event"] == "frozen"
    story.commit("Ask")
    assert story.check().verdict == "accepted"


# --- what is refused before the first run


def dirty(story: Story) -> None:
    """Change a tracked file without committing it."""
    story.write("README.md", "# another\n")


def staged(story: Story) -> None:
    """Stage a file that is in no commit."""
    story.write("src/shop/new.py", "")
    story.git("add", "src/shop/new.py")


def edits_the_oracle(story: Story) -> None:
    """Let the patch write its own witness."""
    story.write(ORACLE, "def test_total_is_never_negative():\n    pass\n").commit("launder")


def edits_the_fixture(story: Story) -> None:
    """Let the patch change the bytes."""
    story.write(FIXTURE, '{"lines": [6]}\n').commit("other bytes")


def edits_the_domain(story: Story) -> None:
    """Let the patch bring a conftest."""
    story.write("tests/conftest.py", "").commit("a conftest")


def edits_the_test(story: Story) -> None:
    """Let the patch weaken the test."""
    text = story.read("tests/test_order.py").replace(b"assert value == 6", b"assert value")
    story.write("tests/test_order.py", text).commit("weaker")


def edits_the_policy(story: Story) -> None:
    """Let the patch change its judge."""
    text = story.read(".freeze/policy.toml") + b"\n[freeze]\nmax_active = 9\n"
    story.write(".freeze/policy.toml", text).commit("a kinder judge")


def unlocks(story: Story) -> None:
    """Take the fixture out of the target's lock."""
    story.on("main").write(".freeze/fixtures.sha256", "").commit("unlock")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")


def protects(story: Story) -> None:
    """Protect the subject on the target."""
    text = story.read(".freeze/policy.toml") + b'\n[protected]\npaths = ["src/shop/**"]\n'
    story.on("main").write(".freeze/policy.toml", text).commit("protect")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")


def nothing(_story: Story) -> None:
    """Change nothing."""


P = ("--property", PROPERTY)
FAR, PAST = last_day(400), last_day(-1)


@pytest.mark.parametrize(
    ("spoil", "arguments", "code"),
    [
        pytest.param(dirty, (*P, *terms()), "repository.dirty", id="dirty"),
        pytest.param(staged, (*P, *terms()), "repository.dirty", id="staged"),
        pytest.param(edits_the_oracle, (*P, *terms()), "oracle.changed", id="oracle"),
        pytest.param(edits_the_fixture, (*P, *terms()), "fixture.changed_in_patch", id="fixture"),
        pytest.param(edits_the_domain, (*P, *terms()), "domain.config_changed", id="domain"),
        pytest.param(edits_the_test, (*P, *terms()), "test.changed_in_patch", id="test"),
        pytest.param(edits_the_policy, (*P, *terms()), "judge.changed_with_freeze", id="policy"),
        pytest.param(unlocks, (*P, *terms()), "fixture.not_locked", id="not_locked"),
        pytest.param(protects, (*P, *terms()), "area.protected", id="protected"),
        pytest.param(nothing, (*P, "--owner", "ada"), "budget.expiry_missing", id="no_end"),
        pytest.param(nothing, (*P, "--expires-on", FAR), "budget.owner_missing", id="no_owner"),
        pytest.param(
            nothing, (*P, "--owner", "todo", "--expires-on", FAR), "budget.owner_missing", id="todo"
        ),
        pytest.param(
            nothing, (*P, "--owner", "a", "--expires-on", FAR), "budget.expiry_too_far", id="far"
        ),
        pytest.param(
            nothing, (*P, "--owner", "a", "--expires-on", PAST), "freeze.expired", id="past"
        ),
        pytest.param(nothing, ("@x::y", *P), "test.bad_id", id="bad_id"),
        pytest.param(nothing, ("tests/test_order.py", *P), "test.not_single", id="a_file"),
        pytest.param(nothing, (*P, "--fixture", "../x", *terms()), "path.dotdot", id="outside"),
        pytest.param(
            nothing,
            (TEST_ID, "--property", "un.known", "--fixture", FIXTURE, "--oracle", ORACLE, *terms()),
            "budget.id_not_catalogued",
            id="not_catalogued",
        ),
        pytest.param(
            nothing,
            (*P, "--fixture", "README.md", *terms()),
            "record.contradicts_catalog",
            id="unguarded",
        ),
        pytest.param(
            nothing, (*P, "--oracle", "tests/no.py", *terms()), "oracle.missing_at_base", id="none"
        ),
        pytest.param(edits_the_oracle, P, "oracle.changed", id="oracle_without_terms"),
    ],
)
def test_what_no_run_could_change_is_refused_before_the_first(
    tmp_path: Path, spoil: Callable[[Story], None], arguments: tuple[str, ...], code: str
) -> None:
    story = flaky_shop(tmp_path / "here")
    spoil(story)
    before = story.git("status", "--porcelain")
    said = witness(story, *arguments)
    assert (said.status, said.verdict) == (1, "refused"), said.out + said.err
    assert code in said.codes, said.out
    assert said.runs == 0
    assert taken(turns_of(tmp_path / "here")) == 0, "the test ran"
    assert story.git("status", "--porcelain") == before


def test_a_dirty_file_is_named(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    dirty(story)
    assert asked(story).finding["path"] == "README.md"


def test_untracked_files_are_no_dirt(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write("notes.txt", "mine\n")
    assert asked(story).verdict == "accepted"


def test_the_nearest_ids_are_offered(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, "tests/test_order.py::test_totl", *P, *terms())
    assert "test.not_found_at_base" in said.codes
    assert any(
        f["remedy"].startswith(f"name one of them: {TEST_ID}; by the catalogue: ")
        for f in said.document["verdict"]["transitions"][0]["findings"]
    ), said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param((), "no test is named", id="nothing"),
        pytest.param(
            ("--property", "order_total.non_negativ"), f"did you mean {PROPERTY}", id="near"
        ),
        pytest.param((*P, "--runs", "1"), "it may only raise it", id="fewer"),
        pytest.param((*P, "--runs", "51"), "max_runs", id="too_many"),
        pytest.param((*P, "--expires-on", "tomorrow"), f"--expires-on {last_day(14)}", id="no_day"),
        pytest.param((*P, "--python", "/nowhere/python"), "no interpreter here", id="no_python"),
    ],
)
def test_a_wrong_word_is_no_answer(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    plain = flake(tmp_path / "turns", "p") + "\n\ndef test_plain():\n    pass\n"
    said = witness(flaky_shop(tmp_path / "here", files={"tests/test_order.py": plain}), *arguments)
    assert (said.status, said.undecided, said.runs) == (2, "usage.error", 0)
    assert words in said.err


def test_an_interpreter_without_pytest_is_no_answer(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    said = asked(flaky_shop(tmp_path / "here"), "--python", str(bare / "bin" / "python"))
    assert (said.status, said.undecided) == (2, "usage.error")
    python = str(bare / "bin" / "python")
    assert f"the interpreter {python!r} has no pytest" in said.err
    assert f"{python} -m pip install pytest" in said.err


def test_an_unknown_base_is_no_answer(tmp_path: Path) -> None:
    said = asked(flaky_shop(tmp_path / "here"), "--base", "nowhere")
    assert (said.status, said.verdict) == (2, "undecided")


# --- what is refused after the runs


def test_a_fixture_that_nobody_reads(tmp_path: Path) -> None:
    other = "tests/fixtures/other.json"
    story = flaky_shop(tmp_path / "here")
    story.on("main").write(other, "{}\n")
    story.write(
        ".freeze/fixtures.sha256",
        lock_line(FIXTURE, story.read(FIXTURE)) + lock_line(other, "{}\n"),
    )
    text = (
        story.read(".freeze/catalog.toml")
        .decode()
        .replace(f'["{FIXTURE}"]', f'["{FIXTURE}", "{other}"]')
    )
    story.write(".freeze/catalog.toml", text).commit("another fixture")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    said = asked(story, "--fixture", other)
    assert (said.status, said.codes) == (1, {"fixture.not_read"})
    assert story.git("status", "--porcelain") == ""


READS_EXTRA = """\
import pathlib

import pytest

EXTRA = pathlib.Path(__file__).parent / 'extra.json'


@pytest.fixture(autouse=True)
def extra():
    return EXTRA.read_text() if EXTRA.exists() else None
"""


@pytest.mark.parametrize("before", [None, "1\n"], ids=["added", "changed"])
def test_a_file_of_the_patch_that_the_candidate_reads(tmp_path: Path, before: str | None) -> None:
    files = {"tests/conftest.py": READS_EXTRA} | ({"tests/extra.json": before} if before else {})
    story = flaky_shop(tmp_path / "here", files=files)
    story.write("tests/extra.json", "2\n").commit("a file on which the test depends")
    said = asked(story)
    assert (said.status, said.codes) == (1, {"fixture.undeclared"}), said.out
    assert said.finding["got"] == "tests/extra.json, which the runs read, is in the patch"
    assert said.finding["remedy"] == "Declare the file as a fixture of the property."
    assert said.runs == 4


OWN_TESTS = [
    pytest.param("def test_another():\n    pass\n", id="it_is_not_there"),
    pytest.param(
        "import pytest\n\n\n@pytest.mark.parametrize('n', [])\n"
        "def test_total_is_never_negative(n):\n    pass\n\n\ndef test_another():\n    pass\n",
        id="no_parameters",
    ),
    pytest.param(
        "class TestIt:\n    def test_total_is_never_negative(self):\n        pass\n",
        id="of_a_class",
    ),
]


@pytest.mark.parametrize("oracle", OWN_TESTS)
def test_an_oracle_whose_own_property_test_does_not_pass(tmp_path: Path, oracle: str) -> None:
    story = flaky_shop(tmp_path / "here", files={ORACLE: oracle})
    said = asked(story)
    assert (said.status, said.codes) == (1, {"oracle.failed_on_snapshot"}), said.out
    assert f"{ORACLE}::test_total_is_never_negative" in said.finding["got"]


def test_a_property_test_with_parameters_passes_by_one_of_them(tmp_path: Path) -> None:
    text = (
        "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_total_is_never_negative(n):\n    assert n\n"
    )
    assert asked(flaky_shop(tmp_path / "here", files={ORACLE: text})).verdict == "accepted"


def test_a_window_that_cannot_be_kept_hides_no_verdict(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", "pfff")
    (story.root / ".git" / "freezegate").mkdir()
    windows = story.root / ".git" / "freezegate" / "windows"
    windows.write_text("no folder")
    said = asked(story)
    assert (said.status, said.verdict) == (1, "refused")
    assert said.document["kept"] == []
    assert f"warning: the window could not be kept in {windows}" in said.err


def test_a_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    notes = story.root / ".git" / "freezegate"
    notes.write_text("no folder")
    said = asked(story)
    assert said.status == 2
    assert f"{notes}/witness.lock cannot be opened" in said.err


def test_an_oracle_that_fails_on_the_snapshot(tmp_path: Path) -> None:
    story = flaky_shop(
        tmp_path / "here", files={ORACLE: "def test_total_is_never_negative():\n    assert not 1\n"}
    )
    said = asked(story)
    assert (said.status, said.codes) == (1, {"oracle.failed_on_snapshot"})


def test_a_run_that_starts_another_process_is_told(tmp_path: Path) -> None:
    oracle = f"import subprocess\nsubprocess.run(['true'])\n\n\n{ORACLE_TEXT}"
    story = flaky_shop(tmp_path / "here", files={ORACLE: oracle})
    text = story.on("main").read("tests/test_order.py").decode()
    text = text.replace("import json\n", "import json\nimport subprocess\n", 1)
    story.write(
        "tests/test_order.py",
        text.replace("    value =", "    subprocess.run(['true'])\n    value ="),
    )
    story.commit("a process")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    said = asked(story)
    assert said.verdict == "accepted", said.out
    assert said.finding["code"] == "runs.not_isolated"


# --- interrupted, and several at once


def start_witness(story: Story, temporary: Path) -> subprocess.Popen[str]:
    """Start the verb in a process of its own and wait until its first run is under way."""
    command = [sys.executable, "-I", "-m", "freezegate", "witness", *P, *terms()]
    environ = git_environment() | {"TMPDIR": str(temporary)}
    return subprocess.Popen(
        command,
        cwd=story.root,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(condition: Callable[[], bool], patience_s: float = 30) -> None:
    """Wait until something is so."""
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_witness_leaves_nothing(
    tmp_path: Path, temporary: Path, number: signal.Signals
) -> None:
    story = flaky_shop(tmp_path / "here", "z")
    process = start_witness(story, temporary)
    wait_for(lambda: taken(turns_of(tmp_path / "here")) == 1)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "interrupted" in err
    assert "Traceback" not in err
    assert leftovers(temporary) == []
    assert story.git("status", "--porcelain") == ""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            assert os.fsencode(temporary) not in environ.read_bytes(), "a run is left"
        except OSError:
            continue


def test_the_next_witness_removes_what_a_killed_one_left(tmp_path: Path, temporary: Path) -> None:
    story = flaky_shop(tmp_path / "here", "zppff")
    process = start_witness(story, temporary)
    wait_for(lambda: taken(turns_of(tmp_path / "here")) == 1)
    process.kill()
    process.communicate(timeout=20)
    assert len(leftovers(temporary)) == 1
    assert asked(story).verdict == "accepted"
    assert leftovers(temporary) == []


def test_a_second_witness_says_who_holds_the_lock_and_waits(
    tmp_path: Path, temporary: Path
) -> None:
    story = flaky_shop(tmp_path / "here", "z")
    first = start_witness(story, temporary)
    wait_for(lambda: taken(turns_of(tmp_path / "here")) == 1)
    second = start_witness(story, temporary)
    assert second.stderr is not None
    assert f"process {first.pid} witnesses in this repository" in second.stderr.readline()
    for process in (second, first):
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert leftovers(temporary) == []


# --- evidence edited by hand


def tamper(story: Story, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit the evidence, name it anew, and let record and line name it so."""
    (path,) = (story.root / ".freeze" / "evidence").iterdir()
    document = json.loads(path.read_bytes())
    change(document)
    data = dump_canonical(document) + b"\n"
    old, new = f"blake3:{path.stem}", Blake3.of(data)
    path.unlink()
    story.write(f".freeze/evidence/{new.hex}.json", data)
    for name in (LEDGER, RECORD):
        story.write(name, story.read(name).replace(old.encode(), new.encode()))


def put(*place: Any) -> Callable[[dict[str, Any]], object]:
    """Put a value, the last argument, at a place."""

    def change(document: dict[str, Any]) -> None:
        *way, key, value = place
        target: Any = document
        for step in way:
            target = target[step]
        target[key] = value

    return change


def third_failed(document: dict[str, Any]) -> None:
    """Let a run that passed have failed."""
    run, failed = document["runs"][0], document["runs"][2]
    run.update(passed=False, exit_status=1, signature=failed["signature"])


OTHER = "0" * 64
TAMPERED = (
    ("test_id", put("test_id", "tests/test_order.py::test_other"), "evidence.mismatch"),
    ("property_id", put("property_id", "another.one"), "evidence.mismatch"),
    ("fixture_path", put("fixture_path", "tests/fixtures/b.json"), "evidence.mismatch"),
    ("fixture_sha256", put("fixture_sha256", OTHER), "evidence.mismatch"),
    ("oracle_path", put("oracle_path", "tests/properties/b.py"), "evidence.mismatch"),
    ("oracle_blob", put("oracle_blob", OTHER[:40]), "evidence.mismatch"),
    ("base_rev", put("base_rev", OTHER[:40]), "evidence.mismatch"),
    ("candidate_rev", put("candidate_rev", None), "evidence.mismatch"),
    ("patch_digest", put("patch_digest", f"blake3:{OTHER}"), "evidence.mismatch"),
    ("domain_digest", put("domain_digest", f"blake3:{OTHER}"), "evidence.mismatch"),
    ("domain", put("domain", []), "evidence.mismatch"),
    ("domain_blob", put("domain", 0, "blob", OTHER[:40]), "evidence.mismatch"),
    ("no_reads", put("reads", []), "fixture.not_read"),
    ("stale_read", put("reads", 0, "blob", OTHER[:40]), "evidence.stale_base"),
    ("fewer_planned", put("plan", "runs_per_side", 5), "evidence.incomplete"),
    ("planned_later", put("plan", "planned_at", "2090-01-01T00:00:00.000Z"), "evidence.mismatch"),
    ("seed", put("plan", "hypothesis_seed", 5), "evidence.mismatch"),
    ("a_run_gone", lambda d: d["runs"].pop(), "evidence.incomplete"),
    ("a_gap", lambda d: d["runs"].pop(1), "runs.counter_gap"),
    ("swapped", lambda d: d["runs"].reverse(), "evidence.mismatch"),
    ("run_index", put("runs", 1, "index", 0), "runs.same_run"),
    ("run_side", put("runs", 1, "side", "base"), "runs.not_isolated"),
    ("started_at", put("runs", 1, "started_at", "2020-01-01T00:00:00.000Z"), "runs.not_isolated"),
    ("duration", put("runs", 0, "duration_ms", 9_000_000), "runs.not_isolated"),
    ("passed", third_failed, "evidence.mismatch"),
    ("flag", put("runs", 0, "passed", False), "runs.flag_contradicts_exit"),
    ("exit_status", put("runs", 0, "exit_status", 5), "runs.exit_not_0_or_1"),
    ("collected", put("runs", 0, "collected", 2), "test.not_single"),
    ("none_collected", put("runs", 0, "collected", 0), "runs.outcome_not_executed"),
    ("signature", put("runs", 2, "signature", "another"), "evidence.mismatch"),
    ("drift", put("runs", 2, "sha256_after", OTHER), "runs.fixture_drift"),
    ("oracle_failed", put("oracle_run", "failed", 1), "oracle.failed_on_snapshot"),
    ("oracle_not_asked", lambda page: page.update(oracle_run=None), "evidence.incomplete"),
    ("oracle_silent", put("oracle_run", "passed", 0), "oracle.failed_on_snapshot"),
    ("a_long_run", put("runs", 3, "duration_ms", 900_000_000), "evidence.mismatch"),
    (
        "a_run_to_come",
        put("runs", 3, "started_at", "2090-01-01T00:00:00.000Z"),
        "evidence.mismatch",
    ),
    ("timeout", put("plan", "timeout_s", 86_400), "evidence.mismatch"),
    ("plugins", put("environment", "plugins", ["rerunfailures"]), "evidence.mismatch"),
    ("isolation", put("environment", "isolation", "none"), "evidence.mismatch"),
    ("own_oracle_counts", put("oracle_run", "independent", False), "evidence.mismatch"),
    ("a_read_of_the_patch", put("candidate_reads", [".freeze/record.json"]), "fixture.undeclared"),
    ("a_candidate_read_twice", put("candidate_reads", ["a", "a"]), "evidence.mismatch"),
    ("a_read_twice", lambda d: d["reads"].append(d["reads"][0]), "evidence.mismatch"),
    ("reads_order", put("candidate_reads", ["b", "a"]), "evidence.mismatch"),
    ("domain_order", lambda d: d["domain"].reverse(), "evidence.mismatch"),
    ("unknown_key", put("note", "trust me"), "record.unknown_key"),
)


@pytest.fixture(scope="module")
def witnessed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A shop with an accepted request, committed."""
    story = flaky_shop(tmp_path_factory.mktemp("witnessed") / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Freeze a flaky test")
    return story


@pytest.mark.parametrize(
    ("change", "code"), [pytest.param(change, code, id=name) for name, change, code in TAMPERED]
)
def test_edited_evidence_is_refused(
    witnessed: Story, change: Callable[[dict[str, Any]], object], code: str
) -> None:
    witnessed.git("checkout", "-q", "--detach", "topic")
    tamper(witnessed, change)
    witnessed.commit("edited", "--amend")
    answer = witnessed.check("--base", "main")
    assert answer.verdict == "refused", answer.output
    assert code in answer.errors, answer.output


def test_untouched_evidence_would_pass(witnessed: Story) -> None:
    witnessed.git("checkout", "-q", "--detach", "topic")
    tamper(witnessed, lambda document: document)
    witnessed.git("commit", "-q", "--allow-empty", "--amend", "-m", "the same")
    assert witnessed.check("--base", "main").verdict == "accepted"


def test_edited_evidence_under_its_old_name(witnessed: Story) -> None:
    witnessed.git("checkout", "-q", "--detach", "topic")
    (path,) = (witnessed.root / ".freeze" / "evidence").iterdir()
    path.write_bytes(path.read_bytes().replace(b'"passed":1', b'"passed":9'))
    witnessed.commit("edited", "--amend")
    assert {"digest.mismatch", "evidence.mismatch"} <= witnessed.check("--base", "main").errors
