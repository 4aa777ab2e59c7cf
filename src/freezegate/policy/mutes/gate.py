"""Hooks, policy, owners, attributes, ignore files and triggers: what guards the tests, and less."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from freezegate.model.globs import Glob
from freezegate.policy.globs import matches
from freezegate.policy.guards import POLICY_PATH, is_hook_file, may_be_ci_file
from freezegate.policy.mutes.mute import Certainty, Mute
from freezegate.policy.mutes.places import at_its_line
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.settings_order import looser
from freezegate.policy.mutes.triggers import guard_told, narrowed_triggers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_OWNERS = frozenset({"CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"})
# What stands for all that a guard is about, beside the files that are there.
_SAMPLES = (
    "tests/test_new.py",
    "test_new.py",
    "tests/conftest.py",
    "tests/__snapshots__/test_new.ambr",
    ".freeze/policy.toml",
    ".freeze/ledger.jsonl",
    ".freeze/record.json",
    ".freeze/evidence/new.json",
    ".freeze/snapshots/new",
    ".github/workflows/ci.yml",
)
_MAX_SAMPLES = 200
_HIDING = re.compile(r"-diff|-text|binary|diff=\S+|filter=\S+|linguist-generated(=true)?|merge=\S+")


def find_gate(step: MuteStep) -> Iterator[Mute]:
    """Yield what guards less on the new side."""
    for path in step.changed:
        name = path.rpartition("/")[2]
        if path.encode("utf-8", "surrogateescape") == POLICY_PATH:
            yield from _policy(step, path)
        elif is_hook_file(path.encode("utf-8", "surrogateescape")):
            yield from _hooks(step, path)
        elif path in _OWNERS:
            yield from _owners(step, path)
        elif name in (".gitattributes", ".gitignore"):
            yield from _rules(step, path, name)
        elif may_be_ci_file(path.encode("utf-8", "surrogateescape")):
            yield from (at_its_line(step.new, mute) for mute in narrowed_triggers(step, path))


def _policy(step: MuteStep, path: str) -> Iterator[Mute]:
    old, new = (_tables(side, path) for side in (step.old, step.new))
    if old is not None and new is not None:
        for key, was, now in looser(old, new):
            yield guard_told(path, f"{key}: {was}", f"{key}: {now}", Certainty.CLEAR)


def _tables(side: Side, path: str) -> Mapping[str, Any] | None:
    entry = side.entry(path)
    return side.tree.toml(entry) if entry else None


def _hooks(step: MuteStep, path: str) -> Iterator[Mute]:
    old, new = step.old.entry(path), step.new.entry(path)
    if old is None:
        return
    if new is None:
        yield guard_told(path, "a file that configures hooks", "gone", Certainty.CLEAR)
        return
    if old.mode & 0o111 and not new.mode & 0o111:
        yield guard_told(path, "executable: git runs it", "not executable: git passes it over")
    before, after = _hook_settings(step.old, path), _hook_settings(step.new, path)
    if before is None or after is None:
        if before is not None:
            yield guard_told(path, "hooks that could be read", "a file that does not parse")
        return
    for name in before.keys() - after.keys():
        yield guard_told(path, f"hook {name}", "gone")
    for name, settings in after.items():
        for key in sorted(settings - before.get(name, frozenset()) if name in before else ()):
            yield guard_told(path, f"{name} without it", f"{name}: {key}")


def _hook_settings(side: Side, path: str) -> dict[str, frozenset[str]] | None:
    """Each hook of a configuration with the settings that narrow when it runs."""
    entry = side.entry(path)
    if entry is None or not path.endswith((".yml", ".yaml", ".toml")):
        return {}
    if path.endswith(".toml"):
        found: Any = side.tree.toml(entry)
    else:
        try:
            found = load_yaml(side.tree.source(entry))
        except YamlError:
            return None
    return dict(_named_hooks(found, "", 0)) if isinstance(found, dict) else None


def _named_hooks(node: Any, where: str, depth: int) -> Iterator[tuple[str, frozenset[str]]]:
    if depth > 12:
        return
    if isinstance(node, list):
        for each in node:
            yield from _named_hooks(each, where, depth + 1)
    elif isinstance(node, dict):
        name = str(node.get("id", ""))
        is_command = "run" in node or "commands" in where.split("/")[-2:-1]
        if name or is_command or not where:
            narrowing = {
                f"{key}: {value}"
                for key, value in node.items()
                if key
                in ("exclude", "files", "skip", "only", "glob", "types", "fail_fast_off", "ci")
                or (key in ("stages", "default_stages") and "manual" in str(value))
                or (
                    key in ("args", "entry", "run")
                    and re.search(r"exit-zero|\|\| *(true|:)", str(value))
                )
            }
            yield name or where or "all hooks", frozenset(narrowing)
        for key, value in node.items():
            yield from _named_hooks(value, f"{where}/{key}".lstrip("/"), depth + 1)


def _owners(step: MuteStep, path: str) -> Iterator[Mute]:
    """A file whose last matching rule names fewer owners than before."""
    old, new = _rows(step.old, path), _rows(step.new, path)
    for sample in _samples(step):
        before, after = _owned(old, sample), _owned(new, sample)
        if before - after and not after >= before and len(after) < len(before):
            yield guard_told(
                path,
                f"{sample} is owned by {', '.join(sorted(before))}",
                f"{sample} is owned by {', '.join(sorted(after)) or 'nobody'}",
            )
            return


def _owned(rows: list[tuple[str, list[str]]], sample: str) -> frozenset[str]:
    owners: list[str] = []
    for pattern, words in rows:
        if _reaches(pattern, sample):
            owners = words
    return frozenset(owners)


def _rules(step: MuteStep, path: str, name: str) -> Iterator[Mute]:
    """Attributes that hide tests from a diff, and files that git no longer sees."""
    old, new = _rows(step.old, path), _rows(step.new, path)
    folder = path.rpartition("/")[0]
    for sample in _samples(step):
        if folder and not sample.startswith(folder + "/"):
            continue
        inside = sample.removeprefix(folder + "/") if folder else sample
        if name == ".gitignore":
            before, after = (
                {"ignored"} if _ignored(rows, inside) else set() for rows in (old, new)
            )
        else:
            before, after = (_hidden(rows, inside) for rows in (old, new))
        if after - before:
            yield guard_told(
                path,
                f"{sample} is shown and tracked",
                f"{sample}: {' '.join(sorted(after - before))}",
            )
            return


def _ignored(rows: list[tuple[str, list[str]]], sample: str) -> bool:
    globs = tuple(Glob(" ".join([pattern, *words])) for pattern, words in rows)
    return matches(globs, sample.encode("utf-8", "surrogateescape"))


def _hidden(rows: list[tuple[str, list[str]]], sample: str) -> set[str]:
    found = set[str]()
    for pattern, words in rows:
        if not pattern.startswith("[attr]") and _reaches(pattern, sample):
            found |= {word for word in words if _HIDING.fullmatch(word)}
            found -= {word.removeprefix("-") for word in words if word.startswith("-")}
    return found


def _rows(side: Side, path: str) -> list[tuple[str, list[str]]]:
    entry = side.entry(path)
    text = side.tree.source(entry).decode("utf-8", "replace") if entry else ""
    rows = (line.split() for line in text.splitlines() if line.strip()[:1] not in ("", "#"))
    return [(words[0], words[1:]) for words in rows]


def _reaches(pattern: str, sample: str) -> bool:
    try:
        return matches((Glob(pattern),), sample.encode("utf-8", "surrogateescape"))
    except ValueError:
        return False


def _samples(step: MuteStep) -> Iterator[str]:
    """Tests, workflows and the gate's own files: some that are there, and some that may come."""
    found = 0
    for path, _ in step.new.tree.files(""):
        guarded = path.startswith((".freeze/", ".github/")) or step.is_test_code(path)
        if guarded and found < _MAX_SAMPLES:
            found += 1
            yield path
        elif found >= _MAX_SAMPLES:
            break
    yield from _SAMPLES
