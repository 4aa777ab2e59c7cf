"""Full ref names and globs of them, as policies and hosts list what they protect."""

from __future__ import annotations

import re

from freezegate.errors import DecodeError
from freezegate.formats.fields import of
from freezegate.model.globs import Glob

MAX_REF_GLOBS = 200
_GLOB = of(Glob, "glob")


def ref_glob(value: object, place: str) -> Glob:
    """Read a full name of a branch or tag, or a glob of such; raises DecodeError."""
    pattern = _GLOB(value, place)
    if not re.fullmatch(r"refs/(?:heads|tags)/[^\s~^:?\[\\]+", pattern):
        raise DecodeError(
            "record.bad_string",
            place=place,
            got=ascii(pattern),
            expected="a full ref name like refs/heads/main or refs/heads/release/*",
            rule="glob",
        )
    return pattern
