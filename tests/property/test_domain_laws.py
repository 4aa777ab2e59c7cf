"""What holds for every domain: an empty comparison means an equal domain, order means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freezegate.model.domain import Domain
from freezegate.model.paths import RepoPath
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.domain.resolve import resolve_domain
from tests.property.layouts import (
    CONFIGS,
    IMPORTS,
    NAMES,
    ORACLE,
    PLACES,
    body_of,
    layouts,
)
from tests.unit.policy.domain.memory import LINK, MemoryTree, patch, policy

Files = dict[str, str | bytes]
POLICY = policy(subject="src/shop/**", more='[domain]\npaths = ["tests/strategies/**"]\n')
# What an edit may bring beside the names that layouts have already: other spellings of modules,
# files where folders are wanted and folders where files are, what Python and pytest run unasked.
SPELLINGS = (
    *NAMES,
    "helper",
    "helper.so",
    "helper.abi3.so",
    "helper.cpython-312-x86_64-linux-gnu.so",
    "helper.cpython-311-x86_64-linux-gnu.so",
    "helper.pyc",
    "helper.py/inside.py",
    "helper/__init__.so",
    "helper/__init__.pyc",
    "helper/inner/__init__.py",
    "helper/inner/more.py",
    "helper/deep.py",
    "helper/__pycache__/inner.cpython-312.pyc",
    "__pycache__/helper.cpython-312.pyc",
    "__pycache__/conftest.cpython-312.pyc",
    "other/__init__.py",
    "other.py",
    "other/part.py",
    "space.py",
    "space/__init__.py",
    "wave/__init__.py",
    "shop.py",
    "shop/order/__init__.py",
    "importlib.py",
    "importlib/__init__.py",
    "pytest.py",
    "_pytest/__init__.py",
    "sitecustomize.py",
    "usercustomize/__init__.py",
    "conftest.py",
    "conftest/__init__.py",
    "__init__.py",
    "__init__.py/inside.py",
    "__init__.pyc",
    "tests/__init__.py",
    "tests.py",
    "props.py",
    "props/__init__.py",
    "test_oracle/__init__.py",
    "test_oracle.so",
    "strategies/numbers.py",
    "pyproject.toml/inside",
    "pytest.ini/inside",
)
# Files that nothing asks for.
EXTRAS = ("README.md", "docs/helper.py", "src/shop/new.py", "tests/unit/test_b.py", "a/conftest.py")
SOLID = ("lib", "src", "src/shop", "tests/strategies", "uv.lock", "setup.py", "README.md")
BODIES = st.builds(body_of, st.lists(st.sampled_from(IMPORTS), max_size=2), st.just(""))
PATHS = st.one_of(
    st.builds(str.__add__, st.sampled_from(PLACES), st.sampled_from(SPELLINGS)),
    st.sampled_from(SOLID),
)


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, str | None]]:
    """Paths with their new content, None for one that goes away."""
    found: list[tuple[str, str | None]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 4)) == 0:
            path, text = draw(st.sampled_from(CONFIGS))
            found.append((path, text.format("pythonpath = lib\n")))
        else:
            content = st.one_of(BODIES, st.just(LINK), st.none())
            found.append((draw(PATHS), draw(content)))
    return found


def edited(files: Mapping[str, str], changes: list[tuple[str, str | None]]) -> dict[str, str]:
    """Return the files after the edits; a file makes way for a folder and a folder for a file."""
    result = dict(files)
    for path, content in changes:
        clash = [p for p in result if p.startswith(f"{path}/") or path.startswith(f"{p}/")]
        if ORACLE in (path, *clash):
            continue
        for gone in (*clash, path):
            result.pop(gone, None)
        if content is not None:
            result[path] = content
    return result


def resolved(files: Mapping[str, str | bytes]) -> Domain:
    return resolve_domain(MemoryTree(files), POLICY, RepoPath(ORACLE), None, None)


def bare(domain: Domain) -> dict[str, object]:
    return {path: reached.entry for path, reached in domain.entries.items()}


def known(domain: Domain) -> set[tuple[str, str]]:
    """Faults by code and path; what lies elsewhere is asked of the base alone."""
    return {fault[:2] for fault in domain.faults if "which lies at" not in fault.got}


LAW = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@LAW
@given(files=layouts(), changes=edits())
def test_nothing_changed_means_the_same_domain(
    files: dict[str, str], changes: list[tuple[str, str | None]]
) -> None:
    old, new = MemoryTree(files), MemoryTree(edited(files, changes))
    domain = resolved(files)
    if not changed_in(domain, patch(old, new), new, POLICY):
        after = resolved(edited(files, changes))
        assert bare(after) == bare(domain), (files, changes)
        assert after.digest == domain.digest
        assert known(after) == known(domain)


@LAW
@given(files=layouts(), order=st.randoms(use_true_random=False), extra=st.sampled_from(EXTRAS))
def test_the_order_of_files_and_other_files_mean_nothing(
    files: dict[str, str], order: Random, extra: str
) -> None:
    shuffled = list(files.items())
    order.shuffle(shuffled)
    domain = resolved(files)
    again = resolved(dict([*shuffled, (extra, "import os\n")]))
    assert again.digest == domain.digest
    assert again.entries == domain.entries
    assert known(again) == known(domain)


@LAW
@given(files=layouts(), changes=edits())
def test_what_is_told_as_changed_differs(
    files: dict[str, str], changes: list[tuple[str, str | None]]
) -> None:
    old, new = MemoryTree(files), MemoryTree(edited(files, changes))
    domain, differing = resolved(files), patch(old, new)
    told = changed_in(domain, differing, new, POLICY)
    assert len({each.path for each in told}) == len(told)
    for each in told:
        assert each.new != each.reached.entry or each.path.encode() in differing
    assert not changed_in(domain, {}, old, POLICY)
    if not differing:
        assert told == ()


HOSTILE = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet="[]={}'\"\n#.-p: /pytes%(\\", max_size=60).map(str.encode),
    st.lists(
        st.sampled_from(
            [
                b"[pytest]\n",
                b"[tool.pytest]\n",
                b"[tool.pytest.ini_options]\n",
                b"[tool:pytest]\n",
                b"tool = 1\n",
                b"pytest = [1]\n",
                b"pythonpath = ['..', '/', '', 'a\\u0000']\n",
                b"pythonpath = ../.. / ~ . 'x\n",
                b"addopts = -p '' -p . -p a..b -p \xc3\xa9 --import-mode --confcutdir=../..\n",
                b"addopts = ['-p', '.a', '-o', 'pythonpath', '--confcutdir', '/']\n",
                b"import " + b"a." * 300 + b"a\n",
                b"from " + b"." * 300 + b" import a\n",
                b"from helper import *\n",
                b"import helper, other, tests.props.test_oracle, conftest\n",
                b"__all__ = ['', '.', 'a.b', '*', 'inner']\n",
                b"pytest_plugins = ['', '.', '..a', 'a b', 'helper', 'conftest']\n",
                b"__import__('')\n",
                b"__import__('a..b')\n",
                b"import os, sys; sys.path.append(os.path.dirname(__file__))\n",
                b"import sys; from os.path import dirname, join\n"
                b"sys.path.insert(0, join(dirname(__file__), '../../..'))\n",
                b"x = " + b"(" * 300 + b"\n",
                b"x = a" + b".a" * 1_200 + b"\n",
                b"x = " + b"f(" * 90 + b")" * 90 + b"\n",
                b"x = " + b"1+" * 2_500 + b"1\n",
                b"if x: pass\n" + b"elif x: pass\n" * 50,
                b"x = 0x" + b"f" * 4_000 + b"\n",
                b"x = " + b"[" * 800 + b"]" * 800 + b"\n",
                b"pytest_plugins = " + b"['a'] + " * 900 + b"[]\n",
                b"addopts = -qo pythonpath=lib -W e::helper.X -qpa '-p b' --pdbcls=other:x\n",
                b"filterwarnings = error::helper.X\n",
                b"[options.entry_points]\npytest11 =\n  a = helper\n  b = a..b:c [d]\n",
                b"[project.entry-points.pytest11]\na = 'helper:x'\nb = ''\nc = '.'\n",
                b"setup(entry_points={'pytest11': ['a = other']})\n",
                b"import sys\nsys.modules.pop('helper', None)\n",
                b"import os, sys\nif os.path.dirname(__file__) not in sys.path:\n"
                b"    sys.path.insert(0, os.path.dirname(__file__))\n",
                b"\0",
                b"# coding: utf-7\n",
                b"\xff\n",
            ]
        ),
        max_size=5,
    ).map(b"".join),
    st.just(LINK.encode()),
)
HOSTILE_PATHS = st.one_of(
    PATHS,
    st.sampled_from([path for path, _ in CONFIGS]),
    st.sampled_from([ORACLE, "conftest.py", "tests/conftest.py", ".freeze/policy.toml"]),
    st.sampled_from(["tests/__init__.py", "tests/props/conftest.py", "tests/props/__init__.py"]),
)


@LAW
@given(files=st.dictionaries(HOSTILE_PATHS, HOSTILE, max_size=6), base=layouts())
def test_hostile_contents_give_faults_and_no_errors(
    files: dict[str, bytes], base: dict[str, str]
) -> None:
    both: Files = {**base, **files}
    solid = {p: c for p, c in both.items() if not any(q.startswith(f"{p}/") for q in both)}
    tree = MemoryTree(solid)
    domain = resolve_domain(tree, POLICY, RepoPath(ORACLE), None, None)
    for fault in domain.faults:
        assert fault.got
        assert fault.expected
    changed_in(domain, patch(tree, MemoryTree(base)), MemoryTree(base), POLICY)
    changed_in(resolved(base), patch(MemoryTree(base), tree), tree, POLICY)
