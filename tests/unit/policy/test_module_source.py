"""What a test id names in a module's source."""

from __future__ import annotations

import pytest

from freezegate.policy.module_source import Named, find_test, may_stand

PARAMETERS = "import pytest\n@pytest.mark.parametrize('n', [1])\n"
CASES = [
    pytest.param("def test_a(): pass", "test_a", Named.ONE_TEST, id="function"),
    pytest.param("async def test_a(): pass", "test_a", Named.ONE_TEST, id="coroutine"),
    pytest.param(
        "class TestA:\n def test_a(self): pass", "TestA::test_a", Named.ONE_TEST, id="method"
    ),
    pytest.param(
        "class A:\n class B:\n  def test_a(self): pass", "A::B::test_a", Named.ONE_TEST, id="nested"
    ),
    pytest.param("if 1:\n def test_a(): pass", "test_a", Named.ONE_TEST, id="in_a_condition"),
    pytest.param(
        "if 1:\n pass\nelse:\n def test_a(): pass", "test_a", Named.ONE_TEST, id="in_else"
    ),
    pytest.param(
        "try:\n x\nexcept E:\n def test_a(): pass", "test_a", Named.ONE_TEST, id="in_a_handler"
    ),
    pytest.param("with x:\n def test_a(): pass", "test_a", Named.ONE_TEST, id="in_a_with_block"),
    pytest.param("def test_b(): pass", "test_a", Named.NOTHING, id="another_name"),
    pytest.param("", "test_a", Named.NOTHING, id="empty_module"),
    pytest.param("test_a = 1", "test_a", Named.NOTHING, id="a_value"),
    pytest.param("from x import test_a", "test_a", Named.NOTHING, id="imported"),
    pytest.param("def f():\n def test_a(): pass", "test_a", Named.NOTHING, id="inside_a_function"),
    pytest.param("def test_a(): pass", "TestA::test_a", Named.NOTHING, id="no_such_class"),
    pytest.param("def A():\n def test_a(): pass", "A::test_a", Named.NOTHING, id="not_in_a_class"),
    pytest.param("class TestA: pass", "TestA", Named.CLASS, id="class"),
    pytest.param("TestA = M.TestCase", "TestA::runTest", Named.ONE_TEST, id="state_machine"),
    pytest.param("TestA = M.TestCase", "TestA::test_a", Named.NOTHING, id="not_of_a_state_machine"),
    pytest.param("TestA = M.Other", "TestA::runTest", Named.NOTHING, id="no_state_machine"),
    pytest.param(PARAMETERS + "def test_a(n): pass", "test_a", Named.FAMILY, id="parametrize"),
    pytest.param(PARAMETERS + "def test_a(n): pass", "test_a[1]", Named.ONE_TEST, id="one_of_them"),
    pytest.param(
        PARAMETERS + "class A:\n def test_a(self, n): pass",
        "A::test_a",
        Named.FAMILY,
        id="class_mark",
    ),
    pytest.param(
        "from pytest import mark as m\npytestmark = [m.parametrize('n', [1])]\ndef test_a(n): pass",
        "test_a",
        Named.FAMILY,
        id="module_mark",
    ),
    pytest.param(
        "class A:\n pytestmark = m.parametrize('n', [1])\n def test_a(self, n): pass",
        "A::test_a",
        Named.FAMILY,
        id="mark_in_the_class",
    ),
    pytest.param(
        "class B:\n def test_a(self): 1\nclass A(B): 1", "A::test_a", Named.ONE_TEST, id="inherited"
    ),
    pytest.param(
        "class C:\n def test_a(self): 1\nclass B(C): 1\nclass A(B): 1",
        "A::test_a",
        Named.ONE_TEST,
        id="inherited_twice",
    ),
    pytest.param("class B: 1\nclass A(B): 1", "A::test_a", Named.NOTHING, id="not_inherited"),
    pytest.param("class A(object): 1", "A::test_a", Named.NOTHING, id="inherited_from_nothing"),
    pytest.param(
        "class A(B): 1\nclass B(A): 1", "A::test_a", Named.NOTHING, id="inherited_in_a_circle"
    ),
    pytest.param(
        "from b import A\nclass A(A): 1", "A::test_a", Named.ONE_TEST, id="maybe_of_the_same_name"
    ),
    pytest.param(
        "import unittest\nclass A(unittest.TestCase): 1", "A::test_a", Named.NOTHING, id="unittest"
    ),
    pytest.param(
        "from b import B\nclass A(B): 1",
        "A::test_a",
        Named.ONE_TEST,
        id="maybe_from_an_imported_base",
    ),
    pytest.param(
        "import b\nclass B(b.B): 1\nclass A(B): 1",
        "A::test_a",
        Named.ONE_TEST,
        id="maybe_from_beyond",
    ),
    pytest.param(
        "class A(make()): 1", "A::test_a", Named.ONE_TEST, id="maybe_from_a_computed_base"
    ),
    pytest.param("class A(B): 1", "A::C::test_a", Named.ONE_TEST, id="maybe_an_inherited_class"),
    pytest.param(
        PARAMETERS + "class B:\n def test_a(self, n): pass\nclass A(B): 1",
        "A::test_a",
        Named.FAMILY,
        id="marked_base",
    ),
    pytest.param("def test_a(: pass", "test_a", Named.UNREADABLE, id="syntax_error"),
    pytest.param("x = '\0'", "test_a", Named.UNREADABLE, id="nul_byte"),
]


