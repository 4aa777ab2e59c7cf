"""What of an exception's text is the same in every process: the rest is folded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.paths import is_hidden_character

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.observation import Failure, Leaf

_MAX_READ_CHARS = 20_000  # of a message; ten times what a signature can hold


class Folders(NamedTuple):
    """Absolute folders of one run, in every spelling that it may print (links resolved or not).

    `trees` are the built tree's top, `temporary` its TMPDIR, HOME and the like.
    """

    trees: tuple[str, ...] = ()
    temporary: tuple[str, ...] = ()


def fold_message(raised: Failure | Leaf, folders: Folders) -> str:
    """Return a message with all folded that differs from process to process."""
    text = _ESCAPE.sub("", raised.message[:_MAX_READ_CHARS])
    lines = _without_example(text.splitlines())
    if raised.type_name.rpartition(".")[2] == "AssertionError":
        lines = _without_explanation(lines)
    return one_line(_fold(" ".join(lines), folders))


def one_line(text: str) -> str:
    """Return a text with hidden characters as blanks, and white space collapsed."""
    return " ".join("".join(" " if is_hidden_character(c) else c for c in text).split())


_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_EXAMPLE = re.compile(
    r"\s*(?:Falsifying (?:explicit )?example:|You can reproduce this example by|Draw \d+(?: \(|:)"
    r"|Failed to reproduce exception\. Expected:)"
)
_DIFFERENCE = re.compile(r"\s*(?:[-+?] |[-+?]$|@@ |--- |\+\+\+ |Diff is \d+ characters long\.)")
# Where pytest and unittest cut a long representation: at a place that depends on its values.
_CUT = re.compile(r"(?<![\w.+-])[\w.+-]*\.\.\.(?=[^\s'\"])[\w.+-]*")
_CUT_BY_UNITTEST = re.compile(r"(?<![\w.+-])[\w.+-]*\[\d+ chars\][\w.+-]*")

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?\b"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? "
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_START = r"(?<![A-Za-z0-9_])(?<!\d[.,])"  # neither in a name nor inside a number
_NUMBER = r"\d[\d_]*(?:[.,]\d+)*\.?(?:[eE][-+]?\d+)?"
_SIGN = r"(?:(?<![\w)\]>])[-+])?"
_UNIT = r"(?:ns|us|µs|μs|ms|s|secs?|seconds?|mins?|minutes?|hours?)"
_IPV6 = (
    r"(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
    r"|(?=[a-f:]*\d)(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6})"
)
_MAC = r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}"
_TEMPORARY = (
    r"(?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)",
    r"[A-Za-z]:[/\\]+(?:Users[/\\]+[^/\\]+[/\\]+AppData[/\\]+Local[/\\]+Temp|Windows[/\\]+Temp)",
)
_REST_OF_PATH = r"(?P<rest>[/\\][^\s'\"<>|,;:)\]}]*)?"

# In this order: what comes first takes its digits away from what follows.
_FOLDS = tuple(
    (re.compile(pattern, flags), placeholder)
    for pattern, placeholder, flags in (
        (
            r"\bHypothesis ([\w.<>]+)\(.*?\) produces unreliable",
            r"Hypothesis \1(<example>) produces unreliable",
            re.DOTALL,
        ),
        (r"(\.[A-Za-z]{1,5}):\d+(?::\d+)?", r"\1:<n>", 0),  # lines and columns of files
        (r"\b(?:datetime\.)?(?:datetime|date|time|timedelta)\([^()]*\)", "<time>", 0),
        (rf"(?<![\w:.])(?:{_IPV6}|{_MAC})(?![\w:])", "<address>", re.IGNORECASE),
        (rf"{_DAY}\d{{1,2}} {_MONTH} \d{{4}}(?: {_TIME}{_ZONE})?", "<time>", 0),
        (rf"{_DAY}{_MONTH} +\d{{1,2}} {_TIME} \d{{4}}", "<time>", 0),
        (rf"{_START}\d{{4}}[-/]\d{{2}}[-/]\d{{2}}(?:[T ]{_TIME}{_ZONE})?", "<time>", 0),
        (rf"{_START}(?:\d+ days?, )?{_TIME}{_ZONE}(?!\w)", "<time>", 0),
        (
            r"(?<![A-Za-z0-9])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9])",
            "<uuid>",
            re.IGNORECASE,
        ),
        (r"(?<![A-Za-z0-9])0x[0-9a-f]+", "<address>", re.IGNORECASE),
        # hexadecimal ids: digits and letters, seven or more, as in short commit ids
        (
            r"(?<![A-Za-z0-9])(?<!\d\.)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}(?![A-Za-z0-9])",
            "<id>",
            re.IGNORECASE,
        ),
        # opaque tokens: sixteen or more letters and digits, four digits among them
        (
            r"(?<![A-Za-z0-9])(?<!\d\.)(?=(?:[A-Za-z]*\d){4})(?=\d*[A-Za-z])"
            r"[A-Za-z0-9]{16,}(?![A-Za-z0-9])",
            "<id>",
            0,
        ),
        (rf"{_START}{_SIGN}{_NUMBER}[-+]{_NUMBER}j\b", "<n>", 0),
        (rf"{_START}{_SIGN}{_NUMBER}\s?{_UNIT}\b", "<duration>", 0),
        (rf"{_START}{_SIGN}{_NUMBER}", "<n>", 0),
        (r"(?<=_)\d{4,}(?![A-Za-z0-9])", "<n>", 0),  # process ids and time stamps in names
        (r"<n>(?:,\s*<n>|,?\s*\.{2,3})+,?", "<n>", 0),
        (r"\(<n> sub-exceptions?\)", "(<n> sub-exceptions)", 0),
    )
)
# As Python's tempfile makes them: alone, and behind a prefix (where digits tell it from a word).
_RANDOM_NAME = re.compile(r"tmp[a-z0-9_]{8}(?![a-z0-9_])")
_RANDOM_PART = re.compile(r"(?<=[-_.])(?=[a-z_]*\d)[a-z0-9_]{8}(?![A-Za-z0-9_])")


def _without_example(lines: list[str]) -> list[str]:
    """Return the lines before the example that Hypothesis shows."""
    for number, line in enumerate(lines):
        if _EXAMPLE.match(line):
            return lines[:number]
    return lines


def _without_explanation(lines: list[str]) -> list[str]:
    """Return an assertion's lines without what is explained below, and without differences."""
    for number, line in enumerate(lines):
        if line.startswith("assert "):
            return [*lines[:number], _CUT.sub(_without_halves, line)]
    return [_CUT_BY_UNITTEST.sub("...", line) for line in _without_differences(lines)]


