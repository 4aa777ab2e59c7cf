"""`.freeze/policy.toml`: bytes to Policy, the preset underneath (SPEC section 8)."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.fields import (
    Reader,
    array,
    choice,
    inner,
    integer,
    of,
    read_object,
    text,
)
from freezegate.formats.ref_globs import MAX_REF_GLOBS, ref_glob
from freezegate.formats.strict_toml import parse_toml, toml_line_of
from freezegate.model.globs import Glob
from freezegate.policy.settings import (
    EvidenceSettings,
    FreezeSettings,
    MuteFamily,
    Policy,
    Preset,
    RunnerSettings,
    Weight,
)
from freezegate.resources import read_shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_GLOBS = 200
MIN_RUNS = 2  # SPEC 5.1: two or more runs each
_MAX_COUNT = 10_000
_DOUBTFUL = "doubtful"
_GLOB = of(Glob, "glob")


def _python(value: object, place: str) -> str:
    version = text(10, 1)(value, place)
    if not re.fullmatch(r"3\.[0-9]{1,3}", version):
        raise DecodeError(
            "record.bad_string", place=place, got=ascii(version), expected='a version like "3.12"'
        )
    return version


def _plain_text(value: object, place: str) -> str:
    return text(200, 1)(value, place)


def _table(keys: dict[str, Reader[Any]]) -> Reader[dict[str, Any]]:
    return lambda value, place: read_object(value, place, {}, keys)


def _counts_by_tag(value: object, place: str) -> dict[str, int]:
    if not isinstance(value, dict):
        raise DecodeError(
            "record.wrong_type", place=place, got=type(value).__name__, expected="a table"
        )
    runs = integer(MIN_RUNS, _MAX_COUNT)
    return {_plain_text(tag, place): runs(count, inner(place, tag)) for tag, count in value.items()}


_GLOBS = array(_GLOB, 0, MAX_GLOBS)
_PATHS = _table({"paths": _GLOBS})
_COUNT = integer(0, _MAX_COUNT)
_TABLES: dict[str, Reader[Any]] = {
    "base": _table({"targets": array(ref_glob, 1, MAX_REF_GLOBS)}),
    "subject": _PATHS,
    "oracle": _PATHS,
    "domain": _PATHS,
    "fixtures": _PATHS,
    "runner": _table(
        {
            "python": _python,
            "pythonpath": array(_plain_text, 0, MAX_GLOBS),
            "plugins": array(_plain_text, 0, MAX_GLOBS),
        }
    ),
    "evidence": _table(
        {
            "runs": integer(MIN_RUNS, _MAX_COUNT),
            "max_runs": integer(MIN_RUNS, _MAX_COUNT),
            "timeout_s": integer(1, 86_400),
            "max_base_age_commits": integer(0, 1_000_000),
            "tags": _counts_by_tag,
        }
    ),
    "freeze": _table(
        {
            "max_active": _COUNT,
            "max_active_per_property": _COUNT,
            "max_active_per_test": _COUNT,
            "max_active_per_file": _COUNT,
            "max_lifetime_days": integer(1, 366),
            "max_lifetime_commits": integer(1, 100_000),
            "max_renewals": _COUNT,
            "grace_days": integer(0, 366),
        }
    ),
    "judges": _table({"change": choice(Weight)}),
    "protected": _table({"paths": _GLOBS, "tags": array(_plain_text, 0, MAX_GLOBS)}),
    "mutes": _table({key: choice(Weight) for key in (*MuteFamily, _DOUBTFUL)}),
    "limits": _table({"wall_s": integer(1, 3600), "max_changed_entries": integer(1, 100_000_000)}),
}


def parse_policy(data: bytes) -> Policy:
    """Decode a policy, laid over the preset that it extends (`standard` where it names none).

    Raises DecodeError with the place, and the line where it is known.
    """
    value = parse_toml(data)
    try:
        return _complete(_read(value))
    except DecodeError as error:
        error.line = error.line or toml_line_of(data, error.place)
        raise


def dump_policy(tables: Mapping[str, Any]) -> bytes:
    """Return the bytes of a new policy, checked; what a person wrote is changed by text span.

    Raises DecodeError where the tables are no policy.
    """
    import tomli_w

    data = tomli_w.dumps(dict(tables)).encode()
    parse_policy(data)
    return data


@cache
def preset(name: Preset) -> dict[str, Any]:
    """Return a shipped preset's checked tables."""
    return _read(parse_toml(read_shipped("policy", f"{name}.toml")), of_preset=True)


def built_in(name: Preset) -> Policy:
    """Return a preset as a policy of its own: no targets, no paths."""
    return _complete({"extends": name, "base": {"targets": ()}})


def _read(value: dict[str, Any], *, of_preset: bool = False) -> dict[str, Any]:
    required = {"version": integer(1, 1)} | ({} if of_preset else {"base": _base})
    tables = {key: reader for key, reader in _TABLES.items() if key not in required}
    return read_object(value, "", required, {"extends": choice(Preset), **tables})


def _base(value: object, place: str) -> dict[str, Any]:
    return read_object(value, place, {"targets": array(ref_glob, 1, MAX_REF_GLOBS)})


def _complete(given: dict[str, Any]) -> Policy:
    name = given.get("extends", Preset.STANDARD)
    under = preset(name)
    tables = {key: under.get(key, {}) | given.get(key, {}) for key in _TABLES}
    _refuse_contradictions(tables)
    runner, evidence = tables["runner"], tables["evidence"]
    return Policy(
        preset=name,
        targets=tables["base"]["targets"],
        **{f"{key}_paths": tables[key].get("paths", ()) for key in ("subject", "oracle", "domain")},
        fixture_paths=tables["fixtures"].get("paths", ()),
        protected_paths=tables["protected"].get("paths", ()),
        protected_tags=tables["protected"].get("tags", ()),
        runner=RunnerSettings(**{"plugins": None, "pythonpath": ()} | runner),
        evidence=EvidenceSettings(
            **evidence | {"tags": MappingProxyType(evidence.get("tags", {}))}
        ),
        freeze=FreezeSettings(**tables["freeze"]),
        judge_change=tables["judges"]["change"],
        mutes=MappingProxyType({family: tables["mutes"][family] for family in MuteFamily}),
        doubtful_mutes=tables["mutes"][_DOUBTFUL],
        **tables["limits"],
    )


def _refuse_contradictions(tables: dict[str, Any]) -> None:
    evidence = tables["evidence"]
    if evidence["runs"] > evidence["max_runs"]:
        raise DecodeError(
            "record.wrong_type",
            place="evidence.runs",
            got=str(evidence["runs"]),
            expected=f"at most max_runs, {evidence['max_runs']}",
            rule="runs-within-max",
        )
    if tables["judges"]["change"] is Weight.OFF:
        raise DecodeError(
            "record.wrong_type",
            place="judges.change",
            got="off",
            expected="note, warn or refuse",
        )
