"""What counts as passed or failed, and what never does (MECHANICS 40, field cases C and D4)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.witness.support import ID, observed, plant, run, unobserved, word_of

# words, the test file, conftest.py, the answer
OUTCOMES = [
    ("passes", "def test_it(): pass", "", "passed"),
    ("fails", "def test_it(): assert 1 == 2", "", "failed"),
    ("pytest_fail", "import pytest\ndef test_it(): pytest.fail('so')", "", "failed"),
    ("raises", "def test_it(): {}['a']", "", "failed"),
    ("skip_mark", "import pytest\n@pytest.mark.skip\ndef test_it(): pass", "", "skipped"),
    (
        "skipif",
        "import pytest\n@pytest.mark.skipif(True, reason='so')\ndef test_it(): 1/0",
        "",
        "skipped",
    ),
    ("skip_call", "import pytest\ndef test_it(): pytest.skip('so')", "", "skipped"),
    (
        "skip_module",
        "import pytest\npytestmark = pytest.mark.skip\ndef test_it(): pass",
        "",
        "skipped",
    ),
    (
        "importorskip",
        "import pytest\npytest.importorskip('nothing_such')\ndef test_it(): pass",
        "",
        "skipped",
    ),
    ("unittest_skip", "import unittest\n@unittest.skip('so')\ndef test_it(): pass", "", "skipped"),
    ("xfails", "import pytest\n@pytest.mark.xfail\ndef test_it(): 1/0", "", "xfailed"),
    (
        "xfails_strict",
        "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_it(): 1/0",
        "",
        "xfailed",
    ),
    ("xfail_call", "import pytest\ndef test_it(): pytest.xfail('so')", "", "xfailed"),
    (
        "xfail_not_run",
        "import pytest\n@pytest.mark.xfail(run=False)\ndef test_it(): 1/0",
        "",
        "xfailed",
    ),
    ("xpasses", "import pytest\n@pytest.mark.xfail\ndef test_it(): pass", "", "xpassed"),
    (
        "xpasses_strict",
        "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_it(): pass",
        "",
        "xpassed",
    ),
    (
        "xfail_of_another_error",
        "import pytest\n@pytest.mark.xfail(raises=KeyError)\ndef test_it(): 1/0",
        "",
        "failed",
    ),
    (
        "xfail_that_does_not_apply",
        "import pytest\n@pytest.mark.xfail(False, reason='so')\ndef test_it(): pass",
        "",
        "passed",
    ),
    (
        "empty_parametrize",
        "import pytest\n@pytest.mark.parametrize('n', [])\ndef test_it(n): pass",
        "",
        "skipped",
    ),
    ("os_exit_0", "import os\ndef test_it(): os._exit(0)", "", "exited_early"),
    ("os_exit_1", "import os\ndef test_it(): os._exit(1)", "", "exited_early"),
    ("sys_exit_0", "import sys\ndef test_it(): sys.exit(0)", "", "exited_early"),
    ("sys_exit_1", "import sys\ndef test_it(): sys.exit(1)", "", "exited_early"),
    (
        "pytest_exit_0",
        "import pytest\ndef test_it(): pytest.exit('so', returncode=0)",
        "",
        "exited_early",
    ),
    (
        "pytest_exit_1",
        "import pytest\ndef test_it(): pytest.exit('so', returncode=1)",
        "",
        "exited_early",
    ),
    ("interrupts_itself", "def test_it(): raise KeyboardInterrupt", "", "exited_early"),
    ("sys_exit_at_import", "import sys\nsys.exit(0)\ndef test_it(): pass", "", "exited_early"),
    ("sys_exit_in_conftest", "def test_it(): pass", "import sys\nsys.exit(0)", "exited_early"),
    (
        "os_exit_at_the_end",
        "import atexit, os\ndef test_it():\n    atexit.register(os._exit, 0)\n    1/0",
        "",
        "exited_early",
    ),
    ("kills_itself", "import os\ndef test_it(): os.kill(os.getpid(), 9)", "", "crashed"),
    (
        "crashes_after_passing",
        "import atexit, os\ndef test_it(): atexit.register(os.kill, os.getpid(), 11)",
        "",
        "crashed",
    ),
    (
        "set_up_error",
        "import pytest\n@pytest.fixture\ndef f(): 1/0\ndef test_it(f): pass",
        "",
        "set_up_error",
    ),
    ("fixture_missing", "def test_it(nothing_such): pass", "", "set_up_error"),
    (
        "tear_down_error",
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    1/0\ndef test_it(f): pass",
        "",
        "tear_down_error",
    ),
    (
        "fails_and_tear_down_error",
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    1/0\ndef test_it(f): assert 0",
        "",
        "tear_down_error",
    ),
    ("syntax_error", "def test_it(: pass", "", "collection_error"),
    ("error_at_import", "1/0\ndef test_it(): pass", "", "collection_error"),
    ("import_error", "import nothing_such\ndef test_it(): pass", "", "import_error"),
    ("conftest_import_error", "def test_it(): pass", "import nothing_such", "import_error"),
    ("unknown_id", "def test_other(): pass", "", "not_collected"),
    (
        "several_by_parameters",
        "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_it(n): pass",
        "",
        "several_collected",
    ),
    (
        "several_by_a_hook",
        "def test_it(): pass",
        "def pytest_collection_modifyitems(items): items.extend(items * 2)",
        "several_collected",
    ),
    (
        "deselected_by_a_hook",
        "def test_it(): pass",
        "def pytest_collection_modifyitems(config, items):\n"
        "    config.hook.pytest_deselected(items=items[:])\n    items.clear()",
        "not_collected",
    ),
    (
        "wrapper_flips_the_report",
        "def test_it(): assert 0",
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    report = (yield).get_result()\n    report.outcome = 'passed'",
        "outcome_contradicted",
    ),
    (
        "wrapper_flips_a_pass",
        "def test_it(): pass",
        "import pytest\n@pytest.hookimpl(wrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    if call.when == 'call':\n        report.outcome = 'failed'\n"
        "        report.longrepr = 'so'\n    return report",
        "outcome_contradicted",
    ),
    (
        "wrapper_takes_the_exception_away",
        "def test_it(): assert 0",
        "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\n"
        "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n    yield",
        "outcome_contradicted",
    ),
    (
        "wrapper_swallows_the_exception",
        "def test_it(): assert 0",
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_call(item):\n"
        "    try:\n        return (yield)\n    except AssertionError:\n        return None",
        "outcome_contradicted",
    ),
    (
        "makereport_turns_it_into_a_skip",
        "def test_it(): assert 0",
        "import pytest\n@pytest.hookimpl(wrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    if report.failed:\n        report.outcome = 'skipped'\n"
        "        report.wasxfail = 'so'\n    return report",
        "xfailed",
    ),
    (
        "sessionfinish_says_0",
        "def test_it(): assert 0",
        "def pytest_sessionfinish(session): session.exitstatus = 0",
        "outcome_contradicted",
    ),
    (
        "sessionfinish_says_1",
        "def test_it(): pass",
        "def pytest_sessionfinish(session): session.exitstatus = 1",
        "outcome_contradicted",
    ),
    (
        "reruns_by_hand",
        "N = []\ndef test_it():\n    N.append(1)\n    assert len(N) > 1",
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    first = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    if any(r.failed for r in first):\n        first = runtestprotocol(item, log=False)\n"
        "    for r in first:\n        item.ihook.pytest_runtest_logreport(report=r)\n"
        "    return True",
        "rerun_in_process",
    ),
    (
        "protocol_reports_without_running",
        "def test_it(): assert 0",
        "from _pytest.reports import TestReport\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for when in ('setup', 'call', 'teardown'):\n"
        "        item.ihook.pytest_runtest_logreport(report=TestReport(\n"
        "            item.nodeid, item.location, {}, 'passed', None, when))\n"
        "    return True",
        "exited_early",
    ),
    (
        "internal_error",
        "def test_it(): pass",
        "def pytest_runtest_logstart(nodeid): 1/0",
        "internal_error",
    ),
    (
        "forks_and_comes_back",
        "import os\ndef test_it():\n    pid = os.fork()\n    assert pid\n    os.waitpid(pid, 0)",
        "",
        "passed",
    ),
]


@pytest.mark.parametrize(
    ("test", "conftest", "expected"), [pytest.param(*c[1:], id=c[0]) for c in OUTCOMES]
)
def test_one_run(tmp_path: Path, test: str, conftest: str, expected: str) -> None:
    files = {"test_it.py": test, **({"conftest.py": conftest} if conftest else {})}
    assert word_of(run(plant(tmp_path, files))) == expected


def test_a_local_pytest_is_refused_without_running_it(tmp_path: Path) -> None:
    tree = plant(
        tmp_path, {"test_it.py": "def test_it(): pass", "pytest.py": "raise SystemExit(0)"}
    )
    answer = unobserved(tree)
    assert (word_of(answer), answer.got) == ("shadowed_pytest", "pytest from pytest.py")


@pytest.mark.parametrize("name", ["_pytest/__init__.py", "pluggy.py"])
def test_local_parts_of_pytest_are_refused(tmp_path: Path, name: str) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass", f"src/{name}": ""})
    answer = run(tree, pythonpath=("src",))
    assert word_of(answer) == "shadowed_pytest"


@pytest.mark.parametrize(
    ("test_id", "expected"),
    [
        ("test_it.py", "several_collected"),
        (".", "several_collected"),
        ("test_it.py::TestClass", "several_collected"),
        ("test_it.py::TestClass::test_one", "passed"),
        ("test_it.py::test_it[2]", "passed"),
        ("test_it.py::test_it[7]", "not_collected"),
        ("test_it.py[2]", "not_collected"),
        ("nothing.py::test_it", "not_collected"),
        ("empty.py", "not_collected"),
    ],
)
def test_ids(tmp_path: Path, test_id: str, expected: str) -> None:
    text = """
        import pytest
        @pytest.mark.parametrize("n", [1, 2])
        def test_it(n): pass
        class TestClass:
            def test_one(self): pass
            def test_two(self): pass
    """
    tree = plant(tmp_path, {"test_it.py": text, "empty.py": ""})
    assert word_of(run(tree, test_id)) == expected


def test_several_are_counted_and_none_is_run(tmp_path: Path) -> None:
    text = """
        import pathlib, pytest
        @pytest.mark.parametrize("n", range(6))
        def test_it(n): pathlib.Path("ran").touch()
    """
    answer = unobserved(plant(tmp_path, {"test_it.py": text}))
    assert answer.got == "6 tests, the first is test_it.py::test_it[0]"
    assert not (tmp_path / "ran").exists()


def test_an_unknown_id_is_named_without_the_machine(tmp_path: Path) -> None:
    answer = unobserved(plant(tmp_path, {"test_it.py": ""}))
    assert answer.got == "not found: test_it.py::test_it"


# words, marks, arguments, what stands behind the id, conftest.py, the answer
SKIPS = [
    ("plain", "@pytest.mark.skip", "", "", "", "passed"),
    ("ours", "@pytest.mark.skip(reason='freezegate: order.total')", "", "", "", "passed"),
    ("two", "@pytest.mark.skip\n@pytest.mark.skip(reason='so')", "", "", "", "passed"),
    ("skipif", "@pytest.mark.skipif(True, reason='so')", "", "", "", "skipped"),
    (
        "parameter",
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.skip)])",
        *("n", "[1]", "", "skipped"),
    ),
    (
        "beside_a_parameter",
        "@pytest.mark.skip\n@pytest.mark.parametrize('n', [1, 2])",
        *("n", "[1]", "", "passed"),
    ),
    ("empty_parametrize", "@pytest.mark.parametrize('n', [])", "n", "", "", "skipped"),
    (
        "hook",
        *("", "", ""),
        "import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items: item.add_marker(pytest.mark.skip)",
        "skipped",
    ),
]


@pytest.mark.parametrize(
    ("marks", "arguments", "behind", "conftest", "expected"),
    [pytest.param(*c[1:], id=c[0]) for c in SKIPS],
)
def test_only_a_plain_skip_on_the_test_itself_is_set_aside(
    tmp_path: Path, marks: str, arguments: str, behind: str, conftest: str, expected: str
) -> None:
    text = f"import pytest\n{marks}\ndef test_it({arguments}): pass\n"
    tree = plant(tmp_path, {"test_it.py": text, "conftest.py": conftest})
    assert word_of(run(tree, ID + behind, ignore_skip=True)) == expected
    assert word_of(run(tree, ID + behind)) == "skipped"


def test_a_module_or_class_that_is_skipped_stays_skipped(tmp_path: Path) -> None:
    text = """
        import pytest
        @pytest.mark.skip
        class TestClass:
            @pytest.mark.skip
            def test_it(self): pass
    """
    tree = plant(tmp_path, {"test_it.py": text})
    assert word_of(run(tree, "test_it.py::TestClass::test_it", ignore_skip=True)) == "skipped"


UNITTESTS = [
    ("passes", "pass", "passed"),
    ("fails", "self.assertEqual(1, 2)", "failed"),
    ("errors", "{}['a']", "failed"),
    ("skips", "self.skipTest('so')", "skipped"),
    ("subtests_pass", "with self.subTest(n=1): pass", "passed"),
]


@pytest.mark.parametrize(("body", "expected"), [pytest.param(*c[1:], id=c[0]) for c in UNITTESTS])
def test_unittest(tmp_path: Path, body: str, expected: str) -> None:
    head = "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
    text = f"{head}        {body}\n"
    tree = plant(tmp_path, {"test_it.py": text})
    answer = run(tree, "test_it.py::TestIt::test_it")
    assert word_of(answer) == expected


def test_unittest_expected_failure_is_none(tmp_path: Path) -> None:
    text = """
        import unittest
        class TestIt(unittest.TestCase):
            @unittest.expectedFailure
            def test_it(self): self.fail()
            @unittest.expectedFailure
            def test_other(self): pass
    """
    tree = plant(tmp_path, {"test_it.py": text})
    assert word_of(run(tree, "test_it.py::TestIt::test_it")) == "xfailed"
    assert word_of(run(tree, "test_it.py::TestIt::test_other")) == "xpassed"


SUBTESTS = [
    ("all_pass", "pass", "", "passed"),
    ("one_fails", "assert n != 1", "", "failed"),
    ("all_fail", "assert 0", "", "failed"),
    ("one_skips", "n or pytest.skip('so')", "", "skipped"),
    ("pass_then_fails", "pass", "assert 0", "failed"),
    ("fail_then_fails", "assert 0", "assert 1 == 2", "failed"),
]


@pytest.mark.skipif(
    tuple(map(int, pytest.__version__.split(".")[:1])) < (9,), reason="pytest 9 has subtests"
)
@pytest.mark.parametrize(
    ("body", "after", "expected"), [pytest.param(*c[1:], id=c[0]) for c in SUBTESTS]
)
def test_subtests(tmp_path: Path, body: str, after: str, expected: str) -> None:
    text = (
        "import pytest\ndef test_it(subtests):\n    for n in range(3):\n"
        f"        with subtests.test(n=n):\n            {body}\n    {after}\n"
    )
    assert word_of(run(plant(tmp_path, {"test_it.py": text}))) == expected


def test_a_failure_tells_type_frames_and_message(tmp_path: Path) -> None:
    text = """
        from shop.order import total
        class TestOrder:
            def test_it(self):
                assert total([1, 2]) == 4
    """
    shop = """
        def total(lines):
            return add(lines)
        def add(lines):
            return int("x")
    """
    tree = plant(tmp_path, {"tests/test_it.py": text, "src/shop/order.py": shop})
    answer = observed(tree, "tests/test_it.py::TestOrder::test_it", pythonpath=("src",))
    failure = answer.failure
    assert failure is not None
    assert failure.type_name == "ValueError"
    assert failure.message == "invalid literal for int() with base 10: 'x'"
    own_name = "TestOrder.test_it" if sys.version_info >= (3, 11) else "test_it"
    assert [(f.path, f.qualname, f.source, f.line) for f in failure.frames] == [
        ("tests/test_it.py", own_name, "assert total([1, 2]) == 4", 5),
        ("src/shop/order.py", "total", "return add(lines)", 3),
        ("src/shop/order.py", "add", 'return int("x")', 5),
    ]
    assert answer.reads == ("src/shop/order.py", "tests/test_it.py")


def test_a_wrapper_in_conftest_is_no_frame_of_the_failure(tmp_path: Path) -> None:
    conftest = """
        import pytest
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(item):
            return (yield)
    """
    tree = plant(tmp_path, {"test_it.py": "def test_it(): assert 0", "conftest.py": conftest})
    failure = observed(tree).failure
    assert failure is not None
    assert [frame.path for frame in failure.frames] == ["test_it.py"]


def test_chained_exceptions_are_told_by_the_last(tmp_path: Path) -> None:
    text = """
        def test_it():
            try:
                {}["a"]
            except KeyError as error:
                raise ValueError("so") from error
    """
    failure = observed(plant(tmp_path, {"test_it.py": text})).failure
    assert failure is not None
    assert (failure.type_name, failure.message) == ("ValueError", "so")


def test_groups_are_told_with_their_leaves(tmp_path: Path) -> None:
    text = """
        def load(): {}["a"]
        def caught(call):
            try:
                call()
            except Exception as error:
                return error
        def test_it():
            inner = ExceptionGroup("inner", [caught(load), OSError("no")])
            raise ExceptionGroup("outer", [inner, ValueError("so")])
    """
    failure = observed(plant(tmp_path, {"test_it.py": text})).failure
    assert failure is not None
    assert failure.type_name == "ExceptionGroup"
    assert [leaf.type_name for leaf in failure.leaves] == ["KeyError", "OSError", "ValueError"]
    assert failure.leaves[0].frames[-1].qualname == "load"


def test_an_exception_without_a_text_and_endless_recursion(tmp_path: Path) -> None:
    text = """
        class Bad(Exception):
            def __str__(self): raise RuntimeError
        def test_it(): raise Bad
        def test_deep(): test_deep()
    """
    tree = plant(tmp_path, {"test_it.py": text})
    failure = observed(tree).failure
    assert failure is not None
    assert failure.type_name == "test_it.Bad"
    deep = observed(tree, "test_it.py::test_deep").failure
    assert deep is not None
    assert deep.type_name == "RecursionError"
    assert len(deep.frames) == 100
