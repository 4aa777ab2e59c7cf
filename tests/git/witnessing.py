"""What the tests of `freezegate witness` share: a shop with a flake of a chosen kind."""

from __future__ import annotations

POLICY = """\
version = 1
extends = "standard"

[base]
targets = ["refs/heads/main"]

[subject]
paths = ["src/**"]

[oracle]
paths = ["tests/properties/**/*.py"]

[fixtures]
paths = ["tests/fixtures/**"]

[runner]
plugins = []

[evidence]
runs = {runs}
timeout_s = 30
"""
READ = (
    "import json\nimport pathlib\n\n"
    "ORDER = pathlib.Path(__file__).parent / 'fixtures' / 'order.json'\n\n\n"
)
PLAIN = READ + "def test_total():\n    assert sum(json.loads(ORDER.read_text())['lines']) == 6\n"
ORACLE_TEXT = (
    "import json\nimport pathlib\n\n\n"
    "def test_total_is_never_negative():\n"
    "    order = pathlib.Path(__file__).parents[1] / 'fixtures' / 'order.json'\n"
    "    assert sum(json.loads(order.read_text())['lines']) >= 0\n"
)
