"""docs/freeze-by-hand.md leads to a freeze that the gate accepts, step by step as it stands."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import FIXTURE, ORACLE, git_environment

if TYPE_CHECKING:
    from tests.support import Story

PAGE = Path(__file__).resolve().parents[2] / "docs" / "freeze-by-hand.md"


def blocks(language: str) -> list[str]:
    """Return the page's blocks in a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def filled(text: str, shop: Story) -> str:
    """Return a block with the values of this repository in the places of the example's."""
    day = (datetime.now(UTC) + timedelta(days=7)).date().isoformat()
    text = text.replace("2026-12-14", day)
    digest = "72a4cb3a85215a265edd521b62f9a2b935fdb2f2cc03b4ccf0313d8f25321c3c"
    assert digest in shop.read(".freeze/fixtures.sha256").decode()
    text = text.replace("20af55c5165c94bae4822ba1071bfe25b3e85b4a", shop.rev(f"HEAD:{ORACLE}"))
    return text.replace("774882dda92fc5e7f9bc2de28e1e808a745f1513", shop.rev("origin/main"))


def shell(script: str, shop: Story) -> None:
    """Run a block as a person pastes it."""
    subprocess.run(["sh", "-euc", script], cwd=shop.root, env=git_environment(), check=True)


def test_the_page_leads_to_an_accepted_freeze(shop: Story) -> None:
    shop.patch()
    snapshot, line = blocks("sh")[1:3]
    assert FIXTURE in snapshot
    shell(snapshot, shop)
    shop.write(".freeze/record.json", filled(blocks("json")[0], shop))
    shell(filled(line, shop), shop)
    shop.commit("freeze by hand")
    answer = shop.check()
    assert answer.errors == {"evidence.stale_patch", "evidence.stale_domain"}
    ledger = shop.read(".freeze/ledger.jsonl").decode()
    for code, key in (("evidence.stale_patch", "patch"), ("evidence.stale_domain", "domain")):
        digest = answer.finding(code)["expected"].split(",")[0]
        ledger = ledger.replace(f'"{key}_digest":"blake3:{"0" * 64}"', f'"{key}_digest":"{digest}"')
    shop.write(".freeze/ledger.jsonl", ledger).commit("the digests that the gate computes")
    assert shop.check().verdict == "accepted"


def test_the_line_that_lifts_has_the_keys_that_a_line_must_have() -> None:
    lifted = blocks("json")[1]
    keys = re.findall(r'"(\w+)":', lifted)
    assert keys == sorted(keys)
    assert set(keys) == {"base_rev", "event", "fixture_sha256", "freeze", "owner", "reason"}
