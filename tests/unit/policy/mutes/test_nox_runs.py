"""Sessions of nox that it does not run."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

TESTS = "\n\n@nox.session(python=['3.11'])\ndef tests(session):\n    session.run('pytest')\n"
LINT = "\n\n@nox.session\ndef lint(session):\n    session.run('ruff', 'check')\n"
NOX = f"import nox\n{TESTS}{LINT}"


@pytest.mark.parametrize(
    ("new", "answer"),
    [
        pytest.param(NOX + TESTS.replace("run('", "log('"), "refuses", id="same_name"),
        pytest.param(
            NOX + LINT.replace("session\n", "session(name='tests')\n", 1),
            "refuses",
            id="given_name",
        ),
        pytest.param(NOX.replace("['3.11'])", "['3.11'], default=False)"), "warns", id="default"),
        pytest.param(
            NOX.replace("\n\n", "\nnox.options.sessions = ['lint']\n\n", 1), "warns", id="o"
        ),
        pytest.param(
            NOX.replace("    session.run('p", "    session.skip('x')\n    session.run('p"),
            "warns",
            id="skip",
        ),
        pytest.param(
            NOX.replace("\n\n", "\nnox.options.sessions = ['tests-3.11']\n\n", 1),
            "accepts",
            id="chosen",
        ),
        pytest.param(NOX + LINT.replace("lint", "types"), "accepts", id="another_session"),
        pytest.param(NOX.replace("'check'", "'check', '.'"), "accepts", id="another_command"),
    ],
)
def test_sessions_that_do_not_run_are_found(new: str, answer: str) -> None:
    assert verdict_between({"noxfile.py": NOX}, {"noxfile.py": new}, "runner") == answer
