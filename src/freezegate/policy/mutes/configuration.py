"""Configuration after which pytest collects or runs less: options, patterns, folders, ignores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.collecting import Collector
from freezegate.policy.mutes.expressions import selected, selects_less, words_of
from freezegate.policy.mutes.ignoring import NAMES, ignores_in
from freezegate.policy.mutes.mute import BASE, Certainty, Mute, MuteFamily
from freezegate.policy.mutes.selection import STOPPING
from freezegate.policy.mutes.step import looks_like_test_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.selection import Selection
    from freezegate.policy.mutes.step import MuteStep

_FILES = frozenset(
    {
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "tox.ini",
        "setup.cfg",
        "conftest.py",
        "pyvenv.cfg",
        "history",
    }
)
_COLLECTING = frozenset({"python", "unittest", "doctest", "main", "nose"})
# Plugins that show, order, distribute or remember, and decide on no test.
_SHOWING = frozenset(
    {
        "cacheprovider",
        "logging",
        "warnings",
        "faulthandler",
        "randomly",
        "random_order",
        "sugar",
        "xdist",
        "terminal",
        "pastebin",
        "junitxml",
        "stepwise",
        "threadexception",
        "unraisableexception",
        "legacypath",
        "cov",
        "pytest_cov",
        "benchmark",
        "flakefinder",
        "nose",
    }
)
_MAX_NAMED = 5  # files in one finding


class Less(NamedTuple):
    """One thing by which less is collected."""

    was: str
    now: str
    certainty: Certainty = Certainty.CLEAR
    test: str | None = None


def find_configuration(step: MuteStep) -> Iterator[Mute]:
    """Yield what changed configuration and conftest files leave out."""
    changed = [path for path in step.changed if path.rpartition("/")[2] in _FILES]
    if changed:
        comparing = _Comparing(step)
        found = dict.fromkeys((*comparing.options(), *comparing.files(), *comparing.ignores()))
        for less in found:
            yield less_told(_blamed(comparing, changed), less)


class _Comparing:
    """Both sides' configuration, for every folder that holds tests on both."""

    def __init__(self, step: MuteStep) -> None:
        self._step = step
        self._old = Collector(step.old, step.old_names, Classes(step.old, step.old_names))
        self._new = Collector(step.new, step.new_names, Classes(step.new, step.new_names))
        self._paths = [
            path
            for path, entry in step.old.tree.files("")
            if path.endswith(".py") and entry.is_regular and step.new.entry(path)
        ]

    def winner(self) -> str | None:
        """Return the file that configures the tests on the new side."""
        every = (self._new.selection(path).inipath for path in self._paths)
        return next((path for path in every if path in self._step.changed), None)

    def options(self) -> Iterator[Less]:
        """Yield options and settings that select less than before."""
        pairs = {
            (self._old.selection(p).inipath, self._new.selection(p).inipath): p
            for p in self._paths
            if self._old.why_not(p) is None
        }
        for path in pairs.values():
            old, new = self._old.selection(path), self._new.selection(path)
            yield from (less for less in _fewer(old, new) if not self._is_of_new_marks(less, new))

    def _is_of_new_marks(self, less: Less, new: Selection) -> bool:
        """Whether `-m` leaves out only tests with markers that no old file speaks of."""
        expression = new.options.last("-m")
        if expression is None or less.now != _by_option("-m", expression):
            return False
        words = words_of(expression)
        if not selected(expression, dict.fromkeys(words, False)):
            return False
        entries = (self._step.old.entry(p) for p in self._paths if looks_like_test_code(p))
        sources = [self._step.old.tree.source(entry) for entry in entries if entry]
        return not any(_may_mark(word).search(source) for source in sources for word in words)

    def files(self) -> Iterator[Less]:
        """Yield the files, and the tests of files, that are left out now."""
        lost: dict[str, list[str]] = {}
        for path in self._paths:
            if self._old.why_not(path) is not None or not self._holds_tests(path):
                continue
            why = self._new.why_not(path)
            if why:
                lost.setdefault(why, []).append(path)
            else:
                yield from self._renamed(path)
        for why, paths in lost.items():
            more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
            names = ", ".join(paths[:_MAX_NAMED]) + more
            test = paths[0] if len(paths) == 1 else None
            yield Less(f"pytest collected {names}", why, test=test)

    def _holds_tests(self, path: str) -> bool:
        return not path.endswith("conftest.py") and bool(self._old.tests(path))

    def _renamed(self, path: str) -> Iterator[Less]:
        """Tests that other patterns for names leave out."""
        old, new = self._old.selection(path), self._new.selection(path)
        names = ("python_functions", "python_classes")
        if path in self._step.changed or all(getattr(old, n) == getattr(new, n) for n in names):
            return
        gone = sorted(set(self._old.tests(path)) - set(self._new.tests(path)))
        if gone:
            words = " ".join((*new.python_classes, *new.python_functions))
            was = f"pytest collected {path}::{gone[0]} ({len(gone)} such tests)"
            yield Less(was, f"its name fits none of {words}", test=path)

    def ignores(self) -> Iterator[Less]:
        """Yield entries of `collect_ignore` that hold under a condition."""
        for path, old, new in self._step.test_files:
            for name in NAMES if new and path.endswith("conftest.py") else ():
                had = (
                    {i.path for i in ignores_in(self._step.old_names, path, old, name)}
                    if old and name in old.bindings
                    else set[str]()
                )
                assert new is not None  # noqa: S101 - asked above
                now = (
                    ignores_in(self._step.new_names, path, new, name)
                    if name in new.bindings
                    else iter(())
                )
                for each in now:
                    if each.path not in had and not each.sure:
                        was = f"{name} of {path} without {each.path}"
                        yield Less(was, f"{name} names {each.path} at times", Certainty.DOUBTFUL)


