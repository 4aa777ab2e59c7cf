"""One witness run: a fresh process in its own session, with nothing of ours or the user's in it."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import IO, TYPE_CHECKING

from freezegate.model.observation import FileObservation, NoObservation, Observation, Unobserved
from freezegate.witness import unicode_data
from freezegate.witness.bundle import child_bytecode, child_source
from freezegate.witness.facts import Ending, Facts, parse_facts
from freezegate.witness.lifeline import lifeline, tie
from freezegate.witness.outcome import decide_collection, decide_file, decide_observation
from freezegate.witness.removal import remove_folder
from freezegate.witness.result_file import NoResult, read_result
from freezegate.witness.run_requests import CollectRequest, FileRequest, RunRequest, RunSetting
from freezegate.witness.strays import ended_orphans
from freezegate.witness.waking import woken_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


ISOLATION = "process"
MAX_OUTPUT_BYTES = 64 * 1024  # for messages; the result never comes this way
TERM_GRACE_S = 0.5
_WAKE_S = 1.5  # after the end of its time a run is over long before, unless we were stopped
_ASK_S = 30  # for an interpreter to tell its bytecode's number
_READ_BYTES = 4096  # at most what a pipe holds is read after the end: 16 times on Linux
_STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
_TICK_S = 0.02  # how late the end may be noticed on systems without pidfd_open
_MODULES = (  # each after what it imports
    *("codec_classes", "codec_zones", "codec_writing", "codec_reading", "codecs"),
    *("capture_draws", "capture"),
)
_REQUEST = "FREEZEGATE_WITNESS_REQUEST"
# What an interpreter needs to start and to speak the user's language, and nothing else.
_KEPT = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH"})


def observe_run(request: RunRequest) -> Observation | Unobserved:
    """Run one test in a fresh process and say what was observed."""
    asked: dict[str, object] = {
        "mode": "run",
        "selection": [request.test_id],
        "ignore_skip": request.ignore_skip,
    }
    if request.asked is not None:
        asked["property"] = {"input": request.asked.arguments, "modules": _property_modules()}
    answer = _answer(request, asked)
    if isinstance(answer, Unobserved):
        return answer
    return decide_observation(*answer, tree=_tree(request))


def observe_file(request: FileRequest) -> FileObservation | Unobserved:
    """Run a whole test file in a fresh process and count its outcomes."""
    asked = {"mode": "file", "selection": [request.path], "without": request.without}
    answer = _answer(request, asked)
    if isinstance(answer, Unobserved):
        return answer
    return decide_file(*answer, tree=_tree(request))


def collect_ids(request: CollectRequest) -> tuple[str, ...] | Unobserved:
    """Return the ids that pytest collects for a selection."""
    answer = _answer(request, {"mode": "collect", "selection": list(request.selection)})
    if isinstance(answer, Unobserved):
        return answer
    return decide_collection(*answer, tree=_tree(request))


@cache
def _property_modules() -> list[tuple[str, str]]:
    """Return the source of what reads and gives inputs: the child opens no file of ours."""
    own = Path(__file__)
    return [(name, own.with_name(f"{name}.py").read_text("utf-8")) for name in _MODULES]


def _tree(setting: RunSetting) -> str:
    return os.path.realpath(setting.tree)


def _answer(
    setting: RunSetting, asked: Mapping[str, object]
) -> tuple[Facts | None, Ending] | Unobserved:
    with _own_folder(setting.scratch) as place:
        result = place / f"{secrets.token_hex(16)}.json"
        (place / "request.json").write_text(_document(setting, asked, result))
        try:
            ending = _run(setting, place)
        except OSError as error:
            return _not_started(setting, str(error.strerror or error))
        except subprocess.TimeoutExpired:
            return _not_started(setting, f"no answer in {_ASK_S} s")
        unicode_data.note_wanted(setting.python, place / _STORAGE.lower())
        return _facts(result, ending, setting.plugins)


@contextmanager
def _own_folder(scratch: Path | None) -> Iterator[Path]:
    """Make the folder of one run; whoever settles the window finds what cannot be removed."""
    place = Path(os.path.realpath(tempfile.mkdtemp(prefix="witness-", dir=scratch)))
    try:
        yield place
    finally:
        with suppress(OSError):
            remove_folder(place)


def _facts(
    result: Path, ending: Ending, plugins: tuple[str, ...] | None
) -> tuple[Facts | None, Ending]:
    try:
        facts = parse_facts(read_result(result), isolation=ISOLATION, plugins=plugins)
    except NoResult as fault:
        return None, replace(ending, lost=str(fault))
    return facts, ending if facts else replace(ending, lost="a result that is not ours")


def _document(setting: RunSetting, asked: Mapping[str, object], result: Path) -> str:
    tree = _tree(setting)
    roots = {
        path for root in setting.forbidden_roots for path in (str(root), os.path.realpath(root))
    }
    document = {
        "tree": tree,
        "pythonpath": [os.path.normpath(os.path.join(tree, path)) for path in setting.pythonpath],
        "plugins": list(setting.plugins or ()),
        "keep_options": list(setting.keep_options),
        "hypothesis_seed": setting.hypothesis_seed,
        "forbidden_roots": sorted(roots),
        "cache": str(result.parent / "cache"),
        "result": str(result),
        "ignore_skip": False,
        **asked,
    }
    return json.dumps(document)


def _not_started(setting: RunSetting, why: str) -> Unobserved:
    return Unobserved(
        word=NoObservation.NOT_STARTED,
        got=f"{setting.python}: {why}",
        expected="an interpreter that starts",
        remedy="name the project's interpreter, such as .venv/bin/python",
    )


def _environment(setting: RunSetting, place: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("LC_")}
    own = {name: place / name.lower() for name in ("HOME", "TMPDIR", _STORAGE)}
    for folder in own.values():
        folder.mkdir()
    unicode_data.provide(setting.python, own[_STORAGE])
    alone = {} if setting.plugins is None else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {
        **kept,
        **{name: str(folder) for name, folder in own.items()},
        **alone,
        "PYTHONHASHSEED": str(setting.pythonhashseed),
        "PYTHONDONTWRITEBYTECODE": "1",
        _REQUEST: str(place / "request.json"),
    }


def _run(setting: RunSetting, place: Path) -> Ending:
    wake_s = setting.timeout_s + _WAKE_S
    begun = time.monotonic()
    with woken_after(wake_s), lifeline() as reading, ended_orphans() as orphans:
        ending = _run_tied(setting, place, reading)
        held_up = not ending.timed_out and time.monotonic() - begun >= wake_s
    return replace(ending, outlived_by=len(orphans), held_up=held_up)


def _run_tied(setting: RunSetting, place: Path, reading: int | None) -> Ending:
    started_at = datetime.now(UTC)
    begun = time.monotonic()
    ends = () if reading is None else (reading,)
    process = subprocess.Popen(
        [setting.python, "-B", _program(setting.python, place), *map(str, ends)],
        cwd=_tree(setting),
        env=_environment(setting, place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=ends,
    )
    try:
        if reading is not None:
            tie(process.pid, reading)
        output, timed_out = _follow(process, begun + setting.timeout_s)
    finally:
        # Not reaped yet: as long as the child is a zombie its group's number is nobody else's.
        _kill(process, signal.SIGKILL)
        status = process.wait()
    return Ending(
        exit_status=status,
        timed_out=timed_out,
        started_at=_utc(started_at),
        duration_ms=int((time.monotonic() - begun) * 1000),  # down, as the start is
        output=output.decode("utf-8", "backslashreplace"),
    )


def _follow(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bool]:
    """Read what the child prints until it ends; return the last 64 KiB, and whether time was up.

    When it is up the group is asked to end, then made to. A daemon that keeps the pipe open holds
    up nobody: the child's own end counts.
    """
    assert process.stdout is not None  # noqa: S101 - asked for above
    with (
        process.stdout as pipe,
        _ending_of(process) as ending,
        selectors.DefaultSelector() as watch,
    ):
        watch.register(pipe, selectors.EVENT_READ)
        if ending is not None:
            watch.register(ending, selectors.EVENT_READ)
        output = b""
        signals = [signal.SIGTERM, signal.SIGKILL]
        while not _has_ended(process):
            if time.monotonic() >= deadline and signals:
                _kill(process, signals.pop(0))
                deadline += TERM_GRACE_S
            output = _read(watch, pipe, output, deadline - time.monotonic())
        _kill(process, signal.SIGKILL)
        for _ in range(MAX_OUTPUT_BYTES // _READ_BYTES):  # what a full pipe can still hold
            output = _read(watch, pipe, output, 0)
        return output, len(signals) < 2


def _read(watch: selectors.BaseSelector, pipe: IO[bytes], output: bytes, wait_s: float) -> bytes:
    tick_s = _TICK_S if len(watch.get_map()) < 2 else wait_s
    ready = [key.fileobj for key, _ in watch.select(max(0, min(wait_s, tick_s)))]
    if pipe not in ready:
        return output
    data = os.read(pipe.fileno(), _READ_BYTES)
    if not data:
        watch.unregister(pipe)
    return (output + data)[-MAX_OUTPUT_BYTES:]


@contextmanager
def _ending_of(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """Open what becomes readable when the child ends; None where the system has no such thing."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or a kernel or container without it
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    options = os.WEXITED | os.WNOWAIT | os.WNOHANG
    return os.waitid(os.P_PID, process.pid, options) is not None


def _program(python: Path, place: Path) -> Path:
    """Write what the interpreter is started with, and return where."""
    compiled = _reads_our_bytecode(python)
    program = place / ("child.pyc" if compiled else "child.py")
    program.write_bytes(child_bytecode() if compiled else child_source())
    return program


@cache
def _reads_our_bytecode(python: Path) -> bool:
    if os.path.realpath(python) == os.path.realpath(sys.executable):
        return True
    ask = "import importlib.util as u, sys; sys.stdout.write(u.MAGIC_NUMBER.hex())"
    told = subprocess.run(
        [python, "-I", "-S", "-B", "-c", ask],
        env={},
        capture_output=True,
        check=False,
        timeout=_ASK_S,
    )
    return told.stdout == MAGIC_NUMBER.hex().encode()


def _kill(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
