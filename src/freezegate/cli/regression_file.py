"""The pytest test that replays a locked input, written where somebody asked for it."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.ledger.append import replace_file
from freezegate.report.regression import Regression, regression_test

if TYPE_CHECKING:
    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.model.paths import RepoPath


def write_test(
    case: PropertyCase, fixture: LockedFixture, path: RepoPath, *, why_not: str | None
) -> None:
    """Write the test to a path of the work tree; raises UsageError where there is none to write."""
    target = case.setting.top / path
    if why_not is None and target.exists():
        why_not = f"{path} is there already; name a new file"
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
    replace_file(target, regression_test(about, path).encode())


def no_plain_test(
    case: PropertyCase, fixture: LockedFixture, from_pytest: tuple[str, ...]
) -> str | None:
    """Return why no function with this input alone replays the fixture, None where one does."""
    again = f"freezegate replay --fixture {shlex.quote(fixture.path)}"
    if from_pytest or case.entry.property_test.parameter is not None:
        names = ", ".join(from_pytest) or "its parameter"
        return f"{case.entry.property_test} gets {names} from pytest; what replays it: {again}"
    if '"$data"' in json.dumps(fixture.fixture.arguments):
        return f"{case.entry.property_test} draws its input itself (data()); what does: {again}"
    return None


def _module_of(case: PropertyCase) -> str:
    """Return the oracle's module as pytest imports it: from the first folder that is no package."""
    *folders, file = case.entry.oracle.removesuffix(".py").split("/")
    parts = [file]
    while folders and case.step.tree.entry("/".join([*folders, "__init__.py"]).encode()):
        parts.insert(0, folders.pop())
    return ".".join(parts)
