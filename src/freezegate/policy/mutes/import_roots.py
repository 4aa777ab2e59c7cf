"""Folders that are put on the way of imports, above all before the tested code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.added_roots import CONFIG, Root, added_roots
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.places import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "import_root"
_REMEDY = "Let the tests import the code that is shipped: leave the way of imports as it was."


def find_import_roots(step: MuteStep) -> Iterator[Mute]:
    """Yield folders that are new on the way, and hold what is imported from elsewhere so far."""
    before = {(root.folder, root.first) for root in added_roots(step, step.old, step.old_names)}
    told = set[tuple[str, str]]()
    for root in added_roots(step, step.new, step.new_names):
        if (root.folder, root.first) not in before and root[:2] not in told:
            told.add(root[:2])
            yield from _shadowing(step, root)
    yield from _configured(step)


def _configured(step: MuteStep) -> Iterator[Mute]:
    """`pythonpath` of pytest's configuration, in its order, with what stands there on each side."""
    for folder in sorted({"", *(p.rpartition("/")[0] for p in step.changed if CONFIG.search(p))}):
        old, new = (resolve_config(side.tree, folder) for side in (step.old, step.new))
        if folder and new.inipath == resolve_config(step.new.tree, "").inipath:
            continue
        ways = [[each for each in config.pythonpath if each is not None] for config in (old, new)]
        for place in ways[1]:
            for word in sorted(_modules(step.new, place)):
                was = _found(step.old, ways[0], word) or _before(step, joined(folder, "x.py"), word)
                now = _found(step.new, ways[1], word)
                if was and now and was != now and step.new.entry(was):
                    text = f"pythonpath = {' '.join(ways[1])}"
                    root = Root(place, new.inipath or "", text, first=True)
                    yield _mute(step, root, word, was, now)
                    return


def _found(side: Side, folders: list[str], word: str) -> str | None:
    return next((file for each in folders if (file := _file(side, each, word))), None)


def _file(side: Side, folder: str, word: str) -> str | None:
    below = joined(folder, word)
    names = (f"{below}/__init__.py", f"{below}.py")
    return next((name for name in names if side.entry(name)), None)


def _modules(side: Side, folder: str) -> set[str]:
    return {name.removesuffix(".py") for name in side.tree.names(folder) if _is_module(name)}


def _is_module(name: str) -> bool:
    return name.removesuffix(".py").isidentifier() and name != "conftest.py"


def _before(step: MuteStep, path: str, word: str) -> str | None:
    """The file that an import came to so far, the configuration's folders asked first."""
    ways = resolve_config(step.old.tree, path.rpartition("/")[0]).pythonpath
    known = _found(step.old, [each for each in ways if each is not None], word)
    return known or step.old_names.file_of(path, word)


def _shadowing(step: MuteStep, root: Root) -> Iterator[Mute]:
    path = root.path if root.path.endswith(".py") else "x.py"
    for word in sorted(_modules(step.new, root.folder)):
        was, now = _before(step, path, word), _file(step.new, root.folder, word)
        if was and now and was != now and step.new.entry(was):
            yield _mute(step, root, word, was, now)
            return


def _mute(step: MuteStep, root: Root, word: str, was: str, now: str) -> Mute:
    clear = root.first and not step.is_test_code(was)
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR if clear else Certainty.DOUBTFUL,
        path=root.path,
        line=root.line or line_of(step.new, root.path, "", "pythonpath", "PYTHONPATH"),
        was=f"{word} is {was}",
        now=f"{root.text}: {word} is {now}",
        remedy=_REMEDY,
        before=was,
        after=root.text,
    )
