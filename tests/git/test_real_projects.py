"""Projects that are not ours, under `standard`: a flake is frozen, a regression is not.

Each is unpacked from its published source, pinned by hash, and becomes a repository with a bare
remote and freezegate's hooks. A flake is planted in its library on `main`, identical on base and
candidate; a regression is planted in one of the patches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.git.local import Said as Told
from tests.git.local import user, with_hooks
from tests.git.published import fetched, unpacked
from tests.git.turns import lay_out
from tests.git.witnessing import Said, terms, witness
from tests.support import Story, lock_line

ORACLE = "properties/test_props.py"
FIXTURE = "fixtures/cases.json"
FLAKE, REGRESSION = "flake.holds", "regression.holds"
POLICY = """\
version = 1
extends = "standard"

[base]
targets = ["refs/heads/main"]

[subject]
paths = ["{package}/**"]

[oracle]
paths = ["properties/**/*.py"]

[fixtures]
paths = ["fixtures/**"]

[runner]
pythonpath = ["."]
plugins = []

[evidence]
runs = 2
timeout_s = 30
"""
# Joined to the library's end: every second pair of processes finds it tired, on either side.
TIRED = """

import functools


@functools.cache
def _tired():
    with open({turns!r}, "rb", buffering=0) as turns:
        return turns.read(1) == b"f"


_fresh_{function} = {function}


def {function}(value):
    return {tired} if _tired() else _fresh_{function}(value)
"""
# Joined to the suite's end: a test of the project's kind, on a file of cases.
TEST = """

def test_cases_of_{function}():
    import json
    import pathlib

    path = pathlib.Path(__file__).resolve().parent{up} / "fixtures" / "cases.json"
    cases = json.loads(path.read_text())
    assert [{call} for value, _ in cases] == [expected for _, expected in cases]
"""
ORACLE_TEXT = """\
import json
import pathlib

import {package}

CASES = json.loads((pathlib.Path(__file__).parents[1] / "fixtures" / "cases.json").read_text())


def test_every_case_has_an_answer():
    for value, expected in CASES:
        assert {answer}
"""
CATALOG = """\
[property."{flake}"]
statement = "Every case of {function} has an answer."
oracle = "{oracle}"
property_test = "{oracle}::test_every_case_has_an_answer"
test = "{test}"
fixtures = ["{fixture}"]

[property."{regression}"]
statement = "Every case has an answer, and what always held goes on to hold."
oracle = "{oracle}"
property_test = "{oracle}::test_every_case_has_an_answer"
test = "{own_test}"
fixtures = ["{fixture}"]
"""


@dataclass(frozen=True, kw_only=True)
class Project:
    """A published source, where to plant what in it, and which test of its own suite breaks."""

    requirement: str
    sha256: str
    package: str
    library: str
    suite: str
    own_test: str
    function: str
    tired: str
    call: str
    cases: list[list[object]]
    answer: str
    breaks: tuple[str, str]
    slow: str = "none_is_slow"

    @property
    def test_id(self) -> str:
        """The test that the flake makes waver."""
        return f"{self.suite}::test_cases_of_{self.function}"


PROJECTS = (
    Project(
        requirement="inflection==0.5.1",
        sha256="1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417",
        package="inflection",
        library="inflection/__init__.py",
        suite="test_inflection.py",
        own_test="test_inflection.py::test_camelize_with_lower_downcases_the_first_letter",
        function="titleize",
        tired="value",
        call="inflection.titleize(value)",
        cases=[["raiders_of_the_lost_ark", "Raiders Of The Lost Ark"], ["sea", "Sea"]],
        answer="inflection.underscore(expected).strip()",
        breaks=("return string[0].lower() + camelize(string)[1:]", "return camelize(string)"),
    ),
    Project(
        requirement="more-itertools==10.7.0",
        sha256="9fddd5403be01a94b204faadcff459ec3568cf110265d3c54323e1e866ad29d3",
        package="more_itertools",
        library="more_itertools/recipes.py",
        suite="tests/test_recipes.py",
        own_test="tests/test_recipes.py::TakeTests::test_simple_take",
        function="flatten",
        tired="iter(value[::-1])",
        call="list(mi.flatten(value))",
        cases=[[[[0, 1], [2, 3]], [0, 1, 2, 3]], [[[], [4]], [4]]],
        answer="more_itertools.ilen(expected) == sum(map(more_itertools.ilen, value))",
        breaks=("return list(islice(iterable, n))", "return list(islice(iterable, n + 1))"),
        slow="test_primes",
    ),
)


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both published sources; without an index there is nothing to test."""
    top = tmp_path_factory.getbasetemp()
    folder = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "sources"
    return fetched(folder, {each.requirement: each.sha256 for each in PROJECTS})


@pytest.fixture(params=[pytest.param(each, id=each.package) for each in PROJECTS])
def project(request: pytest.FixtureRequest) -> Project:
    """One of the projects."""
    wanted: Project = request.param
    return wanted


@pytest.fixture
def story(project: Project, sources: Path, tmp_path: Path) -> Story:
    """The project as a repository, its judges landed on a bare remote's `main`, hooks in place."""
    return _guarded(
        Story(unpacked(sources, project.requirement, tmp_path / "unpacked")), project, tmp_path
    )


