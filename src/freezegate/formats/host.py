"""The settings of a git host: an administrator's TOML outside the repository, strictly decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.fields import array, inner, integer, read_object, text, type_name
from freezegate.formats.ref_globs import MAX_REF_GLOBS, ref_glob
from freezegate.formats.strict_toml import parse_toml, toml_line_of
from freezegate.model.host import HostLimits, HostSettings

if TYPE_CHECKING:
    from freezegate.model.globs import Glob

_DAY_S = 86_400
_MAX_PATH_CHARS = 4096
_LIMITS = {
    "wall_s": integer(1, _DAY_S),
    "cpu_s": integer(1, _DAY_S),
    # Less does not even start the judge.
    "memory_mib": integer(256, 1024 * 1024),
    "max_refs": integer(1, 1_000_000),
    "max_changed_entries": integer(1, 100_000_000),
}


def parse_host_settings(data: bytes) -> HostSettings:
    """Decode a host's settings; raises DecodeError with the place, and the line where known."""
    value = parse_toml(data)
    try:
        return _complete(_read(value))
    except DecodeError as error:
        error.line = error.line or toml_line_of(data, error.place)
        raise


def _read(value: dict[str, Any]) -> dict[str, Any]:
    required = {"version": integer(1, 1), "protected": array(ref_glob, 1, MAX_REF_GLOBS)}
    optional = {"parents": _parents, "log": _absolute, "limits": _limits}
    return read_object(value, "", required, optional)


def _parents(value: object, place: str) -> tuple[tuple[Glob, str], ...]:
    if not isinstance(value, dict):
        raise DecodeError(
            "record.wrong_type", place=place, got=type_name(value), expected="a table"
        )
    return tuple(
        (ref_glob(key, place), _ref(name, inner(place, key))) for key, name in value.items()
    )


def _ref(value: object, place: str) -> str:
    name = ref_glob(value, place)
    if "*" in name:
        raise DecodeError(
            "record.bad_string",
            place=place,
            got=ascii(name),
            expected="the full name of one ref, like refs/heads/main",
        )
    return str(name)


def _absolute(value: object, place: str) -> str:
    path = text(_MAX_PATH_CHARS, 1)(value, place)
    if not path.startswith("/"):
        raise DecodeError(
            "record.bad_string",
            place=place,
            got=ascii(path),
            expected="an absolute path, or no `log` for the one in each repository",
        )
    return path


def _limits(value: object, place: str) -> HostLimits:
    return HostLimits(**read_object(value, place, {}, _LIMITS))


def _complete(given: dict[str, Any]) -> HostSettings:
    kept = {key: item for key, item in given.items() if key != "version"}
    return HostSettings(**kept)
