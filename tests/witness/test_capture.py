"""What the child reads of a property's input, and that it gives exactly one: real Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from freezegate.model.observation import NoObservation
from freezegate.model.sample import PropertyAsked, PropertySeen, TestKind
from tests.witness.support import ID, observed, plant, unobserved

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.model.observation import Observation

HEAD = """\
import dataclasses
import datetime
import enum
import functools
from typing import ClassVar

import pytest
from hypothesis import assume, example, given, note, seed, settings
from hypothesis import strategies as st


class Kind(enum.Enum):
    RARE = "rare"
    USUAL = "usual"


@dataclasses.dataclass
class Money:
    cents: int
    kind: Kind = Kind.RARE


"""


def sampled(tree: Path, body: str, *, arguments: Any = None, seed: int = 1) -> Observation:
    """Run a property once: under a seed, or on one input."""
    plant(tree, {"test_it.py": ""})
    (tree / "test_it.py").write_text(HEAD + body)
    test_id = "test_it.py::TestIt::test_it" if "class TestIt" in body else ID
    return observed(tree, test_id, hypothesis_seed=seed, asked=PropertyAsked(arguments=arguments))


def seen_of(run: Observation) -> PropertySeen:
    """What was seen of a property, which was there."""
    assert run.property_seen is not None
    return run.property_seen


INPUTS = {
    "the_smallest_that_fails": (
        "@given(st.integers())\ndef test_it(n):\n    assert n < 1000\n",
        {"n": 1000},
    ),
    "positional_and_fixtures": (
        "@given(st.integers(), st.booleans())\n"
        "def test_it(tmp_path, n, flag):\n    assert n < 10\n",
        {"n": 10, "flag": False},
    ),
    "a_method": (
        "class TestIt:\n    @given(n=st.integers())\n    def test_it(self, n):\n"
        "        assert n < 10\n",
        {"n": 10},
    ),
    "before_the_test_changes_it": (
        "@given(st.lists(st.integers()))\n"
        "def test_it(ns):\n    had = len(ns)\n    ns.clear()\n    assert had < 2\n",
        {"ns": [0, 0]},
    ),
    "the_last_of_several_failures": (
        "@given(st.integers(0, 100))\n"
        "def test_it(n):\n    if n > 50:\n        raise KeyError\n    assert n < 20\n",
        {"n": 20},
    ),
    "dataclass_and_enum": (
        "@given(st.builds(Money, st.integers(), st.sampled_from(Kind)))\n"
        "def test_it(price):\n    assert price.cents < 5\n",
        {
            "price": {
                "$dataclass": [
                    "test_it:Money",
                    {"cents": 5, "kind": {"$enum": ["test_it:Kind", "RARE"]}},
                ]
            }
        },
    ),
    "composite": (
        "@st.composite\ndef pairs(draw):\n    n = draw(st.integers())\n    return (n, n + 1)\n\n\n"
        "@given(pairs())\ndef test_it(pair):\n    assert pair[0] < 3\n",
        {"pair": {"$tuple": [3, 4]}},
    ),
    "drawn_inside": (
        "@given(st.data())\ndef test_it(data):\n    n = data.draw(st.integers(), label='n')\n"
        "    day = data.draw(st.dates())\n    assert n < 7\n",
        {"data": {"$data": [7, {"$date": "2000-01-01"}]}},
    ),
    "no_more_than_the_constructor_takes": (
        "@dataclasses.dataclass\nclass Order:\n    discount: int\n"
        "    LIMIT: ClassVar[int] = 60\n    total: int = dataclasses.field(init=False)\n\n"
        "    def __post_init__(self):\n        self.total = self.LIMIT - self.discount\n\n"
        "    @functools.cached_property\n    def half(self):\n        return self.total // 2\n\n\n"
        "@given(st.builds(Order, st.integers(0, 99)).filter(lambda order: order.half < 99))\n"
        "def test_it(order):\n    assert order.total >= 0\n",
        {"order": {"$dataclass": ["test_it:Order", {"discount": 61}]}},
    ),
    "below_a_decorator": (
        "def decorated(test):\n    @functools.wraps(test)\n    def call(*args, **kwargs):\n"
        "        return test(*args, **kwargs)\n\n    return call\n\n\n"
        "@decorated\n@settings(derandomize=True)\n@given(n=st.integers(0))\n"
        "def test_it(n):\n    assert n < 50\n",
        {"n": 50},
    ),
    "an_exception_named_as_hypothesis_s": (
        "class Frozen(Exception):\n    pass\n\n\n@given(st.integers(0))\n"
        "def test_it(n):\n    if n > 8:\n        raise Frozen\n",
        {"n": 9},
    ),
    "an_explicit_example": (
        "@example(n=77)\n@given(n=st.integers(0, 5))\ndef test_it(n):\n    assert n < 50\n",
        {"n": 77},
    ),
    "settings_and_a_seed_of_its_own": (
        "@seed(5)\n@settings(derandomize=True, max_examples=500)\n"
        "@given(n=st.integers())\ndef test_it(n):\n    note('looked at')\n    assert n < 50\n",
        {"n": 50},
    ),
}


@pytest.mark.parametrize(("body", "expected"), INPUTS.values(), ids=INPUTS)
def test_the_minimal_input_comes_out_and_goes_in_again(
    tmp_path: Path, body: str, expected: object
) -> None:
    run = sampled(tmp_path, body)
    assert not run.passed
    seen = seen_of(run)
    assert (seen.kind, seen.arguments, seen.problem) == (TestKind.GIVEN, expected, None)
    again = sampled(tmp_path, body, arguments=seen.arguments)
    assert not again.passed
    assert again.failure is not None
    assert run.failure is not None
    last: Any = (*run.failure.leaves, run.failure)[0]
    assert again.failure.type_name in ("AssertionError", last.type_name)
    assert again.failure.frames[-1].source in str(run.failure)
    assert seen_of(again).calls == 1


UNMADE = {
    "a_slot_of_a_parent": (
        "class Parent:\n    __slots__ = ('rate',)\n\n\n@dataclasses.dataclass\n"
        "class Order(Parent):\n    discount: int\n",
        "order.rate is 7, and made anew it is null",
    ),
    "an_attribute_that_no_field_is": (
        "@dataclasses.dataclass\nclass Order:\n    discount: int\n",
        "order.rate is 7, and made anew it is null",
    ),
    "a_field_that_the_constructor_changes": (
        "@dataclasses.dataclass\nclass Order:\n    discount: int\n    rate: int = 7\n\n"
        "    def __post_init__(self):\n        self.discount *= 2\n",
        "order.discount is 2, and made anew it is 4",
    ),
    "a_name_that_means_another_class": (
        "@dataclasses.dataclass\nclass Order:\n    discount: int\n\n\nold = Order\n\n\n"
        "@dataclasses.dataclass\nclass Order:\n    discount: int\n\n\nOrder, new = old, Order\n"
        "old.__module__ = 'enum'\n",
        "order is of a class enum:Order, and that name means something else by now",
    ),
}


@pytest.mark.parametrize(("body", "expected"), UNMADE.values(), ids=UNMADE)
def test_what_is_not_made_again_is_named(tmp_path: Path, body: str, expected: str) -> None:
    body += "\n\ndef made(discount):\n    order = Order(discount)\n    order.rate = 7\n"
    body += "    return order\n\n\n@given(st.builds(made, st.just(1)))\n"
    body += "def test_it(order):\n    assert 0\n"
    seen = seen_of(sampled(tmp_path, body))
    assert seen.arguments is None
    assert expected in (seen.problem or "")


@pytest.mark.parametrize("end", ["raise", "return"])
def test_a_test_that_draws_more_than_the_fixture_holds_tells_nothing(
    tmp_path: Path, end: str
) -> None:
    body = "@given(st.data())\ndef test_it(data):\n    data.draw(st.integers())\n    try:\n"
    body += f"        data.draw(st.integers())\n    except LookupError:\n        {end}\n"
    plant(tmp_path, {"test_it.py": ""})
    (tmp_path / "test_it.py").write_text(HEAD + body)
    given = PropertyAsked(arguments={"data": {"$data": [1]}})
    answer = unobserved(tmp_path, hypothesis_seed=1, asked=given)
    assert answer.word is NoObservation.BAD_INPUT
    assert "the test draws more than the fixture holds" in answer.got


def test_a_property_that_holds_keeps_nothing(tmp_path: Path) -> None:
    run = sampled(tmp_path, "@given(st.randoms())\ndef test_it(r):\n    assert r.random() < 1\n")
    assert run.passed
    assert seen_of(run).arguments is None
    assert seen_of(run).problem is None
    assert seen_of(run).calls > 5


WRAPPED = """\
def wrapped(test):
    @functools.wraps(test)
    def call(*args, **kwargs):
        return test(*args, **kwargs)

    return call


