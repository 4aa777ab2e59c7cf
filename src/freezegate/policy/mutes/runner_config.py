"""Settings of pytest and coverage, and the versions that CI tries: fewer tests, lower floors."""

from __future__ import annotations

import ast
import re
import shlex
from typing import TYPE_CHECKING, Any

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.run_places import may_run
from freezegate.policy.mutes.tool_calls import ToolCall, losses, runs_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "runner"
_PYTEST_FILES = re.compile(r"(^|/)(\.?pytest\.(toml|ini)|pyproject\.toml|tox\.ini|setup\.cfg)$")
_COVERAGE_FILES = (".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml", ".coveragerc.toml")
_STRICT = ("xfail_strict", "strict", "strict_config", "strict_markers", "strict_xfail")
_WIDER = ("omit", "exclude_lines", "exclude_also", "exclude", "partial_branches")
_NARROWER = ("source", "include", "source_pkgs")
_YES = frozenset({"true", "1", "yes", "on"})
_REMEDY = "Keep the setting, or say in the pull request why less is checked; a person must look."


def find_runner_config(step: MuteStep) -> Iterator[Mute]:
    """Yield settings by which fewer tests run, or less of them counts."""
    configs = [path for path in step.changed if _PYTEST_FILES.search(path)]
    for folder in sorted({"", *(path.rpartition("/")[0] for path in configs)} if configs else ()):
        yield from _pytest(step, folder, configs)
    if any(path in _COVERAGE_FILES for path in step.changed):
        yield from _coverage(step)
    for path in step.changed:
        if may_run(path):
            yield from _spread(step, path)


def _pytest(step: MuteStep, folder: str, configs: list[str]) -> Iterator[Mute]:
    before, after = resolve_config(step.old.tree, folder), resolve_config(step.new.tree, folder)
    if folder and before.inipath == after.inipath:
        return  # what counts at the top is compared there
    path = after.inipath or before.inipath or configs[0]
    old, new = before.settings, after.settings
    options = [ToolCall("pytest", tuple(_words(each.get("addopts", "")))) for each in (old, new)]
    for how in sorted(set(runs_nothing(options[1])) - set(runs_nothing(options[0]))):
        yield _mute(
            path,
            "addopts",
            options[0].words,
            f"{how}, which checks nothing",
            Certainty.CLEAR,
        )
    for how in losses(*options):
        yield _mute(path, "addopts", options[0].words, how)
    yield from _strictness(path, old, new)
    yield from _warnings(path, old, new)
    lost = set(_words(old.get("testpaths", ""))) - set(_words(new.get("testpaths", "")))
    if lost and new.get("testpaths"):
        yield _mute(path, "testpaths", old["testpaths"], f"without {', '.join(sorted(lost))}")
    if new.get("reruns") and not old.get("reruns"):
        yield _mute(path, "reruns", None, str(new["reruns"]))
    if (
        old.get("empty_parameter_set_mark") == "fail_at_collect"
        and new.get("empty_parameter_set_mark") != "fail_at_collect"
    ):
        yield _mute(path, "empty_parameter_set_mark", "fail_at_collect", "skips them")


def _strictness(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Mute]:
    for key in _STRICT:
        was, now = (str(each.get(key, "")).lower() in _YES for each in (old, new))
        if was and not now:
            yield _mute(path, key, "true", str(new.get(key, "gone")))


def _warnings(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Mute]:
    before, after = (_lines(each.get("filterwarnings", "")) for each in (old, new))
    for line in before:
        if line.startswith("error") and line not in after:
            yield _mute(path, "filterwarnings", line, "gone")
    for line in after:
        if line.startswith(("ignore", "default", "once")) and line not in before:
            broad = line == "ignore" and any(each.startswith("error") for each in before)
            certainty = Certainty.DOUBTFUL if broad else Certainty.TOLD
            yield _mute(path, "filterwarnings", None, line, certainty)


def _coverage(step: MuteStep) -> Iterator[Mute]:
    old, new = (_coverage_values(side.tree) for side in (step.old, step.new))
    path = next(each for each in _COVERAGE_FILES if each in step.changed)
    was, now = (_number(each.get("fail_under")) for each in (old, new))
    if now < was:
        yield _mute(path, "coverage fail_under", old.get("fail_under"), f"{now:g}")
    for key in _WIDER:
        more = [e for e in _lines(new.get(key, "")) if e not in _lines(old.get(key, ""))]
        if more:
            yield _mute(path, f"coverage {key}", None, f"{', '.join(more[:3])} is left out")
    for key in _NARROWER:
        before, after = _lines(old.get(key, "")), _lines(new.get(key, ""))
        lost = [each for each in before if each not in after]
        if lost and after:
            yield _mute(
                path, f"coverage {key}", ", ".join(before), f"without {', '.join(lost[:3])}"
            )
    if str(old.get("branch")).lower() in _YES and str(new.get("branch", "")).lower() not in _YES:
        yield _mute(path, "coverage branch", "true", "off")


