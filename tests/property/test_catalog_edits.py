"""The law of edits: a catalogue with comments is the same outside of the word that changes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.formats.catalog import parse_catalog
from freezegate.formats.catalog_edit import accept, propose
from freezegate.model.ids import PropertyId

_NAMES = ("a", "a.b", "order-total.x", "z_9")
_NOISE = st.sampled_from(
    ["", "# words", "# [proposed.a]", "  ", "# '''", '# """ "', "\t# ]", "# é ["]
)
_TEXTS = st.sampled_from(
    [
        '"plain"',
        "'lit # eral'",
        '"with \\" and ["',
        '"""one " two ""x"""',
        "'''it''s [a]'''",
        '"""a \\\n[proposed.a]"""',
    ]
)
_ends = st.sampled_from(["\n", "\r\n"])
_same_every_time = settings(deadline=None, derandomize=True, database=None, max_examples=150)


@st.composite
def _tables(draw: st.DrawFn) -> list[tuple[str, str]]:
    names = draw(st.lists(st.sampled_from(_NAMES), unique=True, min_size=1))
    return [(draw(st.sampled_from(["property", "proposed"])), name) for name in names]


@st.composite
def _catalogues(draw: st.DrawFn) -> tuple[str, str, PropertyId]:
    """A catalogue, the same with one draft accepted, and that draft's id."""
    tables = draw(_tables())
    chosen = draw(st.integers(0, len(tables) - 1))
    tables[chosen] = ("proposed", tables[chosen][1])
    end = draw(_ends)
    both: list[list[str]] = [[], []]
    for place, (table, name) in enumerate(tables):
        quote = draw(st.sampled_from("\"'"))
        noise = draw(st.lists(_NOISE, max_size=3))
        inline = draw(st.sampled_from(["", " # why", "   "]))
        body = [
            f"statement = {draw(_TEXTS)} # said",
            'oracle = "o.py"',
            *draw(st.lists(_NOISE, max_size=2)),
            'property_test = "o.py::test_a"',
            f'test = "t.py::test_{place}"',
            "fixtures = [ # [",
            '  "f", # ]',
            "]",
        ]
        for accepted, lines in enumerate(both):
            word = "property" if accepted and place == chosen else table
            lines += [*noise, f"[{word}.{quote}{name}{quote}]{inline}", *body]
    last = draw(st.sampled_from(["", end, f"{end}# end"]))
    before, after = (end.join(lines) + last for lines in both)
    return before, after, PropertyId(tables[chosen][1])


@given(_catalogues())
@_same_every_time
def test_accepting_changes_one_word(case: tuple[str, str, PropertyId]) -> None:
    before, after, name = case
    assert accept(before.encode(), name) == after.encode()


@given(_catalogues())
@_same_every_time
def test_proposing_adds_at_the_end(case: tuple[str, str, PropertyId]) -> None:
    before, _, name = case
    entry = parse_catalog(before.encode()).proposed[name]
    new = entry._replace(property_id=PropertyId("brand.new"))
    changed = propose(before.encode(), new)
    assert changed.startswith(before.encode())
    assert parse_catalog(changed).proposed[new.property_id] == new
