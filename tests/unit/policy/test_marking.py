"""Where a freeze's skip marker goes, and where it cannot stand."""

from __future__ import annotations

import pytest

from freezegate.errors import UsageError
from freezegate.model.ids import PropertyId, TestId
from freezegate.policy.marking import is_marked, mark_test

PROPERTY = PropertyId("order_total.non_negative")
MARK = '@pytest.mark.skip(reason="freezegate: order_total.non_negative")'
ID = TestId("tests/test_a.py::test_a")


@pytest.mark.parametrize(
    ("test_id", "source", "expected"),
    [
        pytest.param(
            "test_a",
            "import pytest\n\ndef test_a(): pass\n",
            f"import pytest\n\n{MARK}\ndef test_a(): pass\n",
            id="plain",
        ),
        pytest.param(
            "test_a",
            "def test_a(): pass\n",
            f"import pytest\n\n\n{MARK}\ndef test_a(): pass\n",
            id="without_import",
        ),
        pytest.param(
            "test_a",
            "#!/usr/bin/env python\n'''doc'''\nfrom __future__ import annotations\nimport os\n"
            "async def test_a(): pass\n",
            "#!/usr/bin/env python\n'''doc'''\nfrom __future__ import annotations\nimport os\n"
            f"\nimport pytest\n{MARK}\nasync def test_a(): pass\n",
            id="behind_docstring_and_future",
        ),
        pytest.param(
            "TestA::test_a",
            "import pytest\nclass TestA:\n\t@given(1)\n\tdef test_a(self): pass\n",
            f"import pytest\nclass TestA:\n\t{MARK}\n\t@given(1)\n\tdef test_a(self): pass\n",
            id="method_with_decorator_and_tabs",
        ),
        pytest.param(
            "test_a",
            "import pytest\r\ndef test_a():\r\n    pass\r\n",
            f"import pytest\r\n{MARK}\r\ndef test_a():\r\n    pass\r\n",
            id="crlf",
        ),
        pytest.param(
            "test_a",
            "import pytest\nif True:\n    def test_a(): pass\n",
            f"import pytest\nif True:\n    {MARK}\n    def test_a(): pass\n",
            id="conditional",
        ),
        pytest.param(
            "test_a",
            f"import pytest\n{MARK}\ndef test_a(): pass\n",
            f"import pytest\n{MARK}\ndef test_a(): pass\n",
            id="marked_already",
        ),
    ],
)
def test_the_marker_is_written(test_id: str, source: str, expected: str) -> None:
    named = TestId(f"tests/test_a.py::{test_id}")
    marked = mark_test(source.encode(), named, PROPERTY)
    assert marked.decode() == expected
    assert is_marked(marked, named)
    assert mark_test(marked, named, PROPERTY) == marked


IMPORTS = (
    ("standard_alone", "import json\nimport os\n\n\n", "import json\nimport os\n\n@\n\n"),
    (
        "installed",
        "import json\n\nimport attrs\nimport requests\n",
        "import json\n\nimport attrs\n@import requests\n",
    ),
    (
        "before_from",
        "import os\n\nfrom hypothesis import given\n",
        "import os\n\n@from hypothesis import given\n",
    ),
    (
        "last_installed",
        "import os\n\nimport numpy\n\nfrom shop import a\n",
        "import os\n\nimport numpy\n@\nfrom shop import a\n",
    ),
    ("before_local", "import os\n\nfrom shop import a\n", "import os\n\n@\nfrom shop import a\n"),
    ("before_relative", "from . import helpers\n", "@\nfrom . import helpers\n"),
    ("only_local", "import shop.a\nimport shop.b\n", "@\nimport shop.a\nimport shop.b\n"),
    ("no_sections", "import os\nimport shop\n", "import os\n@import shop\n"),
    (
        "many_lines",
        "from os import (\n    path,\n    sep,\n)\n",
        "from os import (\n    path,\n    sep,\n)\n\n@",
    ),
    (
        "head",
        "'doc'\n\nfrom __future__ import annotations\n\nx = 1\n",
        "'doc'\n\nfrom __future__ import annotations\n\n@\nx = 1\n",
    ),
    ("docstring", "'doc'\n\n\n", "'doc'\n\n@\n\n"),
    (
        "one_line",
        "'doc'; import attrs, requests; import zope\n",
        "'doc'; import attrs, requests; import zope\n@",
    ),
    ("comment", "# licence\n\nimport os\n", "# licence\n\nimport os\n\n@"),
    ("too_late", "import os\n", "import os\n\n@"),
)


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    ("before", "after"), [pytest.param(one, other, id=name) for name, one, other in IMPORTS]
)
def test_the_import_stands_where_it_would_be_sorted(before: str, after: str, ending: str) -> None:
    """Nothing but the import, its blank lines and the marker comes in."""
    body = "def test_a(): pass\nimport pytest\n"
    source = (before + body).replace("\n", ending)
    marked = mark_test(source.encode(), ID, PROPERTY, local=frozenset({"shop"}))
    expected = after.replace("@", "import pytest\n") + f"{MARK}\n{body}"
    assert marked.decode() == expected.replace("\n", ending)


@pytest.mark.parametrize(
    ("test_id", "source", "words"),
    [
        pytest.param("test_a[1]", "def test_a(n): pass\n", "every parameter", id="parameter"),
        pytest.param("test_a", "def test_b(): pass\n", "0 definitions", id="not_there"),
        pytest.param("test_a", "def test_a(): 1\ndef test_a(): 2\n", "2 definitions", id="twice"),
        pytest.param(
            "test_a", "pytest = None\ndef test_a(): pass\n", "something else", id="another_pytest"
        ),
        pytest.param(
            "test_a", "from x import *\ndef test_a(): pass\n", "something else", id="star_import"
        ),
    ],
)
def test_where_no_marker_can_say_it(test_id: str, source: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        mark_test(source.encode(), TestId(f"tests/test_a.py::{test_id}"), PROPERTY)


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n@pytest.mark.skip(reason='slow')\ndef test_a(): pass\n",
        "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n",
        "def test_a(): pass\n",
        "def test_a(:\n",
        "",
    ],
)
def test_other_markers_are_none_of_ours(source: str) -> None:
    assert not is_marked(source.encode(), ID)
