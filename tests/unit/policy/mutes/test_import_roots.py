"""Folders from which other modules are imported in place of the tested code; and honest ones."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

SHOP, COPY = "src/shop/cart.py", "vendor/shop/cart.py"
CONFTEST, INI, TEST = "tests/conftest.py", "pytest.ini", "tests/test_cart.py"
CODE = "def total(lines):\n    return sum(lines)\n"
OLD = {
    "src/shop/__init__.py": "",
    SHOP: CODE,
    CONFTEST: "import pytest\n",
    INI: "[pytest]\npythonpath = src\n",
    TEST: "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "vendor/other.py": "",
    "tests/support/tools.py": "",
    "Makefile": "test:\n\tpytest\n",
}
COPIED = {**OLD, "vendor/shop/__init__.py": "", COPY: CODE}
VENDOR = "Path(__file__).parent.parent / 'vendor'"
BY_CODE = {
    "insert": f"import sys\nfrom pathlib import Path\nsys.path.insert(0, str({VENDOR}))\n",
    "alias": "from sys import path as way\nway.insert(0, 'vendor')\n",
    "name": "import sys\nWHERE = 'ven' + 'dor'\nsys.path.insert(0, WHERE)\n",
    "added": "import os, sys\nsys.path.insert(0, os.path.dirname(__file__) + '/../vendor')\n",
    "slice": "import sys\nsys.path[:0] = ['vendor']\n",
    "item": "import sys\nsys.path[0] = 'vendor'\n",
    "assigned": "import sys\nsys.path = ['vendor'] + sys.path\n",
    "starred": "import sys\nsys.path = ['vendor', *sys.path]\n",
    "joined": "import os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\n"
    "sys.path.insert(0, os.path.join(here, '..', 'vendor'))\n",
    "parents": "import sys, pathlib\n"
    'sys.path.insert(0, f"{pathlib.Path(__file__).resolve().parents[1]}/vendor")\n',
    "hook": "import sys\ndef pytest_configure(config):\n"
    "    sys.path.insert(0, str(config.rootpath / 'vendor'))\n",
    "fixture": "import pytest\n@pytest.fixture(autouse=True)\ndef way(monkeypatch):\n"
    "    monkeypatch.syspath_prepend('vendor')\n",
}
BY_FILE = {
    "setting": {INI: "[pytest]\npythonpath = vendor src\n"},
    "addopts": {INI: "[pytest]\npythonpath = src\naddopts = -o pythonpath=vendor\n"},
    "makefile": {"Makefile": "export PYTHONPATH := vendor:src\ntest:\n\tpytest\n"},
    "command": {"Makefile": "test:\n\tPYTHONPATH=$(CURDIR)/vendor pytest\n"},
    "tox": {"tox.ini": "[testenv]\nsetenv =\n  PYTHONPATH = {toxinidir}/vendor\n"},
    "nox": {
        "noxfile.py": "def t(session):\n    session.run('pytest', env={'PYTHONPATH': 'vendor'})\n"
    },
    "workflow": {
        ".github/workflows/ci.yml": "env:\n  PYTHONPATH: ${{ github.workspace }}/vendor\njobs: {}\n"
    },
    "github_env": {
        ".github/workflows/ci.yml": "jobs:\n t:\n  steps:\n"
        '  - run: echo "PYTHONPATH=vendor" >> $GITHUB_ENV\n'
    },
}
BY_PACKAGE = {
    "insert": "import shop\nshop.__path__.insert(0, 'tests/good')\n",
    "assign": "import shop as s\ns.__path__ = ['tests/good']\n",
    "slice": "import shop\nshop.__path__[:] = ['tests/good']\n",
    "add": "import shop\nshop.__path__ += ['tests/good']\n",
    "setattr": "import shop\nsetattr(shop, '__path__', ['tests/good'])\n",
    "hook": "def pytest_configure():\n    import shop\n    shop.__path__.reverse()\n",
}
BEHIND = {
    "append": {CONFTEST: "import sys\nsys.path.append('vendor')\n"},
    "site": {CONFTEST: "import site\nsite.addsitedir('vendor')\n"},
    "a_helper": {
        CONFTEST: "import sys\nsys.path.insert(0, 'tests/good')\n",
        "tests/good/helpers.py": "",
        "tests/helpers.py": "",
    },
}
HONEST = {
    "src": {CONFTEST: "import sys\nsys.path.insert(0, 'src')\n"},
    "src_by_file": {
        CONFTEST: "import sys, os\nhere = os.path.dirname(__file__)\n"
        "sys.path.insert(0, os.path.join(here, '../src'))\n"
    },
    "top": {
        CONFTEST: "import sys, os\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n"
    },
    "own_folder": {CONFTEST: "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"},
    "helpers": {CONFTEST: "import sys\nsys.path.insert(0, 'tests/support')\n"},
    "libraries": {INI: "[pytest]\npythonpath = vendor src\n"},
    "top_setting": {INI: "[pytest]\npythonpath = . src\n"},
    "variable": {"Makefile": "test:\n\tPYTHONPATH=src:vendor pytest\n"},
    "elsewhere": {"Makefile": "test:\n\tPYTHONPATH=$HOME/lib:/opt/lib pytest\n"},
    "printed": {CONFTEST: "import sys\nprint(sys.path, len(sys.path))\n"},
    "read_package": {CONFTEST: "import pkgutil, shop\nlist(pkgutil.iter_modules(shop.__path__))\n"},
    "new_module": {"vendor/more.py": ""},
}


@pytest.mark.parametrize("code", [f"{CODE}\n", CODE.replace("sum", "1 + sum")])
@pytest.mark.parametrize("text", BY_CODE.values(), ids=BY_CODE)
def test_another_file_by_sys_path_is_refused(text: str, code: str) -> None:
    old = {**COPIED, SHOP: CODE}
    assert verdict_between(old, {**old, SHOP: code, CONFTEST: text}, "import_root") == "refuses"
    assert verdict_between(OLD, {**old, SHOP: code, CONFTEST: text}, "import_root") == "refuses"


@pytest.mark.parametrize("files", BY_FILE.values(), ids=BY_FILE)
def test_another_file_by_configuration_is_refused(files: dict[str, str]) -> None:
    assert verdict_between(OLD, {**COPIED, **files}, "import_root") == "refuses"
    assert verdict_between(COPIED, {**COPIED, **files}, "import_root") == "refuses"


def test_a_copy_in_a_folder_that_was_named_is_refused() -> None:
    named = {INI: "[pytest]\npythonpath = vendor src\n"}
    assert verdict_between({**OLD, **named}, {**COPIED, **named}) == "refuses"


@pytest.mark.parametrize("text", BY_PACKAGE.values(), ids=BY_PACKAGE)
def test_modules_of_a_package_from_elsewhere_are_refused(text: str) -> None:
    new = {**OLD, CONFTEST: text, "tests/good/cart.py": CODE}
    assert verdict_between(OLD, new, "import_root") == "refuses"


def test_a_package_that_looks_elsewhere_itself_is_told() -> None:
    new = {**OLD, "src/shop/__init__.py": "__path__.insert(0, 'vendor')\n"}
    assert verdict_between(OLD, new, "import_root") == "warns"


@pytest.mark.parametrize("files", BEHIND.values(), ids=BEHIND)
def test_what_may_be_imported_from_elsewhere_is_told(files: dict[str, str]) -> None:
    old = {**COPIED, **{path: text for path, text in files.items() if path != CONFTEST}}
    assert verdict_between(old, {**COPIED, **files}, "import_root") == "warns"


@pytest.mark.parametrize("files", HONEST.values(), ids=HONEST)
def test_folders_of_nothing_tested_are_honest(files: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **files}) == "accepts"


def test_code_that_moves_to_src_is_honest() -> None:
    old = {**OLD, "shop/__init__.py": "", "shop/cart.py": CODE, INI: "[pytest]\n"}
    old = {path: text for path, text in old.items() if not path.startswith("src/")}
    assert verdict_between(old, OLD) == "accepts"
