"""Real pushes to a real host: what moves protected refs is judged, once for the whole push."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.git.hosting import MAIN, PARENTS, SETTINGS, Host, host, remote_lines
from tests.git.local import launder
from tests.support import ORACLE, ZERO, Story, plain_repository


@pytest.fixture
def hosted(shop: Story) -> Host:
    """The shop's topic branch, and its remote as a host."""
    return host(shop)


def test_an_honest_freeze_lands(hosted: Host) -> None:
    hosted.story.patch().freeze()
    said = hosted.accepts("HEAD:refs/heads/main")
    assert "remote: freezegate: accepted refs/heads/main" in said
    assert "requested: the freeze blake3:" in said
    assert hosted.refs()[MAIN] == hosted.story.rev("HEAD")


def test_a_laundered_oracle_does_not_land(hosted: Host) -> None:
    launder(hosted.story)
    said = hosted.refuses("HEAD:refs/heads/main", code="error oracle.changed")
    assert "freezegate: refused refs/heads/main" in said
    assert "freezegate: refused, so no ref of this push moves" in said


def test_unprotected_refs_are_reported_on_only(hosted: Host) -> None:
    launder(hosted.story)
    said = hosted.accepts("HEAD:topic", "HEAD:refs/heads/other")
    assert "2 of the refs pushed are not protected here and were not judged" in said
    hosted.story.git("commit", "-q", "--amend", "-m", "another")
    hosted.accepts("+HEAD:topic")
    hosted.accepts(":topic")
    assert hosted.entries() == []


def test_one_bad_ref_stops_all_in_every_order(hosted: Host) -> None:
    story = hosted.story
    launder(story.branch("bad", "main"))
    story.branch("good", "main").patch().freeze()
    for order in permutations(("bad:refs/heads/main", "good:one", "good:two")):
        for atomic in ((), ("--atomic",)):
            hosted.refuses(*atomic, *order, code="oracle.changed")


def test_a_deletion_and_a_rewind(hosted: Host) -> None:
    hosted.story.patch()
    hosted.accepts("HEAD:refs/heads/main")
    hosted.git("config", "receive.denyDeleteCurrent", "ignore")
    hosted.refuses(":main", code="ref.deleted")
    hosted.refuses("+HEAD~1:refs/heads/main", code="ref.rewound")
    hosted.story.git("checkout", "-q", "--orphan", "fresh")
    hosted.story.commit("anew")
    hosted.refuses("+fresh:main", code="ref.rewound")


@pytest.mark.parametrize("ref", ["refs/heads/Main", "refs/Heads/main", "refs/heads/RELEASE/1"])
def test_a_twin_of_a_protected_name(hosted: Host, ref: str) -> None:
    hosted.refuses(f"HEAD:{ref}", code="ref.twin")


@pytest.mark.parametrize(
    "ref", ["refs/heads/release", "refs/heads/Release", "refs/heads/main/x", "refs/heads/MAIN/x"]
)
def test_a_ref_in_the_way_of_protected_ones(hosted: Host, ref: str) -> None:
    """git holds no `release` beside `release/1`: who pushed it would keep all of them out."""
    hosted.refuses(f"HEAD:{ref}", code="ref.in_the_way")
    hosted.accepts("HEAD:refs/heads/releases", "HEAD:refs/heads/mainly/x")
    hosted.git("update-ref", "refs/heads/release", MAIN)
    hosted.accepts("HEAD:refs/heads/release")
    hosted.accepts(":refs/heads/release")


def test_a_twin_of_a_protected_ref_that_stands(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    hosted.accepts("main:refs/heads/release/caf\u00e9")
    hosted.refuses("main:refs/heads/release/cafe\u0301", code="ref.twin")
    hosted.refuses("main:refs/heads/release/CAF\u00c9", code="ref.twin")
    hosted.accepts("main:refs/heads/release/other")


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("Q", "q"), "ref.twin"),
        (("caf\u00e9", "cafe\u0301"), "ref.twin"),
        (("z", "Z/y"), "ref.in_the_way"),
        (("Z/y", "z"), "ref.in_the_way"),
        (("a/b/c", "A/B"), "ref.in_the_way"),
    ],
)
def test_twins_that_one_push_brings(hosted: Host, names: tuple[str, ...], code: str) -> None:
    hosted.set(SETTINGS + PARENTS)
    pairs = [f"main:refs/heads/release/{name}" for name in names]
    hosted.refuses(*pairs, code=code)
    hosted.accepts(pairs[0], "main:refs/heads/release/other")
    hosted.refuses(pairs[1], code=code)


