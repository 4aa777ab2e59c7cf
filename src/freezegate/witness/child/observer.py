"""A pytest plugin that notes raw exceptions and final reports, and compares nothing."""

from __future__ import annotations

import os
import sys

from .failures import leaves, source_file, statement, text, type_name
from .places import isfile

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, TracebackType
    from typing import Any

    from .watch import Watch

    Kinds = dict[str, tuple[type[BaseException], ...]]


_MAX_LEAF_MESSAGE = 1000
_MAX_FRAMES, _MAX_LISTED = 100, 20_000
# Plugins that run a test again, several at once, in another order, or that change outcomes: by
# the names of their entry points and, for `pytest_plugins`, of their modules.
BLOCKED = (
    *("rerunfailures", "pytest-rerun", "pytest_rerun.conftest", "dynamicrerun"),
    *("flaky", "flaky.flaky_pytest_plugin", "ignore_flaky", "failed-to-verify", "failed_to_verify"),
    *("pytest-retry", "retry", "pytest_retry.retry_plugin", "flakefinder", "repeat", "loop"),
    *("randomly", "random_order", "random_order.plugin", "random-order", "reverse", "forked"),
    *("parallel", "concurrent", "pytest_concurrent.plugin"),
    *("run-parallel", "pytest_run_parallel.plugin", "quarantine", "pytest_quarantine.plugin"),
    *("custom_exit_code", "freezegate", "freezegate.pytest_plugin"),
)
# Their settings and markers, which strict projects would otherwise trip over.
SETTINGS = (
    *("reruns", "reruns_delay", "reruns_delay_backoff_factor", "only_rerun", "rerun_except"),
    *("retries", "retry_delay", "cumulative_timing", "retry_outcome"),
)
MARKERS = (
    *("flaky", "repeat", "random_order", "forked", "quarantine", "property_id", "fixture"),
    *("parallel_threads", "iterations", "thread_unsafe", "concurrency_mode"),
)


