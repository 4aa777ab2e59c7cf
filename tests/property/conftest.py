"""Hypothesis keeps its tables in a folder that goes away, never in the checkout."""

from __future__ import annotations

import shutil
import tempfile

from hypothesis.configuration import set_hypothesis_home_dir

_HOME = tempfile.mkdtemp(prefix="hypothesis-")
set_hypothesis_home_dir(_HOME)


def pytest_unconfigure() -> None:
    """Remove the folder when the last test has run."""
    shutil.rmtree(_HOME, ignore_errors=True)
