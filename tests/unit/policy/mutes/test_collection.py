"""Tests that are no longer collected: which tricks are found, and what passes as honest."""

from __future__ import annotations

import ast

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

HEAD = "import pytest\nfrom shop import total\n\n\n"
ONE = "def test_total():\n    assert total([1]) == 1\n    assert total([]) == 0\n"
TWO = "\n\ndef test_names():\n    assert total(['a']) == 'a'\n    assert total('ab') == 'ab'\n"
OLD = HEAD + ONE + TWO


def instead(text: str, head: str = HEAD) -> str:
    """The module with another text for its first test."""
    return head + text + TWO


def before(line: str) -> str:
    """The module with lines before its first test."""
    return instead(f"{line}\n{ONE}")


def after(text: str) -> str:
    """The module with more at its end."""
    return f"{OLD}\n\n{text}\n"


def indented(first: str, text: str = ONE) -> str:
    """A block around the first test."""
    return first + "\n" + "".join(f"    {line}\n" for line in text.splitlines())


REFUSED = [
    pytest.param(instead(ONE.replace("def test", "def _test")), id="underscore"),
    pytest.param(instead(ONE.replace("def test_", "def check_")), id="check"),
    pytest.param(instead(ONE.replace("def test_", "def tset_")), id="misspelt"),
    pytest.param(instead(ONE.replace("def test_", "def Test_")), id="upper_case"),
    pytest.param(HEAD + TWO, id="deleted"),
    pytest.param(after("test_total = None"), id="set_to_none"),
    pytest.param(after("test_total: object = None"), id="set_to_none_with_a_type"),
    pytest.param(after("test_total, x = None, 1"), id="set_to_none_in_a_tuple"),
    pytest.param(after("del test_total"), id="deleted_at_the_end"),
    pytest.param(after("globals()['test_total'] = None"), id="globals"),
    pytest.param(after("globals().pop('test_total')"), id="globals_pop"),
    pytest.param(after("_ = vars().pop('test_total', None)"), id="vars_pop"),
    pytest.param(after("own = globals()\nown.pop('test_total')"), id="globals_by_a_name"),
    pytest.param(after("globals().clear()"), id="globals_clear"),
    pytest.param(after("globals().update(test_total=None)"), id="globals_update"),
    pytest.param(after("globals().update({'test_total': None})"), id="globals_update_table"),
    pytest.param(after("globals().__delitem__('test_total')"), id="globals_delitem"),
    pytest.param(after("globals().__setitem__('test_total', None)"), id="globals_setitem"),
    pytest.param(
        after("import sys\ndelattr(sys.modules[__name__], 'test_total')"), id="own_module_delattr"
    ),
    pytest.param(
        after("import sys\nsys.modules[__name__].__dict__.pop('test_total')"),
        id="own_module_table",
    ),
    pytest.param(
        after("import sys\ndel vars(sys.modules[__name__])['test_total']"), id="own_module_vars"
    ),
    pytest.param(after("test_total.__test__ = False"), id="test_is_false"),
    pytest.param(after("test_total.__test__ = not True"), id="test_is_computed"),
    pytest.param(after("setattr(test_total, '__test__', False)"), id="setattr"),
    pytest.param(after("__test__ = False"), id="module_off"),
    pytest.param(after("if True:\n    test_total = None"), id="set_in_a_block"),
    pytest.param(after("for test_total in (1, 2):\n    pass"), id="name_of_a_loop"),
    pytest.param(after("with open('x') as test_total:\n    pass"), id="name_of_a_with"),
    pytest.param(after("import shop as test_total"), id="import_under_its_name"),
    pytest.param(after("from shop import thing as test_total"), id="import_from_under_its_name"),
    pytest.param(after("class test_total:\n    pass"), id="class_of_its_name"),
    pytest.param(after("def test_total():\n    assert True"), id="second_definition"),
    pytest.param(after("test_total = lambda: None"), id="lambda_of_its_name"),
    pytest.param(
        after("def check():\n    pass\n\ntest_total = check"), id="another_function_by_its_name"
    ),
    pytest.param(instead(indented("def outer():")), id="inside_a_function"),
    pytest.param(
        instead(indented("class Outer:").replace("total()", "total(self)", 1)), id="class"
    ),
    pytest.param(instead(indented("if False:")), id="if_false"),
    pytest.param(instead(indented("if 0:\n    pass\nelif []:")), id="elif_nothing"),
    pytest.param(instead(indented("if TYPE_CHECKING:")), id="if_type_checking"),
    pytest.param(instead(indented("if __name__ == '__main__':")), id="if_main"),
    pytest.param(instead(indented("while False:")), id="while_false"),
    pytest.param(instead(indented("for _ in ():")), id="empty_loop"),
    pytest.param(instead(indented("if 1:\n    pass\nelse:")), id="else_of_true"),
    pytest.param(
        instead(indented("if os.environ.get('SLOW'):"), "import os\n" + HEAD), id="if_asked_for"
    ),
    pytest.param(instead(ONE + "    yield\n"), id="generator"),
    pytest.param(instead(ONE.replace("def ", "async def ", 1)), id="coroutine"),
    pytest.param(before("@pytest.fixture"), id="fixture"),
    pytest.param(before("@property"), id="property"),
    pytest.param(before("@bool"), id="bool"),
    pytest.param(
        before("@contextlib.contextmanager").replace("import", "import contextlib,", 1),
        id="context_manager",
    ),
    pytest.param(before("@(lambda f: None)"), id="lambda_that_drops"),
    pytest.param(before("def off(f):\n    return lambda: None\n\n@off"), id="decorator_that_drops"),
    pytest.param(
        before(
            "import functools\ndef off(f):\n    @functools.wraps(f)\n    def g(*a):\n"
            "        pass\n    return g\n\n@off"
        ),
        id="decorator_that_only_looks_like_it",
    ),
    pytest.param(
        before(
            "def off(why):\n    def deco(f):\n        def g(): pass\n        return g\n"
            "    return deco\n\n@off('x')"
        ),
        id="decorator_with_an_argument_that_drops",
    ),
]


