"""On which files a freeze holds: a freeze that was really accepted, then one thing changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from freezegate.formats.ledger import MAX_LEDGER_BYTES, dump_line, parse_ledger
from freezegate.ledger.regular_file import MAX_BYTES
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.evidence import DomainEntry
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import Ended, Ending, LedgerEntry
from freezegate.policy.skipping import Runs, Skips
from freezegate.pytest_plugin.claims import Claim
from freezegate.pytest_plugin.freezes import Freezes
from freezegate.pytest_plugin.guarded import catalogue_may_name
from freezegate.pytest_plugin.work_tree import WorkTree
from tests.git.freezing import (
    CATALOG,
    CONFTEST,
    FAILS,
    LEDGER,
    RULES,
    TEST,
    day,
    frozen_line,
    frozen_shop,
    rewrite,
)
from tests.support import FIXTURE, ORACLE, PROPERTY, TEST_ID, Story, copy_of

EVIDENCE = ".freeze/evidence"
POLICY = ".freeze/policy.toml"


@pytest.fixture(scope="module")
def _frozen(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return frozen_shop(tmp_path_factory.mktemp("frozen"))


@pytest.fixture
def frozen(_frozen: Story, tmp_path: Path) -> Story:
    """The shop with a freeze."""
    return copy_of(_frozen, tmp_path / "here")


@dataclass
class Asked:
    """What was decided, and what was warned of."""

    answer: Skips | Runs | None
    warnings: list[str] = field(default_factory=list)

    @property
    def why(self) -> str:
        """Why the test runs."""
        assert isinstance(self.answer, Runs), self.answer
        return self.answer.why


def ask(story: Story, *fixtures: str, property_id: str = PROPERTY, test_id: str = TEST_ID) -> Asked:
    """Ask about the property, with the catalogue's fixtures unless others are claimed."""
    warnings: list[str] = []
    freezes = Freezes(story.root, warnings.append, datetime.now(UTC))
    claim = freezes.completed(Claim(property_id, fixtures))
    return Asked(freezes.decide(claim, test_id), warnings)


def only_evidence(story: Story) -> Path:
    """The evidence of the freeze."""
    (path,) = (story.root / EVIDENCE).iterdir()
    return path


def test_an_accepted_freeze_holds(frozen: Story) -> None:
    asked = ask(frozen)
    assert asked.answer == Skips(frozen_line(frozen), f"7 days left, to {day(7)}")
    assert asked.warnings == []
    assert ask(frozen, FIXTURE).answer == asked.answer
    assert ask(frozen, property_id="no.such").answer is None


def appended(path: str, text: bytes) -> Callable[[Story], object]:
    """An edit that adds bytes to a file's end."""
    return lambda story: story.write(path, story.read(path) + text)


def replaced(path: str, old: bytes, new: bytes) -> Callable[[Story], object]:
    """An edit that replaces bytes of a file."""

    def edit(story: Story) -> None:
        before = story.read(path)
        assert old in before
        story.write(path, before.replace(old, new))

    return edit


def written(path: str, text: str) -> Callable[[Story], object]:
    """An edit that writes a file."""
    return lambda story: story.write(path, text)


def executable(path: str) -> Callable[[Story], object]:
    """An edit of a file's mode."""
    return lambda story: (story.root / path).chmod(0o755)


def removed(path: str) -> Callable[[Story], object]:
    """An edit that takes a file away."""
    return lambda story: (story.root / path).unlink()


def linked(path: str) -> Callable[[Story], object]:
    """A link to the same bytes in the file's place."""

    def edit(story: Story) -> None:
        file = story.root / path
        file.rename(story.root / "elsewhere")
        file.symlink_to(os.path.relpath(story.root / "elsewhere", file.parent))

    return edit


def folder_linked(path: str) -> Callable[[Story], object]:
    """A link to the same folder in its place."""

    def edit(story: Story) -> None:
        folder = story.root / path
        folder.rename(story.root / "elsewhere")
        folder.symlink_to(os.path.relpath(story.root / "elsewhere", folder.parent))

    return edit


