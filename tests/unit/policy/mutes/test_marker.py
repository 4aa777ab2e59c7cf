"""Markers and calls that skip: which are found, in whatever spelling, and which are none."""

from __future__ import annotations

import ast

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

TEST = "def test_total():\n    assert total([1]) == 1\n"
OLD = f"import pytest\nfrom shop import total\n\n{TEST}"


def marked(decorator: str, imports: str = "import pytest") -> str:
    """The module with a decorator on its test."""
    return f"{imports}\nfrom shop import total\n\n{decorator}\n{TEST}"


def starting(line: str, imports: str = "import pytest") -> str:
    """The module with a line at the start of its test."""
    body = TEST.replace("    assert", f"    {line}\n    assert")
    return f"{imports}\nfrom shop import total\n\n{body}"


REFUSED = [
    pytest.param(marked("@pytest.mark.skip"), id="skip"),
    pytest.param(marked("@pytest.mark.skip(reason='later')"), id="skip_with_a_reason"),
    pytest.param(marked("@pytest.mark.skipif(True, reason='x')"), id="skipif_true"),
    pytest.param(marked("@pytest.mark.skipif(not False, reason='x')"), id="skipif_computed"),
    pytest.param(
        marked("@pytest.mark.skipif(sys.platform == 'x', reason='')", "import pytest, sys"),
        id="skipif_on_an_old_test",
    ),
    pytest.param(marked("@pytest.mark.xfail"), id="xfail"),
    pytest.param(marked("@pytest.mark.xfail(strict=False)"), id="xfail_not_strict"),
    pytest.param(marked("@mark.skip", "from pytest import mark"), id="mark"),
    pytest.param(marked("@m.skip", "from pytest import mark as m"), id="mark_under_another_name"),
    pytest.param(marked("@p.mark.skip", "import pytest as p"), id="pytest_under_another_name"),
    pytest.param(marked("slow = pytest.mark.skip\n\n@slow"), id="assigned"),
    pytest.param(marked("a = pytest\nb = a.mark\nc = b.skip\n\n@c"), id="assigned_thrice"),
    pytest.param(marked("@getattr(pytest.mark, 'skip')"), id="getattr"),
    pytest.param(marked("@getattr(pytest.mark, 'sk' + 'ip')"), id="getattr_computed"),
    pytest.param(marked("@(later := pytest.mark.skip)"), id="walrus"),
    pytest.param(marked("@[pytest.mark.skip][0]"), id="item_of_a_list"),
    pytest.param(marked("MARKS = {'a': pytest.mark.skip}\n@MARKS['a']"), id="item_of_a_dict"),
    pytest.param(
        marked("def later(f):\n    return pytest.mark.skip(f)\n\n@later"), id="decorator_built"
    ),
    pytest.param(
        marked("def later(why):\n    return pytest.mark.skip(reason=why)\n\n@later('x')"),
        id="decorator_built_with_an_argument",
    ),
    pytest.param(marked("@__import__('pytest').mark.skip"), id="imported_in_place"),
    pytest.param(marked("@pytest.mark.\u017fkip"), id="long_s"),
    pytest.param(marked("@unittest.skip('x')", "import unittest"), id="unittest_skip"),
    pytest.param(marked("@skip('x')", "from unittest import skip"), id="unittest_skip_alone"),
    pytest.param(marked("@unittest.skipIf(1, 'x')", "import unittest"), id="unittest_skip_if"),
    pytest.param(
        marked("@unittest.skipUnless(0, 'x')", "import unittest"), id="unittest_skip_unless"
    ),
    pytest.param(
        marked("@unittest.expectedFailure", "import unittest"), id="unittest_expected_failure"
    ),
    pytest.param(OLD + "\npytestmark = pytest.mark.skip\n", id="pytestmark"),
    pytest.param(OLD + "\npytestmark = [pytest.mark.skip(reason='x')]\n", id="pytestmark_list"),
    pytest.param(OLD + "\npytestmark: object = pytest.mark.xfail\n", id="pytestmark_typed"),
    pytest.param(starting("pytest.skip('x')"), id="skip_call"),
    pytest.param(starting("pytest.xfail('x')"), id="xfail_call"),
    pytest.param(starting("pytest.importorskip('nothing')"), id="importorskip"),
    pytest.param(starting("raise pytest.skip.Exception('x')"), id="raises_skipped"),
    pytest.param(starting("raise unittest.SkipTest", "import unittest"), id="raises_unittest_skip"),
    pytest.param(starting("raise SkipTest('x')", "from unittest import SkipTest"), id="skip_test"),
    pytest.param(starting("skip('x')", "from pytest import skip"), id="skip_call_imported"),
    pytest.param(starting("(stop := pytest.skip)('x')"), id="skip_call_walrus"),
    pytest.param(
        starting("later()", "import pytest\ndef later():\n    pytest.skip('x')"), id="skip_helper"
    ),
    pytest.param(
        "import pytest\nfrom shop import total\n\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.skip)])\n" + TEST,
        id="marks_of_a_row",
    ),
]

