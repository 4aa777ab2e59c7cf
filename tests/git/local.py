"""What the tests of the local hooks share: git as a user runs it, and the same without hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import ORACLE, Story, git_environment

HOOKS = Path(__file__).resolve().parents[2] / "hooks"
POLICY = ".freeze/policy.toml"
BROKEN = "version = 'x'\n"  # no policy: whatever brings it in is refused
BROKEN_CODE = "error judge.invalid_new_policy"
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True)
class Said:
    """What a command said: its exit status, and both outputs as one text."""

    status: int
    text: str

    def passed(self) -> Said:
        """Assert that it worked."""
        assert self.status == 0, self.text
        return self

    def refused(self, *expected: str) -> Said:
        """Assert that it did not, and that it said these."""
        assert self.status != 0, self.text
        assert "Traceback" not in self.text, self.text
        for each in expected:
            assert each in self.text, f"{each!r} is not in {self.text}"
        return self


def user(
    story: Story,
    *arguments: str | bytes,
    under: str = ".",
    **environ: str,
) -> Said:
    """Run git as a user does, in a folder of the work tree."""
    return command(story.root / under, ["git", *arguments], story.environ | environ)


def command(
    folder: Path,
    arguments: Sequence[str | bytes],
    environ: Mapping[str, str] | None = None,
) -> Said:
    """Run any command and take both outputs as one."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=git_environment() | dict(environ or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Said(done.returncode, done.stdout.decode("utf-8", "replace"))


def with_hooks(story: Story) -> Story:
    """Let git ask the shipped hooks, by this interpreter."""
    story.git("config", "core.hooksPath", str(HOOKS))
    story.git("config", "freezegate.python", sys.executable)
    return story


def launder(story: Story) -> Story:
    """Edit the oracle in one commit and ask for a freeze in the next: a branch to be refused."""
    story.patch().write(ORACLE, "def test_total_is_never_negative():\n    pass\n")
    story.commit("Simplify")
    return story.freeze()


def remote_refs(story: Story, remote: str = "origin") -> dict[str, str]:
    """The refs of a remote with their ids."""
    lines = story.git("ls-remote", remote).splitlines()
    return {name: rev for rev, _, name in (line.partition("\t") for line in lines)}


def twin(story: Story, name: str = "twin") -> Story:
    """Copy a story whole, with its remote; paths between the two are relative from now on."""
    story.git("remote", "set-url", "origin", "../origin.git")
    folder = story.root.parent.with_name(name)
    shutil.copytree(story.root.parent, folder, symlinks=True)
    return Story(folder / story.root.name, dict(story.environ))


def state(story: Story, remote: str = "origin") -> dict[str, object]:
    """All that a command may change: refs, objects, index, files and git's own bookkeeping.

    Of the index its entries count, since its bytes hold times and inode numbers.
    """
    top = story.root
    files = {
        os.fsencode(path.relative_to(top)): (path.lstat().st_mode, path.read_bytes())
        for path in _bookkeeping(top / ".git")
    }
    return {
        "refs": story.git("for-each-ref"),
        "objects": story.git("cat-file", "--batch-all-objects", "--batch-check"),
        "index": story.git("ls-files", "-s", "-z"),
        "status": story.git("status", "--porcelain=v2", "-z", "--ignored"),
        "work tree": story.git("diff", "--binary"),
        "files": files,
        "remote": remote_refs(story, remote),
    }


def _bookkeeping(folder: Path) -> Iterator[Path]:
    """The files of a git directory but objects, samples of hooks, and the index."""
    for each in folder.iterdir():
        if each.is_dir() and each.name != "objects":
            yield from _bookkeeping(each)
        elif each.is_file() and each.name != "index" and each.suffix != ".sample":
            yield each


def same_without_hooks(story: Story, *arguments: str, under: str = ".", **environ: str) -> Said:
    """Run a command that must pass; it changes exactly what it changes without any hook."""
    other = twin(story)
    bare = user(other, *NO_HOOKS, *arguments, under=under, **environ).passed()
    said = user(story, *arguments, under=under, **environ).passed()
    assert "freezegate:" not in bare.text
    ours, plain = state(story), state(other)
    for key, value in plain.items():
        assert ours[key] == value, key
    shutil.rmtree(other.root.parent)
    return said


def changes_nothing(story: Story, *arguments: str, under: str = ".", **environ: str) -> Said:
    """Run a command that must be refused, after which everything is as before."""
    before = state(story)
    said = user(story, *arguments, under=under, **environ).refused("freezegate: ")
    after = state(story)
    for key, value in before.items():
        if key not in ("files", "objects"):
            assert after[key] == value, key
    ours = {path for path, _ in _difference(before["files"], after["files"])}
    index = Path(environ.get("GIT_INDEX_FILE", "index")).name.encode()  # git refreshes its times
    assert ours <= {b".git/COMMIT_EDITMSG", b".git/" + index}, ours
    return said


def _difference(old: object, new: object) -> set[tuple[bytes, object]]:
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    return set(old.items()) ^ set(new.items())
