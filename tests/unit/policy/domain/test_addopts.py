"""What addopts says of imports agrees with pytest's own parsers, or is a fault."""

from __future__ import annotations

import pytest
from _pytest.config import PytestPluginManager, UsageError, get_config
from _pytest.config.findpaths import parse_override_ini
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.policy.domain.addopts import AddOpts, read_addopts, warning_module

WORDS = st.one_of(
    st.sampled_from(
        [
            "-p",
            "-pa",
            "-qpa",
            "-pno:b",
            "-p=",
            "-p=a",
            "-o",
            "-oa=b",
            "-o=a=b",
            "-qo",
            "-qoa=b",
            "-qo=a=b",
            "-q",
            "-x",
            "-xv",
            "-vvp",
            "-ra",
            "-r",
            "fE",
            "-k",
            "-kx",
            "-m",
            "-W",
            "-Wd",
            "-c",
            "-cx",
            "--import-mode",
            "--import-mode=append",
            "--import-mode=other",
            "importlib",
            "--confcutdir",
            "--confcutdir=tests",
            "--override-ini",
            "--override-ini=a=b",
            "--override-i=a=b",
            "--co",
            "--pdb",
            "--rootdir=x",
            "--rootdir",
            "--tb=short",
            "--tb",
            "short",
            "--strict-markers",
            "--cov",
            "--cov=x",
            "-n",
            "-n4",
            "--noconftest",
            "--pyargs",
            "--",
            "-",
            "a",
            "a=b",
            "c.d=e",
            "tests",
            "@x",
            "-V",
            "--version",
            "--config-file=x",
        ]
    ),
    st.sampled_from(
        ["-p a", "-o a=b", "", "a b", "-1", "-k x", "--import-mode append", "-W e::a.B"]
    ),
)


@settings(max_examples=400, deadline=None)
@given(words=st.lists(WORDS, max_size=5))
def test_agrees_with_pytest(words: list[str]) -> None:
    ours = read_addopts(words)
    try:
        config = get_config()
        names = config._parser.parse_known_args(words)
        overrides = parse_override_ini(names.override_ini)
    except (UsageError, SystemExit, OSError):
        return
    if ours.faults:
        return
    assert list(ours.plugins) == looked_ahead(words)
    assert ours.import_mode == names.importmode
    assert ours.confcutdir == names.confcutdir
    theirs = {key: each.value for key, each in overrides.items() if "strict" not in key}
    assert ours.overrides == theirs
    filters = names.pythonwarnings or []
    assert list(ours.imports) == [m for m in map(warning_module, filters) if m]


def looked_ahead(words: list[str]) -> list[str]:
    found: list[str] = []

    manager = PytestPluginManager()
    manager.import_plugin = lambda name, **_: found.append(name)  # type: ignore[method-assign]  # looks only
    manager.consider_preparse(words, exclude_only=False)
    return found


PLAIN = AddOpts((), "prepend", None, {}, (), ())


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ([], PLAIN),
        (["-p plug_a"], PLAIN._replace(plugins=("plug_a",))),
        (["-qo", "pythonpath=lib"], PLAIN._replace(overrides={"pythonpath": "lib"})),
        (["-vvopythonpath=lib"], PLAIN._replace(overrides={"pythonpath": "lib"})),
        (["-o=pythonpath=lib"], PLAIN._replace(overrides={"pythonpath": "lib"})),
        (["-qp", "plug_a"], PLAIN),  # pytest's look ahead does not see it
        (["-W", "error::lib.Loud"], PLAIN._replace(imports=("lib",))),
        (["--pythonwarnings=error::lib.a.Loud"], PLAIN._replace(imports=("lib.a",))),
        (["--pdbcls=lib:Pdb"], PLAIN._replace(imports=("lib",))),
        (["-c", "other.ini", "--rootdir", "x"], PLAIN),
        (["--cov", "src", "-n", "4", "--timeout=3", "-ra", "-m", "not slow"], PLAIN),
        (["--co", "--pdb", "--strict"], PLAIN),
    ],
)
def test_what_is_read(words: list[str], read: AddOpts) -> None:
    assert read_addopts(words) == read


@pytest.mark.parametrize(
    "words",
    [
        ["--override-i=pythonpath=lib"],
        ["--import-mode=odd"],
        ["--import-mode"],
        ["--confcutdir", "-q"],
        ["-p"],
        ["-qo=pythonpath=lib"],
        ["-qz"],
        ["@words"],
        ["-k", "@words"],
        ["tests"],
        ["-q", "tests"],
        ["--"],
    ],
)
def test_what_cannot_be_told_is_a_fault(words: list[str]) -> None:
    assert read_addopts(words).faults
