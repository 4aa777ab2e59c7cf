"""Which tests may be asked for at all: those of the catalogue at the base, beyond `basic`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from freezegate.cli.here import catalog_here
from freezegate.errors import UsageError
from freezegate.model.finding import Finding, Severity
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    import argparse

    from freezegate.cli.witness_setting import Setting


def uncatalogued(setting: Setting, options: argparse.Namespace) -> tuple[Finding, ...]:
    """Return which tests no freeze can be asked for under the preset, whatever else is named."""
    catalog, preset = setting.view.judges.catalog, setting.policy.preset
    entries = catalog.value.properties if catalog.value else {}
    asked = [text for text in options.property or () if text not in entries]
    drafts = [text for text in asked if _is_draft(setting, text)]
    if drafts:
        return tuple(_draft(text) for text in drafts)
    own = [text for text in asked if _is_own_entry(setting, text)]
    if own:
        return tuple(_not_landed(text) for text in own)
    if preset is Preset.BASIC or catalog.is_damaged:
        return ()
    tests = {str(entry.test) for entry in entries.values()}
    properties = [text for text in options.property or () if text not in entries]
    named = [text for text in named_ids(options) if text not in tests]
    if options.refresh or (options.property and not properties):
        named = []
    return tuple(_uncatalogued(text, preset) for text in named)


def _is_draft(setting: Setting, text: str) -> bool:
    """Say whether a property is only proposed, at the base or in the work tree."""
    catalogs = [setting.view.judges.catalog.value]
    with contextlib.suppress(UsageError):  # what the base says counts
        catalogs.append(catalog_here(setting.top).catalog)
    return any(str(name) == text for each in catalogs if each for name in each.proposed)


def _draft(text: str) -> Finding:
    return Finding(
        code="budget.id_not_catalogued",
        severity=Severity.ERROR,
        about=text,
        got="a draft in .freeze/catalog.toml, which counts for nothing",
        expected="a catalogued property at the trusted base",
        remedy=f"freezegate catalog accept {text}, land that in a patch of its own, then: "
        f"freezegate witness --property {text}",
    )


def _is_own_entry(setting: Setting, text: str) -> bool:
    """Say whether the work tree's catalogue has an entry that the base's has not."""
    with contextlib.suppress(UsageError):
        return any(str(name) == text for name in catalog_here(setting.top).catalog.properties)
    return False


def _not_landed(text: str) -> Finding:
    return Finding(
        code="budget.id_not_catalogued",
        severity=Severity.ERROR,
        about=text,
        got="an entry of .freeze/catalog.toml that this branch brings; no patch is judged by what "
        "it wrote",
        expected="a catalogued property at the trusted base",
        remedy="land the catalogue in a patch of its own (git push, then merge); then, on a branch "
        f"from there: freezegate witness --property {text}",
    )


def _uncatalogued(text: str, preset: Preset) -> Finding:
    return Finding(
        code="budget.id_not_catalogued",
        severity=Severity.ERROR,
        about=text,
        got="no entry of .freeze/catalog.toml at the trusted base names it",
        expected=f"a catalogued property: only those can be frozen under the preset {preset}",
        remedy="catalogue it in a patch of its own (freezegate catalog add --help), land that, "
        "then: freezegate witness --property ID; what there is: .freeze/catalog.toml",
    )


def named_ids(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(dict.fromkeys(options.test_ids))
