"""Tests that fail in one way each, with values that no two processes share."""

from __future__ import annotations

from dataclasses import dataclass

IN_CLASS = "TestIt::test_it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """One failing test.

    Each of `others`, (old, new), edits its text to another failure. `signature` is the whole
    expected one, where it is asked for. `any_hash_seed`: sets of texts have an order of their own.
    """

    text: str
    others: tuple[tuple[str, str], ...] = ()
    signature: str | None = None
    test: str = "test_it"
    any_hash_seed: bool = True


_CASE = """
import random, time, unittest
WORDS = "totals"
class TestIt(unittest.TestCase):
    def test_it(self):
"""

ASSERTIONS = {
    "integers": Failing(
        text="""
            import os
            def test_it():
                assert os.getpid() < 0
        """,
        others=(("< 0", "< -1"), ("< 0", "== 0"), ("assert os.getpid() <", "assert -1 >")),
        signature="AssertionError | test_it.py:test_it | assert os.getpid() < 0 | assert <n> < <n>",
    ),
    "floats": Failing(
        text="""
            import random
            def test_it():
                assert random.random() / random.choice([1, 1e6]) > 1.5
        """
    ),
    "complex_numbers": Failing(
        text="""
            import random
            def test_it():
                assert complex(random.random(), random.choice([-1, 1])) == 0
        """
    ),
    "approximations": Failing(
        text="""
            import pytest, random
            def test_it():
                got = random.random()
                assert got == pytest.approx(3.0)
        """,
        signature="AssertionError | test_it.py:test_it | assert got == pytest.approx(3.0) | "
        "assert <n> == <n> ± <n>",
    ),
    "lists_of_any_length": Failing(
        text="""
            import random
            def test_it():
                got = [random.random() for _ in range(random.randrange(3, 40))]
                assert got == [1, 2, 3]
        """,
        others=(("got == [1, 2, 3]", "got == 'none'"),),
        signature="AssertionError | test_it.py:test_it | assert got == [1, 2, 3] | "
        "assert [<n>] == [<n>]",
    ),
    "dicts": Failing(
        text="""
            import time
            def test_it():
                got = {'at': time.time(), 'total': 3}
                assert got == {'at': 0, 'total': 3}
        """,
        others=(("{'at': time", "{'by': time"),),
    ),
    "sets_of_numbers": Failing(
        text="""
            import os
            def test_it():
                assert {os.getpid(), 2} == {2, 3}
        """
    ),
    "sets_of_texts": Failing(
        text="""
            def test_it():
                got = {'a', 'bb', 'ccc', 'dd', 'e'}
                assert got == {'a'}
        """,
        others=(("'bb', ", "'xx', "),),
        any_hash_seed=False,  # one a window; the plan names it
    ),
    "sets_in_a_message": Failing(
        text="""
            def test_it():
                raise LookupError(f"lost { {'orders', 'stock', 'prices'} }")
        """,
        any_hash_seed=False,
    ),
    "texts_with_a_difference": Failing(
        text="""
            import time
            def test_it():
                got = "\\n".join(f"order {n} at {time.time()}" for n in range(50))
                assert got == "order"
        """,
        others=(('f"order', 'f"stock'),),
    ),
    "dataclasses_with_addresses": Failing(
        text="""
            import dataclasses
            class Item: pass
            @dataclasses.dataclass
            class Order:
                item: object
                total: int
            def test_it():
                assert Order(Item(), 3) == Order(Item(), 3)
        """,
        others=(
            ("class Order:", "class Stock: ...\nOrder = Stock\n@dataclasses.dataclass\nclass X:"),
        ),
    ),
    "objects": Failing(
        text="""
            class Order: pass
            def test_it():
                assert not Order()
        """,
        signature="AssertionError | test_it.py:test_it | assert not Order() | "
        "assert not <test_it.Order object at <address>>",
    ),
    "functions": Failing(
        text="""
            def test_it():
                assert (lambda: 1) is None
        """
    ),
    "text_in_a_text": Failing(
        text="""
            import os
            def test_it():
                got = os.urandom(3000).hex()
                assert 'order' in got
        """
    ),
    "none_or_a_number": Failing(
        text="""
            def got(): return 3
            def test_it():
                assert got() == 4
        """,
        others=(("return 3", "return None"), ("return 3", "return '3'")),
    ),
    "a_message": Failing(
        text="""
            import time
            WORD = "late"
            def test_it():
                assert 1 == 2, f"{WORD} by {time.time()} s"
        """,
        others=(('"late"', '"early"'),),
        signature="AssertionError | test_it.py:test_it | "
        'assert 1 == 2, f"{WORD} by {time.time()} s" | late by <duration> assert <n> == <n>',
    ),
    "a_message_of_lines": Failing(
        text="""
            import time
            WORD = "late"
            def test_it():
                assert not 1, f"{WORD}\\nby {time.time()}"
        """,
        others=(('"late"', '"early"'),),
    ),
    "lines_of_one_statement": Failing(
        text="""
            def total(*lines): return sum(lines)
            def test_it():
                assert total(
                    1,
                    2,
                ) == 3
                assert total(
                    3,
                    4,
                ) == 8
        """,
        others=((") == 3", ") == 4"),),  # the first statement fails; both begin alike
        signature="AssertionError | test_it.py:test_it | assert total( 3, 4, ) == 8 | "
        "assert <n> == <n>",
    ),
    "heads_of_several_lines": Failing(
        text="""
            import pytest
            def test_it():
                with pytest.raises(
                    ValueError,
                    match="a",
                ):
                    # a remark of the body
                    raise ValueError("a")
                with pytest.raises(
                    ValueError,
                    match="b",
                ):
                    pass
        """,
        others=(('raise ValueError("a")', "pass"),),
        signature='Failed | test_it.py:test_it | with pytest.raises( ValueError, match="b", ): | '
        "DID NOT RAISE ValueError",
    ),
    "a_helper": Failing(
        text="""
            def check(total):
                assert total > 10
            def test_it():
                check(3)
        """,
        others=(("check(3)", "check(4)"), ("> 10", "> 9")),
        signature="AssertionError | test_it.py:check | check(3) => assert total > 10 | "
        "assert <n> > <n>",
    ),
}

UNITTESTS = {
    "lists": Failing(
        text=_CASE + "        self.assertEqual([time.time(), 2], [1, 2], WORDS)\n",
        others=(('"totals"', '"prices"'),),
        test=IN_CLASS,
        signature="AssertionError | test_it.py:TestIt.test_it | "
        "self.assertEqual([time.time(), 2], [1, 2], WORDS) | "
        "Lists differ: [<n>] != [<n>] First differing element <n>: <n> <n> totals",
    ),
    "texts": Failing(
        text=_CASE + '        self.assertEqual(f"a\\nb {time.time()}", "a\\nb", WORDS)\n',
        others=(('"totals"', '"prices"'),),
        test=IN_CLASS,
    ),
    "dicts_cut_short": Failing(
        text=_CASE + "        got = {'at': random.random(), 'name': 'x' * 99}\n"
        "        self.assertEqual(got, {'at': 1, 'name': 'y' * 99})\n",
        test=IN_CLASS,
    ),
    "differences_too_long_to_show": Failing(
        text=_CASE + "        got = {str(n): time.time() for n in range(200)}\n"
        "        self.assertEqual(got, {'at': 1}, WORDS)\n",
        others=(('"totals"', '"prices"'),),
        test=IN_CLASS,
    ),
    "nothing_raised": Failing(
        text=_CASE + "        with self.assertRaises(ValueError): pass\n",
        others=(("ValueError", "KeyError"),),
        test=IN_CLASS,
    ),
    "subtests": Failing(
        text=_CASE + "        for n in range(3):\n            with self.subTest(n=n):\n"
        "                self.assertNotEqual(n, 1)\n",
        others=(("n, 1", "n % 2, 1"),),
        test=IN_CLASS,
        signature="AssertionError | test_it.py:TestIt.test_it | self.assertNotEqual(n, 1) | "
        "<n> == <n>",
    ),
}

RAISED = {
    "chained": Failing(
        text="""
            import os
            WORD = "lost"
            def test_it():
                try:
                    {}[os.getpid()]
                except KeyError as error:
                    raise ValueError(WORD) from error
        """,
        others=(('"lost"', '"late"'), ("ValueError(", "TypeError(")),
        signature="ValueError | test_it.py:test_it | raise ValueError(WORD) from error | lost",
    ),
    "chained_by_itself": Failing(
        text="""
            import os
            WORD = "lost"
            def test_it():
                try:
                    {}[os.getpid()]
                except KeyError:
                    raise ValueError(WORD)
        """,
        others=(('"lost"', '"late"'),),
    ),
    "nested_groups": Failing(
        text="""
            import os, random
            WORD = "outer"
            def load(): {}['a']
            def caught(call):
                try:
                    call()
                except Exception as error:
                    return error
            def shuffled(*leaves): return random.sample(leaves, len(leaves))
            def test_it():
                inner = ExceptionGroup(f'inner {os.getpid()}', [caught(load), OSError('no')])
                raise ExceptionGroup(WORD, shuffled(inner, ValueError(f'so {os.getpid()}')))
        """,
        others=(
            ("['a']", "['b']"),
            ("OSError", "TypeError"),
            ('"outer"', '"rim"'),
            ("f'so", "f'do"),
        ),
        signature="ExceptionGroup[KeyError at test_it.py:load; OSError; ValueError] | "
        "test_it.py:test_it | "
        "raise ExceptionGroup(WORD, shuffled(inner, ValueError(f'so {os.getpid()}'))) | "
        "outer (<n> sub-exceptions) ['a'; no; so <n>]",
    ),
    "tasks_of_a_group": Failing(
        text="""
            import asyncio, random
            WORD = "late"
            async def work(n):
                raise TimeoutError(f'task {n} {WORD}')
            async def main():
                async with asyncio.TaskGroup() as group:
                    for n in range(random.randrange(1, 9)):
                        group.create_task(work(n))
            def test_it():
                asyncio.run(main())
        """,
        others=(('"late"', '"lost"'), ("raise TimeoutError", "raise OSError")),
        signature="ExceptionGroup[TimeoutError at test_it.py:work] | test_it.py:main | "
        "asyncio.run(main()) => async with asyncio.TaskGroup() as group: | "
        "unhandled errors in a TaskGroup (<n> sub-exceptions) [task <n> late]",
    ),
    "nothing_raised": Failing(
        text="""
            import pytest
            KIND = ValueError
            def test_it():
                with pytest.raises(KIND):
                    pass
        """,
        others=(("= ValueError", "= KeyError"),),
        signature="Failed | test_it.py:test_it | with pytest.raises(KIND): | "
        "DID NOT RAISE ValueError",
    ),
    "another_text_raised": Failing(
        text="""
            import pytest, time
            WORD = "late"
            def test_it():
                with pytest.raises(ValueError, match='lost'):
                    raise ValueError(f'{WORD} {time.time()}')
        """,
        others=(('"late"', '"early"'),),
    ),
    "pytest_fail": Failing(
        text="""
            import pytest, time
            WORD = "took"
            def test_it():
                pytest.fail(f"{WORD} {time.time()} seconds")
        """,
        others=(('"took"', '"lost"'),),
        signature="Failed | test_it.py:test_it | "
        'pytest.fail(f"{WORD} {time.time()} seconds") | took <duration>',
    ),
    "a_warning_as_error": Failing(
        text="""
            import os, pytest, warnings
            WORD = "old"
            @pytest.mark.filterwarnings("error")
            def test_it():
                warnings.warn(f"{WORD} {os.getpid()}", DeprecationWarning)
        """,
        others=(('"old"', '"new"'), ("DeprecationWarning", "UserWarning")),
        signature="DeprecationWarning | test_it.py:test_it | "
        'warnings.warn(f"{WORD} {os.getpid()}", DeprecationWarning) | old <n>',
    ),
    "in_a_thread": Failing(
        text="""
            import os, pytest, threading
            WORD = "lost"
            @pytest.mark.filterwarnings("error")
            def test_it():
                def work():
                    raise ValueError(f"{WORD} {os.getpid()}")
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
        """,
        others=(('"lost"', '"late"'), ("raise ValueError", "raise KeyError")),
    ),
    "in_a_finalizer": Failing(
        text="""
            import pytest
            class Order:
                def __del__(self): raise ValueError("lost")
            @pytest.mark.filterwarnings("error")
            def test_it():
                Order()
        """,
        others=(('"lost"', '"late"'), ("ValueError", "KeyError")),
    ),
    "a_mock": Failing(
        text="""
            import os
            from unittest import mock
            def test_it():
                api = mock.Mock()
                api.load(os.getpid())
                api.load.assert_called_once_with('order')
        """,
        others=(("api.load(os", "api.save(os"),),
    ),
    "a_process": Failing(
        text="""
            import subprocess
            def test_it():
                subprocess.run(['sh', '-c', 'exit 3'], check=True)
        """,
        others=(("'exit 3'", "'nothing_such'"),),
        signature="subprocess.CalledProcessError | test_it.py:test_it | "
        "subprocess.run(['sh', '-c', 'exit 3'], check=True) | "
        "Command '['sh', '-c', 'exit <n>']' returned non-zero exit status <n>",
    ),
    "endless_recursion": Failing(
        text="""
            def test_it():
                test_it()
        """,
    ),
}

# What a message says, and the other word for which it is another failure.
_SAID = {
    "uuids": "f'lost {uuid.uuid4()} and {uuid.uuid4().hex}'",
    "tokens": "f'lost {secrets.token_hex(16)}'",
    "times": "f'lost at {datetime.datetime.now(datetime.UTC).isoformat()} or {time.ctime()}'",
    "repr_of_times": "f'lost {datetime.datetime.now()!r}'",
    "temporary_folders": "f'lost {tempfile.mkdtemp()}/orders.json'",
    "temporary_names": "f'lost {tempfile.mktemp()}'",
    "the_tree": "f'lost {os.getcwd()} and {__file__}'",
    "home": "f'lost {os.path.expanduser(\"~\")}'",
    "ports": "f'lost http://localhost:{random.randrange(1, 65536)}/orders'",
    "network_addresses": "f'lost {ipaddress.IPv6Address(random.getrandbits(127) + 2**127)}'",
    "objects": "f'lost {object()} of {test_it} and {id(object())}'",
    "processes": "f'lost worker-{os.getpid()} and {threading.current_thread()}'",
    "durations": "f'lost after {time.perf_counter():.3f}s of {time.perf_counter()} ms'",
    "small_numbers": "f'lost {random.choice([0.125, 1.23456789e-07, 3e22])}'",
    "lines": "f'lost at {__file__}:{sys._getframe().f_lineno}'",
    "tracebacks": "f'lost {\"\".join(traceback.format_stack()[-1:])}'",
    "bare_numbers": "f'lost {random.getrandbits(60)}'",
    "very_long": "'lost ' + ' '.join(f'line {random.random()}' for _ in range(9000))",
    "very_long_rows": "f'lost {[random.random() for _ in range(9000)]}'",
    "escapes": "f'\\x1b[31mlost {os.getpid()}\\x1b[0m \\x1b]8;;http://{os.getpid()}\\x07there'",
    "surrogates": "f'lost \\ud800 \\udcff {os.getpid()}'",
    "hidden": "f'lost \\x00\\x07\\x85\\u2028\\u202e {os.getpid()}'",
    "lines_of_text": "f'lost\\r\\n\\t{os.getpid()}\\n\\n | here'",
}
MESSAGES = {
    name: Failing(
        text="import datetime, ipaddress, os, random, secrets, sys, tempfile, threading, time\n"
        f"import traceback, uuid\ndef test_it():\n    said = {said}\n    raise LookupError(said)\n",
        others=(("lost", "late"),),
    )
    for name, said in _SAID.items()
}

_HYPOTHESIS = """
import os, random, time
from hypothesis import example, given, note, settings, strategies as st
CALLS = []
"""
HYPOTHESIS = {
    name: Failing(text=_HYPOTHESIS + text, others=others, signature=signature, test=test)
    for name, text, others, signature, test in (
        (
            "an_example",
            "@settings(max_examples=30)\n@given(st.integers(), st.booleans())\n"
            "def test_it(n, really):\n"
            "    note(str(os.getpid()))\n    assert n < 100, f'bad {n} {os.getpid()}'\n",
            (("n < 100", "n < 99"),),
            "AssertionError | test_it.py:test_it | @given(st.integers(), st.booleans()) => "
            "assert n < 100, f'bad {n} {os.getpid()}' | bad <n> <n> assert <n> < <n>",
            "test_it",
        ),
        (
            "an_explicit_example",
            "@example(500)\n@given(st.integers())\ndef test_it(n):\n    assert n < 100\n",
            (),
            None,
            "test_it",
        ),
        (
            "drawn_data",
            "@settings(max_examples=30)\n@given(st.data())\ndef test_it(data):\n"
            "    n = data.draw(st.integers())\n    assert n < 100\n",
            (),
            None,
            "test_it",
        ),
        (
            "several_failures",
            "@given(st.integers(-9, 9))\ndef test_it(n):\n"
            "    if n > 3: raise ValueError('big')\n    if n < -3: raise TypeError('small')\n",
            (("'small'", "'tiny'"),),
            "ExceptionGroup[TypeError at test_it.py:test_it; ValueError at test_it.py:test_it] | "
            "test_it.py:accept.<locals>.test_it | def test_it(n): | "
            "Hypothesis found <n> distinct failures. (<n> sub-exceptions) [big; small]",
            "test_it",
        ),
        (
            "a_flaky_failure",
            "@given(st.lists(st.integers()))\ndef test_it(rows):\n    CALLS.append(1)\n"
            "    assert len(CALLS) != 5, 'fifth'\n",
            (("'fifth'", "'last'"),),
            "hypothesis.errors.FlakyFailure[AssertionError at test_it.py:test_it] | "
            "test_it.py:accept.<locals>.test_it | def test_it(rows): | "
            "Hypothesis test_it(<example>) produces unreliable results: Failed on the first call "
            "but did not on a subsequent one (<n> sub-exceptions) [fifth assert <n> != <n>]",
            "test_it",
        ),
        (
            "a_deadline",
            "@settings(deadline=2, max_examples=10)\n@given(st.integers(0, 9))\ndef test_it(n):\n"
            "    until = time.perf_counter() + 0.01\n"
            "    while time.perf_counter() < until: pass\n",
            (),
            None,
            "test_it",
        ),
        (
            "a_method",
            "class TestIt:\n    @settings(max_examples=30)\n    @given(st.integers())\n"
            "    def test_it(self, n):\n        assert n < 100\n",
            (),
            None,
            IN_CLASS,
        ),
        (
            "a_state_machine",
            "from hypothesis.stateful import RuleBasedStateMachine, rule\n"
            "class Shop(RuleBasedStateMachine):\n    @rule(n=st.integers(99, 101))\n"
            "    def add(self, n):\n        assert n < 100\nTestIt = Shop.TestCase\n",
            (),
            "AssertionError | test_it.py:Shop.add | assert n < 100 | assert <n> < <n>",
            "TestIt::runTest",
        ),
    )
}
