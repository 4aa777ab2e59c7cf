"""Where pytest takes its configuration from for one file, and what that says of imports.

Source: pytest 9.2, `_pytest/config/findpaths.py`; the order of older versions where it differs.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.model.domain import Reached, Why
from freezegate.policy.domain.addopts import read_addopts, warning_module
from freezegate.policy.domain.finder import joined
from freezegate.policy.domain.parts import (
    PRESENT,
    PRESENT_ENTRY,
    SETUP_SECTION,
    ini_section,
    part_entry,
    toml_part,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.tree import Tree

# In pytest's own order; versions before 9 do not know the first two.
_NEW_NAMES = ("pytest.toml", ".pytest.toml")
_WHOLE_NAMES = (*_NEW_NAMES, "pytest.ini", ".pytest.ini")
_PART_NAMES = {"pyproject.toml": "tool.pytest", "tox.ini": "pytest", "setup.cfg": SETUP_SECTION}
_NO = ("0", "false", "no", "off")


class Config(NamedTuple):
    """What pytest would read for a file.

    `inipath` is None where nothing configures it; `rootdir` the folder that pytest then calls so;
    conftest files above `confcutdir` are not loaded; `pythonpath` are folders from the top,
    None among them for what lies outside the repository; `imports` are modules that pytest loads
    for the sake of a setting, and `faults` what stands there and cannot be followed. `settings` are
    all of them, and `words` those of `addopts`.
    """

    rootdir: str
    inipath: str | None
    confcutdir: str
    pythonpath: tuple[str | None, ...]
    plugins: tuple[str, ...]
    import_mode: str
    reached: tuple[Reached, ...]
    imports: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    words: tuple[str, ...] = ()


def folders_above(folder: str) -> tuple[str, ...]:
    """Return a folder and all above it, the top (`""`) last."""
    parts = folder.split("/") if folder else []
    return tuple("/".join(parts[:end]) for end in range(len(parts), -1, -1))


def resolve_config(tree: Tree, folder: str) -> Config:
    """Return pytest's configuration for a file in a folder, started from the repository's top."""
    reached: list[Reached] = []
    winner = values = None
    old_winner = False
    for base in folders_above(folder):
        for name in (*_WHOLE_NAMES, *_PART_NAMES):
            if winner is not None and name in _NEW_NAMES:
                continue
            found, table = _look(tree, joined(base, name), name)
            reached.append(found)
            if table is None:
                continue
            if winner is None:
                winner, values = joined(base, name), table
            old_winner = name not in _NEW_NAMES
            if old_winner:
                break
        if old_winner:
            break
    rootdir, marks = _rootdir(tree, folder, winner)
    over = winner or "the built-in configuration"
    return _read(
        winner,
        rootdir,
        values or {},
        tuple(r if r.entry else r._replace(over=over) for r in (*reached, *marks)),
    )


def _look(tree: Tree, path: str, name: str) -> tuple[Reached, Mapping[str, Any] | None]:
    """Return a possible source of configuration, and its values where it is one."""
    entry = tree.entry(path)
    if name in _WHOLE_NAMES:
        if entry is None or entry.kind == "a folder":
            return Reached(path, None, Why.CONFIG), None
        return Reached(path, entry, Why.CONFIG), _whole_values(tree, entry, name)
    key = _PART_NAMES[name]
    part = f"{path}#{key}"
    if entry is None or entry.kind == "a folder":
        return Reached(part, None, Why.CONFIG, part=True), None
    if not entry.is_regular:
        return Reached(path, entry, Why.CONFIG), {}
    table = (
        toml_part(tree, entry, key) if name == "pyproject.toml" else ini_section(tree, entry, key)
    )
    values: Mapping[str, Any] | None = None
    if table is not None:
        values = table if isinstance(table, dict) else {}
    if name == "pyproject.toml" and values is not None:
        values = _pyproject_values(values)
    return Reached(part, part_entry(table, entry), Why.CONFIG, part=True), values


def _whole_values(tree: Tree, entry: Entry, name: str) -> Mapping[str, Any]:
    if not entry.is_regular:
        return {}
    if name in _NEW_NAMES:
        table = toml_part(tree, entry, "pytest")
    else:
        table = ini_section(tree, entry, "pytest")
    return table if isinstance(table, dict) else {}


def _pyproject_values(table: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """`[tool.pytest]` itself, else its `ini_options`; an empty table configures nothing."""
    native = {key: value for key, value in table.items() if key != "ini_options"}
    if native:
        return native
    options = table.get("ini_options")
    return options if isinstance(options, dict) else None


def _rootdir(tree: Tree, folder: str, winner: str | None) -> tuple[str, tuple[Reached, ...]]:
    """Return the folder that pytest starts from, and the marks that decided it."""
    if winner is not None:
        return winner.rpartition("/")[0], ()
    below = folders_above(folder)[:-1]
    marks: list[Reached] = []
    for base in below:
        marks.append(_mark(tree, joined(base, "pyproject.toml")))
        if marks[-1].entry:
            return base, tuple(marks)
    setups = [_mark(tree, joined(base, "setup.py")) for base in below]
    decides = next((base for base, mark in zip(below, setups, strict=True) if mark.entry), None)
    if decides is None:  # what stands at the top decides nothing, and may be edited
        return "", (*marks, *setups)
    top = _mark(tree, "pyproject.toml")
    return "" if top.entry else decides, (*marks, *setups, top)


def _mark(tree: Tree, path: str) -> Reached:
    """Return a file that counts by being there, whatever it says."""
    entry = tree.entry(path)
    if entry is None or entry.kind == "a folder":
        return Reached(path, None, Why.CONFIG)
    if not entry.is_regular:
        return Reached(path, entry, Why.CONFIG)
    return Reached(f"{path}#{PRESENT}", PRESENT_ENTRY, Why.CONFIG, part=True)


def _read(
    winner: str | None, rootdir: str, values: Mapping[str, Any], reached: tuple[Reached, ...]
) -> Config:
    words = setting_words(values.get("addopts", ""))
    options = read_addopts(words or [])
    settings = {**values, **options.overrides}
    folders = setting_words(settings.get("pythonpath", ""))
    faults = list(options.faults)
    if words is None or folders is None:
        faults.append("addopts or pythonpath that pytest cannot split")
    if str(settings.get("consider_namespace_packages", False)).lower() not in _NO:
        faults.append("consider_namespace_packages")
    cut = options.confcutdir
    return Config(
        rootdir=rootdir,
        inipath=winner,
        confcutdir=rootdir if cut is None else _normal("", cut) or "",
        pythonpath=tuple(_normal(rootdir, folder) for folder in folders or ()),
        plugins=options.plugins,
        import_mode=options.import_mode,
        reached=reached,
        imports=(*options.imports, *_categories(settings.get("filterwarnings", ""))),
        faults=tuple(faults),
        settings=settings,
        words=tuple(words or ()),
    )


def _categories(filters: object) -> Iterator[str]:
    """Yield the modules of the warnings that `filterwarnings` names: pytest imports them."""
    lines = filters if isinstance(filters, list) else str(filters).split("\n")
    for line in lines:
        module = warning_module(str(line))
        if module:
            yield module


def setting_words(value: object) -> list[str] | None:
    """Split a setting as pytest does, None where it would stop."""
    try:
        if isinstance(value, list | tuple):
            return [str(item) for item in value]
        import shlex

        return shlex.split(str(value))
    except ValueError:
        return None


def _normal(folder: str, path: str) -> str | None:
    """Return a folder's path from the top, None where it lies outside the repository."""
    return normal_folder(joined(folder, path)) if not path.startswith("/") else None


def normal_folder(path: str) -> str | None:
    """Return a path without `.`, `..` and empty parts, None where it leaves the repository."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
