"""A frozen test with its helpers and fixtures, before and after a patch: the same, or changed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.model.ids import TestId
from freezegate.policy.domain.surface import Surface, differing_pieces, read_surface

if TYPE_CHECKING:
    from collections.abc import Mapping

TEST = "tests/test_order.py"
CONFTEST = "tests/conftest.py"
HELPERS = "tests/helpers.py"
BASE = {
    TEST: '''"""Orders."""
import pytest
from dataclasses import dataclass
from decimal import Decimal

import helpers
from helpers import make
from shop import total

LIMIT = Decimal("10")
ROWS = [1, 2]
UNUSED = 1

@dataclass
class Case:
    n: int
    def double(self):
        return self.n * 2

CASE = Case(3)

def near(a, b, slack=1):
    return far(a, b) < slack

def far(a, b):
    return abs(a - b)

@pytest.fixture
def row(order):
    return order

@pytest.mark.parametrize("n", ROWS)
def test_order(n, row):
    assert near(total(make(n), row), LIMIT) and helpers.check(CASE)

def only_other():
    return UNUSED

def test_other(other):
    assert only_other()
''',
    CONFTEST: """import pytest
from plugin import imported

@pytest.fixture
def order():
    return base()

def base():
    return 1

@pytest.fixture
def other():
    return 2

@pytest.fixture(autouse=True)
def quiet():
    yield
""",
    HELPERS: """import re
from deep import inner as renamed

WORD = re.compile("a")

def make(n):
    return renamed(n)

def check(case):
    return WORD

def unreached():
    return 0
""",
    "tests/deep.py": "def inner(n):\n    return n\n",
    "tests/plugin.py": "import pytest\n\n@pytest.fixture\ndef imported():\n    return 1\n",
}
CLASSES = {
    TEST: """import pytest
import unittest
from base import Base, Unused

class TestOrder(Base):
    limit = 3

    def setup_method(self):
        self.ready = True

    @pytest.fixture
    def order(self):
        return self.build()

    def build(self):
        return 1

    def test_order(self, order):
        assert self.check(order) and self.limit

    def test_other(self):
        assert self.other()

    def other(self):
        return 2

    class Inner:
        def test_inner(self):
            assert 1
""",
    "tests/base.py": """class Base:
    def check(self, order):
        return order

class Unused:
    pass
