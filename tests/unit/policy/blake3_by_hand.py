"""BLAKE3 written out from its specification, slow and plain, to check the library against."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_IV = (
    0x6A09E667,
    0xBB67AE85,
    0x3C6EF372,
    0xA54FF53A,
    0x510E527F,
    0x9B05688C,
    0x1F83D9AB,
    0x5BE0CD19,
)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)
_CHUNK_START, _CHUNK_END, _PARENT, _ROOT = 1, 2, 4, 8
_DERIVE_KEY_CONTEXT, _DERIVE_KEY_MATERIAL = 32, 64
_MASK = 0xFFFFFFFF

Words = Sequence[int]


def plain(data: bytes) -> str:
    """Return the BLAKE3 of some bytes in hexadecimal digits."""
    return _bytes(_tree(data, _IV, 0, 0, _ROOT)).hex()


def derived(context: str, data: bytes) -> str:
    """Return the BLAKE3 of some bytes in derive-key mode, in hexadecimal digits."""
    key = _tree(context.encode(), _IV, 0, _DERIVE_KEY_CONTEXT, _ROOT)
    return _bytes(_tree(data, key, 0, _DERIVE_KEY_MATERIAL, _ROOT)).hex()


def _bytes(words: Words) -> bytes:
    return struct.pack("<8I", *words)


def _tree(data: bytes, key: Words, chunk: int, flags: int, root: int) -> Words:
    """The chaining value of a subtree: the largest power of two of chunks stands on the left."""
    if len(data) <= 1024:
        return _chunk(data, key, chunk, flags, root)
    left = 1
    while left * 2 * 1024 < len(data):
        left *= 2
    one = _tree(data[: left * 1024], key, chunk, flags, 0)
    other = _tree(data[left * 1024 :], key, chunk + left, flags, 0)
    return _compress(key, (*one, *other), 0, 64, flags | _PARENT | root)


def _chunk(data: bytes, key: Words, chunk: int, flags: int, root: int) -> Words:
    blocks = [data[at : at + 64] for at in range(0, len(data), 64)] or [b""]
    value = key
    for number, block in enumerate(blocks):
        here = flags | (_CHUNK_START if number == 0 else 0)
        if number == len(blocks) - 1:
            here |= _CHUNK_END | root
        words = struct.unpack("<16I", block.ljust(64, b"\0"))
        value = _compress(value, words, chunk, len(block), here)
    return value


def _compress(value: Words, block: Words, counter: int, length: int, flags: int) -> Words:
    state = [*value, *_IV[:4], counter & _MASK, counter >> 32, length, flags]
    words = list(block)
    for _ in range(7):
        for turn, (a, b, c, d) in enumerate(_COLUMNS_AND_DIAGONALS):
            _mix(state, (a, b, c, d), words[2 * turn], words[2 * turn + 1])
        words = [words[place] for place in _PERMUTATION]
    return [state[place] ^ state[place + 8] for place in range(8)]


def _mix(state: list[int], at: tuple[int, int, int, int], one: int, other: int) -> None:
    a, b, c, d = at
    for word, first, second in ((one, 16, 12), (other, 8, 7)):
        state[a] = (state[a] + state[b] + word) & _MASK
        state[d] = _rotated(state[d] ^ state[a], first)
        state[c] = (state[c] + state[d]) & _MASK
        state[b] = _rotated(state[b] ^ state[c], second)


def _rotated(word: int, bits: int) -> int:
    return (word >> bits | word << (32 - bits)) & _MASK
