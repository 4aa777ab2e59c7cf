"""What a run sees of the world and leaves in it, and what is seen of the run."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from freezegate.model.observation import Effect, FileObservation, Unobserved
from freezegate.witness.process import collect_ids, observe_file, observe_run
from freezegate.witness.run_requests import CollectRequest, FileRequest, RunRequest
from tests.witness.support import ID, PATIENCE_S, PYTHON, observed, plant, run, unobserved, word_of

TELL = """
    import json, os, pathlib, sys
    def test_it():
        told = {"env": dict(os.environ), "path": sys.path, "argv": sys.argv, "cwd": os.getcwd(),
                "hash": hash("a"), "bytecode": sys.dont_write_bytecode}
        pathlib.Path("told").write_text(json.dumps(told))
"""


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where runs make their own."""
    folder = tmp_path_factory.mktemp("tmp")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_environment_is_the_runs_own(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "CI",
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "API_TOKEN",
    ):
        monkeypatch.setenv(name, "--collect-only")
    monkeypatch.setenv("PYTHONPATH", "/nothing")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    tree = plant(tmp_path, {"test_it.py": TELL, "src/a.py": ""})
    observed(tree, pythonpath=("src",), pythonhashseed=7)
    told = json.loads((tree / "told").read_text())
    env = told["env"]
    allowed = {"PATH", "LANG", "LANGUAGE", "TZ", "LC_ALL", "LD_LIBRARY_PATH", "HOME", "TMPDIR"}
    allowed |= {"HYPOTHESIS_STORAGE_DIRECTORY", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"}
    allowed |= {"PYTHONPATH", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_VERSION"}
    assert set(env) - allowed - {"LC_CTYPE"} == {"PYTEST_CURRENT_TEST"}
    assert env["PYTHONHASHSEED"] == "7"
    assert env["PYTHONPATH"] == str(tree / "src")
    for name in ("HOME", "TMPDIR", "HYPOTHESIS_STORAGE_DIRECTORY"):
        assert Path(env[name]).is_relative_to(temporary)
    assert told["cwd"] == str(tree)
    assert told["path"][:2] == [str(tree), str(tree / "src")]
    assert not any("freezegate/witness" in path for path in told["path"])
    assert told["bytecode"] is True
    assert list(temporary.iterdir()) == []


def test_the_path_is_that_of_python_m_pytest(tmp_path: Path) -> None:
    import subprocess

    tree = plant(tmp_path, {"tests/test_it.py": TELL})
    observed(tree, "tests/test_it.py::test_it")
    ours = json.loads((tree / "told").read_text())["path"]
    subprocess.run(
        [PYTHON, "-B", "-m", "pytest", "-q", "tests/test_it.py::test_it", "-p", "no:cacheprovider"],
        cwd=tree,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert ours == json.loads((tree / "told").read_text())["path"]


def test_nothing_is_written_beside_what_the_test_writes(tmp_path: Path, temporary: Path) -> None:
    text = """
        import helper, os, pathlib, tempfile
        def test_it(tmp_path, cache):
            cache.set("a/b", 1)
            (tmp_path / "x").write_text("")
            pathlib.Path(tempfile.mkdtemp(), "y").write_text("")
            pathlib.Path.home().joinpath("z").write_text("")
            os.mkdir(pathlib.Path.home() / "locked", 0o000)
    """
    tree = plant(tmp_path, {"test_it.py": text, "helper.py": "", "pyproject.toml": ""})
    assert observed(tree).writes == ()
    assert sorted(p.name for p in tree.rglob("*")) == ["helper.py", "pyproject.toml", "test_it.py"]
    assert list(temporary.iterdir()) == []


def test_every_run_has_an_empty_cache_and_its_own_numbers(tmp_path: Path) -> None:
    text = """
        def test_it(cache):
            assert cache.get("a/b", None) is None
            cache.set("a/b", 1)
    """
    tree = plant(tmp_path, {"test_it.py": text})
    assert observed(tree).passed
    answer = observed(tree)
    assert answer.passed
    assert answer.started_at[10] == "T"
    assert answer.started_at[-5:-4] + answer.started_at[-1] == ".Z"
    assert 0 < answer.duration_ms < PATIENCE_S * 1000
    assert answer.environment.python == ".".join(map(str, sys.version_info[:3]))
    assert answer.environment.pytest == pytest.__version__


def test_reads_and_writes(tmp_path: Path) -> None:
    text = """
        import os, pathlib, sqlite3
        HERE = pathlib.Path(__file__).parent
        def test_it(tmp_path):
            (HERE / "data" / "a.json").read_text()
            open("tests/data/../data/b.json", "rb").close()
            (HERE / "link.json").read_text()
            os.close(os.open(b"tests/c.txt", os.O_RDONLY))
            (HERE / "nothing").exists() or [f for f in [HERE / "absent"] if f.is_file()]
            try:
                open(HERE / "absent")
            except OSError:
                pass
            with open(HERE / "both.txt", "r+") as file:
                file.write("x")
            with open(HERE / "added.txt", "a") as file:
                file.write("x")
            os.rename(HERE / "added.txt", HERE / "moved.txt")
            os.remove(HERE / "gone.txt")
            os.chdir(HERE)
            open("new.txt", "w").close()
            sqlite3.connect("new.db").close()
            (tmp_path / "out").write_text("")
    """
    data = ["tests/data/a.json", "tests/data/b.json", "tests/data/l.json", "tests/c.txt"]
    data += ["tests/both.txt", "tests/gone.txt", "tests/never.txt"]
    tree = plant(tmp_path, {"tests/test_it.py": text, **dict.fromkeys(data, "1")})
    (tree / "tests/link.json").symlink_to("data/l.json")
    answer = observed(tree, "tests/test_it.py::test_it")
    assert set(answer.reads) == {
        *("tests/data/a.json", "tests/data/b.json", "tests/link.json", "tests/data/l.json"),
        *("tests/c.txt", "tests/both.txt", "tests/test_it.py"),
        "tests/added.txt",  # what is moved may be read under its other name
    }
    assert set(answer.writes) == {
        *("tests/both.txt", "tests/added.txt", "tests/moved.txt", "tests/gone.txt"),
        *("tests/new.txt", "tests/new.db"),
    }
    assert answer.effects == ()


def test_sockets_and_subprocesses(tmp_path: Path) -> None:
    text = """
        import os, socket, subprocess, sys
        def test_it():
            with socket.socket() as server:
                server.bind(("127.0.0.1", 0))
                server.listen()
                with socket.socket() as client:
                    client.connect(server.getsockname())
            subprocess.run(["true"])
            subprocess.run("true; exit 0", shell=True)
            os.system("true")
            pid = os.fork()
            if not pid: os._exit(0)
            os.waitpid(pid, 0)
    """
    answer = observed(plant(tmp_path, {"test_it.py": text}))
    assert answer.passed
    kinds = {(e.kind, e.what.partition(":")[0]) for e in answer.effects}
    assert {("socket", "bind 127.0.0.1"), ("socket", "connect 127.0.0.1")} <= kinds
    for what in ("true", "sh", "fork"):
        assert Effect(kind="subprocess", what=what) in answer.effects


def test_an_event_loop_is_no_socket(tmp_path: Path) -> None:
    text = """
        import asyncio
        def test_it(): asyncio.run(asyncio.sleep(0))
    """
    assert observed(plant(tmp_path, {"test_it.py": text})).effects == ()


IMPORTS = [
    ("module", "import shop"),
    ("in_the_test", "def test_one():\n    import shop"),
    ("removed_again", "import sys, shop\ndel sys.modules['shop']"),
]


@pytest.mark.parametrize("how", [pytest.param(c[1], id=c[0]) for c in IMPORTS])
def test_an_editable_install_of_the_work_tree_is_refused(tmp_path: Path, how: str) -> None:
    work = plant(tmp_path / "work", {"src/shop.py": "", ".venv/lib/site-packages/tool.py": ""})
    conftest = f"import sys\nsys.path.append({str(work / 'src')!r})\n"
    test = how.replace("test_one", "test_it") if "def" in how else f"{how}\ndef test_it(): pass"
    tree = plant(tmp_path / "tree", {"test_it.py": test, "conftest.py": conftest})
    answer = unobserved(tree, forbidden_roots=(work,))
    assert word_of(answer) == "wrong_tree_imported"
    assert answer.got == str(work / "src/shop.py")
    assert str(tree) in answer.expected
    assert "pythonpath" in answer.remedy


def test_an_environment_inside_the_work_tree_is_fine(tmp_path: Path) -> None:
    work = plant(tmp_path / "work", {".venv/lib/site-packages/tool.py": ""})
    packages = work / ".venv/lib/site-packages"
    test = f"import sys\nsys.path.append({str(packages)!r})\nimport tool\ndef test_it(): pass"
    tree = plant(tmp_path / "tree", {"test_it.py": test})
    assert observed(tree, forbidden_roots=(work,)).passed


def test_configuration_from_outside_the_tree_is_refused(tmp_path: Path) -> None:
    plant(tmp_path, {"pytest.ini": "[pytest]\n", "tree/test_it.py": "def test_it(): pass"})
    assert word_of(unobserved(tmp_path / "tree")) == "outer_configuration"


ADDOPTS = [
    "-k nothing",
    "--co",
    "-x",
    "--reruns 3",
    "-n 2",
    "-m slow",
    "--no-such-option",
    "-p nope",
]


@pytest.mark.parametrize("addopts", ADDOPTS)
def test_addopts_do_not_count(tmp_path: Path, addopts: str) -> None:
    ini = f'[tool.pytest.ini_options]\naddopts = "{addopts}"\n'
    tree = plant(tmp_path, {"test_it.py": "def test_it(): assert 0", "pyproject.toml": ini})
    assert not observed(tree).passed


def test_addopts_do_not_count_in_any_file(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): assert 0"})
    for name, text in (
        ("pytest.ini", "[pytest]\naddopts = --co\n"),
        ("pytest.toml", '[pytest]\naddopts = ["--co"]\n'),
        ("tox.ini", "[pytest]\naddopts = --co\n"),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["--co"]\n'),
    ):
        (tree / name).write_text(text)
        assert not observed(tree).passed
        (tree / name).unlink()


def test_kept_options_count(tmp_path: Path) -> None:
    files = {"tests/a/test_it.py": "def test_it(): pass", "tests/b/test_it.py": ""}
    conftest = "import sys\ndef pytest_configure(config): print(config.option.importmode)"
    tree = plant(tmp_path, {**files, "conftest.py": conftest})
    answer = run(tree, "tests/a/test_it.py::test_it", keep_options=("--import-mode=importlib",))
    assert word_of(answer) == "passed"
    answer = run(tree, "tests/a/test_it.py::test_it", keep_options=("--import-mode=nothing",))
    assert isinstance(answer, Unobserved)
    assert word_of(answer) == "usage_error"
    assert "nothing" in answer.got + answer.output


def test_strict_projects_keep_the_markers_and_settings_of_plugins_that_are_off(
    tmp_path: Path,
) -> None:
    ini = """\
        [tool.pytest.ini_options]
        addopts = "--strict-markers --strict-config"
        filterwarnings = ["error"]
        reruns = "3"
        retries = "2"
        cache_dir = "elsewhere"
        strict_markers = true
        strict_config = true
    """
    text = """
        import pytest
        @pytest.mark.flaky(reruns=3)
        def test_it(): assert 0
    """
    tree = plant(tmp_path, {"test_it.py": text, "pyproject.toml": ini})
    assert not observed(tree).passed
    assert not (tree / "elsewhere").exists()


def test_a_hypothesis_failure(tmp_path: Path) -> None:
    text = """
        from hypothesis import given, strategies as st
        @given(st.integers())
        def test_it(n): assert n < 7
    """
    tree = plant(tmp_path, {"test_it.py": text})
    for plugins in (None, ()):
        answer = observed(tree, hypothesis_seed=1, plugins=plugins)
        assert answer.failure is not None
        assert answer.failure.type_name == "AssertionError"
        assert answer.failure.frames[-1].source == "def test_it(n): assert n < 7"
        assert answer.environment.hypothesis is not None
    assert not (tree / ".hypothesis").exists()


def test_the_hypothesis_seed_fixes_what_is_drawn(tmp_path: Path) -> None:
    text = """
        import pathlib
        from hypothesis import given, strategies as st
        @given(st.integers())
        def test_it(n):
            with open("drawn", "a") as file: file.write(f"{n} ")
    """
    tree = plant(tmp_path, {"test_it.py": text})
    drawn = []
    for seed in (1, 1, 2):
        (tree / "drawn").unlink(missing_ok=True)
        observed(tree, hypothesis_seed=seed)
        drawn.append((tree / "drawn").read_text())
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_table_of_characters_is_ours_and_never_a_runs(tmp_path: Path) -> None:
    text = """
        import os, pathlib
        from hypothesis import given, strategies as st
        HERE = pathlib.Path(os.environ["HYPOTHESIS_STORAGE_DIRECTORY"])
        BEFORE = sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.gz"))
        @given(st.text())
        def test_it(text): pass
        def teardown_module():
            with open("seen", "a") as file: print(BEFORE, file=file)
            for path in HERE.rglob("*.gz"):
                assert b"forged" not in path.read_bytes()
                path.write_bytes(b"forged")
    """
    tree = plant(tmp_path, {"test_it.py": text})
    for _ in range(3):
        assert observed(tree, hypothesis_seed=1).passed
    seen = (tree / "seen").read_text().splitlines()
    assert "charmap" in seen[1]
    assert seen[1] == seen[2]


def test_a_seed_costs_nothing_where_hypothesis_is_not_used(tmp_path: Path) -> None:
    text = "import sys\ndef test_it(): assert 'hypothesis' not in sys.modules"
    assert observed(plant(tmp_path, {"test_it.py": text}), hypothesis_seed=1).passed


def test_flaky_within_one_process_is_a_failure_and_data_that_changes_is_not(tmp_path: Path) -> None:
    text = """
        from hypothesis import given, strategies as st
        CALLS = []
        @given(st.integers())
        def test_it(n):
            CALLS.append(n)
            assert len(CALLS) > 1
        @given(st.data())
        def test_data(data):
            CALLS.append(1)
            data.draw(st.integers() if len(CALLS) % 2 else st.binary(min_size=9))
    """
    tree = plant(tmp_path, {"test_it.py": text})
    failure = observed(tree).failure
    assert failure is not None
    assert failure.type_name == "hypothesis.errors.FlakyFailure"
    assert [leaf.type_name for leaf in failure.leaves] == ["AssertionError"]
    answer = run(tree, "test_it.py::test_data", hypothesis_seed=1)
    assert word_of(answer) == "generation_error"


def alive(pid: int) -> bool:
    """Say whether a process runs (a zombie that nobody reaped does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_gone(pid: int) -> bool:
    """Wait until a killed process is gone."""
    end = time.monotonic() + 5
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.005)
    return not alive(pid)


@pytest.mark.parametrize("session", ["False", "True"], ids=["in_the_group", "calls_setsid"])
@pytest.mark.parametrize("ending", ["pass", "time.sleep(99)", "os._exit(3)"])
def test_daemons_hold_up_nobody_and_are_ended(tmp_path: Path, session: str, ending: str) -> None:
    text = f"""
        import os, pathlib, subprocess, sys, time
        def test_it():
            code = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(99)"
            child = subprocess.Popen([sys.executable, "-c", code], start_new_session={session},
                                     stdout=sys.__stdout__, stderr=sys.__stderr__)
            pathlib.Path("pid").write_text(str(child.pid))
            {ending}
    """
    tree = plant(tmp_path, {"test_it.py": text})
    limit = 1.5 if "sleep" in ending else PATIENCE_S
    started = time.monotonic()
    answer = run(tree, timeout_s=limit, keep_options=("-s",))
    assert time.monotonic() - started < 20
    assert word_of(answer) == {"p": "passed", "t": "timed_out", "o": "exited_early"}[ending[0]]
    assert wait_gone(int((tree / "pid").read_text()))


def test_a_daemon_that_prints_without_end_is_cut(tmp_path: Path) -> None:
    text = """
        import os, subprocess, sys
        def test_it():
            subprocess.Popen(["yes"], start_new_session=True, stdout=sys.__stdout__)
            print("x" * 1_000_000)
    """
    answer = run(plant(tmp_path, {"test_it.py": text}), keep_options=("-s",))
    assert word_of(answer) == "passed"


def test_the_output_is_bounded(tmp_path: Path) -> None:
    text = (
        "import os\ndef test_it():\n    print('x' * 1_000_000 + 'end', flush=True)\n    os._exit(0)"
    )
    answer = unobserved(plant(tmp_path, {"test_it.py": text}), keep_options=("-s",))
    assert len(answer.output) <= 64 * 1024
    assert answer.output.rstrip().endswith("end")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT as it is in a foreground process: a shell starts background jobs without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_leaves_no_process_and_no_folder(tmp_path: Path, temporary: Path) -> None:
    text = """
        import os, pathlib, signal, time
        def test_it():
            pathlib.Path("pid").write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(99)
    """
    tree = plant(tmp_path, {"test_it.py": text})
    with pytest.raises(KeyboardInterrupt):
        run(tree)
    assert wait_gone(int((tree / "pid").read_text()))
    assert list(temporary.iterdir()) == []


def test_a_timeout_of_a_test_that_ignores_sigterm(tmp_path: Path) -> None:
    text = """
        import signal, time
        def test_it():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(99)
    """
    started = time.monotonic()
    assert word_of(unobserved(plant(tmp_path, {"test_it.py": text}), timeout_s=1)) == "timed_out"
    assert time.monotonic() - started < 10


def test_a_signal_is_named(tmp_path: Path) -> None:
    text = f"import os\ndef test_it(): os.kill(os.getpid(), {int(signal.SIGSEGV)})"
    answer = unobserved(plant(tmp_path, {"test_it.py": text}))
    assert "SIGSEGV" in answer.got


def test_an_interpreter_that_is_missing_or_has_no_pytest(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"test_it.py": "def test_it(): pass"})
    assert word_of(unobserved(tree, python=tmp_path / "nothing")) == "not_started"
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {PYTHON} -S "$@"\n')
    bare.chmod(0o755)
    assert word_of(unobserved(tree, python=bare)) == "pytest_missing"


def test_a_forged_result_is_no_result(tmp_path: Path) -> None:
    text = """
        import json, os, pathlib
        def test_it():
            here = pathlib.Path(os.environ["HOME"]).parent
            (here / "result.json").write_text(json.dumps({"returned": 0}))
            os._exit(0)
    """
    assert word_of(run(plant(tmp_path, {"test_it.py": text}))) == "exited_early"


def test_the_request_is_gone_before_the_test(tmp_path: Path) -> None:
    text = """
        import os, pathlib
        def test_it():
            assert not [n for n in os.environ if "FREEZEGATE" in n]
            here = pathlib.Path(os.environ["HOME"]).parent
            assert not list(here.glob("*.json"))
    """
    assert observed(plant(tmp_path, {"test_it.py": text})).passed


FILE = """
    import pytest
    def test_a(): pass
    def test_ab(): pass
    @pytest.mark.parametrize("n", [1, 2])
    def test_p(n): assert n == 1
    @pytest.mark.skip
    def test_s(): pass
    @pytest.fixture
    def bad(): 1/0
    def test_e(bad): pass
    @pytest.mark.xfail
    def test_x(): 1/0
"""


def whole(tree: Path, **asked: str) -> FileObservation | Unobserved:
    """Observe the whole file."""
    return observe_file(
        FileRequest(tree=tree, python=PYTHON, timeout_s=PATIENCE_S, plugins=(), **asked)  # type: ignore[arg-type]  # of strings
    )


@pytest.mark.parametrize(
    ("without", "counts"),
    [
        ("tests/test_it.py::test_a", (2, 2, 2, 1)),
        ("tests/test_it.py::test_p", (2, 1, 2, 2)),
        ("tests/test_it.py::test_p[2]", (3, 1, 2, 1)),
        ("tests/test_other.py::test_a", (3, 2, 2, 0)),
    ],
)
def test_a_whole_file_without_one_test(
    tmp_path: Path, without: str, counts: tuple[int, int, int, int]
) -> None:
    answer = whole(
        plant(tmp_path, {"tests/test_it.py": FILE}), path="tests/test_it.py", without=without
    )
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed, answer.other, answer.deselected) == counts
    assert answer.exit_status == 1


def test_a_file_of_which_nothing_is_left(tmp_path: Path) -> None:
    tree = plant(
        tmp_path, {"tests/test_it.py": "def test_a(): pass", "tests/pytest.ini": "[pytest]\n"}
    )
    answer = whole(tree, path="tests/test_it.py", without="tests/test_it.py::test_a")
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed, answer.other, answer.deselected) == (0, 0, 0, 1)


def test_a_file_with_hooks_that_hide_failures(tmp_path: Path) -> None:
    conftest = """
        import pytest
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            report.outcome = "passed"
            return report
    """
    tree = plant(tmp_path, {"test_it.py": "def test_a(): assert 0", "conftest.py": conftest})
    answer = whole(tree, path="test_it.py")
    assert isinstance(answer, Unobserved)
    assert answer.word.value == "outcome_contradicted"


def test_collecting_runs_nothing(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"tests/test_it.py": FILE + "\n    def test_boom(): raise SystemExit\n"})
    setting = {"tree": tree, "python": PYTHON, "timeout_s": PATIENCE_S, "plugins": ()}
    ids = collect_ids(CollectRequest(selection=("tests/test_it.py::test_p",), **setting))  # type: ignore[arg-type]  # of one test
    assert ids == ("tests/test_it.py::test_p[1]", "tests/test_it.py::test_p[2]")
    none = collect_ids(CollectRequest(selection=("tests/test_it.py::no",), **setting))  # type: ignore[arg-type]  # of one test
    assert isinstance(none, Unobserved)
    assert none.word.value == "not_collected"


def test_a_relative_tree_behind_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = plant(tmp_path / "real", {"test_it.py": "def test_it(): open('a').read()", "a": ""})
    (tmp_path / "link").symlink_to(tree)
    monkeypatch.chdir(tmp_path)
    answer = observe_run(
        RunRequest(tree=Path("link"), test_id=ID, python=PYTHON, timeout_s=PATIENCE_S, plugins=())
    )
    assert word_of(answer) == "passed"
    assert not isinstance(answer, Unobserved)
    assert answer.reads == ("a", "test_it.py")
    assert sorted(os.listdir(tree)) == ["a", "test_it.py"]
