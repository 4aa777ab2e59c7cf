"""Corpus group `digest`: digests in another spelling, and bytes that are not those of the blob."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.git.scenarios.asking import assert_refused
from tests.support import FILES, FIXTURE, ORACLE, Story, git_environment, lock_line

GOOD = hashlib.sha256(FILES[FIXTURE].encode()).hexdigest()


@pytest.mark.parametrize(
    "digest",
    [
        pytest.param(GOOD.upper(), id="a027_upper_case"),
        pytest.param(f"sha256:{GOOD}", id="a028_algorithm_prefix"),
        pytest.param(hashlib.sha1(b"x").hexdigest(), id="a030_sha1"),  # noqa: S324 - the trick
        pytest.param(GOOD[:63], id="one_digit_short"),
        pytest.param(f" {GOOD}", id="leading_space"),
        pytest.param("", id="empty"),
        pytest.param("٣" * 64, id="digits_of_another_script"),
    ],
)
def test_a027_a028_a030_digests_in_another_spelling(shop: Story, digest: str) -> None:
    shop.patch().request(record={"fixture_sha256": digest}).write(shop.root)
    assert_refused(shop, "digest.bad_format")


def test_a031_trailing_newline_is_no_digest(shop: Story) -> None:
    shop.patch().request(record={"fixture_sha256": GOOD + "\n"}).write(shop.root)
    assert_refused(shop, "record.bad_string")


def test_a033_attributes_that_rewrite_the_fixture_beside_a_freeze(shop: Story) -> None:
    shop.write(".gitattributes", "tests/fixtures/* ident\n").patch()
    shop.request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


@pytest.mark.parametrize(
    "line",
    ["*.json working-tree-encoding=latin-1", "fixtures/** text eol=crlf", "*.json filter=lfs"],
)
def test_a033_nested_attributes_files_count(shop: Story, line: str) -> None:
    shop.write("tests/.gitattributes", line + "\n").patch()
    shop.request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


def test_a033_attributes_that_reach_nothing_guarded_are_honest(shop: Story) -> None:
    shop.write(".gitattributes", "*.png binary\nassets/** -text\n").patch().freeze()
    assert shop.check().verdict == "accepted"


def test_a033_a_filtered_fixture_at_the_base_is_warned_of(shop: Story) -> None:
    shop.on("main").write(".gitattributes", "*.json text eol=crlf\n").commit("attributes")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().freeze()
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert answer.finding("path.filtered")["severity"] == "warning"


def test_a034_lfs_pointer_hashed_as_the_fixture(shop: Story) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{GOOD}\nsize 21\n"
    shop.on("main").write(FIXTURE, pointer)
    shop.write(".freeze/fixtures.sha256", lock_line(FIXTURE, pointer)).commit("to LFS")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().request().write(shop.root)
    assert_refused(shop, "path.lfs_pointer")


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param("{short}", id="a036_abbreviated"),
        pytest.param("HEAD^:" + ORACLE, id="a037_revision_expression"),
        pytest.param("@{{1}}", id="a037_reflog_expression"),
        pytest.param("{upper}", id="upper_case"),
        pytest.param("{sha256}", id="sha256_of_the_oracle"),
    ],
)
def test_a036_a037_oracle_blob_that_is_no_whole_id(shop: Story, spelling: str) -> None:
    blob = shop.rev(f"HEAD:{ORACLE}")
    value = spelling.format(short=blob[:7], upper=blob.upper(), sha256=GOOD)
    shop.patch().request(record={"oracle_blob": value}).write(shop.root)
    assert_refused(shop, "digest.bad_format")


def test_a_digest_of_other_bytes_is_a_mismatch(shop: Story) -> None:
    shop.patch().request(record={"fixture_sha256": "0" * 64}).write(shop.root)
    assert_refused(shop, "digest.mismatch")


def test_a_snapshot_with_other_bytes_is_a_mismatch(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    shop.write(f".freeze/snapshots/{GOOD}", "other bytes")
    assert_refused(shop, "digest.mismatch")


def test_a_missing_snapshot_is_refused(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ".freeze/snapshots" / GOOD).unlink()
    assert_refused(shop, "fixture.missing")


def test_a_lock_that_nobody_kept_up_is_told_as_such(shop: Story) -> None:
    shop.on("main").write(FIXTURE, '{"lines": [2, 4]}\n').commit("another order")
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert answer.finding("fixture.lock_stale")["severity"] == "warning"
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().request().write(shop.root)
    assert_refused(shop, "fixture.lock_stale")


def test_a_change_that_keeps_the_lock_is_not_warned_of(shop: Story) -> None:
    content = '{"lines": [2, 4]}\n'
    shop.write(FIXTURE, content).write(".freeze/fixtures.sha256", lock_line(FIXTURE, content))
    shop.commit("another order, locked")
    assert "fixture.lock_stale" not in shop.check().codes


def test_the_remedy_for_a_missing_snapshot_works_as_it_stands(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ".freeze/snapshots" / GOOD).unlink()
    shop.commit("forgot the snapshot")
    remedy = shop.check().finding("fixture.missing")["remedy"]
    subprocess.run(["sh", "-c", remedy], cwd=shop.root / "src", env=git_environment(), check=True)
    shop.git("commit", "-q", "--amend", "--no-edit", "--no-verify")
    assert shop.check().verdict == "accepted"


def test_a_line_that_does_not_decode_is_the_only_complaint(shop: Story) -> None:
    shop.patch().request(line={"runs": 9}).write(shop.root)
    shop.commit("a wrong count")
    assert shop.check().errors == {"ledger.bad_row"}


def test_the_remedy_for_a_stale_lock_writes_that_line_and_no_other(shop: Story) -> None:
    twin = FIXTURE + "5"
    locks = lock_line(FIXTURE, FILES[FIXTURE]) + lock_line(twin, "{}")
    shop.write(twin, "{}").write(".freeze/fixtures.sha256", locks).commit("two fixtures")
    shop.write(FIXTURE, '{"lines": [6]}\n').commit("another order")
    remedy = shop.check().finding("fixture.lock_stale")["remedy"].partition(": ")[2]
    environ = git_environment()
    environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
    subprocess.run(["sh", "-ec", remedy], cwd=shop.root / "src", env=environ, check=True)
    expected = lock_line(FIXTURE, '{"lines": [6]}\n') + lock_line(twin, "{}")
    assert shop.read(".freeze/fixtures.sha256").decode() == expected
    shop.commit("as the remedy says")
    assert "fixture.lock_stale" not in shop.check().codes


def test_a_locked_file_beyond_the_limit_is_no_obstacle_without_a_freeze(shop: Story) -> None:
    huge = "tests/fixtures/huge.bin"
    lock = lock_line(huge, "before") + lock_line(FIXTURE, FILES[FIXTURE])
    shop.write(huge, "before").write(".freeze/fixtures.sha256", lock).commit("a big fixture")
    shop.write(huge, bytes(65 * 1024 * 1024)).commit("bigger")
    assert shop.check().verdict == "accepted"