def _may_mark(word: str) -> re.Pattern[bytes]:
    """`mark.word` under any name of `mark`, and texts from which a hook may make a marker."""
    name = re.escape(word.encode())
    return re.compile(rb"\.\s*%s\b|[\"']%s[\"']" % (name, name))


def _by_option(option: str, value: str | None) -> str:
    return f"addopts: {option} {value!r}"


def _fewer(old: Selection, new: Selection) -> Iterator[Less]:
    for option, word in (("-k", "keyword"), ("-m", "marker")):
        before, after = old.options.last(option), new.options.last(option)
        less = selects_less(before, after)
        if less is not False:
            certainty = Certainty.CLEAR if less else Certainty.DOUBTFUL
            was = f"{option} {before!r}" if before else f"tests of every {word}"
            yield Less(was, _by_option(option, after), certainty)
    for each in new.options.every("--deselect"):
        if each not in old.options.every("--deselect"):
            yield Less(f"{each} was selected", f"addopts: --deselect={each}", test=each)
    yield from _plugins(old, new)
    for flag in sorted((new.options.flags - old.options.flags) & STOPPING):
        yield Less("all collected tests run", f"addopts: {flag}")
    for flag in sorted(old.options.flags - new.options.flags):
        if flag.startswith("--doctest"):
            yield Less(f"addopts: {flag}", f"addopts without {flag}", Certainty.DOUBTFUL)
    if _is_true(old, "xfail_strict") and not _is_true(new, "xfail_strict"):
        was = "xfail_strict: a test that passes against expectation fails"
        yield Less(was, "xfail_strict is off", Certainty.DOUBTFUL)
    imported = "collect_imported_tests"
    if _is_true(old, imported, default=True) and not _is_true(new, imported, default=True):
        yield Less("imported tests are collected", f"{imported} is off")


def _plugins(old: Selection, new: Selection) -> Iterator[Less]:
    before = set(old.options.every("-p"))
    for each in new.options.every("-p"):
        name = each.removeprefix("no:")
        if each in before or name == each or name in _SHOWING - _COLLECTING:
            continue
        certainty = Certainty.CLEAR if name in _COLLECTING else Certainty.DOUBTFUL
        yield Less(f"the plugin {name} was in use", f"addopts: -p {each}", certainty)


def _is_true(selection: Selection, name: str, *, default: bool = False) -> bool:
    value = selection.settings.get(name, default)
    return str(value).strip().lower() in ("1", "true", "yes", "on")


def _blamed(comparing: _Comparing, changed: list[str]) -> str:
    """The file to show: the one that decides now, else the first that changed."""
    return comparing.winner() or changed[0]


def less_told(path: str, less: Less, line: int | None = None) -> Mute:
    """Return the finding that less is collected."""
    return Mute(
        family=MuteFamily.COLLECTION,
        detector="configuration",
        certainty=less.certainty,
        path=path,
        line=line,
        was=less.was,
        now=less.now,
        remedy=f"Leave the configuration of collection as it was: git diff {BASE} -- {path}",
        test=less.test,
        before=less.was,
        after=less.now,
    )
