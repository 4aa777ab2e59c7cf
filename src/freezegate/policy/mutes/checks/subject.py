"""What a check looks at: the names of the tested code in it, not Python's own."""

from __future__ import annotations

import ast
import builtins
import sys
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import text_of

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.checks.terms import Terms

_OURS = frozenset(dir(builtins)) | {"<with>"}
_FRAMEWORKS = frozenset(("pytest", "unittest", "mock", "hypothesis", "builtins"))


def is_about(old: Check, new: Check) -> bool:
    """Say whether a check looks at something that the old one looked at, or expects the same."""
    same_value = old.expected and text_of(old.expected) == text_of(new.expected)
    return bool(old.kind is new.kind and same_value) or looks_at_the_same(old, new)


def looks_at_the_same(old: Check, new: Check) -> bool:
    """Say whether two checks call the same, or name the same where the old one calls nothing."""
    before, after = _words(old, called=True), _words(new, called=True)
    if before:
        return bool(before & after)
    return bool(_words(old, called=False) & _words(new, called=False))


def calls_with_names(check: Check) -> bool:
    """Say whether all that is handed over, and what is expected, comes from parameters."""
    call = check.actual
    if not isinstance(call, ast.Call) or not isinstance(check.expected, ast.Name):
        return False
    handed = [*call.args, *(keyword.value for keyword in call.keywords)]
    return bool(handed) and all(isinstance(each, ast.Name) for each in handed)


def leaves_the_subject(terms: Terms, old: Check, new: Check) -> bool:
    """Say whether the old check called something, and the new one only Python's own or fakes.

    One that looked at fakes and files alone never asked the tested code.
    """
    if not _words(old, called=True) or looks_at_the_same(old, new):
        return False
    if not any(_is_foreign(terms, node) or _is_unknown(terms, node) for node in _named(old)):
        return False
    return not any(_is_foreign(terms, node) for node in _named(new))


def _named(check: Check) -> list[ast.Name | ast.Attribute]:
    parts = [part for part in (check.actual, check.expected) if part]
    nodes = (node for part in parts for node in ast.walk(part))
    return [node for node in nodes if isinstance(node, ast.Name | ast.Attribute)]


def _is_unknown(terms: Terms, node: ast.Name | ast.Attribute) -> bool:
    """Whether nothing binds a name now: perhaps its import is gone with the call."""
    if not isinstance(node, ast.Name) or node.id.startswith("<"):
        return False
    origins = terms.names.names(terms.path, node, terms.unit)
    known = node.id in _OURS or node.id in _FRAMEWORKS or node.id in sys.stdlib_module_names
    return not known and origins <= {f"builtins.{node.id}"}


def _is_foreign(terms: Terms, node: ast.Name | ast.Attribute) -> bool:
    """Whether a name may belong to what is tested: no local, no builtin, no standard library."""
    if isinstance(node, ast.Name) and node.id.startswith("<"):
        return False
    origins = terms.names.names(terms.path, node, terms.unit)
    for origin in origins:
        head = origin.split(".")[0]
        if origin.startswith(("param:", "module:")) or "::" in origin:
            return not origin.startswith(f"{terms.path}::")
        if head not in _FRAMEWORKS and head not in sys.stdlib_module_names:
            return True
    return False


def _words(check: Check, *, called: bool) -> frozenset[str]:
    """The names in a check, or those that it calls."""
    parts = [part for part in (check.actual, check.expected) if part is not None]
    nodes: list[ast.AST] = [node for part in parts for node in ast.walk(part)]
    nodes = [n.func for n in nodes if isinstance(n, ast.Call)] if called else nodes
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    names |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return frozenset(names - _OURS)
