"""Run pytest inside the child process, and write down what was seen; the parent judges it."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys

from .failures import text, type_name
from .observer import ORDER, Observer
from .watch import Watch

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from typing import Any

    from .observer import Kinds


REQUEST = "FREEZEGATE_WITNESS_REQUEST"
# Taken before any test can replace them.
_open, _write, _close, _replace, _pid = os.open, os.write, os.close, os.replace, os.getpid
_dumps, _exit, _run_exit_functions = (
    json.dumps,
    os._exit,
    atexit._run_exitfuncs,  # noqa: SLF001 - there is no public way
)


def _shadow(tree: str) -> str | None:
    """Return which part of pytest would come from the tree, without importing it."""
    from importlib.machinery import PathFinder

    for name in ("pytest", "_pytest", "pluggy"):
        spec = PathFinder.find_spec(name)
        origin = spec.origin if spec is not None else None
        if origin and os.path.realpath(origin).startswith(tree + os.sep):
            return name + " from " + os.path.realpath(origin)[len(tree) + 1 :]
    return None


def _plugin_options(names: list[str]) -> list[str]:
    """Return `-p` options; a plugin goes by its entry point, module or distribution."""
    if not names:
        return []
    from importlib import metadata

    known: dict[str, list[str]] = {}
    for dist in metadata.distributions():
        for entry in dist.entry_points:
            if entry.group == "pytest11":
                title = (dist.metadata["Name"] or "").replace("-", "_").lower()
                spellings = (title, entry.value.partition(".")[0], entry.value)
                for spelling in spellings:
                    known.setdefault(spelling, []).append(entry.name)
                known[entry.name] = [entry.name]
    chosen = [found for name in names for found in known.get(name.replace("-", "_"), [name])]
    return [part for name in dict.fromkeys(chosen) for part in ("-p", name)]


def _arguments(request: dict[str, Any]) -> list[str]:
    options = ["-o", "addopts=", "-o", "cache_dir=" + request["cache"]]
    options += _plugin_options(request["plugins"]) + request["keep_options"]
    if request["mode"] == "collect":
        options += ["--collect-only", "-q"]
    return [*options, "--", *request["selection"]]


def _environment() -> dict[str, str | None]:
    hypothesis = sys.modules.get("hypothesis")
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "platform": sys.platform + "-" + os.uname().machine,
        "pytest": sys.modules["pytest"].__version__,
        "hypothesis": getattr(hypothesis, "__version__", None),
    }


def _run(request: dict[str, Any], result: dict[str, Any]) -> int:
    refused = _shadow(request["tree"])
    if refused is not None:
        result["refused"] = ["shadowed_pytest", refused]
        return 4
    gc.disable()  # of what is imported nothing can be freed yet
    try:
        import pytest
    except ImportError as error:
        result["refused"] = ["pytest_missing", text(error)]
        return 4
    finally:
        if hasattr(gc, "freeze"):  # CPython: pytest collects twice at its end, 7 ms each of its own
            gc.freeze()
        gc.enable()
    own = os.path.dirname(request["result"])
    watch = Watch(request["tree"], request["forbidden_roots"], own)
    kinds: Kinds = {
        "skip": (pytest.skip.Exception,),
        "xfail": (pytest.xfail.Exception,),
        "exit": (pytest.exit.Exception, KeyboardInterrupt),
        "system_exit": (SystemExit,),
    }
    for name, options in ORDER.items():
        pytest.hookimpl(**options)(getattr(Observer, name))  # type: ignore[call-overload]  # bools
    observer = Observer(request, watch, kinds)
    result.update(observer.facts)
    arguments = _arguments(request)
    sys.argv = [os.path.join(os.path.dirname(pytest.__file__), "__main__.py"), *arguments]
    watch.install()
    started = _pid()
    try:
        return int(pytest.main(arguments, plugins=[observer]))
    finally:
        if _pid() == started:
            _wind_up()
            result["environment"] = _environment()
            result.update(observer.facts)
            result.update(watch.end(_unfinished(request)))


def _wind_up() -> None:
    """Do what the interpreter does at its end, as long as it is watched (Py_FinalizeEx)."""
    join_threads = getattr(sys.modules.get("threading"), "_shutdown", None)
    flushes = [getattr(stream, "flush", None) for stream in (sys.stdout, sys.stderr)]
    for step in (join_threads, _run_exit_functions, *flushes):
        try:
            if step is not None:
                step()
        except BaseException as error:  # it would not change the exit status either
            sys.excepthook(type(error), error, error.__traceback__)


def _save(request: dict[str, Any], result: dict[str, Any]) -> None:
    data = _dumps(result).encode()
    fd = _open(_unfinished(request), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    while data:
        data = data[_write(fd, data) :]
    _close(fd)
    _replace(_unfinished(request), request["result"])


def _unfinished(request: dict[str, Any]) -> str:
    return str(request["result"]) + ".new"


def _end_with_parent() -> None:
    """End if the parent was killed before it tied us to its end of this pipe (lifeline.py)."""
    for end in map(int, sys.argv[1:]):
        os.set_inheritable(end, False)
        try:
            if not os.read(end, 1):
                os._exit(3)
        except BlockingIOError:  # nothing is ever written, so it lives
            pass


def main() -> None:
    """Do what the request says, and end with pytest's own exit status."""
    _end_with_parent()
    path = os.environ.pop(REQUEST)
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(path)
    sys.path[:1] = [request["tree"], *request["pythonpath"]]
    if request["pythonpath"]:
        os.environ["PYTHONPATH"] = os.pathsep.join(request["pythonpath"])
    started = _pid()
    result: dict[str, Any] = {"refused": None, "raised": None}
    try:
        status = _run(request, result)
    except SystemExit as error:
        result["raised"] = "SystemExit: " + text(error)
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException as error:  # told to the parent
        result["raised"] = type_name(error) + ": " + text(error)
        status = 3
    result["returned"] = status
    if _pid() != started:  # a fork that came back from a test says nothing
        sys.exit(status)
    _save(request, result)
    _exit(status & 0xFF)  # at once: nothing of the tested code may run after what was told
