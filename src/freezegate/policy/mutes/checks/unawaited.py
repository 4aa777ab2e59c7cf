"""Whether anybody asks how a function ended that is handed over: to a pool, a task, `map`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.policy.mutes.modules import Function

_LAZY = frozenset(("map", "filter", "starmap", "imap", "imap_unordered", "filterfalse"))
_POOLS = frozenset(("submit", "map_async", "apply_async", "starmap_async", "run_in_executor"))
_TASKS = frozenset(("create_task", "ensure_future", "run_coroutine_threadsafe", "shield"))
# What is asked of a task, and raises nothing.
_QUIET = frozenset(
    ("cancel", "cancelled", "done", "exception", "close", "add_done_callback", "set_name")
)
_KEEPING = frozenset(("append", "add", "extend", "insert", "appendleft"))
_MAX_STEPS = 40


class Fates:
    """What becomes of the values of one function, by what stands around them."""

    def __init__(self, function: Function) -> None:
        """Know what each node is a part of."""
        self._function = function
        nodes = list(ast.walk(function))
        self._parents = {id(inner): node for node in nodes for inner in ast.iter_child_nodes(node)}
        self._names = [n for n in nodes if isinstance(n, ast.Name)]
        managers = (item for n in nodes for item in getattr(n, "items", ()))
        self._entered = {
            n.id
            for item in managers
            for n in ast.walk(item.optional_vars or item)
            if isinstance(n, ast.Name)
        }

    def why_lost(self, inner: Function) -> str:
        """Return why an inner function fails for nobody, empty where it may."""
        read = [n for n in self._names if n.id == inner.name and isinstance(n.ctx, ast.Load)]
        if read and all(self._is_lost_function(each, inner) for each in read):
            return f"nobody asks how {inner.name}() ended"
        return ""

    def is_lost_call(self, call: ast.Call) -> bool:
        """Say whether what a coroutine ends in is asked by nobody."""
        return self._is_lost(call, 0)

    def _is_lost_function(self, name: ast.Name, inner: Function) -> bool:
        call = self._parents.get(id(name))
        if not isinstance(call, ast.Call):
            return False
        if call.func is name:
            return isinstance(inner, ast.AsyncFunctionDef) and self._is_lost(call, 0)
        word = _word(call)
        return word in (_LAZY | _POOLS) and self._is_lost(call, 0)

    def _is_lost(self, node: ast.AST, depth: int) -> bool:
        parent = self._parents.get(id(node))
        if depth > _MAX_STEPS:
            return False
        match parent:
            case ast.Expr():
                return True
            case ast.Tuple() | ast.List() | ast.Set() | ast.Starred():
                return self._is_lost(parent, depth + 1)
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) if part is node:
                return self._is_lost(parent, depth + 1)
            case ast.Await():
                return _is_quiet_wait(node) and self._is_lost(parent, depth + 1)
            case ast.Assign(targets=[target]):
                return self._are_lost(target, depth + 1)
            case ast.Attribute(attr=word):
                return word in _QUIET
            case ast.Call():
                return self._is_lost_in(parent, depth + 1)
            case _:
                return False

    def _are_lost(self, target: ast.expr, depth: int) -> bool:
        """Whether nobody asks any of the names that a value is put under."""
        names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        if not names or isinstance(target, ast.Attribute | ast.Subscript):
            return False
        read = [n for n in self._names if n.id in names and isinstance(n.ctx, ast.Load)]
        return all(self._is_lost(each, depth) or self._goes_through(each) for each in read)

    def _goes_through(self, name: ast.Name) -> bool:
        """Whether a loop over finished tasks asks none of them for its result."""
        parent = self._parents.get(id(name))
        if not isinstance(parent, ast.comprehension | ast.For) or parent.iter is not name:
            return False
        items = {n.id for n in ast.walk(parent.target) if isinstance(n, ast.Name)}
        read = [n for n in self._names if n.id in items and isinstance(n.ctx, ast.Load)]
        above = (self._parents.get(id(each)) for each in read)
        return all(isinstance(each, ast.Attribute) and each.attr in _QUIET for each in above)

    def _is_lost_in(self, call: ast.Call, depth: int) -> bool:
        """What a call makes of a task that is handed to it."""
        word = _word(call)
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if word in _KEEPING and isinstance(owner, ast.Name):
            others = [n for n in self._names if n.id == owner.id and n is not owner]
            read = [n for n in others if isinstance(n.ctx, ast.Load)]
            return all(self._is_lost(each, depth) or self._goes_through(each) for each in read)
        if word in _TASKS:
            grouped = isinstance(owner, ast.Name) and owner.id in self._entered
            return not grouped and self._is_lost(call, depth)
        if word == "wait_for":
            return self._is_lost(call, depth)
        return _is_quiet_wait(call) and self._is_lost(call, depth)


def _is_quiet_wait(node: ast.AST) -> bool:
    """`gather(..., return_exceptions=True)` and `wait(...)` raise nothing of what they wait for."""
    if not isinstance(node, ast.Call):
        return False
    kept = any(k.arg == "return_exceptions" and not _is_false(k.value) for k in node.keywords)
    return _word(node) in ("wait", "as_completed") or (_word(node) == "gather" and kept)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _word(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
