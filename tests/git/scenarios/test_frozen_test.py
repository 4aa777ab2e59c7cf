"""The frozen test itself: what a patch may put beside it, and what changes it from there."""

from __future__ import annotations

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused
from tests.git.scenarios.test_domain import land
from tests.support import Story

MODULE = "tests/unit/test_unit.py"
CONFTEST = "tests/unit/conftest.py"
PLAIN = "import pytest\n\n\ndef test_unit(tmp_path):\n    assert sum([1, 2]) == 3\n"
FIXTURE_OF = "import pytest\n\n\n@pytest.fixture\ndef {}():\n    return 1\n"
INHERITED = (
    "class Base:\n    n = 1\n\n    def test_unit(self):\n        assert self.n\n\n\n"
    "class TestX(Base):\n    m = 2\n"
)
ACCEPTED = [
    pytest.param(
        PLAIN,
        "test_unit",
        {MODULE: f"{PLAIN}\nBIG = max(1, 2)\n\nif __name__ == '__main__':\n    pytest.main()\n"},
        id="constant_and_script",
    ),
    pytest.param(PLAIN, "test_unit", {CONFTEST: FIXTURE_OF.format("price")}, id="new_fixture"),
    pytest.param(
        PLAIN, "test_unit", {MODULE: f"from __future__ import annotations\n{PLAIN}"}, id="future"
    ),
    pytest.param(
        INHERITED, "TestX::test_unit", {MODULE: f"{INHERITED}\n\ndef test_n(): 1\n"}, id="inherited"
    ),
]
REFUSED = [
    pytest.param(
        PLAIN,
        "test_unit",
        {MODULE: f"{PLAIN}\nimport subprocess\nX = subprocess.Popen(['true'])\n"},
        id="starts_a_process_at_import",
    ),
    pytest.param(
        PLAIN.replace("tmp_path", "pytester"),
        "test_unit",
        {CONFTEST: FIXTURE_OF.format("monkeypatch")},
        id="overrides_beneath_a_plugins_fixture",
    ),
    pytest.param(
        INHERITED,
        "TestX::test_unit",
        {MODULE: INHERITED.replace("assert self.n", "pass")},
        id="edits_an_inherited_test",
    ),
]


def ask(shop: Story, source: str, test: str, patch: dict[str, str]) -> Story:
    """Ask for a freeze of a test that stands on `main`, with a patch beside it."""
    shop.on("main").write(MODULE, source)
    land(shop).patch()
    for path, content in patch.items():
        shop.write(path, content)
    shop.commit("beside the test", "--allow-empty")
    shop.request(test_id=f"{MODULE}::{test}").write(shop.root)
    return shop


@pytest.mark.parametrize(("source", "test", "patch"), ACCEPTED)
def test_beside_the_frozen_test(shop: Story, source: str, test: str, patch: dict[str, str]) -> None:
    assert_accepted(ask(shop, source, test, patch))


@pytest.mark.parametrize(("source", "test", "patch"), REFUSED)
def test_changes_the_frozen_test(
    shop: Story, source: str, test: str, patch: dict[str, str]
) -> None:
    assert_refused(ask(shop, source, test, patch), "test.changed_in_patch")
