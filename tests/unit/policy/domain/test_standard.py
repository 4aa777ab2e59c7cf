"""The standard library's names as they are shipped, held against the interpreter that runs this."""

from __future__ import annotations

import sys

import pytest

from freezegate.policy.domain.standard import UNSHADOWABLE, standard_names


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="told by typeshed, not yet by a release")
def test_names_are_those_of_the_running_interpreter() -> None:
    assert standard_names(f"3.{sys.version_info.minor}") == sys.stdlib_module_names


def test_what_nobody_can_shadow_is_standard() -> None:
    assert UNSHADOWABLE - {"__main__"} <= standard_names("3.12")


@pytest.mark.parametrize(
    ("name", "versions"),
    [("distutils", {11}), ("imp", {11}), ("cgi", {11, 12}), ("annotationlib", {14, 15})],
)
def test_names_come_and_go(name: str, versions: set[int]) -> None:
    assert {m for m in range(11, 16) if name in standard_names(f"3.{m}")} == versions
