"""Catalogues are changed by one span: what a person wrote around it stays byte for byte."""

from __future__ import annotations

import pytest

from freezegate.errors import UsageError
from freezegate.formats.catalog import parse_catalog
from freezegate.formats.catalog_edit import accept, propose
from freezegate.model.catalog import Property
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath

NAME = PropertyId("order_total.non_negative")
ORACLE = "tests/properties/test_order_props.py"
BODY = f"""\
statement = "Never negative."   # in words
oracle = "{ORACLE}"
property_test = "{ORACLE}::test_total"
test = "tests/test_orders.py::test_total"
fixtures = [
    "tests/fixtures/order.json", # [not.a.header]
]
"""
ENTRY = Property(
    property_id=NAME,
    statement='It says "never", \\ and é.',
    oracle=RepoPath(ORACLE),
    property_test=TestId(f"{ORACLE}::test_total"),
    test=TestId("tests/test_orders.py::test_total"),
    fixtures=(RepoPath("tests/fixtures/order.json"),),
)
DRAFT = f'[proposed."{NAME}"]'
COUNTS = f'[property."{NAME}"]'


@pytest.mark.parametrize(
    ("header", "after"),
    [
        pytest.param(DRAFT, COUNTS, id="plain"),
        pytest.param(f"[proposed.'{NAME}'] # why", f"[property.'{NAME}'] # why", id="literal"),
        pytest.param(f'  [ "proposed" . "{NAME}" ]', f'  [ property . "{NAME}" ]', id="quoted"),
        pytest.param(f'["\\u0070roposed"."{NAME}"]', COUNTS, id="escaped"),
        pytest.param(
            f"[proposed]\n# drafts\n{DRAFT}", f"[proposed]\n# drafts\n{COUNTS}", id="above"
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_one_word_of_a_header_changes(header: str, after: str, newline: str) -> None:
    around = ("# first\n\n", f'\n# [proposed."x"]\n[proposed.other]\n{BODY}# last')
    before, wanted = (
        f"{around[0]}{line}\n{BODY}{around[1]}".replace("\n", newline).encode()
        for line in (header, after)
    )
    assert accept(before, NAME) == wanted


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f'[proposed]\n"{NAME}" = {{statement = "s", oracle = "{ORACLE}", property_test = '
            f'"{ORACLE}::test_a", test = "t.py::test_a", fixtures = ["f"]}}\n',
            id="inline",
        ),
        pytest.param(
            "".join(
                f'proposed."{NAME}".{line}\n' for line in BODY.replace(",", "").splitlines()[:4]
            )
            + f'proposed."{NAME}".fixtures = ["f"]\n',
            id="dotted",
        ),
        pytest.param(f"property = {{}}\n{DRAFT}\n{BODY}", id="properties_inline"),
    ],
)
def test_other_spellings_are_refused_with_what_to_do(text: str) -> None:
    assert NAME in parse_catalog(text.encode()).proposed
    with pytest.raises(UsageError, match="by hand"):
        accept(text.encode(), NAME)


def test_a_header_inside_a_text_is_none() -> None:
    inside = f'"""one \\\n{DRAFT}"""'
    text = f"{DRAFT}\n{BODY}".replace('"Never negative."', inside)
    assert accept(text.encode(), NAME) == text.replace(DRAFT, COUNTS, 1).encode()


@pytest.mark.parametrize(
    ("before", "gap"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("# only words\n", "\n", id="comment"),
        pytest.param("# only words", "\n\n", id="without_newline"),
        pytest.param("# only words\r\n", "\r\n", id="other_endings"),
    ],
)
def test_a_draft_goes_to_the_end(before: str, gap: str) -> None:
    after = propose(before.encode(), ENTRY)
    assert after.startswith((before + gap + "[proposed.").encode())
    assert parse_catalog(after).proposed == {NAME: ENTRY}
    assert ("\r\n" in before) == (b"\r\n" in after)
    assert after.count(b"\n") == after.count(b"\r\n") or "\r" not in before


def test_a_long_list_is_broken() -> None:
    many = tuple(RepoPath(f"tests/fixtures/orders/{n}.json") for n in range(9))
    after = propose(b"", ENTRY._replace(fixtures=many, repeat=7, freezable=False, tags=("a",)))
    assert b'fixtures = [\n    "tests/fixtures/orders/0.json",\n' in after
    assert parse_catalog(after).proposed[NAME].fixtures == many


def test_nothing_is_added_behind_an_inline_table() -> None:
    with pytest.raises(UsageError, match="by hand"):
        propose(b"proposed = {}\n", ENTRY)
