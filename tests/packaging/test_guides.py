"""The guides keep their word: what they show was really said, but for ids and dates."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from freezegate.formats.host import parse_host_settings
from freezegate.model.host import HostLimits
from freezegate.model.reasons import REASONS
from tests.support import ORACLE, Story

TOP = Path(__file__).resolve().parents[2]
GUIDES = (
    "docs/agent.md",
    "docs/catalog.md",
    "docs/ci.md",
    "docs/host.md",
    "docs/hosts/gitea.md",
    "docs/hosts/github-enterprise.md",
    "docs/hosts/gitlab.md",
    "docs/hosts/gitolite.md",
    "docs/ledger.md",
    "docs/plugin.md",
    "docs/reviewer.md",
    "docs/sampling.md",
)
_SAID = re.compile(r"<!-- said: (.+?) -->\n```\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([a-z]+\.[a-z_]+)`")
# What looks like a code and is none.
_FILES = re.compile(r".*\.(?:md|yml|toml|json|jsonl|py|ini|rb|go|gz)|[a-z]+\.(?:event|before|sha)")


def said_in(guide: str, name: str) -> str:
    """What a guide says that freezegate said."""
    return next(m[2] for m in _SAID.finditer((TOP / guide).read_text()) if m[1] == name)


def without_ids(text: str) -> str:
    """Leave out what depends on the day on which a request was written."""
    return re.sub(r"[0-9a-f]{12,}", "ID", text)


def test_the_reviewer_is_shown_a_real_verdict(shop: Story) -> None:
    shop.patch().freeze()
    status, out = shop.run("check", "--base", "origin/main")
    assert status == 0
    assert without_ids(out) == without_ids(said_in("docs/reviewer.md", "an honest freeze"))


def test_the_agent_is_shown_a_real_finding(shop: Story) -> None:
    shop.write(ORACLE, "def test_total_is_never_negative():\n    assert True\n").commit("Tidy")
    shop.patch().freeze()
    status, out = shop.run("check", "--base", "origin/main")
    assert status == 1
    assert said_in("docs/agent.md", "a laundered oracle") in out
    assert out.splitlines()[-1].startswith("next: ")


@pytest.mark.parametrize("guide", GUIDES)
def test_guides_name_codes_that_exist(guide: str) -> None:
    named = set(_CODE.findall((TOP / guide).read_text()))
    assert named - {name for name in named if _FILES.fullmatch(name)} <= set(REASONS)


@pytest.mark.parametrize("guide", GUIDES)
def test_guides_are_linked_from_readme(guide: str) -> None:
    assert f"({guide})" in (TOP / "README.md").read_text()


@pytest.mark.parametrize("guide", GUIDES)
def test_links_lead_somewhere(guide: str) -> None:
    page = TOP / guide
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_the_command_that_says_where_the_hooks_lie() -> None:
    page = (TOP / "docs/host.md").read_text()
    (program,) = re.findall(r"python -I -c '(.*)'\n", page)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert (Path(done.stdout.strip()) / "pre-receive").is_file()


def test_the_settings_of_a_host_are_some_and_show_the_defaults() -> None:
    page = (TOP / "docs/host.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    settings = parse_host_settings("\n".join(line[3:] for line in text.splitlines()).encode())
    assert settings.limits == HostLimits()
    assert {str(parent) for _, parent in settings.parents} == {"refs/heads/main"}
