"""What tests a makefile or justfile runs: rules as make takes them, the last of a name winning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.ci_shells import flags_of_shell
from freezegate.policy.mutes.job_flags import Flags, variables
from freezegate.policy.mutes.shell import commands_of
from freezegate.policy.mutes.tool_calls import MAKES_NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.domain.tree import Tree

WINNING = ("GNUmakefile", "makefile", "Makefile")  # the first that stands there is the one
_MAX_INCLUDED = 20
_ASSIGNED = re.compile(r"^\s*(?:export\s+|override\s+)?([\w.]+)\s*[:?+!]?:?=\s*(.*)$", re.MULTILINE)
_OF_TARGET = re.compile(
    r"^([^\s:=#][^:=#]*?)\s*:\s*(?:export\s+|override\s+)?(\w+)\s*[:?+]?=\s*(.*)$"
)
_HEAD = re.compile(r"([^\s#:=][^:=#]*?)\s*(::?)(?!=)")
_CONDITION = re.compile(r"\s*(ifdef|ifndef|ifeq|ifneq)\b.*")
_INCLUDE = re.compile(r"^\s*[-s]?include\s+([^\n#]+)$", re.MULTILINE)


class Recipe(NamedTuple):
    """One line of a rule, variables put in where they are plain, and how its failure is lost."""

    target: str
    line: str
    flags: Flags


class _Rule(NamedTuple):
    target: str
    lines: tuple[str, ...]
    conditions: tuple[str, ...]


def is_hidden(tree: Tree, path: str) -> bool:
    """Say whether make takes another file of the same folder."""
    folder, _, name = path.rpartition("/")
    before = WINNING[: WINNING.index(name)] if name in WINNING else ()
    return any(tree.entry(joined(folder, each)) for each in before)


def recipes(tree: Tree, path: str, text: str) -> Iterator[Recipe]:
    """Yield the lines of the rules that hold."""
    folder = path.rpartition("/")[0]
    text = re.sub(r"\\\r?\n[ \t]*", " ", _included(tree, folder, text))
    values = {"MAKE": "make", **dict(_ASSIGNED.findall(text))}
    whole, own = _whole(text, values), _values_of_targets(text)
    rules = _last(list(_rules(text)))
    lines = [
        (rule, _expanded(line, {**values, **own.get("%", {}), **own.get(rule.target, {})}))
        for rule in rules
        for line in rule.lines
    ]
    badly = _badly_made(line for _, line in lines)
    for rule, line in lines:
        lost = whole.lost | _lost(tree, folder, text, rule) | badly.get(rule.target, frozenset())
        yield Recipe(rule.target, line, Flags(lost, whole.unsure | frozenset(rule.conditions)))


def _included(tree: Tree, folder: str, text: str) -> str:
    """The text with the files that it includes in their places."""
    for _ in range(_MAX_INCLUDED):
        match = _INCLUDE.search(text)
        if match is None:
            return text
        entries = [tree.entry(joined(folder, name)) for name in match[1].split()]
        inner = [tree.source(e).decode("utf-8", "replace") for e in entries if e and e.is_regular]
        text = f"{text[: match.start()]}{chr(10).join(inner)}\n{text[match.end() :]}"
    return text


def _whole(text: str, values: dict[str, str]) -> Flags:
    """What holds for every rule."""
    exported = re.findall(r"^\s*export\s+(\w+)\s*[:?]?:?=\s*(.*?)\s*$", text, re.MULTILINE)
    found = variables(exported)
    lost = set(found.lost)
    makeflags = values.get("MAKEFLAGS", "") + values.get("GNUMAKEFLAGS", "")
    if re.search(r"(^|\s)-?-?(n|k|i|ki|ik|keep-going|ignore-errors|dry-run)\b", makeflags):
        lost.add(f"MAKEFLAGS {makeflags.strip()}")
    shell = values.get(".SHELLFLAGS", "-c")
    own = flags_of_shell(f"{values.get('SHELL', 'sh')} {shell} {{0}}")
    if not re.fullmatch(r"\s*(-o\s+\w+\s*|-[a-mo-z]+\s*)*", shell):
        lost.add(f".SHELLFLAGS {shell}")
    return Flags(frozenset(lost | own.lost), found.unsure | own.unsure)


def _values_of_targets(text: str) -> dict[str, dict[str, str]]:
    """`test: PYTEST = true`."""
    found: dict[str, dict[str, str]] = {}
    for line in text.split("\n"):
        match = _OF_TARGET.match(line)
        for target in match[1].split() if match else ():
            assert match is not None  # noqa: S101 - it has targets
            found.setdefault(target, {})[match[2]] = match[3]
    return found


def _rules(text: str) -> Iterator[_Rule]:
    targets: list[str] = []
    around: list[str] = []
    lines: list[str] = []
    for line in [*text.split("\n"), "end:"]:
        condition, head = _CONDITION.fullmatch(line), _HEAD.match(line)
        if condition or line.strip().startswith(("else", "endif")):
            yield from (_Rule(each, tuple(lines), tuple(around)) for each in targets if lines)
            lines = []
            around = around if condition else around[:-1] if "endif" in line else around
            around = [*around, line.strip()] if condition else around
        elif head and line[:1] not in ("\t", " ") and not _OF_TARGET.match(line):
            yield from (_Rule(each, tuple(lines), tuple(around)) for each in targets if lines)
            targets, lines = head[1].split() if head[2] == ":" else [head[1]], []
        elif line[:1] in ("\t", " ") and line.strip():
            lines.append(line)


def _last(rules: list[_Rule]) -> list[_Rule]:
    """A rule with a recipe takes the place of those before it, where the same condition holds."""
    return [
        rule
        for place, rule in enumerate(rules)
        if not any(
            later.target == rule.target and (not later.conditions or later[2] == rule[2])
            for later in rules[place + 1 :]
            if not rule.conditions or later.conditions == rule.conditions
        )
    ]


def _lost(tree: Tree, folder: str, text: str, rule: _Rule) -> frozenset[str]:
    """Why make does not run a rule, or does not care how it ends."""
    named = {w: t.split() for w, t in re.findall(r"^\.(\w+)\s*:(.*)$", text, re.MULTILINE)}
    lost = set[str]()
    if "IGNORE" in named and (not named["IGNORE"] or rule.target in named["IGNORE"]):
        lost.add(".IGNORE")
    phony = {
        t for line in re.findall(r"^\.PHONY\s*:(.*)$", text, re.MULTILINE) for t in line.split()
    }
    if rule.target not in phony and tree.entry(joined(folder, rule.target)):
        lost.add(f"{rule.target} is a file, and not .PHONY")
    return frozenset(lost)


def _badly_made(lines: Iterator[str]) -> dict[str, frozenset[str]]:
    """The targets that another rule makes so that nobody knows how they end."""
    found: dict[str, frozenset[str]] = {}
    for line in lines:
        for command in commands_of(line.strip().lstrip("@-+ ")):
            if command.words[:1] in (("make",), ("gmake",)):
                told = {f"make {word}" for word in command.words if MAKES_NOTHING.fullmatch(word)}
                ignored = {"- in front"} if line.strip().startswith(("-", "@-")) else set()
                for word in command.words[1:]:
                    lost = command.lost | told | ignored
                    found[word] = found.get(word, frozenset()) | lost
    return found


def _expanded(line: str, values: dict[str, str]) -> str:
    for _ in range(3):
        line = re.sub(
            r"\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}",
            lambda m: values.get(m[1] or m[2], m[0])[:500],
            line,
        )
    return line.replace("$$", "$")[:5000]
