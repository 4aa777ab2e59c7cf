"""`domain` on real repositories: what it shows, what changed, and why it could not answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import CATALOG, FIXTURE, ORACLE, POLICY, PROPERTY, Story, plain_repository

HELPER = "tests/helpers.py"
CONFTEST = "tests/conftest.py"
TEST = "def test_total_is_never_negative():\n    assert total\n"


@pytest.fixture
def own(shop: Story) -> Story:
    """The shop, whose oracle imports a helper, and a conftest another; the helper the subject."""
    shop.write(ORACLE, f"import json\nfrom helpers import total\n\n\n{TEST}")
    shop.write(CONFTEST, "import names\n")
    shop.write(HELPER, "from shop.order import total\n")
    shop.write("tests/names.py", "")
    shop.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    shop.commit("Share helpers")
    return shop


def document(story: Story, *arguments: str) -> dict[str, Any]:
    """Ask for JSON."""
    _, out = story.run("domain", *arguments, "--format", "json")
    value: dict[str, Any] = json.loads(out)
    return value


def refusal(story: Story, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Ask for what cannot be answered; return what was said on standard error."""
    assert story.run("domain", *arguments) == (2, "")
    return capsys.readouterr().err


def test_a_tree_below_the_oracle(own: Story) -> None:
    status, out = own.run("domain", PROPERTY)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == f"freezegate: domain of {PROPERTY} at HEAD ({own.rev('HEAD')[:12]})"
    told = [line for line in lines if "absent" not in line and line]
    assert [" ".join(line.split()) for line in told[1:-1]] == [
        f"{ORACLE} oracle",
        f"{CONFTEST} conftest chain",
        "tests/names.py imported",
        f"{HELPER} imported",
        "src/shop/__init__.py subject",
        "src/shop/order.py subject",
        "pytest configuration",
        "pyproject.toml#tool.pytest",
        "what is installed",
        "catalogue entry",
        f".freeze/catalog.toml#{PROPERTY}",
        "imported at every start",
    ]
    depths = {line.split()[0]: len(line) - len(line.lstrip()) for line in told}
    assert [depths[path] for path in (ORACLE, CONFTEST, HELPER, "tests/names.py")] == [0, 2, 2, 4]
    assert lines[-2].startswith("digest: blake3:")
    assert lines[-1].startswith("over: 3 files, 2 parts, ")
    assert len(lines) < 40


def test_absent_paths_are_summed_up_or_listed(own: Story) -> None:
    summed = own.run("domain", PROPERTY)[1]
    assert f"absent, would win over {HELPER}: " in summed
    every = own.run("domain", PROPERTY, "--all")[1]
    absent = [e["path"] for e in document(own, PROPERTY)["entries"] if e["mode"] is None]
    listed = [line.split()[0] for line in every.splitlines() if "absent" in line][:-1]
    assert sorted(listed) == sorted(absent)
    assert len(summed.splitlines()) < len(every.splitlines()) / 2


def test_json_has_it_whole(own: Story) -> None:
    answer = document(own, PROPERTY)
    entries = {each["path"]: each for each in answer["entries"]}
    assert answer["schema"] == "freezegate/domain/v1"
    assert (answer["rev"], answer["property_id"]) == (own.rev("HEAD"), PROPERTY)
    assert (answer["oracle"], answer["base"], answer["changes"]) == (ORACLE, None, None)
    assert answer["subject"] == [
        {"path": "src/shop/__init__.py", "by": HELPER},
        {"path": "src/shop/order.py", "by": HELPER},
    ]
    assert answer["faults"] == []
    assert entries[HELPER] == {
        "path": HELPER,
        "mode": 0o100644,
        "blob": own.rev(f"HEAD:{HELPER}"),
        "why": "imported",
        "by": ORACLE,
        "over": None,
    }
    assert entries["tests/helpers/__init__.py"]["over"] == HELPER
    assert f"digest: {answer['digest']}\n" in own.run("domain", PROPERTY)[1]


def test_the_revision_decides_not_the_work_tree(own: Story) -> None:
    before = document(own, PROPERTY)
    own.write(HELPER, "import os\n").write(".freeze/policy.toml", "[")
    assert document(own, PROPERTY) == before
    at_main = document(own, PROPERTY, "--rev", "main")
    assert at_main["rev"] == own.rev("main")
    assert HELPER not in {each["path"] for each in at_main["entries"]}


@pytest.mark.parametrize("folder", ["src/shop", "tests"])
def test_from_a_subfolder(own: Story, folder: str) -> None:
    inside = Story(own.root / folder)
    for asked in (PROPERTY, ORACLE):
        assert inside.run("domain", asked) == own.run("domain", asked)