def _guarded(story: Story, project: Project, folder: Path) -> Story:
    """Plant the flake, write the judges, and land all of it through the hooks."""
    story.git("init", "-q", "-b", "main", ".")
    story.git("init", "-q", "--bare", "-b", "main", str(folder / "origin.git"))
    story.git("remote", "add", "origin", str(folder / "origin.git"))
    story.commit(f"{project.requirement}, as published")
    names = {**vars(project), "up": ".parent" * project.suite.count("/")}
    planted = TIRED.format(**names, turns=str(lay_out(folder / "turns", "ppff")))
    story.write(project.library, story.read(project.library) + planted.encode())
    story.write(project.suite, story.read(project.suite) + TEST.format(**names).encode())
    cases = json.dumps(project.cases) + "\n"
    story.write(FIXTURE, cases).write(".freeze/fixtures.sha256", lock_line(FIXTURE, cases))
    story.write(ORACLE, ORACLE_TEXT.format(**names))
    story.write(".freeze/policy.toml", POLICY.format(**names))
    wanted = {"flake": FLAKE, "regression": REGRESSION, "oracle": ORACLE, "fixture": FIXTURE}
    catalog = CATALOG.format(**names, **wanted, test=project.test_id)
    story.write(".freeze/catalog.toml", catalog)
    _commit(with_hooks(story), "Guard the tests with freezegate").passed()
    user(story, "push", "-u", "origin", "main").passed()
    story.git("remote", "set-head", "origin", "main")
    return story.branch("topic")


def _commit(story: Story, message: str) -> Told:
    """Commit all through the hooks, as a user does."""
    story.git("add", "-A")
    return user(story, "commit", "-q", "-m", message)


def _patch(story: Story, project: Project) -> Story:
    """Change the library innocently."""
    story.write(project.library, story.read(project.library) + b"\n\nTIDY = True\n")
    _commit(story, "Tidy up").passed()
    return story


def _break(story: Story, project: Project) -> Story:
    """Change the library so that a test of its own suite always fails."""
    old, new = (each.encode() for each in project.breaks)
    source = story.read(project.library)
    assert source.count(old) == 1
    story.write(project.library, source.replace(old, new))
    _commit(story, "Make it simpler").passed()
    return story


def _asked(story: Story, name: str) -> Said:
    return witness(story, "--property", name, *terms())


def _main(story: Story) -> str:
    return story.git("ls-remote", "origin", "refs/heads/main").partition("\t")[0]


def _never_lands(story: Story) -> Told:
    """Push to main through the hooks, which refuse."""
    before = _main(story)
    said = user(story, "push", "origin", "HEAD:main")
    assert _main(story) == before, said.text
    return said


def test_its_own_suite_is_green_where_nothing_is_planted(
    project: Project, sources: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", project.suite]
    done = subprocess.run(
        [*command, "-k", f"not ({project.slow})"],
        cwd=unpacked(sources, project.requirement, tmp_path / "unpacked"),
        env={"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()


def test_a_flake_is_witnessed_and_lands_through_the_hooks(story: Story, project: Project) -> None:
    said = _asked(_patch(story, project), FLAKE)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    assert said.window["runs"] == {"base": ["pass", "fail"], "candidate": ["pass", "fail"]}
    assert said.window["class"] == "env_unstable"
    _commit(story, "Freeze a flaky test for a week").passed()
    told = user(story, "push", "origin", "HEAD:main").passed()
    assert "freezegate: accepted refs/heads/main" in told.text
    assert _main(story) == story.rev("HEAD")


def test_a_regression_is_a_deterministic_miss(story: Story, project: Project) -> None:
    said = _asked(_break(story, project), REGRESSION)
    window = said.window
    assert (said.status, said.verdict) == (1, "refused"), said.out
    assert window["runs"] == {"base": ["pass", "pass"], "candidate": ["fail", "fail"]}
    assert (window["class"], window["status"]) == ("deterministic_miss", "block")
    assert story.git("status", "--porcelain") == ""


def test_a_request_by_hand_is_refused_at_commit_and_push(story: Story, project: Project) -> None:
    _break(story, project).request(
        test_id=project.own_test,
        property_id=REGRESSION,
        oracle_path=ORACLE,
        fixture_path=FIXTURE,
    ).write(story.root)
    _commit(story, "Call it flaky").refused("error evidence.missing")
    story.commit("Call it flaky")
    _never_lands(story).refused("error evidence.missing")


def test_evidence_of_the_flake_is_none_of_the_regression(story: Story, project: Project) -> None:
    """Take honest files, and write the regression's test over the flake's."""
    assert _asked(_break(story, project), FLAKE).verdict == "accepted"
    for path in (".freeze/record.json", ".freeze/ledger.jsonl"):
        text = story.read(path).decode().replace(project.test_id, project.own_test)
        story.write(path, text.replace(FLAKE, REGRESSION))
    _commit(story, "Call it flaky").refused("error evidence.mismatch")
    story.commit("Call it flaky")
    _never_lands(story).refused("error evidence.mismatch")
