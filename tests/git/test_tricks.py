"""Tricks that once passed, or honest work that once did not: each kind stays closed or open."""

from __future__ import annotations

import subprocess
import sys

import pytest

from freezegate.formats.strict_json import dump_canonical
from tests.git.scenarios.asking import assert_accepted, assert_refused
from tests.support import CATALOG, ORACLE, POLICY, PROPERTY, TEST_ID, Answer, Story, git_environment

WEAK = "def test_total_is_never_negative():\n    pass\n"


def land(shop: Story, message: str = "land") -> str:
    """Land what `topic` holds, the work tree included, on `main`, and come back to `topic`."""
    shop.git("add", "-A", "-f")
    shop.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic")
    return shop.rev("main")


def base_of(answer: Answer) -> str:
    """Return the place where T was found."""
    return str(answer.document["transitions"][0]["base"]["from"])


# Who says what is a target


def test_a_branch_whose_policy_lists_itself_is_not_its_own_judge(shop: Story) -> None:
    policy = POLICY.format(preset="basic").replace(
        '"refs/heads/main"', '"refs/heads/topic", "refs/heads/main"'
    )
    shop.write(".freeze/policy.toml", policy).write(ORACLE, WEAK).commit("mine alone")
    shop.git("push", "-q", "-u", "origin", "topic")
    shop.patch().freeze(base="origin/main")
    answer = shop.check()
    assert base_of(answer) == "refs/remotes/origin/main"
    assert {"oracle.changed", "judge.changed_with_freeze"} <= answer.errors
    shop.git("remote", "set-head", "origin", "--delete")
    assert base_of(shop.check()) == "refs/remotes/origin/main"
    assert "oracle.changed" in shop.check().errors


def test_two_branches_that_list_only_themselves_are_no_answer(shop: Story) -> None:
    policy = POLICY.format(preset="basic").replace("refs/heads/main", "refs/heads/topic")
    shop.write(".freeze/policy.toml", policy).commit("mine alone")
    shop.git("push", "-q", "-u", "origin", "topic")
    shop.git("remote", "set-head", "origin", "--delete")
    shop.patch()
    assert (shop.check().status, shop.check().errors) == (2, {"base.none"})


@pytest.mark.parametrize("targets", ['["refs/heads/mian"]', '["refs/heads/release/*"]'])
def test_a_policy_that_forgets_the_target_is_refused(shop: Story, targets: str) -> None:
    old = '["refs/heads/main", "refs/heads/release/*"]'
    policy = POLICY.format(preset="basic").replace(old, targets)
    shop.write(".freeze/policy.toml", policy).commit("rename the target")
    answer = shop.check()
    assert answer.errors == {"judge.invalid_new_policy"}
    assert answer.finding("judge.invalid_new_policy")["about"] == "base.targets"
    assert shop.check("--base", "main").errors == {"judge.invalid_new_policy"}


def test_a_policy_may_take_up_and_drop_other_targets(shop: Story) -> None:
    old = '["refs/heads/main", "refs/heads/release/*"]'
    new = '["refs/heads/main", "refs/heads/stable"]'
    shop.write(".freeze/policy.toml", POLICY.format(preset="basic").replace(old, new))
    assert_accepted(shop)


def test_other_spellings_of_head_have_the_same_base(shop: Story) -> None:
    shop.git("push", "-q", "origin", "main:refs/heads/release/1")
    shop.on("main").write("src/shop/other.py", "").commit("newer")
    shop.git("push", "-q", "origin", "main")
    shop.branch("fix", "origin/release/1").patch()
    shop.git("branch", "-q", "--set-upstream-to=origin/release/1")
    bases = {
        base_of(shop.check("--rev", r)) for r in ("HEAD", "@", "HEAD~0", shop.rev("HEAD"), "fix")
    }
    assert bases == {"refs/remotes/origin/release/1"}


# Properties and budgets


@pytest.mark.parametrize("property_id", [PROPERTY, "order_size.unknown"])
def test_leaving_the_property_out_of_the_record_hides_nothing(
    shop: Story, property_id: str
) -> None:
    shop.write(".freeze/catalog.toml", CATALOG + "freezable = false\n")
    land(shop)
    shop.patch().request(line={"property_id": property_id}, drop=["property_id"]).write(shop.root)
    assert_refused(shop, "area.protected")


