"""Schemas and decoders refuse the same documents, and RULES.md lists where they may differ."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema
import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema.protocols import Validator

from freezegate.errors import DecodeError
from freezegate.formats import catalog, evidence
from freezegate.formats.catalog import parse_catalog
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, dump_evidence, parse_evidence
from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.formats.host import parse_host_settings
from freezegate.formats.ledger import MAX_LINE_BYTES, MAX_RUNS, dump_line, parse_line
from freezegate.formats.policy import parse_policy
from freezegate.formats.record import dump_record, parse_record
from freezegate.formats.strict_json import parse_json, plain
from freezegate.formats.strict_toml import parse_toml
from freezegate.model.evidence import EVIDENCE_SCHEMA, Evidence
from freezegate.model.finding import Severity
from freezegate.model.ledger import Ending, LedgerLine, LineReason, LineStatus, VarianceClass
from freezegate.model.reasons import REASONS
from freezegate.model.record import FreezeRecord
from freezegate.model.rerun import RerunResult
from freezegate.model.run import RunOutcome, Side
from freezegate.model.verdict import Outcome, Verdict
from freezegate.policy.settings import MuteFamily, Preset, Weight
from freezegate.policy.standing import State
from freezegate.report.document import VERDICT_SCHEMA, dump_verdict
from freezegate.report.ledger import LIST_SCHEMA
from freezegate.report.scores import SCORES_SCHEMA
from freezegate.resources import read_shipped
from tests.property import documents

_SCHEMAS = (
    "policy",
    "catalog",
    "record",
    "ledger",
    "evidence",
    "verdict",
    "scores",
    "freezes",
    "host",
)
_same_every_time = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass(frozen=True)
class Kind:
    """A kind of document: its schema, its decoder, and the strict decoding before both."""

    name: str
    parse: Callable[[bytes], object]
    decode: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    examples: tuple[dict[str, Any], ...]
    values: st.SearchStrategy[dict[str, Any]]


def _write_json(value: object) -> bytes:
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=True
    ).encode("utf-8", "surrogatepass")


def _write_toml(value: dict[str, Any]) -> bytes:
    return tomli_w.dumps(value, multiline_strings=False).encode()


RECORD = Kind(
    "record",
    parse_record,
    lambda data: parse_json(data, max_bytes=64 * 1024),
    _write_json,
    (documents.RECORD,),
    documents.records().map(lambda value: _decoded(dump_record(value))),
)
LEDGER = Kind(
    "ledger",
    parse_line,
    lambda data: parse_json(data, max_bytes=MAX_LINE_BYTES),
    _write_json,
    (documents.CLASSIFIED, documents.FROZEN, documents.ENDED),
    documents.ledger_lines.map(lambda value: _decoded(dump_line(value))),
)
EVIDENCE = Kind(
    "evidence",
    parse_evidence,
    lambda data: parse_json(data, max_bytes=MAX_EVIDENCE_BYTES),
    lambda value: _write_json(value) + b"\n",
    (documents.EVIDENCE,),
    documents.evidences.map(lambda value: _decoded(dump_evidence(value))),
)
CATALOG = Kind(
    "catalog",
    parse_catalog,
    parse_toml,
    _write_toml,
    (documents.CATALOG,),
    documents.catalog_tables(),
)
POLICY = Kind(
    "policy", parse_policy, parse_toml, _write_toml, (documents.POLICY,), documents.policy_tables
)
HOST = Kind(
    "host", parse_host_settings, parse_toml, _write_toml, (documents.HOST,), documents.host_tables
)
KINDS = (POLICY, CATALOG, RECORD, LEDGER, EVIDENCE, HOST)
_every_kind = pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.name) for kind in KINDS])


def _decoded(data: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(data)
    return value


@cache
def _schema(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(read_shipped("policy/schema", f"{name}.schema.json"))
    return value


@cache
def _validator(name: str) -> Validator:
    """A validator for which 1.0 and true are no integers."""
    checker = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    )
    kind: type[Validator] = jsonschema.validators.extend(  # type: ignore[no-untyped-call]  # its stub
        jsonschema.Draft202012Validator, type_checker=checker
    )
    return kind(_schema(name))


@cache
def _rules(name: str) -> frozenset[str]:
    """The rules that RULES.md lists for a kind of document."""
    text = read_shipped("policy/schema", "RULES.md").decode()
    rows = re.findall(r"^\| `([a-z-]+)` \| ([a-z, ]+) \|", text, re.MULTILINE)
    return frozenset(rule for rule, kinds in rows if name in kinds.split(", "))


def _agree(kind: Kind, data: bytes) -> str:
    """Hold schema and decoder together on some bytes; return how they answered."""
    try:
        value = kind.decode(data)
    except DecodeError:
        with pytest.raises(DecodeError):
            kind.parse(data)
        return "no value"
    accepted = _validator(kind.name).is_valid(value)
    refusal = _refusal(kind, data)
    if refusal is None:
        assert accepted, [error.message for error in _validator(kind.name).iter_errors(value)]
        return "accepted"
    if refusal.rule is None:
        assert not accepted, f"the schema accepts what the decoder refuses: {refusal}"
        return "refused by both"
    assert refusal.rule in _rules(kind.name), f"RULES.md has no such rule: {refusal}"
    return "refused by a rule"


def _refusal(kind: Kind, data: bytes) -> DecodeError | None:
    try:
        kind.parse(data)
    except DecodeError as error:
        return error
    return None


Place = tuple[str | int, ...]


def _places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every place of a value, the whole of it first."""
    yield place
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _places(item, (*place, key))


