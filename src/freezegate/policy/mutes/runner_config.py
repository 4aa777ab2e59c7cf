"""Settings of pytest and coverage, and the versions that CI tries: fewer tests, lower floors."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.coverage_config import COVERAGE_FILES, coverage_losses, floor_of
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.places import at_its_line
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.run_places import may_run
from freezegate.policy.mutes.runner import is_readable
from freezegate.policy.mutes.setting_texts import YES, lines_in, setting_told, words_in
from freezegate.policy.mutes.step import is_test_file
from freezegate.policy.mutes.tool_calls import ToolCall, losses, runs_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

_PYTEST_FILES = re.compile(r"(^|/)(\.?pytest\.(toml|ini)|pyproject\.toml|tox\.ini|setup\.cfg)$")
_STRICT = ("xfail_strict", "strict", "strict_config", "strict_markers", "strict_xfail")


def find_runner_config(step: MuteStep) -> Iterator[Mute]:
    """Yield settings by which fewer tests run, or less of them counts."""
    for mute in _found(step):
        yield at_its_line(step.new, mute)


def _found(step: MuteStep) -> Iterator[Mute]:
    if not all(is_readable(step.new, path) for path in step.changed if _is_read(step, path)):
        return  # what such a file says no more is told as one finding (runner.py)
    configs = [path for path in step.changed if _PYTEST_FILES.search(path)]
    for folder in sorted({"", *(path.rpartition("/")[0] for path in configs)} if configs else ()):
        yield from _pytest(step, folder, configs)
    if any(path in COVERAGE_FILES for path in step.changed):
        yield from coverage_losses(step)
    for path in step.changed:
        if may_run(path):
            yield from _spread(step, path)


def _is_read(step: MuteStep, path: str) -> bool:
    known = _PYTEST_FILES.search(path) or path in COVERAGE_FILES
    return bool(known) and may_run(path) and step.new.entry(path) is not None


def _pytest(step: MuteStep, folder: str, configs: list[str]) -> Iterator[Mute]:
    before, after = resolve_config(step.old.tree, folder), resolve_config(step.new.tree, folder)
    if folder and before.inipath == after.inipath:
        return  # what counts at the top is compared there
    path = after.inipath or before.inipath or configs[0]
    old, new = before.settings, after.settings
    options = [ToolCall("pytest", tuple(words_in(each.get("addopts", "")))) for each in (old, new)]
    for how in sorted(set(runs_nothing(options[1])) - set(runs_nothing(options[0]))):
        yield setting_told(
            path,
            "addopts",
            options[0].words,
            f"{how}, which checks nothing",
            Certainty.CLEAR,
        )
    floors = [floor_of(*each) for each in zip(options, (step.old, step.new), strict=True)]
    for how in losses(*options):
        if not (how.startswith("--cov-fail-under") and floors[1] >= floors[0]):
            yield setting_told(path, "addopts", options[0].words, how)
    yield from _strictness(path, old, new)
    yield from _warnings(path, old, new)
    lost = set(words_in(old.get("testpaths", ""))) - set(words_in(new.get("testpaths", "")))
    absent = [each for each in words_in(new.get("testpaths", "")) if _names_nothing(step, each)]
    tested = any(is_test_file(file) for file, _ in step.old.tree.files("")) if absent else False
    if tested and new.get("testpaths") != old.get("testpaths"):
        yield setting_told(path, "testpaths", None, f"{', '.join(absent)}, where nothing stands")
    if lost and new.get("testpaths"):
        yield setting_told(
            path, "testpaths", old["testpaths"], f"without {', '.join(sorted(lost))}"
        )
    if new.get("reruns") and not old.get("reruns"):
        yield setting_told(path, "reruns", None, str(new["reruns"]))
    if (
        old.get("empty_parameter_set_mark") == "fail_at_collect"
        and new.get("empty_parameter_set_mark") != "fail_at_collect"
    ):
        yield setting_told(path, "empty_parameter_set_mark", "fail_at_collect", "skips them")


def _names_nothing(step: MuteStep, entry: str) -> bool:
    plain = not any(mark in entry for mark in "*?[") and not entry.startswith("..")
    path = entry.removeprefix("./").rstrip("/")
    return plain and path not in ("", ".") and step.new.tree.entry(path) is None


def _strictness(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Mute]:
    for key in _STRICT:
        was, now = (str(each.get(key, "")).lower() in YES for each in (old, new))
        if was and not now:
            yield setting_told(path, key, "true", str(new.get(key, "gone")))


def _warnings(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Mute]:
    before, after = (lines_in(each.get("filterwarnings", "")) for each in (old, new))
    for line in before:
        if line.startswith("error") and line not in after:
            yield setting_told(path, "filterwarnings", line, "gone")
    for line in after:
        if line.startswith(("ignore", "default", "once")) and line not in before:
            broad = line == "ignore" and any(each.startswith("error") for each in before)
            certainty = Certainty.DOUBTFUL if broad else Certainty.TOLD
            yield setting_told(path, "filterwarnings", None, line, certainty)


def _spread(step: MuteStep, path: str) -> Iterator[Mute]:
    """Versions and environments that are tried no more."""
    old, new = _tried(step.old.tree, path), _tried(step.new.tree, path)
    for name, before in old.items():
        after = new.get(name)
        lost = sorted(before - after) if after is not None else []
        if after is not None and lost and len(after) < len(before):
            yield setting_told(path, name, ", ".join(sorted(before)), f"without {', '.join(lost)}")
    for name in new.keys() - old.keys():
        if name.endswith("/exclude") and any(
            each.startswith(name.rpartition("/")[0]) for each in old
        ):
            yield setting_told(path, name, None, ", ".join(sorted(new[name])))


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
