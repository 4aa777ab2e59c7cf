"""Digests are those of docs/digests.md, for freezegate and for code that knows only that page."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from freezegate.formats.ledger import parse_ledger
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.digests import Blake3, Sha256
from freezegate.model.entries import Change, Entry
from freezegate.model.ledger import Frozen, LedgerEntry
from freezegate.policy.digests import (
    DOMAIN_CONTEXT,
    PATCH_CONTEXT,
    entries_digest,
    patch_digest,
)
from tests.unit.policy import blake3_by_hand

_PAGE = (Path(__file__).parents[3] / "docs" / "digests.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VECTORS: list[dict[str, Any]] = [json.loads(block) for block in _BLOCK.findall(_PAGE)]
_CONTEXTS = {"patch": "freezegate 2026-11 patch v1", "domain": "freezegate 2026-11 domain v1"}
_OLD = Entry(0o100644, b"\x01" * 20)
_NEW = Entry(0o100644, b"\x02" * 20)


def _of_kind(*kinds: str) -> list[Any]:
    return [
        pytest.param(vector, id=f"{vector['kind']}: {vector['vector']}")
        for vector in _VECTORS
        if vector["kind"] in kinds
    ]


def _path(entry: dict[str, Any]) -> bytes:
    if "path_hex" in entry:
        return bytes.fromhex(entry["path_hex"])
    return str(entry["path"]).encode()


def _entry(entry: dict[str, Any]) -> Entry | None:
    return Entry(int(entry["mode"], 8), bytes.fromhex(entry["id"])) if entry["id"] else None


def _input(entries: list[dict[str, Any]]) -> bytes:
    """The hash's input as the page describes it."""
    packed = struct.pack(">I", len(entries))
    for entry in sorted(entries, key=_path):
        path, oid = _path(entry), bytes.fromhex(entry["id"] or "00" * 20)
        packed += struct.pack(f">I{len(path)}sI20s", len(path), path, int(entry["mode"], 8), oid)
    return packed


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def test_the_page_has_a_vector_for_each_kind_and_trick() -> None:
    names = {(vector["kind"], vector["vector"]) for vector in _VECTORS}
    assert names == {
        ("fixture", "a fixture"),
        ("patch", "the empty set"),
        ("patch", "one added file"),
        ("patch", "one deleted entry"),
        ("patch", "two files"),
        ("patch", "two files the other way round"),
        ("patch", "a path that is no UTF-8"),
        ("domain", "the empty set"),
        ("domain", "an absent conftest.py"),
        ("domain", "a part of a file"),
        ("evidence", "an evidence name"),
        ("freeze", "a freeze id"),
    }


def test_the_page_names_the_contexts_of_the_code() -> None:
    assert {"patch": PATCH_CONTEXT, "domain": DOMAIN_CONTEXT} == _CONTEXTS
    for kind, context in _CONTEXTS.items():
        assert f"| {kind} | `{context}` |" in _PAGE


@pytest.mark.parametrize("vector", _of_kind("patch", "domain"))
def test_digests_of_entries_are_those_of_the_page(vector: dict[str, Any]) -> None:
    entries = [(_path(entry), _entry(entry)) for entry in vector["entries"]]
    assert entries_digest(_CONTEXTS[vector["kind"]], entries) == vector["digest"]


@pytest.mark.parametrize("vector", _of_kind("patch", "domain"))
def test_digests_of_entries_can_be_computed_from_the_page_alone(vector: dict[str, Any]) -> None:
    data = _input(vector["entries"])
    assert vector.get("input_hex", data.hex()) == data.hex()
    digest = blake3_by_hand.derived(_CONTEXTS[vector["kind"]], data)
    assert f"blake3:{digest}" == vector["digest"]


@pytest.mark.parametrize("vector", _of_kind("patch"))
def test_patch_digests_are_over_the_entries_as_they_are_in_the_candidate(
    vector: dict[str, Any],
) -> None:
    changes = [Change(_path(entry), _OLD, _entry(entry)) for entry in vector["entries"]]
    assert patch_digest(changes) == vector["digest"]


def test_a_part_of_a_file_counts_by_the_blob_id_of_its_canonical_form() -> None:
    (vector,) = (vector for vector in _VECTORS if "part" in vector)
    canonical = json.dumps(vector["part"], sort_keys=True, separators=(",", ":")).encode()
    assert dump_canonical(vector["part"]) == canonical
    assert f"`{canonical.decode()}`" in _PAGE
    (entry,) = vector["entries"]
    assert (entry["mode"], entry["id"]) == ("100644", _blob_id(canonical))


