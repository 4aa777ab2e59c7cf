"""Honest documents of each kind: strategies for their values, and one rich example of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.evidence import (
    DomainEntry,
    EffectKind,
    Environment,
    Evidence,
    OracleRun,
    Plan,
    ReadFile,
)
from freezegate.model.finding import Finding, Severity
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import (
    Classified,
    Ended,
    Ending,
    Frozen,
    LedgerLine,
    LineReason,
    LineStatus,
    VarianceClass,
)
from freezegate.model.paths import RepoPath
from freezegate.model.reasons import REASONS
from freezegate.model.record import FreezeRecord
from freezegate.model.rerun import Rerun, RerunResult
from freezegate.model.run import EvidenceRun, RecordRun, RunOutcome, Side
from freezegate.model.verdict import Base, Outcome, ShownFreeze, Transition, Verdict
from freezegate.policy.settings import MuteFamily, Preset, Weight

MOST = 2**53 - 1

_characters = st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))
words = st.text(_characters, max_size=12)
names = st.text(_characters, min_size=1, max_size=12)
flags = st.booleans()
counts = st.integers(0, 9) | st.integers(0, MOST)
integers = st.integers(-3, 3) | st.integers(-MOST, MOST)
sha256s = st.binary(min_size=32, max_size=32).map(lambda raw: Sha256(raw.hex()))
object_ids = st.binary(min_size=20, max_size=20).map(lambda raw: ObjectId(raw.hex()))
blake3s = st.binary(min_size=32, max_size=32).map(lambda raw: Blake3(f"blake3:{raw.hex()}"))
_parts = st.sampled_from(
    ["src", "tests", "a", "é", "データ", "two words", ".hidden", "x-1", "v1.2"]
)
paths = st.lists(_parts, min_size=1, max_size=4).map(lambda parts: RepoPath("/".join(parts)))
_python_names = st.sampled_from(["test_total", "TestOrder", "test_ä", "_", "t1"])
test_ids = st.builds(
    lambda path, called, parameter: TestId(f"{path}.py::{'::'.join(called)}{parameter}"),
    paths,
    st.lists(_python_names, min_size=1, max_size=3),
    st.sampled_from(["", "[a]", "[]", "[x::y-1.5]", "[é[]"]),
)
property_ids = st.sampled_from(["a", "order_total.non_negative", "b-1.2_x.3"]).map(PropertyId)
days = st.dates().map(str)
instants = st.datetimes().map(
    lambda moment: moment.isoformat(timespec="milliseconds").rjust(23, "0") + "Z"
)


def _or_none(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


_record_runs = st.builds(
    RecordRun,
    index=counts,
    passed=flags,
    exit_status=integers,
    collected=counts,
    fixture_sha256=sha256s,
    signature=_or_none(words),
    started_at=_or_none(instants),
    duration_ms=_or_none(counts),
)
_OPTIONAL: Mapping[str, st.SearchStrategy[Any]] = {
    "property_id": _or_none(property_ids),
    "owner": _or_none(words),
    "expires_on": _or_none(days),
    "expires_after_commits": _or_none(integers),
    "base_rev": _or_none(object_ids),
    "patch_digest": _or_none(blake3s),
    "domain_digest": _or_none(blake3s),
    "evidence": _or_none(blake3s),
    "notes": _or_none(words),
}


@st.composite
def records(draw: st.DrawFn) -> FreezeRecord:
    """Records with any of the optional keys, null or not."""
    values: dict[str, Any] = {
        "test_id": draw(test_ids),
        "fixture_path": draw(paths),
        "fixture_sha256": draw(sha256s),
        "disagreement": (draw(_record_runs), draw(_record_runs)),
        "oracle_path": draw(paths),
        "oracle_blob": draw(object_ids),
    }
    given = draw(st.sets(st.sampled_from(sorted(_OPTIONAL))))
    values |= {key: draw(_OPTIONAL[key]) for key in sorted(given)}
    return FreezeRecord(**values, given=frozenset(values))


@st.composite
def _observed(draw: st.DrawFn) -> dict[str, Any]:
    outcomes = st.lists(st.sampled_from(RunOutcome), max_size=4).map(tuple)
    base, candidate = draw(outcomes), draw(outcomes)
    fails = (base + candidate).count(RunOutcome.FAIL)
    return {
        "property_id": draw(_or_none(property_ids)),
        "test_id": draw(test_ids),
        "fixture_path": draw(paths),
        "fixture_sha256": draw(sha256s),
        "oracle_path": draw(paths),
        "oracle_blob": draw(object_ids),
        "seed": draw(_or_none(counts)),
        "base_rev": draw(object_ids),
        "candidate_rev": draw(_or_none(object_ids)),
        "base_runs": base,
        "candidate_runs": candidate,
        "runs": len(base + candidate),
        "passes": len(base + candidate) - fails,
        "fails": fails,
        "fail_signatures": tuple(draw(st.lists(words, min_size=fails, max_size=fails))),
        "variance": draw(_or_none(st.sampled_from(VarianceClass))),
        "freeze_eligible": draw(flags),
        "status": LineStatus.FROZEN,
        "reason": draw(st.sampled_from(LineReason)),
        "patch_digest": draw(blake3s),
        "domain_digest": draw(blake3s),
        "evidence": draw(_or_none(blake3s)),
    }


@st.composite
def classified_lines(draw: st.DrawFn) -> Classified:
    """`classified` lines whose counts are those of their runs."""
    status = draw(st.sampled_from([each for each in LineStatus if each != LineStatus.FROZEN]))
    return Classified(**draw(_observed()) | {"status": status})


@st.composite
def frozen_lines(draw: st.DrawFn) -> Frozen:
    """`frozen` lines whose counts are those of their runs."""
    return Frozen(
        **draw(_observed()),
        owner=draw(_or_none(words)),
        expires_on=draw(_or_none(days)),
        expires_after_commits=draw(_or_none(integers)),
        renews=draw(_or_none(blake3s)),
    )


ended_lines = st.builds(
    Ended,
    event=st.sampled_from(Ending),
    freeze=blake3s,
    base_rev=object_ids,
    fixture_sha256=sha256s,
    reason=words,
    owner=names,
)
ledger_lines: st.SearchStrategy[LedgerLine] = classified_lines() | frozen_lines() | ended_lines

evidences = st.builds(
    Evidence,
    tool=words,
    property_id=_or_none(property_ids),
    test_id=test_ids,
    fixture_path=paths,
    fixture_sha256=sha256s,
    oracle_path=paths,
    oracle_blob=object_ids,
    base_rev=object_ids,
    candidate_rev=_or_none(object_ids),
    patch_digest=blake3s,
    domain_digest=blake3s,
    domain=st.lists(
        st.builds(
            DomainEntry, path=names, mode=st.integers(0, 0o177777), blob=_or_none(object_ids)
        ),
        max_size=2,
    ).map(tuple),
    reads=st.lists(st.builds(ReadFile, path=paths, blob=object_ids), max_size=2).map(tuple),
    candidate_reads=st.lists(paths, max_size=2).map(tuple),
    effects=st.lists(st.sampled_from(EffectKind), max_size=len(EffectKind)).map(tuple),
    plan=st.builds(
        Plan,
        runs_per_side=st.integers(2, 10_000),
        timeout_s=st.integers(1, 86_400),
        pythonhashseed=st.integers(0, 2**32 - 1),
        hypothesis_seed=_or_none(counts),
        planned_at=instants,
    ),
    runs=st.lists(
        st.builds(
            EvidenceRun,
            index=counts,
            side=st.sampled_from(Side),
            started_at=instants,
            duration_ms=counts,
            passed=flags,
            exit_status=integers,
            collected=counts,
            signature=_or_none(words),
            sha256_before=sha256s,
            sha256_after=sha256s,
        ),
        max_size=2,
    ).map(tuple),
    oracle_run=st.none() | st.builds(OracleRun, passed=counts, failed=counts, independent=flags),
    environment=st.builds(
        Environment,
        python=words,
        platform=words,
        pytest=words,
        hypothesis=_or_none(words),
        isolation=words,
        plugins=_or_none(st.lists(words, max_size=2).map(tuple)),
    ),
)


@st.composite
def catalog_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Catalogues as TOML decodes them."""
    entries = st.dictionaries(property_ids.map(str), _catalog_entries(), max_size=2)
    return draw(st.fixed_dictionaries({}, optional={"property": entries, "proposed": entries}))


