"""Which file configures pytest, and what it says of imports (pytest 9.2, findpaths.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.config.findpaths import locate_config

from freezegate.policy.domain.config import Config, resolve_config
from tests.unit.policy.domain.memory import LINK, MemoryTree

SOURCES = {
    "pytest.toml": "[pytest]\n",
    ".pytest.toml": "",
    "pytest.ini": "",
    ".pytest.ini": "[pytest]\n",
    "pyproject.toml": "[tool.pytest]\nx = 1\n",
    "tox.ini": "[pytest]\n",
    "setup.cfg": "[tool:pytest]\n",
}
NOT_SOURCES = {
    "pyproject.toml": "[tool.pytest]\n",
    "tox.ini": "[tox]\n",
    "setup.cfg": "[metadata]\n",
}


def read(files: dict[str, str], folder: str = "tests/props") -> Config:
    return resolve_config(MemoryTree({"tests/props/test_a.py": "", **files}), folder)


@pytest.mark.parametrize("first", SOURCES)
@pytest.mark.parametrize("second", SOURCES)
@pytest.mark.parametrize("places", [("", ""), ("tests/", ""), ("", "tests/props/")])
def test_precedence_is_pytests_own(
    first: str, second: str, places: tuple[str, str], tmp_path: Path
) -> None:
    files = {f"{places[0]}{first}": SOURCES[first], f"{places[1]}{second}": SOURCES[second]}
    (tmp_path / "tests/props").mkdir(parents=True)
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    _, inipath, _, _ = locate_config(tmp_path, [tmp_path / "tests/props"])
    assert inipath
    assert read(files).inipath == inipath.relative_to(tmp_path).as_posix()


@pytest.mark.parametrize("name", NOT_SOURCES)
def test_what_does_not_speak_of_pytest_configures_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(NOT_SOURCES[name])
    assert not locate_config(tmp_path, [tmp_path])[2]
    config = read({name: NOT_SOURCES[name]})
    assert config.inipath is None
    assert f"{name}#" in "".join(r.path for r in config.reached)


def test_all_that_could_win_is_told_as_absent() -> None:
    config = read({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ''\n"})
    absent = {r.path for r in config.reached if not r.entry}
    for base in ("tests/props/", "tests/", ""):
        assert {f"{base}{n}" for n in ("pytest.toml", ".pytest.toml", "pytest.ini")} <= absent
    assert "tests/tox.ini#pytest" in absent
    assert "tox.ini#pytest" not in absent  # comes after the winner
    assert config.inipath == "pyproject.toml"


def test_older_pytest_takes_another_file_beside_a_new_one() -> None:
    config = read({"pytest.toml": "", "tox.ini": "[pytest]\n"})
    assert config.inipath == "pytest.toml"
    seen = {r.path: r.entry is not None for r in config.reached}
    assert seen["tox.ini#pytest"]
    assert seen["pytest.ini"] is False
    assert "setup.cfg#tool:pytest" not in seen


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.toml", "[pytest"),
        ("pytest.toml", "pytest = 1\n"),
        ("pytest.ini", "nothing\n"),
        ("pytest.ini", "[pytest]\n[pytest]\n"),
        ("pytest.ini", "[pytest]\nx = %(y)s\n"),
        ("pyproject.toml", "[tool.pytest"),
        ("pyproject.toml", "tool = 1\n"),
        ("pyproject.toml", "[tool]\npytest = [1]\n"),
        ("pyproject.toml", "[tool.pytest]\nini_options = 1\n"),
        ("pyproject.toml", "[tool.pytest]\naddopts = 1\npythonpath = {a = 1}\n"),
        ("pyproject.toml", "[tool.pytest]\naddopts = ['-p']\n"),
        ("pytest.ini", "[pytest]\naddopts = '-p\n"),
        ("pytest.ini", "[pytest]\naddopts = -p a -o\n"),
        ("tox.ini", "\0\ud800".encode("utf-8", "surrogatepass").decode("latin-1")),
        ("setup.cfg", LINK),
        ("pytest.ini", LINK),
        ("pytest.ini/x", ""),
        ("pyproject.toml/x", ""),
    ],
)
def test_broken_sources_count_and_raise_nothing(path: str, text: str) -> None:
    config = read({path: text})
    assert any(r.path.startswith(path.split("/")[0]) for r in config.reached)


@pytest.mark.parametrize(
    ("addopts", "plugins", "mode"),
    [
        ("-p a", ("a",), "prepend"),
        ("-pa", ("a",), "prepend"),
        ("-p no:a -p b.c", ("b.c",), "prepend"),
        ("-q -x -p a -k 'x y'", ("a",), "prepend"),
        ("-qpa", (), "prepend"),  # pytest's own look for -p does not see these
        ("-xvp a", (), "prepend"),
        ("'-p a'", ("a",), "prepend"),
        ("--import-mode=append", (), "append"),
        ("--import-mode importlib", (), "importlib"),
        ("--import-mode=append --import-mode=prepend", (), "prepend"),
        ("-k -p", (), "prepend"),
    ],
)
def test_addopts(addopts: str, plugins: tuple[str, ...], mode: str) -> None:
    config = read({"pytest.ini": f"[pytest]\naddopts = {addopts}\n"})
    assert (config.plugins, config.import_mode) == (plugins, mode)


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("pythonpath = a b", ("tests/a", "tests/b")),
        ("pythonpath = . ..", ("tests", "")),
        ("pythonpath = ../..", (None,)),
        ("pythonpath = /a", (None,)),
        ("pythonpath =\n    a\n    'b c'", ("tests/a", "tests/b c")),
        ("addopts = -o pythonpath=a", ("tests/a",)),
        ("addopts = -opythonpath=a", ("tests/a",)),
        ("addopts = --override-ini=pythonpath=a", ("tests/a",)),
        (
            "addopts = --override-ini pythonpath=a -o 'pythonpath=b c'\npythonpath = d",
            ("tests/b", "tests/c"),
        ),
    ],
)
def test_pythonpath(text: str, folders: tuple[str | None, ...]) -> None:
    assert read({"tests/pytest.ini": f"[pytest]\n{text}\n"}).pythonpath == folders


@pytest.mark.parametrize(
    ("paths", "rootdir"),
    [
        ((), ""),
        (("tests/setup.py",), "tests"),
        (("tests/setup.py", "tests/props/setup.py"), "tests/props"),
        (("tests/pyproject.toml", "tests/props/setup.py"), "tests"),
        (("pyproject.toml", "tests/setup.py"), ""),
        (("setup.py", "tests/props/pyproject.toml"), "tests/props"),
        (("tests/setup.py/inside",), ""),
        (("tests/setup.cfg", "tests/tox.ini"), ""),
    ],
)
def test_rootdir_marks(paths: tuple[str, ...], rootdir: str) -> None:
    assert read(dict.fromkeys(paths, "")).rootdir == rootdir


def test_a_mark_counts_by_being_there_alone() -> None:
    marks = [r for r in read({"tests/setup.py": "x"}).reached if "setup.py" in r.path and r.entry]
    assert [(r.path, r.part) for r in marks] == [("tests/setup.py#", True)]
