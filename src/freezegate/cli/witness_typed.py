"""What is meant by a name that is no test id, but what people type in its place?"""

from __future__ import annotations

import os
import shlex
from posixpath import normpath
from typing import TYPE_CHECKING

from freezegate.cli.witness_nearest import nearest_tests, tests_called
from freezegate.cli.witness_options import same_again
from freezegate.errors import InvalidValue
from freezegate.git.trees import Snapshot
from freezegate.model.finding import Finding, Severity
from freezegate.model.ids import PropertyId, TestId

if TYPE_CHECKING:
    import argparse

    from freezegate.cli.witness_setting import Setting

_SHOWN = 3


def mistyped(
    setting: Setting, text: str, fault: InvalidValue, options: argparse.Namespace
) -> Finding:
    """Return why a text is no test id, with the command that was meant."""
    return Finding(
        code=fault.code,
        severity=Severity.ERROR,
        about=ascii(text)[1:-1],
        got=fault.got,
        expected=fault.expected,
        remedy=_remedy(setting, text, options),
    )


def respelled(text: str, *, top: str, folder: str) -> str:
    """Return an id from the top of the repository, with `::`, of how else a test may be spelled.

    `top` and `folder` are whole paths: the repository's, and that in which the text was typed.
    """
    file, sep, names = text.partition("::")
    if not sep and ".py:" in file:
        file, sep, names = file.partition(".py:")
        file, sep = f"{file}.py", "::"
    dotted = file.startswith(("./", "../"))
    whole = file if os.path.isabs(file) else os.path.join(folder if dotted else top, file)
    shown = normpath(os.path.relpath(whole, top))
    return f"{shown}{sep}{names}"


def _remedy(setting: Setting, text: str, options: argparse.Namespace) -> str:
    if _is_property(setting, text):
        return f"that is a property: {same_again(options, test_ids=[], property=[text])}"
    near = _tests(setting, text)
    if len(near) == 1:
        others = [near[0] if each == text else _meant(setting, each) for each in options.test_ids]
        return same_again(options, test_ids=others)
    return f"name one of them: {', '.join(map(shlex.quote, near[:_SHOWN]))}" if near else ""


def _meant(setting: Setting, text: str) -> str:
    """Return the one test that a text means, the text where it is an id or means several."""
    try:
        return TestId(text)
    except InvalidValue:
        near = _tests(setting, text)
        return near[0] if len(near) == 1 else text


def _is_property(setting: Setting, text: str) -> bool:
    catalog = setting.view.judges.catalog.value
    try:
        return catalog is not None and PropertyId(text) in catalog.properties
    except InvalidValue:
        return False


def _tests(setting: Setting, text: str) -> tuple[str, ...]:
    """Return the tests of the base that are spelled otherwise, or stand in that file."""
    store, tree = setting.session.store, Snapshot(setting.session.store, setting.view.root)
    top = os.path.realpath(setting.top)
    spelled = respelled(text, top=top, folder=os.getcwd())
    if text.isidentifier():
        return tests_called(store, tree, text)
    try:
        near = nearest_tests(store, tree, TestId(spelled if "::" in spelled else f"{spelled}::_"))
    except InvalidValue:
        return ()
    return (spelled,) if spelled in near else near
