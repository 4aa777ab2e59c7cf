"""What a shell script runs, and which commands of it may fail without anybody knowing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_NESTED = 4  # scripts in `sh -c` and `$( )`
_MAX_TEXT = 200_000
_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\r?\n)+)"
    r"|(?P<operator>&&|\|\||\|&|;;|(?<![<>])&(?!>)|[|;\n()])"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<word>(?:\$\{\{.*?\}\}|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|'[^']*'"
    r'|"(?:\\.|[^"\\])*"|\\.|(?:\d?>>?|<)&?\d?|[^\s|&;()\\\'"`$<>]+|\$|[<>&\'"`\\])+)',
    re.DOTALL,
)
_SUBSTITUTED = re.compile(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`", re.DOTALL)
_TOKEN_WORDS = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")
_KEYWORDS = frozenset(
    {
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "for",
        "do",
        "done",
        "while",
        "until",
        "case",
        "esac",
        "in",
    }
    | {"{", "}", "!"}
)
_CONDITIONS = frozenset({"if", "elif", "while", "until", "!"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "eval"})
_BENIGN = frozenset({"true", ":", "echo", "printf", "exit 0", "return 0", "/bin/true", "cat", "ls"})
_PASSED = re.compile(r"\$\?\"?\s+(-eq|=|==|-le)\s+\"?0\b|\$\?\"?\s+-lt\s+1\b")
_UNCERTAIN = frozenset({"[", "[[", "test"})


class Shell(NamedTuple):
    """How a script is started: whether the first failure ends it, and whether pipes hand it on."""

    errexit: bool = True
    pipefail: bool = False


class Command(NamedTuple):
    """A simple command: `lost` says how its failure is ignored, `unsure` how it may be."""

    words: tuple[str, ...]
    lost: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()
    variables: tuple[tuple[str, str], ...] = ()  # of its environment, as far as the script says


class _Part(NamedTuple):
    words: tuple[str, ...]
    raw: str
    before: str  # the operator in front
    after: str  # and behind
    keyword: str  # `if`, `!` and their like in front


def commands_of(script: str, shell: Shell = Shell(), depth: int = 0) -> Iterator[Command]:  # noqa: B008 - a value without state
    """Yield the commands of a script in their order, those of inner shells included."""
    if depth > _MAX_NESTED or len(script) > _MAX_TEXT:
        return
    parts = list(_parts(script))
    exported: tuple[tuple[str, str], ...] = ()
    state = shell
    silenced = False
    trapped = any(p.words[:1] == ("trap",) and _ends_well(p.raw) for p in parts)
    for place, part in enumerate(parts):
        if part.words[:1] == ("set",):
            state, silenced = _set(part.words, state, silenced=silenced)
        lost, unsure = _fate(parts, place, state, script)
        if silenced:
            kept = "$?" in script or re.search(r"exit \"?\$", script)
            (unsure if kept else lost).add("set +e")
        if trapped:
            lost.add("trap with exit 0")
        if part.words[:1] == ("export",):
            exported += _assignments(part.words[1:])
        given = (*exported, *_assignments(_TOKEN_WORDS.findall(part.raw)))
        command = Command(part.words, frozenset(lost), frozenset(unsure), given)
        yield command
        yield from _nested(part, command, depth)


def _assignments(words: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The variables in front of a command, or behind `env` and `export`."""
    found: list[tuple[str, str]] = []
    for word in words:
        match = re.fullmatch(r"(\w+)=(.*)", word, re.DOTALL)
        if match is None and word not in ("env", "export", "command", "exec"):
            break
        found += [(match[1], _unquoted(match[2]))] if match else []
    return tuple(found)


def _nested(part: _Part, command: Command, depth: int) -> Iterator[Command]:
    head = part.words[0].rpartition("/")[2] if part.words else ""
    if head in _SHELLS:
        inner = next((w for w in part.words[1:] if not w.startswith("-")), None)
        if head == "eval" or any(re.fullmatch(r"-[a-z]*c", word) for word in part.words):
            for each in commands_of(inner or "", Shell(errexit=False), depth + 1):
                yield each._replace(
                    lost=each.lost | command.lost, unsure=each.unsure | command.unsure
                )
    for match in _SUBSTITUTED.finditer(part.raw):
        kept = re.match(r"\s*\w+=", part.raw) is not None and not part.words
        for each in commands_of(match[1] or match[2] or "", Shell(errexit=False), depth + 1):
            lost = frozenset() if kept else frozenset({f"inside of {head or 'a word'} $(...)"})
            yield each._replace(lost=each.lost | lost)


def _fate(parts: list[_Part], place: int, shell: Shell, script: str) -> tuple[set[str], set[str]]:
    """Say how a failure of one command is lost, and how it may be."""
    lost, unsure = set[str](), set[str]()
    part = parts[place]
    if part.keyword == "!":
        lost.add("! in front")
    elif part.keyword in _CONDITIONS and not any(_fails(p) for p in parts[place + 1 :]):
        lost.add(f"{part.keyword} in front, and no exit behind")
    above = parts[place - 1] if place else part
    if part.before in ("&&", "||") and above.words[:1] and above.words[0] in _UNCERTAIN:
        unsure.add(f"only where {above.raw[:60]} {part.before}")
    end = place
    while parts[end].after in ("|", "|&") and end + 1 < len(parts):
        end += 1
    if end > place and not shell.pipefail and "PIPESTATUS" not in script:
        lost.add(f"| {parts[place + 1].words[0] if parts[place + 1].words else ''}")
    while parts[end].after == "&&" and end + 1 < len(parts):
        end += 1
    if parts[end].after == "||" and end + 1 < len(parts):
        _alternative(parts, end + 1, lost, unsure)
    elif parts[end].after == "&":
        # A bare `wait` succeeds however its children ended.
        if not any(p.words[:1] == ("wait",) and len(p.words) > 1 for p in parts[end:]):
            lost.add("& behind")
    elif parts[end].after in (";", "\n", ")") and end + 1 < len(parts):
        _followed(parts, end, shell, lost, unsure)
    return lost, unsure


