"""Which failures have one signature, and which have two."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.model.observation import Failure, Frame, Leaf
from freezegate.policy.messages import Folders, one_line
from freezegate.policy.signatures import MIN_SIGNATURE_CHARS, fail_signature


def frame(path: str | None, qualname: str, source: str) -> Frame:
    """A frame; its line is no part of any signature."""
    return Frame(path=path, qualname=qualname, source=source, line=7)


def leaf(type_name: str, frames: tuple[Frame, ...] = (), message: str = "") -> Leaf:
    """A leaf of a group."""
    return Leaf(type_name=type_name, message=message, frames=frames)


def made(
    type_name: str, frames: tuple[Frame, ...], message: str, leaves: tuple[Leaf, ...] = ()
) -> Failure:
    """A failure in the order of its parts."""
    return Failure(type_name=type_name, frames=frames, message=message, leaves=leaves)


TEST = frame("tests/test_orders.py", "test_total", "assert total(order()) >= 0")
HELPER = frame("tests/helpers.py", "check", "assert value >= 0")
LOAD = frame("src/shop/orders.py", "load", "return rows[key]")
SAVE = frame("src/shop/orders.py", "save", "return rows[key]")
JSON = frame(None, "JSONDecoder.raw_decode", "raise JSONDecodeError(msg, s, err.value)")
EQUAL = frozenset({"tests/test_orders.py", "tests/helpers.py"})
NOWHERE = Folders()
BASE = Folders(trees=("/srv/run-1/base",), temporary=("/srv/run-1/tmp",))
CANDIDATE = Folders(trees=("/srv/run-2/candidate",), temporary=("/srv/run-2/tmp",))


def failure(
    message: str = "",
    *frames: Frame,
    type_name: str = "builtins.AssertionError",
    leaves: tuple[Leaf, ...] = (),
) -> Failure:
    """A failure in the test function, unless frames say otherwise."""
    return made(type_name, frames or (TEST,), message, leaves)


def signature(what: Failure | str, folders: Folders = NOWHERE) -> str:
    """The signature of a failure, or of one with that message."""
    shown = failure(what) if isinstance(what, str) else what
    return fail_signature(shown, equal_paths=EQUAL, folders=folders, max_chars=MAX_SIGNATURE_CHARS)


def message_of(text: str, type_name: str = "builtins.ValueError") -> str:
    """The folded message in a signature."""
    return signature(failure(text, type_name=type_name)).split(" | ", 3)[3]


# --- the form


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        pytest.param(
            failure("assert -3 >= 0\n +  where -3 = total({'a': 1})"),
            "AssertionError | tests/test_orders.py:test_total | assert total(order()) >= 0 | "
            "assert <n> >= <n>",
            id="an_assertion",
        ),
        pytest.param(
            failure("'total'", TEST, LOAD, type_name="builtins.KeyError"),
            "KeyError | tests/test_orders.py:test_total => src/shop/orders.py:load | "
            "assert total(order()) >= 0 | 'total'",
            id="raised_in_a_changed_file",
        ),
        pytest.param(
            failure("late", LOAD, JSON, type_name="shop.errors.Late"),
            "shop.errors.Late | src/shop/orders.py:load | return rows[key] | late",
            id="no_frame_in_an_equal_file",
        ),
        pytest.param(
            failure("late", JSON, type_name="shop.errors.Late"),
            "shop.errors.Late | - | - | late",
            id="no_frame_in_the_repository",
        ),
        pytest.param(
            made("builtins.SystemError", (), ""), "SystemError | - | - | -", id="nothing_at_all"
        ),
        pytest.param(
            failure("negative", TEST, HELPER),
            "AssertionError | tests/helpers.py:check | "
            "assert total(order()) >= 0 => assert value >= 0 | negative",
            id="raised_in_a_helper",
        ),
        pytest.param(
            failure(
                "unhandled errors in a TaskGroup (2 sub-exceptions)",
                type_name="builtins.ExceptionGroup",
                leaves=(
                    leaf("builtins.TimeoutError", (JSON,), "after 3 s"),
                    leaf("builtins.KeyError", (TEST, LOAD, JSON), "'total'"),
                    leaf("builtins.KeyError", (TEST, LOAD), "'total'"),
                ),
            ),
            "ExceptionGroup[KeyError at src/shop/orders.py:load; TimeoutError] | "
            "tests/test_orders.py:test_total | assert total(order()) >= 0 | "
            "unhandled errors in a TaskGroup (<n> sub-exceptions) ['total'; after <duration>]",
            id="a_group",
        ),
        pytest.param(
            failure(
                "Hypothesis test_total(order={'lines': [3]}) produces unreliable results: "
                "Falsified on the first call but did not on a subsequent one",
                type_name="hypothesis.errors.FlakyFailure",
                leaves=(leaf("builtins.AssertionError", (TEST,)),),
            ),
            "hypothesis.errors.FlakyFailure[AssertionError at tests/test_orders.py:test_total] | "
            "tests/test_orders.py:test_total | assert total(order()) >= 0 | "
            "Hypothesis test_total(<example>) produces unreliable results: "
            "Falsified on the first call but did not on a subsequent one",
            id="hypothesis_flaky",
        ),
        pytest.param(
            failure("Timeout (>1.0s) from pytest-timeout.", type_name="_pytest.outcomes.Failed"),
            "_pytest.outcomes.Failed | tests/test_orders.py:test_total | - | "
            "Timeout (><duration>) from pytest-timeout.",
            id="a_watchdog",
        ),
    ],
)
def test_the_form(what: Failure, expected: str) -> None:
    assert signature(what) == expected


# --- pairs


def at(line_text: str, message: str = "x") -> Failure:
    """A failure whose test line has another text."""
    return failure(message, replace(TEST, source=line_text))


def timeout(frame: Frame) -> Failure:
    """A run that the watchdog ended at some line."""
    return failure("Timeout >2.0s", frame, type_name="_pytest.outcomes.Failed")


def group(*leaves: Leaf, count: int = 2) -> Failure:
    """An exception group."""
    return failure(
        f"errors ({count} sub-exceptions)", type_name="builtins.ExceptionGroup", leaves=leaves
    )


FLAKY = "Hypothesis test_a({}) produces unreliable results: Falsified on the first call"
EQUAL_PAIRS = {
    "integers": ("expected 3", "expected 417"),
    "floats": ("took 0.25", "took 1e-07"),
    "signs": ("assert -1 >= 0", "assert 1 >= 0"),
    "thousands": ("1,024 rows", "12 rows"),
    "rows_of_numbers": ("assert [1, 2] == [1]", "assert [4] == [1, 2, 3]"),
    "durations_in_other_units": ("took 900us", "took 1.2 ms"),
    "durations_in_words": ("after 9.97 seconds", "after 12 minutes"),
    "addresses": ("<Order object at 0x7f12ab>", "<Order object at 0x7FFF00>"),
    "addresses_of_functions": ("<function f at 0x1>", "<function f at 0x2>"),
    "uuids": (
        "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "id 6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
    ),
    "uuids_in_names": (
        "out_3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "out_6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    ),
    "commit_ids": ("at 896a1fd", "at 39f85bf"),
    "hexadecimal_ids": ("key_3f2a9c81d0", "key_77aa00bb12"),
    "opaque_tokens": ("token ZK3v9QpL81mmX0a2", "token a7Gh22LLpq9Z0zzT1b"),
    "iso_times": ("2026-11-30T10:37:24.123Z", "2027-01-01T00:00:00Z"),
    "iso_times_with_zones": ("2026-11-30 10:37:24+01:00", "2026-11-30 10:37:24.5+02:00"),
    "dates": ("on 2026-11-30", "on 2027-01-01"),
    "clock_times": ("at 10:37", "at 23:59:59.9"),
    "mail_times": ("Mon, 30 Nov 2026 10:37:24 GMT", "Tue, 01 Dec 2026 00:00:00 GMT"),
    "ctimes": ("Mon Nov 30 10:37:24 2026", "Tue Dec  1 00:00:00 2026"),
    "datetimes": (
        "assert datetime.datetime(2026, 11, 30, 10, 37) is None",
        "assert datetime.datetime(2026, 11, 30, 10, 37, 24, 5, tzinfo=datetime.timezone.utc)"
        " is None",
    ),
    "temporary_folders": ("no /tmp/tmpab12cd_x/out.json", "no /tmp/tmpzz00cd_y/out.json"),
    "pytest_folders": (
        "'/tmp/pytest-of-ada/pytest-0/test_a0/out.json'",
        "'/tmp/pytest-of-bob/pytest-12/test_a0/out.json'",
    ),
    "temporary_files": ("no /tmp/tmpab12cd_x", "no /private/var/folders/9z/x_1/T/tmpab12cd_y.db"),
    "windows_folders": (
        r"no C:\Users\ada\AppData\Local\Temp\pytest-1\a.json",
        r"no D:\Users\bob\AppData\Local\Temp\x\a.json",
    ),
    "ports": ("connect to 127.0.0.1:40123", "connect to 127.0.0.1:8080"),
    "workers": ("Thread-1 (work) died", "Thread-23 (work) died"),
    "process_ids_in_names": ("socket app_12345 gone", "socket app_999999 gone"),
    "white_space": ("a  b\n\n c", "a b c"),
    "colours": ("\x1b[31mred\x1b[0m", "red"),
    "explanations": ("assert f() == 1\n +  where 3 = f()", "assert f() == 1\n +  where 4 = g(a)"),
    "explained_differences": (
        "assert [1] == [2]\n  \n  At index 0 diff: 1 != 2\n  Use -v to get more diff",
        "assert [3] == [2]",
    ),
    "unittest_differences": (
        "'a b' != 'a c'\n- a b\n?   ^\n+ a c\n?   ^\n",
        "'a b' != 'a c'",
    ),
    "examples": (
        "bad total\nFalsifying example: test_a(\n    x=3,\n)",
        "bad total\nFalsifying explicit example: test_a(\n    x=17,\n)",
    ),
    "drawn_values": ("bad total\nDraw 1: 'abc'\nDraw 2 (n): 3", "bad total"),
    "reproductions": (
        "bad total\n\nYou can reproduce this example by temporarily adding @reproduce_failure(",
        "bad total",
    ),
    "flaky_examples": (
        failure(FLAKY.format("x='a', y=[(1)]"), type_name="hypothesis.errors.FlakyFailure"),
        failure(FLAKY.format("x='b', y=[]"), type_name="hypothesis.errors.FlakyFailure"),
    ),
    "indentation_of_the_line": (at("    return  f(x)"), at("return f(x)")),
    "frames_outside_the_repository": (failure("x", TEST, JSON), failure("x", TEST)),
    "changed_lines_of_the_subject": (
        failure("x", TEST, LOAD),
        failure("x", TEST, replace(LOAD, source="return rows.get(key)")),
    ),
    "watchdog_at_another_line": (
        timeout(TEST),
        timeout(replace(TEST, source="time.sleep(1)")),
    ),
    "order_of_leaves": (
        group(leaf("builtins.KeyError"), leaf("builtins.OSError")),
        group(leaf("builtins.OSError"), leaf("builtins.KeyError")),
    ),
    "number_of_equal_leaves": (
        group(leaf("builtins.KeyError")),
        group(leaf("builtins.KeyError"), leaf("builtins.KeyError"), count=3),
    ),
    "numbers_in_leaves": (
        group(leaf("builtins.KeyError", message="3")),
        group(leaf("builtins.KeyError", message="417")),
    ),
    "one_leaf_or_two": (failure("no (1 sub-exception)"), failure("no (2 sub-exceptions)")),
    "small_numbers": ("took 9.4999999975e-07", "took 0.25"),
    "complex_numbers": ("assert (1.5-2.25j) == 1j", "assert (0.1234567890123456+1e-05j) == 1j"),
    "network_addresses": (
        "no route to fe80::1ff:fe23:4567:890a",
        "no route to 2001:db8:85a3:0:0:8a2e:370:7334",
    ),
    "hardware_addresses": ("from 52:54:00:6b:3c:58", "from 00:1a:2b:3c:4d:5e"),
    "cut_numbers": ("assert [0.5, 0.71...0.31, 2] == []", "assert [0.5, 0.7, 0.25, ...] == []"),
    "cut_addresses": (
        "assert Order(item=<t...dd0>, n=1) == 2",
        "assert Order(item=<test...5f10>, n=1) == 2",
    ),
    "texts_cut_by_unittest": (
        "{'n': 1.5, 'xxxx[30 chars]xx'} != {}",
        "{'n': 1.125, 'xx[28 chars]xx'} != {}",
    ),
    "differences_too_long_to_show": (
        "[1] != [2]\n\n- [1]\n+ [2]",
        "[1] != [2]\n\nDiff is 700 characters long. Set self.maxDiff to None to see it.",
    ),
    "temporary_names_with_a_prefix": ("no /tmp/app-x3_9kd0q.db", "no /tmp/app-77bq1zzk.db"),
    "links_of_terminals": ("\x1b]8;;http://a\x07red", "\x1b]8;;http://b\x1b\\red"),
}

DIFFERENT_PAIRS = {
    "types": (failure("x"), failure("x", type_name="builtins.ValueError")),
    "types_of_one_name": (failure("x", type_name="a.Late"), failure("x", type_name="b.Late")),
    "functions": (failure("x", TEST, LOAD), failure("x", TEST, SAVE)),
    "functions_of_changed_files_alone": (failure("x", LOAD), failure("x", SAVE)),
    "functions_of_equal_files": (
        failure("x", TEST, HELPER),
        failure("x", TEST, replace(HELPER, qualname="check_all")),
    ),
    "files": (failure("x", LOAD), failure("x", replace(LOAD, path="src/shop/stock.py"))),
    "test_itself_or_subject": (failure("x", TEST), failure("x", TEST, LOAD)),
    "lines": (at("assert a"), at("assert b")),
    "numbers_in_a_line": (at("check(row, 1)"), at("check(row, 2)")),
    "callers_of_one_helper": (
        failure("x", replace(TEST, source="check(total(o))"), HELPER),
        failure("x", replace(TEST, source="check(price(o))"), HELPER),
    ),
    "messages": ("bad total", "bad price"),
    "keys": ("'total'", "'price'"),
    "attributes": ("no attribute 'total'", "no attribute 'price'"),
    "operators": ("assert 1 == 2", "assert 1 < 2"),
    "number_or_none": ("assert 1 == 2", "assert None == 2"),
    "number_or_nan": ("assert 1.0 == 2", "assert nan == 2"),
    "number_or_text": ("assert 1 == 2", "assert '1' == 2"),
    "quoted_texts": ("assert 'ab' == 'a'", "assert 'cd' == 'a'"),
    "classes_of_objects": ("<Order object at 0x1>", "<Stock object at 0x1>"),
    "names_with_digits": ("sha1 differs", "sha256 differs"),
    "short_numbers_in_names": ("order_1 lost", "order_2 lost"),
    "words_of_hexadecimal_letters": ("facade", "decade"),
    "long_words": ("InternationalisationError", "InternationalizationError"),
    "files_in_temporary_folders": ("no /tmp/x/order.json", "no /tmp/x/stock.json"),
    "paths_that_only_look_temporary": ("no src/tmp/a", "no src/tmp/b"),
    "messages_before_an_assertion": ("total\nassert 1 == 2", "price\nassert 1 == 2"),
    "lines_of_another_type": (
        failure("x\nassert 1\nleft", type_name="builtins.ValueError"),
        failure("x\nassert 1\nright", type_name="builtins.ValueError"),
    ),
    "watchdog_in_another_function": (timeout(TEST), timeout(LOAD)),
    "failed_is_no_watchdog": (
        failure("DID NOT RAISE", TEST, type_name="_pytest.outcomes.Failed"),
        failure(
            "DID NOT RAISE", replace(TEST, source="with y:"), type_name="_pytest.outcomes.Failed"
        ),
    ),
    "flaky_leaves": (
        failure(
            FLAKY.format(""),
            type_name="hypothesis.errors.FlakyFailure",
            leaves=(leaf("builtins.KeyError"),),
        ),
        failure(
            FLAKY.format(""),
            type_name="hypothesis.errors.FlakyFailure",
            leaves=(leaf("builtins.ValueError"),),
        ),
    ),
    "leaves": (group(leaf("builtins.KeyError")), group(leaf("builtins.OSError"))),
    "functions_of_leaves": (
        group(leaf("builtins.KeyError", (TEST, LOAD))),
        group(leaf("builtins.KeyError", (TEST, SAVE))),
    ),
    "one_leaf_more": (
        group(leaf("builtins.KeyError")),
        group(leaf("builtins.KeyError"), leaf("builtins.OSError")),
    ),
    "group_or_leaf": (group(leaf("builtins.KeyError")), group()),
    "messages_of_leaves": (
        group(leaf("builtins.KeyError", message="'total'")),
        group(leaf("builtins.KeyError", message="'price'")),
    ),
    "words_behind_a_difference": (
        "[1] != [2]\n\n- [1]\n+ [2] : total",
        "[1] != [2]\n\n- [1]\n+ [2] : price",
    ),
    "words_before_dots": ("assert 'no order...' == ''", "assert 'no stock...' == ''"),
    "words_around_dots_in_a_message": ("order...lost", "stock...lost"),
    "words_in_temporary_names": ("no /tmp/app-accounts.db", "no /tmp/app-settings.db"),
    "names_with_colons": ("dead::beef", "dead::feed"),
}


@pytest.mark.parametrize("pair", EQUAL_PAIRS.values(), ids=EQUAL_PAIRS)
def test_one_signature(pair: tuple[Failure | str, Failure | str]) -> None:
    assert signature(pair[0]) == signature(pair[1])


@pytest.mark.parametrize("pair", DIFFERENT_PAIRS.values(), ids=DIFFERENT_PAIRS)
def test_two_signatures(pair: tuple[Failure | str, Failure | str]) -> None:
    assert signature(pair[0]) != signature(pair[1])


@pytest.mark.parametrize(
    ("base", "candidate"),
    [
        pytest.param(
            "no /srv/run-1/base/src/a.json", "no /srv/run-2/candidate/src/a.json", id="tree"
        ),
        pytest.param("in '/srv/run-1/base'", "in '/srv/run-2/candidate'", id="top"),
        pytest.param("no /srv/run-1/tmp/a.json", "no /srv/run-2/tmp/x/a.json", id="temporary"),
        pytest.param("no /tmp/q/a.json", "no /srv/run-2/tmp/x/a.json", id="both"),
    ],
)
def test_the_folders_of_a_run_do_not_matter(base: str, candidate: str) -> None:
    assert signature(base, BASE) == signature(candidate, CANDIDATE)


def test_a_root_folder_is_no_folder_of_the_run() -> None:
    assert signature("no /a/b", Folders(trees=("/", ""), temporary=("/", ""))).endswith("no /a/b")


def test_a_tree_s_path_is_kept_from_its_top() -> None:
    first, second = (signature(f"no /srv/run-1/base/src/{n}.json", BASE) for n in "ab")
    assert first != second
    assert first.endswith("no <tree>/src/a.json")
    assert signature("no /srv/run-1/base-2/a", BASE).endswith("no /srv/run-<n>/base-<n>/a")


# --- single messages


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", "-"),
        ("3 of 12", "<n> of <n>"),
        ("utf8 and x2", "utf8 and x2"),
        ("3rd", "<n>rd"),
        ("v1.2.3", "v1.2.3"),
        ("a.py:12:34: boom", "a.py:<n>: boom"),
        ("1.2.3", "<n>"),
        ("[1, 2,\n 3]", "[<n>]"),
        ("f(1, 'a', 2)", "f(<n>, 'a', <n>)"),
        ("2-1", "<n>-<n>"),
        ("ratio 1:3", "ratio <n>:<n>"),
        ("a.py:12: boom", "a.py:<n>: boom"),
        ("datetime.timedelta(days=1)", "<time>"),
        ("1 day, 0:00:05", "<time>"),
        ("file:///tmp/x/a.html", "file://<tmp>/a.html"),
        ("in /tmp", "in <tmp>"),
        ("in /tmpfiles/x", "in /tmpfiles/x"),
        ("'/tmp/a.txt', mode", "'<tmp>/a.txt', mode"),
        ("Command '['git', 'log']' timed out after 9.9 seconds", None),
    ],
    ids=ascii,
)
def test_folded_messages(text: str, folded: str | None) -> None:
    expected = folded or "Command '['git', 'log']' timed out after <duration>"
    assert message_of(text) == expected


# --- bounds


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(failure("word " * 100_000), id="message"),
        pytest.param(failure("", type_name="a." + "N" * 5000), id="type"),
        pytest.param(failure("", replace(TEST, path="p" * 4096)), id="path"),
        pytest.param(failure("", TEST, replace(LOAD, qualname="f" * 5000)), id="function"),
        pytest.param(at("s" * 100_000), id="source"),
        pytest.param(group(*(leaf(f"a.E{number}") for number in range(1000))), id="leaves"),
        pytest.param(
            failure(
                "m" * 9999,
                frame("q" * 4096, "f" * 4096, "s" * 4096),
                type_name="N" * 4096,
            ),
            id="everything",
        ),
    ],
)
@pytest.mark.parametrize("max_chars", [MIN_SIGNATURE_CHARS, MAX_SIGNATURE_CHARS])
def test_a_signature_is_never_too_long(what: Failure, max_chars: int) -> None:
    found = fail_signature(what, equal_paths=EQUAL, folders=NOWHERE, max_chars=max_chars)
    assert len(found) <= max_chars
    assert found.count(" | ") == 3


HOSTILE = {
    "numbers": "1.1",
    "listed_numbers": "1,",
    "unfinished_numbers": "1.",
    "digits": "1",
    "letters_and_digits": "a1",
    "powers": "1e1.",
    "signs": "+1",
    "addresses": "0x",
    "times": "1:11:11",
    "days": "1 days, ",
    "mail_times": "Mon, 30 ",
    "dates": "date(",
    "uuids": "aaaaaaaa-",
    "placeholders": "<n>,",
    "folders": " /tmp/",
    "windows_folders": "C:\\",
    "examples": "Hypothesis f(",
    "lines": ".py:1:",
    "escapes": "\x1b[",
    "links_of_terminals": "\x1b]8",
    "network_addresses": "1a:",
    "cut_texts": "\nassert a...",
    "unfinished_cuts": "a[1 chars",
    "complex_numbers": "1.1+1.1",
    "differences": "\n- a : ",
    "names": "1_",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_do_not_take_long(piece: str) -> None:
    started = time.process_time()
    signature(piece * 20_000)
    assert time.process_time() - started < 2  # quadratic patterns took five and more


def test_long_parts_still_tell_failures_apart() -> None:
    long = "x" * 5000
    for first, second in (
        (failure("", type_name=f"{long}a"), failure("", type_name=f"{long}b")),
        (
            failure("", replace(LOAD, qualname=f"{long}a")),
            failure("", replace(LOAD, qualname=f"{long}b")),
        ),
        (at(f"{long}a"), at(f"{long}b")),
    ):
        assert signature(first) != signature(second)


def test_a_limit_without_room_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs 400 characters"):
        fail_signature(failure(), equal_paths=EQUAL, folders=NOWHERE, max_chars=399)


def test_hidden_characters_and_separators_do_not_get_in() -> None:
    hostile = "a\x00b\u2028c\u202ed\ud800e\ufefff | g => h"
    found = signature(
        failure(hostile, frame(hostile, hostile, hostile), frame(None, "", ""), type_name=hostile)
    )
    assert found.encode().decode().isprintable()
    assert found.split(" | ", 3)[0] == "a b c d e f|g => h"
    assert one_line(found) == found