@st.composite
def _catalog_entries(draw: st.DrawFn) -> dict[str, Any]:
    oracle = f"{draw(paths)}.py"
    optional = st.fixed_dictionaries(
        {},
        optional={
            "keep": st.lists(names, max_size=2),
            "repeat": st.integers(2, 10_000),
            "freezable": flags,
            "tags": st.lists(names, max_size=2),
        },
    )
    return {
        "statement": draw(names),
        "oracle": oracle,
        "property_test": f"{oracle}::test_it",
        "test": str(draw(test_ids)),
        "fixtures": draw(st.lists(paths.map(str), min_size=1, max_size=2)),
    } | draw(optional)


_globs = st.sampled_from(["src/**", "!src/gen/**", "tests/**/*.py", "a b", "*.json", "/top", "é"])
_glob_lists = st.lists(_globs, max_size=3)
_targets = st.sampled_from(["refs/heads/main", "refs/heads/release/*", "refs/tags/v*"])
_weights = st.sampled_from([str(weight) for weight in Weight])
_budgets = st.integers(0, 10_000)


def _tables(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


policy_tables = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "base": st.fixed_dictionaries({"targets": st.lists(_targets, min_size=1, max_size=3)}),
    },
    optional={
        "extends": st.sampled_from([str(preset) for preset in Preset]),
        "subject": _tables(paths=_glob_lists),
        "oracle": _tables(paths=_glob_lists),
        "domain": _tables(paths=_glob_lists),
        "fixtures": _tables(paths=_glob_lists),
        "runner": _tables(
            python=st.sampled_from(["3.12", "3.9", "3.100"]),
            pythonpath=st.lists(names, max_size=2),
            plugins=st.lists(names, max_size=2),
        ),
        "evidence": _tables(
            runs=st.integers(2, 50),
            max_runs=st.integers(50, 10_000),
            timeout_s=st.integers(1, 86_400),
            max_base_age_commits=st.integers(0, 1_000_000),
            tags=st.dictionaries(names, st.integers(2, 10_000), max_size=2),
        ),
        "freeze": _tables(
            max_active=_budgets,
            max_active_per_property=_budgets,
            max_active_per_test=_budgets,
            max_active_per_file=_budgets,
            max_lifetime_days=st.integers(1, 366),
            max_lifetime_commits=st.integers(1, 100_000),
            max_renewals=_budgets,
            grace_days=st.integers(0, 366),
        ),
        "judges": _tables(change=st.sampled_from(["note", "warn", "refuse"])),
        "protected": _tables(paths=_glob_lists, tags=st.lists(names, max_size=2)),
        "mutes": st.dictionaries(
            st.sampled_from([str(family) for family in MuteFamily]), _weights, max_size=3
        ),
        "limits": _tables(
            wall_s=st.integers(1, 3600), max_changed_entries=st.integers(1, 100_000_000)
        ),
    },
)

