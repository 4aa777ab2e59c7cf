"""What `addopts` says of imports: pytest's own look for plugins, and the options that decide.

Source: pytest 9.2, `Config.parse` and `consider_preparse` of `_pytest/config/__init__.py`, with
argparse (no abbreviations, `@FILE` is read). `-c`, `--rootdir` and `addopts` by `-o` come too late
there to decide anything; what pytest would refuse, or what a reader cannot tell, is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SHORT_FLAGS = frozenset("hlqsvxV")
_SHORT_VALUES = {
    "k": "",
    "m": "",
    "W": "--pythonwarnings",
    "c": "",
    "p": "",
    "o": "--override-ini",
    "r": "",
}
_DECIDING = frozenset(
    {"--confcutdir", "--import-mode", "--override-ini", "--pdbcls", "--pythonwarnings"}
)
# Of pytest's own options those that want a word behind them; all others are flags, or a plugin's.
_LONG_VALUES = _DECIDING | frozenset(
    [
        "--assert",
        "--basetemp",
        "--capture",
        "--code-highlight",
        "--color",
        "--config-file",
        "--deselect",
        "--doctest-glob",
        "--doctest-report",
        "--durations",
        "--durations-min",
        "--ignore",
        "--ignore-glob",
        "--junit-prefix",
        "--junit-xml",
        "--junitprefix",
        "--junitxml",
        "--last-failed-no-failures",
        "--lfnf",
        "--log-auto-indent",
        "--log-cli-date-format",
        "--log-cli-format",
        "--log-cli-level",
        "--log-date-format",
        "--log-disable",
        "--log-file",
        "--log-file-date-format",
        "--log-file-format",
        "--log-file-level",
        "--log-file-mode",
        "--log-format",
        "--log-level",
        "--max-warnings",
        "--maxfail",
        "--pastebin",
        "--report-chars",
        "--rootdir",
        "--show-capture",
        "--tb",
        "--verbosity",
    ]
)
_FLAGS = frozenset({"--co", "--pdb"})  # pytest's own, though others begin like them
_MODES = frozenset({"append", "importlib", "prepend"})


class AddOpts(NamedTuple):
    """What is in it: `overrides` are settings by `-o`, `imports` modules that options name."""

    plugins: tuple[str, ...]
    import_mode: str
    confcutdir: str | None
    overrides: Mapping[str, str]
    imports: tuple[str, ...]
    faults: tuple[str, ...]


def read_addopts(words: Sequence[str]) -> AddOpts:
    """Read the words of `addopts`."""
    faults: list[str] = []
    imports: list[str] = []
    overrides: dict[str, str] = {}
    mode, cut = "prepend", None
    for name, value in _options(words, faults):
        if name == "--import-mode":
            mode = value
        elif name == "--confcutdir":
            cut = value
        elif name == "--override-ini":
            overrides[value.partition("=")[0]] = value.partition("=")[2]
        elif name == "--pythonwarnings":
            imports.append(warning_module(value))
        elif name == "--pdbcls":
            imports.append(value.partition(":")[0])
    if mode not in _MODES:
        faults.append(f"addopts: --import-mode {mode}")
    return AddOpts(
        plugins=tuple(_plugins(words, faults)),
        import_mode=mode,
        confcutdir=cut,
        overrides=overrides,
        imports=tuple(module for module in imports if module),
        faults=tuple(faults),
    )


def warning_module(text: str) -> str:
    """Return the module of the category in a warning filter, `""` for a builtin one."""
    parts = text.split(":")
    return parts[2].strip().rpartition(".")[0] if len(parts) > 2 else ""


def _plugins(words: Sequence[str], faults: list[str]) -> Iterator[str]:
    """Yield plugins as pytest's look ahead finds them: whatever starts with `-p`, nothing else."""
    waiting = iter(words)
    for word in waiting:
        if word.startswith("-p"):
            name = (word[2:] or next(waiting, "")).strip()
            if not name:
                faults.append("addopts: -p without a name")
            elif not name.startswith("no:"):
                yield name


def _options(words: Sequence[str], faults: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the options that decide with their values."""
    waiting = list(reversed(words))
    foreign = False  # a plugin's option came before: the word may be its value
    while waiting:
        word = waiting.pop()
        option = None if word.startswith("@") else read_option(word)
        if option is None or (not word.startswith("-") and not foreign):
            faults.append(f"addopts: {word}")
            return
        name, value = option
        foreign = name is None and word.startswith("-")
        if name and value is None:
            if not waiting or waiting[-1].startswith(("-", "@")):
                faults.append(f"addopts: {word} without a value")
                return
            value = waiting.pop()
        if name in _DECIDING and value is not None:
            yield name, value


def read_option(word: str) -> tuple[str | None, str | None] | None:
    """Return an option that takes a value, and the value where it stands in the same word.

    The name is empty for a flag, and None for a word or an option of a plugin's, which may take
    the word behind it; the whole is None for what cannot be read.
    """
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        if name in _LONG_VALUES:
            return name, value if equals else None
        if name in _FLAGS:
            return "", ""
        return None if any(each.startswith(name) for each in _DECIDING) else (None, None)
    if not word.startswith("-") or word == "-":
        return None, None
    return _short(word[1:])


def _short(letters: str) -> tuple[str | None, str | None] | None:
    for number, letter in enumerate(letters):
        if letter in _SHORT_VALUES:
            value = letters[number + 1 :]
            if value.startswith("=") and number:  # Python's versions differ
                return None
            name = _SHORT_VALUES[letter] or letter
            return name, value.removeprefix("=") if value else None
        if letter not in _SHORT_FLAGS:
            return None if number else (None, None)
    return "", ""
