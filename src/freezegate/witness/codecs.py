"""Arguments of a property as plain JSON, and back: equal objects of the same types.

Executed inside the guarded project's interpreter as well, which may know neither freezegate nor a
new Python: standard library alone, Python 3.8 and later.

What JSON has stands for itself; anything else is an object with one key that begins with `$`. A
project's own types have codecs in its oracle file: `FREEZEGATE_CODECS = {Money: (to_plain,
from_plain)}`. An object that stands in an input twice comes back as two equal ones.
"""

from __future__ import annotations

from .codec_classes import REGISTRY, CodecError
from .codec_reading import Decoder
from .codec_writing import Encoder, as_text

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from typing import Any

    from .codec_writing import Own

__all__ = ["CodecError", "decode", "encode", "own_codecs", "refuse_other", "whole"]


def encode(value: Any, own: Own, place: str) -> Any:
    """Return a value as JSON has it; raises CodecError. `place` is `discount`, `order.lines[2]`."""
    return Encoder(own).encode(value, place)


def decode(document: Any, own: Own) -> Any:
    """Return what `encode` was given; raises CodecError for anything that it never returns."""
    try:
        return Decoder(own).decode(document)
    except RecursionError:
        raise CodecError("the fixture is nested too deep for this interpreter") from None


def whole(value: Any, own: Own, place: str) -> Any:
    """Return all of a value, also what its class computed, to be compared by `refuse_other`."""
    return Encoder(own, whole=True).encode(value, place)


def refuse_other(written: Any, seen: Any, own: Own, place: str) -> None:
    """Raise CodecError where what was written makes another value than the one that was `seen`.

    `seen` is what `whole` said of the value when it was written.
    """
    again = whole(decode(written, own), own, place)
    if as_text(again) != as_text(seen):
        text = _difference(seen, again, place) + ": its fields do not make it again; let the test "
        raise CodecError(
            text + "make it of its parts, or give its class a codec (" + REGISTRY + ")"
        )


def own_codecs(module: Any) -> Own:
    """Return the codecs of an oracle file: a mapping of types to pairs of functions."""
    found: Own = getattr(module, REGISTRY, {})
    return found


def _difference(seen: Any, again: Any, place: str) -> str:
    """Return the first place at which two documents differ."""
    if isinstance(seen, dict) and isinstance(again, dict):
        parts = [(key, seen.get(key), again.get(key)) for key in sorted({*seen, *again})]
    elif isinstance(seen, list) and isinstance(again, list) and len(seen) == len(again):
        parts = [(str(number), *pair) for number, pair in enumerate(zip(seen, again))]  # noqa: B905
    else:
        return place + " is " + as_text(seen)[:80] + ", and made anew it is " + as_text(again)[:80]
    for key, left, right in parts:
        if as_text(left) != as_text(right):
            named = key.isidentifier() and isinstance(seen, dict)
            return _difference(left, right, place + "." + key if named else place)
    return place
