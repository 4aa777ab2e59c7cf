"""The catalogue of reasons: one page is made of it, and no finding has a code beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from freezegate.cli.explain import markdown
from freezegate.cli.verbs import run_command
from freezegate.model.reasons import REASONS

TOP = Path(__file__).parents[2]
PLACES = {"evidence.runs", "judges.change", "base.targets"}  # keys of a policy, spelled like codes


def test_the_page_is_made_of_the_catalogue() -> None:
    page = (TOP / "docs" / "reasons.md").read_text(encoding="utf-8")
    assert page == markdown(tuple(REASONS.values())), "run `make reasons`"


def test_codes_are_dotted_and_unique_and_say_what_to_do() -> None:
    for code, reason in REASONS.items():
        assert re.fullmatch(r"[a-z]+\.[a-z0-9_]+", code)
        assert reason.sentence.endswith(".")
        assert reason.remedy


def test_every_code_in_the_source_is_in_the_catalogue() -> None:
    families = "|".join(sorted({code.partition(".")[0] for code in REASONS}))
    quoted = re.compile(rf'"((?:{families})\.[a-z_0-9]+)"')
    for path in (TOP / "src").rglob("*.py"):
        for code in quoted.findall(path.read_text(encoding="utf-8")):
            is_code = code not in PLACES and not code.endswith((".json", ".jsonl", ".toml"))
            assert not is_code or code in REASONS, f"{path.name}: {code}"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["oracle.changed"], 0, "oracle.changed\n  The patch changes the oracle"),
        (["oracle"], 0, "oracle.missing_at_parent"),
        ([], 0, "internal.fault"),
        (["oracle.changed", "--format", "json"], 0, '"code": "oracle.changed"'),
    ],
)
def test_explain(
    capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, said: str
) -> None:
    assert run_command(["explain", *arguments], {}) == status
    assert said in capsys.readouterr().out


def test_explain_offers_the_nearest_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["explain", "oracle.chnaged"], {}) == 2
    assert "did you mean oracle.changed" in capsys.readouterr().err