class Observer:
    """A pytest plugin that notes raw exceptions and final reports, and compares nothing."""

    def __init__(self, request: dict[str, Any], watch: Watch, kinds: Kinds) -> None:
        self.request, self.watch, self.kinds = request, watch, kinds
        self.facts: dict[str, Any] = dict.fromkeys(("interrupted", "internal_error", "inipath"))
        self.facts.update({"stage": "started", "collected_count": 0, "deselected": 0})
        lists = ("collected", "collect_errors", "collect_skips", "phases", "reports", "calls")
        self.facts.update({name: [] for name in lists})
        self.running = 0
        self.property = _property(request)

    # Configuration

    def pytest_addoption(self, parser: Any, pluginmanager: Any) -> None:
        for name in BLOCKED:
            pluginmanager.set_blocked(name)
            pluginmanager.set_blocked("pytest_" + name)
        for name in SETTINGS:
            parser.addini(name, "a setting of a plugin that is off in witness runs")

    def pytest_cmdline_main(self, config: Any) -> None:
        for name, off in (("numprocesses", None), ("tx", []), ("dist", "no")):
            if hasattr(config.option, name):  # pytest-xdist; its hooks stay known to conftests
                setattr(config.option, name, off)

    def pytest_configure(self, config: Any) -> None:
        self.facts["stage"] = "configured"
        ini = getattr(config, "inipath", None)
        self.facts["inipath"] = None if ini is None else os.path.realpath(str(ini))
        for name in MARKERS:
            config.addinivalue_line("markers", name + "(*args, **kwargs): of a plugin that is off")

    # Collection

    def pytest_collection(self) -> None:
        self.facts["stage"] = "collecting"

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.facts["collect_errors"].append([str(report.nodeid), str(report.longrepr)[-4000:]])
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.facts["collect_skips"].append([str(report.nodeid), str(reason)[:1000]])

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        left_out = self.request.get("without")
        if left_out is not None:
            gone = [item for item in items if self._is_test(item, left_out)]
            if gone:
                items[:] = [item for item in items if item not in gone]
                config.hook.pytest_deselected(items=gone)

    def _is_test(self, item: Any, test_id: str) -> bool:
        # Ids count from pytest's root folder, which need not be the tree's top.
        file, _, name = test_id.partition("::")
        own = str(item.nodeid).partition("::")[2]
        named = name in (own, own.partition("[")[0])
        return named and _is_file(item, os.path.join(self.request["tree"], file))

    def pytest_deselected(self, items: list[Any]) -> None:
        self.facts["deselected"] += len(items)

    def pytest_collection_finish(self, session: Any) -> None:
        self.facts["stage"] = "collected"
        self.facts["collected_count"] = len(session.items)
        self.facts["collected"] = [str(item.nodeid) for item in session.items[:_MAX_LISTED]]
        if len(session.items) > _MAX_LISTED:
            self.watch.give_up("more than " + str(_MAX_LISTED) + " tests")

    def pytest_runtestloop(self, session: Any) -> bool | None:
        self.facts["collected_count"] = len(session.items)
        if self.request["mode"] == "run" and len(session.items) != 1:
            return True  # nothing runs
        if self.request["ignore_skip"] and len(session.items) == 1:
            _drop_skip_mark(session.items[0])
        return None

    # Running

    def pytest_runtest_setup(self) -> None:
        self.facts["stage"] = "ran"
        self._seed()

    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        self._seed()
        if self.property is not None:
            self.property.prepare(item, self.request["hypothesis_seed"])
            self.facts["property"] = self.property.seen
        self.running += 1
        outcome: Any = yield
        self.running -= 1
        raised = outcome.excinfo
        kind = None if raised is None else self._kind(raised[1])
        self.facts["calls"].append([str(item.nodeid), kind])

    def _seed(self) -> None:
        seed = self.request["hypothesis_seed"]
        core: Any = sys.modules.get("hypothesis.core")
        if seed is not None and core is not None:
            core.global_force_seed = seed

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        excinfo = call.excinfo
        # unittest keeps its exceptions here, and pytest's own hook would move them after us.
        kept = getattr(item, "_excinfo", None)
        if excinfo is None and kept and call.when == "call" and not self.running:
            excinfo = kept[0]
        raised = None if excinfo is None else self._raised(item, excinfo.value, excinfo.tb)
        expecting = getattr(getattr(item, "obj", None), "__unittest_expecting_failure__", False)
        if expecting and raised is not None and raised["message"] == "Unexpected success":
            raised["kind"] = "xpass"
        phase = {"id": str(item.nodeid), "when": call.when, "subtest": self.running > 0}
        marked = any(True for _ in item.iter_markers("xfail"))
        self.facts["phases"].append({**phase, "raised": raised, "xfail": marked})

    def pytest_runtest_logreport(self, report: Any) -> None:
        told = {"id": str(report.nodeid), "when": report.when, "outcome": report.outcome}
        told["xfail"] = hasattr(report, "wasxfail")
        told["subtest"] = hasattr(report, "context")
        self.facts["reports"].append(told)

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        self.facts["interrupted"] = (excinfo.typename + ": " + text(excinfo.value))[:1000]

    def pytest_internalerror(self, excrepr: Any, excinfo: Any) -> None:
        if isinstance(excinfo.value, SystemExit):  # at import, where pytest lets it through
            self.facts["interrupted"] = "SystemExit: " + text(excinfo.value)
        else:
            self.facts["internal_error"] = str(excrepr)[-4000:]

    # Exceptions

    def _kind(self, value: BaseException) -> str:
        for kind, types in self.kinds.items():
            if isinstance(value, types):
                return kind
        unittest = sys.modules.get("unittest")
        if unittest is not None and isinstance(value, unittest.SkipTest):
            return "skip"
        return "error"

    def _raised(self, item: Any, value: BaseException, tb: TracebackType | None) -> dict[str, Any]:
        told = {"kind": self._kind(value), **self._told(item, value, tb)}
        told_leaves = [self._told(item, leaf, leaf.__traceback__) for leaf in leaves(value)]
        for leaf in told_leaves:
            leaf["message"] = leaf["message"][:_MAX_LEAF_MESSAGE]
        return {**told, "leaves": told_leaves}

    def _told(self, item: Any, value: BaseException, tb: TracebackType | None) -> dict[str, Any]:
        about = {"type_name": type_name(value), "message": text(value)}
        return {**about, "frames": self._frames(item, tb)}

    def _frames(self, item: Any, tb: TracebackType | None) -> list[Any]:
        steps = []
        while tb is not None:
            steps.append((tb.tb_frame.f_code, tb.tb_lineno, tb.tb_frame.f_globals))
            tb = tb.tb_next
        own = str(getattr(item, "path", None) or item.fspath)
        files = [source_file(code) for code, _, _ in steps]
        starts = [i for i, file in enumerate(files) if file == own]
        starts += [i for i, file in enumerate(files) if file.startswith(self.watch.tree)]
        steps = steps[starts[0] :] if starts else steps
        if len(steps) > _MAX_FRAMES:  # endless recursion: where it began and where it ended
            steps = steps[: _MAX_FRAMES // 2] + steps[-_MAX_FRAMES // 2 :]
        return [self._frame(*step) for step in steps]

    def _frame(self, code: CodeType, line: int, module: dict[str, Any]) -> list[Any]:
        file = source_file(code)
        inside = file.startswith(self.watch.tree)
        source = statement(file, line, module, inside) if isfile(file) else ""
        name = getattr(code, "co_qualname", code.co_name)
        return [file[len(self.watch.tree) :] if inside else None, name, source[:1000], line]


def _property(request: dict[str, Any]) -> Any:
    """Return what reads or gives a property's input; its modules come as text, opening no file."""
    asked = request.get("property")
    if asked is None:
        return None
    modules = _loaded("_freezegate_property", asked["modules"])
    return modules["capture"].Property(asked, modules["codecs"])


def _loaded(package: str, sources: list[list[str]]) -> dict[str, Any]:
    """Return modules of a package that nobody else finds; each stands after what it imports."""
    made = {name: type(sys)(package + "." + name) for name, _ in sources}
    top = type(sys)(package)
    top.__path__ = []
    known = {package: top, **{module.__name__: module for module in made.values()}}
    sys.modules.update(known)
    for name, source in sources:
        made[name].__package__ = package
        exec(compile(source, "<freezegate " + name + ">", "exec"), made[name].__dict__)  # noqa: S102 - our own
    for name in known:
        del sys.modules[name]
    return made


# How each hook stands among those of others: raw exceptions first, final reports last.
ORDER = {
    "pytest_cmdline_main": {"tryfirst": True},
    "pytest_configure": {"tryfirst": True},
    "pytest_collection": {"tryfirst": True},
    "pytest_collection_modifyitems": {"trylast": True},
    "pytest_collection_finish": {"trylast": True},
    "pytest_runtestloop": {"tryfirst": True},
    "pytest_runtest_setup": {"tryfirst": True},
    "pytest_runtest_call": {"hookwrapper": True, "trylast": True},
    "pytest_runtest_makereport": {"tryfirst": True},
    "pytest_runtest_logreport": {"trylast": True},
}


def _is_file(item: Any, path: str) -> bool:
    own = str(getattr(item, "path", None) or item.fspath)
    return own == path or os.path.realpath(own) == os.path.realpath(path)


def _drop_skip_mark(item: Any) -> None:
    own = [id(mark) for mark in getattr(getattr(item, "function", None), "pytestmark", ())]
    item.own_markers[:] = [m for m in item.own_markers if m.name != "skip" or id(m) not in own]
