"""Does a patch reach a property: its test, oracle, fixtures, or anything that those import?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.domain.resolve import resolve_domain, resolve_test
from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.model.catalog import Property
    from freezegate.model.domain import Domain
    from freezegate.model.paths import RepoPath
    from freezegate.policy.settings import Policy


class ReachGatherer:
    """Ask about each property of one step; each blob is read and parsed once."""

    def __init__(self, store: ObjectStore, step: Step, policy: Policy) -> None:
        """Read the trees of a step by the policy at T."""
        read = ReadBlobs({}, {})
        self._old = DomainTree(store, step.base_tree, read)
        self._new = DomainTree(store, step.tree, read)
        self._changes, self._policy = step.changes, policy
        # Without a subject the walk of imports goes on where a domain ends.
        self._onward = policy._replace(subject_paths=())
        self._subject_changes = any(matches(policy.subject_paths, path) for path in step.changes)

    def is_reached(self, entry: Property) -> bool:
        """Say whether the patch may change what a property's runs show; in doubt it may."""
        own = (entry.test.path, entry.property_test.path, entry.oracle, *entry.fixtures)
        if any(path.raw in self._changes for path in own):
            return True
        if not (self._is_file(entry.oracle) and self._is_file(entry.test.path)):
            return True
        first = entry.fixtures[0] if entry.fixtures else None
        domain = resolve_domain(self._old, self._policy, entry.oracle, entry, fixture=first)
        reach = resolve_test(self._old, self._policy, entry.test.path)
        if any(each.faults or self._changed(each, self._policy) for each in (domain, reach)):
            return True
        return any(self._reaches_subject(path) for path in (entry.oracle, entry.test.path))

    def _reaches_subject(self, module: RepoPath) -> bool:
        """Whether subject code that a test module imports, itself or through other, is changed.

        Where the subject's own imports cannot be told, any of its files may be among them.
        """
        if not self._subject_changes:
            return False
        whole = resolve_test(self._old, self._onward, module)
        return bool(whole.faults) or self._changed(whole, self._onward)

    def _changed(self, domain: Domain, policy: Policy) -> bool:
        raw = (path.encode("utf-8", "surrogateescape") for path in domain.subject)
        if any(path in self._changes for path in raw):
            return True
        return bool(changed_in(domain, self._changes, self._new, policy))

    def _is_file(self, path: RepoPath) -> bool:
        entry = self._old.entry(path)
        return entry is not None and entry.is_regular