@wrapped
"""


@pytest.mark.parametrize("above", ["", WRAPPED], ids=["alone", "below_a_decorator"])
def test_one_seed_gives_one_row_and_another_another(tmp_path: Path, above: str) -> None:
    body = "SEEN = []\n\n\n" + above
    body += "@settings(max_examples=20, derandomize=True)\n@given(st.integers())\n"
    body += "def test_it(n):\n    SEEN.append(n)\n    assert len(SEEN) < 20, SEEN\n"
    messages = []
    for number in (1, 1, 2):
        failure = sampled(tmp_path, body, seed=number).failure
        assert failure is not None
        messages.append(failure.leaves[0].message if failure.leaves else failure.message)
    assert messages[0] == messages[1] != messages[2]


REFUSED = {
    "a_function": (
        "@given(st.functions())\ndef test_it(f):\n    assert f is None\n",
        "f is of the type builtins.function, which no codec writes",
    ),
    "a_type_without_codec": (
        "class Strange:\n    pass\n\n\n"
        "@given(st.lists(st.builds(Strange), min_size=1))\ndef test_it(things):\n    assert 0\n",
        "things[0] is of the type test_it.Strange, which no codec writes; give the type a codec "
        "in the oracle file: FREEZEGATE_CODECS = {Strange: (to_plain, from_plain)}",
    ),
    "drawn_inside_without_codec": (
        "@given(st.data())\ndef test_it(data):\n    f = data.draw(st.functions())\n    assert 0\n",
        "data.draw #1 is of the type builtins.function",
    ),
}


@pytest.mark.parametrize(("body", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_no_codec_writes_is_named(tmp_path: Path, body: str, expected: str) -> None:
    run = sampled(tmp_path, body)
    assert not run.passed
    assert run.failure is not None
    assert run.failure.type_name == "AssertionError"
    assert seen_of(run).arguments is None
    assert expected in (seen_of(run).problem or "")


def test_a_codec_of_the_project_s_own(tmp_path: Path) -> None:
    body = """\
