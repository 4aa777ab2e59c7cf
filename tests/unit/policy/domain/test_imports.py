"""What a module's bytes say of imports: in order, wherever they stand, whatever their spelling."""

from __future__ import annotations

import codecs
from time import perf_counter

import pytest

from freezegate.policy.domain.imports import MAX_MODULE_BYTES, TOO_LARGE, Import, read_module

# source -> module, names, level, deferred of each import
TABLE: dict[str, list[tuple[str, str, int, bool]]] = {
    "import a, b.c as d": [("a", "", 0, False), ("b.c", "", 0, False)],
    "from a import b as c, d": [("a", "b d", 0, False)],
    "from a import *": [("a", "*", 0, False)],
    "from . import a": [("", "a", 1, False)],
    "from ...a.b import c": [("a.b", "c", 3, False)],
    "from __future__ import annotations": [("__future__", "annotations", 0, False)],
    "if x:\n    import a\nelse:\n    import b": [("a", "", 0, False), ("b", "", 0, False)],
    "try:\n    import a\nexcept E:\n    import b\nfinally:\n    import c": [
        ("a", "", 0, False),
        ("b", "", 0, False),
        ("c", "", 0, False),
    ],
    "with x:\n    import a": [("a", "", 0, False)],
    "class A:\n    import a\n    def f(self):\n        import b\nimport c": [
        ("a", "", 0, False),
        ("b", "", 0, True),
        ("c", "", 0, False),
    ],
    "def f():\n    import a\nimport b": [("a", "", 0, True), ("b", "", 0, False)],
    "async def f():\n    import a": [("a", "", 0, True)],
    "match x:\n    case 1:\n        import a": [("a", "", 0, False)],
    "for x in y:\n    import a\nwhile z:\n    import b": [("a", "", 0, False), ("b", "", 0, False)],
    "f = lambda: __import__('a')": [("a", "", 0, True)],
    "@__import__('a').b\ndef f(x=__import__('b')): pass": [
        ("b", "", 0, False),
        ("a", "", 0, False),
    ],
    "[__import__('a') for x in y]": [("a", "", 0, False)],
    "__import__('a.b', fromlist=['c'])": [("a.b", "c", 0, False)],
    "__import__('a', None, None, ('b', 'c'))": [("a", "b c", 0, False)],
    "import importlib as i\ni.import_module('a')": [
        ("importlib", "", 0, False),
        ("a", "", 0, False),
    ],
    "from importlib import import_module as m\nm(name='a')": [
        ("importlib", "import_module", 0, False),
        ("a", "", 0, False),
    ],
    "import importlib\nimportlib.import_module('..a', package=__package__)": [
        ("importlib", "", 0, False),
        ("a", "", 2, False),
    ],
    "import builtins\nbuiltins.__import__('a')": [("builtins", "", 0, False), ("a", "", 0, False)],
    "import pytest\npytest.importorskip('a')": [("pytest", "", 0, False), ("a", "", 0, False)],
    "import ﬁle": [("file", "", 0, False)],
    "\ufeffimport a": [("a", "", 0, False)],
    "import a\r\nimport b\r\n": [("a", "", 0, False), ("b", "", 0, False)],
    "import a\rimport b": [("a", "", 0, False), ("b", "", 0, False)],
    "import a; import \\\n b": [("a", "", 0, False), ("b", "", 0, False)],
    "'import a'  # import b": [],
    "": [],
}


@pytest.mark.parametrize(("source", "expected"), TABLE.items(), ids=list(TABLE))
def test_imports(source: str, expected: list[tuple[str, str, int, bool]]) -> None:
    facts = read_module(source.encode())
    found = [(i.module, " ".join(i.names), i.level, i.deferred) for i in facts.imports]
    assert sorted(found) == sorted(expected)
    assert facts.fault is None
    assert facts.dynamic == ()


def test_imports_are_in_the_order_of_the_source() -> None:
    facts = read_module(
        b"import c\nif x:\n    import b\ntry:\n    import a\nfinally:\n    import d\n"
    )
    assert [each.module for each in facts.imports] == ["c", "b", "a", "d"]
    assert facts.imports[0] == Import("c", (), 0, 1, deferred=False)