REFUSED += [
    pytest.param(OLD.replace("\n\n", f"\n{line}\n\n"), id=name)
    for name, line in {
        "module_level": "pytest.skip('x', allow_module_level=True)",
        "module_level_importorskip": "np = pytest.importorskip('numpy')",
        "module_level_raise": "import unittest\nraise unittest.SkipTest('x')",
        "module_level_raise_bare": "from unittest import SkipTest\nraise SkipTest",
        "module_level_in_if": "import os\nif 'CI' in os.environ:\n"
        "    pytest.skip('x', allow_module_level=True)",
        "module_level_in_except": "try:\n    import x\nexcept ImportError:\n"
        "    pytest.skip('', allow_module_level=True)",
        "module_level_in_class": "class A:\n    pytest.skip('x', allow_module_level=True)",
        "module_level_in_default": "def f(a=pytest.skip('x', allow_module_level=True)): pass",
        "module_level_and": "True and pytest.skip('x', allow_module_level=True)",
        "module_level_walrus": "if (s := pytest.skip('x', allow_module_level=True)): pass",
        "module_level_helper": "def later():\n    pytest.skip('', allow_module_level=True)\n"
        "later()",
        "module_level_lambda": "(lambda: pytest.skip('', allow_module_level=True))()",
        "module_level_comprehension": "[pytest.skip('', allow_module_level=True) for _ in 'a']",
        "pytestmark_in_if": "import sys\nif sys.platform != 'x':\n"
        "    pytestmark = pytest.mark.skip",
        "pytestmark_sum": "pytestmark = [] + [pytest.mark.skip]",
        "autouse": "@pytest.fixture(autouse=True)\ndef _stop():\n    pytest.skip('x')",
        "autouse_that_yields": "@pytest.fixture(autouse=True)\ndef _stop():\n"
        "    pytest.skip('x')\n    yield",
        "autouse_indirect": "@pytest.fixture\ndef no():\n    pytest.skip('x')\n"
        "@pytest.fixture(autouse=True)\ndef _a(no): pass",
        "autouse_applymarker": "@pytest.fixture(autouse=True)\ndef _a(request):\n"
        "    request.applymarker(pytest.mark.xfail)",
        "setup_module": "def setup_module():\n    pytest.skip('x')",
        "set_up_module": "def setUpModule():\n    pytest.skip('x')",
        "setup_function": "def setup_function(f):\n    pytest.skip('x')",
        "usefixtures": "@pytest.fixture\ndef no():\n    pytest.skip('x')\n"
        "pytestmark = pytest.mark.usefixtures('no')",
    }.items()
]
REFUSED += [
    pytest.param(
        "import pytest\nfrom shop import total\n\n@pytest.fixture\n"
        "def no():\n    pytest.skip('x')\n\n" + TEST.replace("total()", "total(no)", 1),
        id="asks_for_a_fixture_that_skips",
    ),
    pytest.param(
        marked(
            "@pytest.fixture\ndef no():\n    pytest.skip('x')\n\n@pytest.mark.usefixtures('no')"
        ),
        id="uses_a_fixture_that_skips",
    ),
    pytest.param(
        marked("def later(f):\n    def g(*a):\n        pytest.skip('x')\n    return g\n\n@later"),
        id="decorator_that_wraps",
    ),
    pytest.param(
        marked(
            "class Later:\n    def __init__(self, f): pass\n"
            "    def __call__(self):\n        pytest.skip('x')\n\n@Later"
        ),
        id="decorator_that_is_a_class",
    ),
    pytest.param(
        starting("raise Later", "import unittest\nclass Later(unittest.SkipTest): pass"),
        id="own_exception",
    ),
    pytest.param(
        starting(
            "with Later(): pass",
            "import pytest\nclass Later:\n"
            "    def __enter__(self): pytest.skip('')\n"
            "    def __exit__(self, *a): pass",
        ),
        id="context_manager",
    ),
    pytest.param(marked("@pytest.mark.skipif('True', reason='x')"), id="condition_as_text"),
    pytest.param(marked("@pytest.mark.xfail(run=False, reason='x')"), id="never_run"),
    pytest.param(
        "import pytest\nfrom shop import total\n\nROW = pytest.param(1, marks=[pytest.mark.skip])\n"
        "ROWS = [ROW]\n@pytest.mark.parametrize('n', ROWS)\n" + TEST,
        id="marks_of_a_row_behind_names",
    ),
    pytest.param(
        "import pytest\nfrom shop import total\n\ndef row(n):\n"
        "    return pytest.param(n, marks=pytest.mark.skip)\n"
        "@pytest.mark.parametrize('n', [row(1)])\n" + TEST,
        id="marks_of_a_row_that_is_built",
    ),
    pytest.param(
        "import pytest\nfrom shop import total\n\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, **{'marks': pytest.mark.skip})])\n" + TEST,
        id="marks_of_a_row_by_stars",
    ),
]


