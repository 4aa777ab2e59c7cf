"""The tree of a domain: each file below the one that imports it, the rest in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.domain import Why
from freezegate.report.text import escaped, painted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from freezegate.model.domain import Domain, Reached

WIDTH = 100
_INDENT = "  "
_MAX_DEPTH = 16  # a longer chain of imports goes on at this depth, so that lines stay lines
_MAX_COLUMN = 56  # reasons stand in one column, but for longer paths
_INSTALLED = " as installed"
_BOLD, _DIM = "1", "2"


class _Line(NamedTuple):
    depth: int
    text: str
    said: str = ""
    colour: str = ""


class DomainTreeLines:
    """The lines of one domain's tree."""

    def __init__(
        self, domain: Domain, reasons: Mapping[str, str], *, every: bool, colour: bool
    ) -> None:
        """Take a domain and the words for why each of its paths counts."""
        self._domain, self._reasons = domain, reasons
        self._every, self._colour = every, colour
        self._below: dict[str, list[Reached]] = {}
        self._groups: dict[Why, list[Reached]] = {}
        self._subject: dict[str, list[str]] = {}
        standing = {domain.oracle, *domain.present}
        for each in domain.entries.values():
            if each.by in standing and each.by != each.path:
                self._below.setdefault(each.by, []).append(each)
            else:
                self._groups.setdefault(each.why, []).append(each)
        for path, by in domain.subject.items():
            self._subject.setdefault(by if by in standing else "", []).append(path)

    def lines(self) -> Iterator[str]:
        """Yield the tree, its reasons in one column."""
        lines = list(self._all())
        widths = (len(_INDENT * line.depth + line.text) for line in lines if line.said)
        column = max((width for width in widths if width <= _MAX_COLUMN), default=0)
        for line in lines:
            start = _INDENT * line.depth
            room = max(column - len(start) - len(line.text), 0) if line.said else 0
            text = painted(line.text, line.colour, self._colour) if line.colour else line.text
            yield start + text + " " * room + (_INDENT + line.said if line.said else "")

    def _all(self) -> Iterator[_Line]:
        oracle = self._domain.oracle
        yield _Line(0, shown(oracle), "oracle", _BOLD)
        yield from self._tree(oracle)
        for why in sorted(self._groups, key=list(Why).index):
            yield _Line(0, str(why), colour=_BOLD)
            yield from self._group(why)
        for path in self._subject.get("", []):
            yield _Line(0, shown(path), f"subject, imported by {shown(self._domain.subject[path])}")

    def _group(self, why: Why) -> Iterator[_Line]:
        for each in self._groups[why]:
            if each.entry:
                said = self._reasons[each.path]
                yield _Line(1, shown(each.path), "" if said == why else shown(said))
                yield from self._tree(each.path, 2)
        yield from self._absent(self._groups[why], 1, why)

    def _tree(self, path: str, depth: int = 1) -> Iterator[_Line]:
        """Yield what stands below a file; by hand, since imports may chain further than calls."""
        waiting: list[tuple[int, Iterator[_Line | str]]] = [(depth, self._children(path, depth))]
        while waiting:
            depth, rest = waiting[-1]
            step = next(rest, None)
            if step is None:
                waiting.pop()
            elif isinstance(step, _Line):
                yield step
            else:
                deeper = min(depth + 1, _MAX_DEPTH)
                waiting.append((deeper, self._children(step, deeper)))

    def _children(self, path: str, depth: int) -> Iterator[_Line | str]:
        """Yield the lines right below a file, and after each present file its path."""
        children = self._below.get(path, [])
        for each in children:
            if each.entry:
                yield _Line(depth, shown(each.path), str(each.why))
                yield each.path
        for subject in self._subject.get(path, []):
            yield _Line(depth, shown(subject), "subject")
        yield from self._absent(children, depth)

    def _absent(
        self, entries: Iterable[Reached], depth: int, group: Why | None = None
    ) -> Iterator[_Line]:
        absent = [each for each in entries if not each.entry]
        if self._every:
            for each in absent:
                yield _Line(depth, shown(each.path), shown(self._reasons[each.path]), _DIM)
            return
        sums: dict[str, list[Reached]] = {}
        for each in absent:
            sums.setdefault(_sum_of(each), []).append(each)
        for each_sum in sums.values():
            text = _summed(each_sum, WIDTH - len(_INDENT) * depth, group)
            yield _Line(depth, text, colour=_DIM)


def shown(text: str) -> str:
    """Return a path, or words with one in them, as printable ASCII."""
    # Bytes that are no text are \xNN here as in findings, not Python's stand-ins for them.
    return escaped(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def _sum_of(each: Reached) -> str:
    """Return what the absent paths of one line have in common."""
    if each.over is None:
        return str(each.why)
    return _INSTALLED if each.over.endswith(f"`{_INSTALLED}") else f"over {each.over}"


def _summed(entries: Sequence[Reached], room: int, group: Why | None) -> str:
    overs = list(dict.fromkeys(each.over for each in entries if each.over))
    if not overs:
        why = entries[0].why
        start = "absent" if why is group else f"absent; {why}"
    elif _sum_of(entries[0]) == _INSTALLED:
        names = [over.removesuffix(_INSTALLED) for over in overs]
        start = f"absent, would win over {_some(names, room // 4)}{_INSTALLED}"
    else:
        start = f"absent, would win over {shown(overs[0])}"
    paths = [each.path for each in entries]
    return f"{start}: {_some(paths, room - len(start) - 2)}"


def _some(texts: Sequence[str], room: int) -> str:
    """Return as many of some texts as there is room for, at least one, and count the rest."""
    for number in range(min(len(texts), 8), 0, -1):
        rest = len(texts) - number
        said = ", ".join(map(shown, texts[:number])) + (f", +{rest} more" if rest else "")
        if len(said) <= room or number == 1:
            return said
    return ""