@pytest.mark.parametrize(
    "source",
    [
        b"# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAYQ-\n",
        "# -*- coding: latin-1 -*-\nimport a  # é\n".encode("latin-1"),
        "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nimport a # ж\n".encode("cp1251"),
        codecs.BOM_UTF8 + b"# coding: utf-8\nimport a\n",
    ],
)
def test_the_coding_cookie_decides_what_bytes_mean(source: bytes) -> None:
    assert [each.module for each in read_module(source).imports] == ["a"]


@pytest.mark.parametrize(
    "source",
    [
        b"import a\0",
        b"\xff\xfe",
        b"# coding: nothing-known\n",
        codecs.BOM_UTF8 + b"# coding: latin-1\n",
        "import a\n".encode("utf-16"),
        b"def f(:\n",
        b"print 'x'\n",
        b"(" * 100_000,
        b"x = " + b"-" * 100_000 + b"1\n",
        b"x = " + b"a." * 100_000 + b"a\n",
        b"x = " + b"f(" * 150 + b")" * 150,
        b"x = '" + b"\\N{nothing}" + b"'",
        b"if x:\n" + b"".join(b" " * n + b"if x:\n" for n in range(1, 200)),
    ],
)
def test_what_does_not_parse_is_a_fault_and_no_error(source: bytes) -> None:
    facts = read_module(source)
    assert facts.fault or (facts.imports == () and b"f(" in source)


def test_long_attribute_chains_and_blocks_cost_no_more_than_their_length() -> None:
    started = perf_counter()
    chain = b"x = a" + b".a" * 1_200 + b"\n"
    branches = b"if x:\n    import a\n" + b"elif x:\n    __all__ = ['a']\n" * 60
    flat = b"a.b;" * 30_000 + b"\n"
    for source in (chain, chain * 40, branches, flat, b"".join(nested(60))):
        facts = read_module(source)
        assert facts.fault is None or "too deep" in facts.fault
    assert perf_counter() - started < 60  # these took hours


def nested(levels: int) -> list[bytes]:
    return [b" " * level + b"if x:\n" for level in range(levels)] + [b" " * levels + b"y = 1\n"]


def test_a_module_that_nobody_wrote_is_not_parsed() -> None:
    assert read_module(b"#" * (MAX_MODULE_BYTES + 1)).fault == TOO_LARGE
    assert read_module(b"#" * MAX_MODULE_BYTES).fault is None


def test_huge_flat_source_is_read() -> None:
    facts = read_module(b"import a\n" * 20_000 + b"x = " + b"1 + " * 400 + b"1\n")
    assert len(facts.imports) == 20_000


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("pytest_plugins = 'a'", ("a",)),
        ("pytest_plugins = 'a,b'", ("a", "b")),
        ("pytest_plugins = ['a', 'b.c']", ("a", "b.c")),
        ("pytest_plugins: tuple = ('a',)", ("a",)),
        ("if x:\n    pytest_plugins = ['a']\nelse:\n    pytest_plugins = ['b']", ("a", "b")),
        ("pytest_plugins = []", ()),
    ],
)
def test_plugins(source: str, names: tuple[str, ...]) -> None:
    facts = read_module(source.encode())
    assert (facts.plugins, facts.dynamic) == (names, ())


@pytest.mark.parametrize(
    ("source", "exports", "is_open"),
    [
        ("__all__ = ['a', 'b']", ("a", "b"), False),
        ("__all__ = ('a',)", ("a",), False),
        ("__all__ = []\n__all__ += ['a']", None, True),
        ("__all__ = [x]", None, True),
        ("def f():\n    __all__.append('a')\n__all__ = ['b']", None, True),
        ("def __getattr__(name): ...", None, True),
        ("from a import *", None, True),
        ("x = 1", None, False),
    ],
)
def test_what_a_star_import_may_ask_for(
    source: str, exports: tuple[str, ...] | None, is_open: bool
) -> None:
    facts = read_module(source.encode())
    assert (facts.exports, facts.open_names) == (exports, is_open)
