"""Which fields of a minimal input its property's `keep` holds, and which may be dropped.

Fields are the test's arguments and, of each argument that is a mapping, its keys. Arguments are
always kept: the test cannot be called without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.sample import Encoded

_PAIRS = "$dict"


class Projection(NamedTuple):
    """An input without what `keep` does not name.

    `dropped` are the fields that went, `missing` those of `keep` that the input does not have.
    """

    arguments: Encoded
    dropped: tuple[str, ...]
    missing: tuple[str, ...]


def project(arguments: Encoded, keep: tuple[str, ...]) -> Projection:
    """Return the input with the kept fields alone; all of it where `keep` is empty.

    A mapping of which `keep` names nothing is data, not a record: it stays whole.
    """
    fields = {name: tuple(_keys(part)) for name, part in arguments.items()}
    known = {*arguments, *(key for keys in fields.values() for key in keys)}
    dropped = tuple(
        key for keys in fields.values() if set(keys) & set(keep) for key in keys if key not in keep
    )
    return Projection(
        arguments={name: without(part, dropped) for name, part in arguments.items()},
        dropped=dropped,
        missing=tuple(field for field in keep if field not in known),
    )


def with_field(arguments: Encoded, field: str, dropped: tuple[str, ...]) -> Encoded:
    """Return the input with one of the dropped fields alone put back."""
    rest = tuple(each for each in dropped if each != field)
    return {name: without(part, rest) for name, part in arguments.items()}


def without(part: object, fields: tuple[str, ...]) -> object:
    """Return a mapping without some of its keys, anything else as it is."""
    if not _is_mapping(part):
        return part
    mapping: Mapping[str, Any] = part  # type: ignore[assignment]  # asked above
    if _PAIRS in mapping:
        return {_PAIRS: [pair for pair in mapping[_PAIRS] if pair[0] not in fields]}
    return {key: value for key, value in mapping.items() if key not in fields}


def _keys(part: object) -> Iterator[str]:
    if _is_mapping(part):
        mapping: Mapping[str, Any] = part  # type: ignore[assignment]  # asked above
        keys = [pair[0] for pair in mapping[_PAIRS]] if _PAIRS in mapping else list(mapping)
        yield from (key for key in keys if isinstance(key, str))


def _is_mapping(part: object) -> bool:
    """Say whether codecs wrote a dict: of all other objects the only key begins with `$`."""
    return isinstance(part, dict) and all(key == _PAIRS or key[:1] != "$" for key in part)
