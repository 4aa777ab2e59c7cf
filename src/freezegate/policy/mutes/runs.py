"""A command that runs tests, and those that a shell script holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.fake_tools import faked
from freezegate.policy.mutes.job_flags import Flags, variables
from freezegate.policy.mutes.shell import Shell, commands_of
from freezegate.policy.mutes.tampered import commands_before_exit, tampered
from freezegate.policy.mutes.tool_calls import ToolCall, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator


class Run(NamedTuple):
    """A command that runs tests, where it stands, and how its failure is lost for certain (`lost`)
    or maybe (`unsure`).
    """

    path: str
    where: str
    run: ToolCall
    lost: frozenset[str]
    unsure: frozenset[str]

    @property
    def text(self) -> str:
        """The command as one writes it."""
        return " ".join((self.run.tool, *self.run.words))


class UnreadableError(ValueError):
    """A file whose format is broken."""


def script_runs(path: str, where: str, script: str, shell: Shell, flags: Flags) -> Iterator[Run]:
    """Yield the commands of a shell script that run tests."""
    end, around = commands_before_exit(script), tampered([script])
    for place, command in enumerate(commands_of(script, shell)):
        found = tool_call(command.words)
        if found:
            own = variables(command.variables)
            fake = faked(script, names_of(command.words, found))
            lost = command.lost | flags.lost | own.lost | fake.lost | around.lost
            unsure = command.unsure | flags.unsure | own.unsure | fake.unsure | around.unsure
            if end is not None and place >= end:
                lost |= {"exit in front"}
            yield Run(path, where, found, lost, unsure)


def names_of(words: tuple[str, ...], run: ToolCall) -> frozenset[str]:
    """Return the names under which a command finds its programs."""
    return frozenset({words[0].rpartition("/")[2], run.tool}) if words else frozenset({run.tool})