class Point:
    def __init__(self, x):
        self.x = x


FREEZEGATE_CODECS = {Point: (lambda point: [point.x], lambda plain: Point(plain[0]))}


@given(st.builds(Point, st.integers()))
def test_it(point):
    assert point.x < 3
"""
    seen = seen_of(sampled(tmp_path, body))
    assert seen.arguments == {"point": {"$codec": ["test_it:Point", [3]]}}
    assert not sampled(tmp_path, body, arguments=seen.arguments).passed
    assert sampled(tmp_path, body, arguments={"point": {"$codec": ["test_it:Point", [2]]}}).passed


def test_a_codec_that_fails_is_not_the_test_s_failure(tmp_path: Path) -> None:
    body = """\
class Point:
    pass


FREEZEGATE_CODECS = {Point: (lambda point: point.x, lambda plain: {}[plain])}


@given(st.builds(Point))
def test_it(point):
    assert 0
"""
    run = sampled(tmp_path, body)
    assert run.failure is not None
    assert run.failure.type_name == "AssertionError"
    assert (
        seen_of(run).problem
        == "a codec failed: AttributeError: 'Point' object has no attribute 'x'"
    )
    given = PropertyAsked(arguments={"point": {"$codec": ["test_it:Point", 1]}})
    answer = unobserved(tmp_path, hypothesis_seed=1, asked=given)
    assert answer.word is NoObservation.BAD_INPUT
    assert "a damaged $codec (KeyError: 1)" in answer.got


def test_a_stateful_test_is_told_apart(tmp_path: Path) -> None:
    body = """\
