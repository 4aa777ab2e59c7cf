"""What the wheel and the sdist hold, file by file, and what a checkout must have."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from tests.support import git_environment

TOP = Path(__file__).resolve().parents[2]
HOOKS = ("pre-commit", "pre-merge-commit", "pre-push", "pre-receive", "post-receive")
PRESETS = ("basic.toml", "standard.toml", "strict.toml")
MUST_HAVE = (
    ".ci/run",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "docs",
    "hooks",
    "policy",
    "pyproject.toml",
    "scripts",
    "src/freezegate",
    "tests",
)
IN_SDIST = tuple(name for name in MUST_HAVE if not name.startswith(".ci"))
_MADE_ON_THE_WAY = {"PKG-INFO", ".gitignore"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with sdist and wheel, the wheel built from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(TOP)],
        env=git_environment(),
        check=True,
        capture_output=True,
    )
    return folder


def files_below(*folders: str) -> set[str]:
    """The files of the checkout below some folders, but for what programs leave behind."""
    return {
        path.relative_to(TOP).as_posix()
        for folder in folders
        for path in (TOP / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def wheel_of(built: Path) -> zipfile.ZipFile:
    """The wheel, opened."""
    return zipfile.ZipFile(next(built.glob("*.whl")))


def test_the_wheel_holds_the_package_and_the_shipped_folders(built: Path) -> None:
    with wheel_of(built) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    package = {name.removeprefix("src/") for name in files_below("src/freezegate")}
    shared = {f"freezegate/share/{name}" for name in files_below("hooks", "policy")}
    assert names == package | shared


def test_the_wheel_ships_hooks_and_presets_by_name(built: Path) -> None:
    with wheel_of(built) as wheel:
        names = set(wheel.namelist())
    assert {f"freezegate/share/hooks/{name}" for name in HOOKS} <= names
    assert {f"freezegate/share/policy/{name}" for name in PRESETS} <= names
    assert "freezegate/py.typed" in names


def test_hooks_stay_executable(built: Path) -> None:
    with wheel_of(built) as wheel:
        in_wheel = {name: wheel.getinfo(f"freezegate/share/hooks/{name}") for name in HOOKS}
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        modes = {
            PurePosixPath(each.name).name: each.mode for each in sdist if "/hooks/" in each.name
        }
    for name in HOOKS:
        assert (TOP / "hooks" / name).stat().st_mode & 0o111
        assert in_wheel[name].external_attr >> 16 & 0o111
        assert modes[name] & 0o111


def test_the_sdist_holds_the_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {each.name.partition("/")[2] for each in sdist if each.isfile()}
    folders = [name for name in IN_SDIST if (TOP / name).is_dir()]
    alone = {name for name in IN_SDIST if not (TOP / name).is_dir()}
    expected = files_below(*folders, "src") | alone
    assert names - _MADE_ON_THE_WAY == expected


def test_an_unpacked_wheel_finds_what_it_ships(built: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(next(built.glob("*.whl")), tmp_path, "zip")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from freezegate.resources import shipped_path\n"
        "print(shipped_path('hooks', 'pre-push'), shipped_path('policy', 'basic.toml'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True
    )
    share = tmp_path / "freezegate" / "share"
    assert done.stdout.split() == [str(share / "hooks/pre-push"), str(share / "policy/basic.toml")]


@pytest.mark.parametrize("name", MUST_HAVE)
def test_the_checkout_has(name: str) -> None:
    assert (TOP / name).exists()
