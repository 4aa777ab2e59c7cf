"""What the doctor says of locked fixtures: does git leave their bytes alone here?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.doctor_line import Health, Line
from freezegate.cli.line_endings import keep_bytes_command
from freezegate.errors import Unanswerable
from freezegate.policy.attributes import effective, rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.git.session import Session

_AUTOCRLF = "core.autocrlf"


def examine_fixtures(session: Session) -> Iterator[Line]:
    """Yield whether the lock decodes, and what may rewrite the files that it names."""
    lock = session.staged_lock()
    if lock.is_damaged:
        said = f".freeze/fixtures.sha256 does not decode: {lock.fault}"
        yield Line(Health.ERROR, said, "write it anew: freezegate lock")
        return
    if not lock.value:
        yield Line(Health.OK, "no fixture is locked")
        return
    attributes = {
        path: effective(files, path.encode()) for path, files in session.fixture_attributes()
    }
    named = list(_named(attributes))
    yield from named
    if not named:
        said = f"no .gitattributes rewrites a locked fixture ({len(lock.value)} locked)"
        yield Line(Health.OK, said)
    yield from _line_endings(
        session, [path for path, each in attributes.items() if each.get("text") != "unset"]
    )


def _named(attributes: dict[str, dict[str, str]]) -> Iterator[Line]:
    for path, found in attributes.items():
        words = ", ".join(rewriting(found))
        if words:
            said = f"{path!a}: {words} lets a checkout hold other bytes than the blob"
            yield Line(Health.WARNING, said, f"in .gitattributes: {path} -text -filter -ident")


def _line_endings(session: Session, paths: Sequence[str]) -> Iterator[Line]:
    """Warn of the setting that rewrites text files of which no attribute says otherwise."""
    config = session.repository.config
    value = str(config[_AUTOCRLF]) if _AUTOCRLF in config else "false"
    if not paths or value.lower() in ("false", "no", "off", "0", ""):
        return
    first = f"{paths[0]!a}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    yield Line(
        Health.WARNING,
        f"{_AUTOCRLF} is {value}: git may rewrite line endings of locked fixtures ({first})",
        f"{keep_bytes_command(_globs(session) or paths)}, then commit it",
    )


def _globs(session: Session) -> tuple[str, ...]:
    """Return the base's [fixtures] paths, none where there is no policy that decodes."""
    try:
        candidate = session.candidate(None, staged=True)
        policy = session.policy_at(session.trusted_base(candidate, session.branch(None))).value
    except Unanswerable:
        return ()
    return policy.fixture_paths if policy else ()