DRIFTED = f"fixture drifted: {FIXTURE} is "
NO_FILE = f"{DRIFTED}no regular file here"


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        pytest.param(replaced(FIXTURE, b"3", b"4"), DRIFTED, id="fixture's bytes"),
        pytest.param(replaced(FIXTURE, b"1, ", b"1,"), DRIFTED, id="white space"),
        pytest.param(replaced(FIXTURE, b"\n", b"\r\n"), DRIFTED, id="line endings"),
        pytest.param(appended(FIXTURE, b"\n"), DRIFTED, id="a blank line"),
        pytest.param(removed(FIXTURE), NO_FILE, id="no fixture"),
        pytest.param(linked(FIXTURE), NO_FILE, id="fixture_is_a_link"),
        pytest.param(folder_linked("tests/fixtures"), NO_FILE, id="fixture_behind_a_link"),
        pytest.param(appended(ORACLE, b"#\n"), f"oracle changed: {ORACLE}", id="oracle"),
        pytest.param(removed(ORACLE), f"oracle changed: {ORACLE}", id="no oracle"),
        pytest.param(linked(ORACLE), f"oracle changed: {ORACLE}", id="oracle_is_a_link"),
        pytest.param(appended(CONFTEST, b"#\n"), f"domain changed: {CONFTEST}", id="conftest"),
        pytest.param(removed(CONFTEST), f"domain changed: {CONFTEST}", id="no conftest"),
        pytest.param(executable(CONFTEST), f"domain changed: {CONFTEST}", id="a domain's mode"),
        pytest.param(linked(CONFTEST), f"domain changed: {CONFTEST}", id="a domain's link"),
        pytest.param(appended(RULES, b"#\n"), f"domain changed: {RULES}", id="helper module"),
        pytest.param(
            replaced("pyproject.toml", b"-ra", b"-rA"),
            "domain changed: pyproject.toml#tool.pytest",
            id="pytest's settings",
        ),
        pytest.param(
            written("pyproject.toml", "[tool"),
            "domain changed: pyproject.toml#tool.pytest",
            id="pyproject does not decode",
        ),
        pytest.param(
            replaced(".freeze/policy.toml", b"[runner]", b"[runner]\npythonpath = []"),
            "domain changed: .freeze/policy.toml#runner",
            id="the runner's settings",
        ),
        pytest.param(
            written("pytest.ini", "[pytest]\n"), "domain changed: pytest.ini", id="new settings"
        ),
        pytest.param(written("conftest.py", ""), "domain changed: conftest.py", id="new conftest"),
        pytest.param(
            written("tests/properties/rules/__init__.py", ""),
            "domain changed: tests/properties/rules/__init__.py",
            id="shadowing_package",
        ),
        pytest.param(
            written("tests/properties/json.py", ""),
            "domain changed: tests/properties/json.py",
            id="shadowing_module",
        ),
        pytest.param(
            replaced(CATALOG, b"never", b"not"),
            f"domain changed: {CATALOG}#{PROPERTY}",
            id="its catalogue entry",
        ),
        pytest.param(
            replaced(CATALOG, f'fixtures = ["{FIXTURE}"]'.encode(), b'fixtures = ["README.md"]'),
            f"{FIXTURE} is not among its fixtures any more",
            id="other fixtures",
        ),
        pytest.param(
            appended(CATALOG, b"freezable = false\n"),
            f"domain changed: {CATALOG}#{PROPERTY}",
            id="no more freezable",
        ),
        pytest.param(
            replaced(CATALOG, b"[property.", b"[proposed."),
            f"{FIXTURE} is not among its fixtures any more",
            id="a_draft_only",
        ),
    ],
)
def test_one_thing_changed(frozen: Story, edit: Callable[[Story], object], why: str) -> None:
    edit(frozen)
    assert ask(frozen).why.startswith(why)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(executable(FIXTURE), id="fixture's mode is none of its bytes"),
        pytest.param(appended(TEST, b"#\n"), id="the frozen test itself"),
        pytest.param(appended("src/shop/order.py", b"#\n"), id="the subject"),
        pytest.param(appended("pyproject.toml", b"[tool.ruff]\n"), id="other tools"),
        pytest.param(replaced("pyproject.toml", b"[project]", b"# it\n[project]"), id="a comment"),
        pytest.param(written("tests/test_new.py", ""), id="a new test"),
        pytest.param(written("README.md", ""), id="read me"),
    ],
)
def test_what_the_oracle_does_not_depend_on(frozen: Story, edit: Callable[[Story], object]) -> None:
    edit(frozen)
    assert isinstance(ask(frozen).answer, Skips)


