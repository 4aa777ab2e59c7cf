"""One session's frozen tests: who claims what, and what becomes of each just before its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from freezegate.pytest_plugin.claims import (
    MARK_PREFIX,
    Claim,
    marked_claims,
    own_skip_property,
    test_name,
)
from freezegate.pytest_plugin.guarded import (
    VERIFY,
    Glance,
    catalogue_may_name,
    distrusted,
    glance_at_ledger,
    unskipped,
)
from freezegate.pytest_plugin.summary import DEAD, FROZEN, RUNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from freezegate.policy.skipping import Runs, Skips
    from freezegate.pytest_plugin.freezes import Freezes
    from freezegate.pytest_plugin.trial import Trial


class Claimed(NamedTuple):
    """A claim of one test, and how many tests of the session claim the same property."""

    claim: Claim
    claimants: int


class Frozen:
    """The claims of a session on properties that were frozen at some time.

    `warnings` are what could not be read; `trial` is under way while a frozen test is run.
    """

    def __init__(self, config: pytest.Config, now: datetime) -> None:
        self._config, self._now = config, now
        self._freezes: dict[Path, Freezes] = {}
        self._claims: dict[pytest.Item, tuple[Path, tuple[Claimed, ...]]] = {}
        self.warnings: dict[str, None] = {}
        self.trial: Trial | None = None
        self._skips: dict[pytest.Item, str] = {}

    @classmethod
    def of(
        cls,
        repositories: Mapping[Path, Sequence[pytest.Item]],
        config: pytest.Config,
        now: datetime,
    ) -> Frozen:
        """Look at what was collected, one guarded repository after the other."""
        self = cls(config, now)
        for top, items in repositories.items():
            try:
                self._gather(top, items)
            # Broad, as nowhere but in `main`: whatever escapes a hook is an INTERNALERROR that ends
            # a session of somebody else. No list of types holds a fault of ours that nobody knows;
            # it is told, and no test is skipped. The same holds in `_answer`.
            except Exception as error:
                marked = (item for item in items if own_skip_property(item) is not None)
                self._claims.update((item, (top, ())) for item in marked)
                self._warn(unskipped(f".freeze could not be read: {type(error).__name__}", VERIFY))
        return self

    def before(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Skip a test whose freeze holds, or try it; None where pytest goes on as ever."""
        if item not in self._claims:
            return None
        holding, failing = self._judged(item)
        if failing or not holding:
            _let_run(item, failing)
            return None
        text = _frozen_text(*holding[0])
        if self._config.option.freezegate_run_frozen:
            return self._try(item, nextitem, text)
        item.user_properties.append((FROZEN, text))
        self._skip(item, f"{MARK_PREFIX}frozen, {text}")
        return None

    def set_up(self, item: pytest.Item) -> None:
        """Skip where pytest's own plugin for skip markers is off."""
        if item in self._skips:
            pytest.skip(self._skips[item])

    def _skip(self, item: pytest.Item, reason: str) -> None:
        if self._config.pluginmanager.has_plugin("skipping"):
            item.add_marker(pytest.mark.skip(reason=reason), append=False)
        else:
            self._skips[item] = reason

    def _judged(
        self, item: pytest.Item
    ) -> tuple[list[tuple[Claim, Skips]], list[tuple[Claim, Runs]]]:
        """Return which of an item's freezes hold now, and which do not."""
        from freezegate.policy.skipping import Runs, Skips

        top, claims = self._claims[item]
        name = test_name(item, top)
        answers = [(each.claim, self._answer(top, each, name)) for each in claims]
        holding = [(claim, each) for claim, each in answers if isinstance(each, Skips)]
        failing = [(claim, each) for claim, each in answers if isinstance(each, Runs)]
        return holding, failing

    def _gather(self, top: Path, items: Sequence[pytest.Item]) -> None:
        fault = distrusted(top, {item.path.parent for item in items})
        glance = Glance(frozenset(), fault) if fault else glance_at_ledger(top)
        if glance.damage is not None:
            self._warn(glance.damage)
        claims = {item: marked_claims(item) for item in items}
        if glance.properties:
            claims = self._with_catalogue(top, claims, glance.properties)
        counts: dict[str, int] = {}
        for each in claims.values():
            for claim in each:
                counts[claim.property_id] = counts.get(claim.property_id, 0) + 1
        self._tell_unclaimed(top, glance, items, counts.keys())
        if glance.last_days.get(None, "") >= str(self._now.date()):
            self._tell_without_property(top, {test_name(item, top) for item in items})
        for item in items:
            claimed = [Claimed(c, counts[c.property_id]) for c in claims[item]]
            named = [each for each in claimed if each.claim.property_id in glance.properties]
            if named or own_skip_property(item) is not None:
                self._claims[item] = (top, tuple(named))

    def _tell_unclaimed(
        self, top: Path, glance: Glance, items: Sequence[pytest.Item], claimed: AbstractSet[str]
    ) -> None:
        """Say which freezes lost their test: nobody misses a test that is not there."""
        today = str(self._now.date())
        names = {n for n in glance.properties - claimed if glance.last_days.get(n, "") >= today}
        if not names:
            return
        from freezegate.pytest_plugin.whole import is_collected, is_whole

        for line in self._freezes_of(top).standing(names) if is_whole(self._config, items) else ():
            if is_collected(self._config, top / line.test_id.path):
                self._warn(
                    f"{line.property_id} is frozen for {line.test_id}, and no collected test "
                    "claims it: renamed? see freezegate ledger list"
                )

    def _tell_without_property(self, top: Path, tests: AbstractSet[str | None]) -> None:
        """Say which freezes no test of the session can claim, and what would let it."""
        from freezegate.model.ledger import without_property

        for line in self._freezes_of(top).standing({None}):
            lacking = without_property(line)
            if line.test_id in tests and lacking is not None:
                self._warn(lacking)

    def _with_catalogue(
        self, top: Path, claims: Mapping[pytest.Item, tuple[Claim, ...]], frozen: frozenset[str]
    ) -> dict[pytest.Item, tuple[Claim, ...]]:
        """Join what the catalogue says; it is decoded where that may concern a frozen property."""
        marked = {claim.property_id for each in claims.values() for claim in each}
        names = {item: name for item in claims if (name := test_name(item, top)) is not None}
        tests = {*names.values()}
        if marked.isdisjoint(frozen) and not catalogue_may_name(top, tests, frozen):
            return dict(claims)
        freezes = self._freezes_of(top, tests)
        found = freezes.catalogued(tests)
        joined = {}
        for item, own in claims.items():
            known = {claim.property_id for claim in own}
            more = [c for c in found.get(names.get(item, ""), ()) if c.property_id not in known]
            joined[item] = (*map(freezes.completed, own), *more)
        return joined

    def _freezes_of(self, top: Path, collected: AbstractSet[str] = frozenset()) -> Freezes:
        if top not in self._freezes:
            from freezegate.pytest_plugin.freezes import Freezes

            self._freezes[top] = Freezes(top, self._warn, self._now, collected)
        return self._freezes[top]

    def _answer(self, top: Path, claimed: Claimed, name: str | None) -> Skips | Runs | None:
        from freezegate.policy.skipping import Runs, Skips

        try:
            answer = self._freezes_of(top).decide(claimed.claim, name)
        except Exception as error:
            return Runs(f"its freeze could not be read: {type(error).__name__}")
        if claimed.claimants > 1 and isinstance(answer, Skips):
            number = "two" if claimed.claimants == 2 else str(claimed.claimants)
            return Runs(f"{number} tests claim this property")
        return answer

    def _try(self, item: pytest.Item, nextitem: pytest.Item | None, text: str) -> bool:
        from freezegate.pytest_plugin.trial import Trial

        _drop_own_skip(item)
        trial = self.trial = Trial(item, self._config.option.freezegate_frozen_runs, text)
        try:
            trial.run(nextitem, lambda: next((each.why for _, each in self._judged(item)[1]), None))
        finally:
            self.trial = None
        item.user_properties.append((DEAD if trial.counts else FROZEN, f"{text}; {trial.told}"))
        trial.log()
        return True

    def _warn(self, text: str) -> None:
        self.warnings[text] = None


def _let_run(item: pytest.Item, told: Sequence[tuple[Claim, Runs]]) -> None:
    """Let a test run: a skip marker of ours counts only while the freeze holds.

    That a person ended a freeze is told while its marker stands, to be taken out.
    """
    named = own_skip_property(item)
    for claim, answer in told:
        if named is not None or not answer.is_settled:
            item.user_properties.append((RUNS, f"{claim.property_id}: {answer.why}"))
    if named is not None and not told:
        item.user_properties.append((RUNS, f"{named}: its skip marker stands without a freeze"))
    _drop_own_skip(item)


def _drop_own_skip(item: pytest.Item) -> None:
    for node in item.listchain():
        node.own_markers[:] = [
            mark
            for mark in node.own_markers
            if mark.name != "skip"
            or not str(mark.kwargs.get("reason", "".join(map(str, mark.args)))).startswith(
                MARK_PREFIX
            )
        ]


def _frozen_text(claim: Claim, answer: Skips) -> str:
    return f"{claim.property_id}: owner {answer.line.owner}, {answer.left}"
