"""A scratch clone in which the hooks as installed must refuse a bad patch and pass a good one."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.repository import common_dir

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from freezegate.git.session import Session

TIMEOUT_S = 120  # a hook manager may build its environment at the first run
_REFUSALS = ("refused", "undecided")


class Proof(NamedTuple):
    """What was tried, and whether the hooks did what they must."""

    holds: bool
    said: str


class Canary:
    """A clone below the git directory with a bare remote beside it; both are removed at the end."""

    def __init__(self, session: Session, hooks: Path, environ: Mapping[str, str]) -> None:
        """Clone the repository of a session; git runs the hooks of the folder `hooks`."""
        self._session = session
        self._hooks = hooks
        kept = {k: v for k, v in environ.items() if not k.startswith(("GIT_", "FREEZEGATE_"))}
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "canary"), ("EMAIL", "canary@localhost"))
        }
        self._environ = kept | identity
        self._folder = Path()

    def __enter__(self) -> Canary:
        """Make the clone."""
        own = Path(common_dir(self._session.repository)) / "freezegate"
        own.mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="canary-", dir=own))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove everything."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def prove(self) -> Iterator[Proof]:
        """Try a bad commit, a bad push and an honest push, and say what the hooks did."""
        if not self._make_clone():
            yield Proof(holds=False, said="the scratch clone could not be made (an empty branch?)")
            return
        self._write(".freeze/record.json", "{}\n")
        yield self._proof("a bad commit", "pre-commit", "commit", "-q", "-m", "bad")
        self._git("commit", "-q", "--no-verify", "-m", "bad")
        yield self._proof(
            "a bad push", "pre-push", "push", "-q", "origin", "HEAD:refs/heads/canary"
        )
        self._git("reset", "-q", "--hard", "HEAD~1")
        self._write("freezegate-canary.txt", "an honest line\n")
        done = self._git("commit", "-q", "-m", "honest")
        push = self._git("push", "-q", "origin", "HEAD:refs/heads/canary")
        passed = done.returncode == 0 and push.returncode == 0
        said = "was let through" if passed else f"was stopped: {_last(done) or _last(push)}"
        yield Proof(holds=passed, said=f"an honest commit and push {said}")

    def _make_clone(self) -> bool:
        source = str(self._session.repository.workdir)
        remote = str(self._folder / "remote.git")
        clone = self._git("clone", "-q", "--shared", source, "clone", folder=self._folder)
        bare = self._git("clone", "-q", "--bare", "--shared", source, remote, folder=self._folder)
        if clone.returncode or bare.returncode or not (self._clone / ".git").exists():
            return False
        self._git("remote", "set-url", "origin", remote)
        self._git("checkout", "-q", "-b", "freezegate-canary")
        self._git("config", "core.hooksPath", str(self._hooks))
        config = self._session.repository.config
        if "freezegate.python" in config:
            self._git("config", "freezegate.python", str(config["freezegate.python"]))
        return self._git("rev-parse", "-q", "--verify", "HEAD").returncode == 0

    def _proof(self, what: str, hook: str, *command: str) -> Proof:
        done = self._git(*command)
        heard = done.stdout + done.stderr
        ours = any(f"freezegate: {word}" in heard for word in _REFUSALS)
        if done.returncode and ours:
            return Proof(holds=True, said=f"{what} was refused by {hook}, by freezegate")
        if done.returncode:
            return Proof(
                holds=False, said=f"{what} was stopped, but not by freezegate: {_last(done)}"
            )
        return Proof(holds=False, said=f"{what} went through: {hook} does not ask freezegate")

    @property
    def _clone(self) -> Path:
        return self._folder / "clone"

    def _write(self, path: str, text: str) -> None:
        target = self._clone / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        self._git("add", "-f", path)

    def _git(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                ["git", *arguments],  # noqa: S607 - the git that the user runs, too
                cwd=folder or self._clone,
                env=self._environ,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return subprocess.CompletedProcess(arguments, 127, "", str(error))


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stdout + done.stderr).strip().splitlines()
    return ascii(lines[-1])[1:-1] if lines and done.returncode else ""
