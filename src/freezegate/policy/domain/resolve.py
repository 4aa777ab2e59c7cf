"""Resolve the domain of an oracle in one tree: a function of the tree and its policy alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from freezegate.model.domain import Domain, Reached, Why
from freezegate.policy.digests import DOMAIN_CONTEXT, entries_digest
from freezegate.policy.domain.config import folders_above, normal_folder, resolve_config
from freezegate.policy.domain.entry_points import own_plugins
from freezegate.policy.domain.finder import joined
from freezegate.policy.domain.harness import HarnessWalk
from freezegate.policy.domain.parts import PART_KEYS, PRESENT, PRESENT_ENTRY, parts_of
from freezegate.policy.domain.standard import STARTUP
from freezegate.policy.domain.subject import is_subject
from freezegate.policy.globs import matches
from freezegate.policy.guards import CATALOG_PATH, POLICY_PATH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.catalog import Property
    from freezegate.model.globs import Glob
    from freezegate.model.paths import RepoPath
    from freezegate.policy.domain.config import Config
    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.settings import Policy

# What decides, beside pyproject.toml, which libraries and plugins the runs find installed.
DEPENDENCY_FILES = (
    ".coveragerc",
    "Pipfile",
    "Pipfile.lock",
    "pdm.lock",
    "poetry.lock",
    "pylock.toml",
    "requirements.txt",
    "setup.py",
    "uv.lock",
)
_PLAIN_OPTIONS = "options of pytest's own, each by its whole name, and no paths in addopts"
_PLAIN_ENTRY_POINTS = "the project's own plugins in `[project.entry-points.pytest11]`"
_RUNS_IMPORT = ("pytest", "_pytest")


def resolve_domain(
    tree: Tree, policy: Policy, oracle: RepoPath, entry: Property | None, fixture: RepoPath | None
) -> Domain:
    """Return the domain of an oracle file.

    `entry` is the property's catalogue entry, where it has one; `fixture` the one that is locked:
    the entry's others belong to the domain.
    """
    walk = _walked(tree, policy, oracle)
    for reached in _listed(tree, policy, oracle):
        walk.note(reached)
    for other in entry.fixtures if entry else ():
        if other != fixture:
            walk.note(Reached(other, tree.entry(other), Why.FIXTURE, CATALOG_PATH.decode()))
    for reached in _parts(tree, entry):
        walk.note(reached)
    for name in DEPENDENCY_FILES:
        walk.note(Reached(name, tree.entry(name), Why.DEPENDENCIES))
    return _domain(walk, oracle, left_out=frozenset({oracle, fixture}))


def resolve_test(tree: Tree, policy: Policy, module: RepoPath) -> Domain:
    """Return what a test's module resolves to: its conftest chain, configuration and imports."""
    return _domain(_walked(tree, policy, module), module, left_out=frozenset())


def _domain(walk: HarnessWalk, oracle: str, left_out: frozenset[str | None]) -> Domain:
    entries = {
        path: reached
        for path, reached in sorted(walk.entries.items(), key=lambda item: _raw(item[0]))
        if path not in left_out
    }
    return Domain(
        oracle=oracle,
        entries=entries,
        subject=walk.subject,
        modules=walk.walked,
        roots=tuple(walk.path),
        faults=tuple(dict.fromkeys(walk.faults)),
        digest=entries_digest(
            DOMAIN_CONTEXT, ((_raw(path), reached.entry) for path, reached in entries.items())
        ),
    )


def _walked(tree: Tree, policy: Policy, module: str) -> HarnessWalk:
    """Start the runs' interpreter and pytest, and import a test module as they would."""
    folder = module.rpartition("/")[0]
    config = resolve_config(tree, folder)
    walk = HarnessWalk(tree, policy.runner.python, partial(is_subject, policy, module))
    _start(walk, tree, policy, config)
    for reached in config.reached:
        walk.note(reached)
        if reached.entry and not reached.entry.is_regular:
            walk.note_link(reached.path, module, Why.CONFIG)
    top_down = tuple(reversed(folders_above(folder)))
    for got in config.faults:
        walk.fault("domain.not_static", config.inipath or "pytest", None, got, _PLAIN_OPTIONS)
    for above in top_down:
        _load_conftest(walk, tree, config, above, module)
    _load_file(walk, tree, config, module, module)
    for above in top_down:
        _set_up_package(walk, tree, config, above, module)
    walk.settle_doubts()
    walk.finish()
    return walk


def _start(walk: HarnessWalk, tree: Tree, policy: Policy, config: Config) -> None:
    """`python -m pytest` at the top, PYTHONPATH from the policy, then pytest's own settings."""
    policy_path = POLICY_PATH.decode()
    for folder in policy.runner.pythonpath:
        walk.add_root(normal_folder(folder), first=False, by=policy_path)
    for name in STARTUP:  # before the working folder is on the path
        walk.load(name, "Python", Why.STARTUP)
    walk.add_root("", first=True, by="python -m pytest")
    # An installed project of that layout is found there, after all else; whether or not the
    # folder is there now.
    walk.add_root("src", first=False, by="src layout", is_guessed=True)
    for name in _RUNS_IMPORT:
        walk.load(name, "python -m pytest", Why.STARTUP)
    for root in reversed(config.pythonpath):
        walk.add_root(root, first=True, by=config.inipath or "pytest")
    walk.load_plugins(policy.runner.plugins or (), policy_path)
    walk.load_plugins(config.plugins, config.inipath or "pytest")
    for own in own_plugins(tree):
        walk.load_plugins(own.modules, own.path)
        if own.fault:
            walk.fault("domain.not_static", own.path, None, own.fault, _PLAIN_ENTRY_POINTS)
    for module in config.imports:
        walk.load(module, config.inipath or "pytest")


