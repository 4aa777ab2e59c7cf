"""The demo's throw-away shop: a clone with a bare remote, and a test that is really flaky."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.formats.catalog import dump_catalog
from freezegate.formats.lock import dump_lock
from freezegate.formats.policy import dump_policy
from freezegate.model.catalog import Catalog, Property
from freezegate.model.digests import Sha256
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath
from freezegate.report.text import escaped
from freezegate.resources import shipped_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEST_ID = "tests/test_order.py::test_lines_keep_their_order"
STABLE_TEST_ID = "tests/test_order.py::test_total"
STABLE_PROPERTY = "order_total.sum"
FIXTURE = "tests/fixtures/order.json"
ORACLE = "tests/properties/test_order_props.py"
SUBJECT = "src/shop/order.py"
PROPERTY = "order_total.non_negative"
RUNS = 7  # on each side; a 50/50 test is mixed on both in 97 of 100 windows
TIMEOUT_S = 300  # the longest command, a window, needs a few seconds
_ORDER = '{"lines": [{"name": "tea", "price": 3}, {"name": "pot", "price": 20}]}\n'
_READ_ORDER = """\
import json
from pathlib import Path

from shop.order import {name}

ORDER = json.loads((Path(__file__).parent{up} / "fixtures" / "order.json").read_text())


"""
_FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    "src/shop/__init__.py": "",
    SUBJECT: """\
import random


def picked(order):
    \"\"\"Return the lines as two workers hand them in: whoever is first is first.\"\"\"
    lines = list(order["lines"])
    random.shuffle(lines)
    return lines


def total(order):
    \"\"\"Return what the customer pays.\"\"\"
    return sum(line["price"] for line in order["lines"])
""",
    "tests/test_order.py": _READ_ORDER.format(name="picked, total", up="")
    + """\
def test_lines_keep_their_order():
    assert picked(ORDER) == ORDER["lines"]


def test_total():
    assert total(ORDER) == 23
""",
    ORACLE: _READ_ORDER.format(name="total", up=".parent")
    + "def test_total_is_never_negative():\n    assert total(ORDER) >= 0\n",
    FIXTURE: _ORDER,
}


_POLICY = {
    "version": 1,
    "extends": "standard",
    "base": {"targets": ["refs/heads/main"]},
    "subject": {"paths": ["src/**"]},
    "oracle": {"paths": ["tests/properties/**/*.py"]},
    "fixtures": {"paths": ["tests/fixtures/**"]},
    "runner": {"plugins": []},
    "evidence": {"runs": RUNS},
}


def _judges() -> dict[str, bytes]:
    """What judges the shop: policy, catalogue and lock."""
    entries = [_entry(PROPERTY, TEST_ID), _entry(STABLE_PROPERTY, STABLE_TEST_ID)]
    catalog = Catalog(properties={entry.property_id: entry for entry in entries}, proposed={})
    digest = Sha256(hashlib.sha256(_ORDER.encode()).hexdigest())
    return {
        ".freeze/policy.toml": dump_policy(_POLICY),
        ".freeze/catalog.toml": dump_catalog(catalog),
        ".freeze/fixtures.sha256": dump_lock({RepoPath(FIXTURE): digest}),
    }


def _entry(property_id: str, test_id: str) -> Property:
    return Property(
        property_id=PropertyId(property_id),
        statement="The total of an order is never negative.",
        oracle=RepoPath(ORACLE),
        property_test=TestId(f"{ORACLE}::test_total_is_never_negative"),
        test=TestId(test_id),
        fixtures=(RepoPath(FIXTURE),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said: its exit status and its lines."""

    status: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shop:
    """A clone at `folder/shop` whose remote is `folder/origin.git`."""

    folder: Path

    @property
    def root(self) -> Path:
        """The work tree's top."""
        return self.folder / "shop"

    def git(self, *arguments: str) -> str:
        """Run a git command that must work, without a word; return what it printed."""
        said = run_command(["git", *arguments], self.root, git_environment(self.folder))
        if said.status:
            lines = "\n".join(said.lines)
            msg = f"git {arguments[0]} ended with {said.status}: {lines}"
            raise UsageError(msg)
        return "\n".join(said.lines)

    def show(self, *command: str) -> Said:
        """Run a command as a person types it, and print it with what it says."""
        print(f"\n    $ {shlex.join(command)}")
        said = run_command(_with_own_python(command), self.root, git_environment(self.folder))
        for line in said.lines:
            print(f"      {escaped(line)}".rstrip())
        return said

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the work tree, as an editor does, and say so."""
        target = self.root / path
        target.write_text(target.read_text().replace(old, new))
        print(f"\n    edits {path}: `{old.strip()}` becomes `{new.strip()}`")

    def append(self, path: str, text: str) -> None:
        """Append a text to a file of the work tree, and say so."""
        target = self.root / path
        target.write_text(target.read_text() + text)
        print(f"\n    adds to {path}: `{text.strip().splitlines()[0]}` ...")

    def copy_to(self, folder: Path) -> Shop:
        """Return a copy with a remote of its own."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Shop(folder)

    def at_remote(self, branch: str) -> str:
        """Return the commit that a branch of the remote is, an empty text where there is none."""
        return self.git("ls-remote", "origin", f"refs/heads/{branch}").partition("\t")[0]


def open_shop(folder: Path) -> Shop:
    """Make the shop, its main branch pushed, with freezegate's own files and hooks in place."""
    (folder / "shop").mkdir(parents=True)
    (folder / "home").mkdir()
    shop = Shop(folder)
    shop.git("init", "-q", "--bare", "-b", "main", "../origin.git")
    shop.git("init", "-q", "-b", "main")
    shop.git("remote", "add", "origin", "../origin.git")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    for path, data in ({p: t.encode() for p, t in _FILES.items()} | _judges()).items():
        target = shop.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return shop


def install_hooks(shop: Shop) -> None:
    """Let git ask freezegate: the shipped hooks, and the interpreter that runs this demo."""
    shop.show("git", "config", "core.hooksPath", shipped_path("hooks"))
    shop.show("git", "config", "freezegate.python", sys.executable)


def clean_environment(folder: Path) -> dict[str, str]:
    """Return what child processes get of the environment: no GIT_*, no CI, a home of their own."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return kept | {"HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}


def git_environment(folder: Path) -> dict[str, str]:
    """Return the environment in which git reads the shop's own configuration alone."""
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    return clean_environment(folder) | quiet


def run_command(command: Sequence[str], folder: Path, environ: dict[str, str]) -> Said:
    """Run a command to its end, both outputs as one; its whole group dies at the time limit."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        except BaseException as stop:
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
            msg = f"{shlex.join(command)} was not done after {TIMEOUT_S} s"
            raise UsageError(msg) from None
    lines = output.decode("utf-8", "surrogateescape").splitlines()
    return Said(status=process.returncode, lines=tuple(lines))


def _with_own_python(command: Sequence[str]) -> list[str]:
    """`freezegate` means the installation that runs the demo, wherever PATH leads."""
    if command[0] == "freezegate":
        return [sys.executable, "-I", "-m", "freezegate", *command[1:]]
    return list(command)