@pytest.mark.parametrize("new", REFUSED)
def test_what_skips_an_old_test_is_found(new: str) -> None:
    assert verdict_between(OLD, new, "marker") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_an_edit_of_the_source_lowers_nothing(new: str) -> None:
    old = {PATH: OLD, "shop.py": "def total(items):\n    return sum(items)\n"}
    edited = {PATH: new, "shop.py": "def total(items):\n    return 1 + sum(items)\n"}
    assert verdict_between(old, edited, "marker") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_neither_a_rename_nor_more_tests_lower_anything(new: str) -> None:
    more = "\n\ndef test_more():\n    assert total([]) == 0\n    assert True\n"
    dressed = new.replace("def test_total", "def test_sum_of_it") + more
    assert verdict_between(OLD, dressed, "marker") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_another_layout_lowers_nothing(new: str) -> None:
    dressed = ast.unparse(ast.parse(new)).replace("    ", "\t").replace("\n", "\r\n")
    assert verdict_between(OLD, dressed, "marker") == "refuses"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD + "\nNOTE = '@pytest.mark.skip'\n", id="a_text_that_quotes_a_marker"),
        pytest.param(OLD.replace("def", "# @pytest.mark.skip\ndef"), id="a_comment"),
        pytest.param(marked("@pytest.mark.skipif(False, reason='x')"), id="never_skips"),
        pytest.param(OLD + "\n\ndef test_more():\n    assert total([]) == 0\n", id="a_new_test"),
    ],
)
def test_what_skips_nothing_is_none(new: str) -> None:
    assert verdict_between(OLD, new, "marker") == "accepts"


def test_a_marker_that_stood_there_before_is_none() -> None:
    old = marked("@pytest.mark.skip")
    assert verdict_between(old, old + "\nX = 1\n", "marker") == "accepts"


def test_a_new_test_that_skips_is_noted() -> None:
    new = OLD + "\n\n@pytest.mark.skipif(total is None, reason='x')\ndef test_b():\n    pass\n"
    assert verdict_between(OLD, new, "marker") == "notes"


def test_a_finding_says_what_stood_there_and_what_stands_there_now() -> None:
    (found,) = mutes_between(OLD, marked("@pytest.mark.skip"))
    assert (found.path, found.line, found.test) == (PATH, 4, f"{PATH}::test_total")
    assert found.now == "pytest.mark.skip"
    assert (found.remedy, found.offer) == ("Take it out and make the test pass.", found.test)


