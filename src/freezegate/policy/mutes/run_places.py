"""Where tests are run from: the commands of CI files, make, tox, nox and scripts, as objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.guards import is_hook_file, may_be_ci_file
from freezegate.policy.mutes.ci_shells import flags_of_shell
from freezegate.policy.mutes.job_flags import Flags, flags_of, variables
from freezegate.policy.mutes.nox_runs import nox_runs
from freezegate.policy.mutes.plain_yaml import YamlError
from freezegate.policy.mutes.runs import Run, UnreadableError, script_runs
from freezegate.policy.mutes.shell import Shell
from freezegate.policy.mutes.tool_calls import tool_call
from freezegate.policy.mutes.yaml_runs import yaml_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.tree import Tree

_MAKEFILE = re.compile(r"(^|/)((gnu)?makefile|[^/]*\.mk|\.?justfile)$")
_YAML = re.compile(
    r"(^|/)(taskfile|\.?lefthook[^/]*|\.pre-commit-config|docker-compose[^/]*)\.ya?ml$"
)
_SCRIPT = re.compile(r"\.(sh|bash)$|^\.(husky|githooks|ci|buildkite)/[^.]*$|^hooks/[^.]*$")
_TOML_TABLES = frozenset({"scripts", "tasks", "commands", "env_run_base", "env", "envs", "cmd"})


def may_run(path: str) -> bool:
    """Say whether a file may start tests."""
    low = path.lower()
    raw = path.encode("utf-8", "surrogateescape")
    return bool(
        _MAKEFILE.search(low)
        or _YAML.search(low)
        or _SCRIPT.search(low)
        or low.endswith(
            ("tox.ini", "setup.cfg", "noxfile.py", "pyproject.toml", "tox.toml", "hatch.toml")
        )
        or may_be_ci_file(raw)
        or is_hook_file(raw)
    )


def runs_in(tree: Tree, path: str, entry: Entry) -> tuple[Run, ...]:
    """Return what tests a file runs; raises UnreadableError where it does not parse."""
    low = path.lower()
    try:
        if low.endswith((".yml", ".yaml")):
            return tuple(yaml_runs(path, tree.source(entry)))
        if low.endswith(".toml"):
            return tuple(_in_toml(path, tree, entry))
        if low.endswith((".ini", ".cfg")):
            return tuple(_in_ini(path, tree.source(entry)))
    except (YamlError, IniError, RecursionError) as error:
        raise UnreadableError(str(error) or "nested too deep") from error
    text = tree.source(entry).decode("utf-8", "replace")
    if low.endswith(".py"):
        return tuple(nox_runs(path, text))
    if _MAKEFILE.search(low):
        return tuple(_in_make(path, text))
    shell = Shell(errexit=bool(re.match(r"#!.*\s-[a-z]*e", text)))
    return tuple(script_runs(path, "", text, shell, Flags()))


def _in_toml(path: str, tree: Tree, entry: Entry) -> Iterator[Run]:
    tables = tree.toml(entry)
    if tables is None:
        raise UnreadableError("no TOML")
    waiting: list[tuple[str, Any, bool, Flags]] = [("", tables, False, Flags())]
    while waiting:
        where, node, inside, flags = waiting.pop()
        if isinstance(node, dict):
            inner = flags_of(node, flags)
            for key, value in node.items():
                deeper = inside or key in _TOML_TABLES or key.endswith("command")
                waiting.append((f"{where}/{key}", value, deeper, inner))
        elif inside and isinstance(node, str):
            yield from _line(path, where, node, flags)
        elif inside and isinstance(node, list):
            if node and all(isinstance(each, str) for each in node):
                found = tool_call(node)
                if found:
                    yield Run(path, where, found, flags.lost, flags.unsure)
                    continue
            waiting += [(where, each, inside, flags) for each in reversed(node)]


def _in_ini(path: str, source: bytes) -> Iterator[Run]:
    """tox.ini, and tox's part of setup.cfg."""
    for section, options in parse_ini(source).items():
        if not section.startswith(("testenv", "tox", "base")):
            continue
        flags = flags_of(dict(options), Flags())
        for key in ("commands", "commands_pre", "commands_post"):
            text = re.sub(r"\\\n", " ", options.get(key, ""))
            for line in text.split("\n"):
                yield from _line(path, f"{section}/{key}", line, flags)


def _line(path: str, where: str, line: str, flags: Flags) -> Iterator[Run]:
    """A command with the prefixes of tox, hatch and make: `-` ignores that it fails."""
    bare = re.sub(r"^\s*\{?\[?[\w!,.-]+\]?\}?:\s+", "", line.strip())
    prefix = re.match(r"[-@+!\s]*", bare)
    mark = prefix[0] if prefix else ""
    lost = flags.lost | ({"- in front"} if "-" in mark else set())
    inner = Flags(frozenset(lost), flags.unsure)
    yield from script_runs(path, where, bare[len(mark) :], Shell(errexit=False), inner)


def _in_make(path: str, text: str) -> Iterator[Run]:
    """Recipes of a makefile or justfile, variables put in where they are plain."""
    text = re.sub(r"\\\r?\n[ \t]*", " ", text)
    values = dict(re.findall(r"^\s*(?:export\s+)?([\w.]+)\s*[:?+]?:?=\s*(.*)$", text, re.MULTILINE))
    exported = re.findall(r"^\s*export\s+(\w+)\s*[:?]?:?=\s*(.*?)\s*$", text, re.MULTILINE)
    whole = variables(exported)
    makeflags = values.get("MAKEFLAGS", "") + values.get("GNUMAKEFLAGS", "")
    if re.search(r"(^|\s)-?-?(k|i|ki|ik|keep-going|ignore-errors)\b", makeflags):
        whole = Flags(whole.lost | {f"MAKEFLAGS {makeflags.strip()}"}, whole.unsure)
    own = flags_of_shell(f"{values.get('SHELL', 'sh')} {values.get('.SHELLFLAGS', '-c')} {{0}}")
    whole = Flags(whole.lost | own.lost, whole.unsure | own.unsure)
    ignored = re.search(r"^\.IGNORE\s*:(.*)$", text, re.MULTILINE)
    target = ""
    for line in text.split("\n"):
        head = re.match(r"([^\s#:=][^:=#]*?)\s*:(?!=)", line)
        if head and line[:1] not in ("\t", " "):
            target = head[1].split(" ")[0]
        elif line[:1] in ("\t", " ") and line.strip():
            flags = whole
            if ignored and (not ignored[1].strip() or target in ignored[1].split()):
                flags = Flags(whole.lost | {".IGNORE"}, whole.unsure)
            yield from _line(path, target, _expanded(line, values), flags)


def _expanded(line: str, values: dict[str, str]) -> str:
    for _ in range(3):
        line = re.sub(
            r"\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}",
            lambda m: values.get(m[1] or m[2], m[0])[:500],
            line,
        )
    return line.replace("$$", "$")[:5000]
