"""The fixture is the locked file, in no entry of the patch, and its snapshot holds its bytes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE, Entry, shown_entry
from freezegate.model.paths import AT_TOP, RepoPath, relock_command, shell_path, shown_path
from freezegate.policy.globs import matches
from freezegate.policy.rules.asked import adding, asked_by, claim_error, file_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.policy.claim import Claim, FileFacts
    from freezegate.policy.facts import Facts

_LINKS = {SYMLINK_MODE: "path.symlink", GITLINK_MODE: "path.gitlink"}


def judge_fixture(facts: Facts) -> Iterator[Finding]:
    """Refuse fixtures that are no plain locked files or whose bytes are not those claimed."""
    for claim in facts.claims:
        yield from _judge_place(facts, claim)
        yield from _judge_bytes(facts, claim)
        yield from _judge_snapshot(facts, claim)
        for file, twins, key in (
            (claim.fixture, claim.fixture.twins, "fixture_path"),
            (claim.oracle, claim.oracle.twins, "oracle_path"),
            (claim.test, claim.test_twins, "test_id"),
        ):
            yield from _judge_twins(claim, file, twins, key)


def link_code(entry: Entry) -> str:
    """Return the code for something else than a regular file."""
    return _LINKS.get(entry.mode, "path.not_regular")


def _judge_place(facts: Facts, claim: Claim) -> Iterator[Finding]:
    path, policy = asked_by(claim).fixture_path, facts.judges.policy.value
    if policy and not matches(policy.fixture_paths, path.raw):
        yield claim_error(
            claim,
            "fixture.not_guarded",
            "fixture_path",
            got=ascii(path),
            expected=f"a path that [fixtures] paths match: {', '.join(policy.fixture_paths)}"
            if policy.fixture_paths
            else "[fixtures] paths in .freeze/policy.toml; at the trusted base there are none",
        )
    change = facts.changes.get(path.raw)
    if change:
        yield file_error(
            claim,
            "fixture.changed_in_patch",
            path,
            "fixture_path",
            got=shown_entry(change.new),
            expected=f"{shown_entry(change.old)}, as at the trusted base",
            remedy=_back(facts, claim),
        )


def _judge_bytes(facts: Facts, claim: Claim) -> Iterator[Finding]:
    asked, file = asked_by(claim), claim.fixture
    yield from _judge_kind(claim, file, "fixture_path", "fixture.missing")
    if file.is_lfs_pointer:
        yield claim_error(
            claim,
            "path.lfs_pointer",
            "fixture_path",
            got=f"the blob at {file.path} is a Git LFS pointer",
            expected="the fixture's own bytes in git",
            remedy=f"{AT_TOP}git lfs untrack '{file.path}' && git add --renormalize '{file.path}', "
            "and commit it",
        )
    elif file.sha256 and file.sha256 != asked.fixture_sha256:
        yield _mismatch(facts, claim, f"{file.sha256}, the SHA-256 of {file.path} as committed")
    locked = (facts.judges.lock.value or {}).get(RepoPath(asked.fixture_path))
    if locked is None:
        yield claim_error(
            claim,
            "fixture.not_locked",
            "fixture_path",
            got=f"no line for {asked.fixture_path} in the lock at the trusted base",
            expected="a line in .freeze/fixtures.sha256",
            remedy=f"in a patch of its own, before this one: {relock_command(file.path)}",
        )
    elif locked != asked.fixture_sha256 and _fits_untouched(facts, claim):
        yield claim_error(
            claim,
            "fixture.lock_stale",
            "fixture_path",
            got=f"{locked} in .freeze/fixtures.sha256 at the trusted base",
            expected=f"{file.sha256}, the SHA-256 of {file.path} as committed",
            remedy=f"in a patch of its own, before this one: {relock_command(file.path)}",
        )
    elif locked != asked.fixture_sha256:
        yield _mismatch(
            facts, claim, f"{locked}, as .freeze/fixtures.sha256 at the trusted base says"
        )


def _fits_untouched(facts: Facts, claim: Claim) -> bool:
    """Whether the claim tells the fixture's digest rightly, and the patch did not change it."""
    fits = claim.fixture.sha256 == asked_by(claim).fixture_sha256
    return fits and claim.fixture.path.raw not in facts.changes


def _judge_kind(claim: Claim, file: FileFacts, key: str, missing: str) -> Iterator[Finding]:
    expected = "a regular file in the repository"
    if file.link:
        where, entry = file.link
        got = f"{where}, on the way to it, is {entry.kind}"
        yield claim_error(claim, link_code(entry), key, got=got, expected=expected)
    elif file.entry is None:
        yield claim_error(claim, missing, key, got=f"nothing at {file.path}", expected=expected)
    elif not file.entry.is_regular:
        got = f"{file.path} is {file.entry.kind}"
        yield claim_error(claim, link_code(file.entry), key, got=got, expected=expected)


def _mismatch(facts: Facts, claim: Claim, expected: str) -> Finding:
    asked = asked_by(claim)
    return claim_error(
        claim,
        "digest.mismatch",
        "fixture_sha256",
        got=asked.fixture_sha256,
        expected=expected,
        remedy=_back(facts, claim)
        if claim.fixture.path.raw in facts.changes
        else f"git cat-file blob HEAD:{shlex.quote(asked.fixture_path)} | sha256sum",
    )


def _back(facts: Facts, claim: Claim) -> str:
    """Return what mends all that follows from a fixture that the patch changes."""
    path, old = claim.fixture.path, facts.changes[claim.fixture.path.raw].old
    back = f"checkout {facts.base.rev} --" if old else "rm"
    return (
        f"git {back} {shell_path(path.raw)}, commit that, then: freezegate witness --refresh; "
        f"or land the fixture with its line of the lock first, in a patch of its own"
    )


def _judge_snapshot(facts: Facts, claim: Claim) -> Iterator[Finding]:
    digest, file = asked_by(claim).fixture_sha256, claim.snapshot
    if file.entry is None and not file.link:
        yield claim_error(
            claim,
            "fixture.missing",
            "fixture_sha256",
            got=f"no snapshot at {file.path}",
            expected="the fixture's bytes under their digest",
            remedy=adding(facts, ".freeze")
            if file.path in facts.left_out
            else _copy_command(claim),
        )
    else:
        yield from _judge_kind(claim, file, "fixture_sha256", "fixture.missing")
    if file.sha256 and file.sha256 != digest:
        yield claim_error(
            claim,
            "digest.mismatch",
            "fixture_sha256",
            got=digest,
            expected=f"{file.sha256}, the SHA-256 of the snapshot {file.path}",
        )


def _copy_command(claim: Claim) -> str:
    fixture, snapshot = shlex.quote(claim.fixture.path), claim.snapshot.path
    return (
        f'cd "$(git rev-parse --show-toplevel)" && mkdir -p .freeze/snapshots && '
        f"git cat-file blob HEAD:{fixture} > {snapshot} && git add {snapshot}"
    )


def _judge_twins(
    claim: Claim, file: FileFacts, twins: tuple[bytes, ...], key: str
) -> Iterator[Finding]:
    for twin in twins:
        yield claim_error(
            claim,
            "path.fold_collision",
            key,
            got=f"{file.path} beside {shown_path(twin)!a}",
            expected="no second spelling of this path for systems that fold names",
        )
