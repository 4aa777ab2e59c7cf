"""What is suspected of importing what its text does not name, and what could stand instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED_AS_TEXT = "imports that name their module as text"
GUARDED_MODULES = frozenset({"builtins", "importlib", "sys"})
# What these modules hold is no reason for suspicion; everything else of them is.
_HARMLESS_PARTS: Mapping[str, frozenset[str]] = {
    "importlib": frozenset({"metadata", "resources", "reload", "invalidate_caches"}),
    "importlib.util": frozenset({"cache_from_source", "source_hash", "MAGIC_NUMBER"}),
    "pkgutil": frozenset({"get_data", "iter_modules", "ModuleInfo"}),
    "site": frozenset({"getsitepackages", "getusersitepackages"}),
}
SUSPECT_MODULES = frozenset(
    {"imp", "importlib", "importlib.util", "pkgutil", "runpy", "site", "zipimport"}
)
_SUSPECT_NAMES = frozenset(
    {
        "__builtins__",
        "__import__",
        "__loader__",
        "builtins.__import__",
        "builtins.eval",
        "builtins.exec",
        "code.InteractiveInterpreter",
        "eval",
        "exec",
        "importlib.abc",
        "importlib.machinery",
        "pydoc.importfile",
        "pydoc.locate",
        "sys.meta_path",
        "sys.modules",
        "sys.path",
        "sys.path_hooks",
        "sys.path_importer_cache",
        "unittest.TestLoader",
        "unittest.defaultTestLoader",
    }
)


def expected_instead(what: str) -> str:
    """Return what could stand in a suspect's place."""
    match what:
        case "sys.path" | ".syspath_prepend" | "site.addsitedir":
            return "folders in pytest's `pythonpath` or the policy's [runner] pythonpath"
        case "sys.modules":
            return "`sys.modules` read only, or single modules taken out by a literal name"
        case "exec" | "eval" | "builtins.exec" | "builtins.eval":
            return "code that stands in the file itself"
        case "sys.meta_path" | "sys.path_hooks" | "sys.path_importer_cache":
            return "modules that Python finds on `sys.path` by itself"
        case ".import_plugin" | ".consider_module" | ".consider_pluginarg":
            return "plugins in a literal `pytest_plugins` or the policy's [runner] plugins"
        case "__path__":
            return "submodules in the folder of their package"
        case _ if what.startswith("the module "):
            return "its parts by name, each where it is used"
        case _ if what.endswith("import *"):
            return "imports that name what they ask for"
        case _:
            return NAMED_AS_TEXT


def is_suspect(origin: str) -> bool:
    """Say whether a dotted origin may import what its text does not name."""
    if origin in _SUSPECT_NAMES:
        return True
    module, _, name = origin.rpartition(".")
    if module in GUARDED_MODULES and name == "__dict__":
        return True
    if module not in SUSPECT_MODULES or origin in SUSPECT_MODULES:
        return False
    return name not in _HARMLESS_PARTS.get(module, frozenset())
