"""On the git host, before any ref moves: all updates of a push get one answer, and it is logged."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from freezegate.errors import Unanswerable
from freezegate.hooks.believed import LOG, SAY, SHOW, Answer, Fault, believe, message
from freezegate.hooks.host_place import find_host
from freezegate.hooks.supervisor import run_limited
from freezegate.model.digests import ObjectId
from freezegate.model.host import RefUpdate
from freezegate.model.reasons import REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import BinaryIO

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.verdict import Verdict

_LINE = re.compile(rb"([0-9a-f]{40}) ([0-9a-f]{40}) ([^ \n]+)\n")
_NO_OBJECT = b"0" * 40
# git's packets hold 64 KiB (gitprotocol-common(5)), so no told ref is longer.
_MAX_LINE_BYTES = 65_536
_NO_ANSWER = 2
_MAX_DECLINED = 100  # log lines for one push that nobody let in: it costs its sender nothing
# What git sets for this hook; nothing else of the pusher's session reaches the judge.
_KEPT = (
    "GIT_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
)


def answer_push(
    stdin: BinaryIO, environ: Mapping[str, str], now: datetime, *, as_json: bool
) -> Answer:
    """Return the answer to the push that git tells of on standard input; `now` is aware, UTC.

    Every fault is an answer that refuses, with one line that says what to do.
    """
    try:
        _refuse_namespace(environ)
        place = find_host(environ)
        updates = parse_updates(stdin, place.settings.limits.max_refs)
    except Unanswerable as stop:
        return Answer(_NO_ANSWER, fault=_fault(stop))
    push, accept = os.urandom(8).hex(), b"accept " + os.urandom(16).hex().encode() + b"\n"
    judge = _judge(updates, place, push, now, as_json=as_json)
    answer = believe(
        run_limited(judge, place.settings.limits, accept), place.settings.limits, accept
    )
    return _logged(answer, updates, place, push, now)


def _fault(stop: Unanswerable) -> Fault:
    """What a pusher is told: where the settings lie and what they say is the administrator's."""
    settings = stop.code == "repository.no_settings"
    got = "its settings are missing or do not decode" if settings else stop.got
    return Fault(stop.code, got, stop.remedy or REASONS[stop.code].remedy)


def _refuse_namespace(environ: Mapping[str, str]) -> None:
    """gitnamespaces(7): the hook is told names without the prefix under which refs are kept."""
    if environ.get("GIT_NAMESPACE"):
        raise Unanswerable(
            "repository.unsupported",
            got=f"a push into the namespace {environ['GIT_NAMESPACE']!a}",
            expected="refs under their own names",
            remedy="push to the repository itself; a host with freezegate knows no namespaces",
        )


def parse_updates(stdin: BinaryIO, max_refs: int) -> tuple[RefUpdate, ...]:
    """Return the lines of githooks(5), pre-receive; raises Unanswerable."""
    updates: list[RefUpdate] = []
    while line := stdin.readline(_MAX_LINE_BYTES):
        if len(updates) == max_refs:
            raise Unanswerable(
                "limits.too_many_refs",
                got=f"a push of more than {max_refs} refs",
                expected=f"at most {max_refs}",
            )
        found = _LINE.fullmatch(line)
        if found is None:
            raise _bad_line(line)
        old, new, ref = found.groups()
        updates.append(RefUpdate(ref.decode("utf-8", "surrogateescape"), _oid(old), _oid(new)))
    if not updates:
        raise _bad_line(b"")
    return tuple(updates)


def _oid(text: bytes) -> ObjectId | None:
    return None if text == _NO_OBJECT else ObjectId(text.decode())


def _bad_line(line: bytes) -> Unanswerable:
    if len(line) > 128 and re.match(rb"[0-9a-f]{64} [0-9a-f]{64} ", line):
        return Unanswerable(
            "repository.unsupported", got="ids of a SHA-256 repository", expected="SHA-1 ids"
        )
    return Unanswerable(
        "ref.bad",
        got=f"{line[:80]!a} on standard input",
        expected="OLD NEW REF, as git writes it for pre-receive",
        remedy="let git run this hook: git push",
    )


def _judge(
    updates: tuple[RefUpdate, ...], place: HostPlace, push: str, now: datetime, *, as_json: bool
) -> Callable[[], tuple[int, bytes]]:
    def judge() -> tuple[int, bytes]:
        """Run in the child: what is imported here, the supervisor never loads."""
        kept = {key: os.environ[key] for key in _KEPT if key in os.environ}
        os.environ.clear()
        os.environ.update(kept)
        sys.dont_write_bytecode = True
        from freezegate.git.repository import read_in_small_portions
        from freezegate.hooks.landed import landed_in
        from freezegate.hooks.received import judge_received

        read_in_small_portions()
        landed = landed_in(place)
        verdict = judge_received(updates, place.settings, landed, os.environ, now)
        said = _said(verdict, as_json=as_json)
        return verdict.outcome.exit_status, said + message(
            LOG, _entries(verdict, updates, place, push, now)
        )

    return judge


def _said(verdict: Verdict, *, as_json: bool) -> bytes:
    if as_json:
        from freezegate.report.document import dump_verdict

        return message(SHOW, dump_verdict(verdict).splitlines())
    from freezegate.report.host import host_lines

    return message(SAY, host_lines(verdict))


def _entries(
    verdict: Verdict,
    updates: tuple[RefUpdate, ...],
    place: HostPlace,
    push: str,
    now: datetime,
) -> list[str]:
    """Return a log line for each ref that was judged; unprotected refs that pass are nobody's.

    Of a push that is declined the first hundred will do, those that were refused before others.
    """
    from freezegate.hooks.log_entries import decided_entry
    from freezegate.model.verdict import Outcome

    pairs = zip(verdict.transitions, updates, strict=True)
    judged = [(transition, update) for transition, update in pairs if transition.is_judged]
    if verdict.outcome is not Outcome.ACCEPTED:
        judged.sort(key=lambda pair: pair[0].outcome is Outcome.ACCEPTED)
        del judged[_MAX_DECLINED:]
    return [decided_entry(*pair, place, push, now) for pair in judged]


def _logged(
    answer: Answer, updates: tuple[RefUpdate, ...], place: HostPlace, push: str, now: datetime
) -> Answer:
    """Return the answer once the log holds it; what cannot be logged is not accepted."""
    lines = answer.log
    if answer.fault:
        from freezegate.hooks.log_entries import fault_entry

        lines = (fault_entry(answer.fault, updates, place, push, now),)
    try:
        if lines:
            place.append(lines)
    except OSError as error:
        got = f"the host's log cannot be written: {error.strerror}"
        if answer.fault is None and answer.status == 0:
            remedy = "tell the host's administrator; push again once that is repaired"
            return Answer(_NO_ANSWER, fault=Fault("internal.system", got, remedy))
    return answer