def test_an_entry_that_may_not_be_frozen(frozen: Story) -> None:
    """Even where the recorded list does not name the catalogue."""
    appended(CATALOG, b"freezable = false\n")(frozen)
    tree = WorkTree(frozen.root)
    path = only_evidence(frozen)
    evidence = json.loads(path.read_bytes())
    for each in evidence["domain"]:
        if each["path"].startswith(CATALOG):
            entry = tree._part(CATALOG, PROPERTY)
            assert entry is not None
            each["blob"] = entry.hex
    _rewrite_evidence(frozen, evidence)
    assert ask(frozen).why == "the catalogue says that it may not be frozen"


def _rewrite_evidence(story: Story, evidence: dict[str, object]) -> None:
    """Lay other evidence into the tree, and let the ledger mean it."""
    from freezegate.formats.evidence import parse_evidence
    from freezegate.formats.strict_json import dump_canonical
    from freezegate.pytest_plugin.freezes import _domain_digest

    data = dump_canonical(evidence) + b"\n"
    only_evidence(story).unlink()
    name = Blake3.of(data)
    story.write(f"{EVIDENCE}/{name.hex}.json", data)
    rewrite(story, evidence=name, domain_digest=_domain_digest(parse_evidence(data)))


def _unlisted(story: Story, path: str) -> None:
    """Take a file's tables out of the recorded domain."""
    evidence = json.loads(only_evidence(story).read_bytes())
    evidence["domain"] = [e for e in evidence["domain"] if not e["path"].startswith(path)]
    _rewrite_evidence(story, evidence)


# --- evidence


def test_without_evidence_there_is_no_list(frozen: Story) -> None:
    rewrite(frozen, evidence=None)
    assert ask(frozen).why.startswith("it was frozen without evidence")


def test_a_list_that_the_ledger_does_not_mean(frozen: Story) -> None:
    rewrite(frozen, domain_digest=Blake3("blake3:" + "0" * 64))
    assert ask(frozen).why.endswith("lists another domain than the ledger")


def _gone(path: Path) -> None:
    path.unlink()


def _edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"pass", b"fail", 1))


def _renamed(path: Path) -> None:
    path.rename(path.with_name("0" * 64 + ".json"))


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _a_link(path: Path) -> None:
    path.rename(path.with_suffix(".old"))
    path.symlink_to(path.with_suffix(".old").name)


def _a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("edit", "word", "warned"),
    [
        pytest.param(_gone, "is missing", False),
        pytest.param(_edited, "is not what it was", False),
        pytest.param(_renamed, "is missing", False),
        pytest.param(_a_folder, "cannot be read", True),
        pytest.param(_a_link, "cannot be read", True),
        pytest.param(_a_pipe, "cannot be read", True),
    ],
)
def test_evidence(frozen: Story, edit: Callable[[Path], None], word: str, warned: bool) -> None:
    path = only_evidence(frozen)
    edit(path)
    asked = ask(frozen)
    assert asked.why == f"{EVIDENCE}/{path.name} {word}"
    assert bool(asked.warnings) is warned


# --- the ledger


