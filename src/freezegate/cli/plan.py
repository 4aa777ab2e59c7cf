"""`freezegate plan`: how many runs on each side a flake of a rate needs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from freezegate.policy.planning import parse_share, plan_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.policy.planning import RunPlan

EXAMPLES = """\
examples:
  freezegate plan --rate 0.1 --power 0.8      a test that fails in one run of ten
  freezegate plan --rate 1/30 --at-most 200

Exact binomials: the probability that both sides pass and fail at least once, where each run fails
for itself. Real failures may hang together; the number is the best case.

exit status: 0 so many runs do, 1 not even --at-most runs do, 2 no such plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument(
        "--rate", metavar="SHARE", required=True, help="how often it fails: 0.1, 10%% or 1/10"
    )
    parser.add_argument("--power", metavar="SHARE", default="0.8", help="how surely (default: 0.8)")
    parser.add_argument(
        "--at-most", metavar="N", type=int, default=50, help="runs on each side (default: 50)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, _environ: Mapping[str, str]) -> int:
    """Print the plan, return the exit status."""
    rate = parse_share(options.rate, "--rate")
    power = parse_share(options.power, "--power")
    plan = plan_runs(rate, power, at_most=options.at_most)
    if options.format == "json":
        sys.stdout.write(json.dumps(_document(plan), indent=2, ensure_ascii=True) + "\n")
    else:
        print(plan.note)
    return int(plan.runs is None)


def _document(plan: RunPlan) -> dict[str, object]:
    return {
        "schema": "freezegate/plan/v1",
        "rate": float(plan.rate),
        "power": float(plan.power),
        "at_most": plan.at_most,
        "runs": plan.runs,
        "reached": float(plan.reached),
        "note": plan.note,
    }
