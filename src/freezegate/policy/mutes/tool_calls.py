"""Which commands run tests, and with which options they run fewer, or count failures less."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOOLS = frozenset(
    {"pytest", "py.test", "tox", "nox", "nosetests", "nose2", "trial", "stestr", "unittest"}
    | {"freezegate", "behave", "green", "ward", "zope-testrunner", "ctest", "pytest-3"}
)
_RUNNERS = frozenset(
    {"uv", "poetry", "pdm", "pipenv", "rye", "hatch", "pixi", "conda", "mamba", "micromamba"}
    | {"docker", "podman", "docker-compose", "tool"}
)
_RUN_WORDS = frozenset({"run", "exec", "x", "test", "compose"})
_PREFIXES = frozenset(
    {"sudo", "env", "exec", "command", "time", "nice", "nohup", "xvfb-run", "timeout", "uvx"}
    | {"pipx", "ionice", "stdbuf", "dbus-run-session", "xargs", "builtin", "catchsegv", "retry"}
)
_TARGETED = frozenset(
    {"make", "gmake", "just", "task", "npm", "yarn", "pnpm", "cargo", "go", "mvn", "invoke", "inv"}
    | {"doit", "poe", "bazel", "meson", "ninja", "rake", "gradle", "duty"}
)
_TEST_WORD = re.compile(
    r"(^|[^a-z])(tests?|check|ci|coverage|cov|pytest|verify|unit|tox|nox)($|[^a-z])"
)
_PYTHON = re.compile(r"(pypy|python)[\d.]*(\.exe)?|py|\$\(?\{?PYTHON\}?\)?|\{env_?python\}")
# Of these options nothing is run at all.
_NOTHING = frozenset(
    {"--co", "--collect-only", "--collectonly", "--setup-plan", "--setupplan", "--setup-only"}
    | {"--setuponly", "--fixtures", "--fixtures-per-test", "--markers", "--version", "-V", "--help"}
    | {"-h", "--cache-show", "--notest", "--showconfig", "--list", "--listenvs"}
    | {"--suppress-tests-failed-exit-code", "--exit-zero", "--suppress-failed-exit-code"}
)
_FEWER = frozenset(
    {"-k", "-m", "--deselect", "--ignore", "--ignore-glob", "--reruns", "--only-rerun", "-o"}
    | {"--rerun-except", "-c", "--config-file", "--rootdir", "--confcutdir", "--override-ini"}
    | {"--deselect-from-file", "--max-runs", "--force-flaky", "--quarantine", "--exclude"}
)
_FEWER_FLAGS = frozenset(
    {"--lf", "--last-failed", "--sw", "--stepwise", "--sw-skip", "--stepwise-skip", "--noconftest"}
    | {"--no-cov", "--picked", "--testmon", "--force-flaky", "--suppress-no-test-exit-code"}
    | {"--no-hypothesis", "--disable-plugin-autoload", "--skip-missing-interpreters"}
    | {"--hypothesis-profile"}
)
# With these, what is asserted is left out of the program, or what was expected is written anew.
_UNCHECKED = frozenset(
    {"-O", "-OO", "--snapshot-update", "--update-snapshots", "--force-regen", "--regen-all"}
)
_WRITES_ANEW = re.compile(
    r"--inline-snapshot=.*\bfix\b.*"
    r"|--(force-)?(update|regen(erate)?|overwrite|rewrite|accept|bless|approve)([-_=].*)?"
)
MAKES_NOTHING = re.compile(
    r"-[a-zA-Z]*[intq][a-zA-Z]*|--(dry-run|just-print|recon|ignore-errors|touch|question)"
)
_LESS = ("-p no:", "-W ignore", "--assert plain")
_KEPT = ("--strict", "--doctest", "--run", "--slow", "--integration", "--xdoctest", "--hypothesis-")
_VALUED = _FEWER | frozenset(
    {"-p", "-W", "-n", "-r", "--tb", "--maxfail", "--cov", "--cov-config", "--junitxml"}
    | {"--junit-xml", "--html", "--basetemp", "--durations", "--timeout", "--cov-report", "-e"}
    | {
        "-s",
        "--cov-fail-under",
        "--log-level",
        "--import-mode",
        "--dist",
        "--color",
        "--numprocesses",
    }
    | {
        "--pythonwarnings",
        "--base",
        "--rev",
        "-f",
        "--session",
        "--sessions",
        "--env",
        "--fail-under",
    }
)
_SELECTING = {"tox": ("-e", "--env"), "nox": ("-s", "-e", "--session", "--sessions")}
_WHOLE = frozenset({".", "./", "tests", "tests/", "test", "test/", "src", "./tests", "testing"})


class ToolCall(NamedTuple):
    """A command that runs tests: the tool, and the words behind it."""

    tool: str
    words: tuple[str, ...]


def tool_call(words: Sequence[str]) -> ToolCall | None:
    """Return what tests a command runs, None where it runs none."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name = word.rpartition("/")[2].lower()
        if name in _TOOLS:
            return ToolCall(name, tuple(rest))
        if _PYTHON.fullmatch(name) or _PYTHON.fullmatch(word):
            return _python(rest)
        if name == "coverage":
            return _python(rest[1:]) if rest[:1] == ["run"] else None
        if name in _TARGETED:
            chosen = [each for each in rest if _TEST_WORD.search(each.lower())]
            return ToolCall(name, tuple(rest)) if chosen else None
        if name in _RUNNERS:
            found = next((each for each in rest if not each.startswith("-")), "")
            return _inner(name, rest) if found in _RUN_WORDS or found == "tool" else None
        if (
            name in _PREFIXES
            or "=" in word
            or (word.startswith("-") and len(rest) < len(words) - 1)
        ):
            continue
        if re.fullmatch(r"\d+[smh]?", word):
            continue
        is_script = "/" in word or name.endswith((".sh", ".bash", ".py"))
        found_word = is_script and _TEST_WORD.search(name.replace("_", "-"))
        if found_word or name in ("sh", "bash"):
            script = rest[0].rpartition("/")[2] if name in ("sh", "bash") and rest else name
            if name not in ("sh", "bash") or _TEST_WORD.search(script.replace("_", "-")):
                return ToolCall(script, tuple(rest))
        return None
    return None


