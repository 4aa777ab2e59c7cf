"""What stands for `st.data()` in a property: it notes what a test draws, or gives it again.

Executed in the guarded project's interpreter, as child/ is: standard library, Python 3.8 and later.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from typing import Any


class Recorder:
    """Stands for `data`: draws as it does, and notes what came."""

    def __init__(self, data: Any, pair: Any, name: str) -> None:
        self._data, self._pair, self._name = data, pair, name
        self.drawn: list[Any] = []
        self.problem: Exception | None = None

    def draw(self, strategy: Any, label: Any = None) -> Any:
        """Return what Hypothesis draws."""
        value = self._data.draw(strategy, label)
        if self.problem is None:
            try:
                self.drawn.append(self._pair(value, draw_place(self._name, len(self.drawn))))
            except Exception as error:  # it would be the test's own
                self.problem = error
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)


def draw_place(name: str, number: int) -> str:
    """Return how messages name what is drawn."""
    return name + ".draw #" + str(number + 1)


class Given:
    """Stands for `data`: hands out what was drawn once, whatever the strategies are now.

    A test that draws more says nothing of the property, whatever it makes of that.
    """

    def __init__(self, values: list[Any], seen: dict[str, Any]) -> None:
        self._values, self._seen = values, seen

    def draw(self, strategy: Any, label: Any = None) -> Any:  # noqa: ARG002 - as `data` has it
        """Return what was drawn here once."""
        if not self._values:
            told = "the test draws more than the fixture holds: this side goes on where the other "
            self._seen["unanswered"] = told + "one had failed"
            raise LookupError("freezegate: " + told + "one had failed")
        return self._values.pop(0)

    def __repr__(self) -> str:
        return "data(...)"


def draws_itself(value: Any) -> bool:
    """Say whether an argument is what `st.data()` gives."""
    kind = type(value)
    return kind.__name__ == "DataObject" and kind.__module__.startswith("hypothesis.")
