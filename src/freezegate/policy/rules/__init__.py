"""One rule a module: facts in, findings out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.model.finding import Finding
    from freezegate.policy.facts import Facts

Rule = Callable[["Facts"], "Iterator[Finding]"]
