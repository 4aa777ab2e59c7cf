"""What a window of runs says, how large it must be, and whether it is whole (SPEC 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import Unanswerable, UsageError
from freezegate.model.ledger import LineReason, LineStatus
from freezegate.model.run import RunOutcome, Side
from freezegate.policy.divergence import differing_quotes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.model.catalog import Property
    from freezegate.policy.settings import EvidenceSettings

MIN_RUNS = 2  # SPEC 5.1: two or more runs each; one run never shows whether the next agrees

_HOLDS = "The property held in every run; keep the other gates."
_STABLE = (
    "Every run failed in the same way, which is no flake: repair the code, and keep the fixture as "
    "a regression lock."
)
_INTERMITTENT = (
    "One and the same failure came and went on the same bytes; with an owner and an expiry "
    "(`--owner`, `--expires-on`) a freeze of this fixture digest can be asked for, and of no other."
)
_DIVERGENT = (
    "The runs failed in several ways, so something besides chance is at work: isolate the runner "
    "(shared files, ports, state that another test leaves), then run the same "
    "`freezegate witness` again. More runs will not help, and `--runs` may not be raised."
)
_UNSTABLE_WORDS = (
    "The runs failed in the same place, and the messages differ in {} and {}: make the message "
    "stable (sort what it lists), or isolate the runner (shared files, ports, state that another "
    "test leaves), then run the same `freezegate witness` again. More runs will not help, and "
    "`--runs` may not be raised."
)
_INCOMPLETE = (
    "Not every planned run was observed: repair what stopped the runs, then run the same "
    "command again."
)
_TOO_LITTLE = (
    "That is too little to say anything: run `freezegate witness`, which makes the whole window."
)


class Answer(NamedTuple):
    """What a table says of runs; `next_step` is a sentence for people."""

    status: LineStatus
    reason: LineReason
    next_step: str


def judge_window(
    outcomes: Sequence[RunOutcome], signatures: Sequence[str], *, complete: bool
) -> Answer:
    """Return the answer of table 5.2 for the runs of both sides, or of the only side that ran.

    `signatures` has one entry for each failing run; only how many different ones there are
    counts. `complete` says that every planned run was observed. Where the table has no row (an
    incomplete window, fewer than two runs, failures without signature) the answer is `block`,
    `unresolved`: only several signatures stay what they are whatever was not observed.
    """
    fails = sum(outcome is RunOutcome.FAIL for outcome in outcomes)
    if len(signatures) == fails and len(set(signatures)) > 1:
        return Answer(LineStatus.BLOCK, LineReason.DIVERGENT_SIGNATURES, _divergent(signatures))
    if not complete:
        return Answer(LineStatus.BLOCK, LineReason.UNRESOLVED, _INCOMPLETE)
    if len(outcomes) < MIN_RUNS or len(signatures) != fails:
        return Answer(LineStatus.BLOCK, LineReason.UNRESOLVED, _TOO_LITTLE)
    if not fails:
        return Answer(LineStatus.MERGE_OK, LineReason.PROPERTY_HOLDS, _HOLDS)
    if fails == len(outcomes):
        return Answer(LineStatus.BLOCK, LineReason.STABLE_VIOLATION, _STABLE)
    return Answer(LineStatus.FREEZE_CANDIDATE, LineReason.INTERMITTENT, _INTERMITTENT)


def judge_side(
    outcomes: Sequence[RunOutcome], signatures: Sequence[str], *, size: int, complete: bool
) -> Answer:
    """Return what the runs of one side say: fewer than a window's `size` are told, not judged.

    One side alone has no class, so that no answer tells what to do with the patch.
    """
    answer = judge_window(outcomes, signatures, complete=complete)
    if answer.reason in (LineReason.DIVERGENT_SIGNATURES, LineReason.UNRESOLVED):
        return answer
    fails = sum(outcome is RunOutcome.FAIL for outcome in outcomes)
    seen = f"{fails} of {len(outcomes)} runs of this side failed"
    ask = "`freezegate classify` asks both sides."
    if len(outcomes) < size:
        few = f"{seen}, of at least {size} that a window has on each side: {ask}"
        return Answer(LineStatus.BLOCK, LineReason.UNRESOLVED, few)
    return Answer(answer.status, answer.reason, f"{seen}; one side alone has no class: {ask}")


def _divergent(signatures: Sequence[str]) -> str:
    texts = differing_quotes(signatures)
    return _UNSTABLE_WORDS.format(*texts) if texts else _DIVERGENT


def window_size(settings: EvidenceSettings, entry: Property | None, asked: int | None) -> int:
    """Return the runs on each side: the largest that policy, catalogue and tags ask for.

    `asked` is the command line's `--runs`, which may only raise it. Raises UsageError where it
    would lower it or go beyond `max_runs`, Unanswerable where policy and catalogue themselves ask
    for more than `max_runs`.
    """
    least, source = _least_size(settings, entry)
    if least > settings.max_runs:
        raise Unanswerable(
            "runs.too_many",
            got=f"{least} runs on each side ({source})",
            expected=f"at most {settings.max_runs} ([evidence] max_runs)",
            remedy="Raise max_runs in .freeze/policy.toml, or lower the other number, in a patch "
            "of its own.",
        )
    if asked is None:
        return least
    if asked < least:
        msg = f"--runs {asked} is less than {least}, which {source} asks for; it may only raise it"
        raise UsageError(msg)
    if asked > settings.max_runs:
        msg = f"--runs {asked} is more than {settings.max_runs}, the policy's [evidence] max_runs"
        raise UsageError(msg)
    return asked


def refuse_more_runs(last: LineReason, *, before: int, size: int) -> None:
    """Raise UsageError where a larger window would follow one whose failures differed."""
    if last is LineReason.DIVERGENT_SIGNATURES and size > before:
        msg = (
            f"--runs {size} is more than the {before} runs of the last window, whose failures "
            "differed: isolate the runner; more runs will not help"
        )
        raise UsageError(msg)


def planned_side(index: int) -> Side:
    """Return the side that a planned run is made on: in turn, the base first."""
    return Side.CANDIDATE if index % 2 else Side.BASE


def planned_order(runs_per_side: int) -> tuple[tuple[int, Side], ...]:
    """Return index and side of every run of a window, in the order in which they are made."""
    return tuple((index, planned_side(index)) for index in range(2 * runs_per_side))


def _least_size(settings: EvidenceSettings, entry: Property | None) -> tuple[int, str]:
    asked = [(settings.runs, "[evidence] runs in .freeze/policy.toml")]
    if entry is not None:
        asked.append((entry.repeat, f"repeat of {entry.property_id} in .freeze/catalog.toml"))
        asked += [
            (settings.tags[tag], f"[evidence.tags] {tag} in .freeze/policy.toml")
            for tag in entry.tags
            if tag in settings.tags
        ]
    asked.append((MIN_RUNS, "a disagreement"))
    return max(asked, key=lambda number_and_source: number_and_source[0])
