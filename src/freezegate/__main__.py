"""`python -I -m freezegate` and the `freezegate` command."""

from __future__ import annotations

import os
import sys

# `python -m` puts the working directory first: there, a judged repository's own `pygit2.py` or
# `tomllib.py` would run. `-I` keeps even a folder called freezegate/ out.
sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]

from freezegate.cli.verbs import run_command  # noqa: E402 - behind the line above on purpose


def main() -> int:
    """Run the command line and return its exit status."""
    return run_command(sys.argv[1:], os.environ)


if __name__ == "__main__":
    sys.exit(main())
