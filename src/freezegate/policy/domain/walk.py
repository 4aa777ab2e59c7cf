"""Import as Python would, over a tree: every file that answers, every absent one that could."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import TYPE_CHECKING

from freezegate.model.domain import DomainFault, Reached, Why
from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE, TREE_MODE
from freezegate.policy.domain.config import normal_folder
from freezegate.policy.domain.finder import find_module, joined
from freezegate.policy.domain.imports import STAR
from freezegate.policy.domain.loaded import Loaded, absolute_name, joined_name, package_of
from freezegate.policy.domain.parts import PRESENT, PRESENT_ENTRY
from freezegate.policy.domain.standard import TEST_STACK, UNSHADOWABLE, standard_names
from freezegate.policy.domain.suspects import NAMED_AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from freezegate.policy.domain.finder import Found, Look
    from freezegate.policy.domain.imports import Import, ModuleFacts, PathChange
    from freezegate.policy.domain.tree import Tree

_LINK_CODES = {SYMLINK_MODE: "path.symlink", GITLINK_MODE: "path.gitlink"}
MAX_ENTRIES = 50_000  # what an evidence file may hold (formats.evidence)
# Measured: a chain of modules ends Python at 141 (3.11) or 164 (3.12, 3.13); we need 5 frames each.
MAX_NESTED_IMPORTS = 100

_Doubt = tuple["Import", str, str]  # an import, its package, the file that it stands in


class ImportWalk:
    """One interpreter's imports: `sys.path`, `sys.modules`, and all that was looked at."""

    def __init__(self, tree: Tree, python: str, is_subject: Callable[[str], bool]) -> None:
        """Walk a tree by the rules of a Python, `3.12`; subject files end the walk."""
        self._tree, self._python, self._matches_subject = tree, python, is_subject
        self._standard = standard_names(python)
        self._modules: dict[str, Loaded] = {}
        self._missed: dict[str, list[str]] = {}
        self._doubts: dict[_Doubt, None] = {}
        self._in_doubt = False
        self._ran: set[tuple[str, str]] = set()
        self._paths: dict[tuple[str, ...], None] = {}
        self._plugins: set[str] = set()  # names: what they come to is never subject
        self._harness: set[str] = set()  # the files of those
        self._guessed: set[str] = set()  # folders that may be on the path
        self._lent: str | None = None  # a folder that is looked in, though it is not on the path
        self._depth = 0
        self._known: set[str] = set()
        self._unfound: dict[str, str] = {}
        self._forgotten: list[tuple[str, int, str]] = []
        self.path: list[str] = []
        self.entries: dict[str, Reached] = {}
        self.subject: dict[str, str] = {}
        self.faults: list[DomainFault] = []
        self.walked: dict[str, str] = {}

    def note(self, reached: Reached) -> None:
        """Take an entry of the domain; the first reason for a path stays."""
        if reached.entry and reached.entry.mode == TREE_MODE:  # no file: the same as absent
            reached = reached._replace(entry=None)
        known = self.entries.get(reached.path)
        if known is None and len(self.entries) >= MAX_ENTRIES:
            self._stop("limits.too_many_changes", reached.file, f"more than {MAX_ENTRIES} paths")
        elif known is None or (known.entry is None and reached.entry is not None):
            self.entries[reached.path] = reached

    def is_subject(self, path: str) -> bool:
        """Whether a path is subject code: what tests are driven by never is."""
        return path not in self._harness and self._matches_subject(path)

    def add_root(
        self, folder: str | None, *, first: bool, by: str, is_guessed: bool = False
    ) -> None:
        """Put a folder on the path: at its front, or at its end where it is not on it yet."""
        if folder == self._lent:
            self._lent = None
        if folder is not None:
            (self._guessed.add if is_guessed else self._guessed.discard)(folder)
        if folder is None:
            got = "a folder outside the repository on sys.path"
            self.fault("domain.not_static", by, None, got, "folders of the repository")
        elif first or folder not in self.path:
            self._note_links(folder, by)
            others = [each for each in self.path if each != folder]
            self.path = [folder, *others] if first else [*self.path, folder]
            self._paths.setdefault(tuple(self.path))

    def fault(
        self, code: str, path: str, line: int | None, got: str, expected: str | None = None
    ) -> None:
        """Take note of what keeps the domain from being known."""
        usual = {
            "domain.not_static": NAMED_AS_TEXT,
            "domain.bytecode": "source, whose imports can be read",
            "limits.too_many_changes": f"a domain of at most {MAX_ENTRIES} paths",
        }.get(code, "regular files and folders wherever imports and configuration are resolved")
        self.faults.append(DomainFault(code, path, line, got, expected or usual))

    def _stop(self, code: str, path: str, got: str, expected: str | None = None) -> None:
        """Take note of a limit, once."""
        if not any(fault.code == code and fault.got == got for fault in self.faults):
            self.fault(code, path, None, got, expected)

    def load(self, name: str, by: str, why: Why = Why.IMPORTED) -> bool:
        """Import a dotted name, its parents first; say whether it may have submodules."""
        parent = ""
        parts = name.split(".")
        if len(parts) > MAX_NESTED_IMPORTS:
            self._stop("domain.not_static", by, f"a name of more than {MAX_NESTED_IMPORTS} parts")
            return False
        for part in parts:
            whole = joined_name(parent, part)
            if not self._import(whole, parent, part, by, why):
                return False
            parent = whole
        return True

    def _claim(self, path: str) -> None:
        self._harness.add(path)
        self.subject.pop(path, None)

    def load_file(self, name: str, path: str, root: str, by: str, why: Why) -> None:
        """Import a file under a dotted name, its packages first: pytest insists on this file.

        The name of a conftest file outside packages is taken out of `sys.modules` before.
        """
        parent, _, last = name.rpartition(".")
        on_path = root in self.path
        if not on_path:  # pytest's import mode importlib
            self._lent = root
            self.path.insert(0, root)
            self._paths.setdefault(tuple(self.path))
        if parent:
            self.load(parent, by, Why.PACKAGE)
            if not on_path:
                self._keep_folders(parent, root)
        elif why is Why.CONFTEST:
            self._modules.pop(name, None)
        known = self._modules.get(name)
        is_new = known is None or known.path != path
        if is_new and last.isidentifier():
            folders = self._folders(parent) or ()
            look = find_module(self._tree, folders, last, self._python)
            self._note_look(look, name, by, why)
            if look.found and look.found.path not in (None, path):
                # Python takes another file for this name; pytest then refuses to go on.
                self._run(name, Loaded(look.found.path, look.found.folders), by, why)
        if self._lent == root:
            self.path.remove(root)
            self._lent = None
        if is_new:
            is_package = path.endswith("/__init__.py")
            loaded = Loaded(path, (path.rpartition("/")[0],) if is_package else None)
            self._modules[name] = loaded
            self._run(name, loaded, by, why)

    def _keep_folders(self, name: str, root: str) -> None:
        """Give the packages of a file their own folders, whatever the path holds later."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            package = ".".join(parts[:end])
            known = self._modules.get(package)
            if known is None or known.path is None:
                self._modules[package] = Loaded("", (joined(root, "/".join(parts[:end])),))

    def settle_doubts(self) -> None:
        """Import what may be imported, or not, or later, by every path that there ever was.

        A name that such an import loaded may have been free at the next import of it: whichever
        file answers by any of the paths belongs to the domain.
        """
        loaded, path = self._modules, self.path
        settled: set[tuple[_Doubt, tuple[str, ...]]] = set()
        while waiting := [
            pair for pair in product(self._doubts, self._paths) if pair not in settled
        ]:
            settled.update(waiting)
            for (each, package, by), state in waiting:
                self._modules, self.path = {}, list(state)
                self._follow(each, package, by)
        self._modules, self.path = loaded, path

    def _doubt(self, each: Import, package: str, by: str) -> None:
        self._doubts.setdefault((each._replace(doubtful=True), package, by))

    def _import(self, whole: str, parent: str, part: str, by: str, why: Why) -> bool:
        """Import one name; say whether submodules of it can be looked for."""
        known = self._modules.get(whole)
        if known is not None and known.path is not None:
            return known.folders is not None
        if not part.isidentifier() or (not parent and part in UNSHADOWABLE):
            return False
        folders = self._folders(parent)
        if folders is None:
            return False
        look = find_module(self._tree, folders, part, self._python)
        if known is not None:
            self._note_namespace(look, whole, by, why)
            return True
        if whole in self._plugins and look.found and look.found.path:
            self._claim(look.found.path)
        may_grow = whole not in self._plugins and self._may_grow(parent)
        self._note_look(look, whole, by, why, may_grow=may_grow)
        if look.found is None or look.found.path is None:
            self._missed.setdefault(whole, []).extend(joined(each, part) for each in folders)
        if look.found is None:  # not kept: a later import is looked for anew, by the path of then
            foreign = whole.partition(".")[0] in self._standard | TEST_STACK
            if not foreign and look.link is None and why is not Why.STARTUP:
                self._unfound.setdefault(whole, by)
            return look.link is None and not foreign
        self._known.add(whole)
        loaded = Loaded(look.found.path, self._inside(look.found))
        self._modules[whole] = loaded
        if loaded.path is not None:
            for missed in self._missed.pop(whole, ()):  # a folder there would be a namespace
                self.note(Reached(missed, self._tree.entry(missed), why, by, loaded.path))
            self._run(whole, loaded, by, why)
        return loaded.folders is not None

    def _note_namespace(self, look: Look, whole: str, by: str, why: Why) -> None:
        """A namespace package that was imported stays, though the path holds more by now."""
        self._note_look(look._replace(found=None), whole, by, why)
        if look.found and look.found.path:
            for folder in self._missed.get(whole, ()):
                entry = self._tree.entry(folder)
                if entry and entry.mode == TREE_MODE:
                    there = Reached(f"{folder}#{PRESENT}", PRESENT_ENTRY, why, by, part=True)
                    self.note(there)
                else:
                    self.note(Reached(folder, entry, why, by, look.found.path))

    def _folders(self, parent: str) -> tuple[str, ...] | None:
        """Where a name is looked for: the path, or the folders of its package."""
        if not parent:
            return tuple(self.path)
        above = self._modules.get(parent)
        if above is not None and above.path is not None:
            return above.folders
        # A namespace package takes in every such folder on the path, the new ones of a patch too;
        # an installed one would do the same.
        grand, _, last = parent.rpartition(".")
        return tuple(joined(folder, last) for folder in self._folders(grand) or ())

    def _inside(self, found: Found) -> tuple[str, ...] | None:
        """Where submodules are looked for; a patch may make a package of a subject's module."""
        if found.folders is None and found.path and self.is_subject(found.path):
            return (found.path.rsplit(".", 1)[0],)
        return found.folders

    def _may_grow(self, parent: str) -> bool:
        """Whether this is a package of the subject's: what it lacks, a patch may add to it."""
        above = self._modules.get(parent)
        return above is not None and above.path is not None and self.is_subject(above.path)

    def _note_look(
        self, look: Look, whole: str, by: str, why: Why, *, may_grow: bool = False
    ) -> None:
        found = look.found
        over = (found.path if found and found.path else None) or f"`{whole}` as installed"
        replaceable = self.is_subject(found.path) if found and found.path else may_grow
        for path in look.absent:
            if not (replaceable and self.is_subject(path)):
                self.note(Reached(path, None, why, by, over))
        if look.link:
            self.note_link(look.link, by, why)
        for cached in found.bytecode if found else ():
            self.note(Reached(cached, self._tree.entry(cached), Why.BYTECODE, by))

    def _note_links(self, path: str, by: str) -> None:
        parts = path.split("/") if path else []
        for end in range(1, len(parts) + 1):
            above = "/".join(parts[:end])
            entry = self._tree.entry(above)
            if entry and entry.mode in _LINK_CODES:
                self.note_link(above, by, Why.IMPORTED)

    def note_link(self, path: str, by: str, why: Why) -> None:
        """Take an entry that is no regular file: a freeze cannot stand on what lies behind it."""
        entry = self._tree.entry(path)
        assert entry is not None  # noqa: S101 - it was seen a moment ago
        self.note(Reached(path, entry, why, by))
        code = _LINK_CODES.get(entry.mode, "path.not_regular")
        self.fault(code, path, None, f"{entry.kind}, on the way from {by}")

    def _run(self, name: str, loaded: Loaded, by: str, why: Why) -> None:
        """Take a module's file into the domain and follow its imports, unless it is subject."""
        path = loaded.path
        assert path is not None  # noqa: S101 - namespaces have no file to run
        if self.is_subject(path):
            self.subject.setdefault(path, by)
            return
        entry = self._tree.entry(path)
        self.note(Reached(path, entry, why, by))
        if path not in self.entries:  # there are too many
            return
        self.walked[name] = path
        if (name, path) in self._ran and self._in_doubt:
            return
        self._ran.add((name, path))
        if entry is None or not entry.is_regular:
            return
        if not path.endswith(".py"):
            self.fault("domain.bytecode", path, None, f"compiled code, imported by {by}")
            return
        if self._depth >= MAX_NESTED_IMPORTS:
            most = f"imports that are nested less than {MAX_NESTED_IMPORTS} deep"
            self._stop("domain.not_static", path, "imports within imports, too deep", most)
            return
        self._depth += 1
        self._run_source(name, loaded, path, self._tree.module(entry))
        self._depth -= 1

    def _run_source(self, name: str, loaded: Loaded, path: str, facts: ModuleFacts) -> None:
        package = package_of(name, loaded)
        self._note_faults(facts, path)
        changes = deque(facts.path_changes)
        for number, each in enumerate(facts.imports):
            while changes and changes[0].place <= number:
                self._change_path(changes.popleft(), path)
            if each.deferred:
                self._doubt(each, package, path)
            else:
                self._follow(each, package, path)
        for change in changes:
            self._change_path(change, path)

    def _change_path(self, change: PathChange, by: str) -> None:
        folder = normal_folder(joined(by.rpartition("/")[0], change.folder))
        there = folder in self.path and folder not in self._guessed and folder != self._lent
        if change.unless_there and there:
            if not change.settled and change.first and self.path[0] != folder:
                got = "a folder that may be on sys.path under another spelling"
                plain = "the folder without `..` and the like, by `resolve()` or `abspath`"
                self.fault("domain.not_static", by, change.line, got, plain)
            return
        self.add_root(folder, first=change.first, by=by)

    def _facts(self, name: str) -> ModuleFacts | None:
        loaded = self._modules.get(name)
        if loaded is None or loaded.path is None or not loaded.path.endswith(".py"):
            return None
        entry = self._tree.entry(loaded.path)
        return self._tree.module(entry) if entry and entry.is_regular else None

    def _note_faults(self, facts: ModuleFacts, path: str) -> None:
        if facts.fault:
            self.fault("domain.not_static", path, None, facts.fault, "source that can be read")
        for dynamic in facts.dynamic:
            self.fault("domain.not_static", path, dynamic.line, dynamic.what, dynamic.expected)
        self._forgotten += [(name, line, path) for name, line in facts.forgotten]

    def _follow(self, each: Import, package: str, by: str) -> None:
        name = absolute_name(each, package)
        if name is None:
            return  # such an import fails when it runs, and nothing is imported
        before = self._in_doubt
        self._in_doubt = before or each.doubtful
        if self._in_doubt:
            self._doubt(each, package, by)
        if self.load(name, by):
            self._follow_names(each.names, name, by)
        self._in_doubt = before

    def _follow_names(self, names: Iterable[str], package: str, by: str) -> None:
        """`from PACKAGE import NAME`: a submodule, where the package itself has no such name."""
        loaded = self._modules.get(package, Loaded(None, ()))
        facts = self._facts(package) if not self._ends_here(loaded) else None
        for name in names:
            if name == STAR:
                self._follow_star(package, loaded, facts, by)
            elif facts is None or name not in facts.bound:
                self._import(joined_name(package, name), package, name, by, Why.IMPORTED)

    def _follow_star(
        self, package: str, loaded: Loaded, facts: ModuleFacts | None, by: str
    ) -> None:
        """`from PACKAGE import *` imports the submodules that `__all__` names, if it has any."""
        if facts is None or (facts.exports is None and not facts.open_names):
            return
        names = facts.exports
        if names is None:  # a computed list may name any of them
            names = tuple(
                sorted(
                    {n.partition(".")[0] for f in loaded.folders or () for n in self._tree.names(f)}
                )
            )
        for name in names:
            if name not in facts.bound and not name.startswith("__") and "." not in name:
                self._import(joined_name(package, name), package, name, by, Why.IMPORTED)

    def _ends_here(self, loaded: Loaded) -> bool:
        return loaded.path is not None and self.is_subject(loaded.path)