def test_an_alias_of_a_protected_ref(hosted: Host) -> None:
    hosted.git("symbolic-ref", "refs/heads/alias", MAIN)
    hosted.story.patch()
    hosted.refuses("HEAD:alias", code="ref.alias")
    hosted.refuses(":alias", code="ref.alias")


@pytest.mark.parametrize(
    ("links", "pushed"),
    [
        pytest.param([(MAIN, "refs/heads/trunk")], "trunk", id="one_link"),
        pytest.param(
            [(MAIN, "refs/heads/trunk"), ("refs/heads/trunk", "refs/heads/real")],
            "real",
            id="an_alias_of_an_alias",
        ),
        pytest.param(
            [("refs/heads/release/1", "refs/heads/one")], "one", id="a_name_that_a_glob_protects"
        ),
        pytest.param(
            [("refs/tags/v1", "refs/tags/latest"), ("refs/tags/latest", "refs/heads/one")],
            "one",
            id="from_tag_to_branch",
        ),
    ],
)
def test_what_a_protected_alias_leads_to_is_protected(
    hosted: Host, links: list[tuple[str, str]], pushed: str
) -> None:
    hosted.git("update-ref", f"refs/heads/{pushed}", MAIN)
    for name, target in links:
        hosted.git("symbolic-ref", name, target)
    launder(hosted.story)
    hosted.refuses(f"HEAD:{pushed}", code="oracle.changed")
    hosted.refuses(f":{pushed}", code="ref.deleted")
    for twin in (pushed.upper(), f"{pushed}\u200d"):
        hosted.refuses(f"HEAD:refs/heads/{twin}", code="ref.")
    hosted.accepts("HEAD:refs/heads/other")


def test_what_lands_behind_an_alias_is_logged(hosted: Host) -> None:
    hosted.git("update-ref", "refs/heads/trunk", MAIN)
    hosted.git("symbolic-ref", MAIN, "refs/heads/trunk")
    hosted.story.patch().freeze()
    hosted.accepts("HEAD:trunk", "HEAD:topic")
    decided, landed = hosted.entries()
    assert (landed["event"], landed["ref"]) == ("landed", "refs/heads/trunk")
    assert (landed["push"], landed["freezes"]) == (decided["push"], decided["freezes"])


def test_aliases_that_lead_in_a_circle_or_nowhere(hosted: Host) -> None:
    for name, target in (("1", "2"), ("2", "1"), ("3", "4")):
        hosted.git("symbolic-ref", f"refs/heads/release/{name}", f"refs/heads/release/{target}")
    hosted.refuses("HEAD:refs/heads/release/4", code="ref.no_parent")
    hosted.accepts("HEAD:topic")


def test_replacement_refs(hosted: Host) -> None:
    hosted.story.patch()
    name = f"refs/replace/{hosted.story.rev('main')}"
    hosted.refuses(f"HEAD:{name}", code="ref.replace")
    hosted.refuses(f"HEAD:{name}", "HEAD:topic", code="ref.replace")


@pytest.mark.parametrize(
    "name",
    ["refs/heads/\u202eevil", "refs/heads/a\u3164", "refs/heads/a;$(id)`x`", "refs/heads/a|b"],
)
def test_names_that_steer(hosted: Host, name: str) -> None:
    hosted.refuses(f"HEAD:{name}", code="ref.bad_name")


def test_a_steering_name_that_stands_may_go(hosted: Host) -> None:
    hosted.git("update-ref", "refs/heads/a;b", MAIN)
    hosted.accepts(":refs/heads/a;b")


def test_an_old_value_that_is_not_the_refs_value(hosted: Host) -> None:
    old, story = hosted.refs()[MAIN], hosted.story
    story.patch()
    new = story.rev("HEAD")
    story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    for told, ref in (
        (new, MAIN),
        (ZERO, MAIN),
        (old, "refs/heads/none"),
        (ZERO, "refs/heads/objects"),
    ):
        done = hosted.hook((told, new, ref))
        assert done.returncode == 1
        assert "ref.stale" in done.stderr
    assert hosted.hook((old, new, MAIN)).returncode == 0


