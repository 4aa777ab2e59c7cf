"""What the plugin's glance at the catalogue leaves out, decoding would not have found either."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from freezegate.errors import DecodeError
from freezegate.formats.catalog import parse_catalog
from freezegate.pytest_plugin.guarded import CATALOG, catalogue_may_name
from tests.property.documents import catalog_tables


def _spelled(data: st.DataObject, tables: dict[str, Any]) -> str:
    """The tables as TOML in one of the ways in which people write it."""
    text = tomli_w.dumps(tables, multiline_strings=data.draw(st.booleans()))
    if data.draw(st.booleans()):
        text = "\n".join(f"  {line}" for line in text.split("\n"))
    if data.draw(st.booleans()):
        text = text.replace('[property."', "[ property . '").replace('"]\n', "' ]  # it\n")
    return text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))


@given(data=st.data(), tables=catalog_tables())
def test_no_claim_is_left_out(data: st.DataObject, tables: dict[str, Any]) -> None:
    text = _spelled(data, tables)
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / ".freeze").mkdir()
        (top / CATALOG).write_bytes(text.encode())
        try:
            catalog = parse_catalog(text.encode())
        except DecodeError:  # a respelling that is none
            return
        for entry in catalog.properties.values():
            assert catalogue_may_name(top, {str(entry.test)}, {str(entry.property_id)})
