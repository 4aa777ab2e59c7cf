"""The ticket of a freeze: what is skipped, why, by whom and until when, and how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.ledger import without_property
from freezegate.report.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.digests import Blake3
    from freezegate.model.ledger import Frozen

_SHOWN_REV = 12


def ticket_lines(line: Frozen, freeze: Blake3) -> Iterator[str]:
    """Yield the text of an issue for whoever owns a freeze, as Markdown."""
    yield f"## Frozen: {escaped(line.property_id or line.test_id)}"
    yield ""
    yield f"- What: `{escaped(line.test_id)}` may be skipped while `{escaped(line.fixture_path)}` "
    yield f"  has the SHA-256 `{line.fixture_sha256}`"
    lacking = without_property(line)
    if lacking is not None:
        yield f"- Acts on nothing: {escaped(lacking)}"
    yield f"- Why: {_runs(line)}; this is not a failure rate"
    for signature in dict.fromkeys(line.fail_signatures):
        yield f"- Failure: `{escaped(signature)}`"
    yield f"- Oracle: `{escaped(line.oracle_path)}` as blob `{line.oracle_blob}`"
    if line.evidence is not None:
        yield f"- Evidence: `.freeze/evidence/{line.evidence.hex}.json`, taken on "
        yield f"  {line.base_rev[:_SHOWN_REV]}"
    yield f"- Owner: {escaped(line.owner or 'nobody')}"
    yield f"- Deadline: {_deadline(line)}"
    if line.renews is not None:
        yield f"- Renews: `{line.renews}`"
    yield f"- Freeze: `{freeze}`"
    yield "- To lift it, once the test is repaired:"
    yield f'  `freezegate ledger lift {freeze} --reason "…"`, in a patch that takes its marker out'
    yield "  where one stands"


def _runs(line: Frozen) -> str:
    rows = (("base", line.base_runs), ("candidate", line.candidate_runs))
    told = ", ".join(f"{name} {row.count('fail')} of {len(row)}" for name, row in rows if row)
    return f"{line.fails} of {line.runs} runs failed on the same bytes ({told})"


def _deadline(line: Frozen) -> str:
    day = f"{line.expires_on}, to the end of that day (UTC)" if line.expires_on else "no date"
    if line.expires_after_commits is None:
        return day
    return f"{day}, or {line.expires_after_commits} commits of the target, whichever comes first"
