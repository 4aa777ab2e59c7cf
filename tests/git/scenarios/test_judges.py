"""Corpus groups `judge` and `policy`: who may change what judges, and when."""

from __future__ import annotations

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused, both
from tests.support import CATALOG, ORACLE, POLICY, PROPERTY, Story, start

POLICY_FILE = ".freeze/policy.toml"
WORKFLOW = "on: push\njobs:\n  gate:\n    steps:\n      - run: freezegate check\n"


def test_h051_new_property_catalogue_entry_and_fixture_without_a_freeze(shop: Story) -> None:
    shop.write("tests/fixtures/new.json", "{}\n")
    entry = CATALOG.replace("order_total", "order_size").replace("order.json", "new.json")
    shop.write(".freeze/catalog.toml", CATALOG + entry)
    for answer in both(shop):
        assert answer.verdict == "accepted"
        told = answer.finding("judge.change_alone")
        assert told["severity"] == "note"
        assert told["got"].startswith("changed by the patch;")


def test_h052_version_bump_beside_a_freeze(shop: Story) -> None:
    project = '[project]\nname = "shop"\nversion = "1"\n\n[tool.pytest.ini_options]\n'
    shop.on("main").write("pyproject.toml", project).commit("a project file")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").write("pyproject.toml", project.replace('"1"', '"2"')).patch()
    shop.request().write(shop.root)
    assert_accepted(shop)


def test_h054_new_conftest_in_an_unrelated_tree_beside_a_freeze(shop: Story) -> None:
    shop.write("tests/other/conftest.py", "import pytest\n").patch().request().write(shop.root)
    assert_accepted(shop)


def test_h055_production_code_that_the_oracle_imports_beside_a_freeze(shop: Story) -> None:
    oracle = "from shop.order import total\n\n\ndef test_total_is_never_negative():\n    assert 1\n"
    shop.on("main").write(ORACLE, oracle).commit("an oracle that imports")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().request().write(shop.root)
    assert_accepted(shop)


@pytest.mark.parametrize("path", [".github/workflows/docs.yml", ".gitlab-ci.yml"])
def test_h058_ci_files_that_do_not_call_the_gate(shop: Story, path: str) -> None:
    shop.write(path, "on: push\n").patch().request().write(shop.root)
    assert_accepted(shop)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(POLICY_FILE, id="a159_policy"),
        pytest.param(".freeze/catalog.toml", id="a160_catalogue"),
        pytest.param(".freeze/fixtures.sha256", id="lock"),
        pytest.param(".pre-commit-config.yaml", id="a163_pre_commit"),
        pytest.param("prek.toml", id="a163_prek"),
        pytest.param("lefthook.yml", id="a163_lefthook"),
        pytest.param("lefthook.yaml", id="a163_lefthook_yaml"),
        pytest.param(".husky/pre-push", id="a163_husky"),
        pytest.param(".githooks/pre-commit", id="a163_githooks"),
        pytest.param(".githooks/lib/x.sh", id="a163_githooks_below"),
        pytest.param(".github/workflows/gate.yml", id="a163_workflow"),
        pytest.param(".gitlab-ci.yml", id="a163_gitlab"),
        pytest.param(".circleci/config.yml", id="a163_circleci"),
    ],
)
def test_a159_a160_a163_judges_changed_beside_a_freeze(shop: Story, path: str) -> None:
    contents = {
        POLICY_FILE: POLICY.format(preset="basic") + "\n[freeze]\nmax_active = 9999\n",
        ".freeze/catalog.toml": CATALOG.replace("never", "hardly ever"),
        ".freeze/fixtures.sha256": "",
    }
    shop.write(path, contents.get(path, WORKFLOW)).patch().request().write(shop.root)
    assert_refused(shop, "judge.changed_with_freeze")


def test_a163_taking_the_gate_out_of_a_workflow_beside_a_freeze(shop: Story) -> None:
    shop.on("main").write(".github/workflows/gate.yml", WORKFLOW).commit("a gate in CI")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").write(".github/workflows/gate.yml", "on: push\n").patch()
    shop.request().write(shop.root)
    assert_refused(shop, "judge.changed_with_freeze")


def test_a160_a_property_that_only_the_patch_knows(shop: Story) -> None:
    shop.write(".freeze/catalog.toml", CATALOG + CATALOG.replace("order_total", "order_size"))
    shop.patch().request(property_id="order_size.non_negative").write(shop.root)
    assert_refused(shop, "budget.id_not_catalogued")


def test_a160_a_catalogued_property_is_honest(shop: Story) -> None:
    shop.patch().request(property_id=PROPERTY).write(shop.root)
    assert_accepted(shop)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("test_id", "tests/test_order.py::test_other"),
        ("oracle_path", "tests/properties/test_second.py"),
        ("fixture_path", "tests/fixtures/second.json"),
    ],
)
def test_a160_values_that_contradict_the_catalogue(shop: Story, key: str, value: str) -> None:
    shop.patch().request(property_id=PROPERTY, record={key: value}).write(shop.root)
    assert_refused(shop, "record.contradicts_catalog")


