"""Names that were imported, and the dotted names that imports come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from freezegate.policy.domain.imports import Import


class Loaded(NamedTuple):
    """A name that was imported: its file, and where its submodules lie.

    The file is None for a namespace package that follows the path, empty for one that does not.
    """

    path: str | None
    folders: tuple[str, ...] | None


def joined_name(package: str, name: str) -> str:
    """Return a dotted name below a package, `""` being none."""
    return f"{package}.{name}" if package else name


def package_of(name: str, loaded: Loaded) -> str:
    """Return what a module's relative imports start from."""
    return name if loaded.folders is not None else name.rpartition(".")[0]


def absolute_name(each: Import, package: str) -> str | None:
    """Return an import's dotted name, None where it leads above the top-level package."""
    if not each.level:
        return each.module or None
    parts = package.split(".") if package else []
    if each.level > len(parts):
        return None
    base = ".".join(parts[: len(parts) - each.level + 1])
    return joined_name(base, each.module) if each.module else base
