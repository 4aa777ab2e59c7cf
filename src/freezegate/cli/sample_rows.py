"""Rows of samples as this clone keeps them, in the git directory that all work trees share.

Layout: `GIT_DIR/freezegate/samples/PROPERTY_ID/BASE_REV/SEED.base.json` for the base, and
`.../SEED.CANDIDATE_REV.json` for a candidate. Each file is one row (formats/sample.py), written
whole or not at all, so that a kill loses at most the seed that was running. A row whose key differs
from the one asked for (another oracle, another domain, another property test) is taken anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.formats.sample import dump_sample, parse_sample
from freezegate.ledger.append import replace_file
from freezegate.ledger.regular_file import read_or_nothing
from freezegate.model.run import Side
from freezegate.model.sample import SampleKey

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import SampleRow

_MAX_ROW_BYTES = 16 * 1024 * 1024


def sample_key(case: PropertyCase, seed: int, side: Side) -> SampleKey:
    """Return what binds a sample: everything but the outcome."""
    return SampleKey(
        property_id=case.entry.property_id,
        seed=seed,
        side=side,
        base_rev=case.setting.base_rev,
        candidate_rev=None if side is Side.BASE else case.setting.head,
        property_test=case.entry.property_test,
        oracle_blob=case.oracle_blob,
        domain_digest=case.domain.digest,
    )


def rows_folder(notes: Path) -> Path:
    """Return the folder of all rows, which no run may touch."""
    return notes / "samples"


def row_path(notes: Path, key: SampleKey) -> Path:
    """Return where the row of a key is kept."""
    name = f"{key.seed}.{key.candidate_rev or Side.BASE}.json"
    return rows_folder(notes) / key.property_id / key.base_rev / name


def read_row(notes: Path, key: SampleKey) -> SampleRow | None:
    """Return the row that is kept for a key, None where there is none for exactly this one."""
    data = read_or_nothing(row_path(notes, key), _MAX_ROW_BYTES)
    row = parse_sample(data) if data else None
    return row if row and row.key == key else None


def keep_row(notes: Path, row: SampleRow) -> Path:
    """Write a row and return where."""
    path = row_path(notes, row.key)
    replace_file(path, dump_sample(row))
    return path
