"""Why an input is not locked, and what to do: what `freezegate shrink` says of a proposal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_runs import Replays
    from freezegate.model.sample import SampleRow


def unstable(case: PropertyCase, seen: Replays) -> tuple[str, str]:
    """Return why replays that waver, or are none, lock nothing."""
    if seen.stopped is not None:
        return f"{seen.stopped.word}: {seen.stopped.got}", seen.stopped.remedy
    fails = len(seen.signatures)
    ways = f" in {len(set(seen.signatures))} ways" if len(set(seen.signatures)) > 1 else ""
    return (
        f"{fails} of {len(seen.outcomes)} replays failed{ways}, where each should in one way",
        "the seed alone did not decide: look for time, order and state that another call leaves; "
        f"then sample anew: freezegate sample --property {case.entry.property_id} --seeds 20",
    )


def another(case: PropertyCase, row: SampleRow, seen: Replays) -> tuple[str, str]:
    """Return why another failure than the sample's locks nothing."""
    return (
        f"the replays fail otherwise than the sample: {seen.signatures[0]}; expected: "
        f"{row.signature}",
        "the input alone does not make that failure: look for state that another call leaves; "
        f"then sample anew: freezegate sample --property {case.entry.property_id} --seeds 20",
    )


def contradicted(case: PropertyCase, seen: Replays) -> tuple[str, str]:
    """Return why an input is none of both sides: the base had passed under this seed."""
    if seen.stopped is not None:
        return f"on the base {seen.stopped.word}: {seen.stopped.got}", seen.stopped.remedy
    fails, runs = len(seen.signatures), len(seen.outcomes)
    return (
        f"the base passed under this seed and fails {fails} of {runs} replays of the input: "
        f"{seen.signatures[0]}",
        "a contradiction, so nothing is locked: what the base makes of that input is not what the "
        "strategy makes there, or time and machine decide; let the test take plain data, then "
        f"freezegate sample --property {case.entry.property_id} --seeds 20",
    )


def unkept(missing: tuple[str, ...]) -> tuple[str, str]:
    """Return why an input without what `keep` names locks nothing."""
    names = ", ".join(missing)
    return (
        f"`keep` names {names}, which the minimal input does not have",
        "let the strategy always make what `keep` names, or take it out of `keep` in "
        ".freeze/catalog.toml, in a patch of its own",
    )
