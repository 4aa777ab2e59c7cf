"""The rules that only a patch which asks for a freeze has to meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.rules.budgets import judge_budgets
from freezegate.policy.rules.catalogued import judge_catalogued
from freezegate.policy.rules.domain import judge_domain
from freezegate.policy.rules.evidence import judge_evidence
from freezegate.policy.rules.fixture import judge_fixture
from freezegate.policy.rules.frozen_test import judge_frozen_test
from freezegate.policy.rules.identity import judge_test_identity
from freezegate.policy.rules.intruders import judge_intruders
from freezegate.policy.rules.oracle import judge_oracle
from freezegate.policy.rules.protected import judge_protected
from freezegate.policy.rules.record_document import judge_record
from freezegate.policy.rules.renewals import judge_renewals
from freezegate.policy.rules.runs import judge_runs
from freezegate.policy.rules.witnessed import judge_witnessed

if TYPE_CHECKING:
    from freezegate.policy.rules import Rule

CLAIM_RULES: tuple[Rule, ...] = (
    judge_record,
    judge_test_identity,
    judge_runs,
    judge_fixture,
    judge_oracle,
    judge_domain,
    judge_frozen_test,
    judge_intruders,
    judge_catalogued,
    judge_protected,
    judge_budgets,
    judge_renewals,
    judge_evidence,
    judge_witnessed,
)
