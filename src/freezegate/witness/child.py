"""Run pytest inside the child process, and write down what was seen; the parent judges it.

Started as a file by the interpreter of the guarded project, which may know neither freezegate nor
a new Python: standard library and pytest alone, Python 3.8 and later.

What this cannot see: code under test shares the process, and could forge the result by looking
for it in memory. That is left to the domain and to `mute.harness`; this catches what happens by
accident and by the usual hooks. Files opened by C libraries and by forked children stay unseen.
The event of `os.open` does not tell from which descriptor a relative name counts (`dir_fd`): the
file of that name in each open folder counts then.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import stat
import sys

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, TracebackType
    from typing import Any

    Kinds = dict[str, tuple[type[BaseException], ...]]

REQUEST = "FREEZEGATE_WITNESS_REQUEST"
# Taken before any test can replace them.
_open, _write, _close, _replace, _pid = os.open, os.write, os.close, os.replace, os.getpid
_dumps, _stat, _isfile, _isdir, _exit, _run_exit_functions = (
    json.dumps,
    os.stat,
    os.path.isfile,
    os.path.isdir,
    os._exit,
    atexit._run_exitfuncs,  # noqa: SLF001 - there is no public way
)
_DESCRIPTORS = "/proc/self/fd"
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAX_LEAF_MESSAGE = 1000
_MAX_DEPTH = 256  # to follow the links of a path takes the square of it
# C functions that start a process, or anything at all.
_STARTERS = frozenset(
    (
        *("fork", "vfork", "_Fork", "clone", "clone3", "posix_spawn", "posix_spawnp", "system"),
        *("popen", "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve"),
        *("execveat", "syscall", "daemon", "forkpty"),
    )
)
# Where the descriptor stands from which the path of an event counts (sys.audit events).
_DIR_FD = {
    **dict.fromkeys(("os.remove", "os.rmdir", "shutil.rmtree"), 1),
    **dict.fromkeys(("os.mkdir", "os.chmod"), 2),
    **dict.fromkeys(("os.chown", "os.utime"), 3),
    **dict.fromkeys(("os.truncate", "os.setxattr", "os.removexattr", "os.chflags"), 9),
}
_SOURCE_FD, _TARGET_FD = 2, 3  # of os.rename and os.link
# Warnings that are errors; what was raised in the thread or finalizer is their cause.
_TOLD_BY_PYTEST = ("PytestUnraisableExceptionWarning", "PytestUnhandledThreadExceptionWarning")
_MAX_MESSAGE, _MAX_FRAMES, _MAX_LEAVES, _MAX_LISTED = 20_000, 100, 64, 20_000
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


class Watch:
    """An audit hook that notes which files of the tree are opened, and what leaves the process."""

    def __init__(self, tree: str, roots: list[str], own: str) -> None:
        self.tree, self.roots = tree + os.sep, tuple(root + os.sep for root in roots)
        self.own = own + os.sep  # the run's temporary folder, which may lie in a work tree
        self.installed = _installed_folders(self.tree)
        self.reads: dict[str, bool] = {}
        self.writes: dict[str, bool] = {}
        self.foreign: dict[str, bool] = {}
        self.outside: dict[str, bool] = {}
        self.effects: dict[tuple[str, str], bool] = {}
        self.unwatched = ""  # why this run shows nothing
        self.ended = False
        self.last = ""  # the one file that is still written when the watch has ended
        changes = dict.fromkeys(_DIR_FD, self._on_change)
        moves = dict.fromkeys(("os.rename", "os.link"), self._on_move)
        sockets = dict.fromkeys(
            ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"), self._on_socket
        )
        lookups = dict.fromkeys(
            ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"), self._on_lookup
        )
        children = dict.fromkeys(
            (
                *("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.exec"),
                *("os.fork", "os.forkpty", "pty.spawn"),
            ),
            self._on_child,
        )
        self._seen_by = {
            "open": self._on_open,
            "sqlite3.connect": self._on_database,
            "import": self._on_import,
            "ctypes.dlopen": self._on_library,
            "ctypes.dlsym": self._on_symbol,
            "ctypes.dlsym/handle": self._on_symbol,
            "os.symlink": self._on_symlink,
            "os.kill": self._on_signal,
            "os.killpg": self._on_signal,
            "resource.prlimit": self._on_limit,
            "socket.sethostname": self._on_host_name,
        }
        for group in (changes, moves, sockets, lookups, children):
            self._seen_by.update(group)

    def install(self) -> None:
        """Begin to watch; there is no way to end it."""
        seen_by = self._seen_by.get
        self._reaped = _reaped()

        def hook(event: str, args: tuple[Any, ...]) -> None:
            note = seen_by(event)
            if note is None or self.unwatched:
                return
            if not self.ended:
                try:
                    note(event, args)
                except Exception as error:  # an error here would be the test's error
                    self.give_up(event + " (" + type(error).__name__ + ")")
            if self.ended:  # while it was noted, too: another thread may have listed it all by then
                self._refuse(args)

        sys.addaudithook(hook)
        self._watch_fork_exec()

    def give_up(self, what: str) -> None:
        """Note that something could not be watched: the run shows nothing then."""
        self.unwatched = self.unwatched or what

    def _refuse(self, args: tuple[Any, ...]) -> None:
        """Let nobody do what can be told no more: threads, finalizers and hooks that live on."""
        if not (args and type(args[0]) is str and args[0] == self.last):
            raise RuntimeError("the run is over")

    def _watch_fork_exec(self) -> None:
        """See what `multiprocessing` starts: it tells no event of it (Python 3.8 to 3.14)."""
        module: Any = sys.modules.get("_posixsubprocess")  # pytest has loaded it
        if module is None:
            return
        start = module.fork_exec

        def fork_exec(args: Any, *rest: Any) -> Any:
            self._effect("subprocess", _program(args[0]) if args else "?")
            return start(args, *rest)

        module.fork_exec = fork_exec
        other: Any = sys.modules.get("subprocess")
        if hasattr(other, "_fork_exec"):  # since 3.11 a name of its own for the same
            other._fork_exec = fork_exec  # noqa: SLF001 - as above

    def _on_open(self, _event: str, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if path is None or isinstance(path, int):
            return
        path = _plain(path)
        if mode is None:
            self._add_from_folders(path, flags)
        self._add_opened(self._resolved(path), flags)

    def _add_opened(self, path: str, flags: int) -> None:
        real = os.path.realpath(path) if flags & _CHANGES else ""
        if real and not _keeps_nothing(real):
            self._add_change(path, real)
        if flags & _ACCESS != os.O_WRONLY:
            self._add_read(path)

    def _add_from_folders(self, name: str, flags: int) -> None:
        if name[:1] == "/" or not _isdir(_DESCRIPTORS):
            return
        for number in os.listdir(_DESCRIPTORS):
            try:
                folder = os.readlink(os.path.join(_DESCRIPTORS, number)) + os.sep
            except OSError:  # the one of listdir
                continue
            ours = folder.startswith((self.tree, *self.roots))
            if ours or (flags & _CHANGES and _isdir(folder)):
                self._add_opened(self._resolved(folder + name), flags)

    def _on_database(self, _event: str, args: tuple[Any, ...]) -> None:
        # SQLite opens its file itself, and may always write.
        name = _plain(args[0])
        if name[:5] == "file:":
            name = _unquoted(name[5:].partition("?")[0])
        if name in ("", ":memory:"):
            return
        path = self._resolved(name)
        self._add_read(path)
        self._add_change(path, os.path.realpath(path))

    def _on_import(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[1] is not None:  # the C code of an extension module
            self._add_read(self._resolved(_plain(args[1])))

    def _on_library(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[0] is not None:
            self._add_read(self._resolved(_plain(args[0])))

    def _on_symbol(self, _event: str, args: tuple[Any, ...]) -> None:
        if isinstance(args[1], (str, bytes)) and _plain(args[1]) in _STARTERS:
            self._effect("subprocess", _plain(args[1]))

    def _on_change(self, event: str, args: tuple[Any, ...]) -> None:
        place = _DIR_FD[event]
        self._add_changed(self._absolute(args[0], args[place] if place < len(args) else -1))

    def _on_move(self, _event: str, args: tuple[Any, ...]) -> None:
        source = self._absolute(args[0], args[_SOURCE_FD])
        self._add_read(self._resolved(source))  # read under its other name
        self._add_changed(source)  # a link changes what is known of its source, too
        self._add_changed(self._absolute(args[1], args[_TARGET_FD]))

    def _on_symlink(self, _event: str, args: tuple[Any, ...]) -> None:
        self._add_changed(self._absolute(args[1], args[2]))

    def _on_socket(self, event: str, args: tuple[Any, ...]) -> None:
        self._effect("socket", event[7:] + " " + _address(args[1]))

    def _on_lookup(self, event: str, args: tuple[Any, ...]) -> None:
        self._effect("socket", event[7:] + " " + _address(args[0]))

    def _on_child(self, event: str, args: tuple[Any, ...]) -> None:
        program = args[0] if args and event != "os.system" else "sh"
        if event == "os.spawn":
            program = args[1]
        if event == "pty.spawn":
            program = args[0][0]
        if event == "subprocess.Popen" and program is None:
            program = args[1] if isinstance(args[1], (str, bytes)) else args[1][0]
        self._effect("subprocess", _program(program) if args else event[3:])

    def _on_signal(self, event: str, args: tuple[Any, ...]) -> None:
        target, number = int(args[0]), int(args[1])
        group = event == "os.killpg" or target < -1
        mine = _is_own_group(abs(target)) if group else _is_own_process(target)
        if number and not mine:  # 0 only asks whether it is there
            self._effect("outside", "signal " + str(number) + " to another process")

    def _on_limit(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[2] is not None and not _is_own_process(int(args[0])):
            self._effect("outside", "limits of another process")

    def _on_host_name(self, _event: str, _args: tuple[Any, ...]) -> None:
        self._effect("outside", "the host name")

    def _effect(self, kind: str, what: str) -> None:
        if len(self.effects) >= _MAX_LISTED:
            self.give_up("more than " + str(_MAX_LISTED) + " effects")
        self.effects[kind, what[:200]] = True

    def _add_read(self, path: str) -> None:
        if path.startswith(self.tree):
            if _isfile(path):
                self._add(self.reads, path)
        elif self.roots and path.startswith(self.roots) and _isfile(path):
            self._add(self.foreign, path)

    def _add_changed(self, path: str) -> None:
        """Add what is made, moved or removed itself, not what it leads to as a link."""
        folder, name = os.path.split(path.rstrip(os.sep))
        real = os.path.join(os.path.realpath(folder), name)
        around = "/.." in path
        plain = os.path.normpath(path) if "/." in path or "//" in path else path.rstrip(os.sep)
        self._add_change(real if around else plain, real)

    def _add_change(self, path: str, real: str) -> None:
        for each in (path, real):
            if each.startswith(self.tree):
                self._add(self.writes, each)
        if real.startswith(self.tree) or (real + os.sep).startswith(self.own):
            return
        self._effect("outside", real)
        if real.startswith(self.roots):
            self._add(self.outside, real)

    def _resolved(self, given: str) -> str:
        """Return where a path leads; links that stand in the tree are followed in the end."""
        path = self._absolute(given)
        around = "/.." in path
        if path.startswith(self.installed) and not around:
            return path
        if path.startswith(self.tree) and not around:
            return os.path.normpath(path) if "/." in path or "//" in path else path
        folder, name = os.path.split(path)
        kept = os.path.join(os.path.realpath(folder), name)
        inside = kept.startswith(self.tree)
        return kept if inside or not os.path.islink(kept) else os.path.realpath(kept)

    def _absolute(self, given: Any, folder: Any = -1) -> str:
        """Return the absolute path of a name or descriptor; it need not be there."""
        if isinstance(given, int):
            return self._folder(given)
        path = _plain(given)
        if path[:1] != "/":
            path = os.path.join(self._folder(folder), path)
        if path.count("/") > _MAX_DEPTH:
            self.give_up("a path of more than " + str(_MAX_DEPTH) + " folders")
            return self.own
        return path

    def _folder(self, descriptor: Any) -> str:
        """Return where a descriptor leads, for -1 the working folder; ours if that is nowhere."""
        try:
            if descriptor is None or descriptor == -1:
                return os.getcwd()
            return os.readlink(os.path.join(_DESCRIPTORS, str(int(descriptor))))
        except FileNotFoundError:  # then the call that is watched fails as well
            return self.own

    def _add(self, paths: dict[str, bool], path: str) -> None:
        if len(paths) >= _MAX_LISTED and path not in paths:
            self.give_up("more than " + str(_MAX_LISTED) + " files")
        else:
            paths[path] = True

    def end(self, last: str) -> dict[str, Any]:
        """End the watch and return what was seen: paths relative to the tree, links followed.

        From here on nothing of the tested code runs any more, but for threads, which are refused
        what would have to be told; `last` may still be written.
        """
        import signal

        sys.settrace(None)
        sys.setprofile(None)
        gc.disable()
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        if _reaped() != self._reaped and not any(kind == "subprocess" for kind, _ in self.effects):
            self._effect("subprocess", "one that nothing told of")
        self.ended, self.last = True, last
        return {
            "reads": self._relative(list(self.reads)),
            "writes": self._relative(list(self.writes)),
            "effects": list(self.effects),  # as they came
            "foreign": self._foreign_code(),
            "outside": [path for path in sorted(self.outside) if not self._is_installed(path)][:50],
            "unwatched": self.unwatched or None,
        }

    def _relative(self, paths: Iterable[str]) -> list[str]:
        every = set(paths)
        for path in paths:
            real = os.path.realpath(path)
            if real != path:
                every.update(self._links_to(path))
                every.update([real] if real.startswith(self.tree) else ())
        return sorted(path[len(self.tree) :] for path in every)

    def _links_to(self, path: str) -> Iterator[str]:
        while path.startswith(self.tree):
            if os.path.islink(path):
                yield path
            path = os.path.dirname(path)

    def _foreign_code(self) -> list[str]:
        if not self.roots:
            return []
        found = {path for path in self.foreign if path.endswith((".py", ".pyc", ".so", ".pyd"))}
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str):
                found.update(p for p in {path, os.path.realpath(path)} if p.startswith(self.roots))
        return sorted(path for path in found if not self._is_installed(path))[:50]

    def _is_installed(self, path: str) -> bool:
        # A virtual environment may lie in the work tree itself.
        parts = path.split(os.sep)
        standard = os.path.dirname(os.__file__) + os.sep
        installed = "site-packages" in parts or "dist-packages" in parts
        return installed or path.startswith((standard, self.tree))


def _plain(given: Any) -> str:
    """Return a path as plain text: the methods of a subclass are the tested code's own."""
    path = os.fspath(given)
    if isinstance(path, bytes):
        return os.fsdecode(bytes.__getitem__(path, slice(None)))
    return str.__getitem__(path, slice(None))