CLASS = (
    "import unittest\nimport pytest\n\n\n"
    "{top}class TestIt({base}):\n{inside}    def test_a(self):\n"
    "        {line}\n"
)


def a_class(
    top: str = "", base: str = "unittest.TestCase", inside: str = "", line: str = "assert self.x"
) -> str:
    """A module with one test class."""
    return CLASS.format(top=top, base=base, inside=inside, line=line)


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(a_class(line="self.skipTest('x')"), id="skip_test"),
        pytest.param(a_class(line="super().skipTest('x')"), id="super_skip_test"),
        pytest.param(a_class(line="unittest.TestCase.skipTest(self, 'x')"), id="unbound"),
        pytest.param(
            a_class(inside="    def setUp(self):\n        self.skipTest('x')\n"), id="set_up"
        ),
        pytest.param(
            a_class(
                inside="    @classmethod\n    def setUpClass(cls):\n"
                "        raise unittest.SkipTest\n"
            ),
            id="set_up_class",
        ),
        pytest.param(
            a_class(inside="    def no(self):\n        self.skipTest('x')\n", line="self.no()"),
            id="own_method",
        ),
        pytest.param(a_class(top="@unittest.skip('x')\n"), id="class_decorator"),
        pytest.param(
            a_class(inside="    pytestmark = [pytest.mark.skip]\n"), id="class_pytestmark"
        ),
        pytest.param(
            a_class(
                top="class Base(unittest.TestCase):\n    def setUp(self):\n"
                "        self.skipTest('x')\n\n",
                base="Base",
            ),
            id="base_whose_setup_skips",
        ),
        pytest.param(
            a_class(top="@pytest.mark.skip\nclass Base(unittest.TestCase): pass\n\n", base="Base"),
            id="base_that_is_marked",
        ),
        pytest.param(
            a_class(
                top="class Base:\n    def __init_subclass__(cls):\n"
                "        cls.pytestmark = pytest.mark.skip\n\n",
                base="Base, unittest.TestCase",
            ),
            id="init_subclass",
        ),
        pytest.param(
            a_class(
                top="class Meta(type):\n    def __new__(m, n, b, d):\n"
                "        return pytest.mark.skip(type.__new__(m, n, b, d))\n\n",
                base="unittest.TestCase, metaclass=Meta",
            ),
            id="metaclass",
        ),
        pytest.param(
            a_class(
                inside="    @pytest.fixture(autouse=True)\n    def no(self):\n"
                "        pytest.skip('x')\n"
            ),
            id="autouse",
        ),
    ],
)
def test_what_skips_a_class_is_found(new: str) -> None:
    assert verdict_between(a_class(), new, "marker") == "refuses"


