"""`freezegate sample`: bound before it runs, kept as a row, walked over seeds."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.git.sampling import GOOD, NARROW, PROPERTY_TEST, SUBJECT, P, ask, property_shop, said
from tests.support import ORACLE, PROPERTY, git_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Story

ONE = (*P, "--seed", "1")


def rows(story: Story) -> list[Path]:
    """All rows that are kept."""
    return sorted((story.root / ".git/freezegate/samples").rglob("*.json"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "no property is named; expected --property ID"),
        (P, "no seed: a sample without one cannot be repeated; expected --seed S"),
        ((*P, "--seed", "-1"), "expected a whole number from 0"),
        ((*P, "--seeds", "0"), "--seeds 0; expected 1 to"),
        ((*P, "--seeds", "5", "--rev", "base"), "--seeds asks both sides"),
        ((*P, "--seeds", "5", "--rev", "candidate"), "expected no --rev candidate"),
        (("--property", "order_total.negative", "--seed", "1"), f"did you mean {PROPERTY}?"),
        ((*ONE, "--rev", "nowhere"), "nowhere"),
        ((*ONE, "--base", "nowhere"), "nowhere"),
    ],
)
def test_what_is_not_bound_is_refused_before_it_runs(
    tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "sample", *arguments)
    assert status == 2, out
    assert expected in out
    assert "run 1 of" not in out
    assert rows(story) == []


def test_a_pair_is_kept_and_decides(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=NARROW.replace("== 61", ">= 0"))
    status, document = ask(story, "sample", *ONE, "--rev", "base")
    assert (status, document["pair"]) == (0, "open")
    assert "--rev candidate --seed 1" in document["next_step"]
    status, document = ask(story, "sample", *ONE)
    assert (status, document["pair"]) == (0, "candidate_only_miss")
    assert f"freezegate shrink --property {PROPERTY} --seed 1" in document["next_step"]
    row = document["seeds"][0]["candidate"]
    assert row["arguments"] == {"order": {"discount": 0, "lines": [], "note": ""}}
    assert row["signature"].startswith("AssertionError | ")
    assert row["settings"]["max_examples"] == "50"
    base, head = document["base_rev"], document["candidate_rev"]
    names = [path.relative_to(story.root / ".git/freezegate/samples") for path in rows(story)]
    assert set(map(str, names)) == {
        f"{PROPERTY}/{base}/1.{head}.json",
        f"{PROPERTY}/{base}/1.base.json",
    }
    assert story.git("status", "--porcelain") == ""


def test_the_base_s_own_failure_is_not_the_patch_s(tmp_path: Path) -> None:
    broken = NARROW.replace("== 61", ">= 0")
    story = property_shop(tmp_path, base=broken, patch=broken + "# faster\n")
    ask(story, "sample", *ONE, "--rev", "base")
    _, document = ask(story, "sample", *ONE)
    assert document["pair"] == "both_fail"
    assert "no freeze is justified" in document["next_step"]
    status, document = ask(story, "shrink", *ONE)
    assert (status, document["locked"]) == (1, False)
    assert "base fail, candidate fail; expected base pass, candidate fail" in document["why_not"]


def test_seeds_are_walked_until_the_candidate_alone_fails(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    status, out = said(story, "sample", *P, "--seed", "3", "--seeds", "20")
    assert status == 1, out
    assert "candidate: fail" in out
    assert "run 1 of 40, base of" in out
    kept = rows(story)
    status, again = said(story, "sample", *P, "--seed", "3", "--seeds", "20")
    assert status == 1
    assert "run 1 of" not in again
    assert rows(story) == kept


def test_nothing_found_is_no_proof_and_goes_on(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=GOOD + "# faster\n")
    status, out = said(story, "sample", *P, "--seeds", "2")
    assert status == 0
    assert "2 seeds, no failure of the candidate alone: that is no proof." in out
    assert "--seed 2 --seeds 2" in out
    rows(story)[0].unlink()
    rows(story)[-1].write_text("{}")
    status, out = said(story, "sample", *P, "--seeds", "2")
    assert status == 0
    assert out.count("passed in") == 2


def test_any_revision_is_a_candidate(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=NARROW.replace("== 61", ">= 0"))
    failing = story.rev("HEAD")
    story.write(SUBJECT, GOOD + "# mended\n").commit("Mend it")
    ask(story, "sample", *ONE, "--rev", "base")
    _, document = ask(story, "sample", *ONE)
    assert document["pair"] == "both_pass"
    _, document = ask(story, "sample", *ONE, "--rev", failing)
    assert (document["pair"], document["candidate_rev"]) == ("candidate_only_miss", failing)


def test_no_patch_is_judged_by_an_oracle_that_it_wrote(tmp_path: Path) -> None:
    helper = "tests/properties/orders.py"
    oracle = PROPERTY_TEST.replace(
        "from shop", "from tests.properties.orders import LIMIT  # noqa\nfrom shop"
    )
    story = property_shop(tmp_path, oracle=oracle, files={helper: "LIMIT = 1\n"})
    story.write(helper, "LIMIT = 2\n").commit("Loosen a helper")
    status, out = said(story, "sample", *ONE)
    assert status == 2
    assert f"the patch changes {helper}, on which the oracle depends" in out
    story.write(ORACLE, oracle + "# quicker\n").commit("Edit the oracle")
    status, out = said(story, "sample", *ONE)
    assert status == 2
    assert f"the patch changes the oracle {ORACLE}" in out
    assert "in a patch of its own" in out
    assert rows(story) == []


INTRUDERS = {
    "an_entry_point": "src/evil-1.0.dist-info/entry_points.txt",
    "what_hypothesis_imports": "src/sortedcontainers.py",
    "what_pytest_imports": "src/iniconfig/__init__.py",
}


@pytest.mark.parametrize("path", INTRUDERS.values(), ids=INTRUDERS)
def test_what_loads_in_the_place_of_the_test_stack_is_refused(tmp_path: Path, path: str) -> None:
    story = property_shop(tmp_path)
    story.write(path, "[hypothesis]\nx = shop.evil\n").commit("Bring a file")
    status, out = said(story, "sample", *ONE)
    assert status == 2, out
    assert f"the patch brings {path}" in out
    assert rows(story) == []


def test_data_that_the_patch_wrote_is_no_judge(tmp_path: Path) -> None:
    oracle = PROPERTY_TEST.replace(
        "    assert total(order) >= 0",
        "    with open('tests/limit.txt') as limit:\n"
        "        assert total(order) >= int(limit.read())",
    )
    story = property_shop(tmp_path, oracle=oracle, files={"tests/limit.txt": "0"})
    story.write("tests/limit.txt", "-9").commit("Loosen a limit")
    status, out = said(story, "sample", *ONE)
    assert status == 1
    assert "the run reads tests/limit.txt, which the patch changes" in out
    assert rows(story) == []


OTHERS = {
    "a_plain_test": (
        "def test_total_is_never_negative():\n    assert True\n",
        "is no Hypothesis test: it has no inputs to sample",
    ),
    "a_family": (
        "import pytest\n"
        + PROPERTY_TEST.replace(
            "@settings", "@pytest.mark.parametrize('n', [1, 2])\n@settings"
        ).replace("negative(order)", "negative(n, order)"),
        "name one of them, with its [parameter]",
    ),
    "an_async_test_without_plugin": (
        PROPERTY_TEST.replace("def test_total", "async def test_total"),
        "run it with the plugin that awaits async tests",
    ),
    "one_input_of_its_own": (
        PROPERTY_TEST.replace(
            "@settings", "@__import__('hypothesis').reproduce_failure('6', b'AA==')\n@settings"
        ),
        "carries @reproduce_failure, which runs one input under any seed",
    ),
    "a_strategy_that_makes_nothing": (
        PROPERTY_TEST.replace("@given(ORDERS)", "@given(ORDERS.filter(lambda o: False))"),
        "mend the test or its strategies in a patch of its own",
    ),
}


@pytest.mark.parametrize(("oracle", "expected"), OTHERS.values(), ids=OTHERS)
def test_what_cannot_be_sampled_is_refused_by_name(
    tmp_path: Path, oracle: str, expected: str
) -> None:
    story = property_shop(tmp_path, oracle=oracle)
    status, out = said(story, "sample", *ONE, "--rev", "base")
    assert status == 1, out
    assert expected in out
    assert rows(story) == []


def test_one_case_of_a_family_is_sampled(tmp_path: Path) -> None:
    oracle, _ = OTHERS["a_family"]
    catalog = (
        f'[property."{PROPERTY}"]\nstatement = "Never negative."\noracle = "{ORACLE}"\n'
        f'property_test = "{ORACLE}::test_total_is_never_negative[2]"\n'
        'test = "tests/test_order.py::test_total"\nfixtures = ["tests/fixtures/order.json"]\n'
    )
    files = {".freeze/catalog.toml": catalog}
    story = property_shop(tmp_path, oracle=oracle, files=files)
    status, document = ask(story, "sample", *ONE, "--rev", "base")
    assert (status, document["seeds"][0]["base"]["from_pytest"]) == (0, ["n"])


def test_a_stateful_test_is_sampled_and_not_shrunk(tmp_path: Path) -> None:
    oracle = """\
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from shop.order import total


