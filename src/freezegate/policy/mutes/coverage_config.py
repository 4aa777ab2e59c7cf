"""Settings of coverage: the floor below which a run fails, and what is left out of the count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.ini import IniError, parse_ini
from freezegate.policy.mutes.setting_texts import YES, lines_in, number_in, setting_told, words_in
from freezegate.policy.mutes.tool_calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

COVERAGE_FILES = (".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml", ".coveragerc.toml")
_WIDER = ("omit", "exclude_lines", "exclude_also", "exclude", "partial_branches")
_NARROWER = ("source", "include", "source_pkgs")


def floor_of(options: ToolCall, side: Side) -> float:
    """Return the coverage below which the run fails: an option, else coverage's own file."""
    given = [
        word.partition("=")[2] for word in options.words if word.startswith("--cov-fail-under")
    ]
    return number_in(given[-1] if given else _coverage_values(side.tree).get("fail_under"))


def coverage_losses(step: MuteStep) -> Iterator[Mute]:
    """Yield settings of coverage by which less counts."""
    old, new = (_coverage_values(side.tree) for side in (step.old, step.new))
    path = next(each for each in COVERAGE_FILES if each in step.changed)
    was, now = (number_in(each.get("fail_under")) for each in (old, new))
    if now < was and not _floor_is_kept(step, was):
        yield setting_told(path, "coverage fail_under", old.get("fail_under"), f"{now:g}")
    for key in _WIDER:
        more = [e for e in lines_in(new.get(key, "")) if e not in lines_in(old.get(key, ""))]
        if more:
            yield setting_told(path, f"coverage {key}", None, f"{', '.join(more[:3])} is left out")
    for key in _NARROWER:
        before, after = lines_in(old.get(key, "")), lines_in(new.get(key, ""))
        lost = [each for each in before if each not in after]
        if lost and after:
            yield setting_told(
                path, f"coverage {key}", ", ".join(before), f"without {', '.join(lost[:3])}"
            )
    if str(old.get("branch")).lower() in YES and str(new.get("branch", "")).lower() not in YES:
        yield setting_told(path, "coverage branch", "true", "off")


def _floor_is_kept(step: MuteStep, floor: float) -> bool:
    """Whether an option of pytest says the same floor now."""
    words = resolve_config(step.new.tree, "").settings.get("addopts", "")
    return floor_of(ToolCall("pytest", tuple(words_in(words))), step.new) >= floor


def _coverage_values(tree: Tree) -> dict[str, Any]:
    """All of coverage's settings at the top of a tree, whichever file has them."""
    found: dict[str, Any] = {}
    for path in reversed(COVERAGE_FILES):
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
