"""`freezegate witness --all`: every catalogued property on one patch."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from freezegate.cli.verbs import run_command
from freezegate.resources import read_shipped
from tests.git.witnessing import READ, asked, flaky_shop, leftovers
from tests.support import CATALOG, FIXTURE, ORACLE, PROPERTY, Story, lock_line, standing_in

SECOND = "order_lines.counted"
OTHER_FIXTURE = "tests/fixtures/other.json"
ENTRY = f"""
[property."{SECOND}"]
statement = "Lines are counted."
oracle = "{ORACLE}"
property_test = "{ORACLE}::test_total_is_never_negative"
test = "tests/test_lines.py::test_lines"
fixtures = ["{OTHER_FIXTURE}"]
"""
HOLDS = "    assert json.loads((ORDER.parent / 'other.json').read_text()) == {}\n"


@dataclass(frozen=True)
class Scores:
    """What `--all --format json` said."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The object."""
        return dict(json.loads(self.out))

    @property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """The properties by their ids."""
        return {each["property_id"]: each for each in self.document["properties"]}


def score(story: Story, *arguments: str) -> Scores:
    """Ask `freezegate witness --all --format json`."""
    return said(story, "--all", "--format", "json", *arguments)


def said(story: Story, *arguments: str) -> Scores:
    """Ask `freezegate witness`."""
    out, err = io.StringIO(), io.StringIO()
    with (
        standing_in(story.root, story.environ),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = run_command(["witness", *arguments], os.environ)
    return described(Scores(status, out.getvalue(), err.getvalue()))


def described(scores: Scores) -> Scores:
    """Hold every object that is printed against the schema that describes it."""
    if scores.out.startswith("{"):
        kind = "scores" if "properties" in scores.document else "verdict"
        schema = json.loads(read_shipped("policy/schema", f"{kind}.schema.json"))
        jsonschema.Draft202012Validator(schema).validate(scores.document)
    return scores


def two_properties(
    folder: Path, pattern: str = "ppff", body: str = HOLDS, head: str = "", entry: str = ENTRY
) -> Story:
    """A shop with a second property, whose test has this body."""
    files = {
        OTHER_FIXTURE: "{}\n",
        "tests/test_lines.py": head + READ + "def test_lines():\n" + body,
        ".freeze/catalog.toml": CATALOG + entry,
        ".freeze/fixtures.sha256": lock_line(FIXTURE, '{"lines": [1, 2, 3]}\n')
        + lock_line(OTHER_FIXTURE, "{}\n"),
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\n",
    }
    return flaky_shop(folder, pattern, files=files)


def test_every_property_has_its_row_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    story = two_properties(tmp_path / "here")
    scores = score(story, "--output", "../scores.json")
    assert scores.status == 0, scores.err
    assert scores.document["schema"] == "freezegate/scores/v1"
    assert scores.document["base"] == {
        "rev": story.rev("origin/main"),
        "from": "refs/remotes/origin/main",
    }
    assert scores.document["candidate"] == {"rev": story.rev("HEAD")}
    flaky, steady = scores.by_id[PROPERTY], scores.by_id[SECOND]
    assert (flaky["class"], flaky["status"]) == ("env_unstable", "freeze_candidate")
    assert flaky["base_runs"] == flaky["candidate_runs"] == ["pass", "fail"]
    assert len(flaky["fail_signatures"]) == 2
    assert (steady["class"], steady["status"]) == ("pass", "merge_ok")
    assert {each["evidence"] for each in (flaky, steady)} == {None}
    assert {each["unobserved"] for each in (flaky, steady)} == {None}
    assert (tmp_path / "here" / "scores.json").read_text() == scores.out
    assert story.git("status", "--porcelain") == ""
    assert leftovers(temporary) == []


def test_a_line_each(tmp_path: Path) -> None:
    story = two_properties(tmp_path / "here", "pfpf")
    ended, text = story.run("witness", "--all")
    assert ended == 1
    first, second, last = (" ".join(line.split()) for line in text.splitlines())
    assert first == (
        f"{PROPERTY} deterministic_miss base 0 of 2 failed candidate 2 of 2 failed block "
        "reject the patch, or repair it"
    )
    assert second == (
        f"{SECOND} pass base 0 of 2 failed candidate 0 of 2 failed merge_ok nothing to do here"
    )
    assert last.startswith("2 properties: 1 block, 1 merge_ok;")


SKIP = "    import pytest\n    pytest.skip('not today')\n"


@pytest.mark.parametrize(
    ("pattern", "body", "status"),
    [
        pytest.param("pppp", SKIP, 1, id="one_unobserved"),
        pytest.param("pfpf", SKIP, 1, id="a_block_outweighs_it"),
        pytest.param("pwpp", HOLDS, 1, id="drift"),
        pytest.param("pppp", HOLDS, 0, id="all_hold"),
    ],
)
def test_the_exit_status(tmp_path: Path, pattern: str, body: str, status: int) -> None:
    scores = score(two_properties(tmp_path / "here", pattern, body))
    assert scores.status == status, scores.out
    if body == SKIP:
        assert scores.by_id[SECOND]["unobserved"] == {
            "word": "skipped",
            "got": "Skipped: not today",
        }
        assert scores.by_id[SECOND]["reason"] == "unresolved"


def test_a_fixture_that_is_gone_blocks_without_a_run(tmp_path: Path) -> None:
    story = two_properties(tmp_path / "here")
    (story.root / OTHER_FIXTURE).unlink()
    story.commit("lose a fixture")
    scores = score(story)
    gone = scores.by_id[SECOND]
    assert (scores.status, gone["class"], gone["reason"]) == (1, None, "missing_fixture")
    assert gone["base_runs"] == gone["candidate_runs"] == []
    assert scores.by_id[PROPERTY]["class"] == "env_unstable"


def test_an_empty_catalogue_has_nothing_to_score(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", files={".freeze/catalog.toml": ""})
    scores = score(story)
    assert (scores.status, scores.document["properties"]) == (0, [])
    assert "no property" in story.run("witness", "--all")[1]


# --- --changed

THROUGH = "from shop import prices\n"


def touch(*paths: str) -> Sequence[str]:
    """Name the files that a patch changes."""
    return paths


@pytest.mark.parametrize(
    ("head", "paths", "kept"),
    [
        pytest.param("", touch("README.md"), [], id="nothing"),
        pytest.param("", touch("src/shop/order.py"), [], id="subject_not_imported"),
        pytest.param("", touch("tests/test_lines.py"), [SECOND], id="the_test"),
        pytest.param("", touch(OTHER_FIXTURE), [SECOND], id="the_fixture"),
        pytest.param("", touch(ORACLE), [PROPERTY, SECOND], id="the_oracle"),
        pytest.param("", touch("conftest.py"), [PROPERTY, SECOND], id="a_conftest_comes_in"),
        pytest.param("", touch("pyproject.toml"), [PROPERTY, SECOND], id="configuration"),
        pytest.param(THROUGH, touch("src/shop/prices.py"), [SECOND], id="subject_imported"),
        pytest.param(THROUGH, touch("src/shop/tables.py"), [SECOND], id="through_the_subject"),
    ],
)
def test_changed_keeps_what_the_patch_reaches(
    tmp_path: Path, head: str, paths: Sequence[str], kept: list[str]
) -> None:
    story = two_properties(tmp_path / "here", "pppp", head=head)
    story.on("main").write("src/shop/prices.py", "from shop import tables\n")
    story.write("src/shop/tables.py", "PRICE = 1\n").commit("prices")
    story.git("push", "-q", "origin", "main")
    story.branch("other", "main")
    for path in paths:
        text = story.read(path) if (story.root / path).exists() else b""
        more = b"\naddopts = '--strict-markers'\n" if path == "pyproject.toml" else b"\n"
        story.write(path, text + more)
    story.commit("a patch")
    scores = score(story, "--changed")
    assert [*scores.by_id] == kept, scores.out
    if not kept:
        assert (scores.status, "run 1" in scores.err) == (0, False)
        assert "no property that the patch reaches" in story.run("witness", "--all", "--changed")[1]


# --- --record


def test_record_writes_classified_lines_that_the_gate_accepts(tmp_path: Path) -> None:
    story = two_properties(tmp_path / "here")
    scores = score(story, "--record")
    assert scores.status == 0, scores.err
    lines = [json.loads(line) for line in story.read(".freeze/ledger.jsonl").splitlines()]
    assert [(li["event"], li["property_id"], li["class"]) for li in lines] == [
        ("classified", PROPERTY, "env_unstable"),
        ("classified", SECOND, "pass"),
    ]
    for each in scores.by_id.values():
        assert (story.root / each["evidence"]).is_file()
    assert not (story.root / ".freeze" / "record.json").exists()
    story.commit("scores")
    assert story.check().verdict == "accepted"
    again = score(story, "--record", "--refresh")
    assert again.status == 0, again.err
    assert len(story.read(".freeze/ledger.jsonl").splitlines()) == 2


def test_record_says_what_it_wrote(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    _, text = story.run("witness", "--all", "--record")
    assert "wrote .freeze/ledger.jsonl\n" in text
    assert "next: git add ':/.freeze' && git commit\n" in text


def test_record_leaves_out_what_was_not_whole(tmp_path: Path) -> None:
    story = two_properties(tmp_path / "here", "pppp", SKIP)
    scores = score(story, "--record")
    assert scores.status == 1
    assert scores.by_id[SECOND]["evidence"] is None
    (line,) = story.read(".freeze/ledger.jsonl").splitlines()
    assert json.loads(line)["property_id"] == PROPERTY
    assert len(list((story.root / ".freeze" / "snapshots").iterdir())) == 1


def test_record_writes_nothing_that_the_gate_refuses(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write(".freeze/stranger", "x\n").commit("a stranger")
    scores = score(story, "--record")
    assert (scores.status, scores.document["verdict"]) == (1, "refused")
    assert "path.unexpected" in scores.out
    assert "run 1 of" not in scores.err
    assert story.git("status", "--porcelain") == ""


def test_record_stops_before_the_runs_where_files_are_dirty(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write("README.md", "mine\n")
    scores = score(story, "--record")
    assert (scores.status, scores.document["verdict"]) == (1, "refused")
    assert "repository.dirty" in scores.out
    assert score(story).status == 0, "scores alone are of commits"


def test_refresh_drops_no_request(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Freeze a flaky test")
    scores = score(story, "--record", "--refresh")
    assert scores.status == 2
    assert "--refresh would drop" in scores.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(("--all", "x.py::y"), "does not go with TEST_ID", id="test"),
        pytest.param(("--all", "--property", "a.b"), "go with --property", id="property"),
        pytest.param(("--all", "--owner", "ada"), "go with --owner", id="owner"),
        pytest.param(("--all", "--mark"), "go with --mark", id="mark"),
        pytest.param(("--all", "--refresh"), "expected --record", id="refresh"),
        pytest.param(("--changed",), "--changed goes with --all", id="changed"),
        pytest.param(("--output", "x"), "--output goes with --all", id="output"),
        pytest.param(("--record", "x.py::y"), "--record goes with --all", id="record"),
        pytest.param(("--all", "--runs", "1"), "may only raise it", id="fewer"),
        pytest.param(("--all", "--python", "/nowhere"), "no interpreter here", id="python"),
    ],
)
def test_a_wrong_word_is_no_answer(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    scores = said(flaky_shop(tmp_path / "here"), *arguments)
    assert (scores.status, scores.out) == (2, "")
    assert words in scores.err


def test_what_could_not_be_observed_blocks_nothing(tmp_path: Path) -> None:
    story = two_properties(tmp_path / "here", "pppp", SKIP)
    scores = score(story)
    assert (scores.status, scores.by_id[SECOND]["status"]) == (1, None)
    status, text = story.run("witness", "--all")
    assert status == 1
    row = next(line for line in text.splitlines() if line.startswith(SECOND))
    assert "base not seen" in row
    assert "  not observed  " in row
    assert "block" not in text
    last = "2 properties: 1 merge_ok, 1 not observed; a number of runs is not a failure rate"
    assert text.splitlines()[-1] == last


@pytest.mark.parametrize("verb", [("witness",), ("classify",), ("replay",)], ids=lambda v: v[0])
@pytest.mark.parametrize(
    ("python", "status"), [(None, 1), ("bare", 2)], ids=["cannot_import", "no_pytest"]
)
def test_one_rule_for_what_could_not_be_observed(
    tmp_path: Path,
    verb: tuple[str, ...],
    python: str | None,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    story = flaky_shop(tmp_path / "here", files={"tests/test_order.py": "import nobody_has_it\n"})
    story.write("tests/test_order.py", "import nobody_has_it\n\n\ndef test_total():\n    pass\n")
    story.commit("import it")
    story.git("push", "-q", "origin", "topic:main")
    story.patch("# more\n")
    options = []
    if python is not None:
        venv.create(tmp_path / python, with_pip=False)
        options = ["--python", str(tmp_path / python / "bin" / "python")]
    ended, out = story.run(*verb, "--property", PROPERTY, *options)
    assert ended == status, out
    if status == 1:
        assert f"these runs are made with {sys.executable}" in out
        assert "--python PATH" in out


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("README.md", "is a file that git tracks", id="tracked"),
        pytest.param(".freeze/scores.json", "is under .freeze/", id="freeze"),
        pytest.param(".git/scores.json", "is in the git directory", id="git"),
        pytest.param("nowhere/scores.json", "in a folder that does not exist", id="no_folder"),
        pytest.param("src", "is a folder", id="folder"),
    ],
)
def test_output_that_must_not_be_is_told_before_the_runs(
    tmp_path: Path, path: str, words: str
) -> None:
    story = flaky_shop(tmp_path / "here")
    scores = said(story, "--all", "--output", path)
    assert (scores.status, scores.out) == (2, "")
    assert words in scores.err
    assert "run 1 of" not in scores.err
    assert story.git("status", "--porcelain") == ""
    lonely = said(story, "--output", path)
    assert f"freezegate witness --all --output {path}" in lonely.err


def test_the_interpreter_is_told_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    story = flaky_shop(tmp_path / "here", files={".gitignore": ".venv/\n"})
    told = score(story).err.splitlines()
    own = "(freezegate's own; --python names another)"
    assert told[0] == f"freezegate: runs are made with {sys.executable} {own}"
    venv.create(story.root / ".venv", with_pip=False)
    python = story.root / ".venv" / "bin" / "python"
    assert f"{python} (the repository's .venv)" in score(story).err
    story.git("add", "-f", ".venv/bin")
    story.commit("run mine")
    assert told[0] in score(story).err