def test_from_a_worktree(own: Story) -> None:
    own.git("worktree", "add", "-q", "--detach", "../other", "main")
    other = Story(own.root.parent / "other")
    assert document(other, PROPERTY) == document(own, PROPERTY, "--rev", "main")


# --- by its path, and fixtures


def test_an_oracle_by_its_path_has_no_entry(own: Story) -> None:
    answer = document(own, ORACLE)
    paths = {each["path"] for each in answer["entries"]}
    assert answer["property_id"] is None
    assert HELPER in paths
    assert not any(path.startswith(".freeze/catalog.toml") for path in paths)


def test_an_oracle_at_the_top(own: Story) -> None:
    own.write("test_top.py", "import helpers\n").commit("Add another")
    assert document(own, "test_top.py")["oracle"] == "test_top.py"


def test_the_locked_fixture_is_none_of_it_the_others_are(own: Story) -> None:
    other = "tests/fixtures/other.json"
    own.write(other, "{}\n")
    own.write(".freeze/catalog.toml", CATALOG.replace(f'"{FIXTURE}"', f'"{FIXTURE}", "{other}"'))
    own.commit("Read two fixtures")

    def fixtures(*arguments: str) -> list[str]:
        entries = document(own, PROPERTY, *arguments)["entries"]
        return [each["path"] for each in entries if each["why"].startswith("another fixture")]

    assert fixtures() == [other]
    assert fixtures("--fixture", FIXTURE) == [other]
    assert fixtures("--fixture", other) == [FIXTURE]


