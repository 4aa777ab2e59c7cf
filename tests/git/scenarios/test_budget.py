"""Corpus groups `budget`, `ledger` and `area`, as far as this stage of the gate goes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from freezegate.model.digests import Blake3
from tests.git.scenarios.asking import assert_accepted, assert_refused, both
from tests.support import CATALOG, POLICY, PROPERTY, TEST_ID, Story, lock_line

TODAY = datetime.now(UTC).date()


@pytest.mark.parametrize(
    "owner", [None, "", "  ", "TBD", "todo", "Unknown", "n/a", "-", "???", "@nobody", "<owner>"]
)
def test_nobody_is_no_owner(shop: Story, owner: str | None) -> None:
    shop.patch().request(record={"owner": owner}).write(shop.root)
    assert_refused(shop, "budget.owner_missing")


@pytest.mark.parametrize("owner", ["ada", "@payments-team", "Zoë", "李雷", "ops@example.org"])
def test_people_and_teams_are_owners(shop: Story, owner: str) -> None:
    shop.patch().request(owner=owner).write(shop.root)
    assert_accepted(shop)


@pytest.mark.parametrize(
    ("days", "code"),
    [
        pytest.param(-1, "freeze.expired", id="yesterday"),
        pytest.param(-4000, "freeze.expired", id="long_ago"),
        pytest.param(16, "budget.expiry_too_far", id="a180_two_weeks_and_two_days"),
        pytest.param(3650, "budget.expiry_too_far", id="a180_ten_years"),
    ],
)
def test_a180_ends_that_are_no_end(shop: Story, days: int, code: str) -> None:
    shop.patch().request(expires_on=TODAY + timedelta(days=days)).write(shop.root)
    assert_refused(shop, code)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("days", [1, 13])
def test_ends_do_not_depend_on_the_time_zone(shop: Story, days: int, zone: str) -> None:
    shop.environ = {"TZ": zone}
    shop.patch().request(expires_on=TODAY + timedelta(days=days)).write(shop.root)
    assert_accepted(shop)


@pytest.mark.parametrize("day", ["2026-02-30", "20261201", "2026-12-01T00:00:00", "tomorrow"])
def test_a180_dates_in_another_form(shop: Story, day: str) -> None:
    shop.patch().request(record={"expires_on": day}).write(shop.root)
    for answer in both(shop):
        assert answer.errors & {"record.wrong_type", "record.bad_string"}


def test_a180_no_date(shop: Story) -> None:
    shop.patch().request(record={"expires_on": None}).write(shop.root)
    assert_refused(shop, "budget.expiry_missing")


@pytest.mark.parametrize("commits", [10**9, 201, 0, -1])
def test_a180_commit_limits_that_are_no_limit(shop: Story, commits: int) -> None:
    shop.patch().request(record={"expires_after_commits": commits}).write(shop.root)
    assert_refused(shop, "budget.expiry_too_far")


def test_a183_a_base_in_the_future(shop: Story) -> None:
    shop.patch().request(record={"base_rev": shop.rev("HEAD")}).write(shop.root)
    assert_refused(shop, "base.mismatch")


def land(shop: Story) -> None:
    """Land what `topic` holds on `main`, and start `topic` anew."""
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic")


def test_a177_the_same_test_under_a_second_name(shop: Story) -> None:
    other = CATALOG.replace("order_total", "order_size")
    shop.write(".freeze/catalog.toml", CATALOG + other).commit("two properties")
    land(shop)
    shop.patch().freeze(property_id=PROPERTY)
    land(shop)
    shop.patch().request(property_id="order_size.non_negative").write(shop.root)
    assert_refused(shop, "budget.exceeded")


def test_a178_the_same_key_again(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    shop.patch("# again\n").request().write(shop.root)
    assert_refused(shop, "budget.refreeze_without_new_evidence")


def test_a178_a_key_whose_freeze_was_lifted_may_be_frozen_anew(shop: Story) -> None:
    shop.patch().freeze()
    transition = shop.check().document["transitions"][0]
    base = shop.rev("main")
    land(shop)
    digest = next((shop.root / ".freeze/snapshots").iterdir()).name
    shop.append(
        {
            "event": "lifted",
            "freeze": transition["freezes"][0]["freeze"],
            "base_rev": base,
            "fixture_sha256": digest,
            "reason": "repaired",
            "owner": "ada",
        }
    ).commit("lift")
    assert shop.check().verdict == "accepted"
    land(shop)
    shop.patch("# flaky again\n").request().write(shop.root)
    assert_accepted(shop)


OTHER_FIXTURE = "tests/fixtures/order_b.json"


@pytest.mark.parametrize(
    ("settings", "ended", "code"),
    [
        pytest.param("", False, "budget.exceeded", id="past_its_end_on_another_fixture"),
        pytest.param("max_renewals = 1", False, None, id="as_often_as_the_policy_says"),
        pytest.param("max_active_per_property = 2", False, None, id="side_by_side"),
        pytest.param("", True, None, id="lifted"),
    ],
)
def test_another_fixture_is_no_fresh_start(
    shop: Story, settings: str, ended: bool, code: str | None
) -> None:
    other = '{"lines": [6]}\n'
    shop.write(OTHER_FIXTURE, other)
    lock = shop.read(".freeze/fixtures.sha256").decode()
    shop.write(".freeze/fixtures.sha256", lock + lock_line(OTHER_FIXTURE, other))
    shop.write(".freeze/catalog.toml", CATALOG.replace('json"]', f'json", "{OTHER_FIXTURE}"]'))
    policy = POLICY.format(preset="basic") + f"[freeze]\nmax_active_per_test = 2\n{settings}\n"
    shop.write(".freeze/policy.toml", policy).commit("two fixtures")
    land(shop)
    shop.patch().freeze(property_id=PROPERTY, line={"expires_on": "2026-01-01"})  # landed then
    (line,) = shop.read(".freeze/ledger.jsonl").splitlines()
    land(shop)
    if ended:
        shop.append(lifted(line)).commit("lift")
        land(shop)
    shop.patch("# more\n").request(property_id=PROPERTY, fixture_path=OTHER_FIXTURE).write(
        shop.root
    )
    if code:
        assert_refused(shop, code)
    else:
        assert_accepted(shop)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        pytest.param({"test_id": f"{TEST_ID}[a]"}, "budget.exceeded", id="an_invented_parameter"),
        pytest.param(
            {"property_id": "order_size.non_negative"}, "budget.exceeded", id="a_second_property"
        ),
        pytest.param({"test_id": "tests/test_order.py::test_other"}, None, id="another_test"),
    ],
)
def test_another_name_of_the_test_is_no_fresh_start(
    shop: Story, asked: dict[str, Any], code: str | None
) -> None:
    other = CATALOG.replace("order_total", "order_size")
    shop.write(".freeze/catalog.toml", CATALOG + other).commit("two properties")
    land(shop)
    own = {"property_id": PROPERTY} if "property_id" in asked else {}
    shop.patch().freeze(**own, line={"expires_on": "2026-01-01"})  # landed then
    land(shop)
    shop.patch("# more\n").request(**asked).write(shop.root)
    if code:
        assert_refused(shop, code)
    else:
        assert_accepted(shop)


def lifted(frozen: bytes) -> dict[str, str]:
    """A line that lifts the freeze of a line."""
    value = json.loads(frozen)
    kept = {key: value[key] for key in ("base_rev", "fixture_sha256")}
    return {**kept, "event": "lifted", "freeze": Blake3.of(frozen), "reason": "x", "owner": "ada"}


def test_two_freezes_in_one_patch_under_basic(shop: Story) -> None:
    shop.patch()
    shop.request().write(shop.root)
    shop.request(test_id="tests/test_order.py::test_other").write(shop.root)
    assert_refused(shop, "budget.exceeded")


def test_the_total_budget_counts_what_landed(shop: Story) -> None:
    shop.write(".freeze/policy.toml", POLICY.format(preset="basic") + "[freeze]\nmax_active = 1\n")
    shop.commit("one at a time")
    land(shop)
    shop.patch().freeze()
    land(shop)
    shop.patch("# more\n").request(test_id="tests/test_order.py::test_other").write(shop.root)
    assert_refused(shop, "budget.exceeded")


def test_a187_an_old_row_edited(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    ledger = shop.read(".freeze/ledger.jsonl")
    shop.write(".freeze/ledger.jsonl", ledger.replace(b'"fails":1', b'"fails":5'))
    assert_refused(shop, "ledger.not_append_only")


def test_a189_a_merge_that_drops_a_line(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    shop.branch("old", "main~2").patch("# old\n")
    shop.git("merge", "-q", "-s", "ours", "-m", "merge", "main")
    assert "ledger.not_append_only" in shop.check().errors


def test_a190_conflict_markers(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    ledger = shop.read(".freeze/ledger.jsonl")
    shop.write(".freeze/ledger.jsonl", b"<<<<<<< HEAD\n" + ledger + b">>>>>>> main\n")
    assert_refused(shop, "ledger.conflict_markers")


@pytest.mark.parametrize("keep", [True, False])
def test_a192_ledger_renamed(shop: Story, keep: bool) -> None:
    shop.patch().freeze()
    land(shop)
    shop.git("mv", ".freeze/ledger.jsonl", ".freeze/old.jsonl")
    if keep:
        shop.write(".freeze/ledger.jsonl", "")
    assert_refused(shop, "ledger.not_append_only")


def test_a193_the_same_row_twice(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    ledger = shop.read(".freeze/ledger.jsonl")
    shop.write(".freeze/ledger.jsonl", ledger + ledger)
    assert_refused(shop, "ledger.duplicate_row")


@pytest.mark.parametrize("name", ["notes.txt", "allowed_signers", "snapshots/order.json", "a/b"])
def test_strangers_in_our_folder(shop: Story, name: str) -> None:
    shop.write(f".freeze/{name}", "x")
    assert_refused(shop, "path.unexpected")


def test_a_snapshot_that_no_line_names(shop: Story) -> None:
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    shop.write(f".freeze/snapshots/{digest}", "x")
    assert_refused(shop, "path.unexpected")


def test_a_snapshot_of_an_active_freeze_stays(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    shop.git("rm", "-q", "-r", ".freeze/snapshots")
    assert_refused(shop, "fixture.missing")


@pytest.mark.parametrize(
    "content", ["{}", '{"schema":"freezegate/evidence/v1"}\n', "not json", "[1,1]"]
)
def test_evidence_that_does_not_decode(shop: Story, content: str) -> None:
    shop.write(f".freeze/evidence/{'0' * 64}.json", content)
    for answer in both(shop):
        assert any(code.startswith("record.") for code in answer.errors)


def protected(shop: Story) -> Story:
    """Let a policy land that protects the payments."""
    policy = POLICY.format(preset="basic")
    policy += '[protected]\npaths = ["src/payments/**"]\ntags = ["money"]\n'
    shop.write("src/payments/pay.py", "")
    shop.write(".freeze/policy.toml", policy)
    shop.write(".freeze/catalog.toml", CATALOG + 'tags = ["money"]\n').commit("protect")
    land(shop)
    return shop


def test_a210_a_patch_in_a_protected_area_beside_a_freeze(shop: Story) -> None:
    protected(shop).write("src/payments/pay.py", "x = 1\n").patch().request().write(shop.root)
    assert_refused(shop, "area.protected")


def test_a210_a_patch_in_a_protected_area_needs_a_person(shop: Story) -> None:
    protected(shop).write("src/payments/pay.py", "x = 1\n")
    for answer in both(shop):
        assert answer.verdict == "accepted"
        assert answer.finding("area.needs_human")["severity"] == "warning"


def test_a208_a_property_with_a_protected_tag(shop: Story) -> None:
    protected(shop).patch().request(property_id=PROPERTY).write(shop.root)
    assert_refused(shop, "area.protected")


def test_a208_a_property_that_may_not_be_frozen(shop: Story) -> None:
    shop.write(".freeze/catalog.toml", CATALOG + "freezable = false\n").commit("never freeze")
    land(shop)
    shop.patch().request(property_id=PROPERTY).write(shop.root)
    assert_refused(shop, "area.protected")


def test_a_case_of_a_family_that_may_not_be_frozen(shop: Story) -> None:
    """The entry names the function, the request one of its cases."""
    family = TEST_ID.replace("test_total", "test_family")
    other = CATALOG.replace("order_total", "order_size").replace(TEST_ID, family)
    shop.write(".freeze/catalog.toml", f"{CATALOG}{other}freezable = false\n")
    shop.commit("never freeze the family")
    land(shop)
    shop.patch().request(test_id=f"{family}[1]").write(shop.root)
    assert_refused(shop, "area.protected")


def test_a_record_that_nothing_repeats(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ".freeze/ledger.jsonl").unlink()
    assert_refused(shop, "record.not_in_ledger")


def test_a_line_that_the_record_contradicts(shop: Story) -> None:
    shop.patch().request(line={"owner": "bob"}).write(shop.root)
    for answer in both(shop):
        assert "owner" in answer.finding("record.not_in_ledger")["got"]


def test_a_line_without_a_record(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ".freeze/record.json").unlink()
    assert_refused(shop, "record.missing")


def test_an_old_record_asks_for_nothing(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    shop.patch("# unrelated\n")
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert not answer.document["transitions"][0]["freezes"]
    assert TEST_ID in shop.read(".freeze/record.json").decode()
