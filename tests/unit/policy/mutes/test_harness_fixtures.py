"""Fixtures through which old tests check less, and honest work on fixtures."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

CONFTEST = "tests/conftest.py"
TEST = (
    "import pytest\nfrom shop import total\n\n\n"
    "def test_total(order):\n    assert total(order) == 1\n"
)
FIXTURES = (
    "import pytest\nfrom shop import load\n\n\n@pytest.fixture\ndef order():\n"
    "    found = load('order.json')\n    assert found\n    return found\n"
)
OLD = {PATH: TEST, CONFTEST: FIXTURES, "shop.py": "def total(items):\n    return 1\n"}
DRESSINGS = {
    "alone": {},
    "source": {"shop.py": "def total(items):\n    return 2\n"},
    "other_tests": {"tests/test_more.py": "def test_more():\n    assert True\n"},
}


def more(body: str, decorator: str = "@pytest.fixture(autouse=True)") -> str:
    """The conftest file with another fixture."""
    return f"{FIXTURES}\n\n{decorator}\ndef quiet():\n{body}"


def gutted(body: str) -> str:
    """The conftest file whose fixture does something else."""
    return FIXTURES.partition("    found")[0] + body


def own(fixture: str) -> str:
    """The test module with a fixture of its own."""
    return TEST.replace("\n\n\ndef", f"\n\n\n{fixture}\n\n\ndef")


REFUSED = [
    pytest.param({CONFTEST: more("    pytest.skip('later')\n")}, id="autouse_skips"),
    pytest.param(
        {
            CONFTEST: more("    if True:\n        later()\n")
            + "def later():\n    pytest.xfail('x')\n"
        },
        id="autouse_skips_by_helper",
    ),
    pytest.param(
        {CONFTEST: more("    try:\n        yield\n    except Exception:\n        pass\n")},
        id="autouse_swallows",
    ),
    pytest.param(
        {PATH: own("@pytest.fixture(autouse=True)\ndef q():\n    pytest.skip('x')")}, id="in_module"
    ),
    pytest.param(
        {
            CONFTEST: more("    pytest.skip('later')\n", "@pytest.fixture"),
            PATH: TEST.replace("(order)", "(order, quiet)", 1),
        },
        id="new_fixture_newly_asked_for",
    ),
    pytest.param(
        {
            CONFTEST: more("    pytest.skip('later')\n", "@pytest.fixture"),
            PATH: TEST.replace("def test", "@pytest.mark.usefixtures('quiet')\ndef test"),
        },
        id="new_fixture_by_usefixtures",
    ),
    pytest.param({PATH: own("@pytest.fixture\ndef order():\n    return [1]")}, id="overridden"),
    pytest.param(
        {PATH: own("@pytest.fixture(name='order')\ndef other():\n    return [1]")},
        id="overridden_by_name",
    ),
    pytest.param(
        {PATH: own("def make():\n    return [1]\n\norder = pytest.fixture(make)")},
        id="overridden_by_call",
    ),
    pytest.param(
        {
            PATH: TEST.replace("import pytest\n", "import pytest\nfrom tests.fakes import order\n"),
            "tests/fakes.py": "import pytest\n\n@pytest.fixture\ndef order():\n    return [1]\n",
        },
        id="overridden_by_import",
    ),
    pytest.param({CONFTEST: gutted("    pass\n")}, id="gutted"),
    pytest.param({CONFTEST: gutted("    return None\n")}, id="gutted_to_none"),
    pytest.param({CONFTEST: gutted("    yield\n")}, id="gutted_to_yield"),
]
DOUBTED = [
    pytest.param({PATH: own("@pytest.fixture\ndef order(order):\n    return order")}, id="extends"),
    pytest.param({CONFTEST: gutted("    return [1, 2]\n")}, id="a_literal_now"),
    pytest.param(
        {
            CONFTEST: "import pytest\n"
            + more("    if request.node.get_closest_marker('slow'):\n        pytest.skip('x')\n")
        },
        id="skips_slow_tests",
    ),
]
ACCEPTED = [
    pytest.param({CONFTEST: more("    return 1\n", "@pytest.fixture")}, id="a_new_fixture"),
    pytest.param({CONFTEST: more("    yield\n    print('done')\n")}, id="autouse"),
    pytest.param(
        {CONFTEST: more("    try:\n        yield\n    finally:\n        print()\n")}, id="finally"
    ),
    pytest.param(
        {CONFTEST: more("    pytest.skip('no database')\n", "@pytest.fixture")}, id="skips_who_asks"
    ),
    pytest.param(
        {"tests/test_new.py": own("@pytest.fixture\ndef order():\n    return [1]")},
        id="in_a_new_module",
    ),
    pytest.param(
        {
            "tests/test_new.py": "import pytest\n\n@pytest.fixture(autouse=True)\ndef q():\n"
            "    pytest.skip('x')\n\n\ndef test_a():\n    assert True\n"
        },
        id="skips_in_a_new_module",
    ),
    pytest.param({CONFTEST: FIXTURES.replace("'order.json'", "'order2.json'")}, id="other_data"),
    pytest.param(
        {
            CONFTEST: "import pytest\n",
            PATH: own(
                "@pytest.fixture\ndef order():\n    found = load('order.json')\n"
                "    assert found\n    return found"
            ),
        },
        id="moved_to_its_module",
    ),
]


@pytest.mark.parametrize("dressing", DRESSINGS)
@pytest.mark.parametrize("changes", REFUSED)
def test_fixtures_that_silence_are_found(changes: dict[str, str], dressing: str) -> None:
    assert verdict_between(OLD, {**OLD, **DRESSINGS[dressing], **changes}, "harness") == "refuses"


@pytest.mark.parametrize("changes", DOUBTED)
def test_what_may_be_honest_is_doubted(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "harness") == "warns"


@pytest.mark.parametrize("changes", ACCEPTED)
def test_honest_work_on_fixtures_is_none(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "harness") == "accepts"


@pytest.mark.parametrize("changes", REFUSED)
def test_what_stood_there_before_is_none(changes: dict[str, str]) -> None:
    old = {**OLD, **changes}
    new = {path: text + "\nX = 1\n" if path in changes else text for path, text in old.items()}
    assert verdict_between(old, new, "harness") == "accepts"


def test_a_nearer_conftest_overrides() -> None:
    old = {**OLD, "tests/orders/test_o.py": TEST}
    near = "import pytest\n\n@pytest.fixture\ndef order():\n    return [1]\n"
    assert verdict_between(old, {**old, "tests/orders/conftest.py": near}, "harness") == "refuses"


def test_a_fixture_that_another_asks_for_is_overridden_too() -> None:
    fixtures = FIXTURES + "\n\n@pytest.fixture\ndef paid(order):\n    return order\n"
    old = {**OLD, CONFTEST: fixtures, PATH: TEST.replace("(order)", "(paid)")}
    new = own("@pytest.fixture\ndef order():\n    return [1]").replace(
        "test_total(order)", "test_total(paid)"
    )
    assert (
        verdict_between(old, {**old, PATH: new.replace("total(order)", "total(paid)")}, "harness")
        == "refuses"
    )


def test_rows_of_a_fixture_that_are_dropped_are_found() -> None:
    old = more("    return 1\n", "@pytest.fixture(params=[1, 2, 3])")
    new = old.replace("[1, 2, 3]", "[1]")
    assert verdict_between({**OLD, CONFTEST: old}, {**OLD, CONFTEST: new}, "harness") == "refuses"
    assert verdict_between({**OLD, CONFTEST: new}, {**OLD, CONFTEST: old}, "harness") == "accepts"


def test_a_finding_names_the_fixture() -> None:
    (found,) = [
        m
        for m in mutes_between(OLD, {**OLD, CONFTEST: gutted("    pass\n")})
        if m.detector == "harness"
    ]
    assert (found.path, found.now) == (CONFTEST, "fixture order: pass")


def test_a_fixture_that_hands_out_less_is_for_a_person() -> None:
    head = "import pytest\n\n\n@pytest.fixture\ndef items():\n    "
    for was, now, verdict in (
        ("return [1, 2, 3]", "return []", "warns"),
        ("return [1, 2, 3]", "return [1, 2]", "warns"),
        ("yield {'a': 1}", "yield {}", "warns"),
        ("return [1, 2]", "return [1, 2, 3]", "accepts"),
        ("return [1, 2]", "return [3, 4]", "accepts"),
    ):
        old, new = ({"tests/conftest.py": f"{head}{each}\n"} for each in (was, now))
        assert verdict_between(old, new, "harness") == verdict, (was, now)
