"""A git host that reads as a story: the shop's bare remote with the shipped hooks and settings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.git.local import Said, user
from tests.support import Story, git_environment

HOOKS = Path(__file__).resolve().parents[2] / "hooks"
SETTINGS = 'version = 1\nprotected = ["refs/heads/main", "refs/heads/release/*", "refs/tags/v*"]\n'
PARENTS = (
    '[parents]\n"refs/heads/release/*" = "refs/heads/main"\n"refs/tags/*" = "refs/heads/main"\n'
)
MAIN = "refs/heads/main"
NAMES = ("pre-receive", "post-receive")
MAX_LINE_CHARS = 200
_MEASURED = """\
#!{python} -I
import json, os, sys, time
before = time.monotonic()
child = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ)
_, status, used = os.wait4(child, 0)
if "pre-receive" in sys.argv:
    with open("{note}", "w") as note:
        json.dump([time.monotonic() - before, used.ru_maxrss / 1024], note)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(frozen=True)
class Host:
    """A story's bare repository on a host, and the administrator's settings outside of it."""

    story: Story
    root: Path

    @property
    def settings(self) -> Path:
        """The administrator's file."""
        return self.story.root.parent / "host.toml"

    @property
    def log(self) -> Path:
        """The log where no setting says otherwise."""
        return self.root / "freezegate" / "log.jsonl"

    def git(self, *arguments: str, data: bytes | None = None) -> str:
        """Run git in the bare repository, as its administrator."""
        return Story(self.root).git(*arguments, data=data)

    def set(self, text: str) -> Host:
        """Write the settings, with time enough for a machine that does much else."""
        if "[limits]" not in text:
            text += "[limits]\n"
        if "wall_s" not in text:
            text = text.replace("[limits]\n", "[limits]\nwall_s = 60\ncpu_s = 30\n")
        self.settings.write_text(text)
        return self

    def refs(self) -> dict[str, str]:
        """Every ref with its id."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def push(self, *arguments: str, **environ: str) -> Said:
        """Push as a user without client hooks does."""
        return user(self.story, "-c", "core.hooksPath=/dev/null", "push", *arguments, **environ)

    def accepts(self, *arguments: str) -> str:
        """Assert that a push goes through."""
        return self.push("origin", *arguments).passed().text

    def refuses(self, *arguments: str, code: str) -> str:
        """Assert that a push is declined with a code, changes no ref, and leaves nothing behind."""
        before = self.refs(), self.objects()
        said = self.push("origin", *arguments).refused(code, "pre-receive hook declined")
        assert (self.refs(), self.objects()) == before
        for line in remote_lines(said.text):
            assert line.startswith("freezegate: "), line
            assert len(line) <= MAX_LINE_CHARS
            assert line.isascii()
            assert line.isprintable()
        return said.text

    def objects(self) -> int:
        """How many objects there are: nothing of a declined push stays."""
        return len(self.git("cat-file", "--batch-all-objects", "--batch-check").splitlines())

    def entries(self, event: str | None = None) -> list[dict[str, Any]]:
        """The log's entries, of one event where asked."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        entries = [json.loads(line) for line in lines]
        return [entry for entry in entries if event in (None, entry["event"])]

    def hook(
        self,
        *updates: tuple[str, str, str],
        name: str = "pre-receive",
        options: Sequence[str] = (),
        data: bytes | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run the verb behind a hook by hand, on lines of old value, new value and ref."""
        lines = "".join(f"{old} {new} {ref}\n" for old, new, ref in updates).encode()
        done = subprocess.run(
            [sys.executable, "-I", "-m", "freezegate", "hook", *options, name],
            cwd=self.root,
            env=git_environment() | {"GIT_DIR": "."} | dict(environ or {}),
            input=lines if data is None else data,
            capture_output=True,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def measure(self) -> Host:
        """From now on, note what each run of the hook costs: `cost` tells the last one."""
        script = self.settings.with_name("measured")
        script.write_text(_MEASURED.format(python=sys.executable, note=script.with_suffix(".json")))
        script.chmod(0o755)
        self.git("config", "freezegate.python", str(script))
        return self

    def was_measured(self) -> bool:
        """Whether any push came to the hook."""
        return self.settings.with_name("measured.json").exists()

    def cost(self) -> tuple[float, float]:
        """Seconds and MiB of the last hook, its judge included."""
        seconds, mib = json.loads(self.settings.with_name("measured.json").read_text())
        return seconds, mib


def remote_lines(text: str) -> list[str]:
    """What the host said, without git's own prefix and padding."""
    lines = (line for line in text.splitlines() if line.startswith("remote: "))
    return [line.removeprefix("remote: ").rstrip() for line in lines]


def host(story: Story, settings: str = SETTINGS) -> Host:
    """Let the story's remote ask freezegate, by this interpreter, under some settings."""
    host = Host(story, story.root.parent / "origin.git").set(settings)
    host.git("config", "core.hooksPath", str(HOOKS))
    host.git("config", "freezegate.python", sys.executable)
    host.git("config", "freezegate.hostSettings", str(host.settings))
    return host


def hand_made(story: Story, entries: Sequence[tuple[bytes, bytes, str]]) -> str:
    """Commit a tree of raw entries (mode, name, object id) on HEAD, in the order given."""
    raw = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    tree = story.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", data=raw)
    return story.git("commit-tree", "-p", "HEAD", "-m", "by hand", tree)
