"""`freezegate init`: write `.freeze/` with the repository's own paths guessed and explained."""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.cli.guess import Guess, guess_paths
from freezegate.cli.line_endings import keep_bytes_command
from freezegate.errors import DecodeError, InvalidValue, UsageError
from freezegate.formats.lock import dump_lock
from freezegate.formats.policy import parse_policy
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.model.digests import Sha256
from freezegate.model.globs import Glob
from freezegate.model.paths import RepoPath
from freezegate.policy.globs import matches
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.git.session import TrackedFile

SUMMARY = "write .freeze/ with this repository's paths, guessed and explained"
EXAMPLES = """\
examples:
  freezegate init                         guess, write, and say the next three steps
  freezegate init --target refs/heads/trunk
  freezegate init --print                 show the policy, write nothing

writes: .freeze/policy.toml, .freeze/catalog.toml, .freeze/fixtures.sha256; a repository that has
a .freeze/policy.toml already is left as it is
"""
_PRESETS = """\
# basic:    two runs of the patch that disagree on the same fixture bytes, written by hand;
#           freezegate witness wants mixed runs on base and patch under every preset
# standard: mixed runs on base and patch, a catalogue entry, evidence (freezegate witness)
# strict:   more runs, and an oracle that vouches for more than the frozen test"""
_CATALOG = """\
# What must hold, under a stable name, and the test that states it (the oracle). Only catalogued
# properties can be frozen under `standard` and `strict`. An entry:
#
# [property."order_total.non_negative"]
# statement = "The total of an order is never negative."
# oracle = "tests/properties/test_order_props.py"
# property_test = "tests/properties/test_order_props.py::test_total_is_never_negative"
# test = "tests/test_orders.py::test_total_with_discount"   # what may be frozen
# fixtures = ["tests/fixtures/order.json"]
"""
_NOTHING_TRACKED = """
git tracks no file here yet, and only tracked files are looked at: nothing of the above was found.
Once more, with files: cd "$(git rev-parse --show-toplevel)" && git add . &&
    git reset -q .freeze && rm .freeze/policy.toml .freeze/catalog.toml .freeze/fixtures.sha256 &&
    {again}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--target", metavar="REF", help="the protected ref (default: guessed)")
    parser.add_argument("--preset", choices=tuple(map(str, Preset)), default="basic")
    parser.add_argument("--print", action="store_true", help="show the policy, write nothing")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write the files, say what was guessed and what comes next."""
    with git_faults_refuse():
        session = Session.open(environ)
        top = _work_tree(session)
        files = session.tracked_files()
        target = options.target or session.default_target()
    guess = guess_paths(tuple(file.path for file in files))
    policy = policy_text(guess, target, options.preset)
    _refuse_bad_target(policy, target)
    if options.print:
        print(policy, end="")
        return 0
    if (top / ".freeze" / "policy.toml").exists():
        print(_already(top))
        return 0
    lock = _lock(session, files, guess)
    _write(top, {"policy.toml": policy, "catalog.toml": _CATALOG, "fixtures.sha256": lock})
    _tell(guess, target, lock.count("\n"), options.preset)
    if not files:
        print(_NOTHING_TRACKED.format(again=_again(options)))
    return 0


def _again(options: argparse.Namespace) -> str:
    words = ["freezegate", "init"]
    words += ["--preset", options.preset] if options.preset != Preset.BASIC else []
    words += ["--target", options.target] if options.target else []
    return shlex.join(words)


def _already(top: Path) -> str:
    """Say what the policy that stands here is, as far as it decodes."""
    told = ".freeze/policy.toml is there already"
    try:
        standing = parse_policy((top / ".freeze" / "policy.toml").read_bytes())
    except (OSError, DecodeError):
        return f"{told}, and does not decode: nothing was changed; see: freezegate doctor"
    targets = ", ".join(map(str, standing.targets))
    return (
        f'{told} (extends = "{standing.preset}", targets {targets}): nothing was changed; edit it '
        "in a patch of its own, and see what it does: freezegate doctor"
    )