def _at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def _bounds(schema: Any, *words: str) -> set[int]:
    """The numbers that stand behind some key words anywhere in a schema."""
    found: set[int] = set()
    if isinstance(schema, dict):
        found |= {schema[word] for word in words if type(schema.get(word)) is int}
    if isinstance(schema, dict | list):
        for item in schema.values() if isinstance(schema, dict) else schema:
            found |= _bounds(item, *words)
    return found


# Limits that are tried whether a schema names them or not, since it might have lost one.
_NUMBERS = {-(2**53), -1, 0, 1, 10_001, 100_000_001, 2**53}
_LENGTHS = {200, 2000, 32_768}


@cache
def _numbers(name: str) -> tuple[int, ...]:
    least, most = _bounds(_schema(name), "minimum"), _bounds(_schema(name), "maximum")
    return tuple(sorted(least | most | {n - 1 for n in least} | {n + 1 for n in most} | _NUMBERS))


@cache
def _items(name: str) -> tuple[int, ...]:
    edges = (edge for edge in _bounds(_schema(name), "maxItems") if edge <= 200)
    return tuple(edge + step for edge in edges for step in (0, 1))


@cache
def _lengths(name: str) -> tuple[int, ...]:
    return tuple(sorted(_bounds(_schema(name), "minLength", "maxLength") | _LENGTHS))


def _instead(name: str, old: Any) -> Iterator[Any]:
    """Values of other types, other sizes and other spellings than an old one."""
    yield from (None, True, False, 1, 1.0, 0.5, "", "x", "off", "frozen", [], [None], {}, {"x": 1})
    if isinstance(old, int | None):
        yield from _numbers(name)
    if isinstance(old, str):
        for length in _lengths(name):
            yield from ("é" * length, "a" * (length + 1))
        yield from (old + "x", old + " ", "x" + old, old[:-1], old[1:], old.upper(), [old])
        yield from (old.replace("0", "9"), old.replace(":", "."), old.replace("-", "/"))
        yield from (f"/{old}", f"-{old}", f"../{old}", f"@{old}", f"{old}\n", f"{old}\u202e")
    if isinstance(old, int):
        yield from (str(old), float(old), [old])
    if isinstance(old, list):
        yield from (old[:-1], old + old[-1:], {"0": old})
        yield from (old[-1:] * length for length in _items(name))
    if isinstance(old, dict):
        yield from (list(old), {key.upper(): item for key, item in old.items()})
        yield from (old | {"owner": "x"}, old | {"": 2}, old | {"notes": None}, old | {"x": 2})
        yield {"a" * 201 if index == 0 else key: old[key] for index, key in enumerate(old)}