def _coverage_values(tree: Tree) -> dict[str, Any]:
    """All of coverage's settings at the top of a tree, whichever file has them."""
    found: dict[str, Any] = {}
    for path in reversed(_COVERAGE_FILES):
        entry = tree.entry(path)
        if entry is None or not entry.is_regular:
            continue
        for section in ("run", "report"):
            found.update(_section(tree, path, section))
    return found


def _section(tree: Tree, path: str, section: str) -> Mapping[str, Any]:
    entry = tree.entry(path)
    if entry is None:
        return {}
    if path.endswith(".toml"):
        tables: Any = tree.toml(entry) or {}
        for key in ("tool", "coverage", section) if path == "pyproject.toml" else (section,):
            tables = tables.get(key, {}) if isinstance(tables, dict) else {}
        return tables if isinstance(tables, dict) else {}
    try:
        sections = parse_ini(tree.source(entry))
    except IniError:
        return {}
    return sections.get(section if path == ".coveragerc" else f"coverage:{section}", {})


def _spread(step: MuteStep, path: str) -> Iterator[Mute]:
    """Versions and environments that are tried no more."""
    old, new = _tried(step.old.tree, path), _tried(step.new.tree, path)
    for name, before in old.items():
        after = new.get(name)
        lost = sorted(before - after) if after is not None else []
        if after is not None and lost and len(after) < len(before):
            yield _mute(path, name, ", ".join(sorted(before)), f"without {', '.join(lost)}")
    for name in new.keys() - old.keys():
        if name.endswith("/exclude") and any(
            each.startswith(name.rpartition("/")[0]) for each in old
        ):
            yield _mute(path, name, None, ", ".join(sorted(new[name])))


def _tried(tree: Tree, path: str) -> dict[str, set[str]]:
    entry = tree.entry(path)
    if entry is None or not entry.is_regular:
        return {}
    low = path.lower()
    try:
        if low.endswith((".yml", ".yaml")):
            return dict(_matrices(load_yaml(tree.source(entry)), "", 0))
        if low.endswith(("tox.ini", "setup.cfg")):
            return _environments(parse_ini(tree.source(entry)))
        if low.endswith("noxfile.py"):
            return _sessions(tree.source(entry))
    except (YamlError, IniError):
        return {}
    return {}


def _matrices(node: Any, where: str, depth: int) -> Iterator[tuple[str, set[str]]]:
    if depth > 12 or not isinstance(node, dict):
        return
    for key, value in node.items():
        place = f"{where}/{key}".lstrip("/")
        if key == "matrix" and isinstance(value, dict):
            for name, rows in value.items():
                if isinstance(rows, list) and name != "include":
                    yield f"{place}/{name}", {str(each) for each in rows[:500]}
        elif depth < 12:
            yield from _matrices(value, place, depth + 1)


def _environments(sections: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    for name in ("tox", "tox:tox"):
        options = sections.get(name, {})
        text = options.get("envlist") or options.get("env_list") or ""
        parts = re.findall(r"(?:[^\s,{]|\{[^}]*\})+", text)
        found = {each for part in parts for each in _braces(part)}
        if found:
            return {"envlist": found}
    return {}


def _braces(text: str) -> list[str]:
    """`py{311,312}-a` as the two that it stands for."""
    found = [""]
    for part in re.split(r"(\{[^}]*\})", text)[:20]:
        words = part[1:-1].split(",") if part.startswith("{") else [part]
        found = [start + word.strip() for start in found for word in words][:500]
    return found


def _sessions(source: bytes) -> dict[str, set[str]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, set[str]] = {}
    for node in tree.body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                value = fold(keyword.value)
                if keyword.arg in ("python", "py") and isinstance(value, list | tuple):
                    assert isinstance(node, ast.FunctionDef)  # noqa: S101 - it has decorators
                    found[f"session {node.name}"] = {str(each) for each in value}
        if isinstance(node, ast.Assign) and unparsed(node.targets[0]) == "nox.options.sessions":
            value = fold(node.value)
            found["nox.options.sessions"] = (
                set(map(str, value)) if isinstance(value, list | tuple) else set()
            )
    return found


def _words(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(each) for each in value]
    try:
        return shlex.split(str(value))
    except ValueError:
        return str(value).split()


def _lines(value: object) -> list[str]:
    lines = value if isinstance(value, list | tuple) else re.split(r"[\n,]", str(value or ""))
    return [str(line).strip() for line in lines if str(line).strip()]


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return 0.0


def _mute(
    path: str, key: str, was: object, now: str, certainty: Certainty = Certainty.DOUBTFUL
) -> Mute:
    before = " ".join(was) if isinstance(was, tuple) else str(was or "nothing of that kind")
    return Mute(
        family=MuteFamily.RUNNER,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=None,
        was=f"{key}: {before}",
        now=f"{key}: {now}",
        remedy=_REMEDY,
        before=f"{key}: {before}",
        after=f"{key}: {now}",
    )
