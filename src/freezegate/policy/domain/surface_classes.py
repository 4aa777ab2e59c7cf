"""Is an own class without behaviour: does making the class, or an instance, run no own code?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.surface_known import (
    CLASS_DECORATORS,
    CONTAINERS,
    ENUMS,
    PASSIVE_METACLASSES,
    PLAIN_BASES,
    TYPE_MAKERS,
    is_exception,
)
from freezegate.policy.domain.surface_origins import Own, assigned, chain
from freezegate.policy.domain.surface_scope import Function, bound_names, called, flatten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.domain.surface_origins import Meaning, Names

_ACTIVE_METHODS = frozenset({"__class_getitem__", "__mro_entries__", "__prepare__", "__set_name__"})
# A metaclass, that of enumerations at least, runs these when the class is made.
_MEMBER_METHODS = frozenset({"__new__", "_generate_next_value_", "_missing_"})
_MAKERS = frozenset({"converter", "default_factory", "factory", "validator"})
_BUILTIN_MAKERS = frozenset({"bool", "dict", "float", "int", "list", "set", "str", "tuple"})


def is_plain_class(names: Names, own: Own) -> bool:
    """Say whether instances are made, compared and shown by nothing that the test code defines."""
    return names.once("plain", own.node, lambda: _is_plain(names, own), circle=False)


def _is_plain(names: Names, own: Own) -> bool:
    node = own.node
    if not isinstance(node, ast.ClassDef):
        return False
    body = [item.node for item in flatten(node.body)]
    functions = any(isinstance(each, Function) for each in body)
    return (
        all(_is_plain_decorator(names, own.path, each) for each in node.decorator_list)
        and _has_passive_metaclass(names, own)
        and all(map(_is_plain_member, body))
        and all(
            _is_plain_base(names, meaning, functions=functions)
            for base in node.bases
            for meaning in _base_meanings(names, own.path, base) or ("",)
        )
    )


def is_quiet_shape(names: Names, own: Own) -> bool:
    """Say whether making a class runs nothing of its own, or of own classes above it."""
    node = own.node
    assert isinstance(node, ast.ClassDef)  # noqa: S101 - the caller's own question
    bound = {name for item in flatten(node.body) for name in bound_names(item.node)}
    outer = [
        meaning for base in node.bases for meaning in _base_meanings(names, own.path, base) or ("",)
    ]
    return (
        _ACTIVE_METHODS.isdisjoint(bound)
        and _has_passive_metaclass(names, own)
        and not any(_shapes(names, meaning) for meaning in outer)
        and not (_may_have_members(names, own) and _runs_for_members(node, bound))
    )


def _runs_for_members(node: ast.ClassDef, bound: set[str]) -> bool:
    values = any(isinstance(item.node, ast.Assign) for item in flatten(node.body))
    return not _MEMBER_METHODS.isdisjoint(bound) or ("__init__" in bound and values)


def _may_have_members(names: Names, own: Own) -> bool:
    """Say whether a base may be an enumeration: one is, or is unknown."""
    return names.once("members", own.node, lambda: _has_members(names, own), circle=True)


def _has_members(names: Names, own: Own) -> bool:
    if not isinstance(own.node, ast.ClassDef):
        return True
    return any(
        _may_have_members(names, meaning)
        if isinstance(meaning, Own)
        else meaning in ENUMS or not _is_known_base(meaning)
        for base in own.node.bases
        for meaning in _base_meanings(names, own.path, base) or ("",)
    )


def _is_known_base(name: str) -> bool:
    module = name.rpartition(".")[0]
    known = ("abc", "builtins", "collections", "collections.abc", "typing", "typing_extensions")
    return module in known or name.startswith("unittest.")


def _shapes(names: Names, meaning: Meaning) -> bool:
    """Say whether an own class runs own code for each class below it."""
    if isinstance(meaning, str):
        return False
    return names.once("shapes", meaning.node, lambda: _own_shapes(names, meaning), circle=True)


def _own_shapes(names: Names, meaning: Own) -> bool:
    if not isinstance(meaning.node, ast.ClassDef):
        return not _is_made_type(names, meaning)
    bound = {name for item in flatten(meaning.node.body) for name in bound_names(item.node)}
    return (
        "__init_subclass__" in bound
        or not _has_passive_metaclass(names, meaning)
        or any(
            _shapes(names, each)
            for base in meaning.node.bases
            for each in _base_meanings(names, meaning.path, base)
        )
    )


def _base_meanings(names: Names, path: str, base: ast.expr) -> tuple[Meaning, ...]:
    while isinstance(base, ast.Subscript):
        base = base.value
    if isinstance(base, ast.Call):
        made = names.meanings(path, chain(base.func)) if chain(base.func) else ()
        return made if made and TYPE_MAKERS.issuperset(made) else ()
    parts = chain(base)
    return names.meanings(path, parts) if parts else ()


def _is_plain_base(names: Names, meaning: Meaning, *, functions: bool) -> bool:
    if isinstance(meaning, Own):
        return is_plain_class(names, meaning) or _is_made_type(names, meaning)
    if meaning in CONTAINERS:
        # Others look into containers by these methods: `json` by `items`.
        return not functions
    return meaning in PLAIN_BASES | TYPE_MAKERS or is_exception(meaning)


def _is_made_type(names: Names, own: Own) -> bool:
    value = assigned(own.node)
    parts = chain(value.func) if isinstance(value, ast.Call) else ()
    made = names.meanings(own.path, parts) if parts else ()
    return bool(made) and TYPE_MAKERS.issuperset(made)


def _has_passive_metaclass(names: Names, own: Own) -> bool:
    assert isinstance(own.node, ast.ClassDef)  # noqa: S101 - the callers' own question
    for keyword in own.node.keywords:
        parts = chain(keyword.value)
        meanings = names.meanings(own.path, parts) if parts else ()
        passive = meanings and PASSIVE_METACLASSES.issuperset(meanings)
        if not isinstance(keyword.value, ast.Constant) and not passive:
            return False
    return True


def _is_plain_decorator(names: Names, path: str, decorator: ast.expr) -> bool:
    parts = chain(called(decorator))
    meanings = names.meanings(path, parts) if parts else ()
    return bool(meanings) and CLASS_DECORATORS.issuperset(meanings)


def _is_plain_member(node: ast.AST) -> bool:
    if isinstance(node, Function):
        # `dict` calls `keys` of whatever has it.
        hidden = (node.name.startswith("_") and node.name.endswith("_")) or node.name == "keys"
        return not hidden and not node.decorator_list
    if isinstance(node, ast.ClassDef):
        return True
    special = any(name.startswith("__") or name == "keys" for name in bound_names(node))
    return not special and all(map(_is_builtin_maker, _made_by(node)))


def _made_by(node: ast.AST) -> Iterator[ast.expr]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            yield from (keyword.value for keyword in call.keywords if keyword.arg in _MAKERS)


def _is_builtin_maker(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in _BUILTIN_MAKERS