host_tables = st.fixed_dictionaries(
    {"version": st.just(1), "protected": st.lists(_targets, min_size=1, max_size=3)},
    optional={
        "parents": st.dictionaries(_targets, st.just("refs/heads/main"), max_size=2),
        "log": st.sampled_from(["/log.jsonl", "/var/log/freezegate/shop.jsonl"]),
        "limits": _tables(
            wall_s=st.integers(1, 86_400),
            cpu_s=st.integers(1, 86_400),
            memory_mib=st.integers(256, 1_048_576),
            max_refs=st.integers(1, 1_000_000),
            max_changed_entries=st.integers(1, 100_000_000),
        ),
    },
)

_findings = st.builds(
    Finding,
    code=st.sampled_from(sorted(REASONS)),
    severity=st.sampled_from(Severity),
    got=st.text(max_size=8),
    expected=st.text(max_size=8),
    path=_or_none(st.text(max_size=8)),
    line=_or_none(st.integers(1, 10**6)),
    about=_or_none(st.text(max_size=8)),
    detector=_or_none(st.text(max_size=8)),
    remedy=st.text(max_size=8),
)
_assurances = st.sampled_from(["step", "parent-only", "candidate-only"])


@st.composite
def _transitions(draw: st.DrawFn) -> Transition:
    findings = tuple(draw(st.lists(_findings, max_size=3)))
    errors = any(finding.severity is Severity.ERROR for finding in findings)
    refusals = st.sampled_from([Outcome.REFUSED, Outcome.UNDECIDED])
    bases = st.builds(Base, rev=_or_none(object_ids), source=st.text(max_size=8))
    freezes = st.builds(
        ShownFreeze,
        freeze=blake3s,
        property_id=_or_none(property_ids),
        test_id=test_ids,
        status=st.just("requested"),
    )
    return Transition(
        ref=draw(st.text(max_size=8)),
        outcome=draw(refusals) if errors else Outcome.ACCEPTED,
        base=draw(_or_none(bases)),
        candidate=draw(_or_none(object_ids)),
        freezes=tuple(draw(st.lists(freezes, max_size=2))),
        findings=findings,
        assurance=tuple(draw(st.lists(_assurances, max_size=3))),
    )


