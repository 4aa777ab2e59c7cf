"""A scratch clone in which the hooks as installed must refuse a bad patch and pass a good one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
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
REFUSALS = ("freezegate: refused", "freezegate: undecided")
_ASK = "freezegate install, then doctor again"
MAX_HEARD_BYTES = 1024 * 1024
# What a user's own configuration would add to a commit, a push or a checkout.
PLAIN_SETTINGS = (
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "gc.auto=0",
    "advice.detachedHead=false",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "protocol.file.allow=always",
)


class Proof(NamedTuple):
    """What was tried, whether the hooks did what they must, and what to do where they did not."""

    holds: bool
    said: str
    remedy: str = _ASK


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
        self._environ = kept | identity | {"GIT_LFS_SKIP_SMUDGE": "1", "GIT_TERMINAL_PROMPT": "0"}
        self._own = Path(common_dir(session.repository)) / "freezegate"
        self._folder = Path()

    def __enter__(self) -> Canary:
        """Make the folder."""
        self._own.mkdir(exist_ok=True)
        for left in self._own.glob("canary-*"):  # of a doctor that was killed
            shutil.rmtree(left, ignore_errors=True)
        self._folder = Path(tempfile.mkdtemp(prefix="canary-", dir=self._own))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove everything, the folder above too unless `install` keeps its journal there."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._own.rmdir()

    def prove(self) -> Iterator[Proof]:
        """Try a bad commit, a bad push and an honest push, and say what the hooks did."""
        stopped = self._make_clone()
        if stopped is not None:
            said = f"the scratch clone could not be made, so nothing is proved: {told(stopped)}"
            yield Proof(holds=False, said=said, remedy="git fsck")
            return
        self._write(".freeze/record.json", "{}\n")
        commit = self._refusal("a bad commit", "pre-commit", "commit", "-q", "-m", "bad")
        yield commit
        self._unasked("commit", "-q", "--allow-empty", "-m", "bad")
        push = self._refusal("a bad push", "pre-push", *_push("bad"))
        yield push
        self._unasked("reset", "-q", "--hard", "freezegate-start")
        yield self._passage(asked=commit.holds and push.holds)

    def _passage(self, *, asked: bool) -> Proof:
        """A hook that refuses everything would look like a good one without this."""
        self._write("freezegate-canary.txt", "an honest line\n")
        for what, command in (
            ("commit", ("commit", "-q", "-m", "honest")),
            ("push", _push("honest")),
        ):
            done = self._git(*command)
            if done.returncode:
                others = asked and not any(word in done.stdout for word in REFUSALS)
                by = " by another hook, so that freezegate passes it is not proved" * others
                said = f"an honest {what} was stopped{by}: {told(done)}"
                return Proof(others, said, "read what stopped it: freezegate check")
        return Proof(holds=True, said="an honest commit and push were let through")

    def _refusal(self, what: str, hook: str, *command: str) -> Proof:
        done = self._git(*command)
        if not done.returncode:
            return Proof(holds=False, said=f"{what} went through: {hook} does not ask freezegate")
        if any(word in done.stdout + done.stderr for word in REFUSALS):
            return Proof(holds=True, said=f"{what} was refused by {hook}, by freezegate")
        return Proof(holds=False, said=f"{what} was stopped, but not by freezegate: {told(done)}")

    def _make_clone(self) -> subprocess.CompletedProcess[str] | None:
        """Return the step that failed, None where the clone stands on a commit."""
        source, remote = str(self._session.repository.workdir), str(self._folder / "remote.git")
        for clone in (("clone",), ("--bare", "remote.git")):
            done = self._unasked("clone", "-q", "--shared", source, *clone, folder=self._folder)
            if done.returncode:
                return done
        for step in self._preparations(remote):
            done = self._unasked(*step)
            if done.returncode:
                return done
        # The search for a target is not what is tried here, and a clone's refs are others.
        start = self._unasked("rev-parse", "freezegate-start").stdout.strip()
        self._environ["FREEZEGATE_BASE"] = start
        return None

    def _preparations(self, remote: str) -> Iterator[tuple[str, ...]]:
        yield "remote", "set-url", "origin", remote
        yield "checkout", "-q", "-B", "freezegate-canary"
        if self._session.repository.head_is_unborn:
            yield "commit", "-q", "--allow-empty", "-m", "start"
        yield "tag", "freezegate-start"
        yield "config", "core.hooksPath", str(self._hooks.absolute())
        config = self._session.repository.config
        if "freezegate.python" in config:
            yield "config", "freezegate.python", str(config["freezegate.python"])

    @property
    def _clone(self) -> Path:
        return self._folder / "clone"

    def _write(self, path: str, text: str) -> None:
        target = self._clone / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        self._git("add", "-f", path)

    def _unasked(
        self, *arguments: str, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run git without any hook: post-checkout and its like are nobody's business here."""
        return self._git("-c", "core.hooksPath=/dev/null", *arguments, folder=folder)

    def _git(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        settings = [word for setting in PLAIN_SETTINGS for word in ("-c", setting)]
        command = ["git", *settings, *arguments]
        try:
            return run_alone(command, folder or self._clone, self._environ)
        except OSError as error:
            return subprocess.CompletedProcess(command, 127, "", str(error))


def _push(name: str) -> tuple[str, ...]:
    """Each push makes a ref of its own, so that none is stopped by what another left."""
    return "push", "-q", "origin", f"HEAD:refs/heads/freezegate-canary-{name}"


def run_alone(
    command: list[str], folder: Path, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a session of its own, so that a hook that hangs ends with it.

    It writes to a file: a daemon that a hook leaves behind would hold a pipe open for ever.
    """
    with tempfile.TemporaryFile() as heard:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=heard,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return subprocess.CompletedProcess(command, 124, "", f"no end after {TIMEOUT_S} s")
        heard.seek(0)
        said = heard.read(MAX_HEARD_BYTES).decode("utf-8", "replace")
    return subprocess.CompletedProcess(command, status, said, "")


def told(done: subprocess.CompletedProcess[str]) -> str:
    """Return the line that tells most: freezegate's own first line, else the last of all."""
    lines = (done.stdout + done.stderr).strip().splitlines() or [f"status {done.returncode}"]
    ours = [line for line in lines if line.startswith(REFUSALS)]
    return ascii((ours or lines[-1:])[0])[1:-1]
