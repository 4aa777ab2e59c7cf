"""Scripts in which the name of a test tool stands for something else: functions, links, paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.job_flags import Flags, is_own_folder, variables
from freezegate.policy.mutes.shell import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLACING = frozenset({"ln", "cp", "mv", "install", "tee", "hash", "dd"})
_TO_ENV = re.compile(r"(\w+)=([^\n]*?)[\"']?\s*>>\s*[\"']?\$\{?GITHUB_ENV")
_TO_PATH = re.compile(r"([^\n]*?)>>\s*[\"']?\$\{?GITHUB_PATH")


def faked(script: str, names: Iterable[str]) -> Flags:
    """Return how a script gives the name of a tool to something else."""
    lost, unsure = set[str](), set[str]()
    for name in {each for each in names if each in script}:
        word = re.escape(name)
        defined = re.search(
            rf"(?:^|[;\n&|{{(]|\bfunction)\s*{word}\s*\(\s*\)([^}}]*)|\bfunction\s+{word}\b([^}}]*)",
            script,
        )
        if defined:
            passes_on = re.search(
                rf"(command|exec|-m|/)\s*{word}\b", defined[1] or defined[2] or ""
            )
            (unsure if passes_on else lost).add(f"{name} is a function")
        if re.search(rf"\balias\s+(-\w+\s+)*{word}=", script):
            lost.add(f"{name} is an alias")
    return Flags(frozenset(lost), frozenset(unsure))


def placed(scripts: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    """Yield how other scripts of a job put something in a tool's place."""
    sought = frozenset(names)
    for script in scripts:
        for name in sought:
            if re.search(rf">\s*[\"']?\S*(/|which |command -v ){re.escape(name)}\b", script):
                yield f"{name} is written anew"
        for command in commands_of(script):
            head, last = command.words[:1], "".join(command.words[-1:])
            if head and head[0] in _PLACING and len(command.words) > 2:
                target = re.split(r"[/\s]", last.rstrip(")`\"'"))[-1]
                if target in sought:
                    yield f"{head[0]} puts something in the place of {target}"


def left_behind(scripts: Iterable[str]) -> Flags:
    """Return what steps of a workflow leave to later ones: variables and folders of programs."""
    lost, unsure = set[str](), set[str]()
    for script in scripts:
        given = variables((match[1], match[2]) for match in _TO_ENV.finditer(script))
        lost, unsure = lost | given.lost, unsure | given.unsure
        for match in _TO_PATH.finditer(script):
            if is_own_folder(match[1]):
                unsure.add(f"GITHUB_PATH: {match[1].strip()}")
    return Flags(frozenset(lost), frozenset(unsure))
