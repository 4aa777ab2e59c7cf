"""Evidence: canonical bytes and one newline, every run with its digests before and after."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, dump_evidence, parse_evidence
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.evidence import OracleRun
from freezegate.model.run import Side

SHA256 = "5a" * 32
OTHER_SHA256 = "6b" * 32
OID = "0b" * 20
BLAKE3 = f"blake3:{'c3' * 32}"
INSTANT = "2026-11-30T10:37:24.123Z"


def _run(index: int, side: str, exit_status: int) -> dict[str, Any]:
    return {
        "index": index,
        "side": side,
        "started_at": INSTANT,
        "duration_ms": 40,
        "passed": exit_status == 0,
        "exit_status": exit_status,
        "collected": 1,
        "signature": "AssertionError" if exit_status else None,
        "sha256_before": SHA256,
        "sha256_after": SHA256,
    }


EVIDENCE: dict[str, Any] = {
    "schema": "freezegate/evidence/v1",
    "tool": "freezegate 0.1.0",
    "property_id": "order_total.non_negative",
    "test_id": "tests/test_order.py::test_total",
    "fixture_path": "tests/fixtures/order.json",
    "fixture_sha256": SHA256,
    "oracle_path": "tests/properties/test_order_props.py",
    "oracle_blob": OID,
    "base_rev": OID,
    "candidate_rev": OID,
    "patch_digest": BLAKE3,
    "domain_digest": BLAKE3,
    "domain": [
        {"path": "conftest.py", "mode": 0, "blob": None},
        {"path": "pyproject.toml#tool.pytest", "mode": 0o100644, "blob": OID},
    ],
    "reads": [{"path": "src/shop/order.py", "blob": OID}],
    "candidate_reads": ["src/shop/order.py"],
    "effects": ["socket"],
    "plan": {
        "runs_per_side": 2,
        "timeout_s": 120,
        "pythonhashseed": 0,
        "hypothesis_seed": None,
        "planned_at": INSTANT,
    },
    "runs": [_run(0, "base", 0), _run(1, "candidate", 1)],
    "oracle_run": {"passed": 3, "failed": 0, "independent": True},
    "environment": {
        "python": "3.12.1",
        "platform": "linux",
        "pytest": "8.3",
        "hypothesis": None,
        "isolation": "none",
        "plugins": ["pytest_asyncio"],
    },
}
Place = tuple[str | int, ...]


def _bytes(value: object) -> bytes:
    return dump_canonical(value) + b"\n"


def _with(place: Place, new: Any) -> dict[str, Any]:
    value = copy.deepcopy(EVIDENCE)
    parent: Any = value
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = new
    return value


def _refusal(data: bytes) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        parse_evidence(data)
    return refused.value


def test_good_evidence_is_read_and_written_alike() -> None:
    evidence = parse_evidence(_bytes(EVIDENCE))
    assert [run.side for run in evidence.runs] == [Side.BASE, Side.CANDIDATE]
    assert [run.exit_status for run in evidence.runs] == [0, 1]
    assert (evidence.domain[0].blob, evidence.domain[1].mode) == (None, 0o100644)
    assert (evidence.plan.runs_per_side, evidence.plan.hypothesis_seed) == (2, None)
    assert evidence.oracle_run == OracleRun(passed=3, failed=0, independent=True)
    assert dump_evidence(evidence) == _bytes(EVIDENCE)


def test_drifted_digests_are_read_since_the_gate_judges_them() -> None:
    data = _bytes(_with(("runs", 1, "sha256_after"), OTHER_SHA256))
    assert parse_evidence(data).runs[1].sha256_after == OTHER_SHA256


@pytest.mark.parametrize("key", [pytest.param(key, id=f"without_{key}") for key in EVIDENCE])
def test_no_key_may_be_missing(key: str) -> None:
    error = _refusal(_bytes({name: item for name, item in EVIDENCE.items() if name != key}))
    assert (error.code, error.place) == ("record.missing_key", key)


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        pytest.param(("plan",), "plan.hostname", id="plan"),
        pytest.param(("environment",), "environment.hostname", id="environment"),
        pytest.param(("oracle_run",), "oracle_run.hostname", id="oracle_run"),
        pytest.param(("runs", 0), "runs[0].hostname", id="run"),
        pytest.param(("domain", 1), "domain[1].hostname", id="domain_entry"),
        pytest.param(("reads", 0), "reads[0].hostname", id="read"),
    ],
)
def test_inner_objects_have_no_other_keys(place: Place, shown: str) -> None:
    error = _refusal(_bytes(_with((*place, "hostname"), "desk")))
    assert (error.code, error.place, error.line) == ("record.unknown_key", shown, 1)


@pytest.mark.parametrize(
    ("place", "new", "code", "shown"),
    [
        pytest.param(("schema",), "freezegate/evidence/v2", "record.wrong_type", "schema", id="v2"),
        pytest.param(("schema",), None, "record.wrong_type", "schema", id="null_schema"),
        pytest.param(("tool",), "x" * 201, "record.bad_string", "tool", id="long_tool"),
        pytest.param(("base_rev",), None, "record.wrong_type", "base_rev", id="null_base_rev"),
        pytest.param(("base_rev",), "main", "digest.bad_format", "base_rev", id="branch"),
        pytest.param(("patch_digest",), None, "record.wrong_type", "patch_digest", id="null_patch"),
        pytest.param(("domain",), {}, "record.wrong_type", "domain", id="object_for_domain"),
        pytest.param(
            ("domain", 0, "mode"), 0o200000, "record.wrong_type", "domain[0].mode", id="huge_mode"
        ),
        pytest.param(
            ("domain", 0, "mode"), "100644", "record.wrong_type", "domain[0].mode", id="mode_text"
        ),
        pytest.param(
            ("reads", 0, "path"), "/etc/passwd", "path.absolute", "reads[0].path", id="read_outside"
        ),
        pytest.param(
            ("reads", 0, "blob"), None, "record.wrong_type", "reads[0].blob", id="read_of_nothing"
        ),
        pytest.param(
            ("plan", "runs_per_side"), 1, "record.wrong_type", "plan.runs_per_side", id="one_run"
        ),
        pytest.param(
            ("plan", "timeout_s"), 0, "record.wrong_type", "plan.timeout_s", id="no_time_at_all"
        ),
        pytest.param(
            ("plan", "pythonhashseed"),
            2**32,
            "record.wrong_type",
            "plan.pythonhashseed",
            id="seed_beyond_32_bits",
        ),
        pytest.param(
            ("plan", "planned_at"),
            "2026-11-30T10:37:24.123+01:00",
            "record.wrong_type",
            "plan.planned_at",
            id="local_time",
        ),
        pytest.param(
            ("plan", "planned_at"),
            "2026-11-31T10:37:24.123Z",
            "record.bad_string",
            "plan.planned_at",
            id="november_31",
        ),
        pytest.param(
            ("runs", 1, "side"), "both", "record.wrong_type", "runs[1].side", id="unknown_side"
        ),
        pytest.param(
            ("runs", 1, "passed"), 0, "record.wrong_type", "runs[1].passed", id="zero_for_false"
        ),
        pytest.param(
            ("runs", 1, "exit_status"),
            True,
            "record.wrong_type",
            "runs[1].exit_status",
            id="true_for_one",
        ),
        pytest.param(
            ("runs", 1, "duration_ms"),
            -1,
            "record.wrong_type",
            "runs[1].duration_ms",
            id="negative_duration",
        ),
        pytest.param(
            ("runs", 1, "sha256_after"),
            SHA256.upper(),
            "digest.bad_format",
            "runs[1].sha256_after",
            id="digest_in_upper_case",
        ),
        pytest.param(
            ("runs", 1, "sha256_after"),
            None,
            "record.wrong_type",
            "runs[1].sha256_after",
            id="no_digest_after",
        ),
        pytest.param(
            ("oracle_run", "independent"),
            "yes",
            "record.wrong_type",
            "oracle_run.independent",
            id="text_for_true",
        ),
        pytest.param(
            ("environment", "python"),
            None,
            "record.wrong_type",
            "environment.python",
            id="null_python",
        ),
    ],
)
def test_values_of_another_form_are_refused_where_they_stand(
    place: Place, new: object, code: str, shown: str
) -> None:
    error = _refusal(_bytes(_with(place, new)))
    assert (error.code, error.place, error.line) == (code, shown, 1)


def test_an_integer_that_canonical_json_has_no_form_for_is_refused() -> None:
    data = _bytes(EVIDENCE).replace(b'"exit_status":1', b'"exit_status":9007199254740992')
    error = _refusal(data)
    assert (error.code, error.place) == ("record.wrong_type", "runs[1].exit_status")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(dump_canonical(EVIDENCE), id="without_newline"),
        pytest.param(dump_canonical(EVIDENCE) + b"\n\n", id="two_newlines"),
        pytest.param(dump_canonical(EVIDENCE) + b"\r\n", id="crlf"),
        pytest.param(b"\n" + dump_canonical(EVIDENCE) + b"\n", id="newline_in_front"),
        pytest.param(json.dumps(EVIDENCE, indent=2).encode() + b"\n", id="indented"),
        pytest.param(
            json.dumps(EVIDENCE, separators=(",", ":")).encode() + b"\n", id="unsorted_keys"
        ),
        pytest.param(_bytes(EVIDENCE).replace(b"linux", b"lin\\u0075x"), id="needless_escape"),
    ],
)
def test_evidence_has_one_spelling(data: bytes) -> None:
    error = _refusal(data)
    assert (error.code, error.rule) == ("record.bad_encoding", "canonical")


def test_evidence_beyond_its_limit_is_refused_unread() -> None:
    error = _refusal(b" " * (MAX_EVIDENCE_BYTES + 1))
    assert error.code == "record.too_large"
