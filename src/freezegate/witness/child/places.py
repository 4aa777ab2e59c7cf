"""What paths, addresses and numbers of processes mean, asked of the system itself."""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from typing import Any


DESCRIPTORS = "/proc/self/fd"
# Taken before any test can replace them.
pid, isfile, isdir = os.getpid, os.path.isfile, os.path.isdir
_stat = os.stat


def plain_text(given: Any) -> str:
    """Return a path as plain text: the methods of a subclass are the tested code's own."""
    path = os.fspath(given)
    if isinstance(path, bytes):
        return os.fsdecode(bytes.__getitem__(path, slice(None)))
    return str.__getitem__(path, slice(None))


def unquoted(name: str) -> str:
    from urllib.parse import unquote

    return unquote(name, errors="surrogateescape")


def keeps_nothing(path: str) -> bool:
    """Say whether what is written there is gone with the process: a device, its own /proc."""
    if path.startswith("/proc/" + str(pid()) + "/"):
        return True
    try:
        return stat.S_ISCHR(_stat(path).st_mode)
    except OSError:  # it is made only now
        return False


def program_name(given: Any) -> str:
    try:
        return os.path.basename(plain_text(given))
    except TypeError:  # a call that will fail, or a word of the tested code's own
        return "?"


def is_own_process(number: int) -> bool:
    """Say whether a process is ours, of our session, or was started below us; so is none at all.

    What the parent adopted was started by this run as well: it has no other. Where the system
    shows no processes only the parent is known to be somebody else's.
    """
    parent, above = os.getppid(), number
    while above > 1 and above != parent:
        status = _status(above)
        if status is None or above == pid() or int(status[3]) == os.getsid(0):
            return True
        above = int(status[1])
    # 0 as an argument are we ourselves, or our group.
    return number == 0 or (above == parent and number != parent)


def is_own_group(number: int) -> bool:
    if not isdir(DESCRIPTORS):
        return number != os.getpgid(os.getppid())
    processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    known = [(each, _status(each)) for each in processes]
    members = [each for each, status in known if status and int(status[2]) == number]
    return number == 0 or all(is_own_process(each) for each in members)


def _status(number: int) -> list[str] | None:
    """Return state, parent, group and session of a process (proc(5), stat); None without it."""
    try:
        with open("/proc/" + str(number) + "/stat", "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None


def reaped() -> Any:
    """Return what the kernel counts of processes that we started and that have ended."""
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN)


def installed_folders(tree: str) -> tuple[str, ...]:
    """Return the interpreter's own folders: thousands of files are opened there, and none of ours.

    A virtual environment may lie in the work tree; the tree itself never lies in one.
    """
    folders = {os.path.dirname(os.__file__) + os.sep}
    folders.update(path + os.sep for path in sys.path if path.endswith("-packages"))
    return tuple(folder for folder in folders if not folder.startswith(tree))


def address(address: Any) -> str:
    if isinstance(address, tuple):
        return ":".join(str(part) for part in address[:2])
    return os.fsdecode(address) if isinstance(address, (str, bytes)) else str(address)
