"""With what the runs are made: interpreter, plugins and options, each with its source."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.git.repository import common_dir
from freezegate.git.work_tree import work_trees
from freezegate.witness.window_run import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.git.session import Session
    from freezegate.policy.domain.config import Config
    from freezegate.policy.settings import Policy


def find_runner(
    session: Session,
    policy: Policy,
    config: Config,
    option: str | None,
    environ: Mapping[str, str],
) -> Runner:
    """Return what every run has in common; raises UsageError where no interpreter is found."""
    return Runner(
        python=find_python(option, environ),
        pythonpath=policy.runner.pythonpath,
        plugins=policy.runner.plugins,
        keep_options=keep_options(config),
        forbidden_roots=(*work_trees(session), Path(common_dir(session.repository))),
    )


def find_python(option: str | None, environ: Mapping[str, str]) -> Path:
    """Return the interpreter of --python, of the active virtual environment, or our own.

    Links stay as they are: a virtual environment is known by the link in it.
    """
    own_environment = environ.get("VIRTUAL_ENV")
    if option is not None:
        found = option if "/" in option else shutil.which(option, path=environ.get("PATH"))
        return _runnable(found or option, "--python")
    if own_environment:
        return _runnable(os.path.join(own_environment, "bin", "python"), "VIRTUAL_ENV")
    return Path(sys.executable)


def keep_options(config: Config) -> tuple[str, ...]:
    """Return the options of `addopts` that decide what is imported: all others are left out."""
    plugins = tuple(part for name in config.plugins for part in ("-p", name))
    mode = config.import_mode
    return plugins if mode == "prepend" else (*plugins, f"--import-mode={mode}")


def _runnable(path: str, source: str) -> Path:
    whole = Path(os.path.abspath(path))
    if not (whole.is_file() and os.access(whole, os.X_OK)):
        msg = (
            f"{source} names {path!a}, which is no interpreter here; expected the project's own "
            "with pytest: freezegate witness --python .venv/bin/python ..."
        )
        raise UsageError(msg)
    return whole
