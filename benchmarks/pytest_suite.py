"""pytest's own repository, from its published source, with a freeze that one commit asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import POLICY, Story, lock_line

_SOURCE = "pytest==9.2.0 --hash=sha256:{}\n"
_SHA256 = "97c4f3b1f3c7414aa36465e09b8220f1d03627993bd51b1282e193753c80557b"
_ORACLE = "testing/test_recwarn.py"
_TEST = "testing/test_mark.py::test_marked_class_run_twice"
_FIXTURE = "testing/fixtures/a.json"


def make_pytest_repository(folder: Path) -> Path | None:
    """Make the repository, None where the source cannot be had: `plain`, `asks` and `marks`.

    All three change one line of the subject; `asks` also asks for a freeze, `marks` gives the
    frozen test its marker besides, so that the test has to be compared.
    """
    root = _unpacked(folder)
    if root is None:
        return None
    story = Story(root)
    story.git("init", "-q", "-b", "main", ".")
    policy = POLICY.format(preset="basic").replace("tests/properties/**/*.py", _ORACLE)
    story.write(".freeze/policy.toml", policy.replace("tests/fixtures", "testing/fixtures"))
    story.write(_FIXTURE, "{}\n").write(".freeze/fixtures.sha256", lock_line(_FIXTURE, "{}\n"))
    story.commit("pytest")
    story.git("update-ref", "refs/remotes/origin/main", "HEAD")
    story.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    _change(story.branch("plain"), "src/_pytest/main.py", b"\n# one line more\n")
    _ask(story.branch("asks"))
    test = _TEST.partition("::")[0]
    marked = story.on("plain").branch("marks").read(test).decode()
    name = "def test_marked_class_run_twice("
    story.write(test, marked.replace(name, f"@pytest.mark.skip\n{name}")).commit("mark")
    _ask(story)
    story.git("repack", "-adq")
    return root


def _ask(story: Story) -> None:
    story.freeze(test_id=_TEST, oracle_path=_ORACLE, fixture_path=_FIXTURE)


def _change(story: Story, path: str, more: bytes) -> None:
    story.write(path, story.read(path) + more).commit("change the subject")


def _unpacked(folder: Path) -> Path | None:
    wanted = folder / "source.txt"
    wanted.write_text(_SOURCE.format(_SHA256))
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    done = subprocess.run(
        [*command, "--require-hashes", "-r", str(wanted), "-d", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        return None
    # Debian's Python 3.11.2 has no filters for archives yet.
    unpacked = folder
    unpacked.mkdir(exist_ok=True)
    command = [
        "tar",
        "--no-same-owner",
        "-xzf",
        str(next(folder.glob("pytest-*.tar.gz"))),
        "-C",
        str(unpacked),
    ]
    subprocess.run(command, check=True)
    return folder / "pytest-9.2.0"
