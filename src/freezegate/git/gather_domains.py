"""The domains of one step: resolved at T, and what the patch changes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.policy.claim import ClaimedDomain
from freezegate.policy.domain.changes import changed_in, differing_entries
from freezegate.policy.domain.resolve import resolve_domain, resolve_test
from freezegate.policy.domain.surface import Difference, differing_pieces, read_surface
from freezegate.policy.facts import Voided
from freezegate.policy.guards import POLICY_PATH
from freezegate.policy.lifetimes import open_freezes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.model.catalog import Catalog, Property
    from freezegate.model.digests import Blake3
    from freezegate.model.domain import Domain, DomainChange
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.paths import RepoPath
    from freezegate.policy.domain.surface import Surface
    from freezegate.policy.facts import Judges, LedgerStep
    from freezegate.policy.settings import Policy


class DomainGatherer:
    """Resolve the domains that one step is about; each blob is read and parsed once."""

    def __init__(
        self, store: ObjectStore, step: Step, policy: Policy, catalog: Catalog | None
    ) -> None:
        """Read the trees of a step by the policy and catalogue at T."""
        read = ReadBlobs({}, {})
        self._old = DomainTree(store, step.base_tree, read)
        self._new = DomainTree(store, step.tree, read)
        self._changes, self._policy = step.changes, policy
        self._properties: Mapping[PropertyId, Property] = catalog.properties if catalog else {}

    def claimed(
        self, oracle: RepoPath, fixture: RepoPath, property_id: PropertyId | None, test: TestId
    ) -> ClaimedDomain | None:
        """Return what a claim's oracle and test resolve to, None where they are not there at T."""
        domain = self.domain(oracle, fixture, property_id)
        if domain is None or not self._is_file(test.path):
            return None
        reach = resolve_test(self._old, self._policy, test.path)
        reached = changed_in(reach, self._changes, self._new, self._policy)
        touched = reached or test.path.raw in self._changes
        return ClaimedDomain(
            domain=domain,
            changes=changed_in(domain, self._changes, self._new, self._policy),
            reach=reach,
            reach_changes=reached,
            test_changes=self._test_changes(reach, test) if touched else (),
        )

    def domain(
        self, oracle: RepoPath, fixture: RepoPath, property_id: PropertyId | None
    ) -> Domain | None:
        """Return the domain of an oracle at T, None where no such file stands there."""
        if not self._is_file(oracle):
            return None
        entry = self._properties.get(property_id) if property_id else None
        return resolve_domain(self._old, self._policy, oracle, entry, fixture)

    def property(self, property_id: PropertyId | None) -> Property | None:
        """Return the catalogue entry of a property at T."""
        return self._properties.get(property_id) if property_id else None

    def changed_under(
        self,
        oracle: RepoPath,
        fixture: RepoPath,
        property_id: PropertyId | None,
        new_policy: Policy | None,
    ) -> tuple[DomainChange, ...]:
        """Return what the patch changes of the domain of an oracle, by its new policy too."""
        domain = self.domain(oracle, fixture, property_id)
        if domain is None:
            return ()
        changes = changed_in(domain, self._changes, self._new, self._policy)
        if changes or new_policy is None or POLICY_PATH not in self._changes:
            return changes
        entry = self._properties.get(property_id) if property_id else None
        new = resolve_domain(self._new, new_policy, oracle, entry, fixture)
        return tuple(differing_entries(domain, new))

    def changed_test(self, test: TestId) -> tuple[Difference, ...]:
        """Return what the patch changes of a test that stood at T: helpers and fixtures too."""
        if not self._is_file(test.path):
            gone = Difference(str(test.path), "", 1, "no such file at the base")
            return (gone,) if test.path.raw in self._changes else ()
        reach = resolve_test(self._old, self._policy, test.path)
        reached = changed_in(reach, self._changes, self._new, self._policy)
        touched = reached or test.path.raw in self._changes
        return self._test_changes(reach, test) if touched else ()

    def _test_changes(self, reach: Domain, test: TestId) -> tuple[Difference, ...]:
        new = resolve_test(self._new, self._policy, test.path) if self._is_new(test.path) else reach
        old = self._surface(self._old, reach, test)
        return differing_pieces(old, self._surface(self._new, new, test))

    def _surface(self, tree: DomainTree, reach: Domain, test: TestId) -> Surface:
        modules = {name: path for name, path in reach.modules.items() if path.endswith(".py")}
        conftests = [
            p for p in reach.entries if p.endswith("conftest.py") and reach.entries[p].entry
        ]
        sources = {}
        for path in {*modules.values(), *conftests, str(test.path)}:
            entry = tree.entry(path)
            if entry and entry.is_regular:
                sources[path] = tree.source(entry)
        return read_surface(modules, sources, conftests, test)

    def _is_file(self, path: RepoPath) -> bool:
        entry = self._old.entry(path)
        return entry is not None and entry.is_regular

    def _is_new(self, path: RepoPath) -> bool:
        entry = self._new.entry(path)
        return entry is not None and entry.is_regular


def gather_voids(
    gatherer: DomainGatherer,
    step: Step,
    ledger: LedgerStep,
    judges: tuple[Judges, Judges],
    now: datetime,
) -> dict[Blake3, Voided]:
    """Return, by its id, what the patch changes of the ground of each active freeze."""
    policy, new_policy = judges[0].policy.value, judges[1].policy.value
    if policy is None or not step.changes:
        return {}
    found = {
        entry.freeze_id: Voided(
            gatherer.changed_under(
                line.oracle_path, line.fixture_path, line.property_id, new_policy
            ),
            gatherer.changed_test(line.test_id),
        )
        for entry, line in open_freezes(ledger.landed, now)
    }
    return {freeze: changes for freeze, changes in found.items() if any(changes)}
