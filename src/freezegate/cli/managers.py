"""Hook managers: the lines to paste, and `.pre-commit-config.yaml` edited by text span."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from freezegate.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_TYPES = "[pre-commit, pre-merge-commit, pre-push]"
# pre-push is verbose: that a manager hides refs must be read where the push passes, too.
_HOOKS = """\
- repo: local
  hooks:
    - id: freezegate
      name: freezegate
      entry: freezegate hook pre-commit
      language: system
      always_run: true
      pass_filenames: false
      require_serial: true
      stages: [pre-commit, pre-merge-commit, manual]
    - id: freezegate-pre-push
      name: freezegate (push)
      entry: freezegate hook pre-push
      language: system
      always_run: true
      pass_filenames: false
      require_serial: true
      verbose: true
      stages: [pre-push, manual]
"""
LINES = {
    "prek": """\
# prek reads .pre-commit-config.yaml: freezegate install --manager pre-commit, then: prek install
# With a prek.toml instead, add to it:
default_install_hook_types = ["pre-commit", "pre-merge-commit", "pre-push"]

[[repos]]
repo = "local"
hooks = [
  { id = "freezegate", name = "freezegate", entry = "freezegate hook pre-commit", \
language = "system", always_run = true, pass_filenames = false, require_serial = true, \
stages = ["pre-commit", "pre-merge-commit", "manual"] },
  { id = "freezegate-pre-push", name = "freezegate (push)", entry = "freezegate hook pre-push", \
language = "system", always_run = true, pass_filenames = false, require_serial = true, \
verbose = true, stages = ["pre-push", "manual"] },
]
# then: prek install""",
    "lefthook": """\
# add to lefthook.yml, then: lefthook install
pre-commit:
  commands:
    freezegate:
      run: freezegate hook pre-commit
pre-merge-commit:
  commands:
    freezegate:
      run: freezegate hook pre-merge-commit
pre-push:
  commands:
    freezegate:
      run: freezegate hook pre-push
      use_stdin: true""",
    "husky": """\
# add the last line of each to the file of that name, executable, under .husky/
.husky/pre-commit:        freezegate hook pre-commit
.husky/pre-merge-commit:  freezegate hook pre-merge-commit
.husky/pre-push:          freezegate hook pre-push "$@"      # before anything that reads stdin""",
}


def join_pre_commit_config(top: Path) -> bytes:
    """Return the configuration with our hooks in it; raises UsageError where that is not plain.

    The file is edited by text span, so that comments and order stay; both texts are parsed, and
    the new one must be the old one with our entry and nothing else.
    """
    path = top / ".pre-commit-config.yaml"
    try:
        stood = path.read_bytes().decode("utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        msg = ".pre-commit-config.yaml is not UTF-8"
        raise UsageError(msg) from None
    old = stood.replace("\r\n", "\n") if stood.strip() else "repos:\n"
    before = _parse(old)
    if _has_our_hooks(before):
        return stood.encode()
    new = _with_types(_with_hooks(old, before), before)
    _verify(before, _parse(new))
    return (new.replace("\n", "\r\n") if "\r\n" in stood else new).encode()


def _parse(text: str) -> dict[str, Any]:
    import yaml

    try:
        value: Any = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        msg = f".pre-commit-config.yaml does not parse: {error}"
        raise UsageError(msg) from None
    if not _has_shape(value):
        msg = ".pre-commit-config.yaml has no list of `repos`, each with its list of `hooks`"
        raise UsageError(msg)
    return dict(value)


def _has_shape(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("repos") or [], list):
        return False
    types = value.get("default_install_hook_types")
    if types is not None and not _is_list_of(types, str):
        return False
    return all(
        isinstance(repo, dict) and _is_list_of(repo.get("hooks") or [], dict)
        for repo in value.get("repos") or []
    )


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _has_our_hooks(value: dict[str, Any]) -> bool:
    hooks = [hook for repo in value.get("repos") or [] for hook in repo.get("hooks") or []]
    found = {"freezegate", "freezegate-pre-push"} & {str(hook.get("id")) for hook in hooks}
    if len(found) == 1:
        raise UsageError(_by_hand(f"it holds {found.pop()} alone"))
    return bool(found)


def _with_hooks(text: str, value: dict[str, Any]) -> str:
    """Put our entry behind the last one of `repos`, indented like it."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start = next(
        (i for i, line in enumerate(lines) if re.match(r"repos\s*:\s*(#.*)?$", line)), None
    )
    if start is None:
        raise UsageError(_by_hand("its `repos` stand in another form than one entry a line"))
    item = next((m[1] for line in lines[start + 1 :] if (m := re.match(r"(\s*)- ", line))), "")
    end = start + 1
    for place in range(start + 1, len(lines)):
        if re.match(r"[^\s#-]", lines[place]):
            break
        if lines[place].strip() and not lines[place].lstrip().startswith("#"):
            end = place + 1
    indent = item if value.get("repos") else ""
    ours = "".join(indent + line for line in _HOOKS.splitlines(keepends=True))
    return "".join((*lines[:end], ours, *lines[end:]))


def _with_types(text: str, value: dict[str, Any]) -> str:
    types = value.get("default_install_hook_types")
    if types is None:
        marker = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*---[ \t]*(?:#[^\n]*)?\n", text)
        place = marker.end() if marker else 0
        return f"{text[:place]}default_install_hook_types: {_TYPES}\n{text[place:]}"
    if not {"pre-commit", "pre-merge-commit", "pre-push"} <= set(types):
        raise UsageError(_by_hand(f"its default_install_hook_types are {types}"))
    return text


def _verify(before: dict[str, Any], after: dict[str, Any]) -> None:
    ours = _parse("repos:\n" + _HOOKS)["repos"]
    expected = dict(before) | {"repos": [*(before.get("repos") or []), *ours]}
    expected.setdefault("default_install_hook_types", _TYPES.strip("[]").split(", "))
    if after != expected:
        raise UsageError(_by_hand("an edit would change more than it should"))


def _by_hand(why: str) -> str:
    return (
        f".pre-commit-config.yaml cannot be edited safely: {why}. Paste this under `repos:`\n\n"
        f"{_HOOKS}\nand at the top\n\ndefault_install_hook_types: {_TYPES}"
    )
