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


STRATEGIES = "\nfrom hypothesis import given, settings, strategies as st\n"
PATCH = "\nimport os\nfrom unittest.mock import patch\n"
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
    pytest.param(
        [(TEST, "", "\nfrom pathlib import Path\nP = Path(__file__).parent / 'x'\n")], id="new_path"
    ),
    pytest.param(
        [(TEST, "", f"{STRATEGIES}N = sorted\nS = st.lists(st.integers()).map(f)\n")], id="strategy"
    ),
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
        [
            (
                TEST,
                "",
                f"{STRATEGIES}@given(st.integers())\n@settings(max_examples=5)\ndef test_n(x): 1\n",
            )
        ],
        id="new_property_test",
    ),
    pytest.param(
        [
            (
                TEST,
                "",
                f"{PATCH}@patch.object(os, 'getcwd')\n@patch('os.getcwd')\ndef test_n(x, y): 1\n",
            )
        ],
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


# What is put at the end of the frozen test's module, which imports nothing of it yet.
QUIET = [
    pytest.param("from decimal import Decimal as D\nX = [D('1')]\n", id="class_by_another_name"),
    pytest.param("import datetime as dt\nX = dt.datetime.now(dt.timezone.utc)\n", id="dates"),
    pytest.param(
        "from pathlib import Path\nX = Path(__file__)\nY = X.parent.joinpath('a')\n"
        "Z = [p.read_text().upper() for p in Y.glob('*')]\n",
        id="paths",
    ),
    pytest.param(
        "X = max(1, 2)\nY = sorted([2, 1], key=str)\nZ = sum(n for n in X)\n", id="built_ins"
    ),
    pytest.param(
        "import os\nX = os.getenv('CI')\nY = os.environ.get('A', '').split(',')\n", id="env"
    ),
    pytest.param(
        "X = [(n, str(n).upper()) for n in range(3)]\nY = {n: 'a'.join(m) for n, m in X}\n",
        id="comprehensions",
    ),
    pytest.param("X = list(map(str, [1]))\nY = 'a,b'.replace('a', 'b').split(',')\n", id="texts"),
    pytest.param("import logging\nlogger = logging.getLogger(__name__)\n", id="logger"),
    pytest.param("import re\nX = re.compile('a').sub('a', 'b')\n", id="pattern"),
    pytest.param("import json\nX = json.loads('{}')['a']\n", id="json"),
    pytest.param(
        "from typing import NamedTuple\nclass R(NamedTuple):\n    n: int\nX = [R(1)]\n",
        id="named_tuple",
    ),
    pytest.param(
        "from collections import namedtuple\nR = namedtuple('R', 'a b')\nX = [R(1, 2)]\n",
        id="made_named_tuple",
    ),
    pytest.param(
        "import enum\nclass C(enum.Enum):\n    A = enum.auto()\nX = [C(1), C.A]\n", id="enum"
    ),
    pytest.param("class E(ValueError):\n    pass\nX = [E('a'), KeyError('b')]\n", id="exceptions"),
    pytest.param(
        "import dataclasses as dc\n@dc.dataclass\nclass D:\n"
        "    a: list = dc.field(default_factory=list)\n    def b(self): return 1\nX = D(a=[1])\n",
        id="dataclass",
    ),
    pytest.param(
        "from hypothesis import strategies as st\n@st.composite\ndef pairs(draw): return 1\n"
        "X = pairs().map(lambda p: print(p))\nY = st.builds(near, X)\n",
        id="strategies",
    ),
    pytest.param(
        "import sys\nwin = pytest.mark.skipif(sys.platform == 'win32', reason='a')\n"
        "@win\n@pytest.mark.slow\ndef test_n(): 1\n",
        id="marks",
    ),
    pytest.param(
        "@pytest.mark.parametrize('c', [near, far], ids=lambda c: c.__name__)\ndef test_n(c): 1\n",
        id="functions_in_rows",
    ),
    pytest.param(
        "@pytest.mark.parametrize('c', [pytest.param(near, id='a')], ids=str)\ndef test_n(c): 1\n",
        id="param",
    ),
    pytest.param(
        "from functools import lru_cache, partial, wraps\n@lru_cache()\ndef cached(): 1\n"
        "def d(f):\n    @wraps(f)\n    def g(): 1\n    return g\nX = partial(near, 1)\n",
        id="partial",
    ),
    pytest.param(
        "class A:\n    @property\n    def x(self): 1\n    @x.setter\n    def x(self, v): 1\n"
        "    @staticmethod\n    def y(): 1\n",
        id="class_with_a_property",
    ),
    pytest.param("class A:\n    pass\nclass B(A):\n    def m(self): 1\nX = B()\n", id="own_base"),
    pytest.param("import helpers as h\nX = h.WORD\n", id="value_of_a_helper_module"),
    pytest.param("if __name__ == '__main__':\n    pytest.main()\n", id="script"),
    pytest.param(
        "if __name__ == '__main__':\n    import sys\n    sys.exit(pytest.main([__file__]))\n",
        id="script_with_an_import",
    ),
    pytest.param("X = pytest.raises(ValueError, match='a')\n", id="expected_errors"),
    pytest.param(
        "import importlib.util\nX = importlib.util.find_spec('numpy') is not None\n", id="probe"
    ),
]
DEEDS = [
    pytest.param(
        "from functools import partial\nfrom multiprocessing.pool import ThreadPool\n"
        "X = ThreadPool(1, partial(near))\n",
        id="pool_that_is_handed_a_function",
    ),
    pytest.param(
        "from collections import UserDict\nclass C(UserDict):\n    def update(self, *a): 1\n"
        "X = C({1: 2})\n",
        id="template_method",
    ),
    pytest.param(
        "class C(dict):\n    def items(self): 1\nimport json\nX = json.dumps(C())\n",
        id="method_of_a_container",
    ),
    pytest.param("class C:\n    def keys(self): 1\nX = dict(C())\n", id="keys_method"),
    pytest.param("import subprocess\nX = subprocess.Popen(['a'])\n", id="process"),
    pytest.param("from subprocess import Popen as Path\nX = Path(['a'])\n", id="process_as_a_path"),
    pytest.param("import shutil\nX = shutil.copy('a', 'b')\n", id="copies_a_file"),
    pytest.param("import os\nX = os.replace('a', 'b')\n", id="moves_a_file"),
    pytest.param("from pathlib import Path\nX = Path('a').replace('b')\n", id="moves_a_path"),
    pytest.param("from pathlib import Path\nX = Path('a').write_text('b')\n", id="writes_a_path"),
    pytest.param("from io import FileIO\nX = FileIO('a', 'w')\n", id="empties_a_file"),
    pytest.param("X = open('a', 'w')\n", id="opens_a_file"),
    pytest.param(
        "from shop import quick\n@quick.mark.fast\ndef test_n(): 1\n", id="mark_of_somebody_else"
    ),
    pytest.param(
        "from shop import strategies as st\nX = st.lists()\n", id="strategies_of_somebody_else"
    ),
    pytest.param("from shop import Decimal\nX = Decimal('1')\n", id="class_of_somebody_else"),
    pytest.param("from shop import fixture\n@fixture\ndef a(): 1\n", id="fixture_of_somebody_else"),
    pytest.param("import shop\nX = shop.re.compile('a')\n", id="module_behind_a_module"),
    pytest.param("re = near\nX = re.compile('a')\n", id="own_value_with_a_known_name"),
    pytest.param("import re\nfrom shop import re\nX = re.compile('a')\n", id="known_name_rebound"),
    pytest.param("class A:\n    re = near\n    x = re.compile('a')\n", id="known_name_in_a_class"),
    pytest.param(
        "X = [str(n) for str in [near] for n in [1]]\n", id="known_name_in_a_comprehension"
    ),
    pytest.param("X = [f(1) for f in [near]]\n", id="calls_in_a_comprehension"),
    pytest.param("X = sorted([1], key=lambda n: near(n, n))\n", id="lambda_that_acts"),
    pytest.param(
        "from functools import partial\nX = sorted([1], key=partial(near))\n",
        id="partial_that_acts",
    ),
    pytest.param(
        "from functools import partial\nK = partial(near)\nX = sorted([1], key=K)\n",
        id="partial_by_name",
    ),
    pytest.param(
        "from operator import methodcaller\nX = sorted([1], key=methodcaller('x'))\n",
        id="methodcaller",
    ),
    pytest.param("X = sorted([1], **{'key': near})\n", id="key_in_a_dict"),
    pytest.param("K = [near]\nX = sorted([1], key=K[0])\n", id="key_in_a_list"),
    pytest.param("import json\nX = json.loads('{}', object_hook=near)\n", id="hook_of_json"),
    pytest.param("X = pytest.mark.skip(test_order)\n", id="marks_the_test_by_a_call"),
    pytest.param("X = pytest.mark.skip(*[test_order])\n", id="marks_the_test_by_a_star"),
    pytest.param("M = pytest.mark.skip\nX = M(test_order)\n", id="marks_the_test_by_another_name"),
    pytest.param(
        "@pytest.mark.slow(test_order)\ndef test_n(): 1\n", id="marks_the_test_in_a_decorator"
    ),
    pytest.param(
        "@pytest.mark.parametrize('c', [1], ids=near)\ndef test_n(c): 1\n", id="function_for_ids"
    ),
    pytest.param(
        "@pytest.mark.parametrize('c', [1], False, near)\ndef test_n(c): 1\n", id="fourth_argument"
    ),
    pytest.param("X = pytest.raises(ValueError, near, 1)\n", id="raises_that_calls"),
    pytest.param(
        "from hypothesis import strategies as st\nX = st.integers().example()\n", id="draws"
    ),
    pytest.param(
        "from hypothesis import strategies as st\nst.register_type_strategy(int, near)\n",
        id="registers_a_strategy",
    ),
    pytest.param("from hypothesis import settings\nX = settings.load_profile('a')\n", id="profile"),
    pytest.param(
        "import enum\nclass C(enum.Enum):\n    A = 1\n    def __init__(self, n): 1\n",
        id="constructor_of_an_enum",
    ),
    pytest.param(
        "from shop import Choices\nclass C(Choices):\n    A = 1\n    def __new__(c, n): 1\n",
        id="constructor_of_what_may_be_an_enum",
    ),
    pytest.param(
        "class M:\n    def __init_subclass__(c): 1\nclass N(M): 1\nclass O(N): 1\n",
        id="hook_of_a_base_of_a_base",
    ),
    pytest.param("G = (n for n in ROWS)\nX = list(G)\n", id="uses_up_a_generator"),
    pytest.param(
        "import numpy as np\nnp = pytest.importorskip('numpy')\n", id="may_skip_the_module"
    ),
    pytest.param(
        "import importlib.util\nX = importlib.util.find_spec('a.b')\n", id="imports_a_package"
    ),
    pytest.param(
        "f = pytest.fixture\n@f(autouse=True)\ndef more(): 1\n", id="fixture_by_another_name"
    ),
    pytest.param("from helpers import check as dict\nX = dict(1)\n", id="helper_as_a_built_in"),
    pytest.param("if __name__ != '__main__':\n    exec('')\n", id="no_script"),
    pytest.param(
        "if __name__ == '__main__':\n    pass\nelse:\n    exec('')\n", id="beside_a_script"
    ),
    pytest.param(
        "__name__ = '__main__'\nif __name__ == '__main__':\n    exec('')\n", id="name_of_a_script"
    ),
]


@pytest.mark.parametrize("source", QUIET)
def test_quiet(source: str) -> None:
    assert words(read(BASE), read(edited(BASE, (TEST, "", source)))) == []


@pytest.mark.parametrize("source", DEEDS)
def test_deed(source: str) -> None:
    assert words(read(BASE), read(edited(BASE, (TEST, "", source)))) != []


def test_using_up_what_the_test_goes_over_is_a_deed() -> None:
    files = edited(BASE, (TEST, "ROWS = [1, 2]", "ROWS = zip([1], [2])"))
    assert words(read(files), read(edited(files, (TEST, "", "\nX = [n for n in ROWS]\n"))))


def test_own_modules_with_known_names_are_not_trusted() -> None:
    files = {**BASE, "tests/decimal.py": "def Decimal(n): return n\n"}
    assert words(read(files), read(edited(files, (TEST, "", "\nX = Decimal('1')\n"))))


FIXTURE_OF = "import pytest\n\n@pytest.fixture\ndef {}():\n    return 1\n"
# A test, and the name of a fixture that a nearer conftest adds: may the test come to use it?
UNASKED = [
    pytest.param("def test_order(tmp_path, capsys): 1", "order", id="pytests_own"),
    pytest.param("def test_order(monkeypatch): 1", "capsys", id="not_asked_by_pytests_own"),
    pytest.param(
        "import pytest\n@pytest.mark.parametrize('a, b', [])\ndef test_order(a, b): 1",
        "c",
        id="parameters",
    ),
    pytest.param(
        "from mock import patch\n@patch('a.b')\n@patch.object(a, 'b')\ndef test_order(a, b): 1",
        "c",
        id="mocks",
    ),
    pytest.param("@given(x)\ndef test_order(tmp_path, n): 1", "c", id="drawn"),
    pytest.param("@given(n=x)\ndef test_order(*, n): 1", "c", id="drawn_by_name"),
    pytest.param("def test_order(n=1): 1", "c", id="default"),
    pytest.param("def near(a, b): 1\ndef test_order(): near(1, 2)", "c", id="arguments_of_helpers"),
    pytest.param("def test_order(): assert {'order': 1}", "order", id="key_of_a_dict"),
    pytest.param("def test_order(): assert open('order.json')", "order", id="file_name"),
    pytest.param(
        "def test_order(monkeypatch): monkeypatch.setenv('order', 'a')", "order", id="text"
    ),
    pytest.param("import os\ndef test_order(): getattr(os, 'order')", "order", id="attribute"),
]
ASKED = [
    pytest.param("def test_order(pytester): 1", "monkeypatch", id="beneath_pytester"),
    pytest.param("def test_order(tmpdir): 1", "tmp_path_factory", id="beneath_tmpdir"),
    pytest.param("def test_order(limited): 1", "limit_config", id="beneath_a_plugins_fixture"),
    pytest.param("@usefixtures('limited')\ndef test_order(): 1", "limit_config", id="usefixtures"),
    pytest.param(
        "import pytest\n@pytest.fixture\ndef row(limited): 1\ndef test_order(row): 1",
        "limit_config",
        id="beneath_a_fixture",
    ),
    pytest.param(
        "import pytest\n@pytest.fixture(autouse=True)\ndef row(limited): 1\ndef test_order(): 1",
        "limit_config",
        id="beneath_an_autouse_fixture",
    ),
    pytest.param(
        "uses = mark.usefixtures\n@uses('order')\ndef test_order(): 1", "order", id="alias"
    ),
    pytest.param(
        "def test_order(request): getattr(request, 'getfixturevalue')('order')",
        "order",
        id="getattr",
    ),
    pytest.param(
        "def ask(r, n): r.getfixturevalue(n)\ndef test_order(request): ask(request, 'order')",
        "order",
        id="helper_that_asks",
    ),
    pytest.param(
        "@mark.parametrize('order', [1], indirect=True)\ndef test_order(order): 1",
        "order",
        id="indirect",
    ),
]


@pytest.mark.parametrize(("source", "name"), UNASKED)
def test_a_fixture_that_the_test_does_not_come_to_use(source: str, name: str) -> None:
    files = {TEST: source, "tests/sub/conftest.py": ""}
    new = {**files, "tests/sub/conftest.py": FIXTURE_OF.format(name)}
    assert words(read(files), read(new)) == []


@pytest.mark.parametrize(("source", "name"), ASKED)
def test_a_fixture_that_the_test_may_come_to_use(source: str, name: str) -> None:
    files = {TEST: source, "tests/sub/conftest.py": ""}
    new = {**files, "tests/sub/conftest.py": FIXTURE_OF.format(name)}
    assert ("tests/sub/conftest.py", name, "added") in words(read(files), read(new))


def test_a_new_fixture_in_the_module_for_another_test() -> None:
    files = {TEST: "import pytest\ndef test_order(tmp_path): assert 'order'"}
    added = "\n\n@pytest.fixture\ndef order(): 1\n\ndef test_new(order): assert order\n"
    assert words(read(files), read(edited(files, (TEST, "", added)))) == []


FUTURE = "from __future__ import annotations\n"
HINTS = [
    pytest.param("def test_order(): 1", True, id="none"),
    pytest.param("def test_order(tmp_path: Path) -> None: 1", True, id="of_the_test"),
    pytest.param("@fixture\ndef a() -> int: 1\ndef test_order(a: int): 1", True, id="of_a_fixture"),
    pytest.param("def test_order():\n    x: int = 1", False, id="inside"),
    pytest.param("def aid(n: int): 1\ndef test_order(): aid(1)", False, id="of_a_helper"),
    pytest.param("@given(...)\ndef test_order(n: int): 1", False, id="of_what_hypothesis_looks_at"),
    pytest.param("class A:\n    n: int\ndef test_order(): A()", False, id="of_a_class"),
    pytest.param("def unreached(n: int): 1\ndef test_order(): 1", True, id="of_something_else"),
]


@pytest.mark.parametrize(("source", "same"), HINTS)
def test_the_future_of_annotations(source: str, same: bool) -> None:
    assert (words(read({TEST: source}), read({TEST: FUTURE + source})) == []) is same


def test_other_futures_count_always() -> None:
    source = "def test_order(): 1"
    new = {TEST: "from __future__ import barry_as_FLUFL\n" + source}
    assert words(read({TEST: source}), read(new)) == [(TEST, "(from __future__)", "added")]


TOWERS = [
    pytest.param("X{0} = X{1} + X{1}\n", "X40 = 1\nY = X0.upper()\n", id="values"),
    pytest.param("f{0} = f{1}\nf{0} = f{1}\n", "f40 = 1\nY = f0()\n", id="aliases"),
    pytest.param("class A{0}(A{1}, B{1}): 1\nclass B{0}(A{1}, B{1}): 1\n", "Y = A0()", id="bases"),
]


@pytest.mark.parametrize(("line", "end"), TOWERS)
def test_names_of_names_of_names_take_no_time(line: str, end: str) -> None:
    source = "".join(line.format(n, n + 1) for n in range(40)) + end
    assert read(edited(BASE, (TEST, "", source))).fault is None


def test_a_deed_is_told_once() -> None:
    new = edited(BASE, (TEST, "", "\nusers = load()\n"))
    assert words(read(BASE), read(new)) == [(TEST, "(what runs at import)", "added")]


def test_what_is_only_newly_reached_is_not_told_beside_its_cause() -> None:
    new = edited(BASE, (TEST, "assert near(", "assert only_other() and near("))
    assert words(read(BASE), read(new)) == [(TEST, "test_order", "changed")]
    old = read(BASE)
    more = read(BASE, "test_other")
    assert {each.word for each in differing_pieces(old, more)} == {
        "newly reached",
        "no longer reached",
    }


CLASS_HONEST = [
    pytest.param(
        [
            (TEST, "    limit = 3", "    limit = 3\n    more = 4\n    rows = [1]\n"),
            (TEST, "    class Inner", "    def test_more(self): self.more\n\n    class Inner"),
        ],
        id="constant_of_another_test",
    ),
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
    pytest.param([(TEST, "limit = 3", "limit = 3\n    order = 4")], id="constant_over_a_fixture"),
    pytest.param([(TEST, "limit = 3", "limit = 3\n    check = 4")], id="constant_over_a_method"),
    pytest.param(
        [(TEST, "limit = 3", "limit = 3\n    test_order = 4")], id="constant_over_the_test"
    ),
    pytest.param([(TEST, "limit = 3", "limit = 3\n    x = setattr(pytest, 'a', 1)")], id="acts"),
    pytest.param([(TEST, "limit = 3", "limit = 3\n    setUp = None")], id="constant_over_a_set_up"),
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


INHERITED = {
    TEST: "from base import Far\nclass Base:\n    n = 1\n    def test_order(self): self.n\n"
    "class TestX(Base):\n    m = 2\n\nclass TestY(Far):\n    pass\n",
    "tests/base.py": "class Far:\n    def test_order(self): 1\n",
}
INHERITING = [
    pytest.param("TestX::test_order", (TEST, "self.n", "1"), "Base", id="test_in_a_base"),
    pytest.param("TestX::test_order", (TEST, "n = 1", "n = 9"), "Base", id="constant_of_the_base"),
    pytest.param(
        "TestX::test_order", (TEST, "m = 2", "test_order = 2"), "", id="overrides_by_a_value"
    ),
    pytest.param(
        "TestX::test_order",
        (TEST, "m = 2", "m = 2\n    def test_order(self): 2"),
        "TestX.test_order",
        id="overrides",
    ),
    pytest.param(
        "TestY::test_order",
        ("tests/base.py", "(self): 1", "(self): 2"),
        "Far",
        id="test_in_an_imported_base",
    ),
]


@pytest.mark.parametrize(("test", "edit", "name"), INHERITING)
def test_inherited_tests(test: str, edit: Edit, name: str) -> None:
    old = read(INHERITED, test)
    assert old.fault is None
    assert words(old, old) == []
    assert name in [each[1] for each in words(old, read(edited(INHERITED, edit), test))]
    added = edited(INHERITED, (TEST, "", "\ndef test_new(): 1\n"))
    assert words(old, read(added, test)) == []


def test_a_class_without_bases_inherits_nothing() -> None:
    surface = read({TEST: "class TestX:\n    pass\n"}, "TestX::test_order")
    assert surface.fault == (TEST, "no test TestX::test_order")


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
        (HELPERS, "check", 9, "removed"),
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
