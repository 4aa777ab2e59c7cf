"""Checks that stand there and are not carried out, or whose failure nobody hears of."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

FILES = {"shop.py": "def tax(n):\n    return n\n", "tests/__init__.py": ""}
HEAD = (
    "import asyncio\nimport contextlib\nimport itertools\nimport pytest\nfrom shop import tax\n\n\n"
)
LOOP = "for n, want in [(1, 1), (2, 2)]:\n    assert tax(n) == want\n"
ONE = "assert tax(2) == 2\n"
ROWS = "[(1, 1), (2, 2)]"
CHECK = "def check(row):\n    n, want = row\n    assert tax(n) == want\n\n"
TASK = "async def check():\n    assert tax(2) == 2\n\n"


def module(body: str, head: str = "", kind: str = "def") -> str:
    """A test module with a body."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    return f"{HEAD}{head}{kind} test_it(pool):\n{lines}"


QUIET = (
    "class Quiet:\n    def __enter__(self):\n        return self\n\n"
    "    def __exit__(self, *info):\n"
)
REFUSED = {
    "map": (LOOP, f"{CHECK}map(check, {ROWS})"),
    "map_by_name": (LOOP, f"{CHECK}done = map(check, {ROWS})"),
    "pool_map": (LOOP, f"{CHECK}pool.map(check, {ROWS})"),
    "submitted": (LOOP, f"{CHECK}for row in {ROWS}:\n    pool.submit(check, row)"),
    "submitted_and_kept": (
        LOOP,
        f"{CHECK}kept = []\nfor row in {ROWS}:\n    kept.append(pool.submit(check, row))",
    ),
    "submitted_and_waited_for": (
        LOOP,
        f"{CHECK}futures.wait([pool.submit(check, row) for row in {ROWS}])",
    ),
    "gathered": (ONE, f"{TASK}await asyncio.gather(check(), return_exceptions=True)"),
    "gathered_by_name": (ONE, f"{TASK}x = await asyncio.gather(check(), return_exceptions=True)"),
    "waited_for": (ONE, f"{TASK}task = asyncio.create_task(check())\nawait asyncio.wait([task])"),
    "waited_for_and_seen": (
        ONE,
        f"{TASK}done, _ = await asyncio.wait([asyncio.ensure_future(check())])\n"
        "assert [each.exception() for each in done]",
    ),
    "made_a_task": (ONE, f"{TASK}asyncio.create_task(check())\nawait asyncio.sleep(0)"),
    "cancelled": (ONE, f"{TASK}task = asyncio.create_task(check())\ntask.cancel()"),
    "no_time": (
        ONE,
        "try:\n    async with asyncio.timeout(0):\n        assert tax(2) == 2\n"
        "except TimeoutError:\n    pass",
    ),
    "no_time_and_suppressed": (
        ONE,
        "with contextlib.suppress(TimeoutError):\n    async with asyncio.timeout(0):\n"
        "        assert tax(2) == 2",
    ),
    "gives_up": (ONE, "with anyio.move_on_after(0):\n    assert tax(2) == 2"),
    "spent_by_a_list": (
        LOOP,
        f"rows = iter({ROWS})\nassert len(list(rows)) == 2\n{LOOP.replace(ROWS, 'rows')}",
    ),
    "spent_by_a_loop": (
        LOOP,
        f"rows = zip([1, 2], [1, 2])\nfor each in rows:\n    print(each)\n"
        f"{LOOP.replace(ROWS, 'rows')}",
    ),
    "taken_while_it_holds": (
        LOOP,
        LOOP.replace(ROWS, f"itertools.takewhile(lambda r: tax(r[0]) == r[1], {ROWS})"),
    ),
    "filtered_by_its_outcome": (
        LOOP,
        LOOP.replace(ROWS, f"filter(lambda r: tax(r[0]) == r[1], {ROWS})"),
    ),
    "left_at_its_outcome": (
        LOOP,
        LOOP.replace("    assert", "    if tax(n) != want:\n        break\n    assert"),
    ),
}
WARNED = {
    "filtered": (LOOP, LOOP.replace(ROWS, f"filter(lambda r: r[0] > 1, {ROWS})")),
    "dropped_while": (LOOP, LOOP.replace(ROWS, f"itertools.dropwhile(lambda r: r[0] < 2, {ROWS})")),
    "some_of_a_comprehension": (LOOP, LOOP.replace(ROWS, f"[r for r in {ROWS} if r[0] > 1]")),
    "left_before": (LOOP, LOOP.replace("    assert", "    if n == 2:\n        break\n    assert")),
    "left_after": (LOOP, LOOP + "    if n == 1:\n        break\n"),
    "left_at_once": (LOOP, LOOP + "    break\n"),
    "a_short_time": (
        ONE,
        "try:\n    async with asyncio.timeout(1):\n        assert tax(2) == 2\n"
        "except TimeoutError:\n    pass",
    ),
}
ACCEPTED = {
    "map_whose_answers_are_listed": (LOOP, f"{CHECK}list(map(check, {ROWS}))"),
    "submitted_and_asked": (
        LOOP,
        f"{CHECK}kept = [pool.submit(check, row) for row in {ROWS}]\n"
        "for each in kept:\n    each.result()",
    ),
    "gathered": (ONE, f"{TASK}await asyncio.gather(check())"),
    "awaited_task": (ONE, f"{TASK}task = asyncio.create_task(check())\nawait task"),
    "task_of_a_group": (
        ONE,
        f"{TASK}async with asyncio.TaskGroup() as group:\n    group.create_task(check())",
    ),
    "in_time": (ONE, "async with asyncio.timeout(1):\n    assert tax(2) == 2"),
    "first_taken_then_the_rest": (
        f"rows = iter({ROWS})\nnext(rows)\n{LOOP.replace(ROWS, 'rows')}",
        f"rows = iter({ROWS})\nfirst = next(rows)\n{LOOP.replace(ROWS, 'rows')}",
    ),
    "a_loop_that_was_left_before": (
        LOOP + "    break\n",
        LOOP.replace("want", "expected") + "    break\n",
    ),
}


