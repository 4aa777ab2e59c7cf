"""What the tests of `sample`, `shrink` and their fixtures share: a shop with a property."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import TYPE_CHECKING, Any

from freezegate.cli.verbs import run_command
from tests.git.witnessing import POLICY
from tests.support import ORACLE, PROPERTY, Story, standing_in, start

if TYPE_CHECKING:
    from pathlib import Path

P = ("--property", PROPERTY)
ROOT = f"tests/fixtures/{PROPERTY}"
SUBJECT = "src/shop/order.py"
GOOD = "def total(order):\n    return max(0, sum(order['lines']) - order['discount'])\n"
# Wrong for one discount of 101.
NARROW = (
    "def total(order):\n    if order['discount'] == 61:\n        return -1\n"
    "    return max(0, sum(order['lines']) - order['discount'])\n"
)
PROPERTY_TEST = """\
from hypothesis import given, settings
from hypothesis import strategies as st

from shop.order import total

ORDERS = st.fixed_dictionaries(
    {"discount": st.integers(0, 100), "lines": st.lists(st.integers(0, 9)), "note": st.text()}
)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(ORDERS)
def test_total_is_never_negative(order):
    assert total(order) >= 0
"""


def property_shop(
    folder: Path,
    *,
    oracle: str = PROPERTY_TEST,
    base: str = GOOD,
    patch: str = NARROW,
    keep: tuple[str, ...] = (),
    files: dict[str, str] | None = None,
) -> Story:
    """A shop with a property test on its base, on a branch with one patch of the subject."""
    policy = POLICY.format(runs=2).replace("plugins = []", 'plugins = []\npythonpath = ["src"]')
    story = start(folder, policy=policy)
    story.write(ORACLE, oracle).write(SUBJECT, base)
    for path, content in (files or {}).items():
        story.write(path, content)
    if keep:
        catalog = story.read(".freeze/catalog.toml") + f"keep = {json.dumps(keep)}\n".encode()
        story.write(".freeze/catalog.toml", catalog)
    story.commit("State the property")
    story.git("push", "-q", "origin", "main")
    story.branch("topic").write(SUBJECT, patch)
    story.commit("Make totals faster")
    return story


def ask(story: Story, *arguments: str) -> tuple[int, Any]:
    """Ask a verb for JSON and return status and document."""
    status, out = story.run(*arguments, "--format", "json")
    return status, json.loads(out)


def said(story: Story, *arguments: str) -> tuple[int, str]:
    """Ask a verb and return its status and all that it said, on both outputs."""
    both = io.StringIO()
    with (
        standing_in(story.root, story.environ),
        contextlib.redirect_stdout(both),
        contextlib.redirect_stderr(both),
    ):
        status = run_command(list(arguments), os.environ)
    return status, both.getvalue()


def missed_seed(story: Story) -> int:
    """Sample until only the candidate fails; return the seed. The bug shows under 4."""
    status, document = ask(story, "sample", *P, "--seed", "3", "--seeds", "20")
    assert (status, document["pair"]) == (1, "candidate_only_miss"), document
    return int(document["seeds"][-1]["seed"])


def locked(story: Story) -> str:
    """Sample and shrink; return the path of the locked fixture."""
    status, document = ask(story, "shrink", *P, "--seed", str(missed_seed(story)))
    assert (status, document["locked"]) == (0, True), document
    return str(document["path"])
