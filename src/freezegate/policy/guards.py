"""Which paths judge patches, and which files freezegate itself keeps (SPEC sections 2 and 3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from freezegate.policy.settings import Policy

FOLDER = b".freeze"
POLICY_PATH = b".freeze/policy.toml"
CATALOG_PATH = b".freeze/catalog.toml"
LOCK_PATH = b".freeze/fixtures.sha256"
RECORD_PATH = b".freeze/record.json"
LEDGER_PATH = b".freeze/ledger.jsonl"
SNAPSHOT = re.compile(rb"\.freeze/snapshots/([0-9a-f]{64})")
EVIDENCE = re.compile(rb"\.freeze/evidence/([0-9a-f]{64})\.json")

JUDGE_FILES = (POLICY_PATH, CATALOG_PATH, LOCK_PATH)
KEPT_FILES = frozenset({*JUDGE_FILES, RECORD_PATH, LEDGER_PATH})

# Hook configuration and CI files as the tools look for them, from the repository's top.
_HOOK_FILES = re.compile(
    rb"\.pre-commit-config\.ya?ml|prek\.toml|\.?lefthook(-local)?\.(ya?ml|toml|jsonc?)"
    rb"|\.config/lefthook(-local)?\.(ya?ml|toml|jsonc?)|\.lefthook(-local)?/.*"
    rb"|\.husky(/.*)?|\.githooks(/.*)?",
    re.DOTALL,
)
_CI_FILES = re.compile(
    rb"\.(github|forgejo|gitea)/(workflows|actions)/.*|\.gitlab-ci\.ya?ml|\.gitlab/.*\.ya?ml"
    rb"|\.circleci/.*|\.buildkite/.*|\.woodpecker(/.*|\.ya?ml)|\.drone\.ya?ml|\.travis\.ya?ml"
    rb"|azure-pipelines.*\.ya?ml|\.azure-pipelines/.*|bitbucket-pipelines\.ya?ml|jenkinsfile"
    rb"|\.ci/.*|appveyor\.ya?ml|\.appveyor\.ya?ml|\.cirrus\.ya?ml",
    re.DOTALL,
)
# What pytest, CI, make and their like read, and what says who judges; in lower case.
_MUTING_FILES = re.compile(
    rb"\.(py|pyw|pth|toml|ini|cfg|ya?ml|sh|bash|mk|txt|coveragerc)\Z"
    rb"|(\A|/)(gnu)?makefile\Z|(\A|/)(\.?justfile|jenkinsfile|codeowners|taskfile)\Z"
    rb"|(\A|/)\.git(attributes|ignore)\Z|\A\.(husky|githooks|ci)/"
)


def is_hook_file(path: bytes) -> bool:
    """Say whether a path configures what runs freezegate locally."""
    return _HOOK_FILES.fullmatch(path) is not None


def may_be_ci_file(path: bytes) -> bool:
    """Say whether a CI service reads this path; it is a judge where it calls freezegate."""
    return _CI_FILES.fullmatch(path.lower()) is not None


def may_mute(path: bytes) -> bool:
    """Say whether an edit of this path may silence a test: Python, configuration, CI, guards."""
    return _MUTING_FILES.search(path.lower()) is not None


def is_judge(path: bytes, ci_judges: frozenset[bytes]) -> bool:
    """Say whether a path judges patches; `ci_judges` are the CI files that call freezegate."""
    return path in JUDGE_FILES or is_hook_file(path) or path in ci_judges


def is_kept_file(path: bytes) -> bool:
    """Say whether freezegate keeps a file of its own under this path (SPEC section 3)."""
    return path in KEPT_FILES or bool(SNAPSHOT.fullmatch(path) or EVIDENCE.fullmatch(path))


def is_request_file(path: bytes) -> bool:
    """Say whether a path belongs to a freeze request, and so to no patch digest (SPEC 2)."""
    return (
        path in (RECORD_PATH, LEDGER_PATH)
        or (path.startswith(b".freeze/evidence/") and path.count(b"/") == 2)
        or (path.startswith(b".freeze/snapshots/") and path.count(b"/") == 2)
    )


def is_guarded(path: bytes, policy: Policy, ci_judges: frozenset[bytes]) -> bool:
    """Say whether a path is a judge, an oracle, a domain entry or a fixture."""
    globs = (policy.oracle_paths, policy.domain_paths, policy.fixture_paths)
    return is_judge(path, ci_judges) or any(matches(patterns, path) for patterns in globs)