def _mutants(name: str, value: Any, place: Place) -> Iterator[Any]:
    """The value with one place dropped, then with everything else instead."""
    if place:
        yield _changed(value, place, _DROPPED)
    for new in _instead(name, _at(value, place)):
        yield _changed(value, place, new)


_DROPPED = object()


def _changed(value: Any, place: Place, new: Any) -> Any:
    """A copy of the value with another value at one place, or with nothing there."""
    if not place:
        return new
    key, *rest = place
    copied = value.copy()
    if rest:
        copied[key] = _changed(value[key], tuple(rest), new)
    elif new is _DROPPED:
        del copied[key]
    else:
        copied[key] = new
    return copied


def _written(kind: Kind, value: Any) -> bytes | None:
    """The bytes of a mutant; TOML has no null, and nothing but a table as a whole."""
    try:
        return kind.write(value)
    except (TypeError, AttributeError):
        assert kind.write is _write_toml
        return None


def test_schemas_are_schemas_with_their_own_address() -> None:
    for name in _SCHEMAS:
        schema = _schema(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["$id"] == f"https://freezegate.dev/schema/{name}.schema.json"
        assert schema["title"]
        assert schema["description"]


def test_patterns_are_anchored_on_both_sides() -> None:
    for name in _SCHEMAS:
        text = read_shipped("policy/schema", f"{name}.schema.json").decode()
        for pattern in re.findall(r'"pattern": "(.*)"', text):
            assert pattern.startswith("^")
            assert pattern.endswith("$")


def test_a_definition_says_the_same_in_every_schema_that_has_it() -> None:
    seen: dict[str, Any] = {}
    for name in ("record", "ledger", "evidence", "catalog", "verdict", "scores", "freezes"):
        own = {"run", "entry", "frozen", "freeze", "base"}
        for key, definition in _schema(name)["$defs"].items():
            if key not in own:
                assert seen.setdefault(key, definition) == definition, (name, key)
    assert {"sha256", "object_id", "blake3", "repo_path", "test_id"} <= set(seen)


def test_rules_are_listed_once_and_each_of_them_is_raised_somewhere() -> None:
    text = read_shipped("policy/schema", "RULES.md").decode()
    listed = re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)
    raised: set[str] = set()
    for kind in KINDS:
        for data in _rule_breakers(kind):
            with pytest.raises(DecodeError) as refused:
                kind.parse(data)
            raised.add(str(refused.value.rule))
    assert sorted(listed) == sorted(raised)


def _rule_breakers(kind: Kind) -> Iterator[bytes]:
    changes: dict[str, tuple[tuple[int, Place, Any], ...]] = {
        "policy": (
            (0, ("subject", "paths", 0), "src/../x"),
            (0, ("evidence", "runs"), 51),
        ),
        "host": ((0, ("protected", 0), "refs/heads/a b"),),
        "catalog": ((0, ("property", "order_total.non_negative", "oracle"), "tests/other.py"),),
        "record": (
            (0, ("fixture_path",), "a/.git/config"),
            (0, ("test_id",), "tests/test_a.py::not a name"),
            (0, ("expires_on",), "2026-02-30"),
        ),
        "ledger": ((0, ("fails",), 3), (0, ("status",), "frozen")),
    }
    for index, place, new in changes.get(kind.name, ()):
        yield kind.write(_changed(kind.examples[index], place, new))
    if kind is LEDGER:
        yield json.dumps(kind.examples[0]).encode()


@_every_kind
def test_rich_examples_are_accepted_by_both(kind: Kind) -> None:
    for value in kind.examples:
        assert _agree(kind, kind.write(value)) == "accepted"


@_every_kind
def test_every_single_change_of_a_rich_example_is_judged_alike(kind: Kind) -> None:
    answers: dict[str, int] = {}
    seen: set[str] = set()  # frozen and classified lines have most of their places in common
    for example in kind.examples:
        for place in _places(example):
            there = f"{place} {_at(example, place)}"
            if there in seen:
                continue
            seen.add(there)
            for mutant in _mutants(kind.name, example, place):
                data = _written(kind, mutant)
                if data is not None:
                    answer = _agree(kind, data)
                    answers[answer] = answers.get(answer, 0) + 1
    assert set(answers) == {"no value", "accepted", "refused by both", "refused by a rule"}
    assert answers["refused by both"] > 200