class Orders(RuleBasedStateMachine):
    @rule(discount=st.integers(0, 9))
    def discounted(self, discount):
        assert total({"lines": [], "discount": discount}) >= 0


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=5, stateful_step_count=5)
"""
    catalog = (
        f'[property."{PROPERTY}"]\nstatement = "Never negative."\noracle = "{ORACLE}"\n'
        f'property_test = "{ORACLE}::TestOrders::runTest"\n'
        'test = "tests/test_order.py::test_total"\nfixtures = ["tests/fixtures/order.json"]\n'
    )
    story = property_shop(
        tmp_path,
        oracle=oracle,
        patch=NARROW.replace("== 61", ">= 0"),
        files={".freeze/catalog.toml": catalog},
    )
    ask(story, "sample", *ONE, "--rev", "base")
    _, document = ask(story, "sample", *ONE)
    assert document["pair"] == "candidate_only_miss"
    status, document = ask(story, "shrink", *ONE)
    assert status == 1
    assert "the input of a stateful test is its steps" in document["why_not"]


def test_a_seed_that_does_not_decide_is_told(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=GOOD + "# faster\n")
    ask(story, "sample", *ONE)
    (path,) = rows(story)
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "outcome": "fail"}, indent=2, sort_keys=True) + "\n")
    _, out = said(story, "sample", *ONE)
    assert "warning: seed 1 on candidate was fail before and is pass now" in out


FORGE = """\
import os
import subprocess