""",
}
Edit = tuple[str, str, str]


def read(
    files: Mapping[str, str], test: str = "test_order", *, skip_allowed: bool = True
) -> Surface:
    modules = {path.split("/")[-1].removesuffix(".py"): path for path in files}
    sources = {path: text.encode() for path, text in files.items()}
    conftests = [path for path in files if path.endswith("conftest.py")]
    names = TestId(f"{TEST}::{test}")
    return read_surface(modules, sources, conftests, names, skip_allowed=skip_allowed)


def edited(files: Mapping[str, str], *edits: Edit) -> dict[str, str]:
    """Replace a text in a file; without an old text, put the new one at the end."""
    result = dict(files)
    for path, old, new in edits:
        text = result.get(path, "")
        assert old in text
        result[path] = text.replace(old, new, 1) if old else text + new
    return result


def words(old: Surface, new: Surface) -> list[tuple[str, str, str]]:
    return [(each.path, each.name, each.word) for each in differing_pieces(old, new)]


TEST_LINE = '@pytest.mark.parametrize("n", ROWS)\n'
SKIP = '@pytest.mark.skip(reason="freezegate: order.total")\n'


def skipped(marker: str, imports: str = "") -> list[Edit]:
    edits = [(TEST, TEST_LINE, TEST_LINE + marker)]
    return [*edits, (TEST, "import pytest\n", f"import pytest\n{imports}")]


HONEST = [
    pytest.param([], id="nothing"),
    pytest.param([(TEST, "", "\ndef test_new(row):\n    assert helper()\n")], id="a_new_test"),
    pytest.param([(TEST, "assert only_other()", "assert 1")], id="another_test_edited"),
    pytest.param([(TEST, "return UNUSED", "return 3")], id="helper_of_another_test"),
    pytest.param([(TEST, "UNUSED = 1", "UNUSED = 2")], id="constant_of_another_test"),
    pytest.param([(TEST, "LIMIT =", "# limit\nLIMIT =")], id="comment"),
    pytest.param([(TEST, "far(a, b) < slack", "(\n  far(a,b)<slack)")], id="formatting"),
    pytest.param([(TEST, '"""Orders."""', '"""More."""')], id="docstring_of_the_module"),
    pytest.param(
        [
            (TEST, "import helpers\nfrom helpers import make\nfrom shop import total\n", ""),
            (TEST, "import pytest\n", "import pytest\nfrom shop import total\n"),
            (TEST, "from decimal", "from helpers import make\nimport helpers\nfrom decimal"),
        ],
        id="imports_sorted",
    ),
    pytest.param([(TEST, "import pytest\n", "import pytest\nimport os.path\n")], id="new_import"),
    pytest.param([(TEST, "ROWS =", "NEW = {'a': [1]}\nROWS =")], id="new_constant"),
    pytest.param([(TEST, "", "\nMORE = [Case(1), Case(n=2)]\n")], id="new_cases_of_a_plain_class"),
    pytest.param([(TEST, "", "\nP = Path(__file__).parent / 'x'\n")], id="new_path"),
    pytest.param([(TEST, "", "\nN = sorted\nS = st.lists(st.integers()).map(f)\n")], id="strategy"),
    pytest.param([(TEST, "", "\nS = frozenset(ROWS)\nD = Decimal(LIMIT)\n")], id="plain_values"),
    pytest.param(
        [
            (
                TEST,
                "",
                "\n@pytest.mark.parametrize('x', [pytest.param(1, id='a')])\ndef test_n(x): 1",
            )
        ],
        id="new_parametrized_test",
    ),
    pytest.param(
        [(TEST, "", "\n@given(st.integers())\n@settings(max_examples=5)\ndef test_n(x): 1\n")],
        id="new_property_test",
    ),
    pytest.param(
        [(TEST, "", "\n@patch.object(os, 'getcwd')\n@patch('os.getcwd')\ndef test_n(x, y): 1\n")],
        id="new_test_with_patches",
    ),
    pytest.param(
        [(TEST, "", "\nclass TestMore:\n    x = 1\n    def test_n(self): pass\n")],
        id="new_class_of_tests",
    ),
    pytest.param([(TEST, "def only_other()", "def only_other() -> int")], id="hints_elsewhere"),
    pytest.param([(HELPERS, "return 0", "return 1")], id="unreached_helper"),
    pytest.param([(HELPERS, "", "\ndef more():\n    return 0\n")], id="new_helper"),
    pytest.param([(CONFTEST, "return 2", "return 3")], id="fixture_of_another_test"),
    pytest.param(
        [(CONFTEST, "", "\n@pytest.fixture\ndef more(order):\n    return 1\n")], id="new_fixture"
    ),
    pytest.param(
        [("tests/new.py", "", "from __future__ import annotations\nX = 1\ndef f(): pass\n")],
        id="new_quiet_module",
    ),
    pytest.param([("tests/sub/conftest.py", "", '"""None."""\n')], id="new_empty_conftest"),
    pytest.param([(TEST, "def near(a, b, slack=1)", "def near(a,b,\n slack=1)")], id="spaces"),
    pytest.param(
        [
            (TEST, "def far(a, b):\n    return abs(a - b)\n\n", ""),
            (TEST, "", "def far(a, b):\n    return abs(a - b)\n"),
        ],
        id="plain_function_moved",
    ),
    pytest.param(
        [
            (
                TEST,
                "import pytest\n",
                "import pytest\nimport typing\nif typing.TYPE_CHECKING:\n    import x\n",
            )
        ],
        id="imports_for_types",
    ),
    pytest.param(skipped(SKIP), id="marker"),
    pytest.param(skipped("@pytest.mark.skip\n"), id="bare_marker"),
    pytest.param(skipped("@pytest.mark.skip()\n"), id="empty_marker"),
    pytest.param(skipped("@pytest.mark.skip('a' 'b')\n"), id="marker_with_a_positional_text"),
    pytest.param(skipped("@pt.mark.skip\n", "import pytest as pt\n"), id="pytest_by_another_name"),
    pytest.param(skipped("@mark.skip\n", "from pytest import mark\n"), id="mark"),
    pytest.param(skipped("@m.skip\n", "from pytest import mark as m\n"), id="mark_as"),
    pytest.param(skipped("@unittest.skip('x')\n", "import unittest\n"), id="unittest"),
    pytest.param(skipped("@skip('x')\n", "from unittest import skip\n"), id="unittest_name"),
    pytest.param([(TEST, TEST_LINE, SKIP + TEST_LINE)], id="marker_above_the_other_decorators"),
]
HOSTILE = [
    pytest.param([(TEST, "and helpers", "or helpers")], id="edits_the_test"),
    pytest.param([(TEST, "def test_order(", "async def test_order(")], id="makes_it_a_coroutine"),
    pytest.param([(TEST, "    assert near", "    return\n    assert near")], id="returns_early"),
    pytest.param([(TEST, "slack=1", "slack=99")], id="changes_a_helpers_default"),
    pytest.param([(TEST, "abs(a - b)", "0")], id="edits_a_helper_of_a_helper"),
    pytest.param([(TEST, 'Decimal("10")', 'Decimal("99")')], id="edits_a_constant"),
    pytest.param([(TEST, "[1, 2]", "[1]")], id="drops_a_row_in_a_constant"),
    pytest.param([(TEST, '"n", ROWS', '"n", []')], id="changes_the_decorator"),
    pytest.param([(TEST, "Case(3)", "Case(4)")], id="edits_a_dataclass_constant"),
    pytest.param([(TEST, "self.n * 2", "self.n")], id="edits_a_class"),
    pytest.param([(TEST, "    n: int", "    n: int = 1")], id="edits_a_field"),
    pytest.param([(HELPERS, "return renamed(n)", "return 1")], id="edits_an_imported_helper"),
    pytest.param([(HELPERS, 'compile("a")', 'compile("")')], id="edits_through_an_attribute"),
    pytest.param([("tests/deep.py", "return n", "return 0")], id="edits_behind_a_re_export"),
    pytest.param([(CONFTEST, "return base()", "return 5")], id="edits_a_fixture_of_a_fixture"),
    pytest.param([(CONFTEST, "return 1", "return 5")], id="edits_a_fixtures_helper"),
    pytest.param([(CONFTEST, "def order", "def order_")], id="renames_a_fixture"),
    pytest.param([(CONFTEST, "    yield", "    yield 1")], id="edits_an_autouse_fixture"),
    pytest.param([(CONFTEST, "autouse=True", "autouse=False")], id="turns_autouse_off"),
    pytest.param(
        [("tests/sub/conftest.py", "", "import pytest\n@pytest.fixture\ndef order(): return 0\n")],
        id="overrides_a_fixture_nearer",
    ),
    pytest.param(
        [(TEST, "", "\n@pytest.fixture(name='order')\ndef x(): return 0\n")],
        id="overrides_a_fixture_by_name",
    ),
    pytest.param(
        [(TEST, "", "\n@pytest.fixture(name='or' + 'der')\ndef x(): return 0\n")],
        id="overrides_a_fixture_by_a_computed_name",
    ),
    pytest.param(
        [(TEST, "", "\norder = pytest.fixture(lambda: 0)\n")], id="overrides_a_fixture_by_a_call"
    ),
    pytest.param(
        [(CONFTEST, "import imported", "import imported as order")],
        id="overrides_a_fixture_by_an_import",
    ),
    pytest.param(
        [(CONFTEST, "", "\n@pytest.fixture(autouse=True)\ndef more(monkeypatch): pass\n")],
        id="adds_an_autouse_fixture",
    ),
    pytest.param(
        [(CONFTEST, "", "\n@pytest.fixture(autouse=1 > 0)\ndef more(): pass\n")],
        id="adds_a_computed_autouse_fixture",
    ),
    pytest.param(
        [(CONFTEST, "", "\n@pytest.fixture(**OPTIONS)\ndef more(): pass\n")],
        id="adds_a_fixture_with_hidden_options",
    ),
    pytest.param(
        [(CONFTEST, "", "\nfix = partial(pytest.fixture, autouse=True)\n@fix\ndef more(): 1\n")],
        id="adds_an_autouse_fixture_by_an_alias",
    ),
    pytest.param(
        [(CONFTEST, "", "\nfrom pytest import fixture as f\n@f(autouse=True)\ndef more(): 1\n")],
        id="adds_an_autouse_fixture_by_another_name",
    ),
    pytest.param([(TEST, "", "\n_ = setattr(total, 'x', 1)\n")], id="sets_an_attribute_by_a_call"),
    pytest.param([(TEST, "", "\nsetattr(total, 'x', 1)\n")], id="calls_at_import"),
    pytest.param([(TEST, "", "\ntotal.x = 1\n")], id="assigns_an_attribute"),
    pytest.param([(TEST, "", "\nROWS[0] = 1\n")], id="assigns_an_item"),
    pytest.param([(TEST, "", "\nROWS += [1]\n")], id="augments"),
    pytest.param([(TEST, "", "\ndel ROWS\n")], id="deletes"),
    pytest.param([(TEST, "", "\nX = [near := far]\n")], id="rebinds_by_a_walrus"),
    pytest.param([(TEST, "", "\nfor near in [far]: pass\n")], id="rebinds_by_a_loop"),
    pytest.param([(TEST, "", "\nwith near(): pass\n")], id="enters_a_context"),
    pytest.param([(TEST, "", "\nif setattr(total, 'x', 1): pass\n")], id="acts_in_a_condition"),
    pytest.param([(TEST, "", "\ntry: exec('')\nfinally: pass\n")], id="acts_in_a_try"),
    pytest.param([(TEST, "", "\ndef f(x=setattr(total, 'x', 1)): 1\n")], id="acts_in_a_default"),
    pytest.param([(TEST, "", "\ndef f(x: setattr(total, 'x', 1)): 1\n")], id="acts_in_a_hint"),
    pytest.param([(TEST, "", "\n@evil\ndef test_n(): 1\n")], id="acts_in_a_decorator"),
    pytest.param(
        [(TEST, "", "\n@pytest.mark.parametrize('x', [exec('')])\ndef test_n(x): 1\n")],
        id="acts_in_another_tests_rows",
    ),
    pytest.param([(TEST, "", "\nclass A:\n    setattr(total, 'x', 1)\n")], id="acts_in_a_class"),
    pytest.param(
        [(TEST, "", "\nclass A:\n    def __init__(self): total.x = 1\nX = A()\n")],
        id="acts_in_a_constructor",
    ),
    pytest.param(
        [(TEST, "", "\nclass M(type):\n    def __new__(*a): 1\nclass A(metaclass=M): 1\n")],
        id="acts_in_a_metaclass",
    ),
    pytest.param(
        [(TEST, "", "\nclass M:\n    def __init_subclass__(c): 1\nclass A(M): 1\n")],
        id="acts_in_a_base",
    ),
    pytest.param(
        [(TEST, "", "\nclass M:\n    def __set_name__(*a): 1\nclass A:\n    x = M()\n")],
        id="acts_in_a_descriptor",
    ),
    pytest.param(
        [(TEST, "", "\nclass M:\n    def __class_getitem__(*a): 1\nX = M[0]\n")],
        id="acts_in_an_index",
    ),
    pytest.param(
        [(TEST, "", "\ndef sorted(x): total.x = x\nX = sorted(1)\n")],
        id="acts_in_a_name_that_looks_harmless",
    ),
    pytest.param(
        [("tests/evil.py", "", "def compile(x): 1\n"), (TEST, "", "\nX = evil.compile(1)\n")],
        id="acts_in_a_method_that_looks_harmless",
    ),
    pytest.param([(TEST, "", "\nX = list(map(near, ROWS))\n")], id="acts_through_map"),
    pytest.param([(TEST, "", "\nX = sorted(ROWS, key=near)\n")], id="acts_through_a_key"),
    pytest.param(
        [(TEST, "", "\nclass A:\n    def __str__(self): total.x = 1\nX = f'{A()}'\n")],
        id="acts_in_a_text",
    ),
    pytest.param(
        [(TEST, "", "\nclass A:\n    @property\n    def x(self): 1\nX = A().x\n")],
        id="acts_in_a_property",
    ),
    pytest.param([(TEST, "", "\n__builtins__ = {}\n")], id="replaces_the_builtins"),
    pytest.param(
        [("tests/new.py", "", "import os\nos.environ['A'] = 'b'\n")], id="new_module_acts"
    ),
    pytest.param(
        [("tests/new.py", "", "from unittest.mock import patch\npatch('shop.total').start()\n")],
        id="patches_in_a_new_helper_module",
    ),
    pytest.param([(CONFTEST, "", "\ndef pytest_runtest_setup(item): 1\n")], id="adds_a_hook"),
    pytest.param(
        [("tests/new.py", "", "def pytest_runtest_setup(item): 1\n")], id="adds_a_hook_in_a_plugin"
    ),
    pytest.param(
        [(CONFTEST, "", "\nfrom x import pytest_runtest_setup\n")], id="adds_a_hook_by_an_import"
    ),
    pytest.param(
        [(CONFTEST, "", "\n@pytest.fixture\ndef tmp_path_factory(): 1\n")],
        id="overrides_a_fixture_of_pytests_fixtures",
    ),
    pytest.param([(CONFTEST, "", "\nfrom deep import *\n")], id="adds_a_star_to_a_conftest"),
    pytest.param([(CONFTEST, "", "\ncollect_ignore = ['a']\n")], id="ignores_files"),
    pytest.param([(CONFTEST, "", "\ncollect_ignore_glob = ['a']\n")], id="ignores_globs"),
    pytest.param([(CONFTEST, "", "\npytest_plugins = ['a']\n")], id="adds_a_plugin"),
    pytest.param([(TEST, "", "\npytestmark = pytest.mark.skip\n")], id="marks_the_module"),
    pytest.param([(TEST, "", "\n__test__ = False\n")], id="hides_the_module"),
    pytest.param([(TEST, "", "\ndef setup_module(): 1\n")], id="adds_a_set_up"),
    pytest.param([(TEST, "", "\ndef setup_function(f): 1\n")], id="adds_a_set_up_by_function"),
    pytest.param([(HELPERS, "", "\ndef __getattr__(n): 1\n")], id="adds_a_module_getattr"),
    pytest.param([(TEST, "", "\ndef near(a, b): return True\n")], id="shadows_a_helper"),
    pytest.param([(TEST, "", "\nnear = far\n")], id="shadows_a_helper_by_a_value"),
    pytest.param([(TEST, "", "\nfrom deep import inner as near\n")], id="shadows_by_an_import"),
    pytest.param([(TEST, "", "\nfrom os import path as near\n")], id="shadows_by_a_foreign_import"),
    pytest.param([(TEST, "", "\ndef abs(n): return 0\n")], id="shadows_a_builtin"),
    pytest.param([(TEST, "", "\ndef total(*a): return 0\n")], id="shadows_the_subject"),
    pytest.param([(TEST, "from shop import", "from fake import")], id="swaps_the_subject"),
    pytest.param(
        [("tests/evil.py", "", "def near(a, b): return 1\n"), (TEST, "", "\nfrom evil import *\n")],
        id="shadows_by_a_star_import",
    ),
    pytest.param([(TEST, "", "\nfrom nowhere import *\n")], id="shadows_by_a_foreign_star_import"),
    pytest.param(
        [
            (
                TEST,
                "from helpers import make",
                "try:\n    import nothing\n    from helpers import make\n"
                "except ImportError:\n    from deep import inner as make",
            )
        ],
        id="shadows_by_an_import_error",
    ),
    pytest.param(
        [(TEST, "def far(a, b)", "if 1:\n  def far(a, b): return 0\ndef far_(a, b)")],
        id="hides_a_helper_in_a_condition",
    ),
    pytest.param([(TEST, "", "\ntest_order = test_other\n")], id="swaps_the_test"),
    pytest.param([(TEST, "", "\ndef test_order(): pass\n")], id="defines_the_test_again"),
    pytest.param([("tests/shop.py", "", "def total(*a): 1\n")], id="shadows_the_subjects_module"),
    pytest.param(
        [(TEST, "import pytest\n", "from __future__ import annotations\nimport pytest\n")],
        id="changes_how_the_module_is_compiled",
    ),
    pytest.param(
        [(TEST, "ROWS = [1, 2]\n", ""), (TEST, "LIMIT =", "ROWS = [1, 2]\nLIMIT =")],
        id="moves_statements_that_run",
    ),
    pytest.param([(HELPERS, "", "\ndef make(n: int): 1\n")], id="shadows_in_a_helper_module"),
    pytest.param([(TEST, "def test_order", "def tést_order")], id="takes_the_test_away"),
    pytest.param([(TEST, "", "\n(")], id="breaks_the_source"),
    pytest.param([("tests/new.py", "", "x = '\0'\n")], id="hides_a_module_in_bad_bytes"),
    pytest.param([("tests/new.py", "", "x = " + "(" * 900 + ")" * 900)], id="nests_too_deep"),
    pytest.param([("tests/new.py", "", "x = " + "-" * 5000 + "1")], id="nests_operators_too_deep"),
    pytest.param(skipped(SKIP + SKIP), id="two_markers"),
    pytest.param(skipped("@pytest.mark.skip(reason=f'{x}')\n"), id="computed_reason"),
    pytest.param(skipped("@pytest.mark.skip(reason=near(1, 2))\n"), id="reason_by_a_call"),
    pytest.param(skipped("@pytest.mark.skip(LIMIT)\n"), id="reason_by_a_name"),
    pytest.param(skipped("@pytest.mark.skip(**{})\n"), id="hidden_keywords"),
    pytest.param(skipped("@pytest.mark.skip('a', 'b')\n"), id="two_texts"),
    pytest.param(skipped("@pytest.mark.skipif(True, reason='x')\n"), id="skipif"),
    pytest.param(skipped("@pytest.mark.xfail\n"), id="xfail"),
    pytest.param(skipped("@unittest.skip\n", "import unittest\n"), id="unittest_without_reason"),
    pytest.param(skipped("@unittest.skip('x')\n"), id="unittest_that_is_not_imported"),
    pytest.param(skipped("@mark.skip\n", "from evil import mark\n"), id="mark_of_somebody_else"),
    pytest.param(skipped("@mark.skip\n", "from .pytest import mark\n"), id="mark_of_a_neighbour"),
    pytest.param(
        [*skipped(SKIP), (TEST, "UNUSED = 1", "pytest = UNUSED = 1")], id="rebinds_pytest"
    ),
    pytest.param(
        [*skipped(SKIP), (TEST, "", "\ndef f():\n    global pytest\n")], id="rebinds_pytest_inside"
    ),
    pytest.param(
        [*skipped(SKIP), (TEST, "import pytest\n", "import pytest\nfrom deep import *\n")],
        id="may_rebind_pytest_by_a_star",
    ),
]


@pytest.mark.parametrize("edits", HONEST)
def test_same(edits: list[Edit]) -> None:
    assert words(read(BASE), read(edited(BASE, *edits))) == []


@pytest.mark.parametrize("edits", HOSTILE)
def test_changed(edits: list[Edit]) -> None:
    assert words(read(BASE), read(edited(BASE, *edits))) != []


CLASS_HONEST = [
    pytest.param([(TEST, "return 2", "return 3")], id="method_of_another_test"),
    pytest.param([(TEST, "assert self.other()", "assert 1")], id="another_test_method"),
    pytest.param([(TEST, "assert 1", "assert 2")], id="nested_class_of_other_tests"),
    pytest.param(
        [(TEST, "    def test_other", "    def test_new(self): 1\n\n    def test_other")],
        id="new_test_method",
    ),
    pytest.param([("tests/base.py", "pass", "x = 1")], id="another_base"),
    pytest.param(
        [(TEST, "    def test_order", "    @unittest.skip('x')\n    def test_order")], id="marker"
    ),
]
CLASS_HOSTILE = [
    pytest.param([(TEST, "return 1", "return 9")], id="method_of_a_fixture"),
    pytest.param([(TEST, "return self.build()", "return 0")], id="fixture_method"),
    pytest.param([(TEST, "self.ready = True", "pass")], id="set_up_method"),
    pytest.param([(TEST, "limit = 3", "limit = 4")], id="class_constant"),
    pytest.param([(TEST, "(Base)", "(Unused)")], id="base"),
    pytest.param([(TEST, "(Base)", "(Base, metaclass=M)")], id="metaclass"),
    pytest.param([(TEST, "class Test", "@pytest.mark.skip\nclass Test")], id="marks_the_class"),
    pytest.param([("tests/base.py", "return order", "return 1")], id="inherited_method"),
    pytest.param(
        [("tests/base.py", "class Unused", "    @pytest.fixture\n    def order(self): 1\nclass U")],
        id="inherited_fixture_method",
    ),
    pytest.param(
        [(TEST, "    def test_other", "    def check(self, o): return 1\n    def test_other")],
        id="overrides_an_inherited_method",
    ),
    pytest.param(
        [(TEST, "    def test_other", "    def setUp(self): 1\n    def test_other")],
        id="adds_a_set_up",
    ),
    pytest.param(
        [(TEST, "    def test_other", "    def __getattr__(self, n): 1\n    def test_other")],
        id="adds_a_dunder",
    ),
    pytest.param(
        [(TEST, "    def test_other", "    def test_order(self): 1\n    def test_other")],
        id="defines_the_test_again",
    ),
    pytest.param(
        [(TEST, "    def test_other", "    test_order = None\n    def test_other")],
        id="replaces_the_test",
    ),
    pytest.param(
        [(TEST, "    class Inner:", "    pytestmark = []\n    class Inner:")], id="class_marks"
    ),
    pytest.param(
        [
            (
                TEST,
                "    class Inner",
                "    @pytest.fixture(autouse=True)\n    def a(self): 1\n    class Inner",
            )
        ],
        id="adds_an_autouse_fixture",
    ),
    pytest.param([(TEST, "", "\nclass TestOrder(Base): pass\n")], id="defines_the_class_again"),
    pytest.param([(TEST, "", "\nTestOrder = Base\n")], id="replaces_the_class"),
    pytest.param([(TEST, "", "\nTestOrder.test_order = None\n")], id="edits_the_class_from_afar"),
]


@pytest.mark.parametrize("edits", CLASS_HONEST)
def test_same_method(edits: list[Edit]) -> None:
    test = "TestOrder::test_order"
    assert words(read(CLASSES, test), read(edited(CLASSES, *edits), test)) == []


@pytest.mark.parametrize("edits", CLASS_HOSTILE)
def test_changed_method(edits: list[Edit]) -> None:
    test = "TestOrder::test_order"
    assert words(read(CLASSES, test), read(edited(CLASSES, *edits), test)) != []


# Ways to name a helper `aid` or a fixture `aid`; the edit is always in what they lead to.
AID = "def aid(*a):\n    return 1\n"
FIXTURE = "import pytest\n@pytest.fixture\ndef aid():\n    return 1\n"
REACHES = [
    pytest.param(f"{AID}def test_order(): aid()", "", id="name"),
    pytest.param(f"{AID}def test_order(x: 'list[aid]'): 1", "", id="hint_that_is_a_text"),
    pytest.param(f"{AID}def test_order(x=lambda: aid): 1", "", id="lambda_in_a_default"),
    pytest.param(f"{AID}def test_order():\n  def f(): [aid for _ in x]\n  f()", "", id="nested"),
    pytest.param(f"{AID}def test_order():\n  match 1:\n   case aid.x: 1", "", id="match"),
    pytest.param(f"{AID}def test_order(): globals()['a' + 'id']()", "", id="globals"),
    pytest.param(f"{AID}def test_order(): eval('ai' + 'd()')", "", id="eval"),
    pytest.param("def aid():\n    return 1\ndef test_order(): \uff41id()", "", id="normal_form"),
    pytest.param(f"{AID}def test_order(): vars(sys.modules[__name__])[x]()", "", id="modules"),
    pytest.param(f"{AID}table = {{1: aid}}\ndef test_order(): table[1]()", "", id="table"),
    pytest.param("if x:\n  a = 1\n  def aid(): return 1\ndef test_order(): aid()", "", id="block"),
    pytest.param("from m import aid\ndef test_order(): aid()", AID, id="from_import"),
    pytest.param("import m\ndef test_order(): m.aid()", AID, id="module"),
    pytest.param("import m as n\ndef test_order(): n.aid.x()", AID, id="module_by_another_name"),
    pytest.param("import m\ndef test_order(): getattr(m, x)()", AID, id="module_as_a_value"),
    pytest.param("from .m import aid\ndef test_order(): aid()", AID, id="relative"),
    pytest.param("from . import m\ndef test_order(): m.aid()", AID, id="relative_module"),
    pytest.param("import tests.m\ndef test_order(): tests.m.aid()", AID, id="dotted"),
    pytest.param("from m import *\ndef test_order(): aid()", AID, id="star"),
    pytest.param("def test_order():\n  from m import aid\n  aid()", AID, id="import_inside"),
    pytest.param("def test_order():\n  import m as n\n  n.aid()", AID, id="module_inside"),
    pytest.param("def test_order(): import_module('m').aid()", AID, id="module_named_by_a_text"),
    pytest.param("def test_order(): patch('m.aid')", AID, id="dotted_text"),
    pytest.param("def test_order(aid): 1", FIXTURE, id="fixture"),
    pytest.param("@usefixtures('aid')\ndef test_order(): 1", FIXTURE, id="usefixtures"),
    pytest.param("def test_order(r): r.getfixturevalue('aid')", FIXTURE, id="getfixturevalue"),
    pytest.param("def test_order(r): r.getfixturevalue('a' + x)", FIXTURE, id="computed_fixture"),
    pytest.param("pytestmark = usefixtures('aid')\ndef test_order(): 1", FIXTURE, id="pytestmark"),
    pytest.param("@given(data())\ndef test_order(*, aid): 1", FIXTURE, id="keyword_only"),
]


@pytest.mark.parametrize(("source", "module"), REACHES)
def test_reaches(source: str, module: str) -> None:
    files = {TEST: source, "tests/m.py": module}
    path = "tests/m.py" if module else TEST
    new = edited(files, (path, "return 1", "return 2"))
    assert [each[:2] for each in words(read_dotted(files), read_dotted(new))] == [(path, "aid")]


def read_dotted(files: Mapping[str, str]) -> Surface:
    modules = {path[:-3].replace("/", "."): path for path in files} | {"m": "tests/m.py"}
    sources = {path: text.encode() for path, text in files.items()}
    return read_surface(modules, sources, [], TestId(f"{TEST}::test_order"))


def test_marker_counts_where_it_is_not_allowed() -> None:
    marked = edited(BASE, *skipped(SKIP))
    assert words(read(BASE, skip_allowed=False), read(marked, skip_allowed=False)) == [
        (TEST, "test_order", "changed")
    ]


def test_what_only_the_marker_uses_is_not_reached() -> None:
    assert (TEST, "pytest") not in read(
        {TEST: "import pytest\n@pytest.mark.skip\ndef test_order(): 1"}
    ).pieces


def test_differences_name_path_name_line_and_word() -> None:
    new = edited(
        BASE,
        (TEST, "abs(a - b)", "0"),
        (TEST, "Case(3)", "Case(4)"),
        (HELPERS, "def check", "def build"),
    )
    new[TEST] += "\ndef near(a): 1\n"
    found = differing_pieces(read(BASE), read(new))
    assert [tuple(each) for each in found] == [
        (HELPERS, "WORD", 4, "removed"),
        (HELPERS, "check", 9, "removed"),
        (HELPERS, "re", 1, "removed"),
        (TEST, "CASE", 20, "changed"),
        (TEST, "far", 25, "changed"),
        (TEST, "near", 42, "changed"),
    ]


def test_a_package_that_gives_its_modules_name_to_something_else() -> None:
    files = {TEST: "import p.m as m\ndef test_order(): m.aid()", "p/m.py": AID, "p/__init__.py": ""}
    modules = {"p": "p/__init__.py", "p.m": "p/m.py"}
    new = edited(files, ("p/__init__.py", "", "m = 1\n"))
    old_surface, new_surface = (
        read_surface(
            modules, {k: v.encode() for k, v in side.items()}, [], TestId(f"{TEST}::test_order")
        )
        for side in (files, new)
    )
    assert ("p/m.py", "aid") in old_surface.pieces
    assert words(old_surface, new_surface) == [("p/__init__.py", "m", "added")]


def test_missing_source_is_a_fault() -> None:
    surface = read_surface({"m": "m.py"}, {}, [], TestId("m.py::test_a"))
    assert surface.fault == ("m.py", "no such file")
    assert differing_pieces(surface, surface)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from([*BASE]), min_size=1))
def test_law_reformatting_changes_nothing(paths: set[str]) -> None:
    new = {p: ast.unparse(ast.parse(t)) if p in paths else t for p, t in BASE.items()}
    assert words(read(BASE), read(new)) == []


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([TEST, HELPERS, CONFTEST]), st.data())
def test_law_any_edit_of_a_reached_statement_is_seen(path: str, data: st.DataObject) -> None:
    surface = read(BASE)
    lines = BASE[path].splitlines(keepends=True)
    reached = [
        node
        for node in ast.parse(BASE[path]).body
        if isinstance(node, ast.FunctionDef) and (path, node.name) in surface.pieces
    ]
    node = data.draw(st.sampled_from(reached))
    lines.insert(node.body[0].lineno - 1, "    pass\n")
    assert (path, node.name, "changed") in words(surface, read({**BASE, path: "".join(lines)}))
