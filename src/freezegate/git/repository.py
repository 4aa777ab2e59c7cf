"""Open the repository that git means, as git means it (docs/design.md, "Opening")."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import RepositoryOpenFlag

from freezegate.errors import Unanswerable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WINDOW_BYTES = 32 * 1024 * 1024
Repository = pygit2.Repository  # for rooms that name the type and never import pygit2


def read_in_small_portions() -> None:
    """Map packs piece by piece and keep no object, since a limit on memory counts both.

    A walk reads each commit once, and the store keeps trees: libgit2's own cache of up to 256 MiB
    only makes a walk a tenth slower.
    """
    pygit2.settings.enable_caching(False)
    pygit2.settings.mwindow_size = _WINDOW_BYTES
    pygit2.settings.mwindow_mapped_limit = 8 * _WINDOW_BYTES


def open_repository(environ: Mapping[str, str]) -> pygit2.Repository:
    """Open the repository of the working directory, or the one that GIT_DIR names.

    GIT_INDEX_FILE, quarantine and alternates count as git sets them for its hooks. Raises
    Unanswerable where there is none, where it is of a kind that cannot be judged, or where its
    history is rewritten by grafts.
    """
    pygit2.settings.set_extensions(["partialclone"])
    repository = _open(environ)
    if _make_index_path_absolute(repository, environ):
        repository = _open(environ)
    _refuse_grafts(repository, environ)
    return repository


def _open(environ: Mapping[str, str]) -> pygit2.Repository:
    # FROM_ENV reads the right index and object folders, but not GIT_DIR (libgit2 reads that for
    # a NULL path only): tests/git/test_repository.py::test_git_dir_is_honoured.
    git_dir = environ.get("GIT_DIR")
    flags = RepositoryOpenFlag.FROM_ENV
    if git_dir:
        flags |= RepositoryOpenFlag.NO_SEARCH
    try:
        return pygit2.Repository(git_dir or ".", flags)
    except pygit2.GitError as error:
        raise _unopened(error, git_dir or os.getcwd()) from None


def _unopened(error: pygit2.GitError, where: str) -> Unanswerable:
    said = str(error)
    if "is not owned by" in said:
        return Unanswerable(
            "repository.unsupported",
            got=f"libgit2 does not trust the owner of this repository: {said}",
            expected="a repository that the user who runs freezegate owns",
            remedy=f"git config --global --add safe.directory '{where}'",
        )
    if "extension" in said or "object format" in said or "version" in said:
        return Unanswerable(
            "repository.unsupported",
            got=said,
            expected="a repository in SHA-1 format with refs as files",
        )
    return Unanswerable(
        "repository.not_found", got=f"{said} (in {where})", expected="a git repository"
    )


def _make_index_path_absolute(repository: pygit2.Repository, environ: Mapping[str, str]) -> bool:
    """Git reads a relative GIT_INDEX_FILE from the work tree's top; libgit2 from where we stand."""
    index = environ.get("GIT_INDEX_FILE")
    if not index or os.path.isabs(index) or not repository.workdir:
        return False
    os.environ["GIT_INDEX_FILE"] = os.path.join(repository.workdir, index)
    return True


def _refuse_grafts(repository: pygit2.Repository, environ: Mapping[str, str]) -> None:
    path = environ.get("GIT_GRAFT_FILE") or os.path.join(common_dir(repository), "info", "grafts")
    if os.path.exists(path) and os.path.getsize(path):
        raise Unanswerable(
            "base.history_unavailable",
            got=f"a graft file that rewrites history: {path}",
            expected="history as the commits tell it",
            remedy=f"rm '{path}'",
        )


def common_dir(repository: pygit2.Repository) -> str:
    """Return the git directory that linked worktrees share."""
    pointer = os.path.join(repository.path, "commondir")
    if not os.path.isfile(pointer):
        return repository.path
    with open(pointer, encoding="utf-8") as file:
        return os.path.normpath(os.path.join(repository.path, file.read().strip()))


@contextmanager
def git_faults_refuse() -> Iterator[None]:
    """Turn what libgit2 raises on damaged repositories into "no answer"."""
    try:
        yield
    except pygit2.GitError as error:
        raise unreadable_commit(error) or Unanswerable(
            "repository.unsupported",
            got=f"libgit2 could not read the repository: {error}",
            expected="a repository that `git fsck` finds whole",
            remedy="git fsck",
        ) from None


def unreadable_commit(error: Exception) -> Unanswerable | None:
    """Return what to say of a commit that git keeps and libgit2 does not parse, None of others."""
    if "failed to parse signature" not in str(error):
        return None
    return Unanswerable(
        "repository.unsupported",
        got=f"a commit without a well-formed author or committer: {error}",
        expected="author and committer as git writes them: NAME <EMAIL> SECONDS ZONE",
        remedy="write the commit anew: git commit --amend --no-edit --reset-author; commits below "
        "it: git rebase -x 'git commit --amend --no-edit --reset-author' BASE",
    )