def test_of_the_ledger_every_line_counts(frozen: Story) -> None:
    whole = frozen.read(LEDGER)
    for before, after in ((b"{}\n", b""), (b"", b"{}\n"), (b"", b"\n"), (b"\n", b"")):
        frozen.write(LEDGER, before + whole + after)
        asked = ask(frozen)
        assert asked.answer is None
        (warning,) = asked.warnings
        assert warning.startswith(f"{LEDGER} is damaged in line {1 if before else 2}")


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda data: data[:-1], id="no newline"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut off"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="byte order mark"),
        pytest.param(lambda data: b"<<<<<<< HEAD\n" + data, id="conflict"),
        pytest.param(lambda data: data + b"=======\n", id="half a conflict"),
        pytest.param(lambda data: data.replace(b'"frozen"', b'"frozen/v2"', 1), id="a new event"),
        pytest.param(lambda data: b'{"version":2,' + data[1:], id="a_key_of_tomorrow"),
        pytest.param(lambda data: data.replace(b'"owner"', b'"Owner"'), id="a key misspelt"),
        pytest.param(lambda data: b'{"event":"lifted",' + data[1:], id="a_key_twice"),
        pytest.param(lambda data: data.replace(b'"fails":2', b'"fails":1e999'), id="a number"),
        pytest.param(lambda data: b"[" * 100_000 + b"\n" + data, id="too deep"),
        pytest.param(lambda data: data + b"\xff\n", id="no UTF-8"),
        pytest.param(lambda data: data + b"\0" * 100, id="zeros"),
    ],
)
def test_a_damaged_ledger_never_skips(frozen: Story, edit: Callable[[bytes], bytes]) -> None:
    before = frozen.read(LEDGER)
    frozen.write(LEDGER, edit(before))
    assert frozen.read(LEDGER) != before
    asked = ask(frozen)
    assert asked.answer is None
    assert any(text.startswith(LEDGER) for text in asked.warnings)


@pytest.mark.parametrize("edit", [_a_folder, _a_link, _a_pipe])
@pytest.mark.parametrize("path", [LEDGER, CATALOG])
def test_what_is_no_regular_file_is_not_read(
    frozen: Story, edit: Callable[[Path], None], path: str
) -> None:
    edit(frozen.root / path)
    asked = ask(frozen)
    assert not isinstance(asked.answer, Skips)
    assert asked.warnings[0].startswith(f"{path} cannot be read: ")


def test_a_glance_reads_as_much_as_the_decoder() -> None:
    assert MAX_BYTES == MAX_LEDGER_BYTES


def test_a_ledger_beyond_its_limit_is_not_read(frozen: Story) -> None:
    with (frozen.root / LEDGER).open("ab") as file:
        file.truncate(10**9)  # of no blocks
    asked = ask(frozen)
    assert asked.answer is None
    assert "larger than" in asked.warnings[0]


@pytest.mark.parametrize(
    "text", ["[property", "property = 1\n", "[unknown]\n", '[property."a b"]\n', "\0"]
)
def test_a_damaged_catalogue_never_skips(frozen: Story, text: str) -> None:
    frozen.write(CATALOG, text)
    asked = ask(frozen, FIXTURE)
    assert asked.why == f"{CATALOG} cannot be read"
    assert asked.warnings[0].startswith(f"{CATALOG} cannot be read: ")
    assert ": :" not in asked.warnings[0]


def test_no_ledger_is_empty(frozen: Story) -> None:
    (frozen.root / LEDGER).unlink()
    assert ask(frozen) == Asked(None)


def test_no_catalogue_is_empty(frozen: Story) -> None:
    (frozen.root / CATALOG).unlink()
    assert ask(frozen, FIXTURE).why == f"domain changed: {CATALOG}#{PROPERTY}"


# --- which test


@pytest.mark.parametrize(
    ("source", "skips"),
    [
        pytest.param(FAILS, False, id="it stands"),
        pytest.param("if True:\n    async " + FAILS.replace("\n    ", " "), False, id="inside"),
        pytest.param("def test_total(:\n", False, id="does not parse"),
        pytest.param("from others import test_total\n", False, id="imported"),
        pytest.param("def test_new():\n    pass\n", True, id="renamed"),
        pytest.param(None, True, id="the file is gone"),
    ],
)
def test_another_test_holds_it_only_where_the_frozen_one_is_gone(
    frozen: Story, source: str | None, skips: bool
) -> None:
    (frozen.root / TEST).unlink()
    if source is not None:
        frozen.write(TEST, source)
    asked = ask(frozen, test_id="tests/test_b.py::test_b")
    assert isinstance(asked.answer, Skips) is skips
    if not skips:
        assert asked.why == f"{TEST_ID} is what was frozen, and it still stands"
    assert isinstance(ask(frozen).answer, Skips)
    assert isinstance(ask(frozen, test_id="tests/test_b.py::test_b[1]").answer, Runs)


