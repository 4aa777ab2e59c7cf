"""The walk of a test run: plugins and what they bring, and what only the whole walk can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.domain import Why
from freezegate.model.entries import TREE_MODE
from freezegate.policy.domain.elsewhere import find_elsewhere
from freezegate.policy.domain.finder import joined
from freezegate.policy.domain.imports import STAR
from freezegate.policy.domain.loaded import absolute_name, package_of
from freezegate.policy.domain.standard import UNSHADOWABLE
from freezegate.policy.domain.walk import ImportWalk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.policy.domain.imports import ModuleFacts

_HOOK = "pytest_"  # what a plugin's or conftest file's hooks begin with
_ON_A_PATH = "a folder in [runner] pythonpath or pytest's `pythonpath` for each import"


class HarnessWalk(ImportWalk):
    """The imports of an interpreter that runs pytest: its plugins are never subject."""

    def load_plugins(self, names: Iterable[str], by: str) -> None:
        """Import plugins, and what their own `pytest_plugins` name, each as soon as it is there."""
        waiting = [(name, by) for name in reversed(tuple(names))]
        while waiting:
            name, asker = waiting.pop()
            if name in self._plugins:
                continue
            self._plugins.add(name)
            self._make_harness(name, asker)
            loaded = self._modules.get(name)
            path = loaded.path if loaded and loaded.path else asker
            waiting.extend((each, path) for each in reversed(self.plugins(name)))

    def _make_harness(self, name: str, by: str) -> None:
        """Import a module whose file is never subject."""
        self._plugins.add(name)
        known = self._modules.get(name)
        if known is not None and known.path:
            if self.is_subject(known.path):
                self._claim(known.path)
                self._run(name, known, by, Why.PLUGIN)
        else:
            self.load(name, by, Why.PLUGIN)

    def plugins(self, name: str) -> tuple[str, ...]:
        """Return what an imported module's `pytest_plugins` names, by `import *` too.

        Modules that give it their hooks are harness like it.
        """
        found: list[str] = []
        waiting, seen = [name], set[str]()
        while waiting:
            each = waiting.pop()
            facts = self._facts(each) if each not in seen else None
            if facts is None:
                continue
            seen.add(each)
            found += facts.plugins
            if facts.answers:
                path, one = self._modules[each].path or each, "`pytest_plugins` as it stands there"
                self.fault("domain.not_static", path, None, "__getattr__ of a plugin", one)
            waiting += self._lenders(each, facts)
        return tuple(dict.fromkeys(found))

    def _lenders(self, name: str, facts: ModuleFacts) -> list[str]:
        """Return the modules that a plugin takes all their names from."""
        package, path = package_of(name, self._modules[name]), self._modules[name].path or name
        stars: list[str] = []
        for each in facts.imports:
            module = absolute_name(each, package)
            is_star = STAR in each.names
            if module is None or each.deferred:
                continue
            if is_star:
                stars.append(module)
            lent = self._facts(module) if is_star else None
            names = lent.bound if lent else each.names
            if any(hook.startswith(_HOOK) for hook in names):
                self._make_harness(module, path)
        return stars

    def finish(self) -> None:
        """Tell what only the whole walk can: modules that are taken away, and unknown folders."""
        for name, line, path in self._forgotten:
            ours = any(each == name or each.startswith(f"{name}.") for each in self.walked)
            if ours or name.partition(".")[0] in UNSHADOWABLE:
                got = f"sys.modules without {name}"
                what = "modules of the domain that stay where they are"
                self.fault("domain.not_static", path, line, got, what)
        wanted = {n: by for n, by in self._unfound.items() if "." not in n} if self._unfound else {}
        wanted = {name: by for name, by in wanted.items() if name not in self._known}
        for name, path in find_elsewhere(self._tree, wanted):
            if self.is_subject(path):
                self._reach_subject(name, path, wanted[name])
            else:
                place = path.removesuffix("/__init__.py")
                got = f"imports {name}, which lies at {place}, in no folder that is known to be"
                self.fault(
                    "domain.not_static", wanted[name], None, f"{got} on sys.path", _ON_A_PATH
                )

    def _reach_subject(self, name: str, path: str, by: str) -> None:
        """Take subject code that is imported from a folder that nobody told us of."""
        self.subject.setdefault(path, by)
        folder = path.removesuffix("/__init__.py")
        for whole, asker in self._unfound.items():
            if whole.startswith(f"{name}.") and folder != path:
                inside = joined(folder, whole.removeprefix(f"{name}.").replace(".", "/"))
                for spelling in (f"{inside}.py", f"{inside}/__init__.py"):
                    entry = self._tree.entry(spelling)
                    if entry and entry.mode != TREE_MODE and self.is_subject(spelling):
                        self.subject.setdefault(spelling, asker)
