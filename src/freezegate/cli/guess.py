"""What a repository's own paths say about where its subject, oracles and fixtures lie."""

from __future__ import annotations

import re
from typing import NamedTuple

_TEST_FOLDERS = re.compile(r"tests?|testing|spec|specs")
_TEST_FILE = re.compile(r"(?:test_.*|.*_test)\.py")
_ORACLE_FOLDERS = re.compile(r"propert(?:y|ies)|props?|hypothesis|invariants?|oracles?")
_ORACLE_FILE = re.compile(r"(?:test_)?.*(?:propert(?:y|ies)|props?|invariants?|hypothesis).*\.py")
_FIXTURE_FOLDERS = re.compile(
    r"fixtures?|data|testdata|test_data|golden|goldens|samples?|resources|cassettes|corpus"
)
MAX_GUESSES = 8  # a longer list is no guess that anybody checks


class Guess(NamedTuple):
    """Globs for the policy; each is empty where nothing looks like it."""

    subject: tuple[str, ...]
    oracle: tuple[str, ...]
    fixtures: tuple[str, ...]
    tests: tuple[str, ...]


def guess_paths(paths: tuple[str, ...]) -> Guess:
    """Return globs that each match some of the paths, `/` between their parts."""
    paths = tuple(path for path in paths if _is_plain(path))
    tests = _test_roots(paths)
    subject = _subject(paths, tests)
    inside = [root for root in tests if any(_holds(glob, root) for glob in subject)]
    return Guess(
        subject=(*subject, *(f"!{root}/**" for root in inside)),
        oracle=_oracles(paths, tests),
        fixtures=_folders(paths, tests, _FIXTURE_FOLDERS, "**"),
        tests=tuple(f"{root}/**" for root in tests),
    )


def _is_plain(path: str) -> bool:
    """Whether a glob and a TOML text can hold the path as it stands."""
    return re.fullmatch(r"[\w./@+=, -]+", path) is not None


def _test_roots(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The topmost folders that are called like tests and hold some, or hold test files."""
    roots: dict[str, None] = {}
    for path in paths:
        *folders, name = path.split("/")
        named = [i for i, folder in enumerate(folders) if _TEST_FOLDERS.fullmatch(folder.lower())]
        if named and path.endswith(".py"):
            roots["/".join(folders[: named[0] + 1])] = None
        elif folders and _TEST_FILE.fullmatch(name):
            roots["/".join(folders)] = None
    return tuple(r for r in sorted(roots) if not any(r.startswith(o + "/") for o in roots))


def _subject(paths: tuple[str, ...], tests: tuple[str, ...]) -> tuple[str, ...]:
    code = [p for p in paths if p.endswith(".py") and not _under(p, tests)]
    if any(path.startswith("src/") for path in code):
        return ("src/**",)
    packages = {path.split("/")[0] for path in code if path.endswith("/__init__.py")}
    if packages:
        return tuple(f"{package}/**" for package in sorted(packages))[:MAX_GUESSES]
    own = [p for p in code if "/" not in p and p not in ("setup.py", "conftest.py", "noxfile.py")]
    return ("/*.py",) if own else ()


def _holds(glob: str, root: str) -> bool:
    """Whether a guessed glob takes in a folder of tests, whose helpers are no subject."""
    folder = glob.removesuffix("/**")
    return folder != glob and f"{root}/".startswith(f"{folder}/")


def _oracles(paths: tuple[str, ...], tests: tuple[str, ...]) -> tuple[str, ...]:
    folders = _folders(paths, tests, _ORACLE_FOLDERS, "**/*.py", suffix=".py")
    files = sorted(
        path
        for path in paths
        if _under(path, tests)
        and _ORACLE_FILE.fullmatch(path.split("/")[-1])
        and not any(path.startswith(folder.removesuffix("**/*.py")) for folder in folders)
    )
    return (*folders, *files)[:MAX_GUESSES]


def _folders(
    paths: tuple[str, ...],
    tests: tuple[str, ...],
    called: re.Pattern[str],
    glob: str,
    suffix: str = "",
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for path in paths:
        if not _under(path, tests) or not path.endswith(suffix):
            continue
        folders = path.split("/")[:-1]
        for end, folder in enumerate(folders, 1):
            if called.fullmatch(folder.lower()):
                found["/".join(folders[:end])] = None
                break
    return tuple(f"{folder}/{glob}" for folder in sorted(found))[:MAX_GUESSES]


def _under(path: str, roots: tuple[str, ...]) -> bool:
    return any(path.startswith(root + "/") for root in roots)
