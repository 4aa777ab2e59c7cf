"""Which paths of a domain a patch changes: where it changes none, the domain is the same.

Absent paths that would win are entries too, so that nothing has to be resolved anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.domain import DomainChange, Reached, Why
from freezegate.model.entries import TREE_MODE
from freezegate.policy.domain.config import folders_above
from freezegate.policy.domain.finder import stem_of
from freezegate.policy.domain.parts import PART_KEYS, PRESENT, parts_of
from freezegate.policy.domain.subject import is_subject
from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.domain import Domain
    from freezegate.model.entries import Change, Entry
    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.settings import Policy


def changed_in(
    domain: Domain, changes: Mapping[bytes, Change], new_tree: Tree, policy: Policy
) -> tuple[DomainChange, ...]:
    """Return the domain's paths that a patch changes, each once, in the patch's order."""
    entries, folders, parts = _index(domain)
    found: dict[str, DomainChange] = {}
    for raw, change in changes.items():
        path = raw.decode("utf-8", "surrogateescape")
        if path == domain.oracle:
            continue
        for reached in _touched(path, change, entries, folders):
            found.setdefault(path, DomainChange(path, reached, change.new))
        if path in domain.subject and not _stays_subject(domain, path, new_tree, policy):
            reached = Reached(path, change.old, Why.IMPORTED, domain.subject[path])
            found.setdefault(path, DomainChange(path, reached, change.new))
        if path in parts or path in PART_KEYS:
            for each in _changed_parts(path, parts.get(path, {}), change.new, new_tree):
                found.setdefault(each.path, each)
        for folder in folders_above(path)[1:-1] if change.new is None else ():
            gone = parts.get(folder, {}).get(f"{folder}#{PRESENT}")
            if gone and not new_tree.names(folder):
                found.setdefault(gone.path, DomainChange(gone.path, gone, new_tree.entry(folder)))
        if path not in found and matches(policy.domain_paths, raw):
            listed = Reached(path, change.old, Why.LISTED)
            found[path] = DomainChange(path, listed, change.new)
    return tuple(found.values())


def differing_entries(old: Domain, new: Domain) -> Iterator[DomainChange]:
    """Yield the entries in which two resolutions differ: another policy asks for other paths."""
    for path in sorted(old.entries.keys() | new.entries.keys()):
        was, now = old.entries.get(path), new.entries.get(path)
        old_entry, new_entry = was and was.entry, now and now.entry
        reached = was or now
        if reached and old_entry != new_entry:
            yield DomainChange(path, reached._replace(entry=old_entry), new_entry)


def _index(
    domain: Domain,
) -> tuple[dict[str, Reached], dict[str, Reached], dict[str, dict[str, Reached]]]:
    """Return whole entries by path, a folder's first entry by folder, parts by file."""
    entries: dict[str, Reached] = {}
    folders: dict[str, Reached] = {}
    parts: dict[str, dict[str, Reached]] = {}
    for path, reached in domain.entries.items():
        if reached.part:
            parts.setdefault(reached.file, {})[path] = reached
            continue
        entries[path] = reached
        for folder in folders_above(path)[1:-1]:
            folders.setdefault(folder, reached)
    for root in domain.roots:
        for folder in folders_above(root)[:-1]:
            folders.setdefault(folder, Reached(root, None, Why.IMPORTED, domain.oracle))
    return entries, folders, parts


def _touched(
    path: str, change: Change, entries: Mapping[str, Reached], folders: Mapping[str, Reached]
) -> Iterator[Reached]:
    if path in entries:
        yield entries[path]
    if path in folders:  # a file, link or submodule where a folder of the domain is, or would be
        yield folders[path]
    above = path.rpartition("/")[0]
    while above:  # what was a file or link becomes a folder, or the other way round
        if above in entries:
            yield entries[above]
        above = above.rpartition("/")[0]
    stem = stem_of(path)
    if stem and change.new:
        for spelling in (f"{stem}.py", f"{stem}/__init__.py"):
            if spelling in entries:
                yield entries[spelling]


def _stays_subject(domain: Domain, path: str, tree: Tree, policy: Policy) -> bool:
    """Whether subject code still answers where the domain imports it.

    What a package of the subject's lacks counts as little as what it has: with the package there,
    a submodule may go.
    """
    entry = tree.entry(path)
    if entry is not None and entry.mode != TREE_MODE:
        return entry.is_regular
    folder = path.rpartition("/")[0]
    stem = path.removesuffix("/__init__.py").rsplit(".", 1)[0]
    spellings = [f"{stem}.py", f"{stem}/__init__.py"]
    if folder not in domain.roots and not path.endswith("/__init__.py"):
        spellings.append(f"{folder}/__init__.py")
    return any(
        is_subject(policy, domain.oracle, each) and each_entry.is_regular
        for each in spellings
        if (each_entry := tree.entry(each)) is not None
    )


def _changed_parts(
    path: str, known: Mapping[str, Reached], new: Entry | None, tree: Tree
) -> Iterator[DomainChange]:
    keys = {part.rpartition("#")[2] for part in known} | set(PART_KEYS.get(path, ()))
    now: dict[str, Entry | None] = {}
    if new is not None:
        now = dict(parts_of(tree, path, new, tuple(sorted(keys))))
    for key in sorted(keys):
        part = f"{path}#{key}"
        old = known.get(part) or Reached(part, None, Why.DEPENDENCIES, part=True)
        if now.get(part) != old.entry:
            yield DomainChange(part, old, now.get(part))
