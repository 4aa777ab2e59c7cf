"""Our hook started as documentation says of hosts that are not here; no proof of those hosts."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.git.hosting import HOOKS, MAIN, Host, host
from tests.git.local import launder
from tests.hosts.settings import SETTINGS
from tests.support import Story

# Each is a `pre-receive` that starts ours as docs/hosts/ says that the host does.
DESCRIBED = {
    "gitlab": (
        "cd /; exec env -u GIT_QUARANTINE_PATH -u HOME GIT_DIR={git_dir}"
        " GIT_ALTERNATE_OBJECT_DIRECTORIES={git_dir}/objects GIT_PUSH_OPTION_COUNT=1"
        " GIT_PUSH_OPTION_0=accept GL_ID=user-1 GL_PROTOCOL=ssh {python} -I -m freezegate hook"
        " pre-receive"
    ),
    "gitea": (
        "updates=$(cat); for each in ${{GIT_DIR:-.}}/hooks/pre-receive.d/*;"
        ' do echo "$updates" | "$each" || exit 1; done'
    ),
    "github": (
        "cd /; objects=${{GIT_OBJECT_DIRECTORY:-{git_dir}/objects}}; exec env -i PATH=$PATH"
        " GIT_DIR={git_dir} GIT_OBJECT_DIRECTORY=$objects GIT_QUARANTINE_PATH=$objects"
        " GIT_ALTERNATE_OBJECT_DIRECTORIES={git_dir}/objects GITHUB_USER_LOGIN=ada {ours}"
    ),
}


@pytest.fixture(params=DESCRIBED)
def described(request: pytest.FixtureRequest, shop: Story) -> Host:
    """A host over a path, whose hook starts ours in another host's way."""
    made = host(shop, SETTINGS)
    made.git("config", "--unset", "core.hooksPath")
    ours = made.root / "hooks" / "pre-receive.d" / "freezegate"
    ours.parent.mkdir(parents=True)
    shutil.copy(HOOKS / "pre-receive", ours)
    script = DESCRIBED[request.param].format(git_dir=made.root, ours=ours, python=sys.executable)
    hook = made.root / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    return made


def test_an_honest_push_lands(described: Host) -> None:
    described.story.patch().freeze()
    said = described.accepts("HEAD:refs/heads/main", "HEAD:refs/heads/topic")
    assert "remote: freezegate: accepted refs/heads/main" in said
    assert described.refs()[MAIN] == described.story.rev("HEAD")


def test_a_laundered_oracle_does_not_land(described: Host) -> None:
    launder(described.story)
    described.refuses("HEAD:refs/heads/main", "HEAD:topic", code="error oracle.changed")


def test_a_deletion_does_not_land(described: Host) -> None:
    described.refuses(":main", code="ref.deleted")
