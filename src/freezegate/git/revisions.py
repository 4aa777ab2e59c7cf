"""Which commit a revision that somebody typed names, and what was perhaps meant instead."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pygit2

from freezegate.errors import Unanswerable
from freezegate.git.repository import unreadable_commit
from freezegate.model.digests import ObjectId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.git.store import ObjectStore

_MAX_SEARCHED = 5_000  # refs, for a name that was mistyped; a second's work
_NO_COMMIT = "0" * 40


def resolve_commit(
    repository: pygit2.Repository, store: ObjectStore, revision: str, *, source: str = ""
) -> ObjectId:
    """Return the commit that a revision names; raises Unanswerable where it names none.

    `source` is where the name was given, as a user would write it.
    """
    if not revision.strip() or revision == _NO_COMMIT:
        raise Unanswerable(
            "repository.bad_revision",
            got=f"{revision!a}, which CI passes for a new branch or leaves unset",
            expected="the name of a commit",
            remedy="name what the branch goes to: --base origin/main (fetched with full depth)",
        )
    try:
        found = repository.revparse_single(revision)
    except (KeyError, ValueError, pygit2.GitError) as error:
        told = f"no such revision{f' ({source})' if source else ''}"
        unread = unreadable_commit(error)
        raise unread or _bad_revision(revision, told, _near(repository, revision)) from None
    rev = store.peel(ObjectId(str(found.id)))
    if rev is None:
        raise _bad_revision(revision, f"a {pygit2.enums.ObjectType(found.type).name.lower()}")
    return rev


def _near(repository: pygit2.Repository, revision: str) -> list[str]:
    """Return branches and tags whose short names look like a revision."""
    from difflib import get_close_matches

    refs = (raw.decode("utf-8", "replace") for raw in repository.raw_listall_references())
    short = {ref.removeprefix("refs/").partition("/")[2] for ref in islice(refs, _MAX_SEARCHED)}
    return get_close_matches(revision.removeprefix("refs/heads/"), sorted(short), n=1)


def _bad_revision(revision: str, got: str, near: Sequence[str] = ()) -> Unanswerable:
    return Unanswerable(
        "repository.bad_revision",
        got=f"{revision!a}: {got}",
        expected="the name of a commit: a branch, a tag or an id",
        remedy=f"did you mean {near[0]}?"
        if near
        else "git fetch, then name a commit that `git rev-parse --verify REV^{commit}` knows",
    )