def test_fixture_digests_are_those_of_sha256() -> None:
    (vector,) = (vector for vector in _VECTORS if vector["kind"] == "fixture")
    assert Sha256(vector["digest"]) == hashlib.sha256(vector["bytes"].encode()).hexdigest()


def test_evidence_names_are_over_the_whole_file() -> None:
    (vector,) = (vector for vector in _VECTORS if vector["kind"] == "evidence")
    data = vector["bytes"].encode()
    assert data.endswith(b"}\n")
    assert Blake3.of(data) == vector["digest"]
    assert f"blake3:{blake3_by_hand.plain(data)}" == vector["digest"]


def test_freeze_ids_are_over_the_line_without_its_newline() -> None:
    (vector,) = (vector for vector in _VECTORS if vector["kind"] == "freeze")
    raw = vector["bytes"].encode()
    (entry,) = parse_ledger(raw + b"\n")
    assert isinstance(entry, LedgerEntry)
    assert isinstance(entry.line, Frozen)
    assert entry.freeze_id == vector["digest"]
    assert f"blake3:{blake3_by_hand.plain(raw)}" == vector["digest"]
    assert Blake3.of(raw + b"\n") != vector["digest"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(b".freeze/record.json", id="record"),
        pytest.param(b".freeze/ledger.jsonl", id="ledger"),
        pytest.param(b".freeze/evidence/" + b"a" * 64 + b".json", id="evidence"),
        pytest.param(b".freeze/snapshots/" + b"a" * 64, id="snapshot"),
    ],
)
def test_what_a_request_brings_is_left_out_of_the_patch_digest(path: bytes) -> None:
    change = Change(b"src/a.py", _OLD, _NEW)
    assert patch_digest([change, Change(path, None, _NEW)]) == patch_digest([change])


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(b".freeze/policy.toml", id="policy"),
        pytest.param(b".freeze/catalog.toml", id="catalogue"),
        pytest.param(b".freeze/fixtures.sha256", id="lock"),
        pytest.param(b".freeze/evidence/deep/x.json", id="below_evidence"),
        pytest.param(b".freeze/snapshots", id="file_named_like_the_folder"),
        pytest.param(b".freeze/record.json.orig", id="longer_than_the_record"),
        pytest.param(b"sub/.freeze/record.json", id="record_of_a_subfolder"),
        pytest.param(b".FREEZE/record.json", id="other_case"),
    ],
)
def test_everything_else_counts(path: bytes) -> None:
    change = Change(b"src/a.py", _OLD, _NEW)
    assert patch_digest([change, Change(path, None, _NEW)]) != patch_digest([change])


def test_neither_paths_nor_modes_nor_contents_can_be_traded() -> None:
    sets: list[list[tuple[bytes, Entry | None]]] = [
        [],
        [(b"a", None)],
        [(b"a", _NEW)],
        [(b"a", _OLD)],
        [(b"a", Entry(0o100755, _NEW.oid))],
        [(b"a", Entry(0o120000, _NEW.oid))],
        [(b"b", _NEW)],
        [(b"ab", _NEW)],
        [(b"a", _NEW), (b"b", _NEW)],
        [(b"a", _NEW), (b"b", None)],
        [(b"", _NEW)],
    ]
    digests = {entries_digest(context, each) for each in sets for context in _CONTEXTS.values()}
    assert len(digests) == 2 * len(sets)


def test_the_hash_by_hand_is_the_published_one() -> None:
    # Official BLAKE3 test vectors: the bytes 0, 1, … 250, 0, 1, … of some lengths.
    context = "BLAKE3 2019-12-27 16:29:52 test vectors context"
    published = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert blake3_by_hand.plain(b"") == published
    for length in (0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3073, 5121):
        data = bytes(number % 251 for number in range(length))
        assert f"blake3:{blake3_by_hand.plain(data)}" == Blake3.of(data)
        path = data.replace(b"\0", b"x")
        packed = struct.pack(">II", 1, length) + path + struct.pack(">I", 0) + bytes(20)
        derived = f"blake3:{blake3_by_hand.derived(context, packed)}"
        assert derived == entries_digest(context, [(path, None)])
