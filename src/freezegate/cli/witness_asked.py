"""Which tests `freezegate witness` is asked about, with property, fixture and oracle of each."""

from __future__ import annotations

import shlex
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_options import latest_day, meant_day, same_again
from freezegate.errors import UsageError
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import Classified, Frozen
from freezegate.model.paths import RepoPath
from freezegate.witness.request import Terms

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from freezegate.model.catalog import Catalog, Property
    from freezegate.policy.settings import FreezeSettings


MAX_COMMITS = 10**9  # far beyond any policy's cap, far below what canonical JSON holds


class Wanted(NamedTuple):
    """One test to be witnessed; `entry` is the catalogue's at T, None where it has none.

    `own` is the branch's line that is taken anew.
    """

    test_id: TestId
    property_id: PropertyId | None
    fixture: RepoPath
    oracle: RepoPath
    entry: Property | None
    own: Classified | None = None


def add_subject_arguments(
    parser: argparse.ArgumentParser, *, runs: str = "more runs on each side"
) -> None:
    """Add the options that name tests, base and interpreter."""
    parser.add_argument("test_ids", metavar="TEST_ID", nargs="*", help="FILE::NAME of one test")
    parser.add_argument("--fixture", metavar="PATH", help="the file that the test reads")
    parser.add_argument("--oracle", metavar="PATH", help="the file that states the property")
    parser.add_argument(
        "--property", metavar="ID", action="append", help="a property of the catalogue"
    )
    parser.add_argument("--runs", metavar="N", type=int, help=runs)
    parser.add_argument("--base", metavar="REV", help="the trusted base (default: the target)")
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the interpreter that runs the tests (default: $VIRTUAL_ENV, else .venv/ at the top "
        "of the repository, else freezegate's own)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def find_wanted(
    options: argparse.Namespace, catalog: Catalog | None, own: tuple[Classified, ...]
) -> tuple[Wanted, ...]:
    """Return what the options mean, by the catalogue at T and the lines that are refreshed.

    Raises UsageError where something is missing, InvalidValue for texts that are no ids or paths.
    """
    properties = tuple(dict.fromkeys(_property(options, text) for text in options.property or ()))
    ids = tuple(dict.fromkeys(map(TestId, options.test_ids)))
    _refuse_ambiguous(options, properties, ids, own)
    if ids:
        property_id = properties[0] if properties else None
        return tuple(
            _wanted(options, catalog, _of_test(own, each), each, property_id) for each in ids
        )
    if properties:
        lines = [(_of_property(own, each), each) for each in properties]
        return tuple(
            _wanted(options, catalog, line, _test_of(each, catalog, line), each)
            for line, each in lines
        )
    if not own:
        raise UsageError(_nothing_named(options))
    return tuple(_wanted(options, catalog, line, line.test_id, line.property_id) for line in own)


def _property(options: argparse.Namespace, text: str) -> PropertyId:
    """Return a property id; raises UsageError for a test's id in its place, else InvalidValue."""
    if "::" in text and not options.test_ids:
        again = same_again(options, property=[], test_ids=[text])
        msg = f"--property {text!a} is no property's id but a test's: {again}"
        raise UsageError(msg)
    return PropertyId(text)


def _refuse_ambiguous(
    options: argparse.Namespace,
    properties: tuple[PropertyId, ...],
    ids: tuple[TestId, ...],
    own: tuple[Classified, ...],
) -> None:
    """Raise UsageError where one option would have to hold for several tests."""
    if ids and len(properties) > 1:
        msg = (
            f"{len(properties)} properties and TEST_ID do not go together; the catalogue knows "
            f"the tests: freezegate {options.verb} "
            + " ".join(f"--property {shlex.quote(each)}" for each in properties)
        )
        raise UsageError(msg)
    several = len(properties) > 1 or (not ids and not properties and len(own) > 1)
    for option, value in (("--fixture", options.fixture), ("--oracle", options.oracle)):
        if several and value is not None:
            msg = (
                f"{option} goes with one test, and several are meant; name one: "
                f"freezegate {options.verb} TEST_ID {option} {shlex.quote(value)}"
            )
            raise UsageError(msg)


def _nothing_named(options: argparse.Namespace) -> str:
    if getattr(options, "refresh", False):
        return (
            "this branch asks for nothing that --refresh could take anew; to ask for a freeze: "
            "freezegate witness --property ID --owner NAME --expires-on DATE"
        )
    return (
        "no test is named; expected TEST_ID, or --property with a catalogue entry: "
        f"freezegate {options.verb} --property ID"
    )


def _of_test(own: Iterable[Classified], test_id: TestId) -> Classified | None:
    return next((line for line in own if line.test_id == test_id), None)


