"""gitolite3 over real ssh: an sshd and a home of its own, set up as its documentation says."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.git.hosting import HOOKS, NAMES
from tests.hosts.servers import LOOPBACK, free_port, program, running
from tests.hosts.settings import SETTINGS
from tests.support import Story, git_environment

_SSHD = """\
ListenAddress {address}:{port}
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {home}/.ssh/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AcceptEnv GIT_PROTOCOL
SetEnv HOME={home} PATH={path}
"""
# Wild repositories come into being at the first push; `hooked` has hooks of its own alone.
_CONF = """\
repo gitolite-admin
    RW+ = admin

repo test-..*
    C   = ada
    RW+ = ada
"""
_OF_HOOKED = """\

repo hooked
    RW+ = ada
    option hook.pre-receive = freezegate-pre-receive
    option hook.post-receive = freezegate-post-receive
"""
_PRIVILEGE_SEPARATION = Path("/run/sshd")  # sshd(8): it must be there where root starts sshd


@dataclass(frozen=True)
class Gitolite:
    """A running gitolite: where its home lies, and how a client comes to it."""

    folder: Path
    port: int

    @property
    def home(self) -> Path:
        """The home folder of the user who receives pushes."""
        return self.folder / "home"

    def url(self, repository: str) -> str:
        """Return what a client names a repository."""
        name = pwd.getpwuid(os.getuid()).pw_name
        return f"ssh://{name}@{LOOPBACK}:{self.port}/{repository}"

    def bare(self, repository: str) -> Path:
        """Return where gitolite keeps a repository."""
        return self.home / "repositories" / f"{repository}.git"

    def environ(self, user: str) -> dict[str, str]:
        """Return what a client's git needs: a key, and a host key that it knows."""
        ssh = (
            f"{program('ssh')} -F /dev/null -i {self.folder / user} -o IdentitiesOnly=yes"
            f" -o BatchMode=yes -o UserKnownHostsFile={self.folder / 'known_hosts'}"
        )
        return {"GIT_SSH_COMMAND": ssh}

    def as_host(self) -> dict[str, str]:
        """Return the environment of the user who receives pushes."""
        return git_environment() | {"HOME": str(self.home)}

    def run(self, *arguments: str) -> None:
        """Run a command as the user who receives pushes."""
        subprocess.run(arguments, env=self.as_host(), cwd=self.home, check=True)


@contextlib.contextmanager
def gitolite_host(folder: Path, *, only_hooked: bool = False) -> Iterator[Gitolite]:
    """Run a gitolite whose every repository asks freezegate, or only the one named `hooked`."""
    host = Gitolite(folder, free_port())
    host.home.mkdir()
    _make_keys(host)
    _configure(host, only_hooked=only_hooked)
    with _sshd(host):
        _let_ada_in(host, _CONF + _OF_HOOKED if only_hooked else _CONF)
        yield host


def _make_keys(host: Gitolite) -> None:
    keygen = program("ssh-keygen")
    for name in ("host_key", "admin", "ada"):
        path = str(host.folder / name)
        subprocess.run(
            [keygen, "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], check=True
        )
    public = host.folder.joinpath("host_key.pub").read_text()
    host.folder.joinpath("known_hosts").write_text(f"[{LOOPBACK}]:{host.port} {public}")


def _configure(host: Gitolite, *, only_hooked: bool) -> None:
    """Do what docs/hosts/gitolite.md says, step by step."""
    gitolite = program("gitolite")
    host.run(gitolite, "setup", "-pk", str(host.folder / "admin.pub"))
    settings = host.folder / "host.toml"
    settings.write_text(SETTINGS)
    place = host.home / "local" / "hooks" / ("repo-specific" if only_hooked else "common")
    place.mkdir(parents=True)
    for name in NAMES:
        shutil.copy(HOOKS / name, place / (f"freezegate-{name}" if only_hooked else name))
    host.run("git", "config", "--global", "freezegate.python", sys.executable)
    host.run("git", "config", "--global", "freezegate.hostSettings", str(settings))
    _uncomment(host.home / ".gitolite.rc", 'LOCAL_CODE                =>  "$ENV{HOME}/local",')
    if only_hooked:
        _uncomment(host.home / ".gitolite.rc", "'repo-specific-hooks',")
    host.run(gitolite, "setup")


def _uncomment(rc: Path, line: str) -> None:
    """Take the sign of a comment from a line of gitolite's default configuration."""
    text = rc.read_text()
    assert f"# {line}" in text, f"gitolite's default .gitolite.rc has no line {line}"
    rc.write_text(text.replace(f"# {line}", line, 1))


@contextlib.contextmanager
def _sshd(host: Gitolite) -> Iterator[None]:
    configuration = host.folder / "sshd_config"
    configuration.write_text(
        _SSHD.format(
            address=LOOPBACK,
            port=host.port,
            folder=host.folder,
            home=host.home,
            path=os.environ["PATH"],
        )
    )
    command = [program("sshd"), "-D", "-e", "-f", str(configuration)]
    with (
        _privilege_separation(),
        running(command, host.port, git_environment(), host.folder / "sshd.log"),
    ):
        yield


@contextlib.contextmanager
def _privilege_separation() -> Iterator[None]:
    """Make the folder that root's sshd asks for, and take it away again."""
    if os.getuid() != 0 or _PRIVILEGE_SEPARATION.exists():
        yield
        return
    _PRIVILEGE_SEPARATION.mkdir(mode=0o755)
    try:
        yield
    finally:
        _PRIVILEGE_SEPARATION.rmdir()


def _let_ada_in(host: Gitolite, conf: str) -> None:
    """Push ada's key and her rights into gitolite's own repository, as its administrator does."""
    clone = host.folder / "gitolite-admin"
    admin = Story(host.folder, host.environ("admin"))
    admin.git("clone", "-q", host.url("gitolite-admin"), str(clone))
    admin.root = clone
    admin.write("conf/gitolite.conf", conf)
    admin.write("keydir/ada.pub", host.folder.joinpath("ada.pub").read_bytes())
    admin.commit("Let ada in")
    admin.git("push", "-q", "origin", "HEAD")