@_every_kind
@given(data=st.data())
@_same_every_time
def test_honest_documents_are_accepted_by_both(kind: Kind, data: st.DataObject) -> None:
    assert _agree(kind, kind.write(data.draw(kind.values))) in ("accepted", "refused by a rule")


@_every_kind
@given(data=st.data())
@_same_every_time
def test_documents_with_a_few_changes_are_judged_alike(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(kind.values)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(_places(value))))
        value = data.draw(st.sampled_from(list(_mutants(kind.name, value, place))))
    written = _written(kind, value)
    if written is not None:
        _agree(kind, written)


@given(value=documents.records())
@_same_every_time
def test_records_come_back_from_their_bytes(value: FreezeRecord) -> None:
    data = dump_record(value)
    _validator("record").validate(json.loads(data))
    assert parse_record(data) == value
    assert dump_record(parse_record(data)) == data


@given(value=documents.ledger_lines)
@_same_every_time
def test_ledger_lines_come_back_from_their_bytes(value: LedgerLine) -> None:
    data = dump_line(value)
    _validator("ledger").validate(json.loads(data))
    assert parse_line(data) == value
    assert dump_line(parse_line(data)) == data


@given(value=documents.evidences)
@_same_every_time
def test_evidence_comes_back_from_its_bytes(value: Evidence) -> None:
    data = dump_evidence(value)
    _validator("evidence").validate(json.loads(data))
    assert parse_evidence(data) == value
    assert dump_evidence(parse_evidence(data)) == data


@given(value=documents.catalog_tables())
@_same_every_time
def test_catalogues_say_what_their_tables_say(value: dict[str, Any]) -> None:
    data = _write_toml(value)
    _validator("catalog").validate(tomllib.loads(data.decode()))
    parsed = parse_catalog(data)
    for table, entries in (("property", parsed.properties), ("proposed", parsed.proposed)):
        assert list(entries) == list(value.get(table, {}))
        for name, entry in entries.items():
            for key, said in value[table][name].items():
                assert plain(getattr(entry, key)) == said


@given(value=documents.policy_tables)
@_same_every_time
def test_policies_say_what_their_tables_say(value: dict[str, Any]) -> None:
    data = _write_toml(value)
    _validator("policy").validate(tomllib.loads(data.decode()))
    parsed = parse_policy(data)
    assert parsed.preset == value.get("extends", "standard")
    assert list(parsed.targets) == value["base"]["targets"]
    for key, said in value.get("freeze", {}).items():
        assert getattr(parsed.freeze, key) == said
    for key, said in value.get("mutes", {}).items():
        assert parsed.mutes[MuteFamily(key)] == said


@given(value=documents.host_tables)
@_same_every_time
def test_host_settings_say_what_their_tables_say(value: dict[str, Any]) -> None:
    data = _write_toml(value)
    _validator("host").validate(tomllib.loads(data.decode()))
    parsed = parse_host_settings(data)
    assert list(parsed.protected) == value["protected"]
    assert dict(parsed.parents) == value.get("parents", {})
    for key, said in value.get("limits", {}).items():
        assert getattr(parsed.limits, key) == said


@pytest.mark.parametrize("name", [pytest.param(str(name), id=str(name)) for name in Preset])
def test_presets_are_policies_but_for_their_targets(name: str) -> None:
    value = tomllib.loads(read_shipped("policy", f"{name}.toml").decode())
    assert not _validator("policy").is_valid(value)
    _validator("policy").validate(value | {"base": {"targets": ["refs/heads/main"]}})


@given(verdict=documents.verdicts)
@_same_every_time
def test_every_verdict_is_one_that_its_schema_describes(verdict: Verdict) -> None:
    _validator("verdict").validate(json.loads(dump_verdict(verdict)))


@given(verdict=documents.verdicts)
@settings(_same_every_time, max_examples=30)
def test_no_key_of_a_verdict_may_be_missing_and_none_may_be_added(verdict: Verdict) -> None:
    document = json.loads(dump_verdict(verdict))
    for place in _places(document):
        if place and isinstance(_at(document, place[:-1]), dict):
            without = _changed(document, place, _DROPPED)
            beside = _changed(document, (*place[:-1], "skip"), None)
            optional = place == ("reruns",)  # there only where it was asked for
            optional = optional or place[-1] in ("before", "after")  # and these of mutes alone
            assert _validator("verdict").is_valid(without) is optional, place
            assert not _validator("verdict").is_valid(beside), place


