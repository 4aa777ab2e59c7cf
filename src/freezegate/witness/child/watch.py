"""An audit hook that notes which files of the tree a run opens, and what leaves the process.

Files opened by C libraries and by forked children stay unseen. The event of `os.open` does not tell
from which descriptor a relative name counts (`dir_fd`): the file of that name in each open folder
counts then.
"""

from __future__ import annotations

import gc
import os
import sys

from .places import (
    DESCRIPTORS,
    address,
    installed_folders,
    is_own_group,
    is_own_process,
    isdir,
    isfile,
    keeps_nothing,
    plain_text,
    program_name,
    reaped,
    unquoted,
)

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAX_DEPTH = 256  # to follow the links of a path takes the square of it
_MAX_LISTED = 20_000
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


class Watch:
    """An audit hook that notes which files of the tree are opened, and what leaves the process."""

    def __init__(self, tree: str, roots: list[str], own: str) -> None:
        self.tree, self.roots = tree + os.sep, tuple(root + os.sep for root in roots)
        self.own = own + os.sep  # the run's temporary folder, which may lie in a work tree
        self.installed = installed_folders(self.tree)
        self.reads: dict[str, bool] = {}
        self.writes: dict[str, bool] = {}
        self.foreign: dict[str, bool] = {}
        program = str(getattr(sys.modules.get("__main__"), "__file__", ""))  # ours, beside the runs
        self._program = {program, os.path.realpath(program)}
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
        self._reaped = reaped()

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
            self._effect("subprocess", program_name(args[0]) if args else "?")
            return start(args, *rest)

        module.fork_exec = fork_exec
        other: Any = sys.modules.get("subprocess")
        if hasattr(other, "_fork_exec"):  # since 3.11 a name of its own for the same
            other._fork_exec = fork_exec  # noqa: SLF001 - as above

    def _on_open(self, _event: str, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if path is None or isinstance(path, int):
            return
        path = plain_text(path)
        if mode is None:
            self._add_from_folders(path, flags)
        self._add_opened(self._resolved(path), flags)

    def _add_opened(self, path: str, flags: int) -> None:
        real = os.path.realpath(path) if flags & _CHANGES else ""
        if real and not keeps_nothing(real):
            self._add_change(path, real)
        if flags & _ACCESS != os.O_WRONLY:
            self._add_read(path)

    def _add_from_folders(self, name: str, flags: int) -> None:
        if name[:1] == "/" or not isdir(DESCRIPTORS):
            return
        for number in os.listdir(DESCRIPTORS):
            try:
                folder = os.readlink(os.path.join(DESCRIPTORS, number)) + os.sep
            except OSError:  # the one of listdir
                continue
            ours = folder.startswith((self.tree, *self.roots))
            if ours or (flags & _CHANGES and isdir(folder)):
                self._add_opened(self._resolved(folder + name), flags)

    def _on_database(self, _event: str, args: tuple[Any, ...]) -> None:
        # SQLite opens its file itself, and may always write.
        name = plain_text(args[0])
        if name[:5] == "file:":
            name = unquoted(name[5:].partition("?")[0])
        if name in ("", ":memory:"):
            return
        path = self._resolved(name)
        self._add_read(path)
        self._add_change(path, os.path.realpath(path))

    def _on_import(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[1] is not None:  # the C code of an extension module
            self._add_read(self._resolved(plain_text(args[1])))

    def _on_library(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[0] is not None:
            self._add_read(self._resolved(plain_text(args[0])))

    def _on_symbol(self, _event: str, args: tuple[Any, ...]) -> None:
        if isinstance(args[1], (str, bytes)) and plain_text(args[1]) in _STARTERS:
            self._effect("subprocess", plain_text(args[1]))

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
        self._effect("socket", event[7:] + " " + address(args[1]))

    def _on_lookup(self, event: str, args: tuple[Any, ...]) -> None:
        self._effect("socket", event[7:] + " " + address(args[0]))

    def _on_child(self, event: str, args: tuple[Any, ...]) -> None:
        program = args[0] if args and event != "os.system" else "sh"
        if event == "os.spawn":
            program = args[1]
        if event == "pty.spawn":
            program = args[0][0]
        if event == "subprocess.Popen" and program is None:
            program = args[1] if isinstance(args[1], (str, bytes)) else args[1][0]
        self._effect("subprocess", program_name(program) if args else event[3:])

    def _on_signal(self, event: str, args: tuple[Any, ...]) -> None:
        target, number = int(args[0]), int(args[1])
        group = event == "os.killpg" or target < -1
        mine = is_own_group(abs(target)) if group else is_own_process(target)
        if number and not mine:  # 0 only asks whether it is there
            self._effect("outside", "signal " + str(number) + " to another process")

    def _on_limit(self, _event: str, args: tuple[Any, ...]) -> None:
        if args[2] is not None and not is_own_process(int(args[0])):
            self._effect("outside", "limits of another process")

    def _on_host_name(self, _event: str, _args: tuple[Any, ...]) -> None:
        self._effect("outside", "the host name")

    def _effect(self, kind: str, what: str) -> None:
        if len(self.effects) >= _MAX_LISTED:
            self.give_up("more than " + str(_MAX_LISTED) + " effects")
        self.effects[kind, what[:200]] = True

    def _add_read(self, path: str) -> None:
        if path.startswith(self.tree):
            if isfile(path):
                self._add(self.reads, path)
        elif self.roots and path.startswith(self.roots) and isfile(path):
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
        path = plain_text(given)
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
            return os.readlink(os.path.join(DESCRIPTORS, str(int(descriptor))))
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
        if reaped() != self._reaped and not any(kind == "subprocess" for kind, _ in self.effects):
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
        found -= self._program
        return sorted(path for path in found if not self._is_installed(path))[:50]

    def _is_installed(self, path: str) -> bool:
        # A virtual environment may lie in the work tree itself.
        parts = path.split(os.sep)
        standard = os.path.dirname(os.__file__) + os.sep
        installed = "site-packages" in parts or "dist-packages" in parts
        return installed or path.startswith((standard, self.tree))
