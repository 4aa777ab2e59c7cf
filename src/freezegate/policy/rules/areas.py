"""Nothing is frozen beside a patch of protected code, and a person looks at every such patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.globs import first_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts


def judge_areas(facts: Facts) -> Iterator[Finding]:
    """Refuse freezes beside patches of protected areas; warn of such patches without one."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    touched = first_match(policy.protected_paths, sorted(facts.changes))
    if touched is not None:
        yield Finding(
            code="area.protected" if facts.claims else "area.needs_human",
            severity=Severity.ERROR if facts.claims else Severity.WARNING,
            path=shown_path(touched),
            got="a protected path in the patch",
            expected="no freeze beside it" if facts.claims else "a person's review",
        )
