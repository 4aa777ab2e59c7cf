"""What counts whether or not a test reaches it, and what never does?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.policy.domain.surface_scope import Item

_ALWAYS = frozenset(
    """
    __getattr__ __test__ load_tests pytest_plugins pytestmark setUpModule setup setup_function
    setup_module tearDownModule teardown teardown_function teardown_module
    """.split()  # noqa: SIM905 - read as a paragraph
)
_ALWAYS_PREFIXES = ("collect_ignore", "django_db_", "pytest_")
# Fixtures that the fixtures of pytest and its plugins ask for, so that no test here names them.
_PLUGIN_FIXTURES = frozenset(
    {"anyio_backend", "event_loop", "event_loop_policy", "request", "tmp_path", "tmp_path_factory"}
)
# What pytest, unittest, Django and Hypothesis call on a test's class unasked.
ALWAYS_METHODS = frozenset(
    """
    _callSetUp _callTearDown _callTestMethod _post_teardown _pre_setup asyncSetUp asyncTearDown
    debug defaultTestResult doClassCleanups doCleanups execute_example run runTest setUp setUpClass
    setUpTestData setup setup_class setup_example setup_method subTest tearDown tearDownClass
    teardown teardown_class teardown_example teardown_method
    """.split()  # noqa: SIM905 - read as a paragraph
)

_MAIN = ast.dump(ast.parse('__name__ == "__main__"', mode="eval").body)


def is_always(name: str) -> bool:
    """Say whether pytest or Python looks for a module's name unasked."""
    return name in _ALWAYS | _PLUGIN_FIXTURES or name.startswith(_ALWAYS_PREFIXES)


def is_script(item: Item) -> bool:
    """Say whether something stands under `if __name__ == "__main__"`: pytest only imports."""
    return any(word == "if" and ast.dump(guard) == _MAIN for word, guard in item.guards)