@pytest.mark.parametrize(("source", "called", "named"), CASES)
def test_the_source_tells_what_an_id_names(source: str, called: str, named: Named) -> None:
    name, _, parameter = called.partition("[")
    names = tuple(name.split("::"))
    assert find_test(source.encode(), names, has_parameter=bool(parameter)) is named


def test_hostile_nesting_is_unreadable_and_no_crash() -> None:
    for source in (b"(" * 100_000, b"-" * 100_000 + b"1", b"1" + b"+1" * 100_000):
        assert find_test(source, ("test_a",), has_parameter=False) in {
            Named.UNREADABLE,
            Named.NOTHING,
        }


@pytest.mark.parametrize(
    ("source", "name", "stands"),
    [
        pytest.param("def test_a(): pass", "test_a", True, id="defined"),
        pytest.param("from x import test_a", "test_a", True, id="imported"),
        pytest.param("from x import check as test_a", "test_a", True, id="imported_as"),
        pytest.param("from x import *", "test_a", True, id="a_star"),
        pytest.param("import x\ntest_a = x.test_a", "test_a", True, id="assigned"),
        pytest.param("from x import TestA", "TestA::test_a", True, id="of_an_imported_class"),
        pytest.param(
            "class Base:\n def test_a(self): pass\nclass TestA(Base): pass",
            "TestA::test_a",
            True,
            id="inherited",
        ),
        pytest.param(
            "import x\nclass TestA(x.Base): pass", "TestA::test_a", True, id="inherited_from_afar"
        ),
        pytest.param(
            "import x\nclass TestA:\n test_a = x.check", "TestA::test_a", True, id="of_a_class"
        ),
        pytest.param(
            "class TestA:\n def test_a(self): pass\nif x:\n class TestA: pass",
            "TestA::test_a",
            True,
            id="defined_twice",
        ),
        pytest.param("def test_a(:", "test_a", True, id="does_not_parse"),
        pytest.param("def test_b(): pass", "test_a", False, id="renamed"),
        pytest.param("class TestA: pass", "TestA::test_a", False, id="out_of_a_class"),
        pytest.param("from x import test_b", "test_a", False, id="another_import"),
    ],
)
def test_what_may_stand(source: str, name: str, stands: bool) -> None:
    assert may_stand(source.encode(), tuple(name.split("::"))) is stands
