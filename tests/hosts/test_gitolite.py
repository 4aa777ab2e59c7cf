"""What gitolite alone can get wrong: hooks of one repository, its own rights, what doctor sees."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.git.hosting import MAIN, Host
from tests.git.local import launder
from tests.hosts.conftest import on_gitolite
from tests.hosts.gitolite import Gitolite, gitolite_host
from tests.support import Story


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gitolite]:
    """A gitolite on which only the repository `hooked` asks freezegate."""
    folder = tmp_path_factory.mktemp("repo-specific")
    with gitolite_host(folder, only_hooked=True) as running:
        yield running


def doctor(served: Gitolite, made: Host) -> tuple[int, dict[str, list[str]]]:
    """What `doctor --host` says to the user who receives pushes: status and lines by health."""
    done = subprocess.run(
        [
            *(sys.executable, "-I", "-m", "freezegate"),
            *("doctor", "--host", str(made.root), "--format", "json"),
        ],
        env=served.as_host(),
        capture_output=True,
        check=False,
    )
    lines: dict[str, list[str]] = {"ok": [], "warning": [], "error": []}
    for line in json.loads(done.stdout):
        lines[line["health"]].append(line["said"])
    return done.returncode, lines


def test_doctor_proves_the_hooks_that_gitolite_linked(gitolite: Gitolite, shop: Story) -> None:
    made = on_gitolite(shop, gitolite, "test-doctor")
    status, lines = doctor(gitolite, made)
    assert (status, lines["error"], lines["warning"]) == (0, [], [])
    assert "canary: a bad push was declined, by freezegate" in lines["ok"]


def test_hooks_of_one_repository(hooked: Gitolite, shop: Story) -> None:
    asked = on_gitolite(shop, hooked, "hooked")
    launder(shop)
    asked.refuses("HEAD:refs/heads/main", code="oracle.changed")
    assert [entry["event"] for entry in asked.entries()][:2] == ["decided", "landed"]
    shop.git("remote", "set-url", "origin", hooked.url("test-free"))
    free = Host(shop, hooked.bare("test-free"))
    assert "freezegate" not in free.accepts("HEAD:refs/heads/main")
    assert free.refs()[MAIN] == shop.rev("HEAD")


def test_doctor_on_hooks_of_one_repository(hooked: Gitolite, shop: Story) -> None:
    status, lines = doctor(hooked, on_gitolite(shop, hooked, "hooked"))
    assert (status, lines["error"], lines["warning"]) == (0, [], [])


def test_who_may_not_write_is_gitolites_to_say(gitolite: Gitolite, shop: Story) -> None:
    made = on_gitolite(shop, gitolite, "test-rights")
    shop.environ.update(gitolite.environ("admin"))
    before = made.refs()
    made.push("origin", "HEAD:refs/heads/other").refused("DENIED by fallthru")
    assert made.refs() == before
