"""Plugins that would change what is seen, in an environment that has them installed.

Set WITNESS_PLUGINS_PYTHON to an interpreter with pytest and the plugins that the tests name.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from freezegate.model.observation import FileObservation, Observation
from freezegate.witness.process import FileRequest, observe_file
from tests.witness.support import PATIENCE_S, PYTHON, observed, plant, run, word_of

PLUGINS_PYTHON = Path(os.environ.get("WITNESS_PLUGINS_PYTHON", str(PYTHON)))


@cache
def has(module: str) -> bool:
    """Say whether the interpreter with the plugins has one."""
    found = subprocess.run(
        [PLUGINS_PYTHON, "-c", f"import {module}"], capture_output=True, check=False
    )
    return found.returncode == 0


def need(module: str) -> None:
    """Skip where a plugin is not installed."""
    if not has(module):
        pytest.skip(f"{module} is not installed; see WITNESS_PLUGINS_PYTHON")


# module, addopts, mark, a line of pyproject's settings
RERUNS = [
    ("pytest_rerunfailures", "--reruns 3", "", ""),
    ("pytest_rerunfailures", "", "@pytest.mark.flaky(reruns=3)", ""),
    ("pytest_rerunfailures", "", "", 'reruns = "3"'),
    ("flaky", "--force-flaky --max-runs=3", "", ""),
    ("flaky", "", "@pytest.mark.flaky(max_runs=3)", ""),
    ("pytest_retry", "--retries 3", "", ""),
    ("pytest_retry", "", "@pytest.mark.flaky(retries=3)", ""),
    ("pytest_retry", "", "", 'retries = "3"'),
    ("pytest_repeat", "--count 3", "", ""),
    ("pytest_repeat", "", "@pytest.mark.repeat(3)", ""),
    ("pytest_flakefinder", "--flake-finder --flake-runs=3", "", ""),
    ("xdist", "-n 2", "", ""),
    ("pytest_randomly", "-p randomly", "", ""),
    ("random_order", "--random-order", "", ""),
]


@pytest.mark.parametrize(("module", "addopts", "mark", "line"), RERUNS)
def test_the_first_execution_is_the_only_one(
    tmp_path: Path, module: str, addopts: str, mark: str, line: str
) -> None:
    need(module)
    text = f"""
import pytest
N = []
{mark}
def test_it():
    N.append(1)
    with open("ran", "a") as file: file.write("x")
    assert len(N) > 1
"""
    ini = f'[tool.pytest.ini_options]\naddopts = "{addopts}"\n{line}\nstrict_markers = true\n'
    tree = plant(tmp_path, {"test_it.py": text, "pyproject.toml": ini})
    assert not observed(tree, python=PLUGINS_PYTHON, plugins=None).passed
    assert (tree / "ran").read_text() == "x"


def test_a_rerun_plugin_that_conftest_asks_for_is_off(tmp_path: Path) -> None:
    need("flaky")
    conftest = 'pytest_plugins = ["flaky.flaky_pytest_plugin"]'
    text = """
        from flaky import flaky
        N = []
        @flaky(max_runs=3)
        def test_it():
            N.append(1)
            assert len(N) > 1
    """
    tree = plant(tmp_path, {"test_it.py": text, "conftest.py": conftest})
    answer = run(tree, python=PLUGINS_PYTHON, plugins=None)
    assert word_of(answer) == "failed"


def test_conftests_for_xdist_still_load(tmp_path: Path) -> None:
    need("xdist")
    conftest = """
        def pytest_configure_node(node): pass
        def pytest_xdist_auto_num_workers(config): return 2
        def pytest_configure(config): config.option.numprocesses = 2
    """
    text = "def test_it(worker_id): assert worker_id == 'master'"
    tree = plant(tmp_path, {"test_it.py": text, "conftest.py": conftest})
    assert observed(tree, python=PLUGINS_PYTHON, plugins=None).passed


@pytest.mark.parametrize("keep", [("-n", "2"), ("-n2",)])
def test_xdist_is_off_even_where_its_option_is_kept(tmp_path: Path, keep: tuple[str, ...]) -> None:
    need("xdist")
    tree = plant(tmp_path, {"test_it.py": "def test_it(): assert 0"})
    assert not observed(tree, python=PLUGINS_PYTHON, plugins=None, keep_options=keep).passed


ASYNC = """
    import asyncio, pytest
    @pytest.mark.asyncio
    async def test_it():
        await asyncio.sleep(0)
        assert 0
"""


@pytest.mark.parametrize(
    "plugins",
    [None, ("pytest_asyncio",), ("asyncio",), ("pytest-asyncio",), ("pytest_asyncio.plugin",)],
)
def test_async_tests(tmp_path: Path, plugins: tuple[str, ...] | None) -> None:
    need("pytest_asyncio")
    tree = plant(tmp_path, {"test_it.py": ASYNC})
    answer = observed(tree, python=PLUGINS_PYTHON, plugins=plugins)
    assert answer.failure is not None
    assert answer.failure.frames[-1].source == "assert 0"
    assert answer.effects == ()
    assert answer.environment.plugins == plugins


def test_async_tests_without_their_plugin_are_no_observation_or_a_failure(tmp_path: Path) -> None:
    need("pytest_asyncio")
    text = "async def test_it(): pass"
    answer = run(plant(tmp_path, {"test_it.py": text}), python=PLUGINS_PYTHON, plugins=())
    assert word_of(answer) in ("skipped", "failed")


def test_a_listed_plugin_that_is_missing_is_named(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass"})
    answer = run(tree, plugins=("pytest_nothing_such",))
    assert not isinstance(answer, Observation)
    assert word_of(answer) == "usage_error"
    assert "pytest_nothing_such" in answer.got


def test_a_timeout_of_pytest_timeout_is_a_failure(tmp_path: Path) -> None:
    need("pytest_timeout")
    text = """
        import pytest, time
        @pytest.mark.timeout(0.2)
        def test_it(): time.sleep(30)
    """
    tree = plant(tmp_path, {"test_it.py": text})
    assert not observed(tree, python=PLUGINS_PYTHON, plugins=None).passed


def test_coverage_does_not_matter(tmp_path: Path) -> None:
    need("pytest_cov")
    ini = '[tool.pytest.ini_options]\naddopts = "--cov=. --cov-fail-under=100"\n'
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass", "pyproject.toml": ini})
    answer = observed(tree, python=PLUGINS_PYTHON, plugins=None)
    assert answer.passed
    assert answer.writes == ()


def test_a_whole_file_keeps_its_order(tmp_path: Path) -> None:
    need("pytest_randomly")
    text = "N = []\n" + "\n".join(
        f"def test_{i}():\n    assert len(N) == {i}\n    N.append(1)" for i in range(9)
    )
    tree = plant(tmp_path, {"test_it.py": text})
    answer = observe_file(
        FileRequest(tree=tree, python=PLUGINS_PYTHON, timeout_s=PATIENCE_S, path="test_it.py")
    )
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed) == (9, 0)


def test_nothing_reaches_out_in_an_idle_run_with_every_plugin(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass"})
    answer = observed(tree, python=PLUGINS_PYTHON, plugins=None)
    assert answer.effects == ()
