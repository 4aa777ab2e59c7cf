"""Where tests are run from: the commands of CI files, make, tox, nox and scripts, as objects."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.guards import is_hook_file, may_be_ci_file
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.guarded import guarded, swallows
from freezegate.policy.mutes.job_flags import Flags, flags_of, variables
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.shell import Shell, commands_of
from freezegate.policy.mutes.tool_calls import ToolCall, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.tree import Tree

_MAKEFILE = re.compile(r"(^|/)((gnu)?makefile|[^/]*\.mk|\.?justfile)$")
_YAML = re.compile(
    r"(^|/)(taskfile|\.?lefthook[^/]*|\.pre-commit-config|docker-compose[^/]*)\.ya?ml$"
)
_SCRIPT = re.compile(r"\.(sh|bash)$|^\.(husky|githooks|ci|buildkite)/[^.]*$|^hooks/[^.]*$")
_SCRIPT_KEYS = frozenset(
    {"run", "script", "before_script", "after_script", "command", "commands", "cmd", "cmds", "bash"}
    | {"sh", "pwsh", "powershell", "entry", "test", "tests", "install", "before_install", "checks"}
    | {"shell_script", "inline", "steps", "precommands", "override"}
)
_TOML_TABLES = frozenset({"scripts", "tasks", "commands", "env_run_base", "env", "envs", "cmd"})
_SESSION_CALLS = frozenset({"run", "run_always", "run_install"})
_MAX_NODES = 20_000
_MAX_DEPTH = 40


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
            return tuple(_in_yaml(path, tree.source(entry)))
        if low.endswith(".toml"):
            return tuple(_in_toml(path, tree, entry))
        if low.endswith((".ini", ".cfg")):
            return tuple(_in_ini(path, tree.source(entry)))
    except (YamlError, IniError, RecursionError) as error:
        raise UnreadableError(str(error) or "nested too deep") from error
    text = tree.source(entry).decode("utf-8", "replace")
    if low.endswith(".py"):
        return tuple(_in_nox(path, text))
    if _MAKEFILE.search(low):
        return tuple(_in_make(path, text))
    shell = Shell(errexit=bool(re.match(r"#!.*\s-[a-z]*e", text)))
    return tuple(_runs(path, "", text, shell, Flags()))


def _runs(path: str, where: str, script: str, shell: Shell, flags: Flags) -> Iterator[Run]:
    for command in commands_of(script, shell):
        found = tool_call(command.words)
        if found:
            own = variables(command.variables)
            lost = command.lost | flags.lost | own.lost
            yield Run(path, where, found, lost, command.unsure | flags.unsure | own.unsure)


def _in_yaml(path: str, source: bytes) -> Iterator[Run]:
    strict = "circleci" in path or "gitlab" in path
    shell = Shell(pipefail=strict)
    waiting: list[tuple[str, Any, Flags, Shell]] = [("", load_yaml(source), Flags(), shell)]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        where, node, flags, shell = waiting.pop()
        if where.count("/") > _MAX_DEPTH:
            raise YamlError("nested too deep")
        if isinstance(node, list):
            named = [(f"{where}/{_name(each)}", each, flags, shell) for each in node]
            waiting += reversed(named)
        elif isinstance(node, dict):
            inner, shell = flags_of(node, flags), _shell(node, shell)
            yield from _used(path, where, node, inner)
            for key, value in node.items():
                script = _script(key, value)
                if script is None:
                    waiting.append((f"{where}/{key}", value, inner, shell))
                else:
                    yield from _runs(path, f"{where}/{key}", script, shell, inner)
    msg = f"more than {_MAX_NODES} nodes"
    raise YamlError(msg)


def _name(node: Any) -> str:
    """What a step is called; its number would change with each step before it."""
    if isinstance(node, dict):
        return next((str(node[key]) for key in ("name", "id", "repo") if key in node), "-")
    return "-"


def _script(key: Any, value: Any) -> str | None:
    """The shell script that stands under a key."""
    name = str(key)
    if name not in _SCRIPT_KEYS and not name.endswith(("_script", "-command", "-commands")):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return None


def _shell(node: dict[Any, Any], shell: Shell) -> Shell:
    """GitHub hands pipes on where `shell: bash` is written, and not where it is left out."""
    named = node.get("shell")
    defaults = node.get("defaults")
    if isinstance(defaults, dict) and isinstance(defaults.get("run"), dict):
        named = named or defaults["run"].get("shell")
    if not isinstance(named, str):
        return shell
    return Shell(
        errexit="{0}" not in named or re.search(r"\s-[a-z]*e", named) is not None,
        pipefail=named == "bash" or "pipefail" in named,
    )


def _used(path: str, where: str, node: dict[Any, Any], flags: Flags) -> Iterator[Run]:
    """Steps and hooks that are named instead of written: `uses: ./.github/actions/test`."""
    for key in ("uses", "id", "template"):
        name = node.get(key)
        hook = key == "id" and "entry" not in node and ("stages" in node or path.startswith(".pre"))
        if isinstance(name, str) and (key != "id" or hook):
            words = re.split(r"[/@.:_-]", name.lower())
            tool = next((w for w in words if w in ("pytest", "tox", "nox", "freezegate")), None)
            if tool or (key != "id" and {"test", "tests"} & set(words)):
                found = ToolCall(tool or "uses", (name,))
                yield Run(path, f"{where}/{key}", found, flags.lost, flags.unsure)


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
    yield from _runs(path, where, bare[len(mark) :], Shell(errexit=False), inner)


def _in_make(path: str, text: str) -> Iterator[Run]:
    """Recipes of a makefile or justfile, variables put in where they are plain."""
    text = re.sub(r"\\\r?\n[ \t]*", " ", text)
    values = dict(re.findall(r"^\s*(?:export\s+)?(\w+)\s*[:?+]?:?=\s*(.*)$", text, re.MULTILINE))
    exported = re.findall(r"^\s*export\s+(\w+)\s*[:?]?:?=\s*(.*?)\s*$", text, re.MULTILINE)
    whole = variables(exported)
    makeflags = values.get("MAKEFLAGS", "") + values.get("GNUMAKEFLAGS", "")
    if re.search(r"(^|\s)-?-?(k|i|ki|ik|keep-going|ignore-errors)\b", makeflags):
        whole = Flags(whole.lost | {f"MAKEFLAGS {makeflags.strip()}"}, whole.unsure)
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


def _in_nox(path: str, text: str) -> Iterator[Run]:
    """`session.run("pytest", ...)` of a noxfile."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError("no Python") from error
    for statement in guarded(tree.body):
        session = next((f.name for f in statement.around if isinstance(f, ast.FunctionDef)), "")
        caught = any(isinstance(e, ast.Try) and swallows_all(e) for e in statement.around)
        for call in statement.parts():
            called = call.func if isinstance(call, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in _SESSION_CALLS:
                assert isinstance(call, ast.Call)  # noqa: S101 - it has a function
                yield from _session_run(path, session, call, caught=caught)


def _session_run(path: str, session: str, call: ast.Call, *, caught: bool) -> Iterator[Run]:
    words = [fold(each) for each in call.args]
    found = tool_call([word if isinstance(word, str) else "{}" for word in words])
    if found is None:
        return
    lost = {"except in the session"} if caught else set[str]()
    unsure = set[str]()
    for keyword in call.keywords:
        if keyword.arg == "success_codes":
            codes = fold(keyword.value)
            known = isinstance(codes, list | tuple)
            if codes is UNKNOWN or not known:
                unsure.add(f"success_codes={unparsed(keyword.value)}")
            elif set(codes) - {0}:
                lost.add(f"success_codes={unparsed(keyword.value)}")
        elif keyword.arg == "env":
            own = flags_of({"env": _known(keyword.value)}, Flags())
            lost, unsure = lost | own.lost, unsure | own.unsure
    yield Run(path, session, found, frozenset(lost), frozenset(unsure))


def _known(node: ast.expr) -> dict[str, Any]:
    """The entries of a table that are written down."""
    keys = node.keys if isinstance(node, ast.Dict) else []
    values = node.values if isinstance(node, ast.Dict) else []
    return {str(fold(k)): fold(v) for k, v in zip(keys, values, strict=True) if k is not None}


def swallows_all(node: ast.Try) -> bool:
    """Whether a session goes on after `CommandFailed`."""
    return swallows(node) or any(
        h.type is not None and "CommandFailed" in ast.dump(h.type) for h in node.handlers
    )
