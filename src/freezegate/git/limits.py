"""How much of one file the gate reads."""

from __future__ import annotations

MAX_FIXTURE_BYTES = 64 * 1024 * 1024  # what is hashed for one freeze
MAX_SOURCE_BYTES = 2 * 1024 * 1024  # far beyond any test module
MAX_CI_FILE_BYTES = 1024 * 1024  # a larger one counts as calling freezegate
MAX_ATTRIBUTES_BYTES = 64 * 1024  # each line of a hostile one costs 0.1 ms for each path
MAX_FILE_BYTES = 2**31  # of a file that is written into a run's tree