def _alternative(parts: list[_Part], start: int, lost: set[str], unsure: set[str]) -> None:
    """`|| ...`: a failure goes on only where that fails as well."""
    first = parts[start]
    group = [first]
    if first.keyword == "{" or first.before == "(" or first.raw.startswith("{"):
        group = parts[start:]
    if any(_fails(each) for each in group):
        return
    text = f"|| {first.raw.strip()[:60]}"
    head = first.words[0] if first.words else ""
    plain = " ".join(first.words[:2])
    if head in _BENIGN or plain in _BENIGN or not first.words:
        lost.add(text)
    elif head in _UNCERTAIN:
        (unsure if _takes_no_failure(first.raw) else lost).add(text)
    else:
        unsure.add(text) if head in ("pytest", "tox", "nox", "python") else lost.add(text)


def _takes_no_failure(condition: str) -> bool:
    """Whether a test of `$?` takes at most 5, that no test was found."""
    if "$?" not in condition:
        return True
    return re.search(r"(-eq|=)\s*[\"']?5\b", condition) is not None and "!" not in condition


def _followed(parts: list[_Part], end: int, shell: Shell, lost: set[str], unsure: set[str]) -> None:
    """What comes behind: with `; true` that says how it ended."""
    following = parts[end + 1]
    plain = " ".join(following.words[:2])
    succeeds = plain in ("true", ":", "exit 0", "return 0", "/bin/true")
    if parts[end].after == ";" and succeeds:
        lost.add(f"; {plain}")
    elif not shell.errexit and following.words[:1] and following.words[0] in _UNCERTAIN:
        if "$?" in following.raw and not _PASSED.search(following.raw):
            takes = _takes_no_failure(following.raw)
            (unsure if takes else lost).add(f"; {following.raw.strip()[:60]}")
    elif not shell.errexit:
        last = " ".join(parts[-1].words[:2])
        if last in ("true", ":", "exit 0", "return 0"):
            lost.add(f"{last} at the end")
        elif parts[-1].words[:1] and parts[-1].words[0] in _BENIGN and "$" not in parts[-1].raw:
            lost.add(f"{parts[-1].words[0]} at the end")
        elif parts[end].after == ";" and not any("$" in p.raw for p in parts[end + 1 :]):
            unsure.add(f"; {following.raw.strip()[:60]}")


def _fails(part: _Part) -> bool:
    """Whether a command ends the script as failed."""
    if part.words[:1] == ("false",):
        return True
    return part.words[:1] in (("exit",), ("return",)) and part.words[1:2] != ("0",)


def _ends_well(raw: str) -> bool:
    return re.search(r"exit\s+0|\btrue\b", raw) is not None


def _set(words: tuple[str, ...], shell: Shell, *, silenced: bool) -> tuple[Shell, bool]:
    text = " ".join(words[1:])
    if re.search(r"(^|\s)\+[a-z]*e|\+o errexit", text):
        return shell._replace(errexit=False), True
    if re.search(r"(^|\s)-[a-z]*e|-o errexit", text):
        shell, silenced = shell._replace(errexit=True), False
    if "pipefail" in text:
        shell = shell._replace(pipefail="+o pipefail" not in text)
    return shell, silenced


def _parts(script: str) -> Iterator[_Part]:
    """Split a script into simple commands at its operators."""
    words: list[str] = []
    raw: list[str] = []
    before = keyword = ""
    place = 0
    found: list[_Part] = []
    while place < len(script):
        match = _TOKEN.match(script, place)
        if match is None:
            place += 1
            continue
        place = match.end()
        kind, text = match.lastgroup, match[0]
        if kind == "operator":
            if words or raw:
                found.append(_Part(tuple(words), " ".join(raw), before, text, keyword))
                keyword = ""
            elif text == "\n" and before in ("&&", "||", "|"):
                continue
            words, raw, before = [], [], text
        elif kind == "word":
            if not words and text in _KEYWORDS:
                if not (keyword in _CONDITIONS and text == "!" and keyword != "!"):
                    keyword = text if text in (*_CONDITIONS, "{") else keyword and ""
                else:
                    keyword = "if"
                continue
            raw.append(text)
            if not re.match(r"(\d?>|<)", text) and (words or not re.match(r"\w+=", text)):
                words.append(_unquoted(text))
    if words or raw:
        found.append(_Part(tuple(words), " ".join(raw), before, "", keyword))
    yield from found


def _unquoted(text: str) -> str:
    if text[:1] == text[-1:] and text[:1] in ("'", '"') and len(text) > 1:
        return text[1:-1]
    return re.sub(r"(?<!\\)['\"]", "", text).replace("\\", "")
