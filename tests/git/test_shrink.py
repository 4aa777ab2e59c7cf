"""`freezegate shrink`, `replay --fixture` and `classify --fixture` on real repositories."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.git.sampling import (
    GOOD,
    NARROW,
    PROPERTY_TEST,
    ROOT,
    SUBJECT,
    P,
    ask,
    locked,
    missed_seed,
    property_shop,
    said,
)
from tests.git.turns import lay_out
from tests.support import ORACLE, PROPERTY, git_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Story

LOCK = ".freeze/fixtures.sha256"
MINIMAL = {"order": {"discount": 61, "lines": [], "note": ""}}
ALWAYS = NARROW.replace("== 61", ">= 0")


def shrunk(story: Story, *arguments: str) -> tuple[int, dict[str, object]]:
    """Sample seed 1 on both sides, then shrink."""
    for rev in ("base", "candidate"):
        assert ask(story, "sample", *P, "--seed", "1", "--rev", rev)[0] == 0
    status, document = ask(story, "shrink", *P, "--seed", "1", *arguments)
    return status, dict(document)


def test_a_narrow_bug_ends_in_a_deterministic_miss(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    path = locked(story)
    data = story.read(path)
    digest = hashlib.sha256(data).hexdigest()
    assert path == f"{ROOT}/{digest[:16]}.json"
    assert json.loads(data)["arguments"] == MINIMAL
    assert f"{digest}  {path}\n" in story.read(LOCK).decode()
    assert said(story, "lock", "--check")[0] == 0
    for rev, runs in (("base", ["pass"] * 3), ("candidate", ["fail"] * 3)):
        status, row = ask(story, "replay", "--fixture", path, "--rev", rev, "--repeat", "3")
        assert (status, row["runs"], row["fixture_sha256"]) == (0, runs, digest)
    status, (page,) = ask(story, "classify", *P, "--fixture", path, "--record")
    assert (status, page["class"]) == (1, "deterministic_miss")
    assert page["runs"] == {"base": ["pass", "pass"], "candidate": ["fail", "fail"]}
    assert "--write-test tests/properties/test_regressions.py" in page["next_step"]
    line = json.loads(story.read(".freeze/ledger.jsonl").splitlines()[-1])
    assert (line["event"], line["class"], line["fixture_sha256"]) == (
        *("classified", "deterministic_miss", digest),
    )
    assert not line["freeze_eligible"]
    assert line["seed"] is not None
    status, _ = said(story, "classify", "--fixture", path, "--record")
    assert story.read(".freeze/ledger.jsonl").count(b"\n") == 1
    story.write(SUBJECT, GOOD).commit("Mend it, and lock the input")
    status, (page,) = ask(story, "classify", "--fixture", path)
    assert (status, page["class"]) == (0, "pass")
    assert story.check().verdict == "accepted"


def test_the_ready_made_test_fails_until_the_bug_is_gone(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS)
    path, test = str(shrunk(story)[1]["path"]), "tests/properties/test_regressions.py"
    status, out = said(story, "classify", "--fixture", path, "--write-test", test)
    assert (status, f"written:   {test}" in out) == (1, True), out
    assert run_pytest(story, test) == 1
    story.write(SUBJECT, GOOD)
    assert run_pytest(story, test) == 0
    status, out = said(story, "classify", "--fixture", path, "--write-test", test)
    assert status == 2
    assert "is for a deterministic_miss" in out or "is there already" in out


def run_pytest(story: Story, test: str) -> int:
    """Run one test file as the project does."""
    environ = git_environment() | {"PYTHONPATH": str(story.root / "src")}
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    return subprocess.run(
        command, cwd=story.root, env=environ, capture_output=True, check=False
    ).returncode


def test_typed_arguments_live_through_fixture_and_test(tmp_path: Path) -> None:
    oracle = """\
import dataclasses
import decimal

from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from shop.order import total


@dataclasses.dataclass(frozen=True)
class Order:
    lines: tuple[decimal.Decimal, ...]
    discount: decimal.Decimal


MONEY = st.decimals(0, 9, places=2)


@settings(deadline=None)
@given(order=st.builds(Order, st.lists(MONEY, min_size=1).map(tuple), MONEY))
def test_total_is_never_negative(order):
    assume(order.lines)
    note("asked")
    assert total({"lines": order.lines, "discount": order.discount}) >= 0
