"""Trees of a few lines, and the question what a run of them shows."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

from freezegate.model.observation import NoObservation, Observation, Unobserved
from freezegate.witness.process import observe_run
from freezegate.witness.run_requests import RunRequest

PYTHON = Path(sys.executable)
PATIENCE_S = 60.0
ID = "test_it.py::test_it"


def plant(tree: Path, files: dict[str, str]) -> Path:
    """Write the files of a tree."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return tree


def run(tree: Path, test_id: str = ID, **setting: Any) -> Observation | Unobserved:
    """Observe one run in a tree, without plugins unless asked."""
    asked = {"python": PYTHON, "timeout_s": PATIENCE_S, "plugins": (), **setting}
    return observe_run(RunRequest(tree=tree, test_id=test_id, **asked))


def observed(tree: Path, test_id: str = ID, **setting: Any) -> Observation:
    """Observe one run that must count."""
    answer = run(tree, test_id, **setting)
    assert isinstance(answer, Observation), answer
    assert answer.exit_status == (0 if answer.passed else 1)
    assert (answer.failure is None) == answer.passed
    return answer


def unobserved(tree: Path, test_id: str = ID, **setting: Any) -> Unobserved:
    """Observe one run that must not count."""
    answer = run(tree, test_id, **setting)
    assert isinstance(answer, Unobserved), answer
    assert answer.got
    assert answer.expected
    assert answer.remedy
    return answer


def word_of(answer: Observation | Unobserved) -> str:
    """`passed`, `failed`, or the word for no observation."""
    if isinstance(answer, Observation):
        return "passed" if answer.passed else "failed"
    assert isinstance(answer.word, NoObservation)
    return answer.word.value