def _unquoted(name: str) -> str:
    from urllib.parse import unquote

    return unquote(name, errors="surrogateescape")


def _keeps_nothing(path: str) -> bool:
    """Say whether what is written there is gone with the process: a device, its own /proc."""
    if path.startswith("/proc/" + str(_pid()) + "/"):
        return True
    try:
        return stat.S_ISCHR(_stat(path).st_mode)
    except OSError:  # it is made only now
        return False


def _program(given: Any) -> str:
    try:
        return os.path.basename(_plain(given))
    except TypeError:  # a call that will fail, or a word of the tested code's own
        return "?"


def _is_own_process(number: int) -> bool:
    """Say whether a process is ours, of our session, or was started below us; so is none at all.

    What the parent adopted was started by this run as well: it has no other. Where the system
    shows no processes only the parent is known to be somebody else's.
    """
    parent, above = os.getppid(), number
    while above > 1 and above != parent:
        status = _status(above)
        if status is None or above == _pid() or int(status[3]) == os.getsid(0):
            return True
        above = int(status[1])
    # 0 as an argument are we ourselves, or our group.
    return number == 0 or (above == parent and number != parent)


def _is_own_group(number: int) -> bool:
    if not _isdir(_DESCRIPTORS):
        return number != os.getpgid(os.getppid())
    processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    known = [(each, _status(each)) for each in processes]
    members = [each for each, status in known if status and int(status[2]) == number]
    return number == 0 or all(_is_own_process(each) for each in members)


