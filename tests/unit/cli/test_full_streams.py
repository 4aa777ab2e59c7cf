"""Where not even a word can be written, the exit status says that there is no answer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CALLS = [
    pytest.param(["nothing"], id="unknown_verb"),
    pytest.param(["explain", "--nope"], id="unknown_option"),
    pytest.param(["explain", "no.such_code"], id="no_answer"),
    pytest.param(["--help"], id="help"),
    pytest.param(["explain", "oracle.changed"], id="an_answer"),
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is Linux's")
@pytest.mark.parametrize("arguments", CALLS)
def test_full_streams_are_no_answer(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-I", "-m", "freezegate", *arguments],
            stdout=full,
            stderr=full,
            check=False,
        )
    assert ended.returncode == 2
