"""What `freezegate shrink` says: the input that is locked or proposed, or why there is none."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.formats.property_fixture import dump_property_fixture
from freezegate.report.text import escaped

if TYPE_CHECKING:
    from freezegate.formats.property_fixture import PropertyFixture
    from freezegate.model.ids import PropertyId

_MAX_SHOWN = 400


class ShrinkTold(NamedTuple):
    """What came of shrinking a seed; without a `fixture` there was nothing to shrink.

    `sha256` is None where nothing is locked, and `why_not` says why; `path` is a proposal's then.
    """

    property_id: PropertyId
    seed: int
    fixture: PropertyFixture | None = None
    path: str | None = None
    sha256: str | None = None
    dropped: tuple[str, ...] = ()
    why_not: str | None = None
    next_step: str | None = None


def print_shrunk(told: ShrinkTold, form: str) -> None:
    """Print what came of it in the form asked, `text` or `json`."""
    if form == "json":
        sys.stdout.write(json.dumps(_document(told), indent=2, ensure_ascii=True) + "\n")
    elif told.fixture is None:
        print(f"nothing to shrink of {told.property_id}: {escaped(told.why_not or '')}")
    else:
        _print_text(told, told.fixture)


def _document(told: ShrinkTold) -> dict[str, object]:
    return {
        "schema": "freezegate/shrink/v1",
        "property_id": told.property_id,
        "seed": told.seed,
        "locked": told.sha256 is not None,
        "path": told.path,
        "fixture_sha256": told.sha256,
        "arguments": told.fixture.arguments if told.fixture else None,
        "dropped": list(told.dropped),
        "why_not": told.why_not,
        "next_step": told.next_step,
    }


def _print_text(told: ShrinkTold, fixture: PropertyFixture) -> None:
    print(f"input of {told.property_id}: {_shown(dump_property_fixture(fixture))}")
    if told.dropped:
        print(f"  dropped:   {escaped(', '.join(told.dropped))} (not in `keep`)")
    place = "locked:   " if told.sha256 else "proposal: "
    print(f"  {place} {escaped(told.path or '')}")
    if told.sha256:
        print(f"  sha256:    {told.sha256}")
    else:
        print(f"  not locked: {escaped(told.why_not or '')}")
    print(f"  next step: {escaped(told.next_step or '')}")


def _shown(data: bytes) -> str:
    text = escaped(data.decode().strip())
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}... ({len(data)} bytes)"
