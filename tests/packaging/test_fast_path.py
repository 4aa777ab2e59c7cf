"""What the gate's fast path loads beyond pygit2, which is paid at every commit."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.git.hosting import MAIN, host
from tests.support import ZERO, Story, git_environment

# What `import pygit2` has not loaded already (the same on Python 3.11 to 3.13).
ALLOWED = frozenset(
    {
        "_datetime",
        "_locale",  # argparse, gettext
        "argparse",
        "datetime",
        "gettext",
        "locale",
        "tomllib",
        "tomllib._parser",
        "tomllib._re",
        "tomllib._types",
        "unicodedata",
    }
)
# Named so that a message says which of them came in: each costs more than our own start.
HEAVY = frozenset(
    {
        "ast",
        "asyncio",
        "blake3",
        "concurrent",
        "difflib",
        "email",
        "hashlib",
        "hypothesis",
        "importlib.metadata",
        "json",
        "jsonschema",
        "logging",
        "multiprocessing",
        "pathspec",
        "pytest",
        "rfc8785",
        "rich",
        "subprocess",
        "tempfile",
        "tomli_w",
        "traceback",
        "unittest",
        "urllib",
        "freezegate.cli.demo",
        "freezegate.cli.explain",
        "freezegate.formats.evidence",
        "freezegate.formats.ledger",
        "freezegate.formats.record",
        "freezegate.formats.strict_json",
        "freezegate.model.ledger",
        "freezegate.policy.lifetimes",
        "freezegate.report.document",
    }
)
PROGRAM = """\
import os, sys
import pygit2
before = set(sys.modules)
from freezegate.cli.verbs import run_command
sys.stdout = sys.stderr
status = run_command(sys.argv[1:], os.environ)
names = sorted(set(sys.modules) - before)
import json
print(json.dumps({"status": status, "names": names}), file=sys.__stdout__)
"""


def loaded(story: Story, data: str, *arguments: str) -> set[str]:
    """Run a verb in a fresh interpreter that has pygit2 already; return what it loads besides."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, *arguments],
        cwd=story.root,
        env=git_environment(),
        input=data,
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert answer["status"] == 0, done.stderr
    return set(answer["names"])


@pytest.fixture
def one_line(shop: Story) -> Story:
    """The shop with a one-line change, staged."""
    shop.write("README.md", "# Shop\n").git("add", "-A")
    return shop


def heavy(names: set[str]) -> set[str]:
    """The modules among some that cost too much."""
    return {name for name in names if name in HEAVY or name.partition(".")[0] in HEAVY}


def foreign(names: set[str]) -> set[str]:
    """The modules among some that are not our own."""
    return {name for name in names if name.partition(".")[0] != "freezegate"}


@pytest.mark.parametrize("arguments", [("check", "--staged"), ("hook", "pre-commit")])
def test_a_staged_line(one_line: Story, arguments: tuple[str, ...]) -> None:
    names = loaded(one_line, "", *arguments)
    assert heavy(names) == set()
    assert foreign(names) == ALLOWED


def test_a_staged_line_of_production_code(shop: Story) -> None:
    """The tests that call it are looked at, so mutes are read."""
    shop.patch().git("reset", "-q", "--soft", "HEAD~1")
    names = loaded(shop, "", "check", "--staged")
    assert heavy(names) == set()
    assert foreign(names) <= ALLOWED | {"gc", "shlex"}


def test_a_pushed_line(one_line: Story) -> None:
    one_line.git("commit", "-q", "-m", "Say more")
    line = f"refs/heads/topic {one_line.rev('HEAD')} refs/heads/topic {ZERO}\n"
    names = loaded(one_line, line, "hook", "pre-push", "origin", "URL")
    assert heavy(names) == set()
    assert foreign(names) == ALLOWED


def test_help_needs_no_git() -> None:
    program = (
        "import sys\nfrom freezegate.cli.verbs import run_command\nrun_command(['--help'], {})\n"
        "assert not {'pygit2', 'freezegate.cli.check'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True)


def test_the_supervisor_of_a_push_loads_no_git_library(shop: Story) -> None:
    hosted = host(shop.patch())
    shop.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    program = (
        "import os, sys\nfrom freezegate.cli.verbs import run_command\n"
        "assert run_command(['hook', 'pre-receive'], os.environ) == 0\n"
        f"heavy = {sorted(HEAVY | {'pygit2'})}\n"
        "assert not set(heavy) & {name.partition('.')[0] for name in sys.modules}, sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=hosted.root,
        env=git_environment(),
        input=f"{hosted.refs()[MAIN]} {shop.rev('HEAD')} {MAIN}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