# --- how it ends


@pytest.mark.parametrize(
    ("days", "why"), [(1, "expired yesterday ({})"), (3, "expired 3 days ago ({})")]
)
def test_an_expired_freeze(frozen: Story, days: int, why: str) -> None:
    rewrite(frozen, expires_on=day(-days))
    assert ask(frozen).why == why.format(day(-days))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"oracle_blob": ObjectId("0" * 40)}, f"oracle changed: {ORACLE}"),
        pytest.param({"fixture_sha256": Sha256("0" * 64)}, DRIFTED),
    ],
)
def test_a_line_that_means_something_else(
    frozen: Story, changes: dict[str, object], why: str
) -> None:
    rewrite(frozen, **changes)
    assert ask(frozen).why.startswith(why)


def test_the_last_day_holds(frozen: Story) -> None:
    rewrite(frozen, expires_on=day(0))
    answer = ask(frozen).answer
    assert isinstance(answer, Skips)
    assert answer.left == f"last day, to {day(0)}"


def test_a_lifted_freeze(frozen: Story) -> None:
    (entry,) = parse_ledger(frozen.read(LEDGER))
    assert isinstance(entry, LedgerEntry)
    end = Ended(
        event=Ending.LIFTED,
        freeze=entry.freeze_id,
        base_rev=ObjectId("0" * 40),
        fixture_sha256=frozen_line(frozen).fixture_sha256,
        reason="mended",
        owner="ada",
    )
    frozen.append(dump_line(end) + b"\n")
    assert ask(frozen).why == "lifted: mended"


@pytest.mark.parametrize("more", [b" ", b"\r"], ids=["a space", "line endings"])
def test_another_spelling_has_another_id(frozen: Story, more: bytes) -> None:
    """Its end would not be found by the id: with other line endings, a lifted freeze would hold."""
    frozen.write(LEDGER, frozen.read(LEDGER).replace(b"\n", more + b"\n"))
    assert ask(frozen).why == "its ledger line is spelled otherwise than when it was frozen"


def test_another_spelling_beside_the_same_line(frozen: Story) -> None:
    """The bytes of the line that skips are judged, not those of its double."""
    line = frozen.read(LEDGER)
    frozen.append(line.replace(b"\n", b" \n"))
    assert ask(frozen).why == "its ledger line is spelled otherwise than when it was frozen"


@pytest.mark.parametrize("path", ["fixtures", "properties"])
def test_a_folder_in_a_files_place(frozen: Story, path: str) -> None:
    folder = frozen.root / "tests" / path
    shutil.rmtree(folder)
    folder.write_text("")
    assert isinstance(ask(frozen).answer, Runs)


# --- commits


def limited(story: Story, commits: int | None) -> Story:
    """Give the freeze a limit of commits, and HEAD three commits beyond its base."""
    rewrite(story, expires_after_commits=commits)
    base = frozen_line(story).base_rev
    while int(story.git("rev-list", "--count", f"{base}..HEAD")) < 3:
        story.git("commit", "-q", "--allow-empty", "-m", "more")
    assert story.git("rev-list", "--count", f"{base}..HEAD") == "3"
    return story


def test_a_limit_of_commits(frozen: Story) -> None:
    assert isinstance(ask(limited(frozen, 3)).answer, Skips)
    assert ask(limited(frozen, 2)).why == "expired: 3 commits from its base to HEAD, at most 2"
    assert ask(frozen).warnings == []


@pytest.mark.parametrize("own", [None, 3, 90])
@pytest.mark.parametrize(("cap", "skips"), [(2, False), (3, True)])
def test_the_policy_caps_every_limit(frozen: Story, own: int | None, cap: int, skips: bool) -> None:
    limited(frozen, own)
    appended(POLICY, f"\n[freeze]\nmax_lifetime_commits = {cap}\n".encode())(frozen)
    asked = ask(frozen)
    assert isinstance(asked.answer, Skips) is skips
    if not skips:
        assert asked.why == "expired: 3 commits from its base to HEAD, at most 2"