HELPED = (
    "import pytest\nfrom tests.helpers import WIN, slow\n\n\n"
    "@slow\ndef test_a(db):\n    if WIN:\n"
    "        pytest.skip('x')\n    assert db\n"
)
HELPERS = "import sys\nimport pytest\nWIN = sys.platform == 'win32'\nslow = pytest.mark.slow\n"
CONFTEST = "import pytest\n\n@pytest.fixture\ndef db():\n    return 1\n"
PROJECT = {"tests/test_it.py": HELPED, "tests/helpers.py": HELPERS, "tests/conftest.py": CONFTEST}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        pytest.param(
            {"tests/helpers.py": HELPERS.replace("mark.slow", "mark.skip")},
            "refuses",
            id="a_name_becomes_skip",
        ),
        pytest.param(
            {"tests/helpers.py": HELPERS.replace("sys.platform == 'win32'", "True")},
            "refuses",
            id="a_condition_becomes_true",
        ),
        pytest.param(
            {"tests/helpers.py": HELPERS.replace("win32", "linux")},
            "warns",
            id="a_condition_changes",
        ),
        pytest.param(
            {"tests/conftest.py": CONFTEST.replace("return 1", "pytest.skip('x')")},
            "refuses",
            id="a_fixture_skips",
        ),
        pytest.param(
            {
                "tests/conftest.py": CONFTEST.replace(
                    "return 1", "if no():\n        pytest.skip('x')"
                )
            },
            "refuses",
            id="a_fixture_skips_at_times",
        ),
        pytest.param(
            {
                "tests/conftest.py": CONFTEST
                + "@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip('x')\n"
            },
            "refuses",
            id="a_new_autouse_fixture",
        ),
        pytest.param(
            {"tests/conftest.py": CONFTEST + "@pytest.fixture\ndef no():\n    pytest.skip('x')\n"},
            "notes",
            id="a_fixture_that_nobody_asks_for",
        ),
        pytest.param(
            {"tests/a/conftest.py": CONFTEST.replace("return 1", "pytest.skip('x')")},
            "refuses",
            id="a_fixture_is_overridden_below",
        ),
        pytest.param(
            {
                "tests/conftest.py": CONFTEST,
                "tests/test_it.py": HELPED.replace(
                    "import WIN", "import skipped as slow, WIN"
                ).replace(", slow", ""),
                "tests/helpers.py": HELPERS + "skipped = pytest.mark.skip\n",
            },
            "refuses",
            id="another_name_is_imported",
        ),
        pytest.param(
            {
                "tests/test_it.py": HELPED.replace(
                    "import pytest\n", "import pytest\nimport tests.needs\n"
                ),
                "tests/needs.py": "import pytest\npytest.importorskip('x')\n",
            },
            "refuses",
            id="imports_what_skips",
        ),
        pytest.param(
            {"tests/test_it.py": HELPED + "@pytest.fixture\ndef db():\n    pytest.skip('x')\n"},
            "refuses",
            id="a_fixture_is_overridden_in_the_module",
        ),
    ],
)
def test_what_skips_from_elsewhere_is_found(changes: dict[str, str], verdict: str) -> None:
    assert verdict_between(PROJECT, {**PROJECT, **changes}, "marker") == verdict


def conditional(condition: str, more: str = "") -> str:
    """The module with a conditional skip."""
    return marked(
        f"@pytest.mark.skipif({condition}, reason='x')\n{more}",
        "import pytest\nfrom sys import platform",
    )


def expected(arguments: str) -> str:
    """The module with an expected failure."""
    return marked(f"@pytest.mark.xfail({arguments})")


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(
            conditional("platform == 'a'"), conditional("True"), "refuses", id="always_true"
        ),
        pytest.param(
            conditional("platform == 'a'"),
            conditional("platform == 'a' or 1"),
            "refuses",
            id="or_one",
        ),
        pytest.param(
            conditional("platform == 'a'"),
            conditional("platform == 'b'"),
            "warns",
            id="another_condition",
        ),
        pytest.param(
            conditional("platform == 'a'"),
            conditional("platform == 'a' or platform == 'b'"),
            "warns",
            id="or_another",
        ),
        pytest.param(
            conditional("platform == 'a'"),
            conditional("platform == 'a'", "@pytest.mark.skipif(platform == 'b', reason='')"),
            "refuses",
            id="one_more",
        ),
        pytest.param(
            conditional("platform == 'a' or platform == 'b'"),
            conditional("platform == 'b'"),
            "accepts",
            id="narrowed",
        ),
        pytest.param(
            conditional("platform == 'a'"),
            conditional("platform == 'a' and x"),
            "accepts",
            id="narrowed_by_and",
        ),
        pytest.param(
            conditional("platform == 'a'").replace("'x'", "'y'"),
            conditional("platform == 'a'"),
            "accepts",
            id="another_reason",
        ),
        pytest.param(
            marked("@pytest.mark.skip"),
            conditional("platform == 'a'"),
            "accepts",
            id="only_at_times",
        ),
        pytest.param(
            marked("@pytest.mark.skip"), expected("strict=True"), "accepts", id="runs_again"
        ),
        pytest.param(
            marked("@pytest.mark.skip"), starting("pytest.skip('x')"), "accepts", id="mark_to_call"
        ),
        pytest.param(marked("@pytest.mark.skip"), OLD, "accepts", id="removed"),
        pytest.param(expected("strict=True"), expected("strict=False"), "refuses", id="not_strict"),
        pytest.param(expected("strict=True"), expected(""), "refuses", id="strict_dropped"),
        pytest.param(expected("raises=ValueError"), expected(""), "refuses", id="raises_dropped"),
        pytest.param(
            expected("raises=ValueError"),
            expected("raises=Exception"),
            "refuses",
            id="raises_anything",
        ),
        pytest.param(
            expected("raises=ValueError"),
            expected("raises=(ValueError, KeyError)"),
            "warns",
            id="raises_more",
        ),
        pytest.param(
            expected("raises=(ValueError, KeyError)"),
            expected("raises=KeyError"),
            "accepts",
            id="raises_less",
        ),
        pytest.param(expected(""), expected("strict=True"), "accepts", id="strict_now"),
        pytest.param(
            expected("strict=True"), marked("@pytest.mark.skip"), "refuses", id="xfail_to_skip"
        ),
        pytest.param(
            starting("if no(): pytest.skip('x')"),
            starting("pytest.skip('x')"),
            "refuses",
            id="call_without_its_condition",
        ),
        pytest.param(
            starting("if no(): pytest.skip('x')"),
            starting("if not no(): pytest.skip('x')"),
            "warns",
            id="call_with_the_opposite",
        ),
        pytest.param(
            starting("if no(): pytest.skip('x')"),
            starting("if no() and 1 > a: pytest.skip('x')"),
            "accepts",
            id="call_narrowed",
        ),
        pytest.param(
            starting("if no(): pytest.skip('x')"),
            starting("if no(): pytest.skip('y')"),
            "accepts",
            id="call_with_another_reason",
        ),
    ],
)
def test_a_silencer_that_changes_is_refused_where_it_silences_more(
    old: str, new: str, verdict: str
) -> None:
    assert verdict_between(old, new, "marker") == verdict


