"""Generated layouts: a tree with an oracle, and whatever may decide what its imports come to."""

from __future__ import annotations

from hypothesis import strategies as st

ORACLE = "tests/props/test_oracle.py"
# Modules that may stand beside one another, shadow one another, or be part of a namespace.
PLACES = ("", "tests/", "tests/props/", "lib/", "src/")
NAMES = (
    "helper.py",
    "helper/__init__.py",
    "helper/inner.py",
    "helper/deep/__init__.py",
    "other.py",
    "other.pyc",
    "space/part.py",
    "shop/__init__.py",
    "shop/order.py",
    "wave.py",
)
# Such a line stands by itself: in a block it may not run, and is not static.
PATH_CHANGE = "import os, pathlib, sys; "
IMPORTS = (
    "import helper",
    "import helper.inner",
    "from helper import inner",
    "from helper import inner, deep",
    "from helper import *",
    "from other import *",
    "import other",
    "import other as helper",
    "from other import helper",
    "import space.part",
    "from space import part",
    "import shop.order",
    "from shop import order",
    "import wave",
    "from . import other",
    "from .helper import inner",
    "from .. import helper",
    "import tests.helper",
    "from tests import other",
    "from tests.props import helper",
    "importlib.import_module('helper')",
    "__import__('other')",
    "__import__('helper', fromlist=['inner'])",
    PATH_CHANGE + "sys.path.insert(0, os.path.dirname(__file__))",
    PATH_CHANGE + "sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'lib'))",
    PATH_CHANGE + "sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'lib'))",
)
EXTRAS = (
    "",
    "",
    "__all__ = ['inner', 'deep']\n",
    "inner = 1\n",
    "pytest_plugins = ['other']\n",
    "pytest_plugins = ['helper'] + ['wave']\n",
)

CONFIGS = (
    ("pytest.ini", "[pytest]\n{}"),
    ("tests/pytest.ini", "[pytest]\n{}"),
    ("pytest.toml", "[pytest]\n"),
    ("tests/props/tox.ini", "[pytest]\n{}"),
    ("tox.ini", "[tox]\nenvlist = py\n"),
    ("setup.cfg", "[tool:pytest]\n{}"),
    ("pyproject.toml", "[project]\nname = 'x'\n"),
    ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['lib', 'tests']\n"),
    ("tests/pyproject.toml", "[tool.pytest]\naddopts = ['-pother', '--import-mode', 'append']\n"),
    ("tests/pyproject.toml", "[project]\nname = 'y'\n"),
    ("tests/setup.py", ""),
)
OPTIONS = (
    "pythonpath = lib\n",
    "pythonpath = . lib tests\n",
    "addopts = --import-mode=append\n",
    "addopts = --import-mode importlib\n",
    "addopts = -p other\n",
    "addopts = -qo pythonpath=lib -W ignore::helper.Loud\n",
    "addopts = '-p helper' -qpwave\n",
    "addopts = -p other --import-mode=append\npythonpath = lib\n",
    "",
)


def body_of(imports: list[str], extra: str) -> str:
    """Imports that fail do no harm, and bind nothing: what may be bound is over-approximated.

    So is what may come too late to be tried: each import has a `try` of its own.
    """
    return "import importlib\n_ran(__file__)\n" + "".join(map(_tried, imports)) + extra


def _tried(line: str) -> str:
    if line.startswith(PATH_CHANGE):
        return f"{line}\n"
    if line.endswith("*"):  # allowed at the top level alone
        return f"try:\n    {line}\nexcept ImportError:\n    pass\n"
    return f"class _:\n    try:\n        {line}\n    except ImportError:\n        pass\n"


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, str]:
    """A tree whose oracle is at ORACLE."""
    bodies = st.builds(
        body_of, st.lists(st.sampled_from(IMPORTS), max_size=3), st.sampled_from(EXTRAS)
    )
    places = st.builds(str.__add__, st.sampled_from(PLACES), st.sampled_from(NAMES))
    files = draw(st.dictionaries(places, bodies, max_size=8))
    # What the subject imports is no part of the domain, what compiled code imports makes it
    # illegal: neither imports anything here.
    silent = [p for p in files if p.startswith("src/shop/") or p.endswith(".pyc")]
    files |= dict.fromkeys(silent, body_of([], ""))
    for path in [p for p in files if p.endswith("__init__.py")]:
        files[path] = files[path].replace("import *", "import inner")
    around = ("conftest.py", "__init__.py")
    chain = [f"{place}{name}" for place in PLACES[:3] for name in around]
    for path in draw(st.lists(st.sampled_from(chain), unique=True, max_size=4)):
        files[path] = draw(bodies)
    for path, text in draw(st.lists(st.sampled_from(CONFIGS), max_size=2)):
        files[path] = text.format(draw(st.sampled_from(OPTIONS)))
    files[ORACLE] = draw(bodies) + "def test_it():\n    pass\n"
    return files
