"""The pytest test that replays a locked input, written where somebody asked for it."""

from __future__ import annotations

import json
import os
import re
import shlex
from keyword import iskeyword
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.ledger.append import replace_file
from freezegate.model.paths import RepoPath
from freezegate.model.sample import TestKind
from freezegate.report.regression import Regression, regression_test

if TYPE_CHECKING:
    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.model.sample import PropertySeen

_TEST_NAME = re.compile(r"test_\w+|\w+_test")  # what pytest collects unless it is told otherwise


def refuse_place(case: PropertyCase, text: str | None) -> None:
    """Raise UsageError where a regression test cannot stand: before the runs, since it costs none.

    The test imports the oracle as pytest does for tests of its folder, so it stands beside it.
    """
    if text is None:
        return
    path = RepoPath(text)
    why_not = _no_name(case, path) or _no_module(case)
    folder, name = os.path.split(case.setting.top / path)
    if why_not is None and os.path.realpath(folder) != _whole(case, os.path.dirname(path)):
        why_not = f"{os.path.dirname(path)} leads elsewhere; name a folder of the repository's own"
    if why_not is None and os.path.lexists(os.path.join(folder, name)):
        why_not = f"{path} is there already; name a new file"
    if why_not is not None:
        msg = f"--write-test: {why_not}"
        raise UsageError(msg)


def _whole(case: PropertyCase, folder: str) -> str:
    return os.path.normpath(os.path.join(os.path.realpath(case.setting.top), folder))


def _no_name(case: PropertyCase, path: RepoPath) -> str | None:
    """Return why pytest collects no new test of this path beside the oracle."""
    folder, _, name = path.rpartition("/")
    oracle_folder = case.entry.oracle.rpartition("/")[0]
    stem, ending = name.removesuffix(".py"), name.endswith(".py")
    if folder == oracle_folder and ending and _TEST_NAME.fullmatch(stem):
        return None
    example = f"{oracle_folder}/test_regressions.py".removeprefix("/")
    return (
        f"{path} is no test file beside the oracle {case.entry.oracle}, from where it is imported; "
        f"expected a name like {example}"
    )


def _no_module(case: PropertyCase) -> str | None:
    """Return why no test can import the oracle by its name."""
    again = "replay its inputs with freezegate replay --fixture"
    module = _module_of(case)
    if not all(part.isidentifier() and not iskeyword(part) for part in module.split(".")):
        return f"no import statement can name {case.entry.oracle}; {again}"
    mode = case.setting.view.config(case.entry.oracle).import_mode
    if mode == "importlib":
        return f"pytest imports {case.entry.oracle} by its path (--import-mode importlib); {again}"
    return None


def write_test(
    case: PropertyCase, fixture: LockedFixture, path: RepoPath, *, why_not: str | None
) -> None:
    """Write the test to a path that `refuse_place` let pass; raises UsageError for none."""
    refuse_place(case, path)  # the runs took time, and they are the patch's
    if why_not is not None:
        msg = f"--write-test: {why_not}"
        raise UsageError(msg)
    about = Regression(
        property_id=case.entry.property_id,
        property_test=case.entry.property_test,
        module=_module_of(case),
        fixture=fixture.path,
        is_plain='"$' not in json.dumps(fixture.fixture.arguments),
    )
    replace_file(case.setting.top / path, regression_test(about, path).encode())


def no_plain_test(
    case: PropertyCase, fixture: LockedFixture, seen: PropertySeen | None
) -> str | None:
    """Return why no function with this input alone replays the fixture, None where one does."""
    again = f"freezegate replay --fixture {shlex.quote(fixture.path)}"
    test = case.entry.property_test
    if seen is None or seen.kind is not TestKind.GIVEN:
        return f"{test} is to be awaited, which a plain test does not; what replays it: {again}"
    if seen.from_pytest or test.parameter is not None:
        names = ", ".join(seen.from_pytest) or "its parameter"
        return f"{test} gets {names} from pytest; what replays it: {again}"
    if '"$data"' in json.dumps(fixture.fixture.arguments):
        return f"{test} draws its input itself (data()); what does: {again}"
    return _no_module(case)


def _module_of(case: PropertyCase) -> str:
    """Return the oracle's module as pytest imports it: from the first folder that is no package."""
    *folders, file = case.entry.oracle.removesuffix(".py").split("/")
    parts = [file]
    while folders and case.step.tree.entry("/".join([*folders, "__init__.py"]).encode()):
        parts.insert(0, folders.pop())
    return ".".join(parts)
