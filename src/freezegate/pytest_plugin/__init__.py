"""The pytest plugin: a test is skipped while its freeze holds on the very bytes that lie there.

It needs no configuration. The ledger, the catalogue and the evidence that are checked out are
what it goes by; a required `freezegate check` is what makes those trustworthy. Whatever cannot be
read, or does not fit to the last byte, never skips: the test runs, and the summary says why.

Loaded in every pytest session of an environment that has freezegate: nothing of freezegate is
imported here until a collected test claims a property that was frozen.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from freezegate.pytest_plugin.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from freezegate.pytest_plugin.session import Frozen

_SESSION: pytest.StashKey[Frozen] = pytest.StashKey()
_BEGUN: pytest.StashKey[datetime] = pytest.StashKey()
DEFAULT_RUNS = 7
_RUNS_OPTION = "--freezegate-frozen-runs"
_CLOCK = (time.time,)  # in a tuple, for tests' clocks replace what stands in a module

_MARKERS = (
    "property_id(id): the property that this test checks, by its id in .freeze/catalog.toml",
    "fixture(path, ...): the files, from the repository's top, whose bytes the property reads",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of frozen tests."""
    group = parser.getgroup("freezegate", "tests frozen on witnessed evidence")
    group.addoption(
        "--freezegate-run-frozen",
        action="store_true",
        help="run frozen tests too; they fail the session only where none passes",
    )
    group.addoption(
        _RUNS_OPTION,
        type=int,
        default=DEFAULT_RUNS,
        metavar="N",
        help="how often at most each is run for that; the first run that passes is enough "
        "(default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known, and take the time before any test can change it."""
    if config.option.freezegate_frozen_runs < 1:
        msg = f"{_RUNS_OPTION} must be 1 or more"
        raise pytest.UsageError(msg)
    if _RUNS_OPTION in _typed(config) and not config.option.freezegate_run_frozen:
        msg = f"{_RUNS_OPTION} says how often --freezegate-run-frozen runs a test; give both"
        raise pytest.UsageError(msg)
    config.stash[_BEGUN] = datetime.fromtimestamp(_CLOCK[0](), UTC)
    for line in _MARKERS if _is_guarded(config) else _MARKERS[:1]:
        config.addinivalue_line("markers", line)
    config.pluginmanager.register(Summary(), "freezegate-summary")


def _typed(config: pytest.Config) -> set[str]:
    """Return the words of the command line: `addopts` may hold what another session needs."""
    return {str(word).partition("=")[0] for word in config.invocation_params.args}


def _is_guarded(config: pytest.Config) -> bool:
    """Whether the session is about a guarded repository: elsewhere `fixture` is a misspelling."""
    from freezegate.pytest_plugin.guarded import guarded_top

    begin = config.invocation_params.dir
    named = [begin / each.partition("::")[0] for each in config.args]
    return any(map(guarded_top, (config.rootpath, begin, *map(Path.absolute, named))))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note which item claims which property, before any is deselected."""
    from freezegate.pytest_plugin.guarded import by_repository

    repositories = by_repository(items)
    if repositories:
        from freezegate.pytest_plugin.session import Frozen

        config.stash[_SESSION] = Frozen.of(repositories, config, config.stash[_BEGUN])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Decide on each claimed test just before its turn: an earlier one may change files."""
    frozen = item.config.stash.get(_SESSION, None)
    return None if frozen is None else frozen.before(item, nextitem)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a frozen test where skip markers mean nothing, as under `-p no:skipping`."""
    frozen = item.config.stash.get(_SESSION, None)
    if frozen is not None:
        frozen.set_up(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Tell a frozen test's own teardown from that of fixtures which outlive it."""
    frozen = item.config.stash.get(_SESSION, None)
    if frozen is not None and frozen.trial is not None:
        frozen.trial.take_down()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Keep what a frozen test's runs say from counting."""
    outcome = yield
    frozen = item.config.stash.get(_SESSION, None)
    if frozen is not None and frozen.trial is not None:
        frozen.trial.note(outcome.get_result())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what could not be read to the summary; a worker's goes to the controller's."""
    config = session.config
    frozen = config.stash.get(_SESSION, None)
    if frozen is None:
        return
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output["freezegate"] = list(frozen.warnings)
    summary = config.pluginmanager.get_plugin("freezegate-summary")
    if summary is not None:
        summary.warnings.update(frozen.warnings)
