"""Where a property's fixture lies, what its lock says, and which seed it came from.

A fixture lies under the first `[fixtures]` root in a folder named after its property:
`tests/fixtures/order_total.non_negative/0123456789abcdef.json`. A proposal, which the lock does not
hold, lies in the git directory: `GIT_DIR/freezegate/proposals/PROPERTY_ID/SHA256.json`. The seed is
noted beside the rows, in `.../samples/PROPERTY_ID/fixtures/SHA256.json`, for this clone alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import lock_here
from freezegate.errors import DecodeError, InvalidValue, UsageError
from freezegate.formats.lock import dump_lock, parse_lock
from freezegate.formats.property_fixture import (
    MAX_PROPERTY_FIXTURE_BYTES,
    PropertyFixture,
    dump_property_fixture,
    parse_property_fixture,
)
from freezegate.ledger.append import locked, replace_file
from freezegate.ledger.regular_file import read_or_nothing, read_regular
from freezegate.model.digests import Sha256
from freezegate.model.paths import RepoPath
from freezegate.policy.globs import literal_folder, matches
from freezegate.policy.guards import LOCK_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import SampleKey

_NAME_CHARS = 16  # of the digest: a folder of one property never holds two of a name
_DIGEST_NAME = re.compile(rf"[0-9a-f]{{{_NAME_CHARS}}}")


class LockedFixture(NamedTuple):
    """A fixture of the work tree; `expected` is the lock's digest, None where no lock has it."""

    path: RepoPath
    fixture: PropertyFixture
    sha256: Sha256
    expected: Sha256 | None

    @property
    def is_as_locked(self) -> bool:
        """Whether these are the bytes that were locked."""
        return self.sha256 == self.expected

    @property
    def is_as_named(self) -> bool:
        """Whether a name of `place_of` belongs to these bytes; other names tell nothing."""
        stem = self.path.rpartition("/")[2].removesuffix(".json")
        return not _DIGEST_NAME.fullmatch(stem) or self.sha256.startswith(stem)


def fixture_at(top: Path, text: str) -> tuple[RepoPath, bytes]:
    """Return path and bytes of a fixture of the work tree; raises UsageError where none is."""
    try:
        path = RepoPath(text)
        data = read_regular(top / path, MAX_PROPERTY_FIXTURE_BYTES)
    except InvalidValue as fault:
        msg = f"--fixture {text!a} is no path from the repository's top: expected {fault.expected}"
        raise UsageError(msg) from None
    except OSError as error:
        msg = f"--fixture {text!a} cannot be read: {error.strerror or error}"
        raise UsageError(msg) from None
    if data is None:
        msg = (
            f"no file {text!a} in the work tree; expected the fixture that freezegate shrink "
            f"locked: git ls-files {shlex.quote(text.rpartition('/')[0] or '.')}"
        )
        raise UsageError(msg)
    return path, data


def read_fixture(case: PropertyCase, text: str) -> LockedFixture:
    """Return a fixture with what the lock says of it: the base's, else the work tree's.

    Raises UsageError where it is none of this property's.
    """
    path, data = fixture_at(case.setting.top, text)
    fixture = parse_property_fixture(data)
    if fixture.property_id != case.entry.property_id:
        msg = (
            f"{path} is a fixture of {fixture.property_id}, not of {case.entry.property_id}; "
            f"expected --property {fixture.property_id}, or none"
        )
        raise UsageError(msg)
    landed = case.setting.view.judges.lock.value or {}
    expected = landed.get(path) or _lock(case.setting.top).get(path)
    return LockedFixture(path, fixture, _sha256(data), expected)


def place_of(case: PropertyCase, data: bytes) -> RepoPath:
    """Return where a new fixture goes; raises UsageError where `[fixtures] paths` has no room."""
    globs = case.setting.policy.fixture_paths
    roots = [literal_folder(glob) for glob in globs if not glob.startswith("!")]
    name = f"{case.entry.property_id}/{_sha256(data)[:_NAME_CHARS]}.json"
    path = RepoPath(f"{roots[0]}/{name}" if roots and roots[0] else name)
    if not roots or not matches(globs, path.raw):
        shown = ", ".join(globs) or "none"
        msg = (
            f"[fixtures] paths match no file {path} (they are: {shown}); expected a root that "
            'takes in folders: paths = ["tests/fixtures/**"] in .freeze/policy.toml'
        )
        raise UsageError(msg)
    return path


def lock_fixture(case: PropertyCase, notes: Path, fixture: PropertyFixture) -> LockedFixture:
    """Write a fixture into the work tree, and its digest into the lock there."""
    data, top = dump_property_fixture(fixture), case.setting.top
    path, sha256 = place_of(case, data), _sha256(data)
    _refuse_link(top, path)
    with locked(notes / "writing.lock"):
        lines = dict(_lock(top))
        replace_file(top / path, data)
        if lines.get(path) != sha256:
            replace_file(top / LOCK_PATH.decode(), dump_lock({**lines, path: sha256}))
    return LockedFixture(path, fixture, sha256, sha256)


def keep_proposal(notes: Path, fixture: PropertyFixture) -> Path:
    """Write an input that no lock holds into the git directory, and return where."""
    data = dump_property_fixture(fixture)
    path = notes / "proposals" / fixture.property_id / f"{_sha256(data)}.json"
    replace_file(path, data)
    return path


def note_seed(notes: Path, key: SampleKey, sha256: Sha256) -> None:
    """Note under which seed the input of a fixture was found."""
    document = {"seed": key.seed, "base_rev": key.base_rev, "candidate_rev": key.candidate_rev}
    data = json.dumps(document, sort_keys=True).encode() + b"\n"
    replace_file(_seed_note(notes, key.property_id, sha256), data)


def noted_seed(notes: Path, locked_fixture: LockedFixture) -> int | None:
    """Return the seed of a fixture, None where this clone does not know it."""
    path = _seed_note(notes, locked_fixture.fixture.property_id, locked_fixture.sha256)
    try:
        seed = json.loads(read_or_nothing(path, 4096) or b"")["seed"]
    except (ValueError, TypeError, KeyError):
        return None
    return seed if type(seed) is int else None


def _seed_note(notes: Path, property_id: str, sha256: Sha256) -> Path:
    return notes / "samples" / property_id / "fixtures" / f"{sha256}.json"


def _lock(top: Path) -> Mapping[RepoPath, Sha256]:
    try:
        return parse_lock(lock_here(top))
    except DecodeError as fault:
        msg = (
            f".freeze/fixtures.sha256 line {fault.line} does not decode: got {fault.got}, expected "
            f"{fault.expected}; to write all of it anew: freezegate lock"
        )
        raise UsageError(msg) from None


def _refuse_link(top: Path, path: RepoPath) -> None:
    """Raise UsageError where a folder above the fixture is a link that leads elsewhere."""
    folder = (top / path).parent
    if os.path.realpath(folder) != os.path.join(os.path.realpath(top), os.path.dirname(path)):
        msg = f"{os.path.dirname(path)} leads elsewhere; expected folders of this repository's own"
        raise UsageError(msg)


def _sha256(data: bytes) -> Sha256:
    return Sha256(hashlib.sha256(data).hexdigest())