def test_without_a_policy_the_shipped_cap_counts(frozen: Story) -> None:
    _unlisted(limited(frozen, None), POLICY)
    (frozen.root / POLICY).unlink()
    assert isinstance(ask(frozen).answer, Skips)


@pytest.mark.parametrize("edit", [_a_folder, _a_link, _a_pipe, lambda path: path.write_text("[")])
def test_a_policy_that_cannot_be_read_never_skips(
    frozen: Story, edit: Callable[[Path], object]
) -> None:
    _unlisted(frozen, POLICY)
    edit(frozen.root / POLICY)
    assert ask(frozen).why.startswith(f"{POLICY} cannot be read: ")


@pytest.mark.parametrize("path", [FIXTURE, ORACLE, TEST])
def test_protected_paths(frozen: Story, path: str) -> None:
    appended(POLICY, f'\n[protected]\npaths = ["/{path}"]\n'.encode())(frozen)
    assert ask(frozen).why == f"{path} lies under [protected] paths"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("freezable = false", "the catalogue says that it may not be frozen"),
        ('tags = ["security"]', "the policy protects its tags: security"),
        ('tags = ["other"]', None),
    ],
)
def test_another_entry_of_the_same_test(frozen: Story, text: str, why: str | None) -> None:
    appended(POLICY, b'\n[protected]\ntags = ["security"]\n')(frozen)
    entry = frozen.read(CATALOG).decode()
    entry = entry[entry.index("[property.") :].replace(PROPERTY, "another.one")
    appended(CATALOG, f"\n{entry.rstrip()}\n{text}\n".encode())(frozen)
    answer = ask(frozen).answer
    assert answer.why == why if isinstance(answer, Runs) else why is None


@pytest.mark.parametrize("key", ["test", "property_test"])
def test_another_entry_of_its_whole_family(frozen: Story, key: str) -> None:
    one = f"{TEST_ID}[1]"
    rewrite(frozen, test_id=TestId(one))
    assert isinstance(ask(frozen, test_id=one).answer, Skips)
    names = {"test": "tests/test_b.py::test_b", "property_test": f"{ORACLE}::test_it"}
    names[key] = TEST_ID
    oracle = TEST if key == "property_test" else ORACLE
    appended(
        CATALOG,
        f'\n[property.another]\nstatement = "It is."\noracle = "{oracle}"\n'
        f'property_test = "{names["property_test"]}"\ntest = "{names["test"]}"\n'
        f'fixtures = ["{FIXTURE}"]\nfreezable = false\n'.encode(),
    )(frozen)
    assert ask(frozen, test_id=one).why == "the catalogue says that it may not be frozen"


NO_HISTORY = f"no whole git history here: {PROPERTY} goes by its date alone, not by commits"


