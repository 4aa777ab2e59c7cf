"""A verdict as one JSON object (SPEC section 9)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from freezegate.report.reruns import rerun_document

if TYPE_CHECKING:
    from freezegate.model.finding import Finding
    from freezegate.model.verdict import ShownFreeze, Transition, Verdict

VERDICT_SCHEMA = "freezegate/verdict/v1"


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return the object of policy/schema/verdict.schema.json."""
    judged = (each for each in verdict.transitions if each.base)  # else nothing was compared
    assurance = (word for each in judged for word in each.assurance)
    document = {
        "schema": VERDICT_SCHEMA,
        "verdict": str(verdict.outcome),
        "assurance": list(dict.fromkeys(assurance)),
        "evidence": "claimed",
        "transitions": [_transition(each) for each in verdict.transitions],
    }
    if verdict.reruns is not None:
        document["reruns"] = [rerun_document(each) for each in verdict.reruns]
    return document


def dump_verdict(verdict: Verdict) -> str:
    """Return the JSON text, ASCII alone, one newline at the end."""
    return json.dumps(verdict_document(verdict), indent=2, ensure_ascii=True) + "\n"


def _transition(transition: Transition) -> dict[str, Any]:
    base = transition.base
    return {
        "ref": transition.ref,
        "verdict": str(transition.outcome),
        "base": {"rev": base.rev, "from": base.source} if base else None,
        "candidate": {"rev": transition.candidate},
        "freezes": [_freeze(each) for each in transition.freezes],
        "findings": [_finding(each) for each in transition.findings],
    }


def _freeze(freeze: ShownFreeze) -> dict[str, Any]:
    return {
        "property_id": freeze.property_id,
        "test_id": freeze.test_id,
        "freeze": freeze.freeze,
        "status": freeze.status,
        "domain_digest": freeze.domain_digest,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    found: dict[str, Any] = {
        "code": finding.code,
        "severity": str(finding.severity),
        "path": finding.path,
        "line": finding.line,
        "about": finding.about,
        "detector": finding.detector,
        "got": finding.got,
        "expected": finding.expected,
        "remedy": finding.remedy,
    }
    if finding.detector:
        found |= {"before": finding.before, "after": finding.after}
    return found
