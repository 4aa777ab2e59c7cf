"""`catalog` on real work trees: drafts, what is wrong with entries, and who lets them count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from freezegate.formats.catalog import parse_catalog
from tests.support import CATALOG, FIXTURE, ORACLE, PROPERTY, TEST_ID, Story, git_environment

FILE = ".freeze/catalog.toml"
NEW = "order_total.sums_up"
ADD: dict[str, str | None] = {
    "--statement": "The total is the sum.",
    "--oracle": ORACLE,
    "--test": "tests/test_order.py::test_other",
    "--fixture": FIXTURE,
}


def add(story: Story, name: str = NEW, **changed: str | None) -> tuple[int, str]:
    """Propose a property."""
    values = ADD | {f"--{key.replace('_', '-')}": value for key, value in changed.items()}
    words = [word for key, value in values.items() if value is not None for word in (key, value)]
    return story.run("catalog", "add", name, *words)


def checked(story: Story) -> tuple[int, dict[str, Any]]:
    """Ask for JSON."""
    status, out = story.run("catalog", "check", "--format", "json")
    return status, json.loads(out)


def test_a_draft_is_written_and_accepted(shop: Story) -> None:
    shop.write(FILE, f"# ours\r\n{CATALOG}# end")
    before = shop.read(FILE)
    status, out = add(shop)
    assert status == 0
    assert f"guessed: property_test is {ORACLE}::test_total_is_never_negative" in out
    drafted = shop.read(FILE)
    assert drafted.startswith(before)
    assert list(parse_catalog(drafted).proposed) == [NEW]
    status, out = shop.run("catalog", "accept", NEW, "--yes")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"the oracle, {ORACLE}:"
    assert "  def test_total_is_never_negative():" in lines
    assert "statement     The total is the sum." in lines
    assert any(each.startswith("repeat        2: ") for each in lines)
    assert shop.read(FILE) == drafted.replace(b"[proposed.", b"[property.")
    assert checked(shop)[0] == 0


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        pytest.param(PROPERTY, {}, "is a property already", id="known"),
        pytest.param("Order Total!.Sum", {}, "order_total.sum would be one", id="bad_id"),
        pytest.param("", {}, "is no property id", id="empty_id"),
        pytest.param(NEW, {"oracle": "tests/x.py"}, "no file at tests/x.py", id="oracle_missing"),
        pytest.param(
            NEW,
            {"oracle": "tests/properties/test_ordr_props.py"},
            f"did you mean {ORACLE}",
            id="oracle_mistyped",
        ),
        pytest.param(
            NEW,
            {"oracle": "tests/test_order.py", "property_test": TEST_ID},
            "no [oracle] paths of the policy match tests/test_order.py",
            id="oracle_unguarded",
        ),
        pytest.param(
            NEW, {"fixture": "README.md"}, "no [fixtures] paths of the policy", id="no_fixture"
        ),
        pytest.param(
            NEW, {"fixture": "tests/fixtures/orde.json"}, f"did you mean {FIXTURE}", id="fixture"
        ),
        pytest.param(
            NEW,
            {"test": "tests/test_order.py::test_totl"},
            f"did you mean {TEST_ID}",
            id="test_mistyped",
        ),
        pytest.param(
            NEW, {"test": "tests/test_order.py::test_family"}, "--collect-only", id="family"
        ),
        pytest.param(NEW, {"test": "tests/test_order.py"}, "test.not_single", id="file_as_test"),
        pytest.param(NEW, {"property_test": TEST_ID}, "is no test of", id="property_elsewhere"),
        pytest.param(NEW, {"repeat": "1"}, "from 2 to 10000", id="repeat"),
        pytest.param(NEW, {"statement": "a\u202eb"}, "U+202E", id="steering"),
        pytest.param(NEW, {"statement": "a\udcff"}, "--statement 'a\\udcff' is no", id="bytes"),
        pytest.param(NEW, {"tag": "a\udcff"}, "--tag 'a\\udcff' is no UTF-8", id="tag_bytes"),
        pytest.param(NEW, {"keep": "a\udcff"}, "--keep 'a\\udcff' is no UTF-8", id="keep_bytes"),
        pytest.param(NEW, {"statement": ""}, "characters", id="empty_statement"),
    ],
)
def test_a_wrong_word_writes_nothing(
    shop: Story,
    capsys: pytest.CaptureFixture[str],
    name: str,
    changed: dict[str, str],
    said: str,
) -> None:
    before = shop.read(FILE)
    assert add(shop, name, **changed) == (2, "")
    assert said in capsys.readouterr().err
    assert shop.read(FILE) == before


def test_a_second_draft_of_an_id_and_two_tests(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(shop)[0] == 0
    assert add(shop)[0] == 2
    assert f"freezegate catalog accept {NEW}" in capsys.readouterr().err
    shop.write(ORACLE, "def test_a():\n    pass\n\n\ndef test_b():\n    pass\n")
    assert add(shop, "x.y")[0] == 2
    assert f"--property-test {ORACLE}::test_a or {ORACLE}::test_b" in capsys.readouterr().err
    assert add(shop, "x.y", property_test=f"{ORACLE}::test_b")[0] == 0


def test_nobody_accepts_off_a_terminal(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    add(shop)
    before = shop.read(FILE)
    assert shop.run("catalog", "accept", NEW)[0] == 2
    assert f"freezegate catalog accept {NEW} --yes" in capsys.readouterr().err
    assert shop.run("catalog", "accept", "order_total.sum_up")[0] == 2
    assert f"did you mean {NEW}?" in capsys.readouterr().err
    assert shop.run("catalog", "accept", PROPERTY)[0] == 2
    assert shop.read(FILE) == before


@pytest.mark.parametrize(
    ("typed", "status"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1)], ids=["yes", "no", "nothing"]
)
def test_a_person_is_asked(shop: Story, typed: bytes, status: int) -> None:
    shop.write(ORACLE, "# \x1b[31mred\n" + shop.read(ORACLE).decode())
    add(shop)
    own, terminal = os.openpty()
    os.write(own, typed)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "freezegate", "catalog", "accept", NEW],
        cwd=shop.root,
        env=git_environment() | {"TERM": "dumb"},
        stdin=terminal,
        stdout=terminal,
        check=False,
    )
    os.close(terminal)
    said = os.read(own, 100_000)
    os.close(own)
    assert done.returncode == status
    assert b"[y/N]" in said
    assert b"\x1b[31m" not in said
    assert (NEW in parse_catalog(shop.read(FILE)).properties) == (status == 0)


def test_a_long_oracle_is_shown_by_its_head_and_test(shop: Story) -> None:
    more = "".join(f"def helper_{n}():\n    return {n}\n\n\n" for n in range(60))
    shop.write(ORACLE, f'"""Orders."""\n\n{more}{shop.read(ORACLE).decode()}')
    add(shop)
    out = shop.run("catalog", "accept", NEW, "--yes")[1]
    assert '"""Orders."""' in out
    assert "def test_total_is_never_negative():" in out
    assert "helper_50" not in out


def test_check_names_each_fault(shop: Story) -> None:
    shop.write("tests/fixtures/new.json", "{}")
    text = (
        CATALOG.replace(TEST_ID, "tests/test_order.py::test_totals")
        .replace("test_total_is_never_negative", "test_gone")
        .replace(f'["{FIXTURE}"]', '["tests/fixtures/new.json", "tests/fixtures/no.json"]')
    )
    shop.write(FILE, text)
    status, document = checked(shop)
    told = {(each["key"], each["got"].split()[0]) for each in document["problems"]}
    assert status == 1
    assert told == {
        ("fixtures", "no"),
        ("fixtures", "tests/fixtures/new.json"),
        ("test", "nothing"),
        ("property_test", "nothing"),
    }
    (test,) = (each for each in document["problems"] if each["key"] == "test")
    assert test["remedy"].startswith(f"did you mean {TEST_ID}")
    assert f"the id {PROPERTY} stays" in test["remedy"]
    out = shop.run("catalog", "check")[1]
    assert out.startswith("freezegate catalog: 1 property, 0 drafts, 4 problems\n")


def test_a_new_name_is_a_new_property(shop: Story) -> None:
    shop.write(FILE, CATALOG.replace(PROPERTY, "order_total.positive"))
    status, document = checked(shop)
    assert status == 0
    (note,) = document["notes"]
    assert note["property_id"] == "order_total.positive"
    assert PROPERTY in note["got"]
    assert "a new property without evidence" in note["expected"]


def test_one_test_of_two_properties_is_noted(shop: Story) -> None:
    shop.write(FILE, CATALOG + CATALOG.replace(PROPERTY, "other.one"))
    status, document = checked(shop)
    assert (status, [each["key"] for each in document["notes"]]) == (0, ["test"])


def test_the_list_tells_what_is_locked_and_frozen(shop: Story) -> None:
    shop.patch().freeze(property_id=PROPERTY)
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("fetch", "-q", "origin")
    add(shop)
    listed = json.loads(shop.run("catalog", "list", "--format", "json")[1])["properties"]
    assert [(each["property_id"], each["draft"]) for each in listed] == [
        (PROPERTY, False),
        (NEW, True),
    ]
    assert listed[0]["fixtures"] == [{"path": FIXTURE, "locked": True}]
    assert [each["owner"] for each in listed[0]["freezes"]] == ["ada"]
    out = shop.run("catalog", "list")[1]
    assert "frozen  owner ada, until " in out
    assert f"{NEW}  (draft, counts for nothing yet)" in out


def test_from_a_subfolder_without_a_catalogue(shop: Story) -> None:
    (shop.root / FILE).unlink()
    inside = Story(shop.root / "tests")
    assert "no property" in inside.run("catalog", "list")[1]
    assert add(inside)[0] == 0
    assert list(parse_catalog(shop.read(FILE)).proposed) == [NEW]


@pytest.mark.parametrize("damage", ["[", "[property.x]\nstatement = 1\n", "\xff"])
def test_a_damaged_catalogue_is_no_answer(
    shop: Story, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    shop.write(FILE, damage.encode("latin-1"))
    for arguments in (["list"], ["check"], ["accept", NEW, "--yes"]):
        assert shop.run("catalog", *arguments) == (2, "")
        said = capsys.readouterr().err
        assert "does not decode" in said
        assert "Traceback" not in said


def test_usage_errors_are_json_where_asked(shop: Story) -> None:
    for words in (["add", "--format", "json"], ["add", "A", "--format", "json"]):
        with pytest.raises(SystemExit):
            shop.run("catalog", *words)
    status, out = shop.run("catalog", "accept", "no.such", "--format", "json")
    assert (status, json.loads(out)["verdict"]) == (2, "undecided")


def test_a_link_in_the_place_of_the_catalogue(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop.root / FILE).rename(shop.root / "real.toml")
    (shop.root / FILE).symlink_to("../real.toml")
    assert add(shop)[0] == 2
    assert "is no regular file" in capsys.readouterr().err
