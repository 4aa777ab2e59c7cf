"""Examples of docstrings and texts that are run as tests: skipped, gone, or expecting less."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.mutes.doctest_examples import PROMPT, Example, examples_of, texts_of
from freezegate.policy.mutes.doctest_runs import TEXTS, DoctestRuns
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.setting_texts import setting_told, words_in
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.doctest_examples import Texts
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "doctest"
_SETTING = "doctest_optionflags"
_REMEDY = "Leave the example as it was; where the code is wrong, mend the code."
# Options that change what is shown of a failure, or ask for more.
_HARMLESS = frozenset({"DONT_ACCEPT_BLANKLINE", "DONT_ACCEPT_TRUE_FOR_1", "FAIL_FAST"}) | frozenset(
    {"REPORT_UDIFF", "REPORT_CDIFF", "REPORT_NDIFF", "REPORT_ONLY_FIRST_FAILURE"}
)


class _Owner(NamedTuple):
    """A docstring or text whose examples changed; `after` is None where nobody owns them now."""

    path: str
    name: str
    line: int
    before: tuple[Example, ...]
    after: tuple[Example, ...] | None


def find_doctests(step: MuteStep) -> Iterator[Mute]:
    """Yield what became of the examples of changed files, where they are run as tests."""
    owners = [owner for path in step.changed for owner in _owners(step, path)]
    written = [mute for path in step.changed for mute in _written(step, path)]
    if not any((_differs(owner) and owner.before) for owner in owners) and not written:
        return
    runs = DoctestRuns(step)
    kept = _Kept(owners)
    for owner in owners:
        if runs.runs(owner.path) and _differs(owner):
            yield from _lost(owner, kept)
    yield from (mute for mute in written if runs.runs(mute.path))


def find_option_flags(step: MuteStep) -> Iterator[Mute]:
    """Yield options by which every example says less."""
    old, new = (resolve_config(side.tree, "") for side in (step.old, step.new))
    before, after = (frozenset(words_in(each.settings.get(_SETTING, ""))) for each in (old, new))
    fresh = sorted(after - before - _HARMLESS)
    if fresh and DoctestRuns(step).ran_any:
        certainty = Certainty.CLEAR if "SKIP" in fresh else Certainty.DOUBTFUL
        told = f"{', '.join(fresh)} for every example"
        yield setting_told(new.inipath or "", _SETTING, tuple(sorted(before)), told, certainty)


def _owners(step: MuteStep, path: str) -> Iterator[_Owner]:
    before, after = (_texts(side, path) for side in (step.old, step.new))
    module = step.new.module(path) if path.endswith(".py") else None
    for name in {**before, **after}:
        old, new = before.get(name, ("", 1)), after.get(name)
        if new and (new[0] == old[0] or PROMPT not in old[0] + new[0]):
            continue
        stays = new or not path.endswith(".py") or (module and name in module.bindings)
        examples, now = examples_of(*old), examples_of(*(new or ("", 1)))
        if examples is not None and now is not None:
            line = new[1] if new else 1
            yield _Owner(path, name, line, examples, now if stays else None)


def _texts(side: Side, path: str) -> Texts:
    if path.endswith(".py"):
        module = side.module(path)
        return texts_of(module) if module else {}
    entry = side.entry(path) if path.endswith(TEXTS) else None
    return {"": (side.tree.source(entry).decode("utf-8", "replace"), 1)} if entry else {}


def _differs(owner: _Owner) -> bool:
    return [(e.key, e.options) for e in owner.before] != [
        (e.key, e.options) for e in owner.after or ()
    ]


class _Kept:
    """Examples that stand on the new side, each of which stands for one of the old side."""

    def __init__(self, owners: Sequence[_Owner]) -> None:
        """Count what is new where it stands; what stays there stands for itself."""
        self._free: Counter[tuple[object, ...]] = Counter()
        for owner in owners:
            now = Counter((*e.key, _weak(e)) for e in owner.after or ())
            self._free += now - Counter((*e.key, _weak(e)) for e in owner.before)

    def takes(self, example: Example) -> bool:
        """Say whether an example stands somewhere else now, and take it away there."""
        for key in ((*example.key, _weak(example)), (*example.key, frozenset())):
            if self._free[key] > 0:
                self._free[key] -= 1
                return True
        return False


def _weak(example: Example) -> frozenset[str]:
    """The options by which an example says less; dots that are not there leave nothing out."""
    unused = {"ELLIPSIS"} if "..." not in example.want else set()
    return example.options - _HARMLESS - unused


def _lost(owner: _Owner, kept: _Kept) -> Iterator[Mute]:
    """Pair what stood there with what stands there: alike first, then the same code."""
    if owner.after is None:
        return
    left = list(owner.after)
    rest: list[Example] = []
    for old in owner.before:
        same = next((e for e in left if e.key == old.key and not _weak(e) - _weak(old)), None)
        if same:
            left.remove(same)
        else:
            rest.append(old)
    for old in rest:
        new = next((each for each in left if each.code == old.code), None)
        if new:
            left.remove(new)
            yield _changed(owner, old, new)
        elif not kept.takes(old):
            yield _mute(owner, old, None, "no such example", Certainty.DOUBTFUL)


def _changed(owner: _Owner, old: Example, new: Example) -> Mute:
    fresh = sorted(_weak(new) - _weak(old))
    certainty = Certainty.CLEAR if "SKIP" in fresh else Certainty.DOUBTFUL
    why = [f"with {', '.join(fresh)}"] if fresh else []
    why += [f"expects {new.want.strip() or 'nothing'}"] if new.want != old.want else []
    return _mute(owner, old, new, f"{_code(new)}: {' and '.join(why)}", certainty)


def _mute(owner: _Owner, old: Example, new: Example | None, now: str, certainty: Certainty) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=certainty,
        path=owner.path,
        line=new.line if new else owner.line,
        was=f"an example{' of ' * bool(owner.name)}{owner.name}: {_code(old)} gives {_one(old)}",
        now=now.replace("\n", " "),
        remedy=_REMEDY,
        before=_shown(old),
        after=_shown(new) if new else "",
    )


def _code(example: Example) -> str:
    return " ".join(example.source.replace("doctest;", "doctest:").split())


def _one(example: Example) -> str:
    return " ".join(example.want.split()) or "nothing"


def _shown(example: Example) -> str:
    code = example.source.replace("doctest;", "doctest:").replace("\n", "\n... ")
    return f"{PROMPT} {code}\n{example.want}".rstrip()


def _written(step: MuteStep, path: str) -> Iterator[Mute]:
    """Docstrings that are written anew, at the top of a module or by the tests."""
    old, new = step.old.module(path), step.new.module(path)
    if not path.endswith(".py") or new is None or b"__doc__" not in new.source:
        return
    if not step.is_test_code(path) and (old is None or PROMPT.encode() not in old.source):
        return
    before = {ast.dump(node) for node in (ast.walk(old.tree) if old else ()) if _writes(node)}
    for statement in _outside(new.tree, inner=step.is_test_code(path)):
        if _writes(statement) and ast.dump(statement) not in before:
            owner = _Owner(path, "", getattr(statement, "lineno", 1), (), ())
            nothing = Example("", "", frozenset(), "a docstring", 1)
            told = f"{shown(statement)}, by which its examples are others"
            yield _mute(owner, nothing, None, told, Certainty.DOUBTFUL)


def _outside(tree: ast.AST, *, inner: bool) -> Iterator[ast.AST]:
    """The nodes of a module, those inside of functions only where that is asked."""
    waiting = [tree]
    for node in waiting:  # grows while it is walked
        yield node
        if inner or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _writes(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return any(_is_docstring(each) for each in targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return _is_docstring(target)
        case ast.Call(args=[_, ast.Constant(value="__doc__"), _]):
            return not (isinstance(node.func, ast.Name) and node.func.id == "getattr")
        case _:
            return False


def _is_docstring(target: ast.expr) -> bool:
    name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", None)
    return name == "__doc__"
