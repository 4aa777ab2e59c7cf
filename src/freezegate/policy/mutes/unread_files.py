"""Files that Python runs in place of source that a person could read: bytecode, binaries, links."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

from freezegate.model.entries import SYMLINK_MODE, TREE_MODE
from freezegate.policy.domain.finder import joined, stem_of
from freezegate.policy.mutes.mute import BASE, Certainty, Mute, MuteFamily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.entries import Entry
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_COMPILED = (".pyc", ".pyo", ".so", ".pyd")
_CACHE = "__pycache__"
_DETECTOR = "harness"
_COMPILED_REMEDY = "Leave it to Python to compile what it runs: git rm --cached {path}"
_LINK_REMEDY = "Keep the source itself there: git checkout {base} -- {path}"


def unread(step: MuteStep, path: str, new: Entry) -> Iterator[Mute]:
    """Yield a compiled file that answers for a module, or a link that stands where source stood."""
    if path.endswith(_COMPILED):
        yield from _compiled(step, path)
    elif new.mode == SYMLINK_MODE:
        yield from _linked(step, path, new)


def _compiled(step: MuteStep, path: str) -> Iterator[Mute]:
    stem = stem_of(path) or path.rpartition(".")[0]
    source = next((s for side in (step.old, step.new) if (s := _source(side, stem))), None)
    if source:
        yield _mute(path, Certainty.CLEAR, f"{source}, which can be read", "it is run instead")
    elif _is_beside_code(step.new, path):
        yield _mute(path, Certainty.DOUBTFUL, "modules that can be read", "one that cannot be")


def _source(side: Side, stem: str) -> str | None:
    """The source for which a compiled file answers."""
    places = (f"{stem}.py", f"{stem}/__init__.py")
    return next((each for each in places if side.tree.entry(each)), None)


def _is_beside_code(side: Side, path: str) -> bool:
    """Whether it can be imported: data for tests lie where no modules are."""
    folder = path.rpartition("/")[0]
    modules = (n for n in side.tree.names(folder) if n.endswith(".py"))
    return not folder.endswith(_CACHE) and any(modules)


def _linked(step: MuteStep, path: str, new: Entry) -> Iterator[Mute]:
    old, name = step.old.tree.entry(path), path.rpartition("/")[2]
    if name == _CACHE:
        yield _mute(path, Certainty.CLEAR, "what Python compiles itself", "a symbolic link")
    elif old and _holds_code(step.old, path, old):
        kept = _target(step, path, new) == old
        certainty = Certainty.DOUBTFUL if kept or not _is_tests(step, path) else Certainty.CLEAR
        yield _mute(path, certainty, f"{path}, which can be read", "a symbolic link")
    elif old is None and _source(step.old, path):
        yield _mute(path, Certainty.CLEAR, f"{path}.py, which can be read", "a symbolic link")
    elif path.endswith(".py") and (old or name in ("conftest.py", "__init__.py")):
        yield _mute(path, Certainty.DOUBTFUL, "other code, or none", "a symbolic link elsewhere")


def _holds_code(side: Side, path: str, entry: Entry) -> bool:
    """Whether a module, or a folder of some, stood there."""
    if entry.mode == TREE_MODE:
        return any(file.endswith(".py") for file, _ in side.tree.files(path))
    return entry.is_regular and path.endswith(".py")


def _is_tests(step: MuteStep, path: str) -> bool:
    return step.is_test_code(path if path.endswith(".py") else joined(path, "x.py"))


def _target(step: MuteStep, path: str, link: Entry) -> Entry | None:
    """What stands where a link leads."""
    text = step.new.tree.source(link).decode("utf-8", "surrogateescape")
    place = normpath(joined(path.rpartition("/")[0], text))
    return None if place.startswith(("/", "..")) else step.new.tree.entry(place)


def _mute(path: str, certainty: Certainty, was: str, now: str) -> Mute:
    remedy = _COMPILED_REMEDY if path.endswith(_COMPILED) else _LINK_REMEDY
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=None,
        was=was,
        now=f"{path}: {now}",
        remedy=remedy.format(path=path, base=BASE),
        before=was,
        after=now,
    )
