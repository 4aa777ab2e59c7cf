"""Names of the frameworks, and of what in them and in the interpreter no test may change."""

from __future__ import annotations

FRAMEWORKS = frozenset(
    [
        "pytest",
        "_pytest",
        "unittest",
        "hypothesis",
        "pluggy",
        "doctest",
        "nose",
        "nose2",
        "xdist",
        "pytest_asyncio",
        "pytest_mock",
        "pytest_subtests",
        "testtools",
        "zope.testrunner",
    ]
)
CHECKING_LIBRARIES = ("numpy.testing", "pandas.testing", "pandas._testing", "torch.testing")
# Of `pytest` itself; what else is set there is a place to share things.
PYTEST = frozenset(
    [
        "raises",
        "warns",
        "approx",
        "fail",
        "skip",
        "xfail",
        "exit",
        "mark",
        "fixture",
        "param",
        "main",
        "importorskip",
        "Item",
        "Function",
        "deprecated_call",
        "Class",
        "Module",
        "Session",
        "Config",
        "TestReport",
        "CollectReport",
        "RaisesGroup",
        "RaisesExc",
        "MonkeyPatch",
        "Package",
        "File",
        "Collector",
        "hookimpl",
        "yield_fixture",
        "ExceptionInfo",
        "CallInfo",
    ]
)
SYSTEM = frozenset(
    [
        "modules",
        "exit",
        "excepthook",
        "settrace",
        "setprofile",
        "meta_path",
        "path_hooks",
        "flags",
        "_getframe",
        "unraisablehook",
    ]
)
# What a function does when it is called, whoever has it.
CODE = frozenset({"__code__", "__defaults__", "__kwdefaults__", "cell_contents"})
HARMLESS = frozenset({"maxDiff", "longMessage", "_diffThreshold", "__test__"})
# What tests honestly replace for a while.
REPLACED = frozenset(
    [
        "open",
        "input",
        "print",
        "__import__",
        "exit",
        "quit",
        "help",
        "breakpoint",
        "globals",
        "locals",
        "id",
        "hash",
    ]
)
SETTERS = frozenset({"builtins.setattr", "builtins.delattr"})
DUNDERS = frozenset({"__setattr__", "__delattr__"})
PATCHERS = frozenset(
    {"setattr", "delattr", "patch", "object", "multiple", "setitem", "delitem", "dict"}
)
IMPORTS = frozenset({"sys.meta_path", "sys.path_hooks", "sys.path_importer_cache"})
# Objects that are reached through the interpreter's memory: nobody handed them out.
BY_MEMORY = ("gc.get_referents", "gc.get_referrers", "gc.get_objects")
VARIABLES = frozenset(
    [
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "PYTHONOPTIMIZE",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
        "PYTHONPATH",
    ]
)
