"""A ledger line as this program writes it, read by one pattern; of any other it says nothing.

A pattern fixes keys, their order and the spelling of each value: what matches has no key twice and
no other canonical spelling. What does not is left to the strict decoder, which says why.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.errors import DecodeError, InvalidValue
from freezegate.formats.fields import MAX_OWNER_CHARS, MAX_SIGNATURE_CHARS, array, choice, day, text
from freezegate.formats.ledger import MAX_LINE_BYTES, MAX_REASON_CHARS, MAX_RUNS
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import (
    Classified,
    Ended,
    Ending,
    Frozen,
    LedgerLine,
    LineReason,
    LineStatus,
    VarianceClass,
)
from freezegate.model.paths import RepoPath
from freezegate.model.run import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

_REPEATED = 16_384  # texts kept of each kind: a ledger says the same things again and again

# Neither escaped nor hidden nor steering, for any of our readers.
_PLAIN = r"[ !#-\[\]-~\xa0-\u0619]"
_STRING = rf'"{_PLAIN}*+(?:\\["\\]{_PLAIN}*+)*+"'


class _Part(NamedTuple):
    """The spelling of a value as a pattern with one group, and what makes the value of it."""

    pattern: str
    make: Callable[[str], Any]


def _or_null(part: _Part) -> _Part:
    return part._replace(pattern=f"(?:{part.pattern}|null)")


def _text(max_chars: int, min_chars: int = 0) -> _Part:
    return _Part(f'"({_PLAIN}{{{min_chars},{max_chars}}}+)"', str)


def _known(make: Callable[[str], Any]) -> _Part:
    return _Part(f'"({_PLAIN}*+)"', lru_cache(maxsize=_REPEATED)(make))


def _word(kind: type[StrEnum]) -> _Part:
    return _Part('"([a-z_]++)"', {str(member): member for member in kind}.__getitem__)


def _signatures(spelled: str) -> tuple[str, ...]:
    if "\\" in spelled or len(spelled) > MAX_SIGNATURE_CHARS:
        return _READ_SIGNATURES(json.loads(spelled), "")
    return () if spelled == "[]" else tuple(spelled[2:-2].split('","'))


@lru_cache(maxsize=_REPEATED)
def _runs(spelled: str) -> tuple[RunOutcome, ...]:
    return _READ_RUNS(json.loads(spelled), "")


_READ_SIGNATURES = array(text(MAX_SIGNATURE_CHARS), 0, 2 * MAX_RUNS)
_READ_RUNS = array(choice(RunOutcome), 0, MAX_RUNS)
_COUNT = _Part("(0|[1-9][0-9]{0,14})", int)
# The pattern has checked these, and few of them come twice.
_SHA256 = _Part('"([0-9a-f]{64})"', partial(str.__new__, Sha256))
_OBJECT_ID = _Part('"([0-9a-f]{40})"', partial(str.__new__, ObjectId))
_BLAKE3 = _Part('"(blake3:[0-9a-f]{64})"', partial(str.__new__, Blake3))
_RUNS = _Part(r'(\[[a-z",]*+\])', _runs)
_CLASSIFIED = {
    "property_id": _or_null(_known(PropertyId)),
    "test_id": _known(TestId),
    "fixture_path": _known(RepoPath),
    "fixture_sha256": _SHA256,
    "oracle_path": _known(RepoPath),
    "oracle_blob": _OBJECT_ID,
    "seed": _or_null(_COUNT),
    "base_rev": _OBJECT_ID,
    "candidate_rev": _or_null(_OBJECT_ID),
    "base_runs": _RUNS,
    "candidate_runs": _RUNS,
    "runs": _COUNT,
    "passes": _COUNT,
    "fails": _COUNT,
    "fail_signatures": _Part(rf"(\[(?:{_STRING}(?:,{_STRING})*+)?\])", _signatures),
    "class": _or_null(_word(VarianceClass)),
    "freeze_eligible": _Part("(true|false)", "true".__eq__),
    "status": _word(LineStatus),
    "reason": _word(LineReason),
    "patch_digest": _BLAKE3,
    "domain_digest": _BLAKE3,
    "evidence": _or_null(_BLAKE3),
}
_FROZEN = _CLASSIFIED | {
    "owner": _or_null(_text(MAX_OWNER_CHARS)),
    "expires_on": _or_null(_known(partial(day, place=""))),
    "expires_after_commits": _or_null(_COUNT),
    "renews": _or_null(_BLAKE3),
}
_ENDED = {
    "event": _word(Ending),
    "freeze": _BLAKE3,
    "base_rev": _OBJECT_ID,
    "fixture_sha256": _SHA256,
    "reason": _text(MAX_REASON_CHARS),
    "owner": _text(MAX_OWNER_CHARS, 1),
}


class _Shape:
    """One kind of line: its pattern, and for each group of it the field's slot and its value."""

    def __init__(self, kind: type[LedgerLine], parts: dict[str, _Part], event: str = "") -> None:
        self._kind = kind
        spelled = {key: part.pattern for key, part in parts.items()}
        if event:
            spelled["event"] = f'"{event}"'
        members = (f'"{key}":{spelled[key]}' for key in sorted(spelled))
        self._match = re.compile(rf"\{{{','.join(members)}\}}").fullmatch
        self._makes = [parts[key].make for key in sorted(parts)]
        self._slots = [_slot(kind, key) for key in sorted(parts)]

    def read(self, line: str) -> LedgerLine | None:
        match = self._match(line)
        if match is None:
            return None
        made = object.__new__(self._kind)  # the init of a frozen class takes twice the time
        for put, make, part in zip(self._slots, self._makes, match.groups(), strict=True):
            put(made, None if part is None else make(part))
        return made


def _slot(kind: type[LedgerLine], key: str) -> Callable[[LedgerLine, object], None]:
    put: Callable[[LedgerLine, object], None]
    put = getattr(kind, "variance" if key == "class" else key).__set__
    return put


_SHAPES = (
    _Shape(Frozen, _FROZEN, "frozen"),
    _Shape(Ended, _ENDED),
    _Shape(Classified, _CLASSIFIED, "classified"),
)


def read_canonical(raw: bytes) -> LedgerLine | None:
    """Return the line that these canonical bytes are, None where a closer look is needed."""
    if len(raw) > MAX_LINE_BYTES:
        return None
    try:
        spelled = raw.decode()
        for shape in _SHAPES:
            line = shape.read(spelled)
            if line is not None:
                return line
    except (UnicodeDecodeError, InvalidValue, DecodeError, ValueError, KeyError):
        pass
    return None
