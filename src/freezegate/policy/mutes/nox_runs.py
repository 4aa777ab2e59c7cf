"""What tests the sessions of a noxfile run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.guarded import guarded, swallows
from freezegate.policy.mutes.job_flags import Flags, flags_of
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.runs import Run, UnreadableError
from freezegate.policy.mutes.tool_calls import tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator

_SESSION_CALLS = frozenset({"run", "run_always", "run_install"})


def nox_runs(path: str, text: str) -> Iterator[Run]:
    """`session.run("pytest", ...)` of a noxfile."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError("no Python") from error
    left_out = _left_out(tree)
    for statement in guarded(tree.body):
        function = next((f for f in statement.around if isinstance(f, ast.FunctionDef)), None)
        flags = left_out.get(id(function), Flags())
        session = next((f.name for f in statement.around if isinstance(f, ast.FunctionDef)), "")
        caught = any(isinstance(e, ast.Try) and swallows_all(e) for e in statement.around)
        for call in statement.parts():
            called = call.func if isinstance(call, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in _SESSION_CALLS:
                assert isinstance(call, ast.Call)  # noqa: S101 - it has a function
                for run in _session_run(path, session, call, caught=caught):
                    lost, unsure = run.lost | flags.lost, run.unsure | flags.unsure
                    yield run._replace(lost=lost, unsure=unsure)


def _left_out(tree: ast.Module) -> dict[int, Flags]:
    """Which sessions nox does not run, or not by itself."""
    sessions = [f for f in tree.body if isinstance(f, ast.FunctionDef) and _settings(f) is not None]
    chosen = _chosen(tree)
    last = {_session_name(f): id(f) for f in sessions}
    found: dict[int, Flags] = {}
    for function in sessions:
        name, unsure = _session_name(function), set[str]()
        if (_settings(function) or {}).get("default", True) is False:
            unsure.add("default=False")
        if chosen is not None and name not in chosen:
            unsure.add(f"nox.options.sessions without {name}")
        if any(_skips(node) for node in ast.walk(function)):
            unsure.add("session.skip")
        lost = {f"{name} is defined again"} if last[name] != id(function) else set[str]()
        found[id(function)] = Flags(frozenset(lost), frozenset(unsure))
    return found


def _settings(function: ast.FunctionDef) -> dict[str, Any] | None:
    """What `@nox.session(...)` is given, None for a function that is no session."""
    for each in function.decorator_list:
        called = each.func if isinstance(each, ast.Call) else each
        if unparsed(called).rpartition(".")[2] == "session":
            given = each.keywords if isinstance(each, ast.Call) else []
            return {keyword.arg: fold(keyword.value) for keyword in given if keyword.arg}
    return None


def _session_name(function: ast.FunctionDef) -> str:
    name = (_settings(function) or {}).get("name")
    return name if isinstance(name, str) else function.name


def _chosen(tree: ast.Module) -> set[str] | None:
    """The sessions that nox runs by itself, None where all are."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and unparsed(node.targets[0]) == "nox.options.sessions":
            value = fold(node.value)
            known = isinstance(value, list | tuple)
            return {str(each).partition("-")[0] for each in value} if known else None
    return None


def _skips(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and unparsed(node.func) == "session.skip"
    )


def _session_run(path: str, session: str, call: ast.Call, *, caught: bool) -> Iterator[Run]:
    words = [fold(each) for each in call.args]
    found = tool_call([word if isinstance(word, str) else "{}" for word in words])
    if found is None:
        return
    lost = {"except in the session"} if caught else set[str]()
    unsure = set[str]()
    for keyword in call.keywords:
        if keyword.arg == "success_codes":
            codes = fold(keyword.value)
            known = isinstance(codes, list | tuple)
            if codes is UNKNOWN or not known:
                unsure.add(f"success_codes={unparsed(keyword.value)}")
            elif set(codes) - {0}:
                lost.add(f"success_codes={unparsed(keyword.value)}")
        elif keyword.arg == "env":
            own = flags_of({"env": _known(keyword.value)}, Flags())
            lost, unsure = lost | own.lost, unsure | own.unsure
    yield Run(path, session, found, frozenset(lost), frozenset(unsure))


def _known(node: ast.expr) -> dict[str, Any]:
    """The entries of a table that are written down."""
    keys = node.keys if isinstance(node, ast.Dict) else []
    values = node.values if isinstance(node, ast.Dict) else []
    return {str(fold(k)): fold(v) for k, v in zip(keys, values, strict=True) if k is not None}


def swallows_all(node: ast.Try) -> bool:
    """Whether a session goes on after `CommandFailed`."""
    return swallows(node) or any(
        h.type is not None and "CommandFailed" in ast.dump(h.type) for h in node.handlers
    )