"""
    story = property_shop(tmp_path, oracle=oracle, patch=ALWAYS)
    status, document = shrunk(story)
    assert status == 0, document
    path, test = str(document["path"]), "tests/properties/test_regressions.py"
    assert b'{"$decimal":"0.00"}' in story.read(path)
    assert said(story, "classify", "--fixture", path, "--write-test", test)[0] == 1
    assert run_pytest(story, test) == 1
    story.write(SUBJECT, GOOD)
    assert run_pytest(story, test) == 0


def test_keep_drops_what_the_failure_does_not_need(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS, keep=("lines", "discount"))
    status, document = shrunk(story)
    assert (status, document["dropped"]) == (0, ["note"])
    assert document["arguments"] == {"order": {"discount": 0, "lines": []}}


def test_keep_that_drops_the_failing_field_is_named(tmp_path: Path) -> None:
    guarded = GOOD.replace(
        "def total(order):\n", "def total(order):\n    order = dict(BLANK, **order)\n"
    )
    guarded = "BLANK = {'discount': 0, 'lines': [], 'note': ''}\n\n\n" + guarded
    wrong = guarded.replace(
        "    return", "    if order['discount'] > 9:\n        return -1\n    return"
    )
    story = property_shop(tmp_path, base=guarded, patch=wrong, keep=("lines",))
    status, document = shrunk(story)
    assert (status, document["locked"]) == (1, False)
    assert document["why_not"] == (
        "`keep` drops the failing field discount: without it the input does not fail as it did"
    )
    assert "add discount to `keep`" in str(document["next_step"])
    proposal = str(document["path"])
    assert "/freezegate/proposals/" in proposal
    assert os.path.exists(proposal)
    assert story.git("status", "--porcelain") == ""


def test_keep_that_the_input_does_not_have_is_named(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS, keep=("lines", "tax"))
    status, document = shrunk(story)
    assert (status, document["locked"]) == (1, False)
    assert "`keep` names tax, which the minimal input does not have" in str(document["why_not"])


def test_an_input_that_passes_when_it_is_replayed_is_a_proposal(tmp_path: Path) -> None:
    turns = lay_out(tmp_path / "turns", "ffffffffffffp")
    flaky = (
        f"import functools\n\n\n@functools.cache\ndef bad():\n    with open({str(turns)!r}, 'rb', "
    )
    flaky += "buffering=0) as turns:\n        return turns.read(1) == b'f'\n\n\n"
    flaky += GOOD.replace("    return", "    if bad():\n        return -1\n    return")
    story = property_shop(tmp_path / "here", patch=flaky)
    seen = [shrunk(story, "--repeat", "20")]
    status, document = seen[0]
    assert (status, document["locked"]) == (1, False)
    assert "replays failed, where each should in one way" in str(document["why_not"])


ORDERS = """\
from hypothesis import given, settings
from hypothesis import strategies as st

from shop.order import Order, total


@settings(max_examples=50, deadline=None)
@given(st.builds(Order, st.integers(0, 100)))
def test_total_is_never_negative(order):
    assert total(order) >= 0
"""
ORDER = """\
from dataclasses import dataclass, field


@dataclass
class Order:
    discount: int
    rest: int = field(init=False)

    def __post_init__(self):
        self.rest = 100 - self.discount


def total(order):
    return order.rest
