"""What pytest's configuration on one side says of which files and tests are collected.

Source: pytest 9.2, `_pytest/main.py` (`pytest_ignore_collect`), `_pytest/python.py`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.addopts import read_option
from freezegate.policy.domain.config import resolve_config, setting_words
from freezegate.policy.domain.finder import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from freezegate.policy.domain.tree import Tree

_DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "python_files": ("test_*.py", "*_test.py"),
    "python_classes": ("Test",),
    "python_functions": ("test",),
    "norecursedirs": (
        "*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}",
    ),
    "testpaths": (),
}  # fmt: skip
_LISTED = frozenset({"--ignore", "--ignore-glob", "--deselect", "-p"})
# Flags after which fewer tests run, or none.
STOPPING = frozenset(
    {
        "--collect-only",
        "--co",
        "--lf",
        "--last-failed",
        "--nf-only",
        "--sw",
        "--stepwise",
        "--setup-only",
        "--setup-plan",
        "--fixtures",
        "--markers",
        "--help",
        "-h",
        "--version",
        "-V",
        "--doctest-only",
    }
)


class Options(NamedTuple):
    """What `addopts` says of collection: options with values in order, flags, and plain words."""

    values: tuple[tuple[str, str], ...]
    flags: frozenset[str]
    words: tuple[str, ...]

    def every(self, name: str) -> tuple[str, ...]:
        """Return all values of an option that may be given several times."""
        return tuple(value for option, value in self.values if option == name)

    def last(self, name: str) -> str:
        """Return the value that counts of an option that is given once, `""` without one."""
        return next(iter(reversed(self.every(name))), "")


class Selection(NamedTuple):
    """The configuration that pytest finds for a folder, as far as it decides on collection."""

    rootdir: str
    inipath: str | None
    python_files: tuple[str, ...]
    python_classes: tuple[str, ...]
    python_functions: tuple[str, ...]
    norecursedirs: tuple[str, ...]
    testpaths: tuple[str, ...]
    options: Options
    settings: Mapping[str, object]

    def is_function(self, name: str) -> bool:
        """Say whether a function of this name is a test."""
        return _matches(self.python_functions, name)

    def is_class(self, name: str) -> bool:
        """Say whether a class of this name holds tests, unittest's aside."""
        return _matches(self.python_classes, name)

    def why_not(self, path: str, tree: Tree) -> str | None:
        """Return why a file is not collected, None where it is; conftest files not asked."""
        folders = self._folders(path)
        starts = self._starts(path, tree)
        if not starts:
            return f"it lies outside of testpaths {' '.join(self.options.words or self.testpaths)}"
        if path in starts:
            return self._ignored(path)
        if not any(_fits(pattern, path) for pattern in self.python_files):
            return f"its name matches none of python_files {' '.join(self.python_files)}"
        below = [each for each in folders if not any(_within(s, each) for s in starts)]
        for folder in below:
            pattern = next((p for p in self.norecursedirs if _fits(p, folder)), None)
            if pattern:
                return f"norecursedirs leaves {folder} out by {pattern}"
        return next((why for each in (*folders, path) if (why := self._ignored(each))), None)

    def _folders(self, path: str) -> tuple[str, ...]:
        """The folders on the way from the root directory down to a file."""
        parts = path.split("/")[:-1]
        every = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        return tuple(each for each in every if not _within(self.rootdir, each))

    def _starts(self, path: str, tree: Tree) -> list[str]:
        """The entries of testpaths, and words in addopts, at or above a file."""
        words = self.options.words or self.testpaths
        every = [joined(self.rootdir, each.split("::")[0].strip("/")) for each in words]
        plain = [each.removeprefix("./").removesuffix("/.") for each in every]
        above = [path, *reversed(self._folders(path))]
        found = [each for each in above if any(_globbed(p, each) for p in plain)]
        top = (".", self.rootdir)
        # Where no entry stands for anything, pytest goes through the whole root directory.
        if any(each in top for each in plain) or not any(_stands(tree, p) for p in plain):
            found.append(self.rootdir)
        return found

    def _ignored(self, path: str) -> str | None:
        for each in self.options.every("--ignore"):
            if path == joined(self.rootdir, each.removeprefix("./").rstrip("/")):
                return f"--ignore={each}"
        for each in self.options.every("--ignore-glob"):
            if fnmatchcase(path, joined(self.rootdir, each.removeprefix("./"))):
                return f"--ignore-glob={each}"
        return None

    def deselects(self, test_id: str) -> str | None:
        """Return the option that leaves a test out by its node id."""
        prefix = f"{self.rootdir}/" if self.rootdir else ""
        own = test_id.removeprefix(prefix)
        starts = self.options.every("--deselect")
        return next((f"--deselect={each}" for each in starts if own.startswith(each)), None)


