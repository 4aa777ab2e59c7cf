"""What somebody should know besides the verdict: what was left out, and what went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.witness_options import same_again
from freezegate.model.ledger import without_property
from freezegate.policy.lifetimes import commit_limit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from freezegate.cli.witness_asked import Wanted
    from freezegate.cli.witness_case import Case
    from freezegate.cli.witness_take import Result
    from freezegate.model.finding import Finding
    from freezegate.policy.lifetimes import Landed


def without_refused(
    case: Case, results: Sequence[Result], options: argparse.Namespace
) -> tuple[str, ...]:
    """Return the command for the others, where some of several tests are no ground for a freeze."""
    good = [w for w, r in zip(case.wanted, results, strict=True) if r.evidence is not None]
    bad = [str(r.page.test_id) for r in results if r.evidence is None]
    if not good or not bad:
        return ()
    return (
        f"nothing is written because of {', '.join(bad)}; without "
        f"{'it' if len(bad) == 1 else 'them'}: {_only(good, options)}",
    )


def without_unknown(findings: Sequence[Finding], options: argparse.Namespace) -> tuple[str, ...]:
    """Return the command for the others, where some of several ids name no test to be frozen."""
    about = {finding.about for finding in findings}
    bad = [text for text in options.test_ids if ascii(text)[1:-1] in about or text in about]
    good = [text for text in options.test_ids if text not in bad]
    if not good or not bad:
        return ()
    again = same_again(options, test_ids=good)
    return (f"nothing was run because of {', '.join(bad)}; without: {again}",)


def dropped(case: Case) -> tuple[str, ...]:
    """Return which lines of the branch a refresh takes away without one in their place."""
    taken = {(each.property_id, each.test_id) for each in case.wanted}
    lost = [li for li in case.ledger.previous if (li.property_id, li.test_id) not in taken]
    return tuple(
        f"dropped the classified line of {line.property_id or line.test_id}, and its evidence: "
        "it was of an earlier --refresh or witness, and is not taken anew"
        for line in lost
    )


def acting_on_nothing(asked: Iterable[Landed]) -> tuple[str, ...]:
    """Return which of the requests the plugin will not act on, and what to do about it."""
    found = (without_property(line) for _, line in asked)
    return tuple(f"note: {text}" for text in found if text is not None)


def outlived(case: Case, asked: Iterable[Landed]) -> tuple[str, ...]:
    """Return which of the requests would be over when this branch lands as it is.

    Its own commits count from the base on, the one that brings the request among them.
    """
    settings, history = case.setting.policy.freeze, case.setting.session.history
    found = []
    for _, line in asked:
        limit = commit_limit(line, settings)
        count = history.distance(line.base_rev, case.setting.head, cap=limit)
        if count is not None and count + 1 > limit:
            found.append(
                f"note: with all its commits this branch lands more than {limit} after the base, "
                f"and the freeze of {line.property_id or line.test_id} ends after {limit}: it "
                "would be over at once; squash the branch, or ask with a larger "
                "--expires-after-commits"
            )
    return tuple(found)


def _only(wanted: Sequence[Wanted], options: argparse.Namespace) -> str:
    """Return the same command line for some of its tests, by property where each has one."""
    names = [str(each.property_id) for each in wanted if each.entry is not None]
    if len(names) == len(wanted):
        return same_again(options, test_ids=[], property=names)
    return same_again(options, test_ids=[str(each.test_id) for each in wanted])
