"""Which lines may import what their text does not name, and which honest ones never do."""

from __future__ import annotations

import pytest

from freezegate.policy.domain.imports import read_module

HONEST = (
    'import re; re.compile("x")',
    'df.eval("a+b")',
    'import ast; ast.literal_eval("1")',
    "import sys; sys.argv",
    "import sys; sys.version_info >= (3, 11)",
    'import sys; x = sys.modules["a"]',
    'import sys; "a" in sys.modules',
    'import importlib.resources; importlib.resources.files("x")',
    'from importlib import metadata; metadata.version("x")',
    'import sys; monkeypatch.setattr(sys, "argv", [])',
    "import sys; print(sys.path)",
    "import sys; [p for p in sys.path]",
    'from importlib.metadata import version; version("x")',
    'import importlib.metadata as m; m.version("x")',
    'import importlib.resources as r; r.files("x")',
    'import sys; sys.modules.get("x")',
    "model.eval()",
    'import pytest; np = pytest.importorskip("numpy")',
    "import importlib; importlib.reload(helper)",
    'import importlib.util; importlib.util.find_spec("numpy") is None',
    'compile("1", "x", "eval")',
    "import sys; capsys.readouterr()",
    "import sys; json.dump(x, sys.stdout)",
    "import sys; sys.exit(pytest.main([__file__]))",
    'import sys; hasattr(sys, "frozen")',
    'import builtins; monkeypatch.setattr(builtins, "open", f)',
    'from unittest import mock; mock.patch("builtins.open")',
    'from unittest import mock; mock.patch.object(sys, "stdin")',
    "def exec(): pass",
    'import pkgutil; pkgutil.get_data("a", "b")',
    'import os; os.path.join("a")',
    'pytest_plugins = ["a"]',
    'pytest_plugins = "a,b"',
    'pytest_plugins: list[str] = ["a"]',
    'pytest_plugins = ("a",)',
    'pytest_plugins = ["a"] + ["b"] + []',
    'pytest_plugins = ("a",) + ()',
    "import sys; assert sys.modules",
    "import sys\nif sys.modules: pass",
)
HIDDEN = (
    "import importlib as il; il.import_module(x)",
    "from importlib import import_module as im; im(x)",
    "__import__(x)",
    "import builtins; builtins.__import__(x)",
    'import builtins as b; b.__dict__["__import__"](x)',
    'globals()["__builtins__"]',
    '__builtins__.__import__("x")',
    'getattr(__builtins__, "__imp" + "ort__")("x")',
    'import builtins; getattr(builtins, "exec")("x")',
    'import builtins; vars(builtins)["exec"]("x")',
    'import importlib; getattr(importlib, "import_module")("x")',
    'import importlib; importlib.import_module(".x", package=y)',
    'import importlib; importlib.import_module(".x", y)',
    "import importlib; importlib.import_module(name=x)",
    'import importlib; importlib.import_module(f"x{1}")',
    'exec("import x")',
    "eval(\"__import__('x')\")",
    'e = exec; e("x")',
    'exec(compile("import x", "f", "exec"))',
    "import sys; sys.path.insert(0, x)",
    "import sys; sys.path.append(x)",
    "import sys; sys.path += [x]",
    "import sys; sys.path[0] = x",
    "import sys; sys.path[:0] = [x]",
    "import sys; sys.path = []",
    "import sys; sys.path.extend([x])",
    "import sys as s; s.path.insert(0, x)",
    "from sys import path; path.insert(0, x)",
    "from sys import path as p; p.append(x)",
    'import sys; getattr(sys, "path").insert(0, x)',
    "import sys; p = sys.path; p.append(x)",
    "import sys; s = sys; s.path.append(x)",
    "import sys; del sys.path[0]",
    'import sys; sys.modules["x"] = y',
    "import sys; del sys.modules[x]",
    "import sys; sys.modules.pop(x)",
    "import sys; sys.modules.popitem()",
    "import sys; sys.modules.clear()",
    "import sys; monkeypatch.setitem(sys.modules, 'x', y)",
    "import sys; monkeypatch.setitem(sys.modules, x, None)",
    "import sys; monkeypatch.delitem(sys.modules, x)",
    "import sys\nif x not in sys.path:\n    sys.path.insert(0, y)",
    "import sys; x = sys.modules or {}",
    "import conftest; conftest.pytest_plugins = ['x']",
    'pytest_plugins = ["a"] + ("b",)',
    'pytest_plugins = "a" + "b"',
    'pytest_plugins = [*a, "b"]',
    "import sys; sys.modules.update({})",
    'import sys; sys.modules.setdefault("x", y)',
    "import sys; sys.meta_path.insert(0, x)",
    "import sys; sys.path_hooks.append(x)",
    'import sys; monkeypatch.setattr(sys, "path", [])',
    'import sys; setattr(sys, "path", [])',
    "monkeypatch.syspath_prepend(x)",
    "import site; site.addsitedir(x)",
    'import runpy; runpy.run_path("x")',
    'import importlib.util; importlib.util.spec_from_file_location("x", "y")',
    'import imp; imp.load_source("x", "y")',
    "import pkgutil; pkgutil.walk_packages(x)",
    'import pkgutil; pkgutil.resolve_name("x")',
    "from importlib import *",
    "from sys import *",
    '__path__.append("x")',
    'helper.__path__.append("x")',
    "spec.loader.exec_module(m)",
    'import importlib.machinery; importlib.machinery.SourceFileLoader("a","b").load_module()',
    'def f(im=__import__): im("x")',
    "class A: __import__ = __import__",
    "[exec for _ in x]",
    'match x:\n    case 1: exec("x")',
    'with exec("x"): pass',
    'lambda: exec("x")',
    'from builtins import exec as e; e("x")',
    "from builtins import *",
    'import sys; sys.__dict__["path"].append(x)',
    'import sys; vars(sys)["path"]',
    "import sys; f(sys)",
    "import sys; x = [sys]",
    'import sys; x = {"a": sys}',
    "import sys; (s := sys).path.append(x)",
    "import sys; return_ = (lambda: sys)()",
    "import sys; x = sys if y else None",
    "import os; os.sys.path.append(x)",
    "import helper; helper.sys.path.append(x)",
    "from os import sys; sys.path.append(x)",
    "import pathlib; pathlib.sys.path.append(x)",
    "import importlib; x: object = importlib",
    'import importlib; importlib.__dict__["import_module"](x)',
    "import importlib._bootstrap; importlib._bootstrap._gcd_import(x)",
    "import importlib; importlib.__import__(x)",
    '\ufb01 = 1; \uff45xec("import x")',
    "pytest_plugins = [x]",
    'pytest_plugins = ["a"] + b',
    "pytest_plugins = []; pytest_plugins.append(x)",
    'pytest_plugins += ["a"]',
    'globals()["pytest_plugins"] = ["x"]',
    "from x import pytest_plugins",
    "def pytest_plugins(): pass",
    '(pytest_plugins := ["x"])',
    "for pytest_plugins in x: pass",
    'def f():\n    global pytest_plugins\n    pytest_plugins = ["x"]',
    "import x as pytest_plugins",
    'config.pluginmanager.import_plugin("x")',
    'config.pluginmanager.consider_pluginarg("x")',
    "import sys; sys.modules |= {}",
    'locals()["__builtins__"]',
    "import code; code.InteractiveInterpreter().runcode(x)",
    'import pydoc; pydoc.locate("x")',
    'import unittest; unittest.defaultTestLoader.loadTestsFromName("x")',
    'import unittest; unittest.TestLoader().discover("x")',
    'import zipimport; zipimport.zipimporter("x")',
    "import sys; sys.path_importer_cache.clear()",
    'try: pass\nexcept* E: exec("x")',
    'x = sys.path.insert(0, "y")',
    "import sys; f = lambda path=sys.path: path",
    "@exec\ndef f(): pass",
    "__import__(*['x'])",
    "__import__('x', **{'level': 1})",
    "__import__('x', fromlist=y)",
    "__import__('x', None, None, (), 1)",
    "mock.patch('builtins.__import__', f)",
)
# Nothing here names a module that could be looked for; what they may reach is told in THREATS.
OUT_OF_REACH = (
    'import types; types.FunctionType(compile("import x","x","exec"), {})()',
    "import pickle; pickle.loads(x)",
    'import ctypes; ctypes.pythonapi.PyRun_SimpleString(b"x")',
    'import doctest; doctest.testfile("x")',
    'import os; os.environ["PYTHONPATH"] = "x"',
    "import sys; sys.addaudithook(x)",
    'from test.support.import_helper import import_fresh_module; import_fresh_module("x")',
)


