"""Ask the gate about a work tree twice: staged as pre-commit sees it, committed as CI does."""

from __future__ import annotations

import shlex

from tests.support import Answer, Story


def both(story: Story) -> tuple[Answer, Answer]:
    """Return the answers on everything in the work tree: staged first, then committed."""
    story.git("add", "-A", "-f")
    staged = story.check("--staged")
    story.commit()
    return staged, story.check()


def assert_refused(story: Story, code: str) -> None:
    """Both answers refuse with the code among their errors."""
    for answer in both(story):
        assert (answer.status, answer.verdict) == (1, "refused")
        assert code in answer.errors, answer.output


def assert_accepted(story: Story) -> None:
    """Both answers accept."""
    for answer in both(story):
        assert (answer.status, answer.verdict) == (0, "accepted"), answer.output


def do(story: Story, remedy: str) -> None:
    """Run the verb that a remedy shows, and commit what it wrote."""
    words = shlex.split(remedy[remedy.index("freezegate ") :])
    assert story.run(*words[1:])[0] == 0, remedy
    story.commit("as the remedy says")
