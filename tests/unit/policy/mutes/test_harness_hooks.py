"""Hooks and fixtures that rewrite outcomes, take items away or set options, and honest ones."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

CONFTEST = "tests/conftest.py"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
FIXTURES = "import pytest\n\n\n@pytest.fixture\ndef order():\n    return [1]\n"
OLD = {PATH: TEST, CONFTEST: FIXTURES, "shop.py": "def total(items):\n    return sum(items)\n"}
DRESSINGS = {
    "alone": {},
    "source": {"shop.py": "def total(items):\n    return 1 + sum(items)\n"},
    "renamed": {PATH: TEST.replace("test_total", "test_sum")},
    "new_tests": {PATH: TEST + "\n\ndef test_more():\n    assert True\n"},
    "reformatted": {PATH: TEST.replace("total([1]) == 1", "(total([1])  ==  1)")},
}


def hook(signature: str, *body: str, imports: str = "import pytest", wrapper: str = "") -> str:
    """The conftest file with one more hook."""
    lines = "".join(f"    {line}\n" for line in body)
    return FIXTURES.replace("import pytest", imports) + f"\n\n{wrapper}def {signature}:\n{lines}"


WRAPPER = "@pytest.hookimpl(hookwrapper=True)\n"
NEW_WRAPPER = "@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
ITEMS = "pytest_collection_modifyitems(config, items)"
REPORT = "pytest_runtest_makereport(item, call)"
REFUSED = [
    pytest.param(
        hook(
            REPORT,
            "outcome = yield",
            "rep = outcome.get_result()",
            "rep.outcome = 'passed'",
            wrapper=WRAPPER,
        ),
        id="report_passed",
    ),
    pytest.param(
        hook(
            REPORT,
            "rep = yield",
            "if rep.failed:",
            "    rep.outcome = 'passed'",
            "return rep",
            wrapper=NEW_WRAPPER,
        ),
        id="report_passed_new_wrapper",
    ),
    pytest.param(
        hook(
            REPORT,
            "rep = yield",
            "setattr(rep, 'out' + 'come', 'passed')",
            "return rep",
            wrapper=NEW_WRAPPER,
        ),
        id="report_by_setattr",
    ),
    pytest.param(
        hook(
            REPORT,
            "rep = yield",
            "rep.__dict__['outcome'] = 'passed'",
            "return rep",
            wrapper=NEW_WRAPPER,
        ),
        id="report_by_dict",
    ),
    pytest.param(
        hook(REPORT, "rep = yield", "rep.wasxfail = 'x'", "return rep", wrapper=NEW_WRAPPER),
        id="report_xfailed",
    ),
    pytest.param(hook(REPORT, "call.excinfo = None"), id="forgets_the_exception"),
    pytest.param(hook(REPORT, "return TestReport(outcome='passed')"), id="report_of_its_own"),
    pytest.param(hook("pytest_runtest_protocol(item, nextitem)", "return True"), id="protocol"),
    pytest.param(
        hook(
            "pytest_runtest_call(item)",
            "try:",
            "    return (yield)",
            "except AssertionError:",
            "    return None",
            wrapper=NEW_WRAPPER,
        ),
        id="call_swallows",
    ),
    pytest.param(
        hook("pytest_runtest_call(item)", "o = yield", "o.force_result(None)", wrapper=WRAPPER),
        id="force_result",
    ),
    pytest.param(
        hook("pytest_runtest_call(item)", "o = yield", "o._excinfo = None", wrapper=WRAPPER),
        id="drops_excinfo",
    ),
    pytest.param(
        hook(
            "pytest_runtest_call(item)",
            "with contextlib.suppress(AssertionError):",
            "    yield",
            imports="import pytest, contextlib",
            wrapper=NEW_WRAPPER,
        ),
        id="call_suppresses",
    ),
    pytest.param(
        hook("pytest_runtest_call(item)", "item.runtest = lambda: None"), id="replaces_runtest"
    ),
    pytest.param(hook("pytest_runtest_setup(item)", "item.obj = lambda: None"), id="replaces_obj"),
    pytest.param(hook("pytest_runtest_setup(item)", "pytest.skip('later')"), id="setup_skips"),
    pytest.param(
        hook(
            "pytest_runtest_setup(item)",
            "if 'total' in item.name:",
            "    stop()",
            imports="import pytest\n\ndef stop():\n    pytest.skip('x')",
        ),
        id="setup_skips_by_helper",
    ),
    pytest.param(hook("pytest_pyfunc_call(pyfuncitem)", "return True"), id="pyfunc_call"),
    pytest.param(
        hook("pytest_report_teststatus(report)", "return 'passed', '.', 'PASSED'"), id="status"
    ),
    pytest.param(
        hook("pytest_sessionfinish(session, exitstatus)", "session.exitstatus = 0"), id="exitstatus"
    ),
    pytest.param(
        hook("pytest_sessionfinish(session)", "s = session", "s.exitstatus = 0"),
        id="exitstatus_alias",
    ),
    pytest.param(
        hook("pytest_runtest_logreport(report)", "report.outcome = 'passed'"), id="logreport"
    ),
    pytest.param(
        hook("pytest_sessionstart(session)", "session.testsfailed = -99"), id="testsfailed"
    ),
    pytest.param(hook(ITEMS, "items[:] = []"), id="no_items"),
    pytest.param(hook(ITEMS, "items.clear()"), id="clears_items"),
    pytest.param(hook(ITEMS, "del items[:]"), id="deletes_items"),
    pytest.param(hook(ITEMS, "every = items", "every.pop()"), id="pops_an_alias"),
    pytest.param(hook(ITEMS, "list.clear(items)"), id="clears_by_class"),
    pytest.param(
        hook(ITEMS, "keep = [i for i in items if 'total' not in i.name]", "items[:] = keep"),
        id="filters_items",
    ),
    pytest.param(
        hook(ITEMS, "drop(items)", imports="import pytest\n\ndef drop(them):\n    them.clear()"),
        id="hands_items_on",
    ),
    pytest.param(
        hook(ITEMS, "for item in items:", "    item.add_marker(pytest.mark.skip)"), id="marks_items"
    ),
    pytest.param(
        hook(ITEMS, "for item in items:", "    item.add_marker('xfail')"), id="marks_by_text"
    ),
    pytest.param(
        hook(
            ITEMS,
            "for item in items:",
            "    item.add_marker(m)",
            imports="import pytest\nm = pytest.mark.xfail(reason='x')",
        ),
        id="marks_by_alias",
    ),
    pytest.param(
        hook("pytest_itemcollected(item)", "item.add_marker(pytest.mark.skip)"), id="itemcollected"
    ),
    pytest.param(hook("pytest_collection_finish(session)", "session.items.clear()"), id="finish"),
    pytest.param(hook("pytest_collection_finish(session)", "session.items = []"), id="finish_sets"),
    pytest.param(hook("pytest_ignore_collect(collection_path)", "return True"), id="ignore"),
    pytest.param(
        hook("pytest_ignore_collect(collection_path)", "return 'total' in str(collection_path)"),
        id="ignore_by_name",
    ),
    pytest.param(FIXTURES + "\npytest_ignore_collect = lambda path: True\n", id="ignore_lambda"),
    pytest.param(
        FIXTURES
        + "\n@pytest.hookimpl(specname='pytest_ignore_collect')\n"
        + "def harmless(path):\n    return 1\n",
        id="specname",
    ),
    pytest.param(
        hook("pytest_generate_tests(metafunc)", "metafunc.parametrize('x', [])"), id="no_rows"
    ),
    pytest.param(
        hook("pytest_configure(config)", "config.option.keyword = 'not total'"), id="keyword"
    ),
    pytest.param(
        hook("pytest_configure(config)", "setattr(config.option, 'markexpr', 'fast')"),
        id="markexpr",
    ),
    pytest.param(hook("pytest_configure(config)", "config.args = ['tests/other']"), id="args"),
    pytest.param(hook("pytest_cmdline_main(config)", "return 0"), id="cmdline_main"),
    pytest.param(
        hook(
            "pytest_configure(config)",
            "class Quiet:",
            "    def pytest_runtest_logreport(self, report):",
            "        report.outcome = 'passed'",
            "config.pluginmanager.register(Quiet())",
        ),
        id="registers_a_class",
    ),
    pytest.param(
        FIXTURES + "\n@pytest.fixture(autouse=True)\ndef quiet(request):\n"
        "    request.node.obj = lambda: None\n",
        id="fixture_replaces_obj",
    ),
    pytest.param(
        FIXTURES + "\n@pytest.fixture(autouse=True)\ndef quiet(request):\n"
        "    yield\n    request.session.testsfailed = 0\n",
        id="fixture_resets_failures",
    ),
]
ACCEPTED = [
    pytest.param(FIXTURES + "\n@pytest.fixture\ndef more():\n    return 2\n", id="a_new_fixture"),
    pytest.param(
        hook("pytest_addoption(parser)", "parser.addoption('--slow', action='store_true')"),
        id="option",
    ),
    pytest.param(
        hook("pytest_configure(config)", "config.addinivalue_line('markers', 'slow: takes long')"),
        id="a_new_marker",
    ),
    pytest.param(hook("pytest_configure(config)", "config.shop = object()"), id="an_attribute"),
    pytest.param(
        hook(
            REPORT,
            "rep = yield",
            "setattr(item, 'rep_' + rep.when, rep)",
            "return rep",
            wrapper=NEW_WRAPPER,
        ),
        id="the_recipe_of_the_documentation",
    ),
    pytest.param(
        hook(
            REPORT,
            "o = yield",
            "rep = o.get_result()",
            "if rep.when == 'call':",
            "    print(rep)",
            wrapper=WRAPPER,
        ),
        id="prints_reports",
    ),
    pytest.param(hook(ITEMS, "items.sort(key=lambda i: i.name)"), id="sorts"),
    pytest.param(hook(ITEMS, "items[:] = sorted(items, key=str)"), id="sorts_in_place"),
    pytest.param(
        hook(ITEMS, "for item in items:", "    item.add_marker(pytest.mark.asyncio)"),
        id="other_marker",
    ),
    pytest.param(hook("pytest_ignore_collect(collection_path)", "return None"), id="ignores_none"),
    pytest.param(
        hook("pytest_generate_tests(metafunc)", "metafunc.parametrize('x', [1, 2])"), id="rows"
    ),
    pytest.param(
        hook("pytest_terminal_summary(terminalreporter)", "terminalreporter.write_line('done')"),
        id="summary",
    ),
    pytest.param(
        hook("pytest_sessionstart(session)", "session.started = 1"), id="session_attribute"
    ),
    pytest.param(FIXTURES + "\nNOTE = 'items[:] = []'\n", id="a_text"),
]
DOUBTED = [
    pytest.param(
        hook(
            ITEMS,
            "for item in items:",
            "    if 'slow' in item.keywords:",
            "        item.add_marker(pytest.mark.skip(reason='slow'))",
        ),
        id="skips_slow_tests",
    ),
    pytest.param(hook("pytest_configure(config)", "config.option.verbose = 2"), id="other_option"),
    pytest.param(
        hook("pytest_pyfunc_call(pyfuncitem)", "run(pyfuncitem.obj())", "return True"), id="runs_it"
    ),
]


@pytest.mark.parametrize("dressing", DRESSINGS)
@pytest.mark.parametrize("conftest", REFUSED)
def test_what_rewrites_outcomes_is_found(conftest: str, dressing: str) -> None:
    new = {**OLD, CONFTEST: conftest, **DRESSINGS[dressing]}
    assert verdict_between(OLD, new, "harness") == "refuses"


@pytest.mark.parametrize("conftest", DOUBTED)
def test_what_may_be_honest_is_doubted(conftest: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: conftest}, "harness") == "warns"


@pytest.mark.parametrize("conftest", ACCEPTED)
def test_honest_hooks_are_none(conftest: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: conftest}, "harness") == "accepts"


@pytest.mark.parametrize("conftest", REFUSED)
def test_what_stood_there_before_is_none(conftest: str) -> None:
    old = {**OLD, CONFTEST: conftest}
    assert verdict_between(old, {**old, CONFTEST: conftest + "\nX = 1\n"}, "harness") == "accepts"


@pytest.mark.parametrize("conftest", REFUSED)
def test_what_moves_to_another_conftest_is_none(conftest: str) -> None:
    old = {**OLD, "tests/shop/conftest.py": conftest}
    new = {**OLD, CONFTEST: conftest}
    assert verdict_between(old, new, "harness") == "accepts"


def test_a_filter_that_takes_more_away_is_found() -> None:
    old = hook(ITEMS, "keep = [i for i in items if 'slow' not in i.name]", "items[:] = keep")
    new = old.replace("'slow' not in i.name", "'t' not in i.name")
    assert verdict_between({**OLD, CONFTEST: old}, {**OLD, CONFTEST: new}, "harness") == "refuses"


def test_a_condition_that_is_dropped_is_found() -> None:
    old = hook(
        "pytest_runtest_setup(item)",
        "if LATER:",
        "    pytest.skip('x')",
        imports="import pytest\nLATER = False",
    )
    new = old.replace("LATER = False", "LATER = True")
    assert verdict_between({**OLD, CONFTEST: old}, {**OLD, CONFTEST: new}, "harness") == "refuses"


def test_a_marker_that_the_new_hook_skips_is_found() -> None:
    conftest = hook(
        ITEMS,
        "for item in items:",
        "    if 'slow' in item.keywords:",
        "        item.add_marker(pytest.mark.skip)",
    )
    test = "import pytest\n" + TEST.replace("def test", "@pytest.mark.slow\ndef test")
    new = {**OLD, CONFTEST: conftest, PATH: test}
    assert verdict_between(OLD, new, "harness") == "refuses"


@pytest.mark.parametrize(
    "names", ["pytest_plugins = ['tools.quiet']\n", "pytest_plugins = NAME\nNAME = 'tools.quiet'\n"]
)
def test_a_plugin_that_is_named_now_is_read(names: str) -> None:
    plugin = "def pytest_runtest_protocol(item):\n    return True\n"
    old = {**OLD, "tools/quiet.py": plugin}
    new = {**old, CONFTEST: FIXTURES + names}
    assert verdict_between(old, new, "harness") == "refuses"


def test_a_plugin_that_addopts_names_now_is_read() -> None:
    plugin = "def pytest_runtest_protocol(item):\n    return True\n"
    old = {**OLD, "tools/quiet.py": plugin, "pytest.ini": "[pytest]\n"}
    new = {**old, "pytest.ini": "[pytest]\naddopts = -p tools.quiet\n"}
    assert verdict_between(old, new, "harness") == "refuses"


def test_hooks_of_production_code_are_doubted() -> None:
    new = {**OLD, "plugin.py": "def pytest_runtest_protocol(item):\n    return True\n"}
    assert verdict_between(OLD, new, "harness") == "warns"


def test_a_finding_names_the_hook_and_the_place() -> None:
    (found,) = mutes_between(OLD, {**OLD, CONFTEST: hook(ITEMS, "items.clear()")})
    assert (found.path, found.line) == (CONFTEST, 10)
    assert found.now == "pytest_collection_modifyitems: items.clear()"