def _status(number: int) -> list[str] | None:
    """Return state, parent, group and session of a process (proc(5), stat); None without it."""
    try:
        with open("/proc/" + str(number) + "/stat", "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None


def _reaped() -> Any:
    """Return what the kernel counts of processes that we started and that have ended."""
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN)


def _installed_folders(tree: str) -> tuple[str, ...]:
    """Return the interpreter's own folders: thousands of files are opened there, and none of ours.

    A virtual environment may lie in the work tree; the tree itself never lies in one.
    """
    folders = {os.path.dirname(os.__file__) + os.sep}
    folders.update(path + os.sep for path in sys.path if path.endswith("-packages"))
    return tuple(folder for folder in folders if not folder.startswith(tree))


def _address(address: Any) -> str:
    if isinstance(address, tuple):
        return ":".join(str(part) for part in address[:2])
    return os.fsdecode(address) if isinstance(address, (str, bytes)) else str(address)


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
        self.facts["interrupted"] = (excinfo.typename + ": " + _text(excinfo.value))[:1000]

    def pytest_internalerror(self, excrepr: Any, excinfo: Any) -> None:
        if isinstance(excinfo.value, SystemExit):  # at import, where pytest lets it through
            self.facts["interrupted"] = "SystemExit: " + _text(excinfo.value)
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
        leaves = [self._told(item, leaf, leaf.__traceback__) for leaf in _leaves(value)]
        for leaf in leaves:
            leaf["message"] = leaf["message"][:_MAX_LEAF_MESSAGE]
        return {**told, "leaves": leaves}

    def _told(self, item: Any, value: BaseException, tb: TracebackType | None) -> dict[str, Any]:
        about = {"type_name": _type_name(value), "message": _text(value)}
        return {**about, "frames": self._frames(item, tb)}

    def _frames(self, item: Any, tb: TracebackType | None) -> list[Any]:
        steps = []
        while tb is not None:
            steps.append((tb.tb_frame.f_code, tb.tb_lineno, tb.tb_frame.f_globals))
            tb = tb.tb_next
        own = str(getattr(item, "path", None) or item.fspath)
        files = [_source_file(code) for code, _, _ in steps]
        starts = [i for i, file in enumerate(files) if file == own]
        starts += [i for i, file in enumerate(files) if file.startswith(self.watch.tree)]
        steps = steps[starts[0] :] if starts else steps
        if len(steps) > _MAX_FRAMES:  # endless recursion: where it began and where it ended
            steps = steps[: _MAX_FRAMES // 2] + steps[-_MAX_FRAMES // 2 :]
        return [self._frame(*step) for step in steps]

    def _frame(self, code: CodeType, line: int, module: dict[str, Any]) -> list[Any]:
        file = _source_file(code)
        inside = file.startswith(self.watch.tree)
        source = _statement(file, line, module, inside) if _isfile(file) else ""
        name = getattr(code, "co_qualname", code.co_name)
        return [file[len(self.watch.tree) :] if inside else None, name, source[:1000], line]


def _property(request: dict[str, Any]) -> Any:
    """Return what reads or gives a property's input; its modules come as text, opening no file."""
    asked = request.get("property")
    if asked is None:
        return None
    module = type(sys)
    codecs, capture = module("codecs"), module("capture")
    for made in (codecs, capture):
        source = compile(asked[made.__name__], "<freezegate " + made.__name__ + ">", "exec")
        exec(source, made.__dict__)  # noqa: S102 - our own
    return capture.Property(asked, codecs)


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


def _source_file(code: CodeType) -> str:
    path = code.co_filename
    return os.path.abspath(path) if path[:1] != "<" else path


_statements: dict[str, list[tuple[int, int]]] = {}  # of each file: first and last lines


def _statement(file: str, line: int, module: dict[str, Any], whole: bool) -> str:
    """Return the text of a line, or of the whole statement that it is a part of."""
    import linecache

    lines = linecache.getlines(file, module)
    first, last = _extent(file, lines, line) if whole else (line, line)
    return "".join(lines[first - 1 : last]).strip()


def _extent(file: str, lines: list[str], line: int) -> tuple[int, int]:
    """Return the first and last line of the innermost statement; of a compound one its head."""
    import ast

    if file not in _statements:
        try:
            every = [n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.stmt)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            every = []
        _statements[file] = [(n.lineno, _last_line(n)) for n in every]
    around = [ends for ends in _statements[file] if ends[0] <= line <= ends[1]]
    return max(around, default=(line, line))


def _last_line(statement: Any) -> int:
    import ast

    if not hasattr(statement, "body") and not hasattr(statement, "cases"):
        return int(statement.end_lineno)
    inner = (ast.stmt, ast.excepthandler, getattr(ast, "match_case", ast.stmt))
    heads = [n for n in ast.iter_child_nodes(statement) if not isinstance(n, inner)]
    ends = [getattr(n, "end_lineno", 0) for head in heads for n in ast.walk(head)]
    return int(max(statement.lineno, *ends, 0))


def _type_name(value: BaseException) -> str:
    kind = type(value)
    plain = kind.__module__ in ("builtins", "exceptions")
    return kind.__qualname__ if plain else kind.__module__ + "." + kind.__qualname__


def _text(value: BaseException) -> str:
    try:
        return str.__getitem__(str(value), slice(_MAX_MESSAGE))
    except Exception:  # whatever a test's exception does
        return "<no text: str() of the exception raised>"


def _leaves(value: Any, limit: int = _MAX_LEAVES) -> list[BaseException]:
    if type(value).__name__ in _TOLD_BY_PYTEST and value.__cause__ is not None:
        return [value.__cause__]
    if not any(kind.__name__ == "BaseExceptionGroup" for kind in type(value).__mro__):
        return []
    found: list[BaseException] = []
    for each in value.exceptions:
        inner = _leaves(each, limit - len(found))
        found.extend(inner or [each])
        if len(found) >= limit:
            break
    return found[:limit]


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
        result["refused"] = ["pytest_missing", _text(error)]
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
        result["raised"] = "SystemExit: " + _text(error)
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException as error:  # told to the parent
        result["raised"] = _type_name(error) + ": " + _text(error)
        status = 3
    result["returned"] = status
    if _pid() != started:  # a fork that came back from a test says nothing
        sys.exit(status)
    _save(request, result)
    _exit(status & 0xFF)  # at once: nothing of the tested code may run after what was told


if __name__ == "__main__":
    main()
