"""Production code whose conditions ask for what is different where tests run, by other signs."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "subject"
_REMEDY = "Let the code do the same wherever it runs; hand in what has to differ as an argument."
_WORDS = (b"isatty", b"__main__", b"handlers", b"test", b"environ", b"getattr", b"filters", b"sys.")
_TESTS = re.compile(r"(^|/)(tests?|conftest\.py|\.pytest_cache|pytest\.ini|tox\.ini)(/|$)")
_PLACES = frozenset({"exists", "is_dir", "is_file", "isdir", "isfile", "glob"})
_STATE = frozenset({"modules", "argv", "orig_argv"})


def find_signs(step: MuteStep) -> Iterator[Mute]:
    """Yield new conditions that may tell a run of the tests from any other."""
    for pair in step.subject_files:
        if pair.new is None or not any(word in pair.new.source for word in _WORDS):
            continue
        before = (
            Counter(ast.dump(node) for node in _signs(pair.old)) if pair.old else Counter[str]()
        )
        for node in _signs(pair.new):
            if before[ast.dump(node)]:
                before[ast.dump(node)] -= 1
            else:
                yield _mute(pair.path, node)


def _signs(module: Module) -> Iterator[ast.expr]:
    seen = set[int]()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While) and id(node.test) not in seen:
            seen.add(id(node.test))
            if any(_is_sign(part) for part in ast.walk(node.test)):
                yield node.test


def _is_sign(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="isatty")):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _PLACES:
            return _speaks(node, _TESTS)
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="sys" | "os"), name, *_]):
            return fold(name) in {*_STATE, "environ"}
        case ast.Call(func=ast.Name(id="type"), args=[ast.Attribute(value=ast.Name(id="sys"))]):
            return True
        case ast.Call(func=called) if unparsed(called).endswith(("__import__", "import_module")):
            return _speaks(node, re.compile("__main__|pytest"))
        case ast.Subscript(value=ast.Attribute(attr="modules")):
            return _speaks(node, re.compile("__main__"))
        case ast.Attribute(attr="handlers" | "hasHandlers", value=value):
            return "getLogger" in unparsed(value) or unparsed(value) == "logging.root"
        case ast.Attribute(attr="filters", value=ast.Name(id="warnings")):
            return True
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
            return "environ" in unparsed(node) and _speaks(node, re.compile("^PY(T|TE|TES)?$"))
        case _:
            return False


def _speaks(node: ast.AST, words: re.Pattern[str]) -> bool:
    """Whether a text in it, put together or not, holds some words."""
    texts = (fold(each) for each in ast.walk(node) if isinstance(each, ast.Constant | ast.BinOp))
    return any(isinstance(text, str) and words.search(text) is not None for text in texts)


def _mute(path: str, node: ast.expr) -> Mute:
    return Mute(
        family=MuteFamily.SUBJECT,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=path,
        line=node.lineno,
        was="code that does the same under test",
        now=f"it may do something else there: {shown(node)}",
        remedy=_REMEDY,
        after=shown(node, 200),
    )
