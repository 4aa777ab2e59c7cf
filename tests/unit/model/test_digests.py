"""Digests and object ids have one spelling each."""

from __future__ import annotations

import hashlib

import pytest

from freezegate.errors import InvalidValue
from freezegate.model.digests import Blake3, ObjectId, Sha256

KINDS = (
    pytest.param(Sha256, "5a" * 32, id="sha256"),
    pytest.param(ObjectId, "0b" * 20, id="object_id"),
    pytest.param(Blake3, f"blake3:{'c3' * 32}", id="blake3"),
)


@pytest.mark.parametrize(("kind", "honest"), KINDS)
def test_the_one_spelling_is_taken(kind: type[str], honest: str) -> None:
    assert kind(honest) == honest
    assert type(kind(honest)) is kind


@pytest.mark.parametrize(("kind", "honest"), KINDS)
def test_every_other_spelling_is_refused(kind: type[str], honest: str) -> None:
    for text in (
        "",
        honest.upper(),
        honest[:-1],
        f"{honest}0",
        f"{honest}\n",
        f" {honest}",
        f"sha256:{honest}",
        f"blake3:{honest}",
        honest[:-1] + "g",
        honest[:-1] + "\u0665",
        "HEAD",
        "x" * 100_000,
    ):
        with pytest.raises(InvalidValue) as refused:
            kind(text)
        assert refused.value.code == "digest.bad_format"
        assert len(refused.value.got) < 200


def test_the_plain_digest_of_bytes_is_the_published_one() -> None:
    # The first of the official BLAKE3 test vectors: no input.
    published = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert Blake3.of(b"") == f"blake3:{published}"
    assert Blake3.of(b"").hex == published


def test_kinds_of_digests_do_not_stand_for_each_other() -> None:
    sha256 = Sha256(hashlib.sha256(b"").hexdigest())
    with pytest.raises(InvalidValue):
        Blake3(sha256)
    with pytest.raises(InvalidValue):
        ObjectId(sha256)
