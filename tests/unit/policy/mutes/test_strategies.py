"""Hypothesis drawing less than before: strategies, settings, profiles, assumptions, `@given`."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HEAD = (
    "import pytest\nfrom hypothesis import (HealthCheck, Phase, assume, example, given,\n"
    "    reject, reproduce_failure, seed, settings, strategies as st)\n"
    "from hypothesis import stateful\nfrom shop import total\n\n\n"
)
BODY = "def test_total(n):\n    assert total([n]) == n\n"
CONFTEST = "tests/conftest.py"


def drawn(strategy: str, decorators: str = "", body: str = BODY) -> str:
    """A property test of one strategy."""
    return f"{HEAD}{decorators}@given({strategy})\n{body}"


OLD = drawn("st.integers()")
NARROWED = {
    "min_value": ("st.integers()", "st.integers(min_value=0)"),
    "positional_bounds": ("st.integers()", "st.integers(0, 9)"),
    "tighter": ("st.integers(0, 99)", "st.integers(0, 9)"),
    "just": ("st.integers()", "st.just(1)"),
    "sampled_from": ("st.integers()", "st.sampled_from([1, 2])"),
    "fewer_samples": ("st.sampled_from([1, 2, 3])", "st.sampled_from([1])"),
    "fewer_branches": ("st.one_of(st.integers(), st.none())", "st.one_of(st.integers())"),
    "a_branch_less": ("st.integers() | st.none()", "st.integers()"),
    "filter": ("st.integers()", "st.integers().filter(lambda n: n > 3)"),
    "map_to_one": ("st.integers()", "st.integers().map(lambda n: 1)"),
    "no_nan": ("st.floats()", "st.floats(allow_nan=False)"),
    "max_size": ("st.lists(st.integers())", "st.lists(st.integers(), max_size=1)"),
    "min_size": ("st.lists(st.integers())", "st.lists(st.integers(), min_size=1)"),
    "unique": ("st.lists(st.integers())", "st.lists(st.integers(), unique=True)"),
    "inner": ("st.lists(st.integers())", "st.lists(st.integers(0, 1))"),
    "alphabet": ("st.text()", "st.text(alphabet='ab')"),
    "smaller_alphabet": ("st.text('abc')", "st.text('ab')"),
    "by_keyword": ("n=st.integers()", "n=st.integers(max_value=3)"),
    "nested": (
        "st.dictionaries(st.text(), st.integers())",
        "st.dictionaries(st.text(max_size=2), st.integers())",
    ),
}
each_narrowed = pytest.mark.parametrize(
    ("old", "new"), [pytest.param(*pair, id=name) for name, pair in NARROWED.items()]
)


@each_narrowed
def test_a_narrower_strategy_is_found(old: str, new: str) -> None:
    assert verdict_between(drawn(old), drawn(new)) == "refuses"


@each_narrowed
def test_an_edit_of_the_source_lowers_nothing(old: str, new: str) -> None:
    before = {PATH: drawn(old), "shop.py": "def total(items):\n    return sum(items)\n"}
    after = {PATH: drawn(new), "shop.py": "def total(items):\n    return 1 + sum(items)\n"}
    assert verdict_between(before, after) == "refuses"


@each_narrowed
def test_the_way_back_is_no_narrowing(old: str, new: str) -> None:
    assert verdict_between(drawn(new), drawn(old)) in ("accepts", "warns")


@each_narrowed
def test_a_new_name_for_the_test_hides_nothing(old: str, new: str) -> None:
    renamed = drawn(new).replace("test_total", "test_the_total")
    assert verdict_between(drawn(old), renamed) == "refuses"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(HEAD + BODY.replace("n)", "n=1)", 1), id="default"),
        pytest.param(
            f"{HEAD}@pytest.mark.parametrize('n', [1, 2])\n{BODY}", id="rows_in_the_place_of_given"
        ),
        pytest.param(drawn("st.integers()", "@settings(max_examples=1)\n"), id="one_example"),
        pytest.param(
            drawn("st.integers()", "few = settings(max_examples=2)\n@few\n"), id="settings_by_name"
        ),
        pytest.param(
            drawn("st.integers()", "@settings(phases=[Phase.explicit])\n"), id="no_generation"
        ),
        pytest.param(drawn("st.integers()", "@settings(phases=())\n"), id="no_phases"),
        pytest.param(
            drawn("st.integers()", "@reproduce_failure('6', b'AA')\n"), id="one_recorded_failure"
        ),
        pytest.param(OLD.replace("    assert", "    assume(n > 3)\n    assert"), id="assume"),
        pytest.param(OLD.replace("    assert", "    assume(False)\n    assert"), id="never"),
        pytest.param(
            OLD.replace("@given", "def need(n):\n    assume(n > 3)\n\n\n@given").replace(
                "    assert", "    need(n)\n    assert"
            ),
            id="assume_in_a_helper",
        ),
        pytest.param(drawn("st.integers()", "few = 2\n@settings(max_examples=few)\n"), id="name"),
        pytest.param(
            OLD.replace("from shop", "from fakes import given\nfrom shop"), id="another_given"
        ),
        pytest.param(
            OLD.replace("    assert", "    if n < 3:\n        reject()\n    assert"), id="reject"
        ),
    ],
)
def test_less_is_tried(new: str) -> None:
    assert verdict_between(OLD, new) == "refuses"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(
            drawn("st.integers()", "@settings(suppress_health_check=[HealthCheck.too_slow])\n"),
            id="health_check",
        ),
        pytest.param(drawn("st.integers()", "@settings(derandomize=True)\n"), id="derandomize"),
        pytest.param(drawn("st.integers()", "@seed(1)\n"), id="seed"),
        pytest.param(drawn("st.integers().map(abs)"), id="map"),
        pytest.param(drawn("st.floats()"), id="another_strategy"),
    ],
)
def test_what_may_be_honest_needs_a_person(new: str) -> None:
    assert verdict_between(OLD, new) == "warns"


def test_an_example_that_is_gone_needs_a_person() -> None:
    assert verdict_between(drawn("st.integers()", "@example(3)\n"), OLD) == "warns"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(drawn("st.integers() | st.none()"), id="a_branch_more"),
        pytest.param(drawn("st.integers()", "@example(3)\n"), id="an_example_more"),
        pytest.param(drawn("st.integers()", "@settings(max_examples=500)\n"), id="more_examples"),
        pytest.param(drawn("st.integers()", "@settings(deadline=None)\n"), id="deadline"),
        pytest.param(drawn("st.integers()", "@settings(phases=tuple(Phase))\n"), id="all_phases"),
        pytest.param(drawn("NUMBERS", "NUMBERS = st.integers()\n\n\n"), id="a_name"),
        pytest.param(
            drawn("numbers()", "def numbers():\n    return st.integers()\n\n\n"), id="a_helper"
        ),
        pytest.param(drawn("n=st.integers()"), id="by_keyword"),
        pytest.param(OLD.replace("    assert", "    assume(True)\n    assert"), id="assume_true"),
    ],
)
def test_what_tries_no_less_is_none(new: str) -> None:
    assert verdict_between(OLD, new) == "accepts"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("NUMBERS = st.integers()", "NUMBERS = st.integers(0, 1)", id="constant"),
        pytest.param(
            "DRAWN = {'n': st.integers()}\n@given(**DRAWN)\ndef test_n(n):\n    assert total(n)",
            "DRAWN = {'n': st.just(1)}\n@given(**DRAWN)\ndef test_n(n):\n    assert total(n)",
            id="arguments_of_a_dict",
        ),
        pytest.param(
            "FEW = 100\n@settings(max_examples=FEW)\n@given(st.text())\ndef test_n(n):\n    pass",
            "FEW = 1\n@settings(max_examples=FEW)\n@given(st.text())\ndef test_n(n):\n    pass",
            id="a_constant_of_the_settings",
        ),
        pytest.param(
            "def numbers():\n    return st.integers()",
            "def numbers():\n    return st.integers(0, 1)",
            id="helper",
        ),
        pytest.param(
            "@st.composite\ndef carts(draw):\n    return draw(st.lists(st.integers()))",
            "@st.composite\ndef carts(draw):\n    return draw(st.lists(st.just(1)))",
            id="composite",
        ),
        pytest.param(
            "class Shop(stateful.RuleBasedStateMachine):\n    @stateful.invariant()\n"
            "    def sound(self):\n        assert total([])\n",
            "class Shop(stateful.RuleBasedStateMachine):\n    pass\n",
            id="invariant",
        ),
    ],
)
def test_strategies_in_helper_modules_are_found(old: str, new: str) -> None:
    path = "tests/carts.py"
    assert verdict_between({path: HEAD + old + "\n"}, {path: HEAD + new + "\n"}) == "refuses"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            "settings.register_profile('ci', max_examples=500)",
            "settings.register_profile('ci', max_examples=5)",
            "refuses",
            id="fewer_in_a_profile",
        ),
        pytest.param(
            "",
            "settings.register_profile('fast', max_examples=1)\nsettings.load_profile('fast')",
            "refuses",
            id="a_profile_that_is_loaded",
        ),
        pytest.param("", "settings.load_profile('dev')", "warns", id="an_unknown_profile"),
        pytest.param(
            "",
            "settings.register_profile('slow', max_examples=900)\nsettings.load_profile('slow')",
            "accepts",
            id="more_in_a_profile",
        ),
    ],
)
def test_profiles(old: str, new: str, expected: str) -> None:
    before, after = (f"from hypothesis import settings\n{each}\n" for each in (old, new))
    assert verdict_between({CONFTEST: before}, {CONFTEST: after}) == expected


MACHINE = (
    "from hypothesis.stateful import RuleBasedStateMachine, rule\nfrom shop import Store\n\n\n"
    "class Stock(RuleBasedStateMachine):\n    def __init__(self):\n        self.store = Store()\n\n"
    "    @rule()\n    def put(self):\n        assert self.store\n\n\n"
    "TestStock = Stock.TestCase\n\n\ndef test_other():\n    assert True\n"
)
OTHERS = MACHINE[MACHINE.index("def test_other") :]


def test_a_machine_may_go_with_what_it_drove() -> None:
    store = {"shop.py": "class Store:\n    pass\n\n\ndef more():\n    return 1\n"}
    less = {"shop.py": "def more():\n    return 1\n"}
    old = {PATH: MACHINE, **store}
    assert verdict_between(old, {PATH: OTHERS, **less}, "dropped_given") == "warns"
    assert verdict_between(old, {PATH: OTHERS, **store}, "dropped_given") == "refuses"
    without = MACHINE.replace("    @rule()\n    def put(self):\n        assert self.store\n", "")
    assert verdict_between(old, {PATH: without, **less}, "dropped_given") == "refuses"
