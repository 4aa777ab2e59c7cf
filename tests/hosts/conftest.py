"""One story, pushed to three hosts: over a path, to a web server, to gitolite over ssh."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git.hosting import Host, host
from tests.hosts.gitolite import Gitolite, gitolite_host
from tests.hosts.settings import SETTINGS
from tests.hosts.web import web_server
from tests.support import Story


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a web server that serves what lies below pytest's own temporary folder."""
    with web_server(tmp_path_factory.mktemp("web"), tmp_path_factory.getbasetemp()) as address:
        yield address


@pytest.fixture(scope="session")
def gitolite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gitolite]:
    """A gitolite on which every repository asks freezegate."""
    with gitolite_host(tmp_path_factory.mktemp("gitolite")) as running:
        yield running


@pytest.fixture(params=["path", "http", "gitolite"])
def hosted(request: pytest.FixtureRequest, shop: Story) -> Host:
    """The shop's topic branch, and a host that holds its `main` already."""
    if request.param == "gitolite":
        return on_gitolite(shop, request.getfixturevalue("gitolite"), f"test-{os.urandom(4).hex()}")
    made = host(shop, SETTINGS)
    made.git("config", "receive.denyDeleteCurrent", "ignore")
    if request.param == "http":
        where = made.root.relative_to(request.getfixturevalue("tmp_path_factory").getbasetemp())
        shop.git("remote", "set-url", "origin", f"{request.getfixturevalue('web')}/{where}")
    return made


def on_gitolite(story: Story, served: Gitolite, repository: str) -> Host:
    """Move the story's remote to gitolite; the first push makes the repository there."""
    story.environ.update(served.environ("ada"))
    story.git("remote", "set-url", "origin", served.url(repository))
    made = Host(story, Path(served.bare(repository)))
    made.accepts("main")
    made.git("config", "receive.denyDeleteCurrent", "ignore")
    return made