def test_a_new_protected_ref_from_its_parent(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    story = hosted.story
    hosted.accepts("main:refs/heads/release/1")
    story.patch()
    hosted.accepts("HEAD:refs/heads/main")
    story.write("src/shop/more.py", "x = 1\n").commit("more")
    hosted.accepts("HEAD:refs/heads/release/2")  # the parent's tip and a judged step
    launder(story.branch("bad", "main").patch("# another way\n"))
    hosted.refuses("bad:refs/heads/release/3", code="ref.off_parent")
    launder(story.branch("worse", "topic~1"))
    hosted.refuses("HEAD:refs/heads/release/3", code="oracle.changed")


def test_a_landed_tip_of_the_parent_and_one_that_never_was(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    story = hosted.story
    story.patch("# one\n")
    hosted.accepts("HEAD:refs/heads/main")
    story.patch("# two\n").patch("# three\n")
    hosted.accepts("HEAD:refs/heads/main")
    hosted.accepts("HEAD~2:refs/heads/release/1")
    hosted.refuses("HEAD~1:refs/heads/release/2", code="ref.off_parent")
    hosted.refuses("HEAD~3:refs/heads/release/3", code="ref.off_parent")


def test_a_log_that_does_not_decode_lets_nothing_in(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    first = hosted.story.rev("main")
    hosted.story.patch()
    hosted.accepts("HEAD:refs/heads/main")
    with hosted.log.open("a") as log:
        log.write(f'{{"event":"landed","ref":"{MAIN}","new":"{first}"}}\n{first}')
    hosted.refuses(f"{first}:refs/heads/release/1", code="ref.off_parent")
    hosted.story.patch()
    hosted.accepts(
        "HEAD:refs/heads/main"
    )  # the torn line is left alone, the next one stands by itself
    assert hosted.log.read_text().count("\n") == 7


def test_without_a_parent_no_protected_ref_is_made_beside_another(hosted: Host) -> None:
    hosted.refuses("main:refs/heads/release/1", code="ref.no_parent")
    hosted.story.git("tag", "-a", "-m", "one", "v1", "main")
    hosted.refuses("v1", code="ref.no_parent")


def test_tags(hosted: Host) -> None:
    hosted.set(SETTINGS + PARENTS)
    story = hosted.story
    story.git("tag", "-a", "-m", "one", "v1", "main")
    story.git("tag", "-a", "-m", "of it", "v1-again", "v1")
    hosted.accepts("v1", "v1-again")
    launder(story)
    story.git("tag", "-a", "-m", "bad", "v2", "HEAD")
    story.git("tag", "light", "HEAD")
    hosted.refuses("v2", code="oracle.changed")
    hosted.refuses("+v2:refs/tags/v1", code="oracle.changed")
    hosted.accepts("light")  # `light` is not protected
    story.git("tag", "v3", story.blob("to read\n"))
    hosted.refuses("v3", code="ref.not_a_commit")


def empty_host(folder: Path, settings: str = SETTINGS) -> Host:
    """A host without any ref, and a clone with a first commit."""
    story = plain_repository(folder / "shop")
    story.git("init", "-q", "--bare", "-b", "main", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    return host(story, settings)


def test_the_first_push_to_an_empty_repository(tmp_path: Path) -> None:
    hosted = empty_host(tmp_path)
    hosted.story.write("tests/test_a.py", "exec('x = 1')\n\n\ndef test_a():\n    pass\n").commit()
    said = hosted.accepts("HEAD:refs/heads/main")
    assert "note base.bootstrap" in said
    hosted.refuses("HEAD:refs/heads/release/1", code="ref.no_parent")


def test_a_first_push_of_all_branches_at_once(tmp_path: Path) -> None:
    hosted = empty_host(tmp_path, SETTINGS + PARENTS)
    hosted.story.write("README.md", "x\n").commit()
    hosted.story.branch("release/1").write("README.md", "y\n").commit()
    assert hosted.accepts("--all").count("base.bootstrap") == 2


def test_no_freeze_may_be_in_the_first_push(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    hosted = empty_host(tmp_path / "fresh")
    hosted.story.git("fetch", "-q", str(shop.root), "topic:topic")
    hosted.refuses("topic:refs/heads/main", code="judge.no_policy")
    hosted.accepts("topic~2:refs/heads/main")


def test_policy_is_the_bases_and_limits_are_the_hosts(hosted: Host) -> None:
    story = hosted.story
    policy = story.read(".freeze/policy.toml") + b"\n[limits]\nmax_changed_entries = 1\n"
    story.write(".freeze/policy.toml", policy).commit("a limit of ours")
    hosted.accepts("HEAD:refs/heads/main")
    for number in range(4):
        story.write(f"src/shop/more{number}.py", "x = 1\n")
    story.commit("four files")
    hosted.accepts("HEAD:refs/heads/main")
    hosted.set(f"{SETTINGS}[limits]\nmax_changed_entries = 3\n")
    for number in range(4):
        story.write(f"src/shop/more{number}.py", "x = 2\n")
    story.commit("four files")
    hosted.refuses("HEAD:refs/heads/main", code="limits.too_many_changes")


def test_too_many_refs(hosted: Host) -> None:
    hosted.set(f"{SETTINGS}[limits]\nmax_refs = 3\n")
    hosted.accepts(*(f"HEAD:refs/heads/b{n}" for n in range(3)))
    hosted.refuses(*(f"HEAD:refs/heads/c{n}" for n in range(4)), code="limits.too_many_refs")


def test_quarantined_objects_are_seen_packed_and_loose(hosted: Host) -> None:
    launder(hosted.story)
    for limit in ("1", "1000"):
        hosted.git("config", "receive.unpackLimit", limit)
        hosted.refuses("HEAD:refs/heads/main", code="oracle.changed")


def test_a_namespace_is_unsupported(hosted: Host) -> None:
    update = hosted.refs()[MAIN], hosted.refs()[MAIN], MAIN
    done = hosted.hook(update, environ={"GIT_NAMESPACE": "fork"})
    assert done.returncode == 2
    assert "repository.unsupported" in done.stderr


def test_json_is_one_object(hosted: Host) -> None:
    import json

    hosted.story.patch()
    hosted.story.git("push", "-q", "origin", "HEAD:refs/heads/objects")
    new = hosted.story.rev("HEAD")
    for old, verdict in ((hosted.refs()[MAIN], "accepted"), (ZERO, "refused")):
        done = hosted.hook((old, new, MAIN), options=("--format", "json"))
        assert json.loads(done.stdout)["verdict"] == verdict
    hosted.settings.unlink()
    done = hosted.hook((ZERO, new, MAIN), options=("--format", "json"))
    assert (
        json.loads(done.stdout)["transitions"][0]["findings"][0]["code"] == "repository.no_settings"
    )


def test_policy_of_the_push_does_not_judge_it(hosted: Host) -> None:
    story = hosted.story
    weak = story.read(".freeze/policy.toml").replace(b"tests/properties/**/*.py", b"tests/**/*.py")
    story.write(".freeze/policy.toml", weak).write(ORACLE, "def test_x():\n    pass\n").patch()
    story.freeze()
    said = hosted.refuses("HEAD:refs/heads/main", code="judge.changed_with_freeze")
    assert remote_lines(said)[-1].startswith("freezegate: refused")


@pytest.mark.parametrize("author", ["A <a@b> x +0000", "A a@b 1 +0000", ""])
def test_a_commit_whose_author_no_library_reads(hosted: Host, author: str) -> None:
    story = hosted.story.patch()
    header = f"tree {story.rev('HEAD^{tree}')}\nparent {story.rev('main')}\n"
    header += f"author {author}\n" if author else ""
    data = f"{header}committer A <a@b> 1 +0000\n\nby hand\n".encode()
    rev = story.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=data)
    said = hosted.refuses(f"{rev}:main", code="error repository.unsupported")
    assert "--reset-author" in said
    assert "git fsck" not in said
    assert "--reset-author" in story.check("--rev", rev).finding("repository.unsupported")["remedy"]
