"""The rules on what freezegate keeps: its folder, its ledger, and the freezes that landed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.rules.classified import judge_classified
from freezegate.policy.rules.kept_files import judge_kept_files
from freezegate.policy.rules.ledger_step import judge_ledger_step
from freezegate.policy.rules.markers import judge_markers
from freezegate.policy.rules.voids import judge_voids

if TYPE_CHECKING:
    from freezegate.policy.rules import Rule

LEDGER_RULES: tuple[Rule, ...] = (
    judge_kept_files,
    judge_ledger_step,
    judge_classified,
    judge_voids,
    judge_markers,
)
