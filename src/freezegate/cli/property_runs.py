"""Replays of a property: the same input in separate processes, nothing generated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.sample_run import property_request, signer_of, stopped_by, unusable
from freezegate.model.observation import NoObservation, Unobserved
from freezegate.model.run import RunOutcome, Side
from freezegate.model.window import Stopped, Window
from freezegate.witness.window_run import make_runs, run_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import Encoded
    from freezegate.model.window import WindowRun
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import RunTold

MAX_REPLAYS = 1000
MIN_REPLAYS = 2  # one run never shows whether the next agrees


class Replays(NamedTuple):
    """One side's runs on one input; `stopped` says why there are no more of them."""

    outcomes: tuple[RunOutcome, ...]
    signatures: tuple[str, ...]
    from_pytest: tuple[str, ...]
    stopped: Unobserved | None

    @property
    def all_pass(self) -> bool:
        """Whether every planned run was seen and passed."""
        return self.stopped is None and set(self.outcomes) == {RunOutcome.PASS}

    @property
    def all_fail_alike(self) -> bool:
        """Whether every planned run was seen, and failed in the same way."""
        failed = all(each is RunOutcome.FAIL for each in self.outcomes)
        return self.stopped is None and failed and len(set(self.signatures)) == 1


def replay_input(
    case: PropertyCase,
    trees: Trees,
    side: Side,
    arguments: Encoded,
    count: int,
    tell: Callable[[RunTold], None],
    *,
    seed: int | None = None,
) -> Replays:
    """Run the property on one input so many times on one side."""
    request = property_request(case, seed, arguments)
    order = [(index, side) for index in range(count)]
    runs, stopped = make_runs(trees, case.runner, request, order, tell)
    seen, why = _usable(case, runs)
    if why is None and stopped is not None:
        why = stopped_by(case, stopped.unobserved)
    signer = signer_of(case, trees)
    failures = [run.observation.failure for run in seen if run.observation.failure]
    about = seen[0].observation.property_seen if seen else None
    return Replays(
        outcomes=tuple(_outcome(run) for run in seen),
        signatures=tuple(signer.sign(failure) for failure in failures),
        from_pytest=about.from_pytest if about else (),
        stopped=why,
    )


def replay_window(
    case: PropertyCase,
    trees: Trees,
    arguments: Encoded,
    count: int,
    tell: Callable[[RunTold], None],
    *,
    seed: int | None,
) -> Window:
    """Run the property on one input on both sides in turn, as a window does."""
    request = replace(property_request(case, seed, arguments), runs_per_side=count)
    window = run_window(trees, case.runner, request, tell)
    seen, why = _usable(case, window.runs)
    if why is None and window.stopped is not None:
        return replace(
            window,
            stopped=replace(window.stopped, unobserved=stopped_by(case, window.stopped.unobserved)),
        )
    if why is None:
        return window
    bad = window.runs[len(seen)]
    stopped = Stopped(index=bad.index, side=bad.side, unobserved=why)
    return replace(window, runs=seen, oracle=None, stopped=stopped)


def _usable(
    case: PropertyCase, runs: tuple[WindowRun, ...]
) -> tuple[tuple[WindowRun, ...], Unobserved | None]:
    """Return the runs before the first that says nothing of the property, and why it does not."""
    for number, run in enumerate(runs):
        why = unusable(case, run.observation) or _rejected(case, run)
        if why is not None:
            return runs[:number], why
    return runs, None


def _rejected(case: PropertyCase, run: WindowRun) -> Unobserved | None:
    """Return why a run did not ask the property about the input: `assume` said no."""
    seen = run.observation.property_seen
    if seen is not None and (seen.calls, seen.rejected) == (1, 0):
        return None
    calls = seen.calls if seen else 0
    got = f"{case.entry.property_test} rejects the input (assume)"
    return Unobserved(
        word=NoObservation.BAD_INPUT,
        got=got if calls == 1 else f"the test was called {calls} times with the input",
        expected="one call of the property that tells whether it holds",
        remedy="sample and shrink again: the property's assumptions are not those of the fixture",
    )


def _outcome(run: WindowRun) -> RunOutcome:
    return RunOutcome.PASS if run.observation.passed else RunOutcome.FAIL
