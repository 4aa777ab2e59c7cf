"""What witness keeps in the git directory: its lock, and the last windows that were refused."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from freezegate.errors import UsageError
from freezegate.formats.strict_json import plain
from freezegate.ledger.append import replace_file
from freezegate.ledger.regular_file import open_lock, read_regular
from freezegate.model.ledger import LineReason
from freezegate.report.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from freezegate.model.finding import Finding
    from freezegate.model.window import Window
    from freezegate.policy.variance import Variance
    from freezegate.witness.request import Signer, Subject

KEPT_WINDOWS = 20
WINDOW_SCHEMA = "freezegate/window/v1"


@contextlib.contextmanager
def only_witness(notes: Path, verb: str = "witness") -> Iterator[None]:
    """Hold the repository's witness lock; say who holds it, and wait for him.

    The system lets go of it when a process ends, however it ends.
    """
    descriptor = _open_lock(notes)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            print(
                f"freezegate {verb}: process {holder} witnesses in this repository; waiting for "
                "it to end (Ctrl-C stops)",
                file=sys.stderr,
                flush=True,
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _open_lock(notes: Path) -> int:
    lock = notes / "witness.lock"
    try:
        notes.mkdir(parents=True, exist_ok=True)
        return open_lock(lock)
    except OSError as error:
        msg = (
            f"{lock} cannot be opened ({error.strerror or error}); expected a folder {notes} that "
            f"you may write: ls -ld {shlex.quote(str(notes))}"
        )
        raise UsageError(msg) from None


def keep_window(
    notes: Path, about: Subject, window: Window, answer: Variance, signer: Signer
) -> Path:
    """Write a window that was refused into the git directory, and return where."""
    folder = notes / "windows"
    document = window_document(about, window, answer, signer)
    now = datetime.now(UTC)
    path = folder / f"{now:%Y%m%dT%H%M%S.%f}Z.json"
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n"
    replace_file(path, text.encode())
    for old in sorted(folder.glob("*.json"))[:-KEPT_WINDOWS]:
        old.unlink(missing_ok=True)
    return path


def warn_not_kept(notes: Path, error: OSError) -> None:
    """Say that a refused window is in no file."""
    print(
        f"freezegate witness: warning: the window could not be kept in {notes / 'windows'}: "
        f"{error.strerror or error}; expected a folder that can be written, and the next window is "
        "kept",
        file=sys.stderr,
        flush=True,
    )


def tell_later(findings: Iterable[Finding]) -> None:
    """Say before the first run what would be in the way of a freeze on this evidence."""
    for each in findings:
        print(
            f"freezegate witness: warning: evidence is taken, but no freeze could follow now: "
            f"{each.code}: {each.got}; expected {each.expected}; {escaped(each.remedy)}",
            file=sys.stderr,
            flush=True,
        )


def diverged_before(notes: Path, about: Subject) -> int | None:
    """Return the size of the last kept window of this test, if its failures differed."""
    try:
        kept = sorted((notes / "windows").glob("*.json"), reverse=True)
    except OSError:  # since Python 3.13 glob tells of a folder that it may not read
        return None
    for path in kept:
        try:
            document = json.loads(read_regular(path) or b"")
            same = document["about"]["test_id"] == about.test_id
            same = same and document["about"]["patch_digest"] == about.patch_digest
            if same and document["reason"] == LineReason.DIVERGENT_SIGNATURES:
                return int(document["plan"]["runs_per_side"])
            if same:
                return None
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def window_document(
    about: Subject, window: Window, answer: Variance, signer: Signer
) -> dict[str, Any]:
    """Return everything that was seen of a window, as JSON has it."""
    stopped = window.stopped
    unobserved = stopped.unobserved if stopped else None
    keys = ("property_id", "test_id", "fixture_path", "fixture_sha256", "oracle_path")
    revs = ("oracle_blob", "base_rev", "candidate_rev", "patch_digest")
    return {
        "schema": WINDOW_SCHEMA,
        "about": {key: plain(getattr(about, key)) for key in (*keys, *revs)},
        "plan": plain(window.plan),
        "class": str(answer.variance),
        "status": str(answer.status),
        "reason": str(answer.reason),
        "next_step": answer.next_step,
        "runs": [
            {
                "index": run.index,
                "side": str(run.side),
                "started_at": run.observation.started_at,
                "duration_ms": run.observation.duration_ms,
                "passed": run.observation.passed,
                "sha256_before": run.sha256_before,
                "sha256_after": run.sha256_after,
                "signature": signer.sign(run.observation.failure)
                if run.observation.failure
                else None,
                "message": run.observation.failure.message if run.observation.failure else None,
            }
            for run in window.runs
        ],
        "oracle": None
        if window.oracle is None
        else {
            "passed": window.oracle.passed,
            "failed": window.oracle.failed,
            "other": window.oracle.other,
            "failed_ids": list(window.oracle.failed_ids),
        },
        "stopped": None
        if stopped is None
        else {
            "index": stopped.index,
            "side": str(stopped.side),
            "word": str(unobserved.word) if unobserved else "fixture_drift",
            "got": unobserved.got if unobserved else None,
            "expected": unobserved.expected if unobserved else None,
            "remedy": unobserved.remedy if unobserved else None,
            "output": unobserved.output if unobserved else None,
        },
    }
