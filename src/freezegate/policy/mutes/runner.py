"""CI, make, tox, nox and scripts that run fewer tests, or to whom a failure is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.run_places import Run, UnreadableError, may_run, runs_in
from freezegate.policy.mutes.tool_calls import losses, runs_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "runner"
_MAX_FILES = 200  # files that are looked through for another run of the tests
_REMEDY = (
    "Let a failing test fail the job. One that cannot pass now: freezegate witness TEST --mark"
)
_FEWER = "Say in the pull request why fewer tests run; a person must look."
_GATE_FAMILY = {"freezegate": MuteFamily.GATE}


def find_runner(step: MuteStep) -> Iterator[Mute]:
    """Yield what runs of the tests ignore or leave out now, and did not before."""
    paths = [path for path in step.changed if may_run(path)]
    if not paths:
        return
    old = [run for path in paths for run in _readable(step.old, path)]
    new: list[Run] = []
    for path in paths:
        try:
            new += _read(step.new, path)
        except UnreadableError as error:
            yield _unreadable(path, str(error), known=bool(_readable(step.old, path)))
            old = [run for run in old if run.path != path]
    pairs, gone = _paired(old, new)
    for before, after in pairs:
        yield from _compared(before, after)
    if gone:
        left = new or _elsewhere(step, paths)
        for run in gone:
            yield _removed(run, left=bool(left))


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
        yield _mute(old, new, f"{new.text}  [{how} runs nothing]", Certainty.CLEAR, _REMEDY)
    for how in sorted(new.unsure - old.unsure):
        yield _mute(old, new, f"{new.text}  [{how}]", Certainty.DOUBTFUL, _FEWER)
    if old.run.tool == new.run.tool:
        for how in losses(old.run, new.run):
            yield _mute(old, new, f"{new.text}  [{how}]", Certainty.DOUBTFUL, _FEWER)


def _elsewhere(step: MuteStep, changed: list[str]) -> bool:
    """Whether another file of the new side, that was not touched, runs tests."""
    for number, (path, entry) in enumerate(step.new.tree.files("")):
        if number > _MAX_FILES * 50:
            return True
        if path not in changed and entry.is_regular and may_run(path) and _readable(step.new, path):
            return True
    return False


def _removed(run: Run, *, left: bool) -> Mute:
    return Mute(
        family=_GATE_FAMILY.get(run.run.tool, MuteFamily.RUNNER),
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL if left else Certainty.CLEAR,
        path=run.path,
        line=None,
        was=f"{run.where.strip('/')}: {run.text}",
        now="gone" if left else "gone, and nothing else runs tests",
        remedy=_FEWER if left else _REMEDY,
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
        before=old.text,
        after=now,
    )


def _unreadable(path: str, fault: str, *, known: bool) -> Mute:
    return Mute(
        family=MuteFamily.RUNNER,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=path,
        line=None,
        was="a file that says how tests are run" if known else "no such file, or none that is read",
        now=fault,
        remedy="Mend the file, so that it can be seen what it runs.",
        opaque=True,
    )
