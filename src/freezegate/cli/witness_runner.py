"""With what the runs of each test are made: interpreter, plugins and options."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import UsageError
from freezegate.git.repository import common_dir
from freezegate.git.work_tree import work_trees
from freezegate.model.observation import NoObservation
from freezegate.witness.window_run import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.cli.witness_case import Case
    from freezegate.git.session import Session
    from freezegate.model.observation import Unobserved
    from freezegate.policy.domain.config import Config
    from freezegate.policy.settings import Policy

_PROJECTS = ".venv/bin/python"
_BY_PYTHON = (NoObservation.IMPORT_ERROR, NoObservation.COLLECTION_ERROR)
_NO_ENVIRONMENT = (NoObservation.NOT_STARTED, NoObservation.PYTEST_MISSING)
_ANSWER = b"Python 3"
_PATIENCE_S = 30  # for an interpreter on a slow network disk
_OTHERWISE = "or name the project's own: --python .venv/bin/python"


class Interpreter(NamedTuple):
    """What runs the tests, and what named it."""

    path: Path
    source: str


def find_runners(case: Case, python: Interpreter) -> tuple[Runner, ...]:
    """Return with what each test of a case is run: pytest's configuration is each file's own."""
    setting = case.setting
    configs = [setting.view.config(each.test_id.path) for each in case.wanted]
    return tuple(_runner(setting.session, setting.policy, each, python.path) for each in configs)


def find_runner(
    session: Session,
    policy: Policy,
    config: Config,
    option: str | None,
    environ: Mapping[str, str],
) -> Runner:
    """Return what every run has in common; raises UsageError where no interpreter is found."""
    return _runner(session, policy, config, find_python(session, option, environ).path)


def tell_python(python: Interpreter) -> None:
    """Say before the first run what makes the runs: most surprises come from another one."""
    print(f"freezegate: runs are made with {_shown(python)}", file=sys.stderr, flush=True)


def with_python(seen: Unobserved, python: Path) -> Unobserved:
    """Return why there is no observation, with the interpreter where that may well be the cause."""
    if seen.word not in _BY_PYTHON:
        return seen
    remedy = f"{seen.remedy}; these runs are made with {python}: another one by --python PATH"
    return replace(seen, remedy=remedy)


def _shown(python: Interpreter) -> str:
    return f"{ascii(str(python.path))[1:-1]} ({python.source})"


def _runner(session: Session, policy: Policy, config: Config, python: Path) -> Runner:
    return Runner(
        python=python,
        pythonpath=policy.runner.pythonpath,
        plugins=policy.runner.plugins,
        keep_options=keep_options(config),
        forbidden_roots=(*work_trees(session), Path(common_dir(session.repository))),
    )


def find_python(session: Session, option: str | None, environ: Mapping[str, str]) -> Interpreter:
    """Return the interpreter of --python, of the active or the project's environment, or our own.

    Links stay as they are: a virtual environment is known by the link in it. A `.venv` that is
    committed is a part of what is judged, and runs nothing.
    """
    active = environ.get("VIRTUAL_ENV")
    beside = Path(session.repository.workdir or "/nowhere") / _PROJECTS
    if option is not None:
        found = option if "/" in option else shutil.which(option, path=environ.get("PATH"))
        return Interpreter(_runnable(found or option, "--python"), "--python")
    if active:
        found = os.path.join(active, "bin", "python")
        return Interpreter(_runnable(found, "VIRTUAL_ENV"), "$VIRTUAL_ENV")
    if os.access(beside, os.X_OK) and not session.is_in_head(".venv"):
        return Interpreter(_runnable(str(beside), ".venv"), "the repository's .venv")
    return Interpreter(Path(sys.executable), "freezegate's own; --python names another")


def keep_options(config: Config) -> tuple[str, ...]:
    """Return the options of `addopts` that decide what is imported: all others are left out."""
    plugins = tuple(part for name in config.plugins for part in ("-p", name))
    mode = config.import_mode
    return plugins if mode == "prepend" else (*plugins, f"--import-mode={mode}")


def refuse_no_environment(python: Path, seen: Unobserved) -> None:
    """Raise UsageError where an interpreter cannot run any test at all."""
    if seen.word is NoObservation.PYTEST_MISSING:
        install = f"{shlex.quote(str(python))} -m pip install pytest"
        msg = f"the interpreter {str(python)!a} has no pytest ({seen.got}): {install}, {_OTHERWISE}"
        raise UsageError(msg)
    if seen.word in _NO_ENVIRONMENT:
        msg = f"{seen.got}; expected {seen.expected}: {seen.remedy}"
        raise UsageError(msg)


def _runnable(path: str, source: str) -> Path:
    """Return a whole path, links kept; raises UsageError where no Python answers there."""
    whole = Path(os.path.abspath(path))
    if not whole.is_file():
        seen = "a folder" if whole.is_dir() else "no file"
    elif not os.access(whole, os.X_OK):
        seen = "a file that cannot be run"
    elif not _answers(whole):
        seen = "a program that is no Python 3"
    else:
        return whole
    msg = (
        f"{source} names {path!a}, which is no interpreter here ({seen}); expected a Python 3 "
        "with the project and pytest in it; a path counts from the folder you are in: "
        f"python3 -m venv .venv, {_OTHERWISE}"
    )
    raise UsageError(msg)


def _answers(python: Path) -> bool:
    """Whether it says what Python says of itself; `-V` runs no code of anybody's."""
    try:
        told = subprocess.run(
            [str(python), "-V"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
            env={},
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.returncode == 0 and told.stdout.startswith(_ANSWER)
