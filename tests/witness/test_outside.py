"""What a run writes beside its own tree and folder is an effect; devices and reading are none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from freezegate.model.observation import FileObservation
from freezegate.witness.process import observe_file
from freezegate.witness.run_requests import FileRequest
from tests.witness.support import PYTHON, observed, plant

HEAD = "import os, pathlib, shutil, sqlite3, sys, tempfile\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
OUTSIDE = [
    pytest.param("open(f'{PLACE}/new', 'w').close()", "new", id="open_new"),
    pytest.param("open(f'{PLACE}/a', 'a').close()", "a", id="open_to_append"),
    pytest.param("open(f'{PLACE}/a', 'r+').close()", "a", id="open_for_both"),
    pytest.param("pathlib.Path(PLACE, 'new').touch()", "new", id="touch"),
    pytest.param("os.mkdir(f'{PLACE}/new')", "new", id="mkdir"),
    pytest.param("os.rmdir(f'{PLACE}/empty')", "empty", id="rmdir"),
    pytest.param("os.remove(f'{PLACE}/a')", "a", id="remove"),
    pytest.param("shutil.rmtree(f'{PLACE}/full')", "full", id="rmtree"),
    pytest.param("os.rename(f'{PLACE}/a', f'{tmp_path}/a')", "a", id="rename_away"),
    pytest.param("os.rename(f'{PLACE}/a', f'{PLACE}/b')", "a", id="rename"),
    pytest.param("os.replace('mine', f'{PLACE}/new')", "new", id="replace"),
    pytest.param("os.link('mine', f'{PLACE}/new')", "new", id="link"),
    pytest.param("os.link(f'{PLACE}/a', f'{tmp_path}/a')", "a", id="link_of_it"),
    pytest.param("os.symlink('/nowhere', f'{PLACE}/new')", "new", id="symlink"),
    pytest.param("os.truncate(f'{PLACE}/a', 0)", "a", id="truncate"),
    pytest.param("os.chmod(f'{PLACE}/a', 0o600)", "a", id="chmod"),
    pytest.param("os.utime(f'{PLACE}/a', (1, 1))", "a", id="utime"),
    pytest.param("sqlite3.connect(f'{PLACE}/new').close()", "new", id="sqlite"),
    pytest.param(
        "sqlite3.connect('file:' + PLACE.replace('/', '%2F') + '/new', uri=True).close()",
        "new",
        id="sqlite_with_escapes",
    ),
    pytest.param("tempfile.NamedTemporaryFile(dir=PLACE, prefix='x').close()", "", id="temporary"),
    pytest.param("os.chdir(PLACE); open('new', 'w').close()", "new", id="relative"),
    pytest.param(
        "os.symlink(PLACE, f'{tmp_path}/way'); open(f'{tmp_path}/way/new', 'w').close()",
        "new",
        id="through_a_link",
    ),
    pytest.param(
        "os.utime(os.open(f'{PLACE}/a', os.O_RDONLY), (1, 1))",
        "a",
        id="by_descriptor",
    ),
    pytest.param(
        "fd = os.open(f'{PLACE}/a', os.O_RDONLY); open(f'/proc/self/fd/{fd}', 'w').close()",
        "a",
        id="descriptor_opened_again",
    ),
    pytest.param(
        "os.open('new', os.O_WRONLY | os.O_CREAT, dir_fd=os.open(PLACE, os.O_RDONLY))",
        "new",
        id="from_a_folder",
    ),
    pytest.param("os.mkdir('new', dir_fd=os.open(PLACE, os.O_RDONLY))", "new", id="mkdir_from"),
]
INSIDE = [
    pytest.param("open('new', 'w').close(); os.remove('mine')", id="own_tree"),
    pytest.param("(tmp_path / 'new').write_text('')", id="tmp_path"),
    pytest.param("(pathlib.Path.home() / 'new').mkdir()", id="home"),
    pytest.param("tempfile.TemporaryDirectory().cleanup()", id="temporary_folder"),
    pytest.param("tempfile.TemporaryFile().close()", id="temporary_file"),
    pytest.param("open(f'{PLACE}/a').close()", id="reading"),
    pytest.param("os.listdir(PLACE), os.stat(PLACE), os.chdir(PLACE)", id="looking"),
    pytest.param("os.symlink(f'{PLACE}/a', f'{tmp_path}/a')", id="a_link_to_it"),
    pytest.param("sqlite3.connect(':memory:').close()", id="sqlite_in_memory"),
    pytest.param("open(os.devnull, 'w').close()", id="null"),
    pytest.param("os.open(os.devnull, os.O_RDWR)", id="null_by_os"),
    pytest.param("try: open('/dev/tty', 'w').close()\n    except OSError: pass", id="terminal"),
    pytest.param("open('/dev/stdout', 'w').close()", id="standard_output"),
    pytest.param("open('/proc/self/fd/2', 'w').close()", id="standard_error"),
    pytest.param("end = os.pipe()[1]; open(f'/dev/fd/{end}', 'w').close()", id="own_pipe"),
    pytest.param("open('/proc/self/comm', 'w').close()", id="own_process"),
    pytest.param("os.openpty()", id="terminal_of_its_own"),
]


Told = dict[str, list[str]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What each line did outside, of one run of all; each has a folder of nobody's for itself."""
    top = tmp_path_factory.mktemp("outside").resolve()
    lines = {str(each.id): str(each.values[0]) for each in (*OUTSIDE, *INSIDE)}
    for name in lines:
        plant(top / "places" / name, {"a": "1", "full/b": "", "empty/b": ""})
        (top / "places" / name / "empty" / "b").unlink()
    body = "".join(
        f"def test_{name}(tmp_path):\n"
        f"    TREE, PLACE = {str(top / 'tree')!r}, {str(top / 'places' / name)!r}\n"
        "    os.chdir(TREE); open('mine', 'w').close()\n"
        f"    {line}\n"
        for name, line in lines.items()
    )
    tree = plant(top / "tree", {"test_it.py": HEAD + body})
    asked = FileRequest(tree=tree, path="test_it.py", python=PYTHON, timeout_s=60, plugins=())
    answer = observe_file(asked)
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed) == (len(lines), 0), answer.failed_ids
    assert {effect.kind for effect in answer.effects} == {"outside"}
    found: Told = {}
    for effect in answer.effects:
        name, _, rest = effect.what.removeprefix(f"{top}/places/").partition("/")
        found.setdefault(name, []).append(rest)
    return found


@pytest.mark.parametrize(("name", "first"), [(each.id, each.values[1]) for each in OUTSIDE])
def test_what_is_changed_outside_is_told(told: Told, name: str, first: str) -> None:
    assert told[name][0] == first


@pytest.mark.parametrize("name", [each.id for each in INSIDE])
def test_what_stays_with_the_run_is_not_told(told: Told, name: str) -> None:
    assert name not in told


def test_nothing_else_is_told(told: Told) -> None:
    assert told.keys() == {each.id for each in OUTSIDE}


def test_shared_memory_is_no_device(tmp_path: Path) -> None:
    line = "import tempfile\ndef test_it(): tempfile.NamedTemporaryFile(dir='/dev/shm').close()\n"
    first = observed(plant(tmp_path, {"test_it.py": line})).effects[0]
    assert (first.kind, Path(first.what).parts[:3]) == ("outside", ("/", "dev", "shm"))
