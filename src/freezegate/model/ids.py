"""The names by which people and documents call tests, properties and owners."""

from __future__ import annotations

import re
import unicodedata
from typing import Self

from freezegate.errors import InvalidValue
from freezegate.model.paths import RepoPath, is_hidden_character

MAX_TEST_ID_BYTES = 4096
MAX_NAME_BYTES = 200
_PROPERTY = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)*")
# Words that people write where a name should stand.
_NOBODY = re.compile(
    "tbd|tba|todo|fixme|unknown|none|null|nil|n/?a|nobody|no ?one|anyone|someone|somebody|everyone"
    "|me|you|us|team|owner|user|admin|x+|unowned|unassigned|placeholder|your[ _-]?name"
)
# The Hangul fillers: letters for Unicode, blank for readers.
_BLANK = frozenset("\u115f\u1160")


class TestId(str):
    """A pytest node id that names one test function, `tests/test_a.py::TestB::test_c[p]`."""

    __slots__ = ("_names", "_parameter", "_path")
    __test__ = False  # pytest would collect a class of this name
    _path: RepoPath
    _names: tuple[str, ...]
    _parameter: str | None

    def __new__(cls, text: str) -> Self:
        path, names, parameter = _split_test_id(text)
        self = super().__new__(cls, text)
        self._path, self._names, self._parameter = path, names, parameter
        return self

    @property
    def path(self) -> RepoPath:
        """The file that holds the test."""
        return self._path

    @property
    def names(self) -> tuple[str, ...]:
        """The classes around the function, outermost first, and the function's own name."""
        return self._names

    @property
    def parameter(self) -> str | None:
        """What stands between the brackets, None without brackets."""
        return self._parameter


class PropertyId(str):
    """A stable dotted id of an invariant, `order_total.non_negative`; never a test name."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if len(text) > MAX_NAME_BYTES or not _PROPERTY.fullmatch(text):
            raise InvalidValue(
                "record.bad_string",
                got=ascii(text[:80]),
                expected="a property id: lower-case words of a-z 0-9 _ -, dots between them",
            )
        return super().__new__(cls, text)


def names_nobody(owner: str) -> bool:
    """Say whether a text in the owner's place is empty or a placeholder."""
    text = unicodedata.normalize("NFKC", owner).strip().strip("<>()[]{}@").strip().casefold()
    return _NOBODY.fullmatch(text) is not None or not any(
        c.isalnum() and c not in _BLANK for c in text
    )


def _split_test_id(text: str) -> tuple[RepoPath, tuple[str, ...], str | None]:
    if not text or len(text.encode("utf-8", "surrogatepass")) > MAX_TEST_ID_BYTES:
        _refuse("test.bad_id", text, f"a test id of 1 to {MAX_TEST_ID_BYTES} bytes")
    is_plain = text.isprintable()  # quicker than a look at each character
    if text[0] in "-@" or (not is_plain and any(map(is_hidden_character, text))):
        _refuse("test.bad_id", text, "no leading `-` or `@`, no control or format characters")
    file, sep, rest = text.partition("::")
    path = _test_file(text, file)
    if not sep:
        _refuse("test.not_single", text, "the id of one test, FILE::NAME, not a file or directory")
    called, bracket, parameter = rest.partition("[")
    if bracket and not parameter.endswith("]"):
        _refuse("test.bad_id", text, "a `]` at the end that closes the first `[`")
    names = tuple(called.split("::"))
    if not all(n.isidentifier() and unicodedata.normalize("NFKC", n) == n for n in names):
        _refuse("test.bad_id", text, "Python names between `::`, in normal form KC")
    return path, names, parameter[:-1] if bracket else None


def _test_file(text: str, file: str) -> RepoPath:
    try:
        path = RepoPath(file)
    except InvalidValue as error:
        if error.code == "path.not_canonical" and file.endswith("/") and file == text:
            _refuse("test.not_single", text, "the id of one test, FILE::NAME, not a directory")
        _refuse("test.bad_id", text, f"a file in the repository before `::`, with {error.expected}")
    if "::" in text and not path.endswith(".py"):
        _refuse("test.bad_id", text, "a Python file before `::`")
    return path


def _refuse(code: str, text: str, expected: str) -> None:
    raise InvalidValue(code, got=ascii(text[:120]), expected=expected)
