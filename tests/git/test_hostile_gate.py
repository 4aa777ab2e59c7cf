"""Mutated documents, at N and at T, through the whole gate: always an answer, never a traceback."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pygit2
import pytest

from tests.support import Answer, Story

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = (
    ".freeze/policy.toml",
    ".freeze/catalog.toml",
    ".freeze/fixtures.sha256",
    ".freeze/record.json",
    ".freeze/ledger.jsonl",
    ".gitattributes",
)
MUTANTS = 60
TOKENS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"{", b"[", b"]", b'"', b"\\", b"\n", b"\r\n", b"-1", b"1e999",
    b"null", b"true", b"[[", b"a.b.c = 1\n", b"\xe2\x80\xae", b"'''", b"<<<<<<< HEAD\n", b"**/*",
    b"\\ud800", b"NaN", b"../", b".git/", b"[z-a]", b"0" * 400, b"{" * 200, b"[" * 3000,
)  # fmt: skip


def mutants(data: bytes, seed: int) -> Iterator[bytes]:
    """Yield damaged forms of a document, the same at every run."""
    dice = random.Random(seed)  # noqa: S311 - damage, not a secret
    for _ in range(MUTANTS):
        mutant = bytearray(data)
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(mutant) + 1)
            match dice.randrange(5):
                case 0:
                    mutant[place:place] = dice.choice(TOKENS)
                case 1:
                    del mutant[place : place + dice.randint(1, 40)]
                case 2:
                    mutant[place : place + 1] = bytes([dice.randrange(256)])
                case 3:
                    end = place + dice.randint(1, 200)
                    mutant[place:place] = mutant[place:end]
                case _:
                    mutant[place : place + dice.randint(1, 9)] = dice.choice(TOKENS)
        yield bytes(mutant)


def commit_with(repository: pygit2.Repository, parent: str, path: str, data: bytes) -> str:
    """Commit one changed file on top of a commit, without touching the work tree."""
    index = pygit2.Index()
    index.read_tree(repository[parent].peel(pygit2.Tree))
    index.add(pygit2.IndexEntry(path, repository.create_blob(data), pygit2.enums.FileMode.BLOB))
    author = pygit2.Signature("Ada", "ada@example.org", 1_767_225_600, 0)
    tree = index.write_tree(repository)
    return str(repository.create_commit(None, author, author, "mutant", tree, [parent]))


def assert_explained(answer: Answer) -> None:
    """An answer with a known exit status in which each finding says what to do."""
    assert answer.status == {"accepted": 0, "refused": 1, "undecided": 2}[answer.verdict]
    for finding in answer.findings:
        assert finding["got"]
        assert finding["expected"]
        assert finding["remedy"]
        assert finding["code"] != "internal.fault"


@pytest.mark.parametrize("path", FILES)
def test_damage_at_the_candidate_is_told_and_never_thrown(shop: Story, path: str) -> None:
    shop.write(".gitattributes", "*.png binary\n").patch().freeze()
    repository = pygit2.Repository(str(shop.root))
    refused = 0
    for data in mutants(shop.read(path), seed=len(path)):
        answer = shop.check("--rev", commit_with(repository, shop.rev("topic"), path, data))
        assert_explained(answer)
        refused += answer.verdict != "accepted"
    assert refused > MUTANTS // 4


@pytest.mark.parametrize("path", FILES)
def test_damage_at_the_base_is_told_and_never_thrown(shop: Story, path: str) -> None:
    shop.write(".gitattributes", "*.png binary\n").patch().freeze()
    repository = pygit2.Repository(str(shop.root))
    original = shop.read(path)
    later = shop.patch("# later\n").rev("HEAD")
    for data in mutants(original, seed=1 + len(path)):
        base = commit_with(repository, later, path, data)
        work = commit_with(repository, base, "src/shop/order.py", b"x = 1\n")
        assert_explained(shop.check("--rev", work, "--base", base))
        repair = commit_with(repository, base, path, original)
        answer = shop.check("--rev", repair, "--base", base)
        assert_explained(answer)