"""


def test_what_the_patch_computes_is_not_set_on_the_base(tmp_path: Path) -> None:
    wrong = ORDER.replace("100 - self", "60 - self")
    story = property_shop(tmp_path, oracle=ORDERS, base=ORDER, patch=wrong)
    path = locked(story)
    assert json.loads(story.read(path))["arguments"] == {
        "order": {"$dataclass": ["shop.order:Order", {"discount": 61}]}
    }
    _, (page,) = ask(story, "classify", "--fixture", path)
    assert page["class"] == "deterministic_miss"


def test_an_input_that_the_base_never_had_is_a_contradiction(tmp_path: Path) -> None:
    wrong = ORDER.replace("        self.rest", "        self.discount = 900\n        self.rest")
    story = property_shop(tmp_path, oracle=ORDERS, base=ORDER, patch=wrong)
    status, document = shrunk(story)
    assert (status, document["locked"]) == (1, False)
    assert "the base passed under this seed and fails 2 of 2 replays" in str(document["why_not"])


def test_an_input_that_fails_otherwise_alone_is_a_proposal(tmp_path: Path) -> None:
    wrong = "CALLS = []\n\n\n" + GOOD.replace(
        "    return",
        "    CALLS.append(order)\n    if order['discount'] > 9:\n"
        "        raise KeyError if len(CALLS) < 2 else ValueError\n    return",
    )
    story = property_shop(tmp_path, patch=wrong)
    seed = missed_seed(story)
    status, document = ask(story, "shrink", *P, "--seed", str(seed))
    assert (status, document["locked"]) == (1, False)
    assert "the replays fail otherwise than the sample" in document["why_not"]


def test_one_of_several_failures_is_locked(tmp_path: Path) -> None:
    wrong = GOOD.replace(
        "    return",
        "    if order['discount'] > 50:\n        raise KeyError\n"
        "    if order['discount'] > 20:\n        return -1\n    return",
    )
    assert locked(property_shop(tmp_path, patch=wrong)).startswith(ROOT)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "no --property; expected --property ID"),
        (P, "no --seed; expected --seed S"),
        ((*P, "--seed", "1", "--rev", "base"), "what fails on the base is not the patch's"),
        ((*P, "--seed", "1", "--repeat", "1"), "--repeat 1; expected 2 to 1000"),
    ],
)
def test_shrink_refuses_what_it_cannot_do(
    tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "shrink", *arguments)
    assert status == 2
    assert expected in out


def test_shrink_asks_for_both_samples_first(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "shrink", *P, "--seed", "1")
    assert status == 1
    assert "base not sampled, candidate not sampled" in out
    assert "--seed 1 --rev base" in out


def test_bytes_that_are_not_the_locked_ones_are_drift(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS)
    path = str(shrunk(story)[1]["path"])
    story.write(path, story.read(path).replace(b'"discount":0', b'"discount":1'))
    status, row = ask(story, "replay", "--fixture", path, "--rev", "base")
    assert (status, row["runs"], row["reason"]) == (1, ["pass", "pass"], "fixture_drift")
    status, (page,) = ask(story, "classify", "--fixture", path)
    assert (status, page["class"], page["reason"]) == (1, "fixture_drift", "fixture_drift")


def test_the_base_s_lock_stands_over_the_work_tree_s(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS)
    path = str(shrunk(story)[1]["path"])
    story.on("main").git("stash", "-u", check=False)
    story.git("checkout", "-q", "stash@{0}", "--", LOCK, check=False)
    story.git("checkout", "-q", "stash@{0}^3", "--", path, check=False)
    story.commit("Land the lock")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    story.write(path, story.read(path).replace(b'"discount":0', b'"discount":1'))
    assert said(story, "lock")[0] == 0
    status, row = ask(story, "replay", "--fixture", path)
    assert (status, row["reason"]) == (1, "fixture_drift")


REFUSED = {
    "no_such_file": ("tests/fixtures/none.json", "no file 'tests/fixtures/none.json'"),
    "another_file": ("tests/fixtures/order.json", "is no fixture of a property"),
    "above_the_top": ("../order.json", "is no path from the repository's top"),
}


@pytest.mark.parametrize(("path", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_fixture_that_is_none_is_refused(tmp_path: Path, path: str, expected: str) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "replay", "--fixture", path, "--rev", "base")
    assert status == 2
    assert expected in out


def test_the_file_says_whether_a_test_or_an_input_is_meant(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    _, row = ask(story, "replay", *P, "--fixture", "tests/fixtures/order.json")
    assert row["test_id"] == "tests/test_order.py::test_total"
    status, out = said(story, "replay", *P, "--fixture", "tests/fixtures/none.json")
    assert status == 2
    assert "tests/fixtures/order.json" in out
    text = '{"arguments":{},"property_id":"order_total.other","schema":"freezegate/fixture/v1"}\n'
    story.write("tests/fixtures/other.json", text)
    status, out = said(story, "replay", *P, "--fixture", "tests/fixtures/other.json")
    assert status == 2
    assert f"is a fixture of order_total.other, not of {PROPERTY}" in out


def test_a_proposal_is_not_replayed_as_a_fixture(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=ALWAYS)
    path = str(shrunk(story)[1]["path"])
    story.git("checkout", "-q", "--", LOCK)
    status, out = said(story, "classify", "--fixture", path)
    assert status == 2
    assert f"{path} has no line in .freeze/fixtures.sha256" in out


def test_an_input_that_the_property_rejects_is_no_observation(tmp_path: Path) -> None:
    oracle = PROPERTY_TEST.replace("given, settings", "assume, given, settings").replace(
        "    assert total", "    assume(order['discount'] != 7)\n    assert total"
    )
    story = property_shop(tmp_path, oracle=oracle, patch=ALWAYS)
    path = str(shrunk(story)[1]["path"])
    story.write(path, story.read(path).replace(b'"discount":0', b'"discount":7'))
    status, out = said(story, "replay", "--fixture", path, "--rev", "base")
    assert status == 1
    assert "rejects the input (assume)" in out


@pytest.mark.parametrize(
    ("base", "patch", "pattern", "variance"),
    [
        ("good", "flaky", "pfpf", "seed_unstable"),
        ("flaky", "flaky", "pffp", "env_unstable"),
    ],
)
def test_the_classes_of_rows_that_waver(
    tmp_path: Path, base: str, patch: str, pattern: str, variance: str
) -> None:
    turns = lay_out(tmp_path / "turns", pattern)
    flaky = (
        f"TURNS = {str(turns)!r}\n\n\ndef total(order):\n    with open(TURNS, 'rb', buffering=0)"
    )
    flaky += " as turns:\n        return -1 if turns.read(1) == b'f' else 0\n"
    sources = {"good": GOOD, "flaky": flaky}
    story = property_shop(
        tmp_path / "here", base=sources[base], patch=sources[patch] + "# patched\n"
    )
    path = by_hand(story)
    _, (page,) = ask(story, "classify", "--fixture", path, "--record")
    assert page["class"] == variance, page
    line = json.loads(story.read(".freeze/ledger.jsonl").splitlines()[-1])
    assert line["event"] == "classified"
    assert line["freeze_eligible"] is (variance == "env_unstable")
    assert ("--owner NAME --expires-on DATE" in page["next_step"]) is line["freeze_eligible"]
    assert ("freezegate sample" in page["next_step"]) is not line["freeze_eligible"]
    assert not (story.root / ".freeze/record.json").exists()


PLACES = {
    "another_folder": "tests/test_x.py",
    "no_test_name": "tests/properties/regressions.py",
    "no_python": "tests/properties/test_x.txt",
    "a_conftest": "tests/properties/conftest.py",
    "the_judges": ".freeze/test_x.py",
    "the_oracle": ORACLE,
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_where_no_regression_test_can_stand_is_refused_before_the_runs(
    tmp_path: Path, place: str
) -> None:
    story = property_shop(tmp_path)
    path = by_hand(story)
    status, out = said(story, "classify", "--fixture", path, "--write-test", place)
    assert status == 2, out
    assert "--write-test: " in out
    assert "run 1 of" not in out


def test_no_regression_test_is_written_through_a_link(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    path = by_hand(story)
    os.rename(story.root / "tests/properties", tmp_path / "outside")
    os.symlink(tmp_path / "outside", story.root / "tests/properties")
    test = "tests/properties/test_regressions.py"
    status, out = said(story, "classify", "--fixture", path, "--write-test", test)
    assert status == 2
    assert "tests/properties leads elsewhere" in out
    assert not (tmp_path / "outside/test_regressions.py").exists()


def test_an_oracle_that_is_imported_by_its_path_has_no_regression_test(tmp_path: Path) -> None:
    settings = '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n'
    story = property_shop(tmp_path, files={"pyproject.toml": settings})
    path, test = by_hand(story), "tests/properties/test_regressions.py"
    status, out = said(story, "classify", "--fixture", path, "--write-test", test)
    assert status == 2
    assert "by its path (--import-mode importlib)" in out


def test_an_async_property_has_no_regression_test_and_its_line_is_kept(tmp_path: Path) -> None:
    oracle = PROPERTY_TEST.replace("def test_total", "async def test_total")
    awaiting = (
        "import asyncio\nimport inspect\n\nimport pytest\n\n\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_pyfunc_call(pyfuncitem):\n"
        "    handle = getattr(pyfuncitem.obj, 'hypothesis', None)\n"
        "    if handle and inspect.iscoroutinefunction(handle.inner_test):\n"
        "        inner = handle.inner_test\n"
        "        handle.inner_test = lambda *a, **k: asyncio.run(inner(*a, **k))\n"
    )
    story = property_shop(tmp_path, oracle=oracle, files={"conftest.py": awaiting})
    path, test = by_hand(story), "tests/properties/test_regressions.py"
    status, out = said(story, "classify", "--fixture", path, "--record", "--write-test", test)
    assert status == 2
    assert "is to be awaited, which a plain test does not" in out
    assert not (story.root / test).exists()
    assert b'"deterministic_miss"' in story.read(".freeze/ledger.jsonl")


def by_hand(story: Story) -> str:
    """Lock the minimal input without sampling; return its path."""
    fixture = {"arguments": MINIMAL, "property_id": PROPERTY, "schema": "freezegate/fixture/v1"}
    path = f"{ROOT}/by_hand.json"
    story.write(path, json.dumps(fixture, sort_keys=True, separators=(",", ":")) + "\n")
    assert said(story, "lock", path)[0] == 0
    return path


def test_bytes_that_were_locked_again_are_not_those_of_the_name(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    digest = hashlib.sha256(story.read(by_hand(story))).hexdigest()
    path = f"{ROOT}/{digest[:16]}.json"
    edited = story.read(f"{ROOT}/by_hand.json").replace(b'"discount":61', b'"discount":60')
    story.write(path, edited)
    assert said(story, "lock", path)[0] == 0
    for verb in (("classify",), ("replay",), ("brief", "--check", "HEAD")):
        status, out = said(story, *verb, "--fixture", path)
        assert status == 2, out
        assert "is named after other bytes" in out
    named = ("--fixture", f"{ROOT}/by_hand.json", "--sha256", "0" * 64)
    status, (page,) = ask(story, "brief", "--check", "HEAD", *named)
    assert (status, page["class"]) == (1, "fixture_drift")


def test_a_base_that_denies_its_own_row_is_told(tmp_path: Path) -> None:
    story = property_shop(tmp_path, base=ALWAYS, patch=ALWAYS + "# faster\n")
    ask(story, "sample", *P, "--seed", "1", "--rev", "base")
    (row,) = (story.root / ".git/freezegate/samples").rglob("*.json")
    passed = {**json.loads(row.read_text()), "outcome": "pass"}
    row.write_text(json.dumps(passed, indent=2, sort_keys=True) + "\n")
    path = by_hand(story)
    digest = hashlib.sha256(story.read(path)).hexdigest()
    note = story.root / f".git/freezegate/samples/{PROPERTY}/fixtures/{digest}.json"
    note.parent.mkdir(parents=True)
    note.write_text('{"seed": 1}')
    status, out = said(story, "classify", "--fixture", path)
    assert status == 1
    assert "the base passed under seed 1 and fails every replay of the fixture" in out
    assert "  class:" not in out


@pytest.mark.parametrize("option", [("--record",), ("--write-test", "x.py"), ("--rev", "main")])
def test_classify_of_a_test_has_no_such_option(tmp_path: Path, option: tuple[str, ...]) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "classify", *P, *option)
    assert status == 2
    assert f"{option[0]} goes with the fixture of a property" in out


def test_a_test_that_pytest_gives_more_has_no_plain_regression_test(tmp_path: Path) -> None:
    oracle = PROPERTY_TEST.replace("negative(order)", "negative(order, tmp_path_factory)")
    oracle = oracle.replace("given(ORDERS)", "given(order=ORDERS)")
    story = property_shop(tmp_path, oracle=oracle, patch=ALWAYS)
    path = str(shrunk(story)[1]["path"])
    status, out = said(
        story, "classify", "--fixture", path, "--write-test", "tests/properties/test_x.py"
    )
    assert status == 2
    assert (
        f"gets tmp_path_factory from pytest; what replays it: freezegate replay --fixture {path}"
        in out
    )
    assert ORACLE in out