def test_a_fixture_of_another_property(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(own, capsys, PROPERTY, "--fixture", "README.md")
    assert f"README.md is no fixture of {PROPERTY} at HEAD; expected {FIXTURE}" in said


# --- what keeps a freeze from standing


def test_imports_by_computed_names(own: Story) -> None:
    own.write(HELPER, "import importlib\n\ntotal = importlib.import_module('a' + 'b')\n")
    own.commit("Choose at run time")
    status, out = own.run("domain", PROPERTY)
    assert status == 1
    assert f"error domain.not_static  {HELPER}:3" in out
    assert "no freeze can stand on this oracle: domain.not_static" in out
    fault = document(own, PROPERTY)["faults"][0]
    assert (fault["code"], fault["path"], fault["line"]) == ("domain.not_static", HELPER, 3)
    assert own.run("domain", PROPERTY, "--format", "json")[0] == 1


def test_paths_that_steer_terminals(own: Story) -> None:
    evil = b"tests/extra/\x1b]0;owned\x07\n\xff\xe2\x80\xae.py"
    policy = POLICY.format(preset="basic") + '\n[domain]\npaths = ["tests/extra/**"]\n'
    own.write(".freeze/policy.toml", policy).commit("List more")
    own.plumb({evil: ("100644", own.blob("x = 1\n"))})
    for arguments in ((PROPERTY,), (PROPERTY, "--all"), (PROPERTY, "--diff", "HEAD~1")):
        status, out = own.run("domain", *arguments)
        assert all(line.isprintable() and line.isascii() for line in out.splitlines())
        assert "tests/extra/\\x1b]0;owned\\x07\\n\\xff\\u202e.py" in out
        assert status == int("--diff" in arguments)
    assert document(own, PROPERTY)["digest"]


# --- what changed


def test_nothing_changed(own: Story) -> None:
    own.patch()
    status, out = own.run("domain", PROPERTY, "--diff", "HEAD~1")
    assert status == 0
    assert "\nnothing in the domain changed\n" in out
    assert document(own, PROPERTY, "--diff", "HEAD~1")["changes"] == []


def test_what_a_revision_changes(own: Story) -> None:
    base = own.rev("HEAD")
    old = own.rev(f"HEAD:{HELPER}")
    own.write(HELPER, "from shop.order import total  # better\n")
    own.write("tests/properties/helpers.py", "total = 1\n")
    own.write("pytest.ini", "[pytest]\n")
    own.commit("Tidy")
    status, out = own.run("domain", PROPERTY, "--diff", base)
    assert status == 1
    assert f"domain.resolution_changed  {HELPER}  imported by {ORACLE}\n  {old[:12]} (mode " in out
    assert "domain.config_changed  pytest.ini  was absent, would win over pyproject.toml" in out
    assert "\nchanged: 3 paths\n" in out
    answer = document(own, PROPERTY, "--diff", base)
    assert answer["base"] == {
        "rev": base,
        "digest": document(own, PROPERTY, "--rev", base)["digest"],
    }
    assert (
        f"digest: {answer['base']['digest']} at {base}\n        {answer['digest']} at HEAD" in out
    )
    change = next(
        each for each in answer["changes"] if each["path"] == "tests/properties/helpers.py"
    )
    assert change == {
        "path": "tests/properties/helpers.py",
        "code": "domain.resolution_changed",
        "why": "imported",
        "by": ORACLE,
        "over": HELPER,
        "old": None,
        "new": {"mode": 0o100644, "blob": own.rev("HEAD:tests/properties/helpers.py")},
    }


def test_a_policy_that_takes_more_in(own: Story) -> None:
    policy = POLICY.format(preset="basic") + '[domain]\npaths = ["README.md"]\n'
    own.write(".freeze/policy.toml", policy).commit("Take the page in")
    status, out = own.run("domain", PROPERTY, "--diff", "HEAD~1")
    assert status == 1
    assert "domain.changed  README.md  was absent; [domain] paths" in out


# --- no answer


def test_an_unknown_property(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(own, capsys, "order_total.non_negativ")
    assert f"did you mean {PROPERTY}? an oracle's path works too: freezegate domain tests/" in said
    assert "did you mean" not in refusal(own, capsys, "zzz")
    assert "no property '\\x1b[2J'" in refusal(own, capsys, "\x1b[2J")


def test_a_proposed_property(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    own.write(".freeze/catalog.toml", CATALOG.replace("[property.", "[proposed."))
    own.commit("Only a draft")
    said = refusal(own, capsys, PROPERTY)
    assert f"{PROPERTY} is proposed at HEAD and counts for nothing yet" in said
    assert f"ask by its oracle: freezegate domain {ORACLE}" in said
    assert own.run("domain", ORACLE)[0] == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("tests/properties/test_no.py", "is no regular file at HEAD", id="absent"),
        pytest.param("tests/properties", "is no regular file at HEAD", id="folder"),
        pytest.param("../test_a.py", "expected a path without `..`", id="dotdot"),
        pytest.param("/etc/passwd", "a path relative to the repository's top", id="absolute"),
        pytest.param("./tests/a.py", "no `.` part", id="dot"),
    ],
)
def test_a_path_that_is_no_oracle(
    own: Story, capsys: pytest.CaptureFixture[str], asked: str, said: str
) -> None:
    assert said in refusal(own, capsys, asked)


def test_an_oracle_that_is_a_link(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    own.plumb({ORACLE: ("120000", own.blob("../helpers.py"))})
    said = refusal(own, capsys, PROPERTY)
    assert f"{ORACLE}, the oracle of {PROPERTY}, is no regular file at HEAD" in said


@pytest.mark.parametrize("name", ["policy", "catalog"])
def test_damaged_judges(own: Story, capsys: pytest.CaptureFixture[str], name: str) -> None:
    own.write(f".freeze/{name}.toml", "[").commit("Break it")
    said = refusal(own, capsys, PROPERTY)
    assert f".freeze/{name}.toml at HEAD does not decode: " in said
    assert "send a patch that repairs it" in said
    assert own.run("domain", PROPERTY, "--rev", "HEAD~1")[0] == 0


def test_no_policy(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    own.git("rm", "-q", ".freeze/policy.toml")
    own.commit("Leave")
    said = refusal(own, capsys, PROPERTY)
    assert "no .freeze/policy.toml at HEAD" in said
    assert "freezegate init" in said
    assert "no .freeze/policy.toml at HEAD" in refusal(
        own, capsys, PROPERTY, "--rev", "HEAD~1", "--diff", "HEAD"
    )


def test_no_catalogue(own: Story, capsys: pytest.CaptureFixture[str]) -> None:
    own.git("rm", "-q", ".freeze/catalog.toml")
    own.commit("Leave")
    assert "there is no .freeze/catalog.toml at HEAD" in refusal(own, capsys, PROPERTY)
    assert own.run("domain", ORACLE)[0] == 0


@pytest.mark.parametrize("option", ["--rev", "--diff"])
def test_no_such_revision(own: Story, capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert "'nowhere': no such revision" in refusal(own, capsys, PROPERTY, option, "nowhere")


def test_outside_every_repository(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    story = Story(tmp_path_factory.mktemp("nowhere"))
    assert "expected a git repository" in refusal(story, capsys, PROPERTY)


def test_a_branch_without_commits(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    story = plain_repository(tmp_path_factory.mktemp("unborn"))
    assert "'HEAD': no such revision" in refusal(story, capsys, PROPERTY)
