"""Test code that patches the framework, replaces modules or ends the run; and what is honest."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

CONFTEST = "tests/conftest.py"
TEST = "import pytest\nfrom shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
OLD = {PATH: TEST, CONFTEST: "import pytest\n", "shop.py": "def total(items):\n    return 1\n"}
DRESSINGS = {
    "alone": {},
    "source": {"shop.py": "def total(items):\n    return 2\n"},
    "renamed": {PATH: TEST.replace("test_total", "test_sum")},
    "new_tests": {PATH: TEST + "\n\ndef test_more():\n    assert True\n"},
}
REFUSED = [
    pytest.param("import pytest\npytest.raises = lambda *a: None\n", id="raises"),
    pytest.param("import pytest as p\nsetattr(p, 'app' + 'rox', lambda x: x)\n", id="setattr"),
    pytest.param("import pytest\npytest.__dict__['raises'] = None\n", id="dict"),
    pytest.param("import pytest\nvars(pytest)['raises'] = None\n", id="vars"),
    pytest.param("import pytest\nvars(pytest).update(raises=None)\n", id="vars_update"),
    pytest.param("import _pytest.runner as r\nr.call_runtest_hook = None\n", id="runner"),
    pytest.param(
        "from _pytest.reports import TestReport\nTestReport.failed = False\n", id="report_class"
    ),
    pytest.param("import unittest\nunittest.TestCase.assertEqual = print\n", id="assert_equal"),
    pytest.param(
        "from unittest import TestCase as T\ntype.__setattr__(T, 'fail', print)\n",
        id="type_setattr",
    ),
    pytest.param("import hypothesis\nhypothesis.given = lambda *a: print\n", id="given"),
    pytest.param("import builtins\nbuiltins.AssertionError = ValueError\n", id="assertion_error"),
    pytest.param("import builtins\nbuiltins.len = lambda x: 1\n", id="len"),
    pytest.param("__builtins__['len'] = lambda x: 1\n", id="dunder_builtins"),
    pytest.param("import sys\nsys.modules['pytest'] = object()\n", id="sys_modules"),
    pytest.param("import sys\nsys.modules['shop'] = object()\n", id="sys_modules_subject"),
    pytest.param("from sys import modules as m\nm['shop'] = object()\n", id="sys_modules_alias"),
    pytest.param("import sys\nsys.modules.update({'shop': None})\n", id="sys_modules_update"),
    pytest.param("import sys\nsys.modules.setdefault('shop', None)\n", id="sys_modules_default"),
    pytest.param("import sys\nsys.meta_path.insert(0, None)\n", id="meta_path"),
    pytest.param("import sys\nsys.exit = lambda *a: None\n", id="sys_exit_patched"),
    pytest.param("import sys\nsys.exit(0)\n", id="sys_exit"),
    pytest.param("raise SystemExit\n", id="system_exit"),
    pytest.param("import os\nos._exit(0)\n", id="os_exit"),
    pytest.param("import atexit, os\natexit.register(os._exit, 0)\n", id="atexit"),
    pytest.param(
        "import os\ndef pytest_sessionfinish():\n    os._exit(0)\n", id="os_exit_in_a_hook"
    ),
    pytest.param(
        "import sys\ndef pytest_unconfigure():\n    sys.exit(0)\n", id="sys_exit_in_a_hook"
    ),
    pytest.param("import pytest\npytest.exit('done', returncode=0)\n", id="pytest_exit"),
    pytest.param("import os\nos.environ['PYTEST_ADDOPTS'] = '-k x'\n", id="addopts_by_environ"),
    pytest.param(
        "import pytest\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n"
        "    monkeypatch.setattr(pytest, 'raises', print)\n",
        id="monkeypatch_in_a_fixture",
    ),
    pytest.param(
        "import pytest\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n"
        "    monkeypatch.setattr('builtins.AssertionError', ValueError)\n",
        id="monkeypatch_by_text",
    ),
    pytest.param(
        "from unittest import mock\nmock.patch('pytest.raises', print).start()\n", id="mock_patch"
    ),
    pytest.param(
        "from unittest.mock import patch\nimport unittest\n"
        "patch.object(unittest.TestCase, 'assertEqual').start()\n",
        id="mock_patch_object",
    ),
    *(
        pytest.param(f"import shop, functools\n{line}\n", id=name)
        for name, line in {
            "code_of_a_function": "shop.total.__code__ = (lambda items: 1).__code__",
            "code_by_setattr": "setattr(shop.total, '__co' + 'de__', print)",
            "code_by_object": "object.__setattr__(shop.total, '__code__', print)",
            "code_by_its_descriptor": "type(shop.total).__code__.__set__(shop.total, print)",
            "code_of_several": "for each in (shop.total,):\n    each.__code__ = None",
            "defaults": "shop.total.__defaults__ = ([1],)",
            "keyword_defaults": "shop.total.__kwdefaults__ = {'items': [1]}",
            "globals": "shop.total.__globals__['sum'] = len",
            "globals_updated": "shop.total.__globals__.update(sum=len)",
            "globals_under_a_name": "own = shop.total.__globals__\nown['sum'] = len",
            "cell": "shop.total.__closure__[0].cell_contents = 1",
            "code_in_a_fixture": "def quiet(request):\n    request.function.__code__ = None",
            "code_by_monkeypatch": "def quiet(monkeypatch):\n"
            "    monkeypatch.setattr(shop.total, '__code__', None)",
        }.items()
    ),
]
ACCEPTED = [
    pytest.param("import sys\nsys.path.insert(0, 'src')\n", id="path"),
    pytest.param("import pytest\npytest.shared = {}\n", id="shared_on_pytest"),
    pytest.param("import sys\nsys.modules['nothing_like_it'] = object()\n", id="stub"),
    pytest.param("from unittest import mock\nm = mock.Mock()\nm.return_value = 3\n", id="mock"),
    pytest.param("import unittest\nunittest.TestCase.maxDiff = None\n", id="max_diff"),
    pytest.param("import os\nos.environ['TZ'] = 'UTC'\n", id="environ"),
    pytest.param(
        "import sys, pytest\nif __name__ == '__main__':\n    sys.exit(pytest.main())\n", id="main"
    ),
    pytest.param(
        "import pytest\n@pytest.fixture\ndef typed(monkeypatch):\n"
        "    monkeypatch.setattr('builtins.input', lambda: 'x')\n",
        id="input",
    ),
    pytest.param("import shop\nCODE = shop.total.__code__.co_name\n", id="code_that_is_read"),
    pytest.param("def named(f):\n    f.__name__ = f.__doc__ = 'x'\n", id="name_of_a_function"),
    pytest.param("import shop\nSUM = shop.total.__globals__['sum']\n", id="globals_read"),
    pytest.param("NOTE = 'pytest.raises = None'\n", id="a_text"),
]


@pytest.mark.parametrize("place", [CONFTEST, PATH, "tests/support.py"])
@pytest.mark.parametrize("dressing", DRESSINGS)
@pytest.mark.parametrize("code", REFUSED)
def test_what_patches_the_framework_is_found(code: str, dressing: str, place: str) -> None:
    new = {**OLD, **DRESSINGS[dressing]}
    new[place] = code + new.get(place, "")
    assert verdict_between(OLD, new, "harness") == "refuses"


@pytest.mark.parametrize("code", REFUSED)
def test_what_stood_there_before_is_none(code: str) -> None:
    old = {**OLD, CONFTEST: code}
    assert verdict_between(old, {**old, CONFTEST: code + "\nX = 1\n"}, "harness") == "accepts"


@pytest.mark.parametrize("code", ACCEPTED)
def test_honest_code_is_none(code: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: code}, "harness") == "accepts"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("monkeypatch.setattr(pytest, 'raises', print)", id="monkeypatch"),
        pytest.param("mocker.patch('pytest.fail')", id="mocker"),
        pytest.param("pytest.raises = print", id="assigned"),
    ],
)
def test_an_old_test_that_patches_is_found(line: str) -> None:
    new = TEST.replace("    assert", f"    {line}\n    assert").replace(
        "total()", "total(monkeypatch)"
    )
    assert verdict_between(OLD, {**OLD, PATH: new}, "harness") == "refuses"


def test_a_new_test_may_patch_for_itself() -> None:
    more = "\n\ndef test_more(monkeypatch):\n    monkeypatch.setattr(pytest, 'fail', print)\n"
    assert verdict_between(OLD, {**OLD, PATH: TEST + more}, "harness") == "accepts"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import pytest\npytest.exit('no database')\n", id="pytest_exit"),
        pytest.param("import sys\nsys.exit('no database')\n", id="sys_exit"),
        pytest.param("import sys\nsys.settrace(print)\n", id="settrace"),
    ],
)
def test_what_may_be_honest_is_doubted(code: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: code}, "harness") == "warns"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import hypothesis\nhypothesis.given = lambda *a: print\n", id="given"),
        pytest.param("import sys\nsys.modules['pytest'] = object()\n", id="sys_modules"),
        pytest.param("import builtins\nbuiltins.AssertionError = ValueError\n", id="builtins"),
    ],
)
def test_production_code_that_patches_is_of_the_family_subject(code: str) -> None:
    (found,) = mutes_between(OLD, {**OLD, "shop.py": code + OLD["shop.py"]})
    assert (found.family, found.path) == ("subject", "shop.py")
