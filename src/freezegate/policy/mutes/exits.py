"""Calls that end the run with a status of their own, or take its events away from pytest."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.hook_words import HOOKS
from freezegate.policy.mutes.mute import Certainty

if TYPE_CHECKING:
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.patches import Scope

_AT_ONCE = frozenset({"os._exit", "os.abort", "posix._exit"})
_BY_EXCEPTION = frozenset({"sys.exit", "builtins.exit", "builtins.quit", "builtins.SystemExit"})
_OF_PYTEST = frozenset({"pytest.exit", "pytest.exit.Exception"})
_WATCHING = frozenset({"sys.settrace", "sys.setprofile", "threading.settrace", "os.kill"})
_FORBIDDEN = frozenset({"forbiddenfruit.curse", "forbiddenfruit.reverse", "ctypes.pythonapi"})
_WORDS = frozenset(each.rpartition(".")[2] for each in (*_AT_ONCE, *_WATCHING, *_FORBIDDEN))


def stops(names: Names, path: str, scope: Scope, part: ast.AST) -> Certainty | None:
    """Say how grave a part of a statement is that may end the run, None where it does not.

    `sys.exit` in a test or a fixture is a failure for pytest; at the top of a module and in a
    hook it ends the run.
    """
    if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
        if not _may_stop(names, path, part):
            return None
        found = names.names(path, part, scope.unit)
        if found & _FORBIDDEN:
            return Certainty.CLEAR
        if found & _AT_ONCE:
            child = scope.test is not None and (scope.conditional or len(scope.functions) > 1)
            return Certainty.DOUBTFUL if child else Certainty.CLEAR
        return Certainty.DOUBTFUL if found & _WATCHING and not scope.test else None
    called = part.exc if isinstance(part, ast.Raise) else part
    if not isinstance(part, ast.Raise | ast.Call) or called is None:
        return None
    function = called.func if isinstance(called, ast.Call) else called
    assert isinstance(function, ast.expr)  # noqa: S101 - what is raised or called is one
    found = names.names(path, function, scope.unit)
    call = called if isinstance(called, ast.Call) else None
    if found & _OF_PYTEST:
        return Certainty.CLEAR if _status(call, 1, "returncode") == 0 else Certainty.DOUBTFUL
    in_hook = any(each.name in HOOKS for each in scope.functions)
    if found & _BY_EXCEPTION and (in_hook or not scope.functions):
        status = _status(call, 0, "code")
        red = status is not UNKNOWN and status not in (0, None, False)
        return Certainty.DOUBTFUL if red else Certainty.CLEAR
    return None


def _may_stop(names: Names, path: str, part: ast.Name | ast.Attribute) -> bool:
    """A quick look first: the plain word, or a name that was given to something else."""
    if isinstance(part, ast.Attribute):
        return part.attr in _WORDS
    return part.id in _WORDS or names.is_renamed(path, part.id)


def _status(call: ast.Call | None, place: int, keyword: str) -> object:
    if call is None:
        return None
    given = [each.value for each in call.keywords if each.arg == keyword]
    given += call.args[place : place + 1]
    return fold(given[0]) if given else None
