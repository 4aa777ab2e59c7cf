"""One witness run: a fresh process in its own session, with nothing of ours or the user's in it."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.model.observation import FileObservation, NoObservation, Observation, Unobserved
from freezegate.witness.facts import MAX_RESULT_BYTES, Ending, Facts, parse_facts
from freezegate.witness.outcome import decide_collection, decide_file, decide_observation
from freezegate.witness.strays import end_strays

if TYPE_CHECKING:
    from collections.abc import Mapping

ISOLATION = "process"
MAX_OUTPUT_BYTES = 64 * 1024  # for messages; the result never comes this way
TERM_GRACE_S = 0.5
_READ_BYTES = 4096  # at most what a pipe holds is read after the end: 16 times on Linux
_POLL_MS = 20  # how late the end is noticed where a daemon holds the pipe
_CHILD = Path(__file__).with_name("child.py")
_REQUEST = "FREEZEGATE_WITNESS_REQUEST"
# What an interpreter needs to start and to speak the user's language, and nothing else.
_KEPT = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetting:
    """What every process of a window has in common.

    `tree` is the built tree's top; `pythonpath` counts from it. `plugins` None lets pytest load
    what is installed. `forbidden_roots` are the original work trees.
    """

    tree: Path
    python: Path
    timeout_s: float
    pythonpath: tuple[str, ...] = ()
    plugins: tuple[str, ...] | None = None
    keep_options: tuple[str, ...] = ()
    pythonhashseed: int = 0
    hypothesis_seed: int | None = None
    forbidden_roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(RunSetting):
    """One run of one test; `ignore_skip` sets aside plain skip marks on its own function."""

    test_id: str
    ignore_skip: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest(RunSetting):
    """A run of one file, with one test left out."""

    path: str
    without: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest(RunSetting):
    """The question which tests a selection of ids and paths means; nothing is run."""

    selection: tuple[str, ...]


def observe_run(request: RunRequest) -> Observation | Unobserved:
    """Run one test in a fresh process and say what was observed."""
    asked = {"mode": "run", "selection": [request.test_id], "ignore_skip": request.ignore_skip}
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


def _tree(setting: RunSetting) -> str:
    return os.path.realpath(setting.tree)


def _answer(
    setting: RunSetting, asked: Mapping[str, object]
) -> tuple[Facts | None, Ending] | Unobserved:
    with tempfile.TemporaryDirectory(prefix="witness-", ignore_cleanup_errors=True) as name:
        place = Path(os.path.realpath(name))
        result = place / f"{secrets.token_hex(16)}.json"
        (place / "request.json").write_text(_document(setting, asked, result))
        try:
            ending = _run(setting, place)
        except OSError as error:
            return _not_started(setting, error)
        facts = _read_facts(result, setting.plugins)
        if facts is None or any(effect.kind == "subprocess" for effect in facts.effects):
            end_strays(str(place))
        return facts, ending


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


def _read_facts(path: Path, plugins: tuple[str, ...] | None) -> Facts | None:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RESULT_BYTES + 1)
    except OSError:
        return None
    return (
        None
        if len(data) > MAX_RESULT_BYTES
        else parse_facts(data, isolation=ISOLATION, plugins=plugins)
    )


def _not_started(setting: RunSetting, error: OSError) -> Unobserved:
    return Unobserved(
        word=NoObservation.NOT_STARTED,
        got=f"{setting.python}: {error.strerror or error}",
        expected="an interpreter that starts",
        remedy="name the project's interpreter, such as .venv/bin/python",
    )


def _environment(setting: RunSetting, place: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("LC_")}
    own = {
        name: place / name.lower() for name in ("HOME", "TMPDIR", "HYPOTHESIS_STORAGE_DIRECTORY")
    }
    for folder in own.values():
        folder.mkdir()
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
    started_at = datetime.now(UTC)
    begun = time.monotonic()
    process = subprocess.Popen(
        [setting.python, "-B", _CHILD],
        cwd=_tree(setting),
        env=_environment(setting, place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    with _Output(process) as output, _Limit(process, setting.timeout_s) as limit:
        status = _wait(process)
        duration_ms = round((time.monotonic() - begun) * 1000)
    return Ending(
        exit_status=status,
        timed_out=limit.struck,
        started_at=_utc(started_at),
        duration_ms=duration_ms,
        output=output.text(),
    )


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for the child, and end all that it left in its session, whatever comes."""
    try:
        # Without reaping: as long as the child is a zombie its group's number is nobody else's.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    finally:
        _kill(process, signal.SIGKILL)
        status = process.wait()
    return status


def _kill(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class _Limit:
    """A run's time: when it is over the group is asked to end, then made to."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        self.struck = False
        self._process = process
        self._timeout_s = timeout_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Limit:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        if self._ended.wait(self._timeout_s):
            return
        self.struck = True
        _kill(self._process, signal.SIGTERM)
        if not self._ended.wait(TERM_GRACE_S):
            _kill(self._process, signal.SIGKILL)


class _Output:
    """The end of what the child prints; a daemon that keeps the pipe open holds up nobody."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 - asked for above
        self._pipe = process.stdout
        self._kept = b""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._drain, daemon=True)

    def __enter__(self) -> _Output:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._pipe.close()

    def _drain(self) -> None:
        reader = select.poll()
        reader.register(self._pipe.fileno(), select.POLLIN)
        reads_left = MAX_OUTPUT_BYTES // _READ_BYTES
        while reads_left:
            ended = self._ended.is_set()
            if reader.poll(_POLL_MS):
                data = os.read(self._pipe.fileno(), _READ_BYTES)
                if not data:
                    return
                self._kept = (self._kept + data)[-MAX_OUTPUT_BYTES:]
            elif ended:
                return
            reads_left -= ended  # what a full pipe can still hold, and no more

    def text(self) -> str:
        """Return the last 64 KiB as text that can be shown and stored."""
        return self._kept.decode("utf-8", "backslashreplace")
