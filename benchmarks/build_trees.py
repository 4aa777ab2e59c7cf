"""Build both trees of HEAD in the working folder's repository, as a window does; remove them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from freezegate.git.session import Session
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.git.trees import Snapshot
from freezegate.witness.trees import build_pair


def main() -> None:
    """Build and remove."""
    session = Session.open(os.environ)
    head = session.candidate(None, staged=False)
    base, candidate = (
        SnapshotSource(session.store, Snapshot(session.store, head.root)) for _ in range(2)
    )
    folder = Path(tempfile.mkdtemp(prefix="freezegate-"))
    build_pair(base, candidate, folder)
    subprocess.run(["rm", "-rf", str(folder)], check=True)


if __name__ == "__main__":
    main()
