"""YAML as plain texts, lists and tables: no types, no objects, and no more than a person writes."""

from __future__ import annotations

import re
from typing import Any

_MAX_BYTES = 512 * 1024
_MAX_NESTED = 60  # brackets, or levels of indentation
_MERGE = "<<"


class YamlError(ValueError):
    """A file that is no YAML, or more of it than is read."""


def load_yaml(source: bytes) -> Any:
    """Return a file's documents, one as itself and several as a list; raises YamlError.

    Aliases are shared, not copied: whoever walks the result counts what is visited.
    """
    import yaml

    text = source.decode("utf-8", "replace")
    if len(source) > _MAX_BYTES or _nested(text) > _MAX_NESTED:
        raise YamlError("more than a person writes: too long, or nested too deep")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        documents = list(yaml.load_all(text, Loader=loader))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise YamlError(str(error).split("\n")[0]) from error
    found = documents[0] if len(documents) == 1 else documents
    return _merged(found, {}, 0)


def _nested(text: str) -> int:
    depth = most = 0
    for mark in re.findall(r"[\[{\]}]", text):
        depth += 1 if mark in "[{" else -1
        most = max(most, depth)
    deepest = max((len(m[1]) for m in re.finditer(r"^( *)\S", text, re.MULTILINE)), default=0)
    dashes = max(
        (m[0].count("-") for m in re.finditer(r"^\s*(?:- )+", text, re.MULTILINE)), default=0
    )
    return max(most, deepest // 4, dashes)


def _merged(node: Any, seen: dict[int, Any], depth: int) -> Any:
    """Put in what `<<` takes from elsewhere; each node once, however often it is named."""
    if depth > _MAX_NESTED * 2:
        raise YamlError("nested too deep, or a table that holds itself")
    if id(node) in seen:
        return seen[id(node)]
    if isinstance(node, list):
        found: Any = [_merged(each, seen, depth + 1) for each in node]
    elif isinstance(node, dict):
        found = {}
        taken = node.get(_MERGE, ())
        for each in reversed(taken if isinstance(taken, list) else [taken]):
            inner = _merged(each, seen, depth + 1) if isinstance(each, dict) else {}
            found.update(inner)
        found.update({k: _merged(v, seen, depth + 1) for k, v in node.items() if k != _MERGE})
    else:
        return node
    seen[id(node)] = found
    return found
