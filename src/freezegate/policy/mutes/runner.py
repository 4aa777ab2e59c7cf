"""CI, make, tox, nox and scripts that run fewer tests, or to whom a failure is nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.policy.domain.finder import joined
from freezegate.policy.guards import may_be_ci_file
from freezegate.policy.mutes.make_runs import WINNING
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.places import line_of
from freezegate.policy.mutes.run_places import may_run, runs_in
from freezegate.policy.mutes.runs import Run, UnreadableError
from freezegate.policy.mutes.tool_calls import losses, runs_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "runner"
# Workflows that are called, includes of GitLab, orbs of CircleCI, templates of Azure.
_OTHERS = re.compile(rb"uses:.*/workflows/|^\s*(include|orbs|extends|template)s?:", re.MULTILINE)
_REMEDY = "Let a failing test fail the job."
_FEWER = "Say in the pull request why fewer tests run; a person must look."
_GATE_FAMILY = {"freezegate": MuteFamily.GATE}


def find_runner(step: MuteStep) -> Iterator[Mute]:
    """Yield what runs of the tests ignore or leave out now, and did not before."""
    paths = sorted({path for path in step.changed if may_run(path)} | set(_makefiles(step)))
    if not paths:
        return
    old = [run for path in paths for run in _readable(step.old, path)]
    new: list[Run] = []
    for path in paths:
        try:
            new += _read(step.new, path)
        except UnreadableError as error:
            yield _unreadable(step, path, str(error))
            old = [run for run in old if run.path != path]
    pairs, gone = _paired(old, new)
    for before, after in pairs:
        for mute in _compared(before, after):
            yield mute._replace(line=_line(step, after, mute.now))
    for run in gone:
        yield _removed(run, left=_is_left(step, run, new, paths))


def _makefiles(step: MuteStep) -> Iterator[str]:
    """Makefiles beside a changed file that they include, that wins over them or is a target."""
    for path in step.changed:
        folder, _, name = path.rpartition("/")
        for each in WINNING if not name.endswith(".py") else ():
            beside = joined(folder, each)
            entry = step.new.entry(beside)
            word = name.encode("utf-8", "surrogateescape")
            if entry and (name in WINNING or word in step.new.tree.source(entry)):
                yield beside


def is_readable(side: Side, path: str) -> bool:
    """Say whether a file stands there and parses."""
    try:
        _read(side, path)
    except UnreadableError:
        return False
    return side.entry(path) is not None


def _read(side: Side, path: str) -> tuple[Run, ...]:
    entry = side.entry(path)
    return runs_in(side.tree, path, entry) if entry else ()


def _readable(side: Side, path: str) -> tuple[Run, ...]:
    try:
        return _read(side, path)
    except UnreadableError:
        return ()


def _paired(old: list[Run], new: list[Run]) -> tuple[list[tuple[Run, Run]], list[Run]]:
    """Pair the runs of both sides: the same command at the same place first, then alike ones."""
    lost, rest = list(old), list(new)
    pairs: list[tuple[Run, Run]] = []
    for alike in (_same, _same_place, _same_command, _same_tool, _anything):
        for run in list(lost):
            found = [each for each in rest if alike(run, each)]
            if found:
                best = max(found, key=lambda each: _overlap(run, each))
                pairs.append((run, best))
                lost.remove(run)
                rest.remove(best)
    return pairs, lost


def _same(old: Run, new: Run) -> bool:
    return _same_place(old, new) and old.run == new.run


def _same_place(old: Run, new: Run) -> bool:
    return (old.path, old.where, old.run.tool) == (new.path, new.where, new.run.tool)


def _same_command(old: Run, new: Run) -> bool:
    return old.run == new.run


def _same_tool(old: Run, new: Run) -> bool:
    return old.run.tool == new.run.tool


def _anything(old: Run, new: Run) -> bool:
    """Another tool in its place; the gate itself is no substitute, and has none."""
    return "freezegate" not in (old.run.tool, new.run.tool)


def _overlap(old: Run, new: Run) -> int:
    return len(set(old.run.words) & set(new.run.words)) * 2 + (old.path == new.path)


def _compared(old: Run, new: Run) -> Iterator[Mute]:
    for how in sorted(new.lost - old.lost):
        yield _mute(old, new, f"{new.text}  [{how}]", Certainty.CLEAR, _REMEDY)
    for how in sorted(set(runs_nothing(new.run)) - set(runs_nothing(old.run))):
        yield _mute(old, new, f"{new.text}  [{how} checks nothing]", Certainty.CLEAR, _REMEDY)
    for how in sorted(new.unsure - old.unsure):
        yield _mute(old, new, f"{new.text}  [{how}]", Certainty.DOUBTFUL, _FEWER)
    if new.run.tool.endswith(".py") and not old.run.tool.endswith(".py"):
        how = "a script in its place"
        yield _mute(old, new, f"{new.text}  [{how}]", Certainty.DOUBTFUL, _FEWER)
    if old.run.tool == new.run.tool:
        for how in losses(old.run, new.run):
            yield _mute(old, new, f"{new.text}  [{how}]", Certainty.DOUBTFUL, _FEWER)


def _line(step: MuteStep, run: Run, now: str) -> int | None:
    """The line of the way in which a failure is lost, else that of the command."""
    how = now.rpartition("  [")[2].removesuffix("]")
    words = how.removesuffix(" is new").removesuffix(" checks nothing")
    head = words.partition(":")[0]
    tool = " ".join((run.run.tool, *run.run.words[:1]))
    return line_of(step.new, run.path, run.where, words, head, run.text, tool, run.run.tool)


def _is_left(step: MuteStep, gone: Run, new: list[Run], changed: list[str]) -> bool:
    """Whether tests are run elsewhere; what CI ran is no longer run if only a makefile does."""
    by_ci = _is_ci(gone.path) and gone.run.tool != "freezegate"
    if any(not by_ci or _is_ci(run.path) for run in new):
        return True
    for path, entry in step.new.tree.files(""):
        if path in changed or not entry.is_regular or not may_run(path):
            continue
        if (not by_ci or _is_ci(path)) and _readable(step.new, path):
            return True
    return by_ci and any(_calls_others(step, path) for path in changed)


def _is_ci(path: str) -> bool:
    return may_be_ci_file(path.encode("utf-8", "surrogateescape"))


def _calls_others(step: MuteStep, path: str) -> bool:
    """Whether a CI file leaves its work to files of other repositories."""
    entry = step.new.entry(path) if _is_ci(path) else None
    return entry is not None and _OTHERS.search(step.new.tree.source(entry)) is not None


def _removed(run: Run, *, left: bool) -> Mute:
    return Mute(
        family=_GATE_FAMILY.get(run.run.tool, MuteFamily.RUNNER),
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL if left else Certainty.CLEAR,
        path=run.path,
        line=None,
        was=f"{run.where.strip('/')}: {run.text}",
        now="gone" if left else f"gone, and nothing else{' in CI' * _is_ci(run.path)} runs tests",
        remedy=_FEWER if left else _REMEDY,
        offer="" if left else "TEST",
        before=run.text,
    )


def _mute(old: Run, new: Run, now: str, certainty: Certainty, remedy: str) -> Mute:
    place = f"{new.where.strip('/')}: " if new.where.strip("/") else ""
    return Mute(
        family=_GATE_FAMILY.get(new.run.tool, MuteFamily.RUNNER),
        detector=_DETECTOR,
        certainty=certainty,
        path=new.path,
        line=None,
        was=old.text,
        now=place + now,
        remedy=remedy,
        offer="TEST" if remedy == _REMEDY else "",
        before=old.text,
        after=now,
    )


def _unreadable(step: MuteStep, path: str, fault: str) -> Mute:
    """A file that could be read before hides what it runs; a new or broken one hid nothing."""
    return Mute(
        family=MuteFamily.RUNNER,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR if is_readable(step.old, path) else Certainty.DOUBTFUL,
        path=path,
        line=None,
        was="a file that says how tests are run, and could be read",
        now=f"it cannot be read: {fault}",
        remedy=f"Mend the file, so that it can be seen what it runs: {path}",
        opaque=True,
    )
