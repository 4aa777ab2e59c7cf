"""A ready-made pytest test that replays a fixture: it stays when the bug is gone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.paths import RepoPath

_TEXT = '''\
"""Regression lock of {property_id}: an input that once broke it, replayed alone.

The fixture's bytes are locked in .freeze/fixtures.sha256.
"""

import json
from pathlib import Path

{imports}

FIXTURE = Path(__file__).parents[{depth}] / {fixture}
ARGUMENTS = {arguments}


@settings(phases=[Phase.explicit], database=None)
@example(**ARGUMENTS)
@given(**dict.fromkeys(ARGUMENTS, st.none()))  # never drawn: nothing is generated
def test_{name}(**arguments):
    {module}.{call}.hypothesis.inner_test(**arguments)
'''
_HYPOTHESIS = """\
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st"""
_READ = 'json.loads(FIXTURE.read_text(encoding="utf-8"))["arguments"]'


class Regression(NamedTuple):
    """What the test is about; `module` is the oracle's, as pytest imports it.

    `is_plain` says that JSON alone holds the arguments, else freezegate's codecs read them.
    """

    property_id: PropertyId
    property_test: TestId
    module: str
    fixture: RepoPath
    is_plain: bool


def regression_test(about: Regression, path: RepoPath) -> str:
    """Return the source of the test, to stand at a path of the repository."""
    codecs = "" if about.is_plain else "\nfrom freezegate.witness.codecs import decode, own_codecs"
    imports = f"{_HYPOTHESIS}{codecs}\n\nimport {about.module}"
    read = f"own_codecs({about.module})"
    decoded = f"{{name: decode(part, {read}) for name, part in {_READ}.items()}}"
    stem = about.fixture.rpartition("/")[2].removesuffix(".json")
    return _TEXT.format(
        property_id=about.property_id,
        imports=imports,
        depth=path.count("/"),
        fixture=json.dumps(str(about.fixture)),
        arguments=_READ if about.is_plain else decoded,
        name=re.sub(r"\W", "_", f"{about.property_id}_{stem}"),
        module=about.module,
        call=".".join(about.property_test.names),
    )