@pytest.mark.parametrize("new", REFUSED)
def test_a_test_that_is_lost_is_found(new: str) -> None:
    assert verdict_between(OLD, new, "collection") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_an_edit_of_the_source_lowers_nothing(new: str) -> None:
    old = {PATH: OLD, "shop.py": "def total(items):\n    return sum(items)\n"}
    edited = {PATH: new, "shop.py": "def total(items):\n    return 1 + sum(items)\n"}
    assert verdict_between(old, edited, "collection") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_more_tests_beside_lower_nothing(new: str) -> None:
    more = "\n\ndef test_more():\n    assert total([2]) == 2\n    assert True\n"
    dressed = ast.unparse(ast.parse(new + more)).replace("    ", "\t")
    assert verdict_between(OLD, dressed, "collection") == "refuses"


CLASS = "class TestIt:\n    def test_a(self):\n        assert total([1]) == 1\n\n"
CLASSES = HEAD + CLASS + TWO


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(CLASSES.replace("class TestIt", "class It"), id="renamed"),
        pytest.param(
            CLASSES.replace("TestIt:", "TestIt:\n    def __init__(self): pass"), id="init"
        ),
        pytest.param(CLASSES.replace("TestIt:", "TestIt:\n    __init__ = None"), id="init_none"),
        pytest.param(
            CLASSES.replace("TestIt:", "TestIt:\n    def __new__(c): return object.__new__(c)"),
            id="new",
        ),
        pytest.param(CLASSES.replace("TestIt:", "TestIt:\n    __test__ = False"), id="off"),
        pytest.param(CLASSES + "\nTestIt.__test__ = False\n", id="off_from_outside"),
        pytest.param(CLASSES + "\nTestIt = None\n", id="set_to_none"),
        pytest.param(CLASSES + "\ndel TestIt.test_a\n", id="method_deleted"),
        pytest.param(CLASSES + "\nTestIt.test_a = None\n", id="method_set_to_none"),
        pytest.param(CLASSES + "\ndelattr(TestIt, 'test_a')\n", id="delattr"),
        pytest.param(CLASSES + "\nclass TestIt:\n    def test_b(self): pass\n", id="second_class"),
        pytest.param(
            CLASSES.replace("class TestIt:", "@dataclasses.dataclass\nclass TestIt:").replace(
                "import pytest", "import dataclasses"
            ),
            id="dataclass",
        ),
        pytest.param(
            CLASSES.replace(
                "class TestIt:", "class Base:\n    def __init__(self): pass\n\nclass TestIt(Base):"
            ),
            id="base_with_init",
        ),
        pytest.param(
            CLASSES.replace(
                "class TestIt:", "class Base:\n    __test__ = False\n\nclass TestIt(Base):"
            ),
            id="base_that_is_off",
        ),
        pytest.param(
            CLASSES.replace(
                "TestIt:", "TestIt(abc.ABC):\n    @abc.abstractmethod\n    def x(self): ..."
            ).replace("import pytest", "import abc"),
            id="abstract",
        ),
        pytest.param(CLASSES.replace("    def test_a", "    @property\n    def test_a"), id="prop"),
        pytest.param(
            CLASSES.replace(
                "    def test_a(self):\n", "    def outer(self):\n      def test_a():\n"
            ),
            id="inside_a_method",
        ),
    ],
)
def test_a_class_that_is_lost_is_found(new: str) -> None:
    assert verdict_between(CLASSES, new, "collection") == "refuses"


