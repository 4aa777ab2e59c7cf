"""Plugins that would change what is seen, in an environment that has them installed."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.model.observation import FileObservation, Observation
from freezegate.policy.messages import Folders
from freezegate.policy.signatures import fail_signature
from freezegate.witness.process import observe_file
from freezegate.witness.run_requests import FileRequest
from tests.witness.support import PATIENCE_S, observed, plant, run, word_of

WANTED = Path(__file__).with_name("plugins.txt")
INSTALL_S = 180  # an index that answers needs a few seconds


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with every plugin; without an index there is nothing to test."""
    top = tmp_path_factory.getbasetemp()
    folder = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "plugins"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:  # workers of pytest-xdist install once
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(folder)
    return folder / "venv" / "bin" / "python"


def _install(folder: Path) -> None:
    """Make the environment, pinned by hash; a worker tells the others what it came to."""
    done = folder / "done"
    if not done.exists():
        done.write_text(_refusal(folder / "venv"))
    if done.read_text():
        pytest.skip(f"no package index gave the plugins: {done.read_text()}")


def _refusal(venv: Path) -> str:
    make = [sys.executable, "-m", "venv", "--without-pip", str(venv)]
    subprocess.run(make, check=True, capture_output=True)
    command = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install"]
    command += ["--quiet", "--disable-pip-version-check", "--retries", "1", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "-r", str(WANTED)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=INSTALL_S
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {INSTALL_S} s"
    assert "DO NOT MATCH THE HASHES" not in done.stderr, done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (errors or [f"exit status {done.returncode}"])[-1] if done.returncode else ""


# plugin, addopts, mark, a line of pyproject's settings
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


@pytest.mark.parametrize(
    ("addopts", "mark", "line"), [pytest.param(*c[1:], id=c[0]) for c in RERUNS]
)
def test_the_first_execution_is_the_only_one(
    tmp_path: Path, python: Path, addopts: str, mark: str, line: str
) -> None:
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
    assert not observed(tree, python=python, plugins=None).passed
    assert (tree / "ran").read_text() == "x"


def test_a_rerun_plugin_that_conftest_asks_for_is_off(tmp_path: Path, python: Path) -> None:
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
    answer = run(tree, python=python, plugins=None)
    assert word_of(answer) == "failed"


def test_conftests_for_xdist_still_load(tmp_path: Path, python: Path) -> None:
    conftest = """
        def pytest_configure_node(node): pass
        def pytest_xdist_auto_num_workers(config): return 2
        def pytest_configure(config): config.option.numprocesses = 2
    """
    text = "def test_it(worker_id): assert worker_id == 'master'"
    tree = plant(tmp_path, {"test_it.py": text, "conftest.py": conftest})
    assert observed(tree, python=python, plugins=None).passed


@pytest.mark.parametrize("keep", [("-n", "2"), ("-n2",)])
def test_xdist_is_off_even_where_its_option_is_kept(
    tmp_path: Path, python: Path, keep: tuple[str, ...]
) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): assert 0"})
    assert not observed(tree, python=python, plugins=None, keep_options=keep).passed


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
def test_async_tests(tmp_path: Path, python: Path, plugins: tuple[str, ...] | None) -> None:
    tree = plant(tmp_path, {"test_it.py": ASYNC})
    answer = observed(tree, python=python, plugins=plugins)
    assert answer.failure is not None
    assert answer.failure.frames[-1].source == "assert 0"
    assert answer.effects == ()
    assert answer.environment.plugins == plugins


def test_async_tests_without_their_plugin_are_no_observation_or_a_failure(
    tmp_path: Path, python: Path
) -> None:
    text = "async def test_it(): pass"
    answer = run(plant(tmp_path, {"test_it.py": text}), python=python, plugins=())
    assert word_of(answer) in ("skipped", "failed")


def test_a_listed_plugin_that_is_missing_is_named(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass"})
    answer = run(tree, plugins=("pytest_nothing_such",))
    assert not isinstance(answer, Observation)
    assert word_of(answer) == "usage_error"
    assert "pytest_nothing_such" in answer.got


TIMEOUT = """
    import pytest, time
    @pytest.mark.timeout(0.3, method="{method}")
    def test_it():
        {line}
"""
LINES = ("time.sleep(30)", "while True: time.sleep(0)")


def test_a_timeout_of_pytest_timeout_is_one_failure_wherever_it_strikes(
    tmp_path: Path, python: Path
) -> None:
    signatures = set()
    for number, line in enumerate(LINES):
        text = TIMEOUT.format(method="signal", line=line)
        tree = plant(tmp_path / str(number), {"test_it.py": text})
        failure = observed(tree, python=python, plugins=None).failure
        assert failure is not None
        signatures.add(
            fail_signature(
                failure,
                equal_paths={"test_it.py"},
                folders=Folders(),
                max_chars=MAX_SIGNATURE_CHARS,
            )
        )
    assert signatures == {
        "Failed | test_it.py:test_it | - | Timeout (><duration>) from pytest-timeout."
    }


def test_a_timeout_that_ends_the_process_is_no_observation(tmp_path: Path, python: Path) -> None:
    text = TIMEOUT.format(method="thread", line=LINES[0])
    answer = run(plant(tmp_path, {"test_it.py": text}), python=python, plugins=None)
    assert word_of(answer) == "exited_early"


def test_coverage_does_not_matter(tmp_path: Path, python: Path) -> None:
    ini = '[tool.pytest.ini_options]\naddopts = "--cov=. --cov-fail-under=100"\n'
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass", "pyproject.toml": ini})
    answer = observed(tree, python=python, plugins=None)
    assert answer.passed
    assert answer.writes == ()


def test_a_whole_file_keeps_its_order(tmp_path: Path, python: Path) -> None:
    text = "N = []\n" + "\n".join(
        f"def test_{i}():\n    assert len(N) == {i}\n    N.append(1)" for i in range(9)
    )
    tree = plant(tmp_path, {"test_it.py": text})
    answer = observe_file(
        FileRequest(tree=tree, python=python, timeout_s=PATIENCE_S, path="test_it.py")
    )
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed) == (9, 0)


def test_nothing_reaches_out_in_an_idle_run_with_every_plugin(tmp_path: Path, python: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass"})
    answer = observed(tree, python=python, plugins=None)
    assert answer.effects == ()