def test_a_test_that_must_stay_red_is_known_without_its_property(shop: Story) -> None:
    shop.write(".freeze/catalog.toml", CATALOG + "freezable = false\n")
    land(shop)
    shop.patch().request().write(shop.root)
    assert_refused(shop, "area.protected")


def test_lifting_and_freezing_again_in_one_patch_is_a_renewal(shop: Story) -> None:
    shop.patch().freeze()
    freeze = shop.check().document["transitions"][0]["freezes"][0]["freeze"]
    base = shop.rev("main")
    land(shop)
    digest = next((shop.root / ".freeze/snapshots").iterdir()).name
    lifted = {
        "event": "lifted",
        "freeze": freeze,
        "base_rev": base,
        "fixture_sha256": digest,
        "reason": "again",
        "owner": "ada",
    }
    shop.append(lifted).patch("# again\n").request().write(shop.root)
    assert_refused(shop, "budget.refreeze_without_new_evidence")


def test_an_invented_parameter_is_the_same_test_for_the_budget(shop: Story) -> None:
    shop.patch().freeze()
    land(shop)
    shop.patch("# more\n").request(record={"test_id": f"{TEST_ID}[x]"}).write(shop.root)
    assert_refused(shop, "budget.exceeded")


# Attributes that git reads in its own way


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('"tests/fixtures/order.json" text eol=crlf', id="quoted"),
        pytest.param('"tests/fixtures/\\157rder.json" eol=crlf', id="quoted_octal"),
        pytest.param("order.json foo=a\x0cb text eol=crlf", id="form_feed_in_a_value"),
        pytest.param("order.json foo=a\u0085b eol=crlf", id="next_line_in_a_value"),
        pytest.param("order.json\teol=crlf\r", id="tab_and_carriage_return"),
        pytest.param("[attr]dos text eol=crlf\norder.json dos", id="a_macro_of_its_own"),
        pytest.param("order.json merge=ours", id="merge_driver"),
    ],
)
def test_attributes_beside_a_freeze(shop: Story, line: str) -> None:
    shop.write(".gitattributes", line + "\n").patch().request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


@pytest.mark.parametrize("line", ["order.json dos", "order.json -dos"])
def test_macros_that_stood_there_already(shop: Story, line: str) -> None:
    macro = "[attr]dos text eol=crlf\n"
    shop.write(".gitattributes", macro)
    land(shop)
    shop.write(".gitattributes", macro + line + "\n").patch().request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


@pytest.mark.parametrize(
    "line", ["order.json diff=json", "order.json linguist-generated", "*.json -whitespace"]
)
def test_attributes_that_only_show_files_otherwise_are_honest(shop: Story, line: str) -> None:
    shop.write(".gitattributes", line + "\n").patch().request().write(shop.root)
    assert_accepted(shop)


# Ledgers that met elsewhere


def test_a_branch_stacked_on_one_that_was_squashed(shop: Story) -> None:
    shop.patch().freeze()
    shop.branch("stacked").patch("# on top\n")
    shop.on("main").git("merge", "-q", "--squash", "topic")
    shop.commit("squashed")
    shop.git("push", "-q", "origin", "main")
    shop.on("stacked")
    answer = shop.check()
    assert answer.verdict == "accepted", answer.output
    assert not answer.document["transitions"][0]["freezes"]


def test_merging_a_target_that_holds_a_new_freeze(shop: Story) -> None:
    shop.branch("old").patch("# old work\n")
    shop.on("topic").write("src/shop/b.py", "").commit("b")
    shop.freeze()
    land(shop)
    shop.on("old").git("merge", "-q", "--no-ff", "--no-commit", "main")
    (shop.root / ".git/MERGE_HEAD").rename(shop.root / "held")  # pre-merge-commit sees none
    answer = shop.check("--staged")
    assert answer.verdict == "accepted", answer.output
    (shop.root / "held").rename(shop.root / ".git/MERGE_HEAD")
    assert shop.check("--staged").verdict == "accepted"
    shop.git("commit", "-q", "--no-edit", "--no-verify")
    assert shop.check().verdict == "accepted"