INI = {"pytest.ini": "[pytest]\ntestpaths = tests\n", "tests/test_b.py": "def test_b(): pass\n"}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param({PATH: OLD}, {"tests/check_it.py": OLD}, "refuses", id="file_renamed"),
        pytest.param({PATH: OLD}, {"tests/test_it.txt": OLD}, "refuses", id="no_module"),
        pytest.param({PATH: OLD}, {}, "refuses", id="file_deleted"),
        pytest.param({PATH: OLD}, {PATH: ""}, "refuses", id="file_emptied"),
        pytest.param({PATH: OLD, **INI}, {"old/test_it.py": OLD, **INI}, "refuses", id="outside"),
        pytest.param({PATH: OLD}, {"tests/build/test_it.py": OLD}, "refuses", id="norecursedirs"),
        pytest.param({PATH: OLD}, {"tests/.old/test_it.py": OLD}, "refuses", id="hidden_folder"),
        pytest.param({PATH: OLD}, {"tests/unit/test_that.py": OLD}, "accepts", id="moved"),
        pytest.param(
            {PATH: OLD},
            {"tests/test_a.py": HEAD + ONE, "tests/test_b.py": HEAD + TWO},
            "accepts",
            id="split",
        ),
        pytest.param(
            {PATH: CLASSES, "tests/helpers.py": ""},
            {
                PATH: HEAD
                + "from tests.helpers import Base\n\nclass TestIt(Base):\n    pass\n"
                + TWO,
                "tests/helpers.py": HEAD + CLASS.replace("TestIt", "Base"),
            },
            "accepts",
            id="moved_into_a_base",
        ),
        pytest.param(
            {
                PATH: HEAD + "from helpers import Base\n\nclass TestIt(Base):\n    pass\n" + TWO,
                "tests/helpers.py": HEAD + CLASS.replace("TestIt", "Base"),
            },
            {
                PATH: HEAD + "class TestIt:\n    pass\n" + TWO,
                "tests/helpers.py": HEAD + CLASS.replace("TestIt", "Base"),
            },
            "refuses",
            id="no_longer_inherited",
        ),
        pytest.param(
            {
                PATH: HEAD + "from helpers import Base\n\nclass TestIt(Base):\n    pass\n" + TWO,
                "tests/helpers.py": HEAD + CLASS.replace("TestIt", "Base"),
            },
            {
                PATH: HEAD + "from helpers import Base\n\nclass TestIt(Base):\n    pass\n" + TWO,
                "tests/helpers.py": HEAD + "class Base:\n    pass\n",
            },
            "refuses",
            id="gone_from_a_base",
        ),
        pytest.param(
            {PATH: OLD, "tests/helpers.py": ""},
            {PATH: OLD + "\nfrom helpers import *\n", "tests/helpers.py": "test_total = None\n"},
            "refuses",
            id="star_import",
        ),
    ],
)
def test_a_file_that_is_lost_is_found(
    old: dict[str, str], new: dict[str, str], verdict: str
) -> None:
    assert verdict_between(old, new, "collection") == verdict


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD.replace("test_total", "test_sum"), id="renamed"),
        pytest.param(HEAD + TWO + "\n\n" + ONE, id="another_order"),
        pytest.param(
            HEAD + indented("class TestAll:", ONE.replace("()", "(self)", 1)) + TWO,
            id="into_a_class",
        ),
        pytest.param(after("def test_more():\n    assert total([3])"), id="more"),
        pytest.param(
            instead(ONE.replace("def ", "@pytest.mark.asyncio\nasync def ", 1)), id="asyncio"
        ),
        pytest.param(
            before(
                "import functools\ndef twice(f):\n    @functools.wraps(f)\n"
                "    def g(*a):\n"
                "        f(*a)\n        f(*a)\n    return g\n\n@twice"
            ),
            id="decorated",
        ),
        pytest.param(before("@pytest.mark.parametrize('x', [1, 2])"), id="parametrized"),
        pytest.param(before("@unittest.mock.patch('x')"), id="patched"),
        pytest.param(instead(indented("if True:")), id="if_true"),
        pytest.param(instead(indented("try:") + "finally:\n    pass\n"), id="try"),
    ],
)
def test_what_loses_nothing_is_none(new: str) -> None:
    assert verdict_between(OLD, new, "collection") == "accepts"


