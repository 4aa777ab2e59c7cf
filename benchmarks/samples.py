"""Sampled runs of a property beside plain pytest under the same seeds, passing and failing."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.pairs import Command
from benchmarks.repositories import plain_environment
from freezegate.model.observation import Unobserved
from freezegate.model.sample import PropertyAsked
from freezegate.witness.process import observe_run
from freezegate.witness.run_requests import RunRequest

SEEDS = 7
_ID = "test_it.py::test_it"
_TEST = """\
from hypothesis import given, settings
from hypothesis import strategies as st

LINES = st.lists(st.integers())
ORDERS = st.fixed_dictionaries({{"discount": st.integers(0, 100), "lines": LINES}})


@settings(max_examples=500, deadline=None)
@given(ORDERS)
def test_it(order):
    assert order["discount"] < {limit}
"""
_LOOP = (
    "for i in $(seq {}); do {} -B -m pytest -q -p no:cacheprovider --hypothesis-seed=$i {} "
    ">/dev/null; [ $? = {} ] || exit 1; done"
)


def sample_commands(folder: Path, *, fails: bool) -> tuple[Command, Command]:
    """Return sampled runs under some seeds, and pytest under the same ones."""
    root = folder / f"sampled-{fails}"
    root.mkdir()
    (root / "test_it.py").write_text(_TEST.format(limit=90 if fails else 101))
    loop = _LOOP.format(SEEDS, sys.executable, _ID, int(fails))
    here = str(Path(__file__).resolve().parents[1])
    measured = [sys.executable, "-m", "benchmarks.samples", str(root), str(int(fails))]
    environ = plain_environment()
    return (
        Command(arguments=measured, folder=Path(here), environ=environ),
        Command(arguments=["sh", "-c", loop], folder=root, environ=environ),
    )


def main(root: str, fails: str) -> None:
    """Make the sampled runs; SystemExit where one did not end as expected."""
    for seed in range(1, SEEDS + 1):
        request = RunRequest(
            tree=Path(root),
            python=Path(sys.executable),
            timeout_s=60,
            test_id=_ID,
            hypothesis_seed=seed,
            asked=PropertyAsked(),
        )
        seen = observe_run(request)
        if isinstance(seen, Unobserved) or seen.passed is bool(int(fails)):
            msg = f"seed {seed}: {seen}"
            raise SystemExit(msg)


if __name__ == "__main__":
    main(*sys.argv[1:])