def rows(*each: str) -> str:
    """A module with a table."""
    return (
        f"import pytest\n\n"
        f"@pytest.mark.parametrize('n', [{', '.join(each)}])\n"
        f"def test_a(n):\n    assert n\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(
            rows("1", "2"),
            rows("1", "pytest.param(2, marks=pytest.mark.skip)"),
            "refuses",
            id="an_old_row",
        ),
        pytest.param(
            rows("1", "2"),
            rows("1", "2", "pytest.param(3, marks=pytest.mark.xfail)"),
            "notes",
            id="a_new_row",
        ),
        pytest.param(
            rows("1", "2"),
            rows("1", "pytest.param(3, marks=pytest.mark.skip)"),
            "warns",
            id="a_changed_row",
        ),
        pytest.param(
            rows("1", "pytest.param(2, marks=pytest.mark.skip)"),
            rows("pytest.param(1, marks=pytest.mark.skip)", "2"),
            "refuses",
            id="another_row",
        ),
        pytest.param(
            rows("1", "pytest.param(2, marks=pytest.mark.skip)"),
            rows("1", "2"),
            "accepts",
            id="removed",
        ),
    ],
)
def test_a_marker_of_a_row(old: str, new: str, verdict: str) -> None:
    assert verdict_between(old, new, "marker") == verdict


@pytest.mark.parametrize(
    ("conftest", "verdict"),
    [
        pytest.param(
            "def pytest_collection_modifyitems(items):\n"
            "    return [i for i in items if 'slow' not in i.keywords]\n",
            "warns",
            id="acts",
        ),
        pytest.param(
            "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')\n",
            "accepts",
            id="registers",
        ),
        pytest.param("", "accepts", id="knows_nothing"),
    ],
)
def test_a_marker_of_the_projects_own(conftest: str, verdict: str) -> None:
    before = {PATH: OLD, "conftest.py": conftest}
    after = {**before, PATH: marked("@pytest.mark.slow")}
    assert verdict_between(before, after, "custom_mark") == verdict


def test_a_test_that_is_new_may_skip_where_it_cannot_run() -> None:
    new = (
        OLD + "\n\n@pytest.fixture\ndef db():\n    pytest.skip('x')\n\ndef test_b(db):\n    pass\n"
    )
    assert verdict_between(OLD, new, "marker") == "notes"
