"""Which paths judge, and what globs and attributes reach."""

from __future__ import annotations

import pytest

from freezegate.model.globs import Glob
from freezegate.policy.attributes import effective, rewriting
from freezegate.policy.globs import matches, ref_matches
from freezegate.policy.guards import is_hook_file, is_request_file, may_be_ci_file

F = ".freeze/"


@pytest.mark.parametrize(
    ("path", "hook"),
    [
        (b".pre-commit-config.yaml", True),
        (b"sub/.pre-commit-config.yaml", False),
        (b"prek.toml", True),
        (b"lefthook.yml", True),
        (b"lefthook.yaml", True),
        (b".lefthook.yml", True),
        (b"lefthook-local.yml", True),
        (b".lefthook/pre-push/x.sh", True),
        (b".husky/pre-commit", True),
        (b".husky/a\nb", True),
        (b".githooks/pre-push", True),
        (b"githooks/pre-push", False),
        (b"src/prek.toml", False),
    ],
)
def test_hook_configuration(path: bytes, hook: bool) -> None:
    assert is_hook_file(path) is hook


@pytest.mark.parametrize(
    ("path", "ci"),
    [
        (b".github/workflows/gate.yml", True),
        (b".github/workflows/a\nb.yml", True),
        (b".github/dependabot.yml", False),
        (b".gitlab-ci.yml", True),
        (b".gitlab/ci/gate.yml", True),
        (b".forgejo/workflows/x.yaml", True),
        (b"Jenkinsfile", True),
        (b"docs/.gitlab-ci.yml", False),
    ],
)
def test_ci_files(path: bytes, ci: bool) -> None:
    assert may_be_ci_file(path) is ci


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        (b".freeze/record.json", True),
        (b".freeze/ledger.jsonl", True),
        (b".freeze/evidence/x.json", True),
        (b".freeze/snapshots/x", True),
        (b".freeze/snapshots/x/y", False),
        (b".freeze/policy.toml", False),
        (b".freeze/catalog.toml", False),
        (b".freeze/fixtures.sha256", False),
        (b"x/.freeze/record.json", False),
    ],
)
def test_the_patch_digest_leaves_out_the_request_alone(path: bytes, left_out: bool) -> None:
    assert is_request_file(path) is left_out


@pytest.mark.parametrize(
    ("glob", "path", "reached"),
    [
        ("src/**", b"src/a/b.py", True),
        ("src/**", b"src/a\nb.py", True),
        ("src/**", b"src/\xff.py", True),
        ("src/**", b"Src/a.py", False),
        ("tests/properties/**/*.py", b"tests/properties/a.py", True),
        ("tests/properties/**/*.py", b"tests/properties/b/a.py", True),
        ("*.json", b"deep/down/x.json", True),
        ("/only.json", b"deep/only.json", False),
        ("data[0-9].json", b"data7.json", True),
    ],
)
def test_globs(glob: str, path: bytes, reached: bool) -> None:
    assert matches((Glob(glob),), path) is reached


def test_no_globs_match_nothing_and_a_last_exclusion_wins() -> None:
    assert not matches((), b"a")
    assert not matches((Glob("a/**"), Glob("!a/b")), b"a/b")


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("", "1 to 256"),
        ("a" * 257, "1 to 256"),
        ("#comment", "names something"),
        ("!", "names something"),
        ("/", "names something"),
        (" a", "spaces"),
        ("a/../b", "parts"),
        ("a\\b", "backslashes"),
        ("**/a/**/a/**/a", "wildcards"),
        ("*a*a*b", "wildcards"),
        ("[z-a]", "classes"),
        ("[[:alpha:]]", "classes"),
        ("a]", "classes"),
    ],
)
def test_what_is_no_glob(glob: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        Glob(glob)


@pytest.mark.parametrize(
    ("targets", "ref", "listed"),
    [
        (("refs/heads/main",), "refs/heads/main", True),
        (("refs/heads/main",), "refs/heads/main2", False),
        (("refs/heads/release/*",), "refs/heads/release/1", True),
        (("refs/heads/release/*",), "refs/heads/release", False),
        (("refs/heads/*",), "refs/heads/Main", True),
    ],
)
def test_targets(targets: tuple[str, ...], ref: str, listed: bool) -> None:
    assert ref_matches(tuple(map(Glob, targets)), ref) is listed


PATH = b"tests/fixtures/order.json"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param([], {}, id="none"),
        pytest.param([(b"", b"*.json text")], {"text": "set"}, id="set"),
        pytest.param([(b"", b"*.json -text")], {"text": "unset"}, id="unset"),
        pytest.param([(b"", b"*.json eol=crlf")], {"eol": "crlf"}, id="value"),
        pytest.param([(b"", b"*.json text\n*.json !text")], {}, id="taken_back"),
        pytest.param(
            [(b"", b"*.json text"), (b"tests", b"*.json -text")], {"text": "unset"}, id="nearer"
        ),
        pytest.param([(b"other", b"* text")], {}, id="another_folder"),
        pytest.param([(b"", b"*.py text")], {}, id="another_file"),
        pytest.param([(b"", b"# *.json text")], {}, id="comment"),
        pytest.param([(b"", b"!*.json text")], {}, id="negation_is_none"),
        pytest.param([(b"", b"tests/ text")], {}, id="folders_are_none"),
        pytest.param([(b"", b"[z-a] filter=x")], {"filter": "x"}, id="unclear_counts"),
        pytest.param([(b"", b'"*.json" ident')], {"ident": "set"}, id="quoted"),
        pytest.param([(b"", b"[attr]evil filter=x")], {"[attr]evil": "filter=x"}, id="macro"),
    ],
)
def test_attributes(files: list[tuple[bytes, bytes]], found: dict[str, str]) -> None:
    assert effective(files, PATH) == found


def test_attributes_that_rewrite_bytes() -> None:
    assert rewriting({"text": "unset", "merge": "union"}) == ()
    assert rewriting({"eol": "crlf", "ident": "set"}) == ("eol=crlf", "ident=set")