def test_a162_policy_removed(shop: Story) -> None:
    (shop.root / POLICY_FILE).unlink()
    assert_refused(shop, "judge.invalid_new_policy")


def test_a162_policy_turned_into_a_link(shop: Story) -> None:
    (shop.root / POLICY_FILE).unlink()
    (shop.root / POLICY_FILE).symlink_to("catalog.toml")
    assert_refused(shop, "judge.invalid_new_policy")


def test_a162_our_folder_turned_into_a_link(shop: Story) -> None:
    shop.git("mv", ".freeze", "elsewhere")
    (shop.root / ".freeze").symlink_to("elsewhere")
    assert_refused(shop, "judge.invalid_new_policy")


@pytest.mark.parametrize("attribute", ["export-ignore", "export-subst", "text eol=crlf"])
def test_a165_attributes_of_the_oracle_beside_a_freeze(shop: Story, attribute: str) -> None:
    shop.write(".gitattributes", f"{ORACLE} {attribute}\n").patch().request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


def test_a166_union_merges_of_the_ledger_beside_a_freeze(shop: Story) -> None:
    shop.write(".gitattributes", ".freeze/ledger.jsonl merge=union\n").patch()
    shop.request().write(shop.root)
    assert_refused(shop, "domain.config_changed")


def test_a166_a_history_row_that_a_union_merge_kept_twice(shop: Story) -> None:
    shop.patch().freeze()
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later")
    line = shop.read(".freeze/ledger.jsonl")
    shop.write(".freeze/ledger.jsonl", line.replace(b'"runs":2', b'"runs":3') + line)
    assert_refused(shop, "ledger.not_append_only")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[gate]\nenabled = false\n", id="a168_switched_off"),
        pytest.param("enabled = false\n", id="a168_switched_off_at_the_top"),
        pytest.param("[evidence]\nruns = 1\n", id="a168_one_run"),
        pytest.param("[evidence]\nruns = 0\n", id="a168_no_run"),
        pytest.param("[base]\ntargets = []\n", id="a168_no_target"),
        pytest.param("version = 2\n", id="a168_another_version"),
        pytest.param("not toml", id="a168_no_toml"),
    ],
)
def test_a168_a_policy_that_switches_itself_off(shop: Story, text: str) -> None:
    policy = POLICY.format(preset="basic")
    table = text.split("\n")[0]
    if table in policy:
        policy = policy.replace('[base]\ntargets = ["refs/heads/main", "refs/heads/release/*"]', "")
    shop.write(POLICY_FILE, text + policy if "=" in table else policy + text)
    assert_refused(shop, "judge.invalid_new_policy")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("tests/properties/**", "Tests/properties/**", id="a169_wrong_case"),
        pytest.param("src/**", "lib/**", id="a169_no_such_folder"),
        pytest.param("tests/fixtures/**", "tests/fixtures/*.yaml", id="a169_no_such_ending"),
    ],
)
def test_a169_a_glob_that_guards_nothing(shop: Story, old: str, new: str) -> None:
    shop.write(POLICY_FILE, POLICY.format(preset="basic").replace(old, new))
    for answer in both(shop):
        assert answer.errors == {"judge.invalid_new_policy"}
        assert new in answer.finding("judge.invalid_new_policy")["got"]


def test_a169_a_catalogue_that_names_files_that_are_not_there(shop: Story) -> None:
    shop.write(".freeze/catalog.toml", CATALOG.replace("order.json", "gone.json"))
    assert_refused(shop, "judge.invalid_new_policy")


def test_a_policy_change_alone_is_noted(shop: Story) -> None:
    shop.write(POLICY_FILE, POLICY.format(preset="strict"))
    for answer in both(shop):
        assert answer.verdict == "accepted"
        assert answer.finding("judge.change_alone")["severity"] == "note"


@pytest.mark.parametrize(
    ("weight", "verdict"), [("note", "accepted"), ("warn", "accepted"), ("refuse", "refused")]
)
def test_a_policy_may_refuse_changes_of_judges(shop: Story, weight: str, verdict: str) -> None:
    policy = POLICY.format(preset="basic") + f'[judges]\nchange = "{weight}"\n'
    shop.on("main").write(POLICY_FILE, policy).commit("judges")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").write(".freeze/fixtures.sha256", "").commit("unlock")
    assert shop.check().verdict == verdict


@pytest.mark.parametrize("preset", ["standard", "strict"])
def test_standard_and_strict_open_no_freeze_yet(
    tmp_path_factory: pytest.TempPathFactory, preset: str
) -> None:
    shop = start(tmp_path_factory.mktemp(preset), preset=preset).branch("topic")
    shop.patch().request(property_id=PROPERTY).write(shop.root)
    assert_refused(shop, "evidence.missing")
