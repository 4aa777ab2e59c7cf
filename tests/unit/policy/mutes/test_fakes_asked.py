"""Checks of fakes and files: they never asked the tested code, so that no edit leaves it."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

CLIENT = "def rate(transport):\n    return transport.get()\n\n\ndef total():\n    return 2\n"
HEAD = (
    "import json\nfrom pathlib import Path\nfrom unittest import mock\n\n"
    "from client import rate, total\n\n\n"
)
MOCK = (
    "def test_it():\n    transport = mock.Mock()\n    transport.get.side_effect = [1, 2]\n"
    "    assert rate(transport) == 1\n    assert transport.get.call_count == 1\n"
)
FAKE = (
    "class Fake:\n    def __init__(self):\n        self.calls = 0\n\n    def get(self):\n"
    "        self.calls += 1\n        return 1\n\n\n"
    "def test_it():\n    transport = Fake()\n    assert rate(transport) == 1\n"
    "    assert transport.calls == 1\n"
)
HELPER = (
    "def queue(*answers):\n    made = mock.Mock()\n    made.get.side_effect = list(answers)\n"
    "    return made\n\n\n"
    + MOCK.replace("mock.Mock()", "queue(1, 2)").replace(
        "    transport.get.side_effect = [1, 2]\n", ""
    )
)
FILE = (
    "def test_file():\n    with open('stock.json') as file:\n"
    "        assert json.load(file) == {'a': 1}\n"
)
TEXT = (
    "def test_file():\n    data = json.loads(Path('stock.json').read_text())\n"
    "    assert data == {'a': 1}\n"
)


def side(tests: str) -> dict[str, str]:
    """A module of tests beside what they test."""
    return {PATH: HEAD + tests, "client.py": CLIENT}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(MOCK, MOCK.replace("mock.Mock", "mock.MagicMock"), id="another_mock"),
        pytest.param(MOCK, MOCK.replace("mock.Mock()", "mock.Mock(spec=['get'])"), id="spec"),
        pytest.param(MOCK, HELPER, id="helper"),
        pytest.param(MOCK, FAKE, id="fake"),
        pytest.param(FILE, TEXT, id="file"),
        pytest.param(TEXT, FILE, id="text"),
    ],
)
def test_what_never_asked_the_tested_code_does_not_leave_it(old: str, new: str) -> None:
    assert verdict_between(side(old), side(new)) in ("accepts", "warns")


@pytest.mark.parametrize(
    "new",
    [
        MOCK.replace("rate(transport) == 1", "mock.Mock(return_value=1)() == 1"),
        MOCK.replace("    assert rate(transport) == 1\n", "    assert len([1]) == 1\n"),
    ],
)
@pytest.mark.parametrize("keeps_import", [True, False])
def test_what_asked_it_and_asks_a_fake_now_is_refused(new: str, keeps_import: bool) -> None:
    after = side(new)
    if not keeps_import:
        after[PATH] = after[PATH].replace("from client import rate, total\n", "")
    assert verdict_between(side(MOCK), after) == "refuses"
