"""Nothing hides behind more steps than are followed: long chains, deep helpers, cycles."""

from __future__ import annotations

import itertools

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

HEAD = (
    "import contextlib\nimport unittest\nimport pytest\n"
    "from hypothesis import given, settings, strategies as st\nfrom shop import total\n\n\n"
)
TEST = "def test_total():\n    assert total([1]) == 1\n"
DRAWN = "def test_total(x):\n    assert total([x]) == x\n"
LONG = 150


def chain(first: str, length: int, step: str = "{0}") -> str:
    """Names that each stand for the one before; the last is `last`."""
    names = [*(f"a{n}" for n in range(length)), "last"]
    rest = (f"{b} = {step.format(a)}\n" for a, b in itertools.pairwise(names))
    return f"a0 = {first}\n{''.join(rest)}\n\n"


def helpers(last: str, depth: int, head: str = "", argument: str = "") -> str:
    """Functions that each call the one before; `deep` is the last."""
    names = [*(f"h{n}" for n in range(depth)), "deep"]
    made = f"{head}def h0({argument}):\n    {last}\n\n\n"
    for below, name in itertools.pairwise(names):
        made += f"{head.format(name)}def {name}({argument}):\n    {below}({argument})\n\n\n"
    return made


@pytest.mark.parametrize("step", ["{0}", "{0} or {0}"])
@pytest.mark.parametrize("length", [3, LONG])
@pytest.mark.parametrize(
    ("first", "test"),
    [
        pytest.param("pytest.mark.skip", f"@last\n{TEST}", id="decorator"),
        pytest.param("pytest", f"@last.mark.skip\n{TEST}", id="attribute"),
        pytest.param("pytest.mark.skip", f"pytestmark = [last]\n\n\n{TEST}", id="pytestmark"),
        pytest.param(
            "pytest.mark.skip",
            f"def later(test):\n    return last(test)\n\n\n@later\n{TEST}",
            id="helper",
        ),
        pytest.param(
            "pytest.skip", TEST.replace("    assert", "    last('x')\n    assert"), id="call"
        ),
        pytest.param(
            "pytest", TEST.replace("    assert", "    last.skip('x')\n    assert"), id="method"
        ),
        pytest.param(
            "AssertionError",
            "def test_total():\n    try:\n        assert total([1]) == 1\n"
            "    except last:\n        pass\n",
            id="handler",
        ),
        pytest.param(
            "contextlib.suppress",
            "def test_total():\n    with last(Exception):\n        assert total([1]) == 1\n",
            id="suppress",
        ),
    ],
)
def test_no_chain_hides_what_skips(first: str, test: str, length: int, step: str) -> None:
    assert verdict_between(HEAD + TEST, HEAD + chain(first, length, step) + test) == "refuses"


@pytest.mark.parametrize(
    "line", ["globals().pop(name)", "del globals()[name]", "vars().update({name: None})"]
)
def test_names_that_a_module_loses_when_it_runs_are_opaque(line: str) -> None:
    later = f"{HEAD}\n\nfor name in [each for each in globals() if 'test' in each]:\n    {line}\n"
    assert any(mute.opaque for mute in mutes_between(HEAD, later))


def test_what_is_made_of_too_many_names_is_opaque() -> None:
    later = HEAD + chain("pytest.mark.skip", LONG, "{0} or {0}") + f"@last\n{TEST}"
    assert any(mute.opaque and mute.detector == "opaque" for mute in mutes_between(HEAD, later))


@pytest.mark.parametrize("length", [1, 3, LONG])
@pytest.mark.parametrize(
    ("old", "new", "test", "verdict"),
    [
        pytest.param("False", "True", f"@pytest.mark.skipif(last, reason='x')\n{TEST}", "refuses"),
        pytest.param(
            "total == 1", "total != 1", f"@pytest.mark.skipif(last, reason='x')\n{TEST}", "warns"
        ),
        pytest.param(
            "True",
            "False",
            "def test_total():\n    if last:\n        assert total([1]) == 1\n",
            "refuses",
        ),
        pytest.param("[1]", "[]", "def test_total():\n    assert total(last) == 1\n", "warns"),
        pytest.param("[1, 2]", "[1]", f"@pytest.mark.parametrize('x', last)\n{DRAWN}", "refuses"),
        pytest.param("st.integers()", "st.just(1)", f"@given(last)\n{DRAWN}", "refuses"),
        pytest.param(
            "200", "1", f"@settings(max_examples=last)\n@given(st.integers())\n{DRAWN}", "refuses"
        ),
        pytest.param(
            "ValueError",
            "Exception",
            "def test_total():\n    with pytest.raises(last):\n        total('x')\n",
            "refuses",
        ),
    ],
)
def test_the_first_of_a_chain_decides_what_the_last_is(
    old: str, new: str, test: str, verdict: str, length: int
) -> None:
    """No line of the test and none but the first of the chain is another."""
    before, after = (HEAD + chain(first, length) + test for first in (old, new))
    assert verdict_between(before, after) == verdict


