"""What the tests of `freezegate witness` share: a shop with a flake of a chosen kind."""

from __future__ import annotations

import contextlib
import io
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from freezegate.cli.verbs import run_command
from tests.git.turns import lay_out
from tests.support import ORACLE, PROPERTY, Story, standing_in, start

POLICY = """\
version = 1
extends = "standard"

[base]
targets = ["refs/heads/main"]

[subject]
paths = ["src/**"]

[oracle]
paths = ["tests/properties/**/*.py"]

[fixtures]
paths = ["tests/fixtures/**"]

[runner]
plugins = []

[evidence]
runs = {runs}
timeout_s = 30
"""
READ = (
    "import json\nimport pathlib\n\n"
    "ORDER = pathlib.Path(__file__).parent / 'fixtures' / 'order.json'\n\n\n"
)
ORACLE_TEXT = (
    "import json\nimport pathlib\n\n\n"
    "def test_total_is_never_negative():\n"
    "    order = pathlib.Path(__file__).parents[1] / 'fixtures' / 'order.json'\n"
    "    assert sum(json.loads(order.read_text())['lines']) >= 0\n"
)

# What the test does in each of its runs, in their order: base and candidate in turn.
_BODY = """\
def test_total():
    value = sum(json.loads(ORDER.read_text())['lines'])
    with open({turns!r}, 'rb', buffering=0) as turns:
        what = turns.read(1).decode()
    if what == 'k':
        raise KeyError('another way to fail')
    if what == 's':
        pytest.skip('not today')
    if what == 'w':
        ORDER.write_text('{{}}')
    if what == 'z':
        time.sleep(600)
    assert what != 'f', 'now and then'
    assert value == 6
"""


@dataclass(frozen=True)
class Said:
    """What witness said: exit status, its document, and both outputs."""

    status: int
    document: dict[str, Any]
    out: str
    err: str

    @property
    def verdict(self) -> str:
        """accepted, refused or undecided."""
        assert isinstance(self.document["verdict"], dict), self.out + self.err
        return str(self.document["verdict"]["verdict"])

    @property
    def undecided(self) -> str:
        """The code of the only finding, where there is no answer but a verdict that says so."""
        assert self.document["schema"] == "freezegate/verdict/v1"
        assert self.document["verdict"] == "undecided"
        ((only,),) = (each["findings"] for each in self.document["transitions"])
        return str(only["code"])

    @property
    def codes(self) -> set[str]:
        """The codes of all errors."""
        found = self.document["verdict"]["transitions"][0]["findings"]
        return {each["code"] for each in found if each["severity"] == "error"}

    @property
    def finding(self) -> dict[str, Any]:
        """The first finding."""
        found: dict[str, Any] = self.document["verdict"]["transitions"][0]["findings"][0]
        return found

    @property
    def window(self) -> dict[str, Any]:
        """The only window."""
        (only,) = self.document["windows"]
        return dict(only)

    @property
    def runs(self) -> int:
        """How many runs were told of."""
        return self.err.count("freezegate: run ")


def flake(turns: Path, pattern: str) -> str:
    """A test module that does in its n-th run what the n-th letter of a pattern says.

    p passes, f fails, k fails in another way, s skips, w rewrites the fixture, z sleeps.
    """
    head = READ.replace("import pathlib\n", "import pathlib\nimport time\n\nimport pytest\n")
    return head + _BODY.format(turns=str(lay_out(turns, pattern)))


def flaky_shop(
    folder: Path,
    pattern: str = "ppff",
    *,
    runs: int = 2,
    policy: str = "",
    files: dict[str, str] | None = None,
) -> Story:
    """A shop whose test wavers as the pattern says, on a branch with one patch."""
    story = start(folder, policy=POLICY.format(runs=runs) + policy)
    story.write("tests/test_order.py", flake(turns_of(folder), pattern))
    story.write(ORACLE, ORACLE_TEXT)
    for path, content in (files or {}).items():
        story.write(path, content)
    story.commit("Let it waver")
    story.git("push", "-q", "origin", "main")
    return story.branch("topic").patch()


def turns_of(folder: Path) -> Path:
    """The pipe of a shop: beside it, where no copy of the shop meets it."""
    return folder.with_name(f"{folder.name}.turns")


def last_day(days: int = 7) -> str:
    """A date that lies so many days ahead."""
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


def terms(days: int = 7) -> tuple[str, ...]:
    """Owner and end as options."""
    return ("--owner", "ada", "--expires-on", last_day(days))


def witness(story: Story, *arguments: str) -> Said:
    """Ask `freezegate witness --format json` and return what it said."""
    out, err = io.StringIO(), io.StringIO()
    with (
        standing_in(story.root, story.environ),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = run_command(["witness", "--format", "json", *arguments], os.environ)
    text = out.getvalue()
    return Said(status, json.loads(text) if text else {}, text, err.getvalue())


def asked(story: Story, *arguments: str) -> Said:
    """Ask for a freeze of the property, with owner and end."""
    return witness(story, "--property", PROPERTY, *terms(), *arguments)


def leftovers(folder: Path) -> list[str]:
    """What witness left in a folder for temporary files."""
    return sorted(path.name for path in folder.iterdir())