def forge():
    top = os.readlink(f"/proc/{os.getppid()}/cwd") + "/.git/freezegate/samples"
    for folder, _, names in os.walk(top):
        for name in names:
            made = os.path.join(folder, name.replace("0.", "7.", 1))
            subprocess.run(["sh", "-c", "cat $0 > $1", os.path.join(folder, name), made])


forge()
"""


def test_rows_that_a_run_writes_are_removed_and_told(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=FORGE + GOOD)
    status, out = said(story, "sample", *P, "--seeds", "3")
    assert status == 1
    assert "a run of the candidate left: " in out
    assert "among the rows in" in out
    assert [path.name for path in rows(story)] == ["0.base.json"]


def test_a_process_that_outlives_its_run_is_told(tmp_path: Path) -> None:
    left = "import subprocess\n\nsubprocess.Popen(['sleep', '60'])\n\n\n" + GOOD
    story = property_shop(tmp_path, patch=left)
    _, out = said(story, "sample", *ONE)
    assert "warning: the run of seed 1 on candidate left a process behind" in out


def test_a_profile_that_the_patch_loads_makes_no_pair(tmp_path: Path) -> None:
    profile = "from hypothesis import settings\n\nsettings.register_profile('fast', max_examples=1)"
    oracle = PROPERTY_TEST.replace("max_examples=50, deadline=None, ", "deadline=None, ")
    head = "from shop.order import total\n"
    oracle = head + oracle.replace(head, "")
    patch = profile + "\nsettings.load_profile('fast')\n\n\n" + NARROW
    story = property_shop(tmp_path, oracle=oracle, patch=patch)
    status, document = ask(story, "sample", *P, "--seeds", "3")
    assert (status, document["pair"], len(document["seeds"])) == (1, "unlike", 1)
    assert "max_examples is 100 on the base and 1 on the candidate" in document["next_step"]


def test_a_row_of_another_interpreter_is_taken_again(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=GOOD + "# faster\n")
    ask(story, "sample", *ONE, "--rev", "base")
    (path,) = rows(story)
    row = json.loads(path.read_text())
    old = {**row, "environment": {**row["environment"], "python": "3.9.1"}}
    path.write_text(json.dumps(old, indent=2, sort_keys=True) + "\n")
    _, document = ask(story, "sample", *ONE)
    assert document["pair"] == "unlike"
    assert "python is 3.9.1 on the base" in document["next_step"]
    _, document = ask(story, "sample", *P, "--seed", "1", "--seeds", "1")
    assert document["pair"] == "both_pass"


def test_a_property_without_fixtures_is_sampled_and_not_witnessed(tmp_path: Path) -> None:
    catalog = (
        f'[property."{PROPERTY}"]\nstatement = "Never negative."\noracle = "{ORACLE}"\n'
        f'property_test = "{ORACLE}::test_total_is_never_negative"\n'
        'test = "tests/test_order.py::test_total"\nfixtures = []\n'
    )
    story = property_shop(tmp_path, files={".freeze/catalog.toml": catalog})
    status, out = said(story, "witness", *P)
    assert status == 2
    assert f"{PROPERTY} has no file in `fixtures`" in out
    assert f"freezegate sample --property {PROPERTY} --seeds 20" in out
    assert ask(story, "sample", *ONE, "--rev", "base")[0] == 0


def test_what_is_not_committed_is_told(tmp_path: Path) -> None:
    story = property_shop(tmp_path)
    story.write(SUBJECT, GOOD)
    _, out = said(story, "sample", *ONE, "--rev", "base")
    assert f"note: {SUBJECT} not committed, and not seen: the candidate is commit" in out


def test_a_walk_that_is_interrupted_says_how_it_goes_on(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=GOOD + "# faster\n")
    command = [sys.executable, "-I", "-m", "freezegate", "sample", *P, "--seeds", "30"]
    with subprocess.Popen(
        command, cwd=story.root, env=git_environment(), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "run 2 of 60" in line:
                process.terminate()
                break
        told = process.stderr.read()
    assert "of 30 seeds are kept, and the same command goes on behind them: freezegate" in told
    assert "--seed 0 --seeds 30" in told


def test_a_kill_between_seeds_loses_one_at_most(tmp_path: Path) -> None:
    story = property_shop(tmp_path, patch=GOOD + "# faster\n")
    command = [sys.executable, "-I", "-m", "freezegate", "sample", *P, "--seeds", "3"]
    with subprocess.Popen(
        command, cwd=story.root, env=git_environment(), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "run 3 of 6" in line:
                process.kill()
                break
        process.stderr.read()
    kept = {path.name.partition(".")[0] for path in rows(story)}
    assert "0" in kept
    status, out = said(story, "sample", *P, "--seeds", "3")
    assert (status, "run 1 of 6" in out, "run 6 of 6" in out) == (0, False, True)
    assert len(rows(story)) == 6


def test_a_base_whose_catalogue_does_not_decode_says_so(tmp_path: Path) -> None:
    story = property_shop(tmp_path, files={".freeze/catalog.toml": "version = 1\n"})
    status, out = said(story, "sample", *ONE, "--rev", "base")
    assert status == 2
    assert ".freeze/catalog.toml at the trusted base (refs/remotes/origin/main) does not" in out
    assert "freezegate catalog check; mend it in a patch of its own" in out