from hypothesis.stateful import RuleBasedStateMachine, rule


class Machine(RuleBasedStateMachine):
    @rule(n=st.integers())
    def step(self, n):
        assert n < 10


TestIt = Machine.TestCase
"""
    plant(tmp_path, {"test_it.py": ""})
    (tmp_path / "test_it.py").write_text(HEAD + body)
    run = observed(
        tmp_path, "test_it.py::TestIt::runTest", hypothesis_seed=1, asked=PropertyAsked()
    )
    assert not run.passed
    assert seen_of(run).kind is TestKind.STATEFUL


def test_a_plain_test_is_told_apart(tmp_path: Path) -> None:
    run = sampled(tmp_path, "def test_it():\n    pass\n")
    assert seen_of(run).kind is TestKind.PLAIN


def test_an_input_that_the_test_rejects_is_counted(tmp_path: Path) -> None:
    body = "@given(st.integers())\ndef test_it(n):\n    assume(n > 5)\n    assert n\n"
    seen = seen_of(sampled(tmp_path, body, arguments={"n": 1}))
    assert (seen.calls, seen.rejected) == (1, 1)


HOSTILE = {
    "a_class_that_nothing_loads": {"n": {"$dataclass": ["antigravity:Thing", {}]}},
    "a_function_in_a_class_s_place": {"n": {"$enum": ["os:system", "true"]}},
    "a_class_that_is_no_dataclass": {"n": {"$dataclass": ["subprocess:Popen", {"args": "true"}]}},
    "an_unknown_tag": {"n": {"$pickle": "gASVIAAAAA=="}},
    "a_damaged_value": {"n": {"$date": "today"}},
}


@pytest.mark.parametrize("arguments", HOSTILE.values(), ids=HOSTILE)
def test_a_fixture_is_data(tmp_path: Path, arguments: dict[str, object]) -> None:
    """Nothing runs then: Hypothesis is told to run no example, and skips."""
    plant(tmp_path, {"test_it.py": ""})
    (tmp_path / "test_it.py").write_text(HEAD + "@given(st.none())\ndef test_it(n):\n    pass\n")
    answer = unobserved(tmp_path, hypothesis_seed=1, asked=PropertyAsked(arguments=arguments))
    assert answer.word is NoObservation.BAD_INPUT
    assert "the fixture" in answer.got


# What pytest-asyncio and anyio do with a Hypothesis test.
AWAITING = """\
import asyncio

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    handle = pyfuncitem.obj.hypothesis
    inner = handle.inner_test
    handle.inner_test = lambda *args, **kwargs: asyncio.run(inner(*args, **kwargs))
"""


def test_an_async_test_that_a_plugin_awaits(tmp_path: Path) -> None:
    body = "@given(st.integers())\nasync def test_it(n):\n    assert n < 4\n"
    (tmp_path / "conftest.py").write_text(AWAITING)
    run = sampled(tmp_path, body)
    assert (run.passed, seen_of(run).kind) == (False, TestKind.ASYNC)
    assert seen_of(run).arguments == {"n": 4}
    again = sampled(tmp_path, body, arguments={"n": 4})
    assert (again.passed, seen_of(again).calls) == (False, 1)
    assert sampled(tmp_path, body, arguments={"n": 3}).passed
