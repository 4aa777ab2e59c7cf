"""Which tests a catalogue entry speaks of."""

from __future__ import annotations

import pytest

from freezegate.model.catalog import Property
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath


@pytest.mark.parametrize(
    ("named", "asked", "speaks"),
    [
        pytest.param("t.py::test_x", "t.py::test_x", True, id="the_same"),
        pytest.param("t.py::test_x", "t.py::test_x[1]", True, id="one_of_its_family"),
        pytest.param("t.py::test_x[1]", "t.py::test_x[1]", True, id="the_same_case"),
        pytest.param("t.py::test_x[1]", "t.py::test_x", True, id="the_family_of_its_case"),
        pytest.param("t.py::TestA", "t.py::TestA::test_x[1]", True, id="a_method_of_its_class"),
        pytest.param("t.py::TestA::TestB", "t.py::TestA::TestB::test_x", True, id="nested"),
        pytest.param("t.py::test_x[1]", "t.py::test_x[2]", False, id="another_case"),
        pytest.param("t.py::test_x", "t.py::test_xy", False, id="a_longer_name"),
        pytest.param("t.py::test_x", "u.py::test_x", False, id="another_file"),
        pytest.param("t.py::TestA::test_x", "t.py::TestB::test_x", False, id="another_class"),
        pytest.param("t.py::TestA::test_x", "t.py::TestA", False, id="its_whole_class"),
    ],
)
@pytest.mark.parametrize("key", ["test", "property_test"])
def test_the_tests_that_an_entry_speaks_of(key: str, named: str, asked: str, speaks: bool) -> None:
    entry = Property(
        property_id=PropertyId("a"),
        statement="It is.",
        oracle=RepoPath("o.py"),
        property_test=TestId(named if key == "property_test" else "o.py::test_o"),
        test=TestId(named if key == "test" else "a.py::test_a"),
        fixtures=(RepoPath("f.json"),),
    )
    assert entry.speaks_of(TestId(asked)) is speaks