_outcomes = st.lists(st.sampled_from(RunOutcome), max_size=2).map(tuple)
_reruns = st.builds(
    Rerun,
    property_id=_or_none(property_ids),
    test_id=test_ids,
    fixture_path=paths,
    evidence=_or_none(blake3s),
    result=st.sampled_from(RerunResult),
    variance=_or_none(st.sampled_from(VarianceClass)),
    status=_or_none(st.sampled_from(LineStatus)),
    reason=_or_none(st.sampled_from(LineReason)),
    base_runs=_outcomes,
    candidate_runs=_outcomes,
    fail_signatures=st.lists(words, max_size=2).map(tuple),
    why=_or_none(words),
)
verdicts = st.builds(
    Verdict,
    transitions=st.lists(_transitions(), max_size=2).map(tuple),
    reruns=_or_none(st.lists(_reruns, max_size=1).map(tuple)),
)

_SHA256 = "5a" * 32
_OBJECT_ID = "0b" * 20
_BLAKE3 = f"blake3:{'c3' * 32}"
_TEST = "tests/test_order.py::TestTotal::test_total[é-1]"
_ORACLE = "tests/properties/test_order_props.py"
_FIXTURE = "tests/fixtures/größe.json"
_PROPERTY = "order_total.non_negative"
_INSTANT = "2026-11-30T10:37:24.123Z"


def _record_run(index: int, *, passed: bool) -> dict[str, Any]:
    return {
        "index": index,
        "passed": passed,
        "exit_status": 0 if passed else 1,
        "collected": 1,
        "fixture_sha256": _SHA256,
        "signature": None if passed else "AssertionError",
        "started_at": _INSTANT,
        "duration_ms": 12,
    }


def _evidence_run(index: int, side: str, *, passed: bool) -> dict[str, Any]:
    run = _record_run(index, passed=passed) | {"side": side}
    del run["fixture_sha256"]
    return run | {"sha256_before": _SHA256, "sha256_after": _SHA256}