@pytest.mark.parametrize(("old", "new"), REFUSED.values(), ids=REFUSED)
def test_a_check_that_fails_for_nobody_is_refused(old: str, new: str) -> None:
    kind = "async def" if "await" in new or "async" in new else "def"
    before = {**FILES, PATH: module(old, kind=kind)}
    for shop in (FILES["shop.py"], FILES["shop.py"].replace("n\n", "n + 1\n")):
        after = {**FILES, "shop.py": shop, PATH: module(new, kind=kind)}
        assert verdict_between(before, after) == "refuses"


@pytest.mark.parametrize(("old", "new"), WARNED.values(), ids=WARNED)
def test_a_check_of_fewer_values_needs_a_person(old: str, new: str) -> None:
    assert verdict_between({**FILES, PATH: module(old)}, {**FILES, PATH: module(new)}) == "warns"


@pytest.mark.parametrize(("old", "new"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_check_whose_failure_comes_out_is_honest(old: str, new: str) -> None:
    assert verdict_between({**FILES, PATH: module(old)}, {**FILES, PATH: module(new)}) == "accepts"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("return info[0] is AssertionError", "refuses", id="for_failures"),
        pytest.param("return issubclass(info[0], Exception)", "refuses", id="for_exceptions"),
        pytest.param("return self.quiet(info)", "warns", id="at_times"),
        pytest.param("return False", "accepts", id="never"),
        pytest.param("print(info)", "accepts", id="nothing"),
    ],
)
def test_a_manager_that_answers_yes_swallows(answer: str, expected: str) -> None:
    head = f"{QUIET}        {answer}\n\n\nclass Loud(Quiet):\n    pass\n\n\n"
    before = {**FILES, PATH: module(ONE, head)}
    after = {**FILES, PATH: module(f"with Loud():\n    {ONE}", head)}
    assert verdict_between(before, after) == expected
