"""The oracle stood before the patch: the same blob at HEAD^, at T and in N (SPEC section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import Entry, shown_entry
from freezegate.model.finding import Severity
from freezegate.model.paths import shell_path
from freezegate.policy.globs import matches
from freezegate.policy.rules.asked import asked_by, claim_error, file_error
from freezegate.policy.rules.base import rebase_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def judge_oracle(facts: Facts) -> Iterator[Finding]:
    """Refuse oracles that the patch wrote, changed, or names falsely."""
    for claim in facts.claims:
        yield from _judge_guard(facts, claim)
        yield from _judge_at_base(facts, claim)
        yield from _judge_at_parent(facts, claim)
        yield from _judge_in_patch(facts, claim)
        if cites_merge_base(claim):
            yield _stale(facts, claim)
        if asked_by(claim).test_id.path == asked_by(claim).oracle_path:
            yield _own_witness(claim)


def _judge_guard(facts: Facts, claim: Claim) -> Iterator[Finding]:
    path, policy = asked_by(claim).oracle_path, facts.judges.policy.value
    if policy and not matches(policy.oracle_paths, path.raw):
        yield claim_error(
            claim,
            "oracle.not_guarded",
            "oracle_path",
            got=ascii(path),
            expected=f"a path that [oracle] paths match: {', '.join(policy.oracle_paths)}",
        )


def _judge_at_base(facts: Facts, claim: Claim) -> Iterator[Finding]:
    asked, file = asked_by(claim), claim.oracle_at_base
    where = f"{asked.oracle_path} at the trusted base ({facts.base.source})"
    entry = file.link[1] if file.link else file.entry
    if entry is None:
        yield claim_error(
            claim,
            "oracle.missing_at_base",
            "oracle_path",
            got=f"nothing at {where}",
            expected="a regular file",
        )
    elif not entry.is_regular:
        yield claim_error(
            claim,
            "oracle.not_regular_at_base",
            "oracle_path",
            got=f"{entry.kind} at {where}",
            expected="a regular file",
        )
    elif entry.hex != asked.oracle_blob and not cites_merge_base(claim):
        yield _mismatch(facts, claim, entry, where)


def cites_merge_base(claim: Claim) -> bool:
    """Say whether the claim names the oracle of the merge base where the target's differs.

    That is a stale base (SPEC 6.1), not an accusation.
    """
    at_merge_base, at_base = claim.oracle_at_merge_base, claim.oracle_at_base.entry
    return (
        at_merge_base is not None
        and at_merge_base != at_base
        and at_merge_base.hex == asked_by(claim).oracle_blob
    )


def _own_witness(claim: Claim) -> Finding:
    return claim_error(
        claim,
        "oracle.not_independent",
        "test_id",
        got="a test of the oracle's own file",
        expected="an oracle that vouches for more than the frozen test",
        severity=Severity.NOTE,
    )


def _stale(facts: Facts, claim: Claim) -> Finding:
    target = facts.base.source
    return claim_error(
        claim,
        "base.stale",
        "oracle_blob",
        got=f"{asked_by(claim).oracle_blob}, the oracle before {target} moved on",
        expected="the oracle as the target has it now",
        remedy=f"{rebase_command(facts.base)}, then take fresh evidence",
        severity=Severity.WARNING if facts.place.advises else Severity.ERROR,
    )


def _judge_at_parent(facts: Facts, claim: Claim) -> Iterator[Finding]:
    asked = asked_by(claim)
    at_parents = claim.oracle_at_parents
    regular = [entry for entry in at_parents if entry and entry.is_regular]
    if not regular:
        at_hand = next((entry for entry in at_parents if entry), None)
        got = f"{at_hand.kind} at HEAD^" if at_hand else f"nothing at HEAD^:{asked.oracle_path}"
        yield claim_error(
            claim,
            "oracle.missing_at_parent",
            "oracle_path",
            got=got if facts.has_parent else "this commit has no parent",
            expected="the oracle as a regular file at HEAD^",
        )
    elif all(entry.hex != asked.oracle_blob for entry in regular) and _fits_base(claim):
        yield _mismatch(facts, claim, regular[0], f"{asked.oracle_path} at HEAD^")


def _fits_base(claim: Claim) -> bool:
    """Whether the claimed blob is T's; where it is not, that is said already."""
    at_base = claim.oracle_at_base.entry
    return at_base is None or at_base.hex == asked_by(claim).oracle_blob


def _judge_in_patch(facts: Facts, claim: Claim) -> Iterator[Finding]:
    asked = asked_by(claim)
    change = facts.changes.get(asked.oracle_path.raw)
    if change:
        yield file_error(
            claim,
            "oracle.changed",
            asked.oracle_path,
            "oracle_path",
            got=shown_entry(change.new),
            expected=f"{shown_entry(change.old)}, as at the trusted base ({facts.base.source})",
            remedy=f"git checkout {facts.base.rev} -- {shell_path(asked.oracle_path.raw)}, and "
            "commit that before the freeze; or land the change of the oracle in a patch of its own",
        )
    elif _changed_since_parent(facts, claim):
        parent = next(entry for entry in claim.oracle_at_parents if entry)
        yield file_error(
            claim,
            "oracle.changed",
            asked.oracle_path,
            "oracle_path",
            got=f"{shown_entry(parent)} at HEAD^, where the runs were made",
            expected=f"{shown_entry(claim.oracle.entry)}, as at the trusted base and now",
            remedy=f"git reset --soft {facts.base.rev}, commit the patch, take fresh evidence, and "
            "commit the freeze on top: its parent must hold the oracle",
        )


def _changed_since_parent(facts: Facts, claim: Claim) -> bool:
    """Whether no parent has the oracle's entry of N: mode and id, in a candidate on its base."""
    entry = claim.oracle.entry
    moved_on = claim.oracle_at_merge_base != claim.oracle_at_base.entry
    return (
        facts.has_parent
        and not moved_on
        and entry is not None
        and any(claim.oracle_at_parents)
        and entry not in claim.oracle_at_parents
    )


def _mismatch(facts: Facts, claim: Claim, entry: Entry, where: str) -> Finding:
    asked = asked_by(claim)
    known = {each for each in (claim.oracle.entry, claim.oracle_at_base.entry) if each}
    unchanged = known == {entry}
    return claim_error(
        claim,
        "oracle.blob_mismatch",
        "oracle_blob",
        got=asked.oracle_blob,
        expected=f"{entry.hex}, the blob of {where}",
        remedy=f"write {entry.hex} as oracle_blob, in record and ledger line"
        if unchanged
        else f"bring back the oracle of the trusted base (git checkout {facts.base.rev} -- "
        f"{shell_path(asked.oracle_path.raw)}), commit that, then take fresh evidence",
    )
