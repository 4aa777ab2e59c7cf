"""`python -m freezegate` and the `freezegate` command."""

from __future__ import annotations

import os
import sys

from freezegate.cli.verbs import run_command


def main() -> int:
    """Run the command line and return its exit status."""
    return run_command(sys.argv[1:], os.environ)


if __name__ == "__main__":
    sys.exit(main())
