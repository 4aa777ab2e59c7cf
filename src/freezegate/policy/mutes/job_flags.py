"""What the settings around a CI job's command say: failures that do not count, conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.policy.mutes.tool_calls import ToolCall, losses, runs_nothing

if TYPE_CHECKING:
    from collections.abc import Iterable

_IGNORING = frozenset(
    {"continue-on-error", "continueonerror", "continue_on_error", "allow_failure", "allow-failure"}
    | {"ignore_errors", "ignore-errors", "ignore_failure", "ignore_fail", "ignore_outcome"}
    | {"soft_fail", "failonerror_off", "ignore_error", "continue_on_failure", "allow_failures"}
)
_CONDITIONS = frozenset(
    {"if", "condition", "when", "rules", "only", "except", "filters", "skip_if"}
)
_FOLDERS = frozenset({"working-directory", "working_directory", "workingdirectory"})
_OFF = frozenset({"skip", "disabled", "skipped"})
_ALWAYS = frozenset({"always()", "success()", "!cancelled()", "true", "always", "on_success", "1"})
_NEVER = re.compile(r"(false|0|''|\"\"|null|never|manual)?|false\s*&&.*|.*&&\s*false")
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0", ""})
_VARIABLES = ("env", "environment", "variables", "setenv", "set_env", "envs")
_TELLING = frozenset(
    {"PYTEST_ADDOPTS", "PYTEST_PLUGINS", "TOX_SKIP_ENV", "SKIP", "NOXSESSION"}
    | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD", "TOX_TESTENV_PASSENV", "PRE_COMMIT_ALLOW_NO_CONFIG"}
)

# With these, expected results are written anew.
_WRITES_ANEW = re.compile(
    r"(.*_)?(UPDATE|REGEN(ERATE)?|OVERWRITE|REWRITE|BLESS|APPROVE|ACCEPT)_\w*"
    r"(GOLDEN|SNAPSHOT|EXPECT|BASELINE|REFERENCE|RESULT|APPROVED|TESTS?)\w*|SNAPSHOT_UPDATE"
)
_OWN_FOLDER = re.compile(
    r"PWD|GITHUB_WORKSPACE|github\.workspace|CI_PROJECT_DIR|CURDIR"
    r"|(^|[\s=:\"'])(\.{1,2}/|[A-Za-z_][\w.-]*/|(bin|tools|scripts|ci|tests?)(?=[:\s\"']|$))"
)
_SOURCES = re.compile(r"(.*/)?(src|lib|\.|\$\{?PWD\}?|\$\{?PYTHONPATH\}?|:)*/?")
_ELSEWHERE = re.compile(r"HOME|~|runner\.temp|\.venv|\bvenv|node_modules")


class Flags(NamedTuple):
    """What a command inherits from the settings around it."""

    lost: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()


def flags_of(node: dict[Any, Any], above: Flags) -> Flags:
    """Return what holds inside of one table of a CI file."""
    lost, unsure = set(above.lost), set(above.unsure)
    for key, value in node.items():
        name = str(key).lower()
        if name in _IGNORING:
            _ignored(name, value, lost, unsure)
        elif name in _CONDITIONS:
            _conditional(name, value, lost, unsure)
        elif (name in _OFF and _plain(value) in _YES) or (
            name == "enabled" and _plain(value) in _NO
        ):
            lost.add(f"{key}: {value}")
        elif name in _FOLDERS and isinstance(value, str) and value.strip("./"):
            unsure.add(f"{name}: {value}")
        elif name in _VARIABLES:
            _variables(value, lost, unsure)
    return Flags(frozenset(lost), frozenset(unsure))


def _ignored(name: str, value: Any, lost: set[str], unsure: set[str]) -> None:
    text = _plain(value)
    if text in _YES:
        lost.add(f"{name}: true")
    elif isinstance(value, dict):
        codes = str(value.get("exit_codes", value.get("exit_status", "")))
        (lost if re.search(r"\b1\b|\*", codes) else unsure).add(f"{name}: {value}")
    elif text not in _NO and value is not None:
        unsure.add(f"{name}: {value}")


def _conditional(name: str, value: Any, lost: set[str], unsure: set[str]) -> None:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        first = value[0]
        if _plain(first.get("when")) in ("never", "manual") and set(first) <= {
            "when",
            "allow_failure",
        }:
            lost.add(f"{name}: {first}")
            return
    if isinstance(value, str | bool) or value is None:
        text = _plain(value)
        if text in _ALWAYS:
            return
        if _NEVER.fullmatch(text):
            lost.add(f"{name}: {value}")
            return
    unsure.add(f"{name}: {value}")


def variables(pairs: Iterable[tuple[str, str]]) -> Flags:
    """Return what variables of the environment do to a run of the tests."""
    lost, unsure = set[str](), set[str]()
    for name, text in pairs:
        if name == "PYTEST_ADDOPTS":
            run = ToolCall("pytest", tuple(text.split()))
            lost |= {f"PYTEST_ADDOPTS: {each}" for each in runs_nothing(run)}
            unsure |= {f"PYTEST_ADDOPTS: {e}" for e in losses(ToolCall("pytest", ()), run)}
            named = {each for each in unsure if "--deselect" in each}
            lost, unsure = lost | named, unsure - named
        elif name == "PATH" and is_own_folder(text):
            unsure.add(f"{name}: {text}")
        elif (name == "PYTHONOPTIMIZE" or _WRITES_ANEW.fullmatch(name)) and text not in _NO:
            lost.add(f"{name}: {text}")
        elif (name == "PYTHONPATH" and is_own_folder(text) and not _SOURCES.fullmatch(text)) or (
            name in _TELLING and text
        ):
            unsure.add(f"{name}: {text}")
    return Flags(frozenset(lost), frozenset(unsure))


def _leads_elsewhere(text: str) -> bool:
    return is_own_folder(text) and _SOURCES.fullmatch(text) is None


def is_own_folder(text: str) -> bool:
    """Say whether a text names a folder of the repository, where a patch may put programs."""
    bare = re.sub(r"^\s*(echo|printf)\s+(-\w+\s+)*", "", text)
    return bool(_OWN_FOLDER.search(bare)) and not _ELSEWHERE.search(bare)


def _variables(value: Any, lost: set[str], unsure: set[str]) -> None:
    pairs: list[tuple[str, str]] = []
    if isinstance(value, dict):
        pairs = [(str(key), str(each)) for key, each in value.items()]
    else:
        lines = value if isinstance(value, list) else str(value).split("\n")
        for line in lines:
            name, _, text = str(line).partition("=")
            pairs.append((name.strip(), text.strip()))
    found = variables(pairs)
    lost |= found.lost
    unsure |= found.unsure


def _plain(value: Any) -> str:
    text = str(value).strip().lower()
    if text.startswith("${{") and text.endswith("}}"):
        text = text[3:-2].strip()
    return text
