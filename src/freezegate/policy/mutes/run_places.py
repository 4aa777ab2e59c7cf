"""Where tests are run from: the commands of CI files, make, tox, nox and scripts, as objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.guards import is_hook_file, may_be_ci_file
from freezegate.policy.mutes.job_flags import Flags, flags_of
from freezegate.policy.mutes.make_runs import is_hidden, recipes
from freezegate.policy.mutes.nox_runs import nox_runs
from freezegate.policy.mutes.plain_yaml import YamlError
from freezegate.policy.mutes.runs import Run, UnreadableError, script_runs
from freezegate.policy.mutes.shell import Shell
from freezegate.policy.mutes.tool_calls import tool_call
from freezegate.policy.mutes.yaml_runs import yaml_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.tree import Tree

_MAKEFILE = re.compile(r"(^|/)((gnu)?makefile|[^/]*\.mk|\.?justfile)$")
_YAML = re.compile(
    r"(^|/)(taskfile|\.?lefthook[^/]*|\.pre-commit-config|docker-compose[^/]*)\.ya?ml$"
)
_SCRIPT = re.compile(r"\.(sh|bash)$|^\.(husky|githooks|ci|buildkite)/[^.]*$|^hooks/[^.]*$")
_LEAVING_OUT = ("platform", "skip_missing_interpreters", "base_python", "basepython")
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
        if is_hidden(tree, path):
            return ()
        made = recipes(tree, path, text)
        return tuple(
            run for each in made for run in _line(path, each.target, each.line, each.flags)
        )
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
    sections = parse_ini(source)
    around = flags_of_tox(sections)
    for section, options in sections.items():
        if not section.startswith(("testenv", "tox", "base")):
            continue
        flags = flags_of(dict(options), around if section.startswith("testenv") else Flags())
        for key in ("commands", "commands_pre", "commands_post"):
            text = re.sub(r"\\\n", " ", options.get(key, ""))
            text = re.sub(r"\{posargs:([^{}]*)\}", r"\1", text)
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


def flags_of_tox(sections: Mapping[str, Mapping[str, str]]) -> Flags:
    """Return by what environments of tox are left out, or run something else than `[testenv]`."""
    unsure = set[str]()
    for section, options in sections.items():
        if section.startswith(("testenv", "tox")):
            unsure |= {f"{key}: {options[key]}" for key in _LEAVING_OUT if key in options}
        if section.startswith("testenv:") and "commands" in options:
            tested = any(
                any(_line("", "", each, Flags())) for each in options["commands"].split("\n")
            )
            unsure |= set() if tested else {f"[{section}] runs something else"}
    return Flags(frozenset(), frozenset(unsure))
