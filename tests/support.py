"""Repositories that read as a story, and the gate asked about them through its own command."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from freezegate.cli.verbs import run_command
from freezegate.formats.strict_json import dump_canonical
from freezegate.git.session import Session
from tests.requesting import Asked, Request, build_request

TEST_ID = "tests/test_order.py::test_total"
FIXTURE = "tests/fixtures/order.json"
ORACLE = "tests/properties/test_order_props.py"
PROPERTY = "order_total.non_negative"
ZERO = "0" * 40

POLICY = """\
version = 1
extends = "{preset}"

[base]
targets = ["refs/heads/main", "refs/heads/release/*"]

[subject]
paths = ["src/**"]

[oracle]
paths = ["tests/properties/**/*.py"]

[fixtures]
paths = ["tests/fixtures/**"]
"""
CATALOG = f"""\
[property."{PROPERTY}"]
statement = "The total of an order is never negative."
oracle = "{ORACLE}"
property_test = "{ORACLE}::test_total_is_never_negative"
test = "{TEST_ID}"
fixtures = ["{FIXTURE}"]
"""
FILES = {
    "README.md": "# shop\n",
    "src/shop/__init__.py": "",
    "src/shop/order.py": "def total(order):\n    return sum(order['lines'])\n",
    "tests/test_order.py": (
        "import json\nimport pathlib\nimport pytest\n\n"
        "ORDER = pathlib.Path(__file__).parent / 'fixtures' / 'order.json'\n\n\n"
        "def test_total():\n    assert sum(json.loads(ORDER.read_text())['lines']) == 6\n\n\n"
        "def test_other():\n    assert True\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_family(n):\n    assert n\n\n\n"
        "class TestClass:\n    def test_method(self):\n        assert True\n"
    ),
    FIXTURE: '{"lines": [1, 2, 3]}\n',
    ORACLE: "def test_total_is_never_negative():\n    assert 1 + 2 + 3 >= 0\n",
}
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}
RUNS: tuple[Mapping[str, Any], ...] = (
    {"exit_status": 0, "collected": 1, "signature": None, "started_at": "2026-01-01T00:00:00.000Z"},
    {
        "exit_status": 1,
        "collected": 1,
        "signature": "AssertionError tests/test_order.py:test_total assert total == 6",
        "started_at": "2026-01-01T00:00:01.000Z",
    },
)


@dataclass(frozen=True)
class Answer:
    """What a command said: its exit status, its verdict document, and its raw output."""

    status: int
    document: dict[str, Any]
    output: str

    @property
    def verdict(self) -> str:
        """accepted, refused or undecided."""
        return str(self.document["verdict"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """All findings of all transitions."""
        return [f for t in self.document["transitions"] for f in t["findings"]]

    @property
    def errors(self) -> set[str]:
        """The codes of all errors."""
        return {f["code"] for f in self.findings if f["severity"] == "error"}

    @property
    def codes(self) -> set[str]:
        """The codes of all findings."""
        return {f["code"] for f in self.findings}

    def finding(self, code: str) -> dict[str, Any]:
        """The first finding with a code."""
        return next(f for f in self.findings if f["code"] == code)


@dataclass
class Story:
    """A repository at `root`, with a bare remote `origin` beside it where it was given one."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def git(self, *arguments: str, data: bytes | None = None, check: bool = True) -> str:
        """Run real git here and return what it printed."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=git_environment() | self.environ,
            input=data,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL if data is None else None,
        )
        if check and done.returncode:
            msg = f"git {arguments}: {done.stderr.decode(errors='replace')}"
            raise AssertionError(msg)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> Story:
        """Write a file of the work tree."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def read(self, path: str) -> bytes:
        """Read a file of the work tree."""
        return (self.root / path).read_bytes()

    def commit(self, message: str = "work", *options: str) -> str:
        """Stage everything and commit it; return the commit's id."""
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--no-verify", "-m", message, *options)
        return self.rev("HEAD")

    def rev(self, name: str) -> str:
        """Return an object's id."""
        return self.git("rev-parse", "--verify", name)

    def branch(self, name: str, start: str = "HEAD") -> Story:
        """Make a branch and stand on it."""
        self.git("checkout", "-q", "-b", name, start)
        return self

    def on(self, name: str) -> Story:
        """Stand on a branch."""
        self.git("checkout", "-q", name)
        return self

    def patch(self, text: str = "# faster\n") -> Story:
        """Change the subject and commit that."""
        path = "src/shop/order.py"
        self.write(path, self.read(path) + text.encode())
        self.commit("Make totals faster")
        return self

    def plumb(self, changes: Mapping[str | bytes, tuple[str, str] | None]) -> str:
        """Commit changes on HEAD without the work tree: path to (mode, object id), None removes."""
        lines = b"".join(
            (f"0 {ZERO}\t".encode() if new is None else f"{new[0]} {new[1]}\t".encode())
            + (path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape"))
            + b"\0"
            for path, new in changes.items()
        )
        self.git("update-index", "-z", "--index-info", data=lines)
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "plumbed")
        return self.rev("HEAD")

    def blob(self, content: str | bytes) -> str:
        """Store a blob and return its id."""
        data = content.encode() if isinstance(content, str) else content
        return self.git("hash-object", "-w", "--stdin", data=data)

    def request(
        self,
        *,
        record: Mapping[str, Any] | None = None,
        line: Mapping[str, Any] | None = None,
        drop: Sequence[str] = (),
        base: str | None = None,
        runs: Sequence[Mapping[str, Any]] = RUNS,
        **asked: Any,
    ) -> Request:
        """Build an honest request for HEAD's patch, then change single values of its parts."""
        values: dict[str, Any] = {
            "test_id": TEST_ID,
            "fixture_path": FIXTURE,
            "oracle_path": ORACLE,
            "owner": "ada",
            "expires_on": (datetime.now(UTC) + timedelta(days=7)).date(),
        }
        with standing_in(self.root, self.environ):
            session = Session.open(os.environ)
            built = build_request(session, Asked(**values | asked), runs, base=base)
        changed = dict(record or {})
        both = {key: value for key, value in changed.items() if key in built.line}
        return Request(
            record={k: v for k, v in (built.record | changed).items() if k not in drop},
            line=built.line | both | dict(line or {}),
            snapshot=built.snapshot,
        )

    def freeze(self, **changes: Any) -> Story:
        """Ask for a freeze of HEAD's patch and commit the request."""
        self.request(**changes).write(self.root)
        self.commit("Freeze a flaky test")
        return self

    def append(self, line: Mapping[str, Any] | bytes) -> Story:
        """Append a line to the ledger."""
        raw = line if isinstance(line, bytes) else dump_canonical(dict(line)) + b"\n"
        path = self.root / ".freeze" / "ledger.jsonl"
        path.write_bytes((path.read_bytes() if path.exists() else b"") + raw)
        return self

    def check(self, *arguments: str) -> Answer:
        """Ask `freezegate check --format json` and return its answer."""
        status, output = self.run("check", "--format", "json", *arguments)
        return Answer(status, json.loads(output), output)

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run a verb in this process and return its exit status and standard output."""
        out = io.StringIO()
        with standing_in(self.root, self.environ), contextlib.redirect_stdout(out):
            status = run_command(list(arguments), os.environ)
        return status, out.getvalue()


@contextlib.contextmanager
def standing_in(folder: Path, environ: Mapping[str, str]) -> Any:
    """Stand in a folder with some environment variables set, as a shell would."""
    before = dict(os.environ)
    os.environ.update(environ)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def git_environment() -> dict[str, str]:
    """Return the environment that real git runs in: no configuration but the repository's own."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return kept | _IDENTITY | {"GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent", "LC_ALL": "C"}


