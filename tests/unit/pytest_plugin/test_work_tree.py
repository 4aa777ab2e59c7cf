"""What lies in a work tree, by tables of what may stand at a path."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from freezegate.model.digests import ObjectId
from freezegate.model.entries import SYMLINK_MODE, TREE_MODE, Entry
from freezegate.model.evidence import DomainEntry
from freezegate.policy.domain.parts import PRESENT_ENTRY, part_entry
from freezegate.pytest_plugin.work_tree import WorkTree


def blob(data: bytes, mode: int = 0o100644) -> Entry:
    """The entry that git gives to these bytes."""
    return Entry(mode, hashlib.sha1(b"blob %d\0%b" % (len(data), data)).digest())  # noqa: S324


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A tree of every kind."""
    (tmp_path / "sub" / "inner").mkdir(parents=True)
    (tmp_path / "sub" / "file").write_bytes(b"text\n")
    (tmp_path / "sub" / "run").write_bytes(b"")
    (tmp_path / "sub" / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("sub/file")
    (tmp_path / "folder").symlink_to("sub")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "a#b").write_bytes(b"hash")
    (tmp_path / "\udcff").write_bytes(b"no UTF-8")
    (tmp_path / "t.toml").write_text('[tool.pytest]\na = 1\n[property."x#y"]\nb = 2\n')
    (tmp_path / "bad.toml").write_text("[tool\n")
    (tmp_path / "t.toml#tool.mask").write_bytes(b'{"a":1}')
    (tmp_path / "f.py").mkdir()
    (tmp_path / "tox.ini").write_text("[pytest]\naddopts = -ra\n")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("nothing", None),
        pytest.param("sub/nothing", None),
        pytest.param("nothing/below", None),
        pytest.param("sub/file/below", None, id="below a file"),
        pytest.param("sub/file", blob(b"text\n")),
        pytest.param("sub/run", blob(b"", 0o100755)),
        pytest.param("sub", Entry(TREE_MODE, bytes(20))),
        pytest.param("link", blob(b"sub/file", SYMLINK_MODE)),
        pytest.param("gone", blob(b"nowhere", SYMLINK_MODE)),
        pytest.param("folder", blob(b"sub", SYMLINK_MODE)),
        pytest.param("folder/file", None, id="behind_a_linked_folder"),
        pytest.param("a#b", blob(b"hash")),
        pytest.param("\udcff", blob(b"no UTF-8"), id="no UTF-8"),
    ],
)
def test_entry(top: Path, path: str, expected: Entry | None) -> None:
    assert WorkTree(top).entry(path) == expected


@pytest.mark.parametrize(
    ("path", "data"),
    [
        pytest.param("nothing", None),
        pytest.param("sub", None),
        pytest.param("link", None),
        pytest.param("folder/file", None),
        pytest.param("sub/file", b"text\n"),
        pytest.param("a#b", b"hash"),
    ],
)
def test_digest_of_regular_files_alone(top: Path, path: str, data: bytes | None) -> None:
    expected = None if data is None else hashlib.sha256(data).hexdigest()
    assert WorkTree(top).digest(path) == expected


def test_a_pipe_is_neither_read_nor_absent(top: Path) -> None:
    os.mkfifo(top / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        WorkTree(top).entry("pipe")
    assert WorkTree(top).digest("pipe") is None


def listed(path: str, entry: Entry | None) -> DomainEntry:
    """One line of a recorded domain."""
    if entry is None:
        return DomainEntry(path=path, mode=0, blob=None)
    return DomainEntry(path=path, mode=entry.mode, blob=ObjectId(entry.hex))


WHOLE_TOML = blob(b'[tool.pytest]\na = 1\n[property."x#y"]\nb = 2\n')
PYTEST_PART = part_entry({"a": 1}, WHOLE_TOML)


@pytest.mark.parametrize(
    ("path", "entry", "is_same"),
    [
        pytest.param("nothing", None, True),
        pytest.param("sub/file", None, False),
        pytest.param("sub", None, False, id="a folder is not absent"),
        pytest.param("link", None, False),
        pytest.param("nothing", blob(b""), False),
        pytest.param("sub/file", blob(b"text\n"), True),
        pytest.param("sub/file", blob(b"text"), False),
        pytest.param("sub/file", blob(b"text\n", 0o100755), False),
        pytest.param("link", blob(b"text\n"), False, id="a link to the same bytes"),
        pytest.param("sub", blob(b""), False),
        pytest.param("a#b", blob(b"hash"), True, id="a name with a hash"),
        pytest.param("a#c", None, True),
        pytest.param("t.toml#tool.pytest", PYTEST_PART, True),
        pytest.param("t.toml#tool.pytest", None, False),
        pytest.param("t.toml#tool.pytest", WHOLE_TOML, False),
        pytest.param("t.toml#tool.other", None, True),
        pytest.param("t.toml#tool.other", PYTEST_PART, False),
        pytest.param("none.toml#tool.pytest", None, True, id="a part of no file"),
        pytest.param("none.toml#tool.pytest", PYTEST_PART, False),
        pytest.param("bad.toml#tool.pytest", None, False, id="a part that cannot be read"),
        pytest.param("bad.toml#tool.pytest", blob(b"[tool\n"), True),
        pytest.param("tox.ini#pytest", None, False),
        pytest.param(
            "tox.ini#pytest", part_entry({"addopts": "-ra"}, WHOLE_TOML), True, id="a section"
        ),
        pytest.param("tox.ini#", PRESENT_ENTRY, True, id="it stands there"),
        pytest.param("tox.ini#", None, False),
        pytest.param("none.ini#", None, True),
        pytest.param("none.ini#", PRESENT_ENTRY, False),
        pytest.param("sub#", PRESENT_ENTRY, True, id="a namespace"),
        pytest.param("f.py#", PRESENT_ENTRY, False, id="a folder where a file was"),
        pytest.param("f.py", None, True, id="a folder of a file's name"),
        pytest.param("f.py/__init__.py", None, True),
        pytest.param("t.toml#tool.mask", PYTEST_PART, False, id="masked_by_a_file_of_that_name"),
        pytest.param("link#", PRESENT_ENTRY, False, id="a link is no file"),
    ],
)
def test_differing(top: Path, path: str, entry: Entry | None, is_same: bool) -> None:
    before = [listed("sub/file", blob(b"text\n")), listed("nothing", None)]
    told = WorkTree(top).differing([*before, listed(path, entry)])
    assert told == (None if is_same else path)


def test_nothing_differs_from_an_empty_domain(top: Path) -> None:
    assert WorkTree(top).differing([]) is None