@pytest.mark.parametrize("depth", [2, 6, 80])
def test_no_depth_of_helpers_hides_a_skip(depth: int) -> None:
    test = TEST.replace("    assert", "    deep()\n    assert")
    new = helpers("pytest.skip('x')", depth)
    assert verdict_between(HEAD + TEST, HEAD + new + test, "marker") == "refuses"
    assert verdict_between(HEAD + helpers("pass", depth) + test, HEAD + new + test) == "refuses"


def test_a_helper_whose_module_knows_no_framework_hides_no_skip() -> None:
    leave = "import pytest\n\n\ndef leave():\n    pytest.skip('x')\n"
    between = "from tests.leave import leave\n\n\ndef between():\n    leave()\n"
    test = "from tests.between import between\n" + TEST.replace("    a", "    between()\n    a")
    files = {PATH: HEAD + test, "tests/leave.py": leave, "tests/between.py": between}
    assert verdict_between({PATH: HEAD + TEST}, files, "marker") == "refuses"


@pytest.mark.parametrize("depth", [2, 6, LONG])
def test_no_depth_of_helpers_hides_what_a_hook_does(depth: int) -> None:
    hook = "def pytest_collection_modifyitems(items):\n    deep(items)\n"
    conftest = helpers("items.clear()", depth, argument="items") + hook
    old, new = {PATH: HEAD + TEST}, {PATH: HEAD + TEST, "tests/conftest.py": conftest}
    assert verdict_between(old, new) == "refuses"


def test_a_hook_s_helper_that_calls_itself_is_followed_once() -> None:
    conftest = (
        "def name_of(item):\n    return name_of(item.parent) + item.name if item else ''\n\n\n"
        "def pytest_collection_modifyitems(items):\n    items.sort(key=lambda i: name_of(i))\n"
        "    name_of(items[0])\n"
    )
    old, new = {PATH: HEAD + TEST}, {PATH: HEAD + TEST, "tests/conftest.py": conftest}
    assert verdict_between(old, new) == "accepts"


@pytest.mark.parametrize("depth", [2, 20, LONG])
def test_no_depth_of_bases_or_fixtures_hides_a_loss(depth: int) -> None:
    def classes(base: str) -> str:
        names = [f"B{n}" for n in range(depth)]
        made = f"class B0({base}):\n    pass\n\n\n"
        for a, b in itertools.pairwise(names):
            made += f"class {b}({a}):\n    pass\n\n\n"
        test = "    def test_it(self):\n        self.assertEqual(total([1]), 1)\n"
        return f"{HEAD}{made}class Shop({names[-1]}):\n{test}"

    def fixtures(body: str) -> str:
        names = [f"f{n}" for n in range(depth)]
        made = f"@pytest.fixture\ndef f0():\n    {body}\n\n\n"
        for a, b in itertools.pairwise(names):
            made += f"@pytest.fixture\ndef {b}({a}):\n    return 1\n\n\n"
        return made + TEST.replace("()", f"({names[-1]})", 1)

    assert verdict_between(classes("unittest.TestCase"), classes("object")) == "refuses"
    new = HEAD + fixtures("pytest.skip('x')")
    assert verdict_between(HEAD + fixtures("return 1"), new, "marker") == "refuses"


@pytest.mark.parametrize("depth", [2, 12, 60])
def test_no_depth_of_strategies_hides_a_narrower_one(depth: int) -> None:
    def test(inner: str) -> str:
        return f"{HEAD}@given({'st.lists(' * depth}{inner}{')' * depth})\n{DRAWN}"

    assert verdict_between(test("st.integers()"), test("st.integers(0, 1)")) == "refuses"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param("a = b = None\na = b\nb = a\nb = pytest.mark.skip\n", id="each_other"),
        pytest.param("a = b = c = None\na = c\nb = a\nc = [a, b, pytest.mark.skip]\n", id="three"),
        pytest.param(
            "".join(f"c{n} = [{', '.join(f'c{m}' for m in range(40))}]\n" for n in range(40))
            + "c3 = pytest.mark.skip\na = c7\nb = c9\n",
            id="each_of_all",
        ),
    ],
)
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_names_that_are_bound_from_each_other_hide_no_marker(
    names: str, order: tuple[str, str]
) -> None:
    """Whichever is asked for first: what leads back to it is no answer of its own."""
    other = TEST.replace("test_total", "test_other")
    later = f"{HEAD}{names}\n\n@{order[0]}\n{other}\n\n@{order[1]}\n{TEST}"
    found = mutes_between(f"{HEAD}{other}\n\n{TEST}", later)
    refused = {mute.test for mute in found if mute.certainty.name == "CLEAR"}
    assert refused & {f"{PATH}::test_other", PATH}
    assert refused & {f"{PATH}::test_total", PATH}


def test_a_name_that_was_the_repository_s_too_is_no_new_one() -> None:
    files = {
        "tests/made.py": "from hypothesis import strategies as st\n\n\n"
        "@st.composite\ndef one(draw):\n    return draw(st.integers())\n\n\n"
        "some = st.integers() | one()\n"
    }
    test = f"from tests.made import some\n\n\n@given(some)\n{DRAWN}"
    old, new = {**files, PATH: HEAD + test}, {**files, PATH: f"{HEAD}import os\n{test}"}
    assert verdict_between(old, new) == "accepts"