@pytest.mark.parametrize("source", HONEST)
def test_honest_lines_are_static(source: str) -> None:
    facts = read_module(source.encode())
    assert facts.dynamic == ()
    assert facts.fault is None


@pytest.mark.parametrize("source", HIDDEN)
def test_hidden_imports_are_told_with_their_line(source: str) -> None:
    before = "x = 1\n\n"
    found = read_module((before + source).encode()).dynamic
    assert found
    assert all(each.line >= 3 for each in found)


@pytest.mark.parametrize("source", OUT_OF_REACH)
def test_what_is_not_looked_for(source: str) -> None:
    assert read_module(source.encode()).dynamic == ()


@pytest.mark.parametrize(
    "source",
    [
        "sys.modules.pop('x', None)",
        "del sys.modules['x']",
        "monkeypatch.setitem(sys.modules, 'x', None)",
        "monkeypatch.delitem(sys.modules, 'x', raising=False)",
    ],
)
def test_modules_that_are_taken_away_by_name(source: str) -> None:
    facts = read_module(f"import sys\n{source}\n".encode())
    assert (facts.forgotten, facts.dynamic) == ((("x", 2),), ())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import sys; sys.path.append(x)", "[runner] pythonpath"),
        ("monkeypatch.syspath_prepend(x)", "[runner] pythonpath"),
        ("import sys; sys.modules.clear()", "read only"),
        ("import sys; f(sys)", "each where it is used"),
        ("exec(x)", "in the file itself"),
        ("pytest_plugins = x", "texts in a list"),
        ("from sys import *", "name what they ask for"),
        ("import importlib; importlib.import_module(x)", "name their module as text"),
    ],
)
def test_what_is_expected_fits_what_stands_there(source: str, words: str) -> None:
    assert words in read_module(source.encode()).dynamic[0].expected