RECORD: dict[str, Any] = {
    "test_id": _TEST,
    "fixture_path": _FIXTURE,
    "fixture_sha256": _SHA256,
    "disagreement": [_record_run(0, passed=True), _record_run(1, passed=False)],
    "oracle_path": _ORACLE,
    "oracle_blob": _OBJECT_ID,
    "property_id": _PROPERTY,
    "owner": "Zoë",
    "expires_on": "2026-12-14",
    "expires_after_commits": 200,
    "base_rev": _OBJECT_ID,
    "patch_digest": _BLAKE3,
    "domain_digest": _BLAKE3,
    "evidence": _BLAKE3,
    "notes": "seen on Mondays",
}
CLASSIFIED: dict[str, Any] = {
    "event": "classified",
    "property_id": _PROPERTY,
    "test_id": _TEST,
    "fixture_path": _FIXTURE,
    "fixture_sha256": _SHA256,
    "oracle_path": _ORACLE,
    "oracle_blob": _OBJECT_ID,
    "seed": 7,
    "base_rev": _OBJECT_ID,
    "candidate_rev": _OBJECT_ID,
    "base_runs": ["pass", "fail"],
    "candidate_runs": ["fail", "pass"],
    "runs": 4,
    "passes": 2,
    "fails": 2,
    "fail_signatures": ["AssertionError", "AssertionError"],
    "class": "env_unstable",
    "freeze_eligible": True,
    "status": "freeze_candidate",
    "reason": "intermittent_on_stable_digest",
    "patch_digest": _BLAKE3,
    "domain_digest": _BLAKE3,
    "evidence": _BLAKE3,
}
FROZEN: dict[str, Any] = CLASSIFIED | {
    "event": "frozen",
    "status": "frozen",
    "owner": "Zoë",
    "expires_on": "2026-12-14",
    "expires_after_commits": None,
    "renews": _BLAKE3,
}
ENDED: dict[str, Any] = {
    "event": "lifted",
    "freeze": _BLAKE3,
    "base_rev": _OBJECT_ID,
    "fixture_sha256": _SHA256,
    "reason": "repaired",
    "owner": "Zoë",
}
EVIDENCE: dict[str, Any] = {
    "schema": "freezegate/evidence/v1",
    "tool": "freezegate 0.1.0",
    "property_id": _PROPERTY,
    "test_id": _TEST,
    "fixture_path": _FIXTURE,
    "fixture_sha256": _SHA256,
    "oracle_path": _ORACLE,
    "oracle_blob": _OBJECT_ID,
    "base_rev": _OBJECT_ID,
    "candidate_rev": _OBJECT_ID,
    "patch_digest": _BLAKE3,
    "domain_digest": _BLAKE3,
    "domain": [
        {"path": _ORACLE, "mode": 0o100644, "blob": _OBJECT_ID},
        {"path": "conftest.py", "mode": 0, "blob": None},
    ],
    "reads": [{"path": "src/shop/order.py", "blob": _OBJECT_ID}],
    "candidate_reads": ["src/shop/order.py"],
    "effects": ["socket"],
    "plan": {
        "runs_per_side": 2,
        "timeout_s": 120,
        "pythonhashseed": 5,
        "hypothesis_seed": 7,
        "planned_at": _INSTANT,
    },
    "runs": [
        _evidence_run(0, "base", passed=True),
        _evidence_run(1, "candidate", passed=False),
    ],
    "oracle_run": {"passed": 3, "failed": 0, "independent": True},
    "environment": {
        "python": "3.12.1",
        "platform": "linux",
        "pytest": "8.3",
        "hypothesis": "6.1",
        "isolation": "none",
        "plugins": ["pytest_asyncio"],
    },
}
_ENTRY: dict[str, Any] = {
    "statement": "The total of an order is never negative.",
    "oracle": _ORACLE,
    "property_test": f"{_ORACLE}::test_total_is_never_negative",
    "test": _TEST,
    "fixtures": [_FIXTURE],
    "keep": ["lines", "discount"],
    "repeat": 7,
    "freezable": True,
    "tags": ["orders"],
}
CATALOG: dict[str, Any] = {"property": {_PROPERTY: _ENTRY}, "proposed": {"draft": _ENTRY}}
POLICY: dict[str, Any] = {
    "version": 1,
    "extends": "standard",
    "base": {"targets": ["refs/heads/main", "refs/heads/release/*"]},
    "subject": {"paths": ["src/**"]},
    "oracle": {"paths": ["tests/properties/**/*.py"]},
    "domain": {"paths": ["tests/strategies/**"]},
    "fixtures": {"paths": ["tests/fixtures/**"]},
    "runner": {"python": "3.12", "pythonpath": ["src"], "plugins": ["pytest_asyncio"]},
    "evidence": {
        "runs": 7,
        "max_runs": 50,
        "timeout_s": 120,
        "max_base_age_commits": 200,
        "tags": {"clock": 20},
    },
    "freeze": {
        "max_active": 5,
        "max_active_per_property": 1,
        "max_active_per_test": 1,
        "max_active_per_file": 2,
        "max_lifetime_days": 14,
        "max_lifetime_commits": 200,
        "max_renewals": 1,
        "grace_days": 3,
    },
    "judges": {"change": "note"},
    "protected": {"paths": ["src/payments/**"], "tags": ["payments", "data-loss"]},
    "mutes": {str(family): "refuse" for family in MuteFamily},
    "limits": {"wall_s": 4, "max_changed_entries": 100_000},
}
HOST: dict[str, Any] = {
    "version": 1,
    "protected": ["refs/heads/main", "refs/heads/release/*"],
    "parents": {"refs/heads/release/*": "refs/heads/main"},
    "log": "/var/log/freezegate/shop.jsonl",
    "limits": {
        "wall_s": 4,
        "cpu_s": 4,
        "memory_mib": 1024,
        "max_refs": 10_000,
        "max_changed_entries": 100_000,
    },
}
