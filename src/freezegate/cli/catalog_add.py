"""`freezegate catalog add`: a draft from what was typed, the rest guessed and said."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.catalog_check import Remark, entry_remarks
from freezegate.errors import InvalidValue, UsageError
from freezegate.model.catalog import Property
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from freezegate.cli.tests_here import FilesHere
    from freezegate.model.catalog import Catalog
    from freezegate.policy.settings import Policy


class Draft(NamedTuple):
    """An entry to be proposed, and sentences on what of it was guessed."""

    entry: Property
    guessed: tuple[str, ...]


def find_draft(
    options: argparse.Namespace, catalog: Catalog, policy: Policy, files: FilesHere
) -> Draft:
    """Return the draft that the options mean; raises UsageError with what was meant, perhaps."""
    _refuse_no_text(options)
    name = property_id(options.id)
    _refuse_known(name, catalog)
    try:
        oracle, test = RepoPath(options.oracle), TestId(options.test)
        fixtures = tuple(dict.fromkeys(map(RepoPath, options.fixture)))
        own = TestId(options.property_test) if options.property_test else None
    except InvalidValue as fault:
        msg = f"{fault.got} ({fault.code}): expected {fault.expected}"
        raise UsageError(msg) from None
    if own is not None and own.path != oracle:
        msg = f"--property-test {own} is no test of {oracle}; expected {oracle}::NAME"
        raise UsageError(msg)
    entry = Property(
        property_id=name,
        statement=options.statement,
        oracle=oracle,
        property_test=own or TestId(f"{oracle}::test"),
        test=test,
        fixtures=fixtures,
        keep=tuple(options.keep),
        repeat=options.repeat,
        freezable=not options.not_freezable,
        tags=tuple(options.tag),
    )
    if own is not None:
        refuse(entry_remarks(entry, policy, files))
        return Draft(entry, ())
    refuse(each for each in entry_remarks(entry, policy, files) if each.key != "property_test")
    only = _only_test(oracle, files)
    return Draft(
        entry._replace(property_test=only), (f"property_test is {only}, the only test there",)
    )


def property_id(text: str) -> PropertyId:
    """Return a property's id; raises UsageError with the nearest legal spelling."""
    try:
        return PropertyId(text)
    except InvalidValue as fault:
        near = nearest_id(text)
        hint = f"; {near} would be one" if near else ""
        msg = f"{fault.got} is no property id: expected {fault.expected}{hint}"
        raise UsageError(msg) from None


def nearest_id(text: str) -> str:
    """Return the id that is spelled most like a text, "" where nothing of it can stay."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = (re.sub(r"[^a-z0-9_-]+", "_", word).strip("_-") for word in re.split(r"\.|::", plain))
    return ".".join(word for word in words if word).lstrip("0123456789_-.")[:200].rstrip(".")


def refuse(remarks: Iterable[Remark]) -> None:
    """Raise UsageError with all that is wrong, a sentence each."""
    told = [f"{each.got}; expected {each.expected}; {each.remedy}".rstrip("; ") for each in remarks]
    if told:
        raise UsageError("\n".join([*told, "nothing was written"]))


def unknown_id(name: str, known: Iterable[str], where: str) -> UsageError:
    """Return that an id is nowhere, with those that are spelled like it."""
    near = get_close_matches(name, list(known), n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UsageError(f"no {where} {name} in .freeze/catalog.toml{hint}; freezegate catalog list")


def _refuse_no_text(options: argparse.Namespace) -> None:
    """Raise UsageError for bytes of the command line that are no UTF-8: no file can hold them."""
    flags = ("statement", "oracle", "test", "property_test", "fixture", "keep", "tag")
    given = [(flag, getattr(options, flag)) for flag in flags]
    texts = [(flag, text) for flag, value in given for text in _texts(value)]
    for flag, text in [("ID", options.id), *texts]:
        if any("\ud800" <= char <= "\udfff" for char in text):
            word = flag if flag == "ID" else f"--{flag.replace('_', '-')}"
            msg = f"{word} {text!a} is no UTF-8 text; expected one; nothing was written"
            raise UsageError(msg)


def _texts(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def _refuse_known(name: PropertyId, catalog: Catalog) -> None:
    if name in catalog.properties:
        msg = f"{name} is a property already; expected a new id, or edit .freeze/catalog.toml"
        raise UsageError(msg)
    if name in catalog.proposed:
        msg = (
            f"{name} is proposed already; expected a new id; to let it count: "
            f"freezegate catalog accept {name}"
        )
        raise UsageError(msg)


def _only_test(oracle: RepoPath, files: FilesHere) -> TestId:
    tests = files.tests(oracle)
    if len(tests) == 1:
        return TestId(tests[0])
    got = f"{len(tests)} tests in {oracle}" if tests else f"no test in {oracle}"
    named = f": --property-test {' or '.join(tests[:5])}" if tests else " there first"
    msg = f"{got}; expected one that states the property{named}; nothing was written"
    raise UsageError(msg)
