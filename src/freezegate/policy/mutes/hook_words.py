"""The words of pytest's hooks: which of them decide, and what of their arguments does.

Source: pytest 9.0, `_pytest/hookspec.py`, `_pytest/runner.py` and `_pytest/main.py`.
"""

from __future__ import annotations

# What such a hook returns is the answer, and nobody else is asked.
DECIDING = frozenset(
    {
        "pytest_cmdline_main",
        "pytest_collection",
        "pytest_make_collect_report",
        "pytest_pyfunc_call",
        "pytest_report_from_serializable",
        "pytest_runtest_makereport",
        "pytest_runtest_protocol",
        "pytest_runtestloop",
    }
)
# The same, where it is usual that a plugin answers.
CHOOSING = frozenset(
    {
        "pytest_cmdline_parse",
        "pytest_collect_directory",
        "pytest_collect_file",
        "pytest_fixture_setup",
        "pytest_pycollect_makeitem",
        "pytest_pycollect_makemodule",
        "pytest_report_teststatus",
        "pytest_report_to_serializable",
    }
)
# Around the test's own code: what is caught or skipped there is the test's outcome.
RUNNING = frozenset(
    {
        "pytest_pyfunc_call",
        "pytest_runtest_call",
        "pytest_runtest_makereport",
        "pytest_runtest_protocol",
        "pytest_runtest_setup",
        "pytest_runtest_teardown",
        "pytest_runtestloop",
        "pytest_fixture_setup",
        "pytest_make_collect_report",
        "pytest_cmdline_main",
        "pytest_collection",
    }
)
HOOKS = (
    DECIDING
    | CHOOSING
    | RUNNING
    | frozenset(
        {
            "pytest_addhooks",
            "pytest_addoption",
            "pytest_assertion_pass",
            "pytest_assertrepr_compare",
            "pytest_cmdline_preparse",
            "pytest_collection_finish",
            "pytest_collection_modifyitems",
            "pytest_collectreport",
            "pytest_collectstart",
            "pytest_configure",
            "pytest_deselected",
            "pytest_exception_interact",
            "pytest_fixture_post_finalizer",
            "pytest_generate_tests",
            "pytest_ignore_collect",
            "pytest_internalerror",
            "pytest_itemcollected",
            "pytest_keyboard_interrupt",
            "pytest_load_initial_conftests",
            "pytest_make_parametrize_id",
            "pytest_markeval_namespace",
            "pytest_plugin_registered",
            "pytest_report_collectionfinish",
            "pytest_report_header",
            "pytest_runtest_logfinish",
            "pytest_runtest_logreport",
            "pytest_runtest_logstart",
            "pytest_sessionfinish",
            "pytest_sessionstart",
            "pytest_terminal_summary",
            "pytest_unconfigure",
            "pytest_warning_recorded",
        }
    )
)
# Attributes of reports, calls, items, sessions and configurations that decide an outcome.
DECIDING_ATTRIBUTES = frozenset(
    {
        "__class__",
        "_code",
        "_evalxfail",
        "_excinfo",
        "_fixtureinfo",
        "_inicache",
        "_obj",
        "_result",
        "_testcase",
        "excinfo",
        "exitstatus",
        "failed",
        "failureException",
        "ihook",
        "inicfg",
        "known_args_namespace",
        "longrepr",
        "obj",
        "outcome",
        "own_markers",
        "passed",
        "pluginmanager",
        "repr_failure",
        "runtest",
        "shouldfail",
        "shouldstop",
        "skipped",
        "testscollected",
        "testsfailed",
        "wasxfail",
    }
)
# Options that decide which tests run, or whether a failure counts.
DECIDING_OPTIONS = frozenset(
    {
        "args",
        "collectonly",
        "confcutdir",
        "deselect",
        "file_or_dir",
        "ignore",
        "ignore_glob",
        "inifilename",
        "keyword",
        "lf",
        "markexpr",
        "noconftest",
        "override_ini",
        "reruns",
        "setuponly",
        "setupplan",
        "stepwise",
        "stepwise_skip",
    }
)
LIST_CHANGES = frozenset(
    {"__delitem__", "__imul__", "__setitem__", "clear", "pop", "popitem", "remove", "discard"}
)
ITEM_LISTS = frozenset({"items", "own_markers", "_collection_cache", "_notfound"})
MARK_CALLS = frozenset({"add_marker", "applymarker"})
PLUGIN_CALLS = frozenset(
    {"set_blocked", "unregister", "import_plugin", "register", "add_hookcall_monitoring"}
)
SKIPPING = frozenset({"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail"})
RERUNNING = frozenset({"pytest.mark.flaky", "pytest.mark.repeat", "flaky.flaky"})
SKIP_CALLS = frozenset(
    {
        "pytest.skip",
        "pytest.xfail",
        "pytest.importorskip",
        "pytest.skip.Exception",
        "pytest.xfail.Exception",
        "unittest.SkipTest",
    }
)
