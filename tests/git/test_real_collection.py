"""The static collector against pytest itself, on published suites, in both directions."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.collecting import Collector
from freezegate.policy.mutes.modules import Side
from freezegate.policy.mutes.names import Names
from tests.git.published import fetched, unpacked
from tests.unit.policy.mutes.sides import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

# unittest's classes; functions, rows and a conftest; tests inside of the package; `runTest`.
PINS = {
    "more-itertools==10.7.0": "9fddd5403be01a94b204faadcff459ec3568cf110265d3c54323e1e866ad29d3",
    "pluggy==1.6.0": "7dcc130b76258d33b90f61b658791dede3486c3e6bfb003ee5c9bfb396dd22f3",
    "toolz==1.0.0": "2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02",
    "idna==3.10": "12f65c9b470abda6dc35cf8e63cc574b1c52b11df2c86030af0ac09b01b13ea9",
}


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published sources."""
    top = tmp_path_factory.getbasetemp()
    folder = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "suites"
    return fetched(folder, PINS)


def really(root: Path) -> list[str]:
    """The node ids that pytest collects, without parameters."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--rootdir=.", "-o", "pythonpath=. src"],
        cwd=root,
        env={"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ids = (line.partition("[")[0] for line in done.stdout.splitlines() if ".py::" in line)
    return sorted(set(ids))


def statically(root: Path) -> list[str]:
    """The node ids that the collector finds, none of them unsure."""
    every = (path for path in root.rglob("*") if path.is_file())
    tree = MemoryTree({path.relative_to(root).as_posix(): path.read_bytes() for path in every})
    side = Side(tree, {})
    names = Names(side)
    collector = Collector(side, names, Classes(side, names))
    modules = [path for path, _ in tree.files("") if path.endswith(".py")]
    collected = [path for path in modules if collector.why_not(path) is None]
    return sorted(f"{p}::{t.name}" for p in collected for t in collector.tests(p).values())


@pytest.mark.parametrize("requirement", PINS)
def test_it_collects_what_pytest_does(requirement: str, sources: Path, tmp_path: Path) -> None:
    root = unpacked(sources, requirement, tmp_path / "unpacked")
    assert statically(root) == really(root)
