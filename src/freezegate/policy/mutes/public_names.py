"""What the frameworks offer, by the name under which it is public."""

from __future__ import annotations

# Where the frameworks themselves keep what they offer under a public name.
_PUBLIC = {
    "_pytest.outcomes.skip": "pytest.skip",
    "_pytest.outcomes.xfail": "pytest.xfail",
    "_pytest.outcomes.exit": "pytest.exit",
    "_pytest.outcomes.fail": "pytest.fail",
    "_pytest.outcomes.importorskip": "pytest.importorskip",
    "_pytest.outcomes.Skipped": "pytest.skip.Exception",
    "_pytest.outcomes.XFailed": "pytest.xfail.Exception",
    "_pytest.outcomes.Exit": "pytest.exit.Exception",
    "_pytest.mark.MARK_GEN": "pytest.mark",
    "_pytest.mark.structures.MARK_GEN": "pytest.mark",
    "_pytest.mark.param": "pytest.param",
    "_pytest.fixtures.fixture": "pytest.fixture",
    "_pytest.python_api.raises": "pytest.raises",
    "_pytest.python_api.approx": "pytest.approx",
    "_pytest.raises.raises": "pytest.raises",
    "_pytest.recwarn.warns": "pytest.warns",
    "py.test": "pytest",
    "unittest.case": "unittest",
    "unittest.async_case": "unittest",
    "hypothesis._settings": "hypothesis",
    "hypothesis.core": "hypothesis",
    "hypothesis.control": "hypothesis",
}


def public(name: str) -> str:
    """Return the public name of what stands in a private module, any other as it is."""
    if name in _PUBLIC:
        return _PUBLIC[name]
    head, _, tail = name.rpartition(".")
    return f"{_PUBLIC[head]}.{tail}" if head in _PUBLIC else name
