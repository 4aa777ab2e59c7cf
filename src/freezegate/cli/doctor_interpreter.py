"""The interpreter that hooks start, and what in the environment lets git leave them out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from freezegate import __version__
from freezegate.cli.doctor_line import Health, Line
from freezegate.git.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_SKIPS = ("SKIP", "PREK_SKIP")


_SWITCHES = {"LEFTHOOK": ("0", "false"), "HUSKY": ("0",)}


_START_UP_S = 30  # an interpreter that takes longer would not be waited for at a commit either


def interpreter_line(session: Session, environ: Mapping[str, str]) -> Line:
    """Which Python the shipped hooks start, asked of that Python itself."""
    config = session.repository.config
    if "freezegate.python" in config:
        source, python = "freezegate.python is", str(config["freezegate.python"])
    else:
        command = shutil.which("freezegate", path=environ.get("PATH"))
        if command:
            return Line(Health.OK, f"freezegate.python is not set: hooks run {command}, from PATH")
        source, python = "freezegate.python is not set, hooks take", "python3"
    version = version_of(os.path.expanduser(python), environ)
    remedy = f"git config freezegate.python {sys.executable}"
    if version is None:
        return Line(Health.ERROR, f"{source} {python}, which has no freezegate", remedy)
    if version != __version__:
        said = f"hooks run freezegate {version} ({python}), this is {__version__}"
        return Line(Health.WARNING, said, remedy)
    return Line(Health.OK, f"hooks run freezegate {version} by {python}")


def version_of(python: str, environ: Mapping[str, str]) -> str | None:
    """Return the version that an interpreter has, None where it has none or does not start."""
    found = shutil.which(python, path=environ.get("PATH"))
    if found is None:
        return None
    try:
        done = subprocess.run(
            [found, "-I", "-c", "import freezegate; print(freezegate.__version__)"],
            capture_output=True,
            text=True,
            timeout=_START_UP_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def skip_lines(environ: Mapping[str, str]) -> Iterator[Line]:
    off = [name for name in _SKIPS if "freezegate" in environ.get(name, "")]
    off += [name for name, values in _SWITCHES.items() if environ.get(name) in values]
    if "FREEZEGATE_BASE" in environ:
        yield Line(
            Health.WARNING,
            f"FREEZEGATE_BASE={environ['FREEZEGATE_BASE']} is taken as the base of every answer",
            "unset FREEZEGATE_BASE",
        )
    for name in off:
        said = f"{name}={environ[name]} switches freezegate off under hook managers"
        yield Line(Health.WARNING, said, f"unset {name}")
    if not off:
        yield Line(Health.OK, "no SKIP, PREK_SKIP, LEFTHOOK or HUSKY switches freezegate off here")