def test_a_test_that_goes_with_its_subject_is_for_a_person() -> None:
    shop = "def total(items):\n    return sum(items)\n\n\ndef rest():\n    return 1\n"
    old = {PATH: OLD, "shop.py": shop}
    new = {PATH: HEAD + TWO.replace("total", "rest"), "shop.py": shop[shop.index("def rest") :]}
    assert verdict_between(old, new, "collection") == "warns"


def test_a_test_file_that_goes_with_all_that_it_imported_is_for_a_person() -> None:
    """A test that reads nothing but an attribute uses no name that is gone."""
    ledger = "class Ledger:\n    def __init__(self):\n        self.entries = []\n"
    tests = (
        "from ledger import Ledger\nfrom money import show\n\n\nclass TestIt:\n"
        "    def setup_method(self):\n        self.it = Ledger()\n\n"
        "    def test_it(self):\n        assert self.it.entries == []\n"
        "    def test_show(self):\n        assert str(self.it) == ''\n"
    )
    alone = tests.replace("from money import show\n", "")
    kept = {"money.py": "def show(x):\n    return x\n"}
    old = {PATH: alone, "ledger.py": ledger, **kept}
    assert verdict_between(old, kept, "collection") == "warns"
    assert verdict_between({**old, PATH: tests}, kept, "collection") == "refuses"
    assert verdict_between(old, {"ledger.py": ledger, **kept}, "collection") == "refuses"


def test_a_subject_that_is_only_renamed_is_not_gone() -> None:
    shop = "def total(items):\n    return sum(items)\n"
    old = {PATH: OLD, "shop.py": shop}
    new = {PATH: HEAD + "X = 1\n", "shop.py": shop.replace("total", "whole")}
    assert verdict_between(old, new, "collection") == "refuses"


def test_a_test_that_another_absorbs_is_for_a_person() -> None:
    table = (
        "@pytest.mark.parametrize(('given', 'sum_'), "
        "[([1], 1), ([], 0), (['a'], 'a'), ('ab', 'ab')])\n"
        "def test_tables(given, sum_):\n    assert total(given) == sum_\n"
    )
    assert verdict_between(OLD, HEAD + table, "collection") == "warns"


def test_a_finding_names_what_was_collected() -> None:
    (found,) = mutes_between(OLD, HEAD + TWO)
    assert (found.path, found.test) == (PATH, f"{PATH}::test_total")
    assert found.was == f"pytest collected {PATH}::test_total"
    assert found.now == "it is gone"


def test_a_copy_of_a_test_that_stands_elsewhere_is_for_a_person() -> None:
    old = {PATH: OLD, "tests/test_other.py": HEAD + ONE}
    assert verdict_between(old, {**old, PATH: HEAD + TWO}, "collection") == "warns"


GONE = "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
OTHER = "from shop import total\n\n\ndef test_a_sum_of_one():\n    rows = [2]\n    "


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        pytest.param("assert total(rows) == 2", "warns", id="as_strong"),
        pytest.param("assert total(rows)", "refuses", id="weaker"),
        pytest.param("assert total(rows) is not None", "refuses", id="not_none"),
        pytest.param("assert sum(rows) == 2", "refuses", id="of_something_else"),
        pytest.param("assert 2 == 2", "refuses", id="of_nothing"),
        pytest.param("return\n    assert total(rows) == 2", "refuses", id="dead"),
    ],
)
def test_a_test_that_is_gone_beside_a_new_one(check: str, verdict: str) -> None:
    assert verdict_between(GONE, f"{OTHER}{check}\n", "collection") == verdict


def test_one_new_check_stands_for_one_that_is_gone() -> None:
    more = "\n\ndef test_more():\n    assert total([1, 2]) == 3\n"
    new = f"{OTHER}assert total(rows) == 2\n"
    assert verdict_between(GONE + more, new, "collection") == "refuses"
