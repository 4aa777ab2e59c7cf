"""What people read of a domain: whole pages, held against golden files."""

from __future__ import annotations

import itertools
import json

import pytest

from freezegate.model.digests import Blake3, ObjectId
from freezegate.model.domain import Domain, DomainChange, DomainFault, Reached, Why
from freezegate.model.entries import SYMLINK_MODE, Entry
from freezegate.model.ids import PropertyId
from freezegate.policy.domain.words import code_of, reason_of
from freezegate.report.domain import (
    MAX_FAULTS,
    DomainDifference,
    DomainPage,
    ShownChange,
    difference_lines,
    domain_document,
    domain_lines,
)
from freezegate.report.domain_tree import WIDTH
from tests.wire.test_text import assert_golden

ORACLE = "tests/properties/test_order_props.py"
CONFTEST = "tests/conftest.py"
HELPER = "tests/helpers.py"
DIGEST = Blake3("blake3:" + "c" * 64)
FILE = Entry(0o100644, bytes.fromhex("ab" * 20))
LINK = Entry(SYMLINK_MODE, bytes.fromhex("cd" * 20))
EVIL = "tests/\x1b[2Jevil\n\udcff.py"


def domain(
    *entries: Reached, subject: dict[str, str] | None = None, faults: tuple[DomainFault, ...] = ()
) -> Domain:
    """A domain with some entries."""
    return Domain(
        oracle=ORACLE,
        entries={each.path: each for each in entries},
        subject=subject or {},
        modules={},
        roots=("tests", ""),
        faults=faults,
        digest=DIGEST,
    )


SMALL = domain(
    Reached(".freeze/catalog.toml#order_total.non_negative", FILE, Why.CATALOG, part=True),
    Reached(".pytest.ini", None, Why.CONFIG, None, "pyproject.toml#tool.pytest"),
    Reached("conftest.py", None, Why.CONFTEST, ORACLE),
    Reached("hypothesis.py", None, Why.IMPORTED, HELPER, "`hypothesis` as installed"),
    Reached("hypothesis/__init__.py", None, Why.IMPORTED, HELPER, "`hypothesis` as installed"),
    Reached("json.py", None, Why.IMPORTED, ORACLE, "`json` as installed"),
    Reached("plugins/order.py", FILE, Why.PLUGIN, "pyproject.toml"),
    Reached("plugins/names.py", FILE, Why.IMPORTED, "plugins/order.py"),
    Reached("pyproject.toml#tool.pytest", FILE, Why.CONFIG, part=True),
    Reached("requirements.txt", FILE, Why.DEPENDENCIES),
    Reached(CONFTEST, FILE, Why.CONFTEST, ORACLE),
    Reached(HELPER, FILE, Why.IMPORTED, CONFTEST),
    Reached("tests/helpers/__init__.py", None, Why.IMPORTED, CONFTEST, HELPER),
    Reached("tests/properties/helpers.py", None, Why.IMPORTED, CONFTEST, HELPER),
    Reached("tests/strategies.json", FILE, Why.LISTED, ".freeze/policy.toml"),
    subject={"src/shop/order.py": HELPER, "src/plugin.py": "pyproject.toml"},
)
FAULTY = domain(
    Reached(EVIL, LINK, Why.IMPORTED, ORACLE),
    faults=(
        DomainFault("domain.not_static", ORACLE, 7, "`__import__(\x1b]0;owned\x07)`", "text"),
        DomainFault("path.symlink", EVIL, None, "a symbolic link", "regular files"),
    ),
)
PAGES = {"domain": SMALL, "domain_faulty": FAULTY, "domain_bare": domain()}


def page(shown: Domain) -> DomainPage:
    """A page on a domain."""
    reasons = {path: reason_of(each) for path, each in shown.entries.items()}
    property_id = PropertyId("order_total.non_negative")
    return DomainPage("HEAD", ObjectId("b" * 40), property_id, shown, reasons)


def difference(*changes: DomainChange) -> DomainDifference:
    """Some changes since a base."""
    shown = tuple(ShownChange(each, code_of(each), reason_of(each.reached)) for each in changes)
    return DomainDifference("origin/\u202emain", ObjectId("a" * 40), DIGEST, shown)


CHANGED = difference(
    DomainChange(HELPER, SMALL.entries[HELPER], LINK),
    DomainChange("json.py", SMALL.entries["json.py"], FILE),
    DomainChange(EVIL, FAULTY.entries[EVIL], None),
)


@pytest.mark.parametrize("name", PAGES)
def test_text(name: str) -> None:
    text = "\n".join(domain_lines(page(PAGES[name]), every=False, colour=False)) + "\n"
    assert_golden(f"{name}.txt", text)


def test_every_absent_path() -> None:
    text = "\n".join(domain_lines(page(SMALL), every=True, colour=False)) + "\n"
    assert_golden("domain_all.txt", text)
    assert all(path in text for path in SMALL.entries)


@pytest.mark.parametrize(("name", "shown"), [("changed", CHANGED), ("unchanged", difference())])
def test_what_a_revision_changes(name: str, shown: DomainDifference) -> None:
    text = "\n".join(difference_lines(page(SMALL), shown, colour=False)) + "\n"
    assert_golden(f"domain_{name}.txt", text)


def test_json() -> None:
    document = domain_document(page(SMALL), CHANGED)
    assert_golden("domain.json", json.dumps(document, indent=2) + "\n")


@pytest.mark.parametrize("colour", [True, False])
def test_colour_is_the_only_escape_sequence(colour: bool) -> None:
    lines = [
        *domain_lines(page(FAULTY), every=False, colour=colour),
        *difference_lines(page(FAULTY), CHANGED, colour=colour),
    ]
    assert any("\x1b[" in line for line in lines) is colour
    for code in ("0", "1", "2", "31"):
        lines = [line.replace(f"\x1b[{code}m", "") for line in lines]
    assert all(line.isprintable() and line.isascii() for line in lines)


def test_the_first_faults_are_told_and_the_rest_counted() -> None:
    faults = tuple(
        DomainFault("domain.not_static", ORACLE, number, "eval", "text") for number in range(50)
    )
    lines = list(domain_lines(page(domain(faults=faults)), every=False, colour=False))
    assert sum(line.startswith("error ") for line in lines) == MAX_FAULTS
    assert f"{50 - MAX_FAULTS} more: --format json" in lines
    assert "no freeze can stand on this oracle: domain.not_static" in lines


def test_a_long_chain_of_imports_stays_on_the_page() -> None:
    names = [ORACLE, *(f"tests/m{number:04}.py" for number in range(3000))]
    chain = [Reached(new, FILE, Why.IMPORTED, old) for old, new in itertools.pairwise(names)]
    lines = list(domain_lines(page(domain(*chain)), every=False, colour=False))
    assert sum(".py" in line for line in lines) == len(names)
    assert max(map(len, lines)) < WIDTH


def test_what_is_absent_is_summed_up_in_one_line_an_importer() -> None:
    absent = [
        Reached(f"a{number:03}.py", None, Why.IMPORTED, ORACLE, f"`a{number:03}` as installed")
        for number in range(200)
    ]
    lines = list(domain_lines(page(domain(*absent)), every=False, colour=False))
    summed = [line for line in lines if "absent, would win" in line]
    assert len(summed) == 1
    assert len(summed[0]) <= WIDTH
    assert "a000.py" in summed[0]