def test_a_limit_without_git(frozen: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(frozen, 2)
    monkeypatch.setenv("PATH", "/nonexistent")
    asked = ask(frozen)
    assert isinstance(asked.answer, Skips)
    assert asked.warnings == [NO_HISTORY]


def test_a_limit_outside_of_a_repository(frozen: Story) -> None:
    shutil.rmtree(limited(frozen, 2).root / ".git")
    asked = ask(frozen)
    assert isinstance(asked.answer, Skips)
    assert asked.warnings == [NO_HISTORY]


def test_a_limit_in_a_shallow_clone(frozen: Story, tmp_path: Path) -> None:
    limited(frozen, 2).commit("Limit it")
    frozen.git("clone", "-q", "--depth", "1", f"file://{frozen.root}", str(tmp_path / "shallow"))
    shallow = Story(tmp_path / "shallow")
    asked = ask(shallow)
    assert isinstance(asked.answer, Skips)
    assert asked.warnings == [NO_HISTORY]
    rewrite(shallow, expires_on=day(-1))
    assert ask(shallow).why.startswith("expired yesterday")


def test_a_limit_from_a_base_that_is_not_here(frozen: Story) -> None:
    limited(frozen, 2)
    rewrite(frozen, base_rev=ObjectId("1" * 40))
    assert ask(frozen).why == "its base 111111111111 is no commit here, so its age is not known"


def test_a_limit_is_counted_in_its_own_repository(
    frozen: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook's or a worktree's variables point elsewhere."""
    limited(frozen, 3)
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert isinstance(ask(frozen).answer, Skips)


# --- the work tree reader beside the git reader


def recorded(story: Story) -> list[DomainEntry]:
    """The domain as the git reader resolves it at HEAD."""
    _, out = story.run("domain", PROPERTY, "--format", "json")
    return [
        DomainEntry(
            path=each["path"],
            mode=each["mode"] or 0,
            blob=None if each["blob"] is None else ObjectId(each["blob"]),
        )
        for each in json.loads(out)["entries"]
    ]


@pytest.fixture
def wide(shop: Story) -> Story:
    """A shop whose oracle's domain has an entry of each kind."""
    shop.write(ORACLE, "import space.part\nimport run\nimport shop.order\nimport linked\n")
    shop.write("tests/properties/space/part.py", "")
    shop.write("tests/__init__.py", "")
    shop.write("tests/properties/run.py", "")
    (shop.root / "tests/properties/run.py").chmod(0o755)
    shop.write("tests/properties/plain.py", "")
    (shop.root / "tests/properties/linked.py").symlink_to("plain.py")
    shop.write(CONFTEST, "")
    shop.write("setup.cfg", "[tool:pytest]\naddopts = -ra\n[options]\npackages = shop\n")
    shop.write("setup.py", "")
    shop.write("pyproject.toml", "[tool.pytest.ini_options]\nxfail_strict = true\n")
    shop.write("requirements.txt", "pytest\n")
    shop.commit("Widen")
    return shop


@pytest.mark.parametrize("name", ["wide", "frozen"])
def test_nothing_differs_right_after_checkout(name: str, request: pytest.FixtureRequest) -> None:
    story: Story = request.getfixturevalue(name)
    entries = recorded(story)
    assert len(entries) > 30
    assert WorkTree(story.root).differing(entries) is None


def test_each_kind_of_edit_at_each_path_is_named(wide: Story) -> None:
    entries = recorded(wide)
    kinds = {(each.path.count("#"), each.mode) for each in entries}
    assert {(0, 0), (1, 0), (0, 0o100644), (0, 0o100755), (1, 0o100644)} <= kinds
    for each in entries:
        if "#" in each.path:
            continue
        path = wide.root / each.path
        for edit in (_appear,) if each.blob is None else (_more, _flip, _unlink, _folder, _linkify):
            edit(path)
            assert WorkTree(wide.root).differing(entries) == each.path, edit
            wide.git("reset", "-q", "--hard")
            wide.git("clean", "-fdxq")
    assert WorkTree(wide.root).differing(entries) is None


def _appear(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")


def _more(path: Path) -> None:
    data = path.read_bytes() + b"\n"
    path.unlink()
    path.write_bytes(data)


def _flip(path: Path) -> None:
    data, mode = path.read_bytes(), path.lstat().st_mode
    path.unlink()
    path.write_bytes(data)
    path.chmod(0o644 if mode & 0o100 else 0o755)


def _unlink(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _linkify(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nonexistent")


def test_the_property_id_of_the_line_counts(frozen: Story) -> None:
    rewrite(frozen, property_id=PropertyId("another.one"))
    assert ask(frozen).answer is None


@pytest.mark.parametrize(
    "test_id",
    [
        "tests/test_a.py::TestIt::test_it",
        "tests/test_a.py::test_it[1-a b]",
        "tests/test_a.py::TestIt::TestInner::test_it['q']",
    ],
)
def test_the_catalogue_claims_by_the_whole_id(frozen: Story, test_id: str) -> None:
    frozen.write(CATALOG, frozen.read(CATALOG).decode().replace(f'"{TEST_ID}"', f'"{test_id}"'))
    freezes = Freezes(frozen.root, print, datetime.now(UTC))
    assert freezes.catalogued({test_id, TEST_ID}) == {test_id: (Claim(PROPERTY, (FIXTURE,)),)}
    assert catalogue_may_name(frozen.root, {test_id}, {PROPERTY})
    assert not catalogue_may_name(frozen.root, {TEST_ID}, {PROPERTY})
    assert not catalogue_may_name(frozen.root, {test_id}, {"another.one"})