def _without_halves(cut: re.Match[str]) -> str:
    return "0" if re.fullmatch(r"[\d.e+-]*\d[\d.e+-]*", cut[0]) else "..."


def _without_differences(lines: list[str]) -> list[str]:
    """Return the lines without differences; unittest joins the test's own words to the last."""
    shown = [number for number, line in enumerate(lines) if _DIFFERENCE.match(line)]
    words = {number: lines[number].partition(" : ")[2] for number in shown[-1:]}
    return [words.get(n, "") if n in shown else line for n, line in enumerate(lines)]


def _fold(text: str, folders: Folders) -> str:
    for tree in _folder_patterns(folders.trees):
        text = re.sub(tree, "<tree>", text)
    for pattern in _temporary_patterns(folders):
        text = re.sub(pattern + _REST_OF_PATH, _folded_path, text)
    for compiled, placeholder in _FOLDS:
        text = compiled.sub(placeholder, text)
    return text


def _folder_patterns(folders: Iterable[str]) -> list[str]:
    """Return patterns of whole folder names, the longest first; a root alone says nothing."""
    names = sorted((folder.rstrip("/\\") for folder in folders), key=len, reverse=True)
    return [rf"{re.escape(name)}(?![\w.-])" for name in names if name]


def _temporary_patterns(folders: Folders) -> list[str]:
    common = [rf"(?<![\w.~-]){root}(?![\w.-])" for root in _TEMPORARY]
    return _folder_patterns(folders.temporary) + common


def _folded_path(found: re.Match[str]) -> str:
    """Return `<tmp>`, with the file's name where that is not drawn at random."""
    name = re.split(r"[/\\]", found["rest"] or "")[-1]
    if "." not in name or _RANDOM_NAME.match(name):
        return "<tmp>"
    return f"<tmp>/{_RANDOM_PART.sub('<id>', name)}"
