"""Nothing comes in beside a freeze that could answer in another file's place (THREATS, domain)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import fold, shown_path
from freezegate.policy.domain.finder import stem_of
from freezegate.policy.domain.standard import TEST_STACK, standard_names
from freezegate.policy.domain.words import is_startup_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from freezegate.model.domain import Domain
    from freezegate.model.entries import Change
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts

_CACHES = frozenset({".hypothesis", ".pytest_cache", "__pycache__"})


def judge_intruders(facts: Facts) -> Iterator[Finding]:
    """Refuse bytecode, compiled modules, start-up files, caches and shadows beside a freeze."""
    policy = facts.judges.policy.value
    if not facts.claims:
        return
    python = policy.runner.python if policy else "3.12"
    roots = {root for claim in facts.claims for each in _domains(claim) for root in each.roots}
    told = {c.path for claim in facts.claims if claim.domain for c in claim.domain.changes}
    changes = {raw: change for raw, change in facts.changes.items() if _text(raw) not in told}
    yield from find_intruders(changes, roots, python)
    yield from _twins(facts)


def find_intruders(
    changes: Mapping[bytes, Change], roots: Collection[str], python: str
) -> Iterator[Finding]:
    """Yield what a patch brings in that could answer for Python or the test stack there."""
    taken = standard_names(python) | TEST_STACK
    for raw, change in changes.items():
        found = change.new and _intruder(_text(raw), change, roots, taken)
        if found:
            code, got, expected = found
            yield Finding(
                code=code,
                severity=Severity.ERROR,
                path=shown_path(raw),
                got=got,
                expected=expected,
            )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _intruder(
    path: str, change: Change, roots: Collection[str], taken: frozenset[str]
) -> tuple[str, str, str] | None:
    if stem_of(path):
        got = f"{shown_entry(change.new)}: compiled code, which Python takes before source"
        return "domain.bytecode", got, "source alone beside a freeze"
    if is_startup_name(path):
        return "domain.startup_file", shown_entry(change.new), "no file that Python runs by itself"
    caches = _CACHES.intersection(path.casefold().split("/")[:-1])
    if caches:
        got = f"{shown_entry(change.new)} in {', '.join(sorted(caches))}"
        return "domain.cache_committed", got, "caches that are ignored, never committed"
    is_link = change.new is not None and not change.new.is_regular
    is_new = change.old is None or (is_link and change.old.is_regular)
    name = _top_level_name(path, roots, is_link=is_link) if is_new else None
    if name in taken:
        got = f"a new module `{name}` where Python looks for the installed one"
        return "domain.resolution_changed", got, "a name that neither Python nor pytest has already"
    return None


def _top_level_name(path: str, roots: Collection[str], *, is_link: bool) -> str | None:
    """Return the name that a file takes in one of the folders on the path, None for others."""
    folder, _, file = path.rpartition("/")
    if is_link:  # to a folder, it is a package
        file = file.removesuffix(".py")
    elif file in ("__init__.py", "__init__.pyw"):
        folder, _, file = folder.rpartition("/")
    elif file.endswith((".py", ".pyw")):
        file = file.rpartition(".")[0]
    else:
        return None
    return file if folder in roots else None


def _twins(facts: Facts) -> Iterator[Finding]:
    """Added paths that a case-blind file system takes for one that counts, there or not."""
    domains = [domain for claim in facts.claims for domain in _domains(claim)]
    if not domains:
        return
    known = {fold(_raw(r.file)): _raw(r.file) for d in domains for r in d.entries.values()}
    known |= {fold(a): a for d in domains for path in d.present for a in _steps(_raw(path))}
    for path, change in facts.changes.items():
        for above in _steps(path) if change.new else ():
            twin = known.get(fold(above))
            if twin is not None and twin != above:
                yield Finding(
                    code="path.fold_collision",
                    severity=Severity.ERROR,
                    path=shown_path(path),
                    got=f"{shown_path(above)!a} beside {shown_path(twin)!a} of the oracle's domain",
                    expected="no second spelling of that path for systems that fold names",
                )
                break


def _steps(path: bytes) -> Iterator[bytes]:
    """Yield a path's folders from the top, and the path itself."""
    parts = path.split(b"/")
    yield from (b"/".join(parts[:end]) for end in range(1, len(parts) + 1))


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _domains(claim: Claim) -> tuple[Domain, ...]:
    return (claim.domain.domain, claim.domain.reach) if claim.domain else ()