def read_selection(tree: Tree, folder: str) -> Selection:
    """Return what is configured for files in a folder."""
    config = resolve_config(tree, folder)

    def listed(name: str) -> tuple[str, ...]:
        value = config.settings.get(name)
        return tuple(setting_words(value) or ()) if value is not None else _DEFAULTS[name]

    return Selection(
        rootdir=config.rootdir,
        inipath=config.inipath,
        python_files=listed("python_files"),
        python_classes=listed("python_classes"),
        python_functions=listed("python_functions"),
        norecursedirs=listed("norecursedirs"),
        testpaths=listed("testpaths"),
        options=read_options(config.words),
        settings=config.settings,
    )


def read_options(words: Sequence[str]) -> Options:
    """Read the words of `addopts`; an option of a plugin's may take the word behind it."""
    values: list[tuple[str, str]] = []
    flags: list[str] = []
    plain: list[str] = []
    waiting = list(reversed(words))
    foreign = False
    while waiting:
        word = waiting.pop()
        name, value = read_option(word) or (None, None)
        if name:
            shown = name if name.startswith("-") else f"-{name}"
            values.append((shown, value if value is not None else _next(waiting)))
        elif word.startswith("-"):
            flags += _flags(word)
        elif not foreign:
            plain.append(word)
        foreign = name is None and word.startswith("--") and "=" not in word
    return Options(tuple(values), frozenset(flags), tuple(plain))


def _next(waiting: list[str]) -> str:
    return waiting.pop() if waiting else ""


def _flags(word: str) -> Iterator[str]:
    if word.startswith("--"):
        yield word.partition("=")[0]
    else:
        yield from (f"-{letter}" for letter in word[1:])


def _matches(patterns: Sequence[str], name: str) -> bool:
    return any(
        name.startswith(each) or (set("*?[") & set(each) and fnmatchcase(name, each))
        for each in patterns
    )


def _fits(pattern: str, path: str) -> bool:
    """`fnmatch_ex` of pytest: the last part alone, unless the pattern has a slash."""
    if "/" not in pattern:
        return fnmatchcase(path.rpartition("/")[2], pattern)
    return fnmatchcase(f"/{path}", f"*/{pattern}")


def _globbed(pattern: str, path: str) -> bool:
    """A pattern of `glob`, whose stars stop at slashes but for `**`."""
    wanted, parts = pattern.split("/"), path.split("/")
    return _globbed_parts(wanted, parts)


def _globbed_parts(wanted: list[str], parts: list[str]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(_globbed_parts(wanted[1:], parts[n:]) for n in range(len(parts) + 1))
    return (
        bool(parts) and fnmatchcase(parts[0], wanted[0]) and _globbed_parts(wanted[1:], parts[1:])
    )


def _stands(tree: Tree, pattern: str) -> bool:
    if not set("*?[") & set(pattern):
        return tree.entry(pattern) is not None
    return any(_globbed(pattern, each) for each in _paths(tree, pattern.count("/") + 1))


def _paths(tree: Tree, depth: int) -> set[str]:
    """Files and folders of a tree down to a depth."""
    every = [path.split("/") for path, _ in tree.files("")]
    return {
        "/".join(parts[:end]) for parts in every for end in range(1, len(parts) + 1) if end <= depth
    }


def _within(below: str, above: str) -> bool:
    """Whether the first path is the second, or lies below it."""
    return not above or below == above or below.startswith(f"{above}/")
