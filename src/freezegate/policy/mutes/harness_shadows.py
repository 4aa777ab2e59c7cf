"""New files that Python imports instead of others, or before all others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.finder import joined
from freezegate.policy.domain.standard import TEST_STACK, standard_names
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.patch_words import FRAMEWORKS
from freezegate.policy.mutes.step import is_test_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "harness"
_REMEDY = "Give the file a name of its own: git mv {path} NEW_NAME"
_STARTUP = frozenset({"sitecustomize.py", "usercustomize.py"})
_OWN_NAMES = frozenset({"console_scripts", "gui_scripts"})
_COMPILED = (".so", ".pyd", ".pyc", ".pyo")
_MODULES = (".py", ".pyi", *_COMPILED)
_PROGRAMS = frozenset({"pytest", "py.test", "tox", "nox", "python", "python3", "coverage"})
_MAX_NEIGHBOURS = 300


def find_shadows(step: MuteStep) -> Iterator[Mute]:
    """Yield new files whose names take something else's place, and code that runs at each start."""
    for path in step.changed:
        entry = step.new.tree.entry(path)
        if entry is None:
            continue
        if path.endswith(_COMPILED) or not entry.is_regular:
            from freezegate.policy.mutes.unread_files import unread  # seldom needed

            yield from unread(step, path, entry)
        name = path.rpartition("/")[2]
        if name == "entry_points.txt":
            yield from _plugins(step, path)
        elif name in _STARTUP or name.endswith(".pth"):
            yield from _startup(step, path)
        elif step.old.entry(path) is None and name in _PROGRAMS:
            certainty = Certainty.CLEAR if _leads_there(step, path) else Certainty.DOUBTFUL
            yield _mute(path, certainty, f"{name} as it is installed", f"a program {path}")
        elif step.old.entry(path) is None and name.endswith(_MODULES):
            yield from _shadow(step, path)


def _leads_there(step: MuteStep, path: str) -> bool:
    """Whether a file that runs the tests names the folder, and where programs are looked for."""
    from freezegate.policy.mutes.run_places import may_run  # needed for a new program alone

    folder = path.rpartition("/")[0].encode("utf-8", "surrogateescape")
    entries = (step.new.entry(each) for each in step.changed if may_run(each))
    sources = [step.new.tree.source(entry) for entry in entries if entry]
    return any(b"PATH" in source and folder in source for source in sources)


def _startup(step: MuteStep, path: str) -> Iterator[Mute]:
    entry = step.new.entry(path)
    source = step.new.tree.source(entry) if entry else b""
    starts = [line.strip() for line in source.splitlines() if line.strip()]
    if path.endswith(".pth") and not any(
        line.startswith((b"import ", b"import\t")) for line in starts
    ):
        return
    # What coverage asks for, to measure child processes.
    known = all(b"coverage" in line or line.startswith(b"#") for line in starts)
    was = "other code" if step.old.entry(path) else "no such file"
    yield _mute(path, Certainty.DOUBTFUL if known else Certainty.CLEAR, was, "code at each start")


def _plugins(step: MuteStep, path: str) -> Iterator[Mute]:
    """Metadata of a distribution is read in each folder on the path, whatever else lies there."""
    folder, entry, old = path.rpartition("/")[0], step.new.entry(path), step.old.entry(path)
    if not folder.casefold().endswith((".dist-info", ".egg-info")):
        return
    now = _sections(step.new.tree.source(entry) if entry else b"")
    was = _sections(step.old.tree.source(old) if old else b"")
    for section in sorted(now - was):
        told = f"code at each start of what asks for [{section}]"
        yield _mute(path, Certainty.CLEAR, "no such entry point", told)


def _sections(source: bytes) -> set[str]:
    """Return who loads these entry points without being asked: all but a program's own names."""
    lines = (line.strip() for line in source.decode("utf-8", "replace").splitlines())
    found = {line[1:].partition("]")[0].strip() for line in lines if line.startswith("[")}
    return found - _OWN_NAMES


def _shadow(step: MuteStep, path: str) -> Iterator[Mute]:
    folder, _, name = path.rpartition("/")
    word = name.partition(".")[0]
    if word == "__init__":
        folder, _, word = folder.rpartition("/")
    if is_test_file(path) or name == "conftest.py" or word.startswith("__"):
        return
    if not word.isidentifier():
        return
    packaged = bool(folder) and step.new.entry(joined(folder, "__init__.py")) is not None
    near = folder in ("", "src", "lib") or step.is_test_code(joined(folder, "x.py"))
    if packaged or not near:
        return
    if word in FRAMEWORKS or word in TEST_STACK:
        yield _mute(path, Certainty.CLEAR, f"{word} as it is installed", f"{word} is {path}")
        return
    place = joined(folder, "conftest.py")
    before, after = step.old_names.file_of(place, word), step.new_names.file_of(place, word)
    if not _is_asked(step, folder, word):
        return
    if before and after != before and step.new.entry(before):
        yield _mute(path, Certainty.CLEAR, f"{word} is {before}", f"{word} is {after or path}")
    elif before is None:
        known = word in standard_names("3.12")
        certainty = Certainty.DOUBTFUL if known else Certainty.CLEAR
        yield _mute(path, certainty, f"{word} as it is installed", f"{word} is {path}")


def _is_asked(step: MuteStep, folder: str, word: str) -> bool:
    """Whether a neighbour imported that name already, and got it from elsewhere."""
    for number, (file, entry) in enumerate(step.old.tree.files(folder)):
        if number > _MAX_NEIGHBOURS:
            return False
        if (
            file.endswith(".py")
            and entry.is_regular
            and word.encode() in step.old.tree.source(entry)
        ):
            module = step.old.module(file)
            nodes = ast.walk(module.tree) if module else ()
            if _moves(step, file, word) and any(_imports(node, word) for node in nodes):
                return True
    return False


def _moves(step: MuteStep, file: str, word: str) -> bool:
    """Whether a module of that name, beside the one that imports it, does not stay the nearest."""
    before = step.old_names.file_of(file, word)
    return before is None or before != step.new_names.file_of(file, word)


def _imports(node: ast.AST, word: str) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == word for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and (node.module or "").partition(".")[0] == word
    return False


def _mute(path: str, certainty: Certainty, was: str, now: str) -> Mute:
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=None,
        was=was,
        now=now,
        remedy=_REMEDY.format(path=path),
        before=was,
        after=now,
    )
