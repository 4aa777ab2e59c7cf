"""What tests the jobs of a YAML file run: GitHub Actions, GitLab CI and their like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.policy.mutes.ci_shells import flags_of_shell, shell_of, started_by
from freezegate.policy.mutes.fake_tools import left_behind, placed
from freezegate.policy.mutes.job_flags import Flags, flags_of
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.runs import Run, script_runs
from freezegate.policy.mutes.shell import Shell
from freezegate.policy.mutes.tampered import tampered
from freezegate.policy.mutes.tool_calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPT_KEYS = frozenset(
    {"run", "script", "before_script", "after_script", "command", "commands", "cmd", "cmds", "bash"}
    | {"sh", "pwsh", "powershell", "entry", "test", "tests", "install", "before_install", "checks"}
    | {"shell_script", "inline", "steps", "precommands", "override"}
)
_MAX_NODES = 20_000
_MAX_DEPTH = 40


class _Around(NamedTuple):
    """What holds inside of a table: settings, how scripts are started, the shell that is named."""

    flags: Flags
    shell: Shell
    name: str = ""

    def inside(self, node: dict[Any, Any]) -> _Around:
        name = shell_of(node, self.name)
        return _Around(flags_of(node, self.flags), started_by(name, self.shell), name)


class _Script(NamedTuple):
    where: str
    text: str
    around: _Around


def yaml_runs(path: str, source: bytes) -> Iterator[Run]:
    """Yield the commands of a file's jobs that run tests; raises YamlError."""
    found: list[Run | _Script] = list(_walked(path, source))
    scripts = [each.text for each in found if isinstance(each, _Script)]
    left, text = left_behind(scripts), source.decode("utf-8", "replace")
    for place, each in enumerate(found):
        around = _around(found[: place + 1], each.where, text)
        for run in _runs(path, each) if isinstance(each, _Script) else (each,):
            lost = run.lost | left.lost | around.lost | set(placed(scripts, {run.run.tool}))
            unsure = run.unsure | left.unsure | around.unsure
            yield run._replace(lost=frozenset(lost), unsure=unsure)


def _around(found: list[Run | _Script], where: str, text: str) -> Flags:
    """What comes before in the same job; a job of GitLab with a dot in front is only a pattern."""
    job = _job(where)
    flags = tampered(e.text for e in found if isinstance(e, _Script) and _job(e.where) == job)
    hidden = job[0].startswith(".") and text.count(job[0]) == 1
    return Flags(flags.lost | {f"{job[0]} is no job"}, flags.unsure) if hidden else flags


def _job(where: str) -> tuple[str, ...]:
    parts = where.strip("/").split("/")
    return tuple(parts[:2]) if parts[0] == "jobs" else tuple(parts[:1])


def _runs(path: str, script: _Script) -> Iterator[Run]:
    flags, shell, name = script.around
    own = flags_of_shell(name)
    flags = Flags(flags.lost | own.lost, flags.unsure | own.unsure)
    yield from script_runs(path, script.where, script.text, shell, flags)


def _walked(path: str, source: bytes) -> Iterator[Run | _Script]:
    strict = "circleci" in path or "gitlab" in path
    start = _Around(Flags(), Shell(pipefail=strict))
    whole = load_yaml(source)
    first = _first_of(whole) if "gitlab" in path else ""
    waiting: list[tuple[str, Any, _Around]] = [("", whole, start)]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        where, node, around = waiting.pop()
        if where.count("/") > _MAX_DEPTH:
            raise YamlError("nested too deep")
        if isinstance(node, list):
            waiting += reversed([(f"{where}/{_name(each)}", each, around) for each in node])
        elif isinstance(node, dict):
            inner = around.inside(node)
            yield from _used(path, where, node, inner.flags)
            revision = _revision(node)
            if revision:
                yield _Script(f"{where}/uses", f"git checkout {revision}", inner)
            for key, value in node.items():
                script = _script(key, value)
                if script is None:
                    waiting.append((f"{where}/{key}", value, inner))
                else:
                    if key == "script" and "gitlab" in path:
                        script = (
                            f"{_script('script', node.get('before_script')) or first}\n{script}"
                        )
                    yield _Script(f"{where}/{key}", script, inner)
    msg = f"more than {_MAX_NODES} nodes"
    raise YamlError(msg)


def _first_of(whole: Any) -> str:
    """What every job of GitLab starts with, but for those that have a `before_script`."""
    top = whole if isinstance(whole, dict) else {}
    default = top.get("default")
    inner = default.get("before_script") if isinstance(default, dict) else None
    return _script("script", inner or top.get("before_script")) or ""


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


def _revision(node: dict[Any, Any]) -> str:
    """The revision that `actions/checkout` takes in the place of the one that is judged."""
    given = node.get("with")
    if not str(node.get("uses")).startswith("actions/checkout") or not isinstance(given, dict):
        return ""
    text = str(given.get("ref") or "")
    return "" if "path" in given or "${{" in text else text


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