def _of_property(own: tuple[Classified, ...], property_id: PropertyId) -> Classified | None:
    named = next((line for line in own if line.property_id == property_id), None)
    return named or (own[0] if len(own) == 1 else None)


def find_terms(
    options: argparse.Namespace, own: Classified | None, settings: FreezeSettings
) -> Terms | None:
    """Return owner and end, None where neither was said: then nothing is asked for yet."""
    owner, day, commits = options.owner, options.expires_on, options.expires_after_commits
    if isinstance(own, Frozen):
        owner = own.owner if owner is None else owner
        if day is None and commits is None:
            day, commits = own.expires_on, own.expires_after_commits
    if owner is None and day is None and commits is None:
        return None
    if owner is not None and not owner.isprintable():
        msg = f"--owner {owner!a} is nobody's name; expected a person or a team, as printable text"
        raise UsageError(msg)
    if commits is not None and abs(commits) > MAX_COMMITS:
        msg = f"--expires-after-commits {commits} is no number of commits; at most {MAX_COMMITS}"
        raise UsageError(msg)
    if day is not None:
        _refuse_no_day(day, options, settings)
    return Terms(owner=owner, expires_on=day, expires_after_commits=commits)


def _refuse_no_day(text: str, options: argparse.Namespace, settings: FreezeSettings) -> None:
    try:
        good = date.fromisoformat(text).isoformat() == text
    except ValueError:
        good = False
    if not good:
        meant, latest = meant_day(text), latest_day(settings)
        said = f"that day is {meant}" if meant else ""
        if meant is None or meant > latest:
            said, meant = (
                ", and ".join(filter(None, (said, f"{latest} is the latest (UTC)"))),
                latest,
            )
        again = same_again(options, expires_on=meant)
        msg = f"--expires-on {text!a} is no date as it is written here, YYYY-MM-DD; {said}: {again}"
        raise UsageError(msg)


def _test_of(property_id: PropertyId, catalog: Catalog | None, own: Classified | None) -> TestId:
    entry = catalog.properties.get(property_id) if catalog else None
    if entry is not None:
        return entry.test
    if own is not None:
        return own.test_id
    from difflib import get_close_matches

    names = [str(name) for name in catalog.properties] if catalog else []
    near = get_close_matches(property_id, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    msg = (
        f"no property {property_id} in .freeze/catalog.toml at the trusted base; {hint}"
        "catalogue it in a patch of its own (freezegate catalog add --help); under the preset "
        "basic alone: freezegate witness TEST_ID --fixture PATH --oracle PATH"
    )
    raise UsageError(msg)


def _wanted(
    options: argparse.Namespace,
    catalog: Catalog | None,
    own: Classified | None,
    test_id: TestId,
    property_id: PropertyId | None,
) -> Wanted:
    same = own if own and own.test_id == test_id else None
    if property_id is None and same:
        property_id = same.property_id
    entry = _entry(catalog, test_id, property_id)
    fixture = options.fixture or (same and same.fixture_path) or _only_fixture(entry)
    oracle = options.oracle or (same and same.oracle_path) or (entry and entry.oracle)
    for option, value in (("--fixture", fixture), ("--oracle", oracle)):
        if not value:
            msg = (
                f"no {option} for {test_id}: no catalogue entry at the trusted base names this "
                f"test; expected {option} PATH, or --property ID"
            )
            raise UsageError(msg)
    name = property_id or (entry.property_id if entry else None)
    return Wanted(test_id, name, RepoPath(str(fixture)), RepoPath(str(oracle)), entry, same)


def _entry(
    catalog: Catalog | None, test_id: TestId, property_id: PropertyId | None
) -> Property | None:
    if catalog is None:
        return None
    if property_id is not None:
        return catalog.properties.get(property_id)
    found = [entry for entry in catalog.properties.values() if entry.test == test_id]
    if len(found) > 1:
        names = " or ".join(entry.property_id for entry in found)
        msg = f"several properties name {test_id}; expected one: --property {names}"
        raise UsageError(msg)
    return found[0] if found else None


def _only_fixture(entry: Property | None) -> RepoPath | None:
    if entry is None:
        return None
    if len(entry.fixtures) > 1:
        names = " or ".join(entry.fixtures)
        msg = f"{entry.property_id} has several fixtures; expected one: --fixture {names}"
        raise UsageError(msg)
    if not entry.fixtures:
        msg = (
            f"{entry.property_id} has no file in `fixtures` of .freeze/catalog.toml at the trusted "
            "base, and a window is of one; expected --fixture PATH, a locked file that the test "
            f"reads; without one: freezegate sample --property {entry.property_id} --seeds 20"
        )
        raise UsageError(msg)
    return entry.fixtures[0]
