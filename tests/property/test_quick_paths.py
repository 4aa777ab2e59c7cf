"""The law of short cuts: what is quick for many paths says the same as what is thorough for one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.errors import InvalidValue
from freezegate.model.globs import Glob
from freezegate.model.paths import RepoPath, are_plain_names
from freezegate.policy.globs import folder_of, literal_folder, many_matcher, matches

_same_every_time = settings(deadline=None, derandomize=True, database=None, max_examples=150)
_parts = st.sampled_from(["a", "b", "ab", "a.json", "*", "*.json", "a*", "?", "[ab]", "**", "x y"])
_names = st.sampled_from(["a", "b", "ab", "a.json", "x.json", "c", "x y", "n\nl", "caf\udce9"])


@st.composite
def _globs(draw: st.DrawFn) -> Glob | None:
    text = "/".join(draw(st.lists(_parts, min_size=1, max_size=4)))
    front = draw(st.sampled_from(["", "", "", "/", "!", "!/"]))
    try:
        return Glob(front + text + draw(st.sampled_from(["", "", "/", "/**"])))
    except InvalidValue:
        return None


_patterns = st.lists(_globs(), max_size=4).map(lambda each: tuple(g for g in each if g is not None))
_paths = st.lists(_names, min_size=1, max_size=4).map("/".join)


@given(_patterns, _paths)
@_same_every_time
def test_many_paths_match_as_one_does(patterns: tuple[Glob, ...], path: str) -> None:
    thorough = matches(patterns, path.encode("utf-8", "surrogateescape"))
    assert many_matcher(patterns)(path) is thorough
    adding = [pattern for pattern in patterns if not pattern.startswith("!")]
    if thorough:
        roots = [literal_folder(pattern) for pattern in adding]
        assert any(not root or path.startswith(f"{root}/") for root in roots)
    whole = [folder for pattern in adding if (folder := folder_of(pattern))]
    if len(adding) == len(patterns) and any(path.startswith(f"{each}/") for each in whole):
        assert thorough


_name = st.text("abcnoultpx019._-~ \u0301é:\\", min_size=1, max_size=8)


@given(st.lists(_name, max_size=4))
@_same_every_time
def test_plain_names_are_paths(names: list[str]) -> None:
    if are_plain_names(names):
        assert all(RepoPath(f"folder/{name}").endswith(name) for name in names)
    assert are_plain_names(names) is all(are_plain_names([name]) for name in names)


def test_reserved_names_are_not_plain() -> None:
    for name in (".git", "CON", "nul.txt", "com1", "a.", "a ", "-a", "git~1", "..", "é", "a\n", ""):
        assert not are_plain_names(["good", name, "good.json"]), name