def _words(name: str, *keys: str) -> list[str | None]:
    schema = _schema(name)
    for key in keys:
        schema = schema[key]
    found: list[str | None] = schema["enum"]
    return found


_OBSERVED = ("$defs", "observed", "properties")


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param(_words("verdict", "$defs", "outcome"), Outcome, id="outcomes"),
        pytest.param(
            _words("verdict", "$defs", "finding", "properties", "severity"),
            Severity,
            id="severities",
        ),
        pytest.param(
            _words("verdict", "$defs", "rerun", "properties", "result"), RerunResult, id="reruns"
        ),
        pytest.param(_words("policy", "properties", "extends"), Preset, id="presets"),
        pytest.param(_words("policy", "$defs", "weight"), Weight, id="weights"),
        pytest.param(
            [*_words("policy", "properties", "judges", "properties", "change"), "off"],
            Weight,
            id="weights_of_judge_changes",
        ),
        pytest.param(_words("ledger", *_OBSERVED, "status"), LineStatus, id="statuses"),
        pytest.param(_words("ledger", *_OBSERVED, "reason"), LineReason, id="reasons"),
        pytest.param(_words("ledger", "$defs", "outcomes", "items"), RunOutcome, id="run_outcomes"),
        pytest.param(
            _words("ledger", "$defs", "ended", "properties", "event"), Ending, id="endings"
        ),
        pytest.param(_words("evidence", "$defs", "run", "properties", "side"), Side, id="sides"),
    ],
)
def test_words_of_a_schema_are_those_of_the_code(written: list[str], kind: type[Any]) -> None:
    assert written == [str(word) for word in kind]


def test_other_words_and_limits_of_schemas_are_those_of_the_code() -> None:
    assert _words("ledger", *_OBSERVED, "class") == [*map(str, VarianceClass), None]
    words = list(_schema("policy")["properties"]["mutes"]["properties"])
    assert words == [*MuteFamily, "doubtful"]
    assert _schema("verdict")["properties"]["schema"] == {"const": VERDICT_SCHEMA}
    assert _schema("evidence")["properties"]["schema"] == {"const": EVIDENCE_SCHEMA}
    assert _schema("freezes")["properties"]["schema"] == {"const": LIST_SCHEMA}
    assert _words("freezes", "$defs", "standing", "properties", "state") == [*map(str, State)]
    assert _schema("scores")["properties"]["schema"] == {"const": SCORES_SCHEMA}
    score = ("$defs", "score", "properties")
    assert _words("scores", *score, "class") == [*map(str, VarianceClass), None]
    assert _words("scores", *score, "reason") == [*map(str, LineReason)]
    words = [*(str(each) for each in LineStatus if each is not LineStatus.FROZEN), None]
    assert _words("scores", *score, "status") == words
    properties = _schema("evidence")["properties"]
    assert properties["domain"]["maxItems"] == evidence.MAX_DOMAIN_ENTRIES
    for key in ("reads", "candidate_reads"):
        assert properties[key]["maxItems"] == evidence.MAX_DOMAIN_ENTRIES
    assert properties["runs"]["maxItems"] == 2 * MAX_RUNS
    definitions = _schema("ledger")["$defs"]
    assert definitions["outcomes"]["maxItems"] == MAX_RUNS
    observed = definitions["observed"]["properties"]
    assert observed["fail_signatures"]["maxItems"] == 2 * MAX_RUNS
    assert observed["fail_signatures"]["items"]["maxLength"] == MAX_SIGNATURE_CHARS
    assert _schema("catalog")["$defs"]["properties"]["maxProperties"] == catalog.MAX_PROPERTIES


def test_every_reason_code_is_one_that_the_verdict_schema_takes() -> None:
    pattern = _schema("verdict")["$defs"]["finding"]["properties"]["code"]["pattern"]
    assert all(re.fullmatch(pattern, code) for code in REASONS)
