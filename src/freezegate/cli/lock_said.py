"""What `freezegate lock` says: a line a file for people, one object for programs."""

from __future__ import annotations

import json
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.cli.lock_drift import Drift
from freezegate.cli.output import wants_colour
from freezegate.model.paths import shell_paths, shown_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.cli.lock_drift import Content, Difference
    from freezegate.git.fixture_walk import Refused
    from freezegate.policy.lifetimes import Landed

LOCK_SCHEMA = "freezegate/lock/v1"
MAX_SHOWN = 40  # files on a screen; JSON has them all
_RED, _YELLOW = "31", "33"
_DONE = {
    Drift.CHANGED: "written anew",
    Drift.UNLOCKED: "added",
    Drift.MISSING: "taken out: no such file",
    Drift.UNMATCHED: "taken out: no [fixtures] path of the policy matches it",
}
_SEEN = {
    Drift.CHANGED: "other bytes than the lock says",
    Drift.UNLOCKED: "a fixture without a line in the lock",
    Drift.MISSING: "locked, and no such file",
    Drift.UNMATCHED: "locked, and no [fixtures] path of the policy matches it",
}


class LockPage(NamedTuple):
    """The answer: `digests` is the lock as it should be, `kept` lines of files not checked out.

    Of the `changed` paths, `differences` may be only the first; nobody reads ten thousand lines.
    """

    is_check: bool
    fixtures: int
    is_damaged: bool = False
    changed: int = 0
    differences: tuple[Difference, ...] = ()
    refused: tuple[Refused, ...] = ()
    kept: tuple[str, ...] = ()
    digests: Mapping[str, str] = MappingProxyType({})
    written: bool = False

    @property
    def is_drift(self) -> bool:
        """Whether the lock has to be written anew."""
        return self.is_damaged or bool(self.changed)

    @property
    def status(self) -> int:
        """The exit status: 1 where something differs still."""
        return int(bool(self.refused) or (self.is_drift and not self.written))


def print_page(page: LockPage, form: str, environ: Mapping[str, str]) -> None:
    """Print the answer in the form asked, `text` or `json`."""
    if form == "json":
        sys.stdout.write(json.dumps(lock_document(page), indent=2, ensure_ascii=True) + "\n")
        return
    for line in lock_lines(page, colour=wants_colour(environ)):
        print(line)


def lock_document(page: LockPage) -> dict[str, Any]:
    """Return the answer as one object (docs/catalog.md, "For programs")."""
    return {
        "schema": LOCK_SCHEMA,
        "check": page.is_check,
        "written": page.written,
        "fixtures": page.fixtures,
        "differences": [_difference(each) for each in page.differences],
        "refused": [
            {"path": shown_text(e.path), "code": e.code, "got": e.got, "expected": e.expected}
            for e in page.refused
        ],
        "not_checked_out": list(page.kept),
    }


def lock_lines(page: LockPage, *, colour: bool) -> Iterator[str]:
    """Yield the answer as lines of text; control characters of names are escaped."""
    yield f"freezegate lock: {_headline(page)}"
    if page.differences or page.refused:
        yield from _named(page, colour=colour)
    if page.kept:
        yield f"{len(page.kept)} locked files are not checked out here; their lines stay"
    yield from _next(page)


def _named(page: LockPage, *, colour: bool) -> Iterator[str]:
    from freezegate.policy.rules.voids import void_command
    from freezegate.report.text import painted

    told = _DONE if page.written else _SEEN
    for each in page.differences:
        word = painted(each.drift, _YELLOW, colour=colour)
        yield f"{word}  {shown_text(each.path)}: {_words(each, told)}"
        yield from _bytes(each)
        for landed in each.freezes:
            yield f"  {_void(landed, written=page.written)}"
            yield f"  in the same patch: {void_command(landed[0], each.path)}"
    if page.changed > len(page.differences):
        yield f"and {page.changed - len(page.differences)} more; --format json names them all"
    for refused in page.refused:
        word = painted("refused", _RED, colour=colour)
        yield f"{word}  {shown_text(refused.path)}: {refused.got} ({refused.code})"
        yield f"  expected {refused.expected}"


def _headline(page: LockPage) -> str:
    lock, count = ".freeze/fixtures.sha256", page.changed
    if page.written:
        why = "; it did not decode" if page.is_damaged else ""
        return f"wrote {lock}: {_files(page.fixtures)}, {count} changed{why}"
    if page.refused and not page.is_check:
        return f"nothing was written: {_files(len(page.refused))} cannot be locked"
    if page.is_drift or page.refused:
        return f"{count + len(page.refused)} differ from {lock}, of {_files(page.fixtures)} here"
    if not page.fixtures:
        return "no file matches [fixtures] paths of the policy, and none is locked"
    return f"{_files(page.fixtures)} as locked"


def _next(page: LockPage) -> Iterator[str]:
    if page.written and any(each.freezes for each in page.differences):
        yield (
            "next: end what stands on the old bytes, as named above; then git add "
            "':/.freeze', and commit it with the fixtures"
        )
    elif page.written:
        yield "next: git add ':/.freeze/fixtures.sha256', and commit it with the fixtures"
    elif page.refused:
        yield (
            "next: put a regular file there (git lfs untrack PATH for a pointer), or take the path "
            'out in .freeze/policy.toml: paths = [..., "!PATH"] under [fixtures]'
        )
    elif page.differences:
        # git has the locked bytes of these; there is nothing to check out for a new file
        back = next((each.path for each in page.differences if each.old and each.old.size), None)
        less = f"; else git checkout -- {shell_paths([back])}" if back else ""
        yield f"next: freezegate lock, if that is meant{less}"


def _words(each: Difference, told: Mapping[Drift, str]) -> str:
    return told[each.drift] + (f" ({each.only} only)" if each.only else "")


def _bytes(each: Difference) -> Iterator[str]:
    for word, content in (("old", each.old), ("new", each.new)):
        if content is not None:
            size = "" if content.size is None else f"  {content.size} bytes"
            yield f"  {word} {content.sha256}{size}"


def _void(landed: Landed, *, written: bool) -> str:
    entry, line = landed
    until = line.expires_on or f"{line.expires_after_commits} commits"
    when = "once this lands it is void" if written else "with a new line it would be void"
    return (
        f"freeze {entry.freeze_id} of {line.property_id or line.test_id} (owner {line.owner}, "
        f"until {until}) stands on the old bytes: {when}"
    )


def _difference(each: Difference) -> dict[str, Any]:
    return {
        "path": each.path,
        "state": each.drift.value,
        "old": _content(each.old),
        "new": _content(each.new),
        "only": each.only,
        "freezes": [
            {
                "freeze": entry.freeze_id,
                "property_id": line.property_id,
                "test_id": line.test_id,
                "owner": line.owner,
                "expires_on": line.expires_on,
            }
            for entry, line in each.freezes
        ],
    }


def _content(content: Content | None) -> dict[str, Any] | None:
    return content._asdict() if content else None


def _files(count: int) -> str:
    return f"{count} fixture{'' if count == 1 else 's'}"