def _load_conftest(walk: HarnessWalk, tree: Tree, config: Config, folder: str, module: str) -> None:
    path = joined(folder, "conftest.py")
    entry = tree.entry(path)
    if entry is None or _is_cut(folder, config) or entry.kind == "a folder":
        walk.note(Reached(path, entry, Why.CONFTEST, module))
        return
    _load_file(walk, tree, config, path, module, Why.CONFTEST)


def _set_up_package(
    walk: HarnessWalk, tree: Tree, config: Config, folder: str, module: str
) -> None:
    """Import the `__init__.py` of a folder above the test, as pytest does before it runs."""
    init = joined(folder, "__init__.py")
    entry = tree.entry(init)
    if _is_cut(folder, config):
        return
    if entry is None or entry.kind == "a folder":
        walk.note(Reached(init, None, Why.PACKAGE, module))
    else:
        _load_file(walk, tree, config, init, module, Why.PACKAGE)


def _is_cut(folder: str, config: Config) -> bool:
    """Whether a folder lies above the one where pytest's look upwards ends."""
    cut = config.confcutdir
    return cut != folder and (not folder or cut.startswith(folder + "/"))


def _load_file(
    walk: HarnessWalk,
    tree: Tree,
    config: Config,
    path: str,
    by: str,
    why: Why = Why.IMPORTED,
) -> None:
    """Import a file as pytest does: under the name that its packages give it."""
    root = _package_root(walk, tree, path, by)
    if config.import_mode == "importlib" and root == path.rpartition("/")[0]:
        root = config.rootdir  # without packages the name tells the whole way from there
    name = _module_name(root, path)
    if config.import_mode != "importlib":
        walk.add_root(root, first=config.import_mode == "prepend", by=path)
    walk.load_file(name, path, root, by, why)
    walk.load_plugins(walk.plugins(name), path)


def _module_name(root: str, path: str) -> str:
    """Return the dotted name below a root; `__init__` at the root itself is its own name."""
    inside = path.removeprefix(f"{root}/" if root else "").removesuffix(".py")
    return inside.removesuffix("/__init__").replace("/", ".")


def _package_root(walk: HarnessWalk, tree: Tree, path: str, by: str) -> str:
    """Return the first folder upwards that is no package: there pytest lets names begin.

    The top is none, whatever lies in it: the runs' trees have names that are no identifiers.
    """
    for folder in folders_above(path.rpartition("/")[0])[:-1]:
        init = joined(folder, "__init__.py")
        entry = tree.entry(init)
        name = folder.rpartition("/")[2]
        is_package = entry is not None and entry.kind != "a folder" and name.isidentifier()
        over = None if entry else f"the name under which {path} is imported"
        if entry and entry.is_regular and walk.is_subject(init):  # it may say what it likes
            walk.note(Reached(f"{init}#{PRESENT}", PRESENT_ENTRY, Why.PACKAGE, by, part=True))
        else:
            walk.note(Reached(init, entry, Why.PACKAGE, by, over))
        if not is_package:
            return folder
    return ""


def _listed(tree: Tree, policy: Policy, oracle: str) -> Iterator[Reached]:
    """The files that the policy's own globs add."""
    folders = sorted({_fixed_folder(glob) for glob in policy.domain_paths if glob[0] != "!"})
    for number, folder in enumerate(folders):
        if any(folder == f or folder.startswith(f + "/") or not f for f in folders[:number]):
            continue
        for path, entry in tree.files(folder):
            if path != oracle and matches(policy.domain_paths, _raw(path)):
                yield Reached(path, entry, Why.LISTED, POLICY_PATH.decode())


def _fixed_folder(glob: Glob) -> str:
    """Return the folder that every match of a glob lies in, as far as its text tells."""
    parts = glob.lstrip("/").rstrip("/").split("/")
    if "/" not in glob.rstrip("/"):
        return ""
    fixed = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), len(parts) - 1)
    return "/".join(parts[:fixed])


def _parts(tree: Tree, entry: Property | None) -> Iterator[Reached]:
    whys: dict[str, tuple[Why, tuple[str, ...]]] = {POLICY_PATH.decode(): (Why.RUNNER, ("runner",))}
    whys |= {path: (Why.DEPENDENCIES, keys) for path, keys in PART_KEYS.items()}
    if entry:
        whys[CATALOG_PATH.decode()] = (Why.CATALOG, (str(entry.property_id),))
    for path, (why, keys) in whys.items():
        file = tree.entry(path)
        if file is None or file.kind == "a folder":
            continue
        for part, found in parts_of(tree, path, file, keys):
            if found is not None:
                yield Reached(part, found, why, part=True)


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