def test_a_line_that_landed_elsewhere_is_no_new_request(shop: Story) -> None:
    shop.patch().freeze()
    line = shop.read(".freeze/ledger.jsonl")
    shop.branch("other", "main").write("src/shop/b.py", "").commit("b")
    shop.request(test_id="tests/test_order.py::test_other").write(shop.root)
    shop.append(line).commit("a freeze, and the other branch's line")
    shop.git("push", "-q", "origin", "other:main")
    shop.git("fetch", "-q", "origin")
    shop.on("topic")
    answer = shop.check()
    assert answer.errors <= {"ledger.duplicate_row", "record.not_in_ledger"}
    assert "ledger.duplicate_row" in answer.errors


# Names


@pytest.mark.parametrize("twin", [".fr\u200ceeze/x", ".freeze./x", ".freeze /x", ".FREEZE/x"])
def test_second_spellings_of_our_folder(shop: Story, twin: str) -> None:
    shop.plumb({twin: ("100644", shop.blob("x"))})
    assert shop.check().errors == {"path.fold_collision"}


@pytest.mark.parametrize(
    "twin",
    ["tests/fixtures/ord\u200cer.json", "tests/fixtures/order.json.", "tests/Test_order.py"],
)
def test_second_spellings_of_what_a_freeze_names(shop: Story, twin: str) -> None:
    shop.patch().freeze()
    shop.plumb({twin: ("100644", shop.blob("x"))})
    assert "path.fold_collision" in shop.check().errors


@pytest.mark.parametrize("name", ["n" * 2000, "/".join(["n" * 200] * 30)])
def test_paths_that_no_file_system_holds(shop: Story, name: str) -> None:
    shop.plumb({name: ("100644", shop.blob("x"))})
    assert (shop.check().status, shop.check().errors) == (1, {"path.too_long"})


# Sizes that once took minutes or gigabytes


def test_ten_thousand_new_folders_beside_a_freeze(shop: Story) -> None:
    shop.patch()
    blob = shop.blob("x")
    shop.plumb({f"new{number}/x": ("100644", blob) for number in range(10_000)})
    shop.git("reset", "-q", "--hard")
    shop.freeze()
    assert shop.check().verdict == "accepted"


def test_a_ledger_that_grows_by_megabytes(shop: Story) -> None:
    line = dump_canonical({"event": "classified", "reason": "n" * 200_000}) + b"\n"
    shop.append(line * 10).commit("a long story")
    assert shop.check().errors == {"record.too_large"}


def test_many_short_lines(shop: Story) -> None:
    shop.append(b"{}\n" * 5000).commit("many")
    answer = shop.check()
    assert answer.errors == {"record.too_large"}
    assert len(answer.findings) == 1


# Damage


def test_a_missing_tree_of_head_is_no_answer_for_the_index(shop: Story) -> None:
    tree = shop.rev("HEAD^{tree}")
    (shop.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    answer = shop.check("--staged")
    assert (answer.status, answer.verdict) == (2, "undecided")


def test_a_shallow_file_that_is_a_folder(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    (shop.root / ".git/shallow").mkdir()
    status, _ = shop.run("check")
    assert status == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_configured_target_of_bytes_that_are_no_text(shop: Story) -> None:
    config = shop.root / ".git/config"
    config.write_bytes(config.read_bytes() + b"[freezegate]\n\ttarget = refs/remotes/caf\xe9\n")
    assert (shop.check().status, shop.check().errors) == (2, {"base.mismatch"})


def test_escape_sequences_on_the_command_line(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        shop.run("check", "\x1b[31mRED")
    assert stop.value.code == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_module_of_the_judged_repository_is_not_imported(shop: Story) -> None:
    shop.write("pygit2.py", "raise SystemExit(0)\n").write("argparse.py", "raise SystemExit(0)\n")
    shop.write(".freeze/record.json", "{}").commit("a shadow")
    done = subprocess.run(
        [sys.executable, "-m", "freezegate", "check"],
        cwd=shop.root,
        env=git_environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
