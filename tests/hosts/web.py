"""`git http-backend` behind lighttpd, which asks for a password as git-http-backend(1) says."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.hosts.servers import LOOPBACK, free_port, program, running
from tests.support import git_environment

_CONFIGURATION = """\
server.modules = ("mod_auth", "mod_authn_file", "mod_setenv", "mod_alias", "mod_cgi")
server.bind = "{address}"
server.port = {port}
server.document-root = "{root}"
server.upload-dirs = ("{folder}")
auth.backend = "plain"
auth.backend.plain.userfile = "{folder}/users"
alias.url = ("/git" => "{backend}")
$HTTP["url"] =~ "^/git/" {{
    auth.require = ("" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
    setenv.set-environment = ("GIT_PROJECT_ROOT" => "{root}", "GIT_HTTP_EXPORT_ALL" => "")
    cgi.assign = ("" => "")
}}
"""


@contextlib.contextmanager
def web_server(folder: Path, root: Path) -> Iterator[str]:
    """Serve every repository below `root`; yield the address that stands before its path."""
    port = free_port()
    lighttpd = program("lighttpd")
    configuration = folder / "lighttpd.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            address=LOOPBACK, port=port, root=root, folder=folder, backend=_http_backend()
        )
    )
    folder.joinpath("users").write_text("ada:secret\n")
    command = [lighttpd, "-D", "-f", str(configuration)]
    with running(command, port, git_environment(), folder / "lighttpd.log"):
        yield f"http://ada:secret@{LOOPBACK}:{port}/git"


def _http_backend() -> Path:
    done = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()) / "git-http-backend"
