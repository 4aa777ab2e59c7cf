"""Scripts that change the tests or the tree before they run them, or end before they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.job_flags import Flags
from freezegate.policy.mutes.shell import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TESTS = re.compile(
    r"(\./)?([\w.-]+/)*(tests?|testing)(/\*+)?/?|(.*/)?(conftest|test_[^/]*|[^/]*_test)\.py"
    r"|(\./)?([\w.-]+/)*(tests?|testing)/.*(\.py|\*)"
)
_CODE = re.compile(r"(\./)?(src|lib)(/.*)?/?|.*\.py")
_CHANGING = frozenset({"rm", "unlink", "mv", "truncate", "shred", "sed", "perl", "cp", "find"})
_IN_PLACE = re.compile(r"-[a-zA-Z]*i.*|--in-place.*|-delete|-exec")
_MOVING = frozenset({"checkout", "restore", "reset", "switch", "rm", "stash", "apply", "revert"})
_OWN_REVISION = re.compile(
    r"\$\{?\{?.*(github\.|GITHUB_|CI_COMMIT|HEAD|SHA|sha)|HEAD|\.|FETCH_HEAD"
)
_EXIT = re.compile(r"(exit|return)(\s+0)?|exec\s+true")
_OPENS = re.compile(r"(?:^|[;&|(]|\bthen|\belse|\bdo)\s*(?:if|case|for|while|until)\b|\{\s*$|\($")
_CLOSES = re.compile(r"(?:^|[;\s])(?:fi|esac|done)\b|^\s*[})]")
_INSTALLS = re.compile(r"\bpip3? install\s([^\n;&|]*)|\buv pip install\s([^\n;&|]*)")
_TOOLS = re.compile(
    r"-.*|['\"]?(pip|pytest|tox|nox|uv|hatch|poetry|coverage|hypothesis|wheel|setuptools|build|mock"
    r"|codecov|virtualenv|pre-commit|ruff|mypy)\b.*"
)
_LOCAL = re.compile(
    r"(^|[\s'\"=/])(\.|-e|-r|--requirement|--editable|--group)|\.whl|\.tar|dist/|\$"
)


def tampered(scripts: Iterable[str]) -> Flags:
    """Return how scripts that come before a run of the tests change what it runs."""
    lost, unsure = set[str](), set[str]()
    texts = tuple(scripts)
    for text in texts:
        for command in commands_of(text):
            words = command.words[1:] if command.words[:1] == ("sudo",) else command.words
            found = _git(words) if words[:1] == ("git",) else _files(words)
            lost, unsure = lost | found.lost, unsure | found.unsure
    installed = [m[1] or m[2] or "" for text in texts for m in _INSTALLS.finditer(text)]
    others = [word for each in installed for word in each.split() if not _TOOLS.fullmatch(word)]
    if others and not any(_LOCAL.search(each) for each in installed):
        unsure.add("nothing installs what stands here")
    return Flags(frozenset(lost), frozenset(unsure))


def commands_before_exit(script: str) -> int | None:
    """Return how many commands of a script come before an `exit 0` that nothing asks for."""
    depth = place = 0
    for line in script.splitlines(keepends=True):
        bare = line.split("#")[0].strip().rstrip(";").strip()
        if depth == 0 and _EXIT.fullmatch(bare):
            return sum(1 for _ in commands_of(script[:place]))
        depth += len(_OPENS.findall(bare)) - len(_CLOSES.findall(bare))
        place += len(line)
    return None


def _files(words: Sequence[str]) -> Flags:
    head = words[0].rpartition("/")[2] if words else ""
    edits = head in ("sed", "perl", "find")
    if head not in _CHANGING or (edits and not any(map(_IN_PLACE.fullmatch, words[1:]))):
        return Flags()
    names = [word for word in words[1:] if not word.startswith("-")]
    names = names[-1:] if head == "cp" else names
    told = frozenset({" ".join((head, *names))[:80] + " in front"})
    if any(_TESTS.fullmatch(name) for name in names):
        return Flags(unsure=told) if head == "cp" else Flags(lost=told)
    return Flags(unsure=told) if any(_CODE.fullmatch(name) for name in names) else Flags()


def _git(words: Sequence[str]) -> Flags:
    """`git checkout HEAD~1 -- src` and its like; the revision that is judged is none."""
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    named = [w for w in words[words.index(verb) + 1 :] if not w.startswith("-")] if verb else []
    if verb not in _MOVING or "-b" in words or all(map(_OWN_REVISION.fullmatch, named or ["."])):
        return Flags(unsure=frozenset({"git stash in front"})) if verb == "stash" else Flags()
    text = " ".join(words)[:80]
    told = frozenset({f"{text} in front"})
    paths = [name for name in named if _TESTS.fullmatch(name) or _CODE.fullmatch(name)]
    return Flags(lost=told) if paths or re.search(r"HEAD[~^@]", text) else Flags(unsure=told)
