"""Each name that a detector gives to its findings is explained."""

from __future__ import annotations

import re
from pathlib import Path

import freezegate.policy.mutes
from freezegate.policy.mutes.detectors import DETECTORS

_NAMED = re.compile(
    r"^_(?:DETECTOR|WEAKER|EXPECTED)\b.*= (\".*\")$|detector=(\"\w+\".*),$", re.MULTILINE
)


def test_every_detector_is_explained_and_no_other() -> None:
    folder = Path(freezegate.policy.mutes.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    texts = ["".join(found) for source in sources for found in _NAMED.findall(source)]
    assert {name for text in texts for name in re.findall(r"\"(\w+)\"", text)} == set(DETECTORS)
