"""The freezes of one guarded repository, read strictly; what cannot be read never skips.

What only a freeze that still stands needs (policy, evidence, domain) is imported where it is
asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.formats.catalog import parse_catalog
from freezegate.formats.ledger import MAX_LEDGER_BYTES, dump_line, parse_ledger
from freezegate.formats.strict_toml import MAX_TOML_BYTES
from freezegate.ledger.regular_file import read_regular
from freezegate.model.digests import Blake3
from freezegate.model.ledger import LedgerEntry
from freezegate.policy.lifetimes import commit_limit, open_freezes
from freezegate.policy.skipping import Asked, Live, Runs, Skips, decide_skip
from freezegate.pytest_plugin.age import AgeUnknown, commits_since
from freezegate.pytest_plugin.claims import Claim, catalogued_claims
from freezegate.pytest_plugin.guarded import CATALOG, LEDGER, POLICY, VERIFY, unskipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from freezegate.model.catalog import Catalog
    from freezegate.model.evidence import Evidence
    from freezegate.model.ids import TestId
    from freezegate.model.ledger import BadLine, Frozen
    from freezegate.policy.settings import Policy
    from freezegate.pytest_plugin.work_tree import WorkTree


class Freezes:
    """What ledger, catalogue and evidence of a work tree say; `warn` is told of each damage.

    `collected` are the ids of the session's tests, from the top.
    """

    def __init__(
        self,
        top: Path,
        warn: Callable[[str], None],
        now: datetime,
        collected: AbstractSet[str] = frozenset(),
    ) -> None:
        """Read ledger, catalogue and policy once; `now` is UTC."""
        self._top, self._warn, self._now = top, warn, now
        self._collected = collected
        self._lines = self._read_ledger()
        self._catalog, self._catalog_fault = self._read_catalog()
        self._policy_read = self._read_policy()

    def catalogued(self, names: AbstractSet[str]) -> Mapping[str, tuple[Claim, ...]]:
        """Return what the catalogue claims for tests of these ids."""
        return {} if self._catalog is None else catalogued_claims(self._catalog, names)

    def completed(self, claim: Claim) -> Claim:
        """Return a marker's claim with the catalogue's fixtures where it names none."""
        entry = self._catalog and self._catalog.properties.get(claim.property_id)  # type: ignore[call-overload]  # any text
        if claim.fixtures or not entry:
            return claim
        return claim._replace(fixtures=tuple(map(str, entry.fixtures)))

    def standing(self, properties: AbstractSet[str | None]) -> tuple[Frozen, ...]:
        """Return the freezes of some properties that nothing ended and whose day has not passed."""
        found = (line for _, line in open_freezes(self._lines, self._now))
        return tuple(line for line in found if line.property_id in properties)

    def decide(self, claim: Claim, test_id: str | None) -> Skips | Runs | None:
        """Return whether the freeze that a test claims holds here and now."""
        if self._catalog_fault is not None:
            return Runs(self._catalog_fault)
        from freezegate.pytest_plugin.work_tree import WorkTree

        tree = WorkTree(self._top)
        live = Live(
            digest=tree.digest,
            domain_fault=lambda line: self._domain_fault(line, tree),
            age_fault=self._age_fault,
            stands=self._stands,
        )
        try:
            asked = Asked(claim.property_id, claim.fixtures, test_id)
            answer = decide_skip(self._lines, asked, live, self._now)
        except OSError as error:
            return Runs(f"what its freeze rests on cannot be read: {error.strerror}")
        if not isinstance(answer, Skips):
            return answer
        if any(
            dump_line(answer.line) != each.raw
            for each in self._lines
            if isinstance(each, LedgerEntry) and each.line is answer.line
        ):
            # Its end names the id of other bytes: it may be over.
            return Runs("its ledger line is spelled otherwise than when it was frozen")
        fault = self._policy_fault(answer.line)
        return Runs(fault) if fault else answer

    def _read_policy(self) -> bytes | OSError | None:
        try:
            return read_regular(self._top / POLICY, MAX_TOML_BYTES)
        except OSError as error:
            return error

    @cached_property
    def _policy(self) -> Policy | str:
        from freezegate.pytest_plugin.checked_out_policy import policy_of

        return policy_of(self._policy_read)

    def _policy_fault(self, line: Frozen) -> str | None:
        if isinstance(self._policy, str):
            return self._policy
        from freezegate.pytest_plugin.checked_out_policy import forbids

        return forbids(line, self._policy, self._catalog)

    def _read_ledger(self) -> tuple[LedgerEntry | BadLine, ...]:
        try:
            data = read_regular(self._top / LEDGER, MAX_LEDGER_BYTES) or b""
        except OSError as error:
            self._warn(unskipped(f"{LEDGER} cannot be read: {error.strerror}", VERIFY))
            return ()
        lines = parse_ledger(data, canonical=False)
        bad = next((line for line in lines if line.is_damaged), None)
        if bad is None:
            return lines
        self._warn(unskipped(f"{LEDGER} is damaged in line {bad.number}", VERIFY))
        return ()

    def _read_catalog(self) -> tuple[Catalog | None, str | None]:
        try:
            data = read_regular(self._top / CATALOG, MAX_TOML_BYTES)
            return (None if data is None else parse_catalog(data)), None
        except (OSError, DecodeError) as error:
            why = (
                error.strerror
                if isinstance(error, OSError)
                else ": ".join(filter(None, (error.place, error.got)))
            )
            self._warn(unskipped(f"{CATALOG} cannot be read: {why}", "freezegate catalog check"))
            return None, f"{CATALOG} cannot be read"

    def _domain_fault(self, line: Frozen, tree: WorkTree) -> str | None:
        evidence = self._evidence(line)
        if isinstance(evidence, str):
            return evidence
        oracle = tree.entry(str(line.oracle_path))
        if oracle is None or not oracle.is_regular or oracle.hex != line.oracle_blob:
            return f"oracle changed: {line.oracle_path}"
        changed = tree.differing(evidence.domain)
        return None if changed is None else f"domain changed: {changed}"

    def _evidence(self, line: Frozen) -> Evidence | str:
        """Return the evidence that a line names, or why there is none that it can mean."""
        from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence

        if line.evidence is None:
            return "it was frozen without evidence, so no list says what its oracle depends on"
        name = f".freeze/evidence/{line.evidence.hex}.json"
        try:
            data = read_regular(self._top / name, MAX_EVIDENCE_BYTES)
            if data is None or Blake3.of(data) != line.evidence:
                return f"{name} is {'missing' if data is None else 'not what it was'}"
            evidence = parse_evidence(data)
        except (OSError, DecodeError):
            self._warn(unskipped(f"{name} cannot be read", VERIFY))
            return f"{name} cannot be read"
        if _domain_digest(evidence) != line.domain_digest:
            return f"{name} lists another domain than the ledger"
        return evidence

    def _stands(self, test_id: TestId) -> bool:
        if test_id in self._collected:  # made by a hook, perhaps, where no source shows it
            return True
        from freezegate.policy.module_source import may_stand
        from freezegate.pytest_plugin.work_tree import MAX_FILE_BYTES

        try:
            source = read_regular(self._top / test_id.path, MAX_FILE_BYTES)
        except OSError:
            return True
        return source is not None and may_stand(source, test_id.names)

    def _age_fault(self, line: Frozen) -> str | None:
        if isinstance(self._policy, str):
            return self._policy
        limit = commit_limit(line, self._policy.freeze)
        try:
            age = commits_since(line.base_rev, self._top)
        except AgeUnknown as unknown:
            self._warn(f"{unknown}: {line.property_id} goes by its date alone, not by commits")
            return None
        if age is None:
            return f"its base {line.base_rev[:12]} is no commit here, so its age is not known"
        return (
            f"expired: {age} commits from its base to HEAD, at most {limit}"
            if age > limit
            else None
        )


def _domain_digest(evidence: Evidence) -> Blake3:
    from freezegate.model.entries import Entry
    from freezegate.policy.digests import DOMAIN_CONTEXT, entries_digest

    return entries_digest(
        DOMAIN_CONTEXT,
        (
            (
                each.path.encode("utf-8", "surrogateescape"),
                None if each.blob is None else Entry(each.mode, bytes.fromhex(each.blob)),
            )
            for each in evidence.domain
        ),
    )
