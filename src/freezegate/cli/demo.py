"""`freezegate demo`: the whole story on a throw-away repository."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.cli.demo_steps import Result, tell_story
from freezegate.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

SUMMARY = "show the whole story on a throw-away repository"
EXAMPLES = """\
examples:
  freezegate demo           real commits, real pushes to a bare remote, real pytest runs
  freezegate demo --keep    keep the repositories, to look around in them

exit status: 0 all as promised, 1 something was judged otherwise, 2 the demo could not run
"""
_CLOSING = """
Client hooks can be passed by (git push --no-verify). In CI, `freezegate check --base REV` gives
the same answers where nobody can."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--keep", action="store_true", help="keep the repositories and say where")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:  # noqa: ARG001
    """Tell the story, print what came out, return the exit status."""
    _need_tools()
    with _workplace(keep=options.keep) as folder:
        results = tuple(tell_story(folder))
    _print_table(results)
    print(_CLOSING)
    return 0 if all(result.as_expected for result in results) else 1


def _need_tools() -> None:
    if shutil.which("git") is None:
        msg = "git is missing; install it: apt-get install git"
        raise UsageError(msg)
    if importlib.util.find_spec("pytest") is None:
        msg = f"no pytest for {sys.executable}; install it: {sys.executable} -m pip install pytest"
        raise UsageError(msg)


@contextmanager
def _workplace(*, keep: bool) -> Iterator[Path]:
    """A temporary folder, removed at the end however that comes, unless it is to be kept."""
    folder = Path(tempfile.mkdtemp(prefix="freezegate-demo-")).resolve()
    try:
        yield folder
    finally:
        if keep:
            print(f"\nkept: {folder}")
        else:
            shutil.rmtree(folder)


def _print_table(results: Sequence[Result]) -> None:
    head = ("step", "expected", "got", "")
    rows = [(r.step, r.expected, r.got, "ok" if r.as_expected else "WRONG") for r in results]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    print()
    for row in (head, tuple("-" * width for width in widths), *rows):
        print(
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        )
