"""A scratch repository with a host's hooks and settings, which must decline a bad push."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.cli.canary import PLAIN_SETTINGS, REFUSALS, Proof, run_alone, told
from freezegate.formats.strict_toml import load_toml
from freezegate.hooks.host_place import SETTINGS_KEY

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from freezegate.hooks.host_place import HostPlace

# They may need what only the host sets (gitolite's `update`); none lets in what ours declines.
_NOT_ASKED = ("update", "post-update", "reference-transaction", "proc-receive", "push-to-checkout")
_ASK = "look at hooks/pre-receive: executable, run by git, its exit status the hook's own"


class HostCanary:
    """An empty bare repository and a clone of it below a temporary folder, removed at the end.

    Hooks are links to the host's own files, settings a copy under which the scratch repository
    has the log.
    """

    def __init__(
        self, place: HostPlace, hooks: Path, config: str, environ: Mapping[str, str]
    ) -> None:
        """Take over the folder of hooks and the lines of git's configuration that are ours."""
        self._place = place
        self._hooks = hooks
        self._config = config
        kept = {k: v for k, v in environ.items() if not k.startswith(("GIT_", "FREEZEGATE_"))}
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "canary"), ("EMAIL", "canary@localhost"))
        }
        self._environ = kept | identity
        self._folder = Path()

    def __enter__(self) -> HostCanary:
        """Make the folder."""
        self._folder = Path(tempfile.mkdtemp(prefix="freezegate-canary-"))
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
        """Push honest work, a bad patch and a deletion, and say what the host did."""
        stopped = self._make_host()
        if stopped is not None:
            said = f"the scratch host could not be made, so nothing is proved: {told(stopped)}"
            yield Proof(holds=False, said=said)
            return
        ref = self._protected_ref()
        yield self._passage("a first honest push", "first", f"HEAD:{ref}")
        self._commit(".freeze/record.json", "{}\n")
        yield self._refusal("a bad push", f"HEAD:{ref}")
        self._git("reset", "-q", "--hard", "HEAD~1")
        yield self._refusal("the deletion of a protected ref", f":{ref}")
        yield self._passage("another honest push", "second", f"HEAD:{ref}")

    def _make_host(self) -> subprocess.CompletedProcess[str] | None:
        """Return the step that failed, None where both repositories stand."""
        self._folder.joinpath("host.toml").write_bytes(self._settings())
        steps = [
            ("init", "-q", "--bare", "--template=", "host.git"),
            ("init", "-q", "clone"),
            ("-C", "clone", "remote", "add", "origin", "../host.git"),
            ("-C", "host.git", "config", "receive.denyDeletes", "false"),
            ("-C", "host.git", "config", "receive.denyDeleteCurrent", "ignore"),
        ]
        for line in self._config.splitlines():
            key, _, value = line.partition(" ")
            steps.append(("-C", "host.git", "config", key, value))
        settings = str(self._folder / "host.toml")
        steps.append(("-C", "host.git", "config", SETTINGS_KEY, settings))
        for step in steps:
            done = self._git(*step, folder=self._folder)
            if done.returncode:
                return done
        return self._link_hooks()

    def _link_hooks(self) -> subprocess.CompletedProcess[str] | None:
        """Let git start the hooks by the path, and beside the files, by which the host has them."""
        scratch = self._folder / "host.git" / "hooks"
        scratch.mkdir()
        for each in self._hooks.iterdir() if self._hooks.is_dir() else ():
            if each.name not in _NOT_ASKED:
                scratch.joinpath(each.name).symlink_to(each)
        if self._hooks.parent == Path(self._place.repository):
            return None
        step = ("-C", "host.git", "config", "core.hooksPath", str(scratch))
        done = self._git(*step, folder=self._folder)
        return done if done.returncode else None

    def _settings(self) -> bytes:
        """The host's settings without what does not stand here: parents, and the log's folder."""
        import tomli_w

        tables = load_toml(Path(self._place.settings_path).read_bytes())
        kept = {key: item for key, item in tables.items() if key not in ("parents", "log")}
        return tomli_w.dumps(kept).encode()

    def _protected_ref(self) -> str:
        return self._place.settings.protected[0].replace("**", "*").replace("*", "canary")

    def _passage(self, what: str, text: str, refspec: str) -> Proof:
        """A hook that declines everything would look like a good one without this."""
        self._commit("freezegate-canary.txt", f"{text}\n")
        done = self._git("push", "-q", "origin", refspec)
        if done.returncode:
            return Proof(
                holds=False,
                said=f"{what} was declined: {told(done)}",
                remedy="read what stopped it",
            )
        return Proof(holds=True, said=f"{what} went in")

    def _refusal(self, what: str, refspec: str) -> Proof:
        done = self._git("push", "-q", "origin", refspec)
        if not done.returncode:
            said = f"{what} WENT IN: this host does not ask freezegate, or loses its answer"
            return Proof(holds=False, said=said, remedy=_ASK)
        if any(word in done.stdout for word in REFUSALS):
            return Proof(holds=True, said=f"{what} was declined, by freezegate")
        return Proof(
            holds=False,
            said=f"{what} was stopped, but not by freezegate: {told(done)}",
            remedy=_ASK,
        )

    def _commit(self, path: str, text: str) -> None:
        target = self._folder / "clone" / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        self._git("add", "-f", path)
        self._git("commit", "-q", "-m", "canary")

    def _git(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        settings = [word for setting in PLAIN_SETTINGS for word in ("-c", setting)]
        unasked = ["-c", "core.hooksPath=/dev/null"] if arguments[0] in ("commit", "push") else []
        command = ["git", *settings, *unasked, *arguments]
        return run_alone(command, folder or self._folder / "clone", self._environ)