def start(folder: Path, *, preset: str = "basic", policy: str | None = None) -> Story:
    """Make the shop: a clone whose `main` is pushed to a bare remote, with a policy of its own."""
    remote = folder / "origin.git"
    root = folder / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
    _git(folder, "clone", "-q", str(remote), str(root))
    story = Story(root)
    story.git("checkout", "-q", "-b", "main")
    for path, content in FILES.items():
        story.write(path, content)
    story.write(".freeze/policy.toml", policy or POLICY.format(preset=preset))
    story.write(".freeze/catalog.toml", CATALOG)
    story.write(".freeze/fixtures.sha256", lock_line(FIXTURE, FILES[FIXTURE]))
    story.commit("Start the shop")
    story.git("push", "-q", "-u", "origin", "main")
    story.git("remote", "set-head", "origin", "main")
    return story


def plain_repository(folder: Path) -> Story:
    """Make a repository without remote and without commits."""
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "-q", "-b", "main", ".")
    return Story(folder)


def copy_of(story: Story, folder: Path) -> Story:
    """Copy a story with its remote, which is much faster than telling it again."""
    source = story.root.parent
    shutil.copytree(source, folder, symlinks=True)
    copied = Story(folder / story.root.name)
    copied.git("remote", "set-url", "origin", str(folder / "origin.git"))
    return copied


def lock_line(path: str, content: str | bytes) -> str:
    """Return a line of the lock."""
    data = content.encode() if isinstance(content, str) else content
    return f"{hashlib.sha256(data).hexdigest()}  {path}\n"


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=git_environment(), check=True)