def _inner(name: str, rest: list[str]) -> ToolCall | None:
    """`uv run pytest`, `hatch run test`, `docker compose run app pytest`."""
    for place, word in enumerate(rest):
        tool = word.rpartition("/")[2]
        if tool in _TOOLS or _PYTHON.fullmatch(tool):
            return tool_call(rest[place:])
        if tool == "coverage":
            return tool_call(rest[place:])
    chosen = [each for each in rest if _TEST_WORD.search(each.lower())]
    return ToolCall(name, tuple(rest)) if chosen else None


def _python(rest: list[str]) -> ToolCall | None:
    flags: list[str] = []
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        if rest[0] == "-c":
            return None
        flags.append(rest.pop(0))
    if rest[:1] == ["-m"] and len(rest) > 1:
        if rest[1] == "coverage":
            return _python(rest[3:]) if rest[2:3] == ["run"] else None
        found = tool_call(rest[1:]) if rest[1].partition(".")[0] in _TOOLS else None
        return found._replace(words=(*flags, *found.words)) if found else None
    script = rest[0].rpartition("/")[2] if rest else ""
    tests = _TEST_WORD.search(script.replace("_", "-")) or script.startswith(("runtests", "test"))
    if rest[1:2] == ["test"] or (tests and script.endswith(".py")) or script in _TOOLS:
        return ToolCall(script, (*flags, *rest[1:]))
    return None


def runs_nothing(run: ToolCall) -> Iterator[str]:
    """Yield the options with which no test is run, none can fail, or less is checked."""
    yield from (word for word in run.words if word.partition("=")[0] in _NOTHING)
    yield from (word for word in run.words if word in _UNCHECKED or _WRITES_ANEW.fullmatch(word))
    if run.tool in ("make", "gmake"):
        yield from (word for word in run.words if MAKES_NOTHING.fullmatch(word))
    if run.tool in ("tox", "nox"):
        yield from (word for word in run.words if word in ("-l", "-n", "-a"))


def losses(old: ToolCall, new: ToolCall) -> Iterator[str]:
    """Yield in which ways the new command runs less than the old one."""
    before, after = Counter(_options(old)), Counter(_options(new))
    for option in after - before:
        name = option.partition(" ")[0]
        if name in _FEWER or name in _FEWER_FLAGS or option.startswith(_LESS):
            yield f"{option} is new"
    for option in before - after:
        name, _, value = option.partition(" ")
        gone = option.startswith(("-W error", "-p ")) and not option.startswith("-p no:")
        if gone or name.startswith(_KEPT):
            yield f"{option} is gone"
        elif name in ("--cov-fail-under", "--fail-under"):
            now = next((o.partition(" ")[2] for o in after if o.startswith(name)), "0")
            if _number(now) < _number(value):
                yield f"{option} is {now} now"
    yield from _narrowed(old, new)


def _narrowed(old: ToolCall, new: ToolCall) -> Iterator[str]:
    if old.tool != new.tool:
        return
    if old.tool in _SELECTING:
        before, after = _selected(old), _selected(new)
        if after and (not before or before - after):
            yield f"{old.tool} runs {', '.join(sorted(after))} alone"
        return
    before, after = set(_paths(old)), set(_paths(new))
    if not before:
        lost = sorted(after) if after and not after & _WHOLE else []
    else:
        lost = [each for each in sorted(before) if after and not _covers(after, each)]
    if lost:
        yield f"{', '.join(sorted(before)) or 'everything'} became {', '.join(sorted(after))}"


def _covers(folders: set[str], path: str) -> bool:
    return any(
        folder.rstrip("/") in (path.rstrip("/"), ".", "")
        or path.startswith(folder.rstrip("/") + "/")
        for folder in folders
    )


def _selected(run: ToolCall) -> set[str]:
    found = set[str]()
    for option in _options(run):
        name, _, value = option.partition(" ")
        if name in _SELECTING[run.tool]:
            found |= set(value.split(","))
    return found


def _options(run: ToolCall) -> Iterator[str]:
    """Yield options in one form: `-k WORD`, `--ignore PATH`, `--lf`."""
    words = list(run.words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            continue
        if word.startswith("--"):
            if not equals and name in _VALUED and words:
                value = words.pop(0)
            yield f"{name} {value}".strip()
        elif word[:2] in _VALUED:
            if len(word) == 2 and words and not words[0].startswith("-"):
                yield f"{word} {words.pop(0)}"
            else:
                yield f"{word[:2]} {word[2:]}".strip()
        else:
            yield word


def _paths(run: ToolCall) -> Iterator[str]:
    words = list(run.words)
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            valued = "=" not in word and (word in _VALUED or (word.startswith("--") and words[:1]))
            if (
                valued
                and words
                and not words[0].startswith("-")
                and (word in _VALUED or not _is_path(words[0]))
            ):
                words.pop(0)
        elif _is_path(word):
            yield word.removeprefix("./") or "."


def _is_path(word: str) -> bool:
    return word in _WHOLE or "/" in word or word.endswith(".py") or "::" in word


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
