"""A freeze request as the preset `basic` asks for it, as plain values that tests may spoil.

Under `standard` and `strict` the gate asks for evidence besides, which only witness takes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from freezegate.errors import UsageError
from freezegate.formats.strict_json import dump_canonical
from freezegate.git.domain_view import DomainView
from freezegate.model.ids import PropertyId
from freezegate.model.paths import RepoPath
from freezegate.policy.digests import patch_digest
from freezegate.policy.facts import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from freezegate.git.session import Session
    from freezegate.model.digests import ObjectId


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a freeze is asked for; paths are relative to the repository's top."""

    test_id: str
    fixture_path: str
    oracle_path: str
    owner: str
    expires_on: date
    property_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request under the preset `basic`; `record` and `line` are JSON values."""

    record: dict[str, Any]
    line: dict[str, Any]
    snapshot: bytes

    def write(self, root: Path) -> None:
        """Write the request's files below a repository's top; the ledger line is appended."""
        folder = root / ".freeze"
        (folder / "snapshots").mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(self.snapshot).hexdigest()
        (folder / "snapshots" / digest).write_bytes(self.snapshot)
        with (folder / "ledger.jsonl").open("ab") as ledger:
            ledger.write(dump_canonical(self.line) + b"\n")
        record = json.dumps(self.record, indent=2, sort_keys=True) + "\n"
        (folder / "record.json").write_text(record)


def build_request(
    session: Session, asked: Asked, runs: Sequence[Mapping[str, Any]], *, base: str | None = None
) -> Request:
    """Return the request for HEAD's patch from runs of the candidate, in their order.

    Each run has `exit_status`, `collected`, `signature` and `started_at`. Raises UsageError where
    the fixture or the oracle is not committed.
    """
    candidate = session.candidate(None, staged=False)
    branch = session.branch(None)
    trusted = (
        session.named_base(base, f"--base {base}")
        if base
        else session.trusted_base(candidate, branch)
    )
    facts = session.gather(candidate, trusted, now=datetime.now(UTC), place=Place.CHECK)
    snapshot = _committed(session, asked.fixture_path)
    oracle = session.repository.revparse_single(f"HEAD:{asked.oracle_path}")
    digest = hashlib.sha256(snapshot).hexdigest()
    shared = {
        "test_id": asked.test_id,
        "fixture_path": asked.fixture_path,
        "fixture_sha256": digest,
        "oracle_path": asked.oracle_path,
        "oracle_blob": str(oracle.id),
        "property_id": asked.property_id,
        "owner": asked.owner,
        "expires_on": asked.expires_on.isoformat(),
        "expires_after_commits": None,
        "base_rev": trusted.rev,
        "patch_digest": patch_digest(facts.changes.values()),
        "domain_digest": _domain_digest(session, trusted.rev, asked, digest),
        "evidence": None,
    }
    return Request(
        record={**shared, "disagreement": _disagreement(runs, digest)},
        line={**shared, **_counted(runs), "candidate_rev": candidate.rev},
        snapshot=snapshot,
    )


def _domain_digest(session: Session, base: ObjectId | None, asked: Asked, fallback: str) -> str:
    """The oracle's domain at the base; where the base has no such oracle, anything is wrong."""
    view = DomainView(session, base)
    policy, oracle = view.judges.policy.value, RepoPath(asked.oracle_path)
    if policy is None or not view.is_file(oracle):
        return f"blake3:{fallback}"
    catalog = view.judges.catalog.value
    wanted = PropertyId(asked.property_id) if asked.property_id else None
    entry = catalog.properties.get(wanted) if catalog and wanted else None
    return view.domain(policy, oracle, entry, RepoPath(asked.fixture_path)).digest


def _committed(session: Session, path: str) -> bytes:
    try:
        blob = session.repository.revparse_single(f"HEAD:{path}")
    except KeyError:
        msg = f"{path!a} is not in HEAD"
        raise UsageError(msg) from None
    return session.store.blob(bytes.fromhex(str(blob.id)), max_bytes=2**26)


def _disagreement(runs: Sequence[Mapping[str, Any]], digest: str) -> list[dict[str, Any]]:
    """The first run that passed and the first that failed; the first two where none did."""
    shown = [
        {"index": index, "passed": run["exit_status"] == 0, "fixture_sha256": digest, **run}
        for index, run in enumerate(runs)
    ]
    passed = [run for run in shown if run["passed"]]
    failed = [run for run in shown if not run["passed"]]
    return [passed[0], failed[0]] if passed and failed else shown[:2]


def _counted(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    outcomes = ["pass" if run["exit_status"] == 0 else "fail" for run in runs]
    return {
        "event": "frozen",
        "seed": None,
        "base_runs": [],
        "candidate_runs": outcomes,
        "runs": len(outcomes),
        "passes": outcomes.count("pass"),
        "fails": outcomes.count("fail"),
        "fail_signatures": [str(run["signature"]) for run in runs if run["exit_status"] != 0],
        "class": None,
        "freeze_eligible": True,
        "status": "frozen",
        "reason": "intermittent_on_stable_digest",
        "renews": None,
    }
