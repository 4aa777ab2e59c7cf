"""Whether the shell that a CI file names for its scripts runs them at all: `shell: "true {0}"`."""

from __future__ import annotations

import re
from typing import Any

from freezegate.policy.mutes.job_flags import Flags
from freezegate.policy.mutes.shell import Shell, commands_of

_SCRIPT = "{0}"  # where GitHub puts the name of the script's file
_IDLE = frozenset(
    {"true", ":", "echo", "printf", "cat", "ls", "test", "[", "head", "wc", "touch", "stat"}
    | {
        "rm",
        "grep",
        "tee",
        "sleep",
        "exit",
        "dirname",
        "basename",
        "readlink",
        "md5sum",
        "truncate",
    }
)
_RUNNING = re.compile(
    r"(ba|da|z|k|fi|a)?sh|pwsh|powershell|cmd|python[\d.]*|perl|ruby|node|msys2|cygwin|wsl.*"
    r"|micromamba-shell|nix|nix-shell|conda|alpine.sh|sudo|env|xvfb-run|docker|ssh|nu|julia|R|Rscript"
)


def shell_of(node: dict[Any, Any], name: str) -> str:
    """Return the shell that holds inside of a table: its own, its default, or the one above."""
    defaults = node.get("defaults")
    run = defaults.get("run") if isinstance(defaults, dict) else None
    default = run.get("shell") if isinstance(run, dict) else None
    found = node.get("shell") or default
    return found if isinstance(found, str) else name


def started_by(name: str, above: Shell) -> Shell:
    """GitHub hands pipes on where `shell: bash` is written, and not where it is left out."""
    if not name:
        return above
    return Shell(
        errexit=_SCRIPT not in name or re.search(r"\s-[a-z]*e", name) is not None,
        pipefail=name == "bash" or "pipefail" in name,
    )


def flags_of_shell(name: str) -> Flags:
    """Return how a shell of its own loses what its script says."""
    if _SCRIPT not in name:  # CircleCI: `shell: /bin/true`
        folder, _, program = name.split(" ")[0].rpartition("/")
        idle = bool(folder) and program in _IDLE
        return Flags(lost=frozenset({f"shell: {name}"})) if idle else Flags()
    commands = [each for each in commands_of(name) if any(_SCRIPT in word for word in each.words)]
    if not commands:
        return Flags()
    last = commands[-1]  # the innermost: `bash -c "true {0}"`
    head = last.words[0].rpartition("/")[2]
    text = frozenset({f"shell: {name}"})
    if head in _IDLE or last.lost or any(_only_reads(each.words) for each in commands):
        return Flags(lost=text)
    return Flags() if _RUNNING.fullmatch(head) or _SCRIPT in head else Flags(unsure=text)


def _only_reads(words: tuple[str, ...]) -> bool:
    """`bash -n` looks at the syntax, and runs nothing."""
    is_shell = re.fullmatch(r"(ba|da|z|k)?sh", words[0].rpartition("/")[2]) is not None
    return is_shell and any(re.fullmatch(r"-[a-z]*n[a-z]*", word) for word in words[1:])