def policy_text(guess: Guess, target: str, preset: str) -> str:
    """Return the policy with each line explained."""
    return f"""\
# What freezegate judges patches by. It is read at the target, never from the patch that it
# judges, and changes in a patch of its own. All keys: policy/{preset}.toml of freezegate.
version = 1

{_PRESETS}
extends = "{preset}"

[base]
# The protected refs, by their full names at the remote: what patches are judged against.
targets = ["{target}"]

[subject]
# The code that patches change.
paths = {_list(guess.subject)}

[oracle]
# The tests that state properties. A patch that asks for a freeze may not touch them.
paths = {_list(guess.oracle)}

[fixtures]
# The files whose exact bytes tests read. Each one that may be frozen has a line in
# .freeze/fixtures.sha256: sha256sum PATH
paths = {_list(guess.fixtures)}

# [protected]
# # Never frozen; a patch that touches these is for a person, however green it is.
# paths = ["src/payments/**"]
# tags = ["payments"]
"""


def _list(globs: tuple[str, ...]) -> str:
    if not globs:
        return "[]  # nothing here looks like one: name them before you ask for a freeze"
    return "[" + ", ".join(f'"{glob}"' for glob in globs) + "]"


def _work_tree(session: Session) -> Path:
    if not session.repository.workdir:
        msg = "a bare repository has no work tree to write .freeze/ into; run this in a clone"
        raise UsageError(msg)
    return Path(session.repository.workdir)


def _refuse_bad_target(policy: str, target: str) -> None:
    try:
        parse_policy(policy.encode())
    except DecodeError as error:
        msg = f"--target {target!a}: expected {error.expected}"
        raise UsageError(msg) from None


def _lock(session: Session, files: tuple[TrackedFile, ...], guess: Guess) -> str:
    """The lock of all fixtures that are tracked now, by their blobs' bytes."""
    globs = tuple(Glob(glob) for glob in guess.fixtures)
    locked: dict[RepoPath, Sha256] = {}
    for file in files:
        if not matches(globs, file.path.encode()):
            continue
        try:
            path = RepoPath(file.path)
        except InvalidValue:
            continue  # no path that a freeze may name
        locked[path] = Sha256(hashlib.sha256(session.bytes_of(file)).hexdigest())
    return dump_lock(locked).decode()


def _write(top: Path, files: dict[str, str]) -> None:
    folder = top / ".freeze"
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        msg = f"{folder} is no folder; move it away, then run this again"
        raise UsageError(msg)
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name
        if not path.exists():
            beside = folder / f".{name}.new"
            beside.write_text(text, encoding="utf-8")
            os.replace(beside, path)


def _tell(guess: Guess, target: str, locked: int, preset: str) -> None:
    print("wrote .freeze/policy.toml, .freeze/catalog.toml, .freeze/fixtures.sha256\n")
    for what, globs in (
        ("preset", (f"{preset} (--preset standard asks for evidence of base and patch)",))
        if preset == Preset.BASIC
        else ("preset", (preset,)),
        ("target", (target,)),
        ("tests", guess.tests),
        ("subject", guess.subject),
        ("oracle", guess.oracle),
        ("fixtures", guess.fixtures),
    ):
        print(f"  {what:<9} {', '.join(globs) or 'nothing found: fill it in'}")
    print(f"  locked    {locked} fixture{'s' if locked != 1 else ''}")
    print(
        "\nnext:\n"
        "  1. read .freeze/policy.toml, correct what was guessed, and commit it:\n"
        "     git add ':/.freeze' && git commit -m \"Guard the tests with freezegate\"\n"
        "  2. let git ask: freezegate install\n"
        f"  3. land it on {target.removeprefix('refs/heads/')}, then: freezegate doctor\n"
        "\nwhere git rewrites line endings (core.autocrlf), commit this as well:\n"
        f"     {keep_bytes_command(guess.fixtures)}"
    )
