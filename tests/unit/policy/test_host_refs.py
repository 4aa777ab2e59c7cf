"""Names that no push may touch, and names that are one for some file system."""

from __future__ import annotations

import pytest

from freezegate.model.digests import ObjectId
from freezegate.model.globs import Glob
from freezegate.model.host import HostSettings, RefUpdate
from freezegate.policy.host_refs import (
    RefFacts,
    blocked_by,
    is_same_for_some,
    name_findings,
    parent_of,
    protected_twin,
    ref_findings,
)

ONE, TWO = ObjectId("1" * 40), ObjectId("2" * 40)
PROTECTED = tuple(map(Glob, ("refs/heads/main", "refs/heads/release/*", "refs/tags/v1.*")))


def _codes(ref: str, new: ObjectId | None = ONE) -> list[str]:
    return [finding.code for finding in name_findings(RefUpdate(ref, None, new))]


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/main",
        "refs/heads/dependabot/npm_and_yarn/a-1.0",
        "refs/heads/fix/(scope)-it's-here",
        "refs/heads/caf\u00e9",
        "refs/heads/a@b",
        "refs/heads/price-$5",
        "refs/tags/v1.0+build",
        "refs/merge-requests/1/head",
        "refs/replaced/x",
    ],
)
def test_names_that_people_use(ref: str) -> None:
    assert _codes(ref) == []


@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("refs/replace/" + "1" * 40, "ref.replace"),
        ("refs/Replace/x", "ref.replace"),
        ("refs/replace", "ref.replace"),
        ("HEAD", "ref.bad_name"),
        ("heads/main", "ref.bad_name"),
        ("refs/heads/\udcff", "ref.bad_name"),
        ("refs/heads/\u202emain", "ref.bad_name"),
        ("refs/heads/a;b", "ref.bad_name"),
        ("refs/heads/$(id)", "ref.bad_name"),
        ("refs/heads/${IFS}", "ref.bad_name"),
        ("refs/heads/`id`", "ref.bad_name"),
        ("refs/heads/a|b", "ref.bad_name"),
        ("refs/heads/a&b", "ref.bad_name"),
    ],
)
def test_names_that_nobody_may_push(ref: str, code: str) -> None:
    assert _codes(ref) == [code]


def test_what_may_be_deleted() -> None:
    assert _codes("refs/heads/a;b", None) == []
    assert _codes("refs/heads/\u202emain", None) == []
    assert _codes("refs/heads/\udcff", None) == ["ref.bad_name"]
    assert _codes("refs/replace/x", None) == ["ref.replace"]


@pytest.mark.parametrize(
    ("ref", "twin"),
    [
        ("refs/heads/maine", None),
        ("refs/heads/Main", "refs/heads/main"),
        ("refs/Heads/main", "refs/heads/main"),
        ("refs/heads/ma\u200din", "refs/heads/main"),
        ("refs/heads/\uff4dain", "refs/heads/main"),
        ("refs/heads/main.", "refs/heads/main"),
        ("refs/heads/RELEASE/1", "refs/heads/release/*"),
        ("refs/heads/relea\u017fe/1", "refs/heads/release/*"),
        ("refs/tags/V1.0", "refs/tags/v1.*"),
        ("refs/tags/v2.0", None),
    ],
)
def test_twins_of_what_is_protected(ref: str, twin: str | None) -> None:
    assert protected_twin(PROTECTED, ref) == twin


@pytest.mark.parametrize(
    ("ref", "blocked"),
    [
        ("refs/heads/release", "refs/heads/release/*"),
        ("refs/heads/rele", None),
        ("refs/heads/main/x/y", "refs/heads/main"),
        ("refs/heads/maine/x", None),
        ("refs/tags", "refs/tags/v1.*"),
    ],
)
def test_names_beside_which_no_protected_one_can_stand(ref: str, blocked: str | None) -> None:
    assert blocked_by(PROTECTED, ref) == blocked


def test_two_names_that_are_one_for_some() -> None:
    assert is_same_for_some("refs/heads/release/A", "refs/heads/release/a")
    assert not is_same_for_some("refs/heads/release/a", "refs/heads/release/a")
    assert not is_same_for_some("refs/heads/release/a", "refs/heads/release/b")


@pytest.mark.parametrize(
    ("told", "held", "alias", "codes"),
    [
        pytest.param(ONE, ONE, None, [], id="as_told"),
        pytest.param(None, None, None, [], id="new"),
        pytest.param(ONE, TWO, None, ["ref.stale"], id="moved"),
        pytest.param(None, ONE, None, ["ref.stale"], id="made_meanwhile"),
        pytest.param(ONE, None, None, ["ref.stale"], id="deleted_meanwhile"),
        pytest.param(ONE, None, "refs/heads/main", ["ref.alias"], id="an_alias"),
    ],
)
def test_what_stands_under_the_name(
    told: ObjectId | None, held: ObjectId | None, alias: str | None, codes: list[str]
) -> None:
    update = RefUpdate("refs/heads/x", told, ONE)
    for twin, more in ((None, []), ("refs/heads/X", ["ref.twin"])):
        found = [finding.code for finding in ref_findings(RefFacts(update, held, alias, twin))]
        assert found == codes + more


def test_the_first_parent_that_matches() -> None:
    parents = (
        (Glob("refs/heads/release/1.*"), "refs/heads/one"),
        (Glob("refs/heads/release/*"), "refs/heads/main"),
    )
    settings = HostSettings(protected=PROTECTED, parents=parents)
    assert parent_of(settings, "refs/heads/release/1.2") == "refs/heads/one"
    assert parent_of(settings, "refs/heads/release/2.0") == "refs/heads/main"
    assert parent_of(settings, "refs/heads/other") is None
