"""The policy: a preset underneath, what the repository says on top, and nothing unknown."""

from __future__ import annotations

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.policy import built_in, dump_policy, parse_policy
from freezegate.policy.settings import MuteFamily, Policy, Preset, Weight
from freezegate.resources import read_shipped

HEAD = 'version = 1\n[base]\ntargets = ["refs/heads/main"]\n'


def _policy(more: str = "") -> Policy:
    return parse_policy(f"{HEAD}{more}".encode())


def _refusal(text: str) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        parse_policy(text.encode())
    return refused.value


def test_the_values_of_standard_are_those_of_the_specification() -> None:
    policy = _policy()
    assert policy.preset is Preset.STANDARD
    assert (policy.runner.python, policy.runner.pythonpath) == ("3.12", ("src",))
    assert policy.runner.plugins is None
    evidence = policy.evidence
    assert (evidence.runs, evidence.max_runs, evidence.timeout_s) == (7, 50, 120)
    assert (evidence.max_base_age_commits, dict(evidence.tags)) == (200, {})
    freeze = policy.freeze
    assert (freeze.max_active, freeze.max_active_per_property) == (5, 1)
    assert (freeze.max_active_per_test, freeze.max_active_per_file) == (1, 2)
    assert (freeze.max_lifetime_days, freeze.max_lifetime_commits) == (14, 200)
    assert (freeze.max_renewals, freeze.grace_days) == (1, 3)
    assert policy.judge_change is Weight.NOTE
    assert (policy.wall_s, policy.max_changed_entries) == (4, 100_000)


def test_the_mutes_of_standard_are_the_defaults_of_the_specification() -> None:
    softer = {MuteFamily.SUBJECT, MuteFamily.GATE}
    expected = {each: Weight.WARN if each in softer else Weight.REFUSE for each in MuteFamily}
    assert _policy().mutes == expected


def test_a_preset_guards_no_paths_of_its_own() -> None:
    policy = _policy()
    assert policy.targets == ("refs/heads/main",)
    assert policy.subject_paths == policy.oracle_paths == policy.domain_paths == ()
    assert policy.fixture_paths == policy.protected_paths == policy.protected_tags == ()


@pytest.mark.parametrize(
    ("name", "runs", "renewals", "change"),
    [
        pytest.param("basic", 2, 0, Weight.NOTE, id="basic"),
        pytest.param("standard", 7, 1, Weight.NOTE, id="standard"),
        pytest.param("strict", 20, 1, Weight.WARN, id="strict"),
    ],
)
def test_presets_differ_in_what_a_freeze_must_bring(
    name: str, runs: int, renewals: int, change: Weight
) -> None:
    policy = parse_policy(f'extends = "{name}"\n{HEAD}'.encode())
    assert policy.preset == name
    assert (policy.evidence.runs, policy.freeze.max_renewals) == (runs, renewals)
    assert policy.judge_change is change


@pytest.mark.parametrize("name", [pytest.param(preset, id=preset.value) for preset in Preset])
def test_a_shipped_preset_says_what_extending_it_gives(name: Preset) -> None:
    shipped = read_shipped("policy", f"{name}.toml").decode()
    alone = parse_policy(f'{shipped}\n[base]\ntargets = ["refs/heads/main"]\n'.encode())
    extended = parse_policy(f'extends = "{name}"\n{HEAD}'.encode())
    assert alone == extended


def test_a_built_in_policy_protects_no_ref() -> None:
    policy = built_in(Preset.STRICT)
    assert (policy.preset, policy.targets, policy.evidence.runs) == (Preset.STRICT, (), 20)


def test_single_values_override_and_their_neighbours_stay() -> None:
    policy = _policy("[evidence]\nruns = 9\n[mutes]\nsubject = 'off'\n")
    assert (policy.evidence.runs, policy.evidence.max_runs) == (9, 50)
    assert policy.mutes[MuteFamily.SUBJECT] is Weight.OFF
    assert policy.mutes[MuteFamily.MARKER] is Weight.REFUSE


def test_lists_replace_those_of_the_preset() -> None:
    assert _policy("[runner]\npythonpath = []\n").runner.pythonpath == ()
    assert _policy('[runner]\npythonpath = ["lib"]\n').runner.pythonpath == ("lib",)


def test_an_empty_list_of_plugins_loads_none_and_no_list_loads_what_is_installed() -> None:
    assert _policy("[runner]\nplugins = []\n").runner.plugins == ()
    assert _policy().runner.plugins is None


def test_tags_raise_the_number_of_runs() -> None:
    policy = _policy('[evidence.tags]\nclock = 20\n"two words" = 3\n')
    assert dict(policy.evidence.tags) == {"clock": 20, "two words": 3}


def test_guarded_and_protected_paths_are_kept_in_order() -> None:
    policy = _policy(
        '[subject]\npaths = ["src/**", "!src/gen/**"]\n[oracle]\npaths = ["tests/props/*.py"]\n'
        '[domain]\npaths = ["tests/strategies/**"]\n[fixtures]\npaths = ["tests/fixtures/**"]\n'
        '[protected]\npaths = ["src/payments/**"]\ntags = ["payments"]\n'
    )
    assert policy.subject_paths == ("src/**", "!src/gen/**")
    assert policy.oracle_paths == ("tests/props/*.py",)
    assert policy.domain_paths == ("tests/strategies/**",)
    assert policy.fixture_paths == ("tests/fixtures/**",)
    assert (policy.protected_paths, policy.protected_tags) == (("src/payments/**",), ("payments",))


@pytest.mark.parametrize(
    ("text", "code", "place", "line"),
    [
        pytest.param("", "record.missing_key", "version", None, id="empty_file"),
        pytest.param("version = 1\n", "record.missing_key", "base", None, id="no_base"),
        pytest.param(
            "version = 1\n[base]\n", "record.missing_key", "base.targets", None, id="no_targets"
        ),
        pytest.param(
            "version = 1\n[base]\ntargets = []\n",
            "record.wrong_type",
            "base.targets",
            3,
            id="empty_list_of_targets",
        ),
        pytest.param(
            'version = 1\n[base]\ntargets = "refs/heads/main"\n',
            "record.wrong_type",
            "base.targets",
            3,
            id="text_for_targets",
        ),
        pytest.param(
            'version = 2\n[base]\ntargets = ["refs/heads/main"]\n',
            "record.wrong_type",
            "version",
            1,
            id="version_2",
        ),
        pytest.param(
            'version = "1"\n[base]\ntargets = ["refs/heads/main"]\n',
            "record.wrong_type",
            "version",
            1,
            id="version_as_text",
        ),
        pytest.param(
            'version = true\n[base]\ntargets = ["refs/heads/main"]\n',
            "record.wrong_type",
            "version",
            1,
            id="true_for_version_1",
        ),
        pytest.param(
            f'extends = "lax"\n{HEAD}', "record.wrong_type", "extends", 1, id="unknown_preset"
        ),
        pytest.param(
            f'extends = "../strict"\n{HEAD}',
            "record.wrong_type",
            "extends",
            1,
            id="preset_that_climbs",
        ),
        pytest.param(
            f'extends = ["basic"]\n{HEAD}', "record.wrong_type", "extends", 1, id="list_of_presets"
        ),
        pytest.param(
            f"{HEAD}[gate]\nenabled = false\n", "record.unknown_key", "gate", None, id="gate_off"
        ),
        pytest.param(
            f"{HEAD}[evidence]\nrun = 9\n",
            "record.unknown_key",
            "evidence.run",
            5,
            id="unknown_key",
        ),
        pytest.param(
            f"{HEAD}[evidence]\nruns = 1\n", "record.wrong_type", "evidence.runs", 5, id="one_run"
        ),
        pytest.param(
            f"{HEAD}[evidence]\nruns = 9.0\n", "record.wrong_type", "evidence.runs", None, id="9.0"
        ),
        pytest.param(
            f"{HEAD}[evidence]\nruns = true\n", "record.wrong_type", "evidence.runs", 5, id="true"
        ),
        pytest.param(
            f"{HEAD}[evidence]\nruns = 9007199254740993\n",
            "record.number_not_int",
            "evidence.runs",
            None,
            id="beyond_two_to_53",
        ),
        pytest.param(
            f"{HEAD}[evidence]\nruns = 2026-12-14\n",
            "record.wrong_type",
            "evidence.runs",
            None,
            id="date",
        ),
        pytest.param(
            f"{HEAD}[evidence.tags]\nclock = 1\n",
            "record.wrong_type",
            "evidence.tags.clock",
            5,
            id="tag_with_one_run",
        ),
        pytest.param(
            f"{HEAD}[freeze]\nmax_active = -1\n",
            "record.wrong_type",
            "freeze.max_active",
            5,
            id="negative_budget",
        ),
        pytest.param(
            f"{HEAD}[freeze]\nmax_lifetime_days = 0\n",
            "record.wrong_type",
            "freeze.max_lifetime_days",
            5,
            id="no_lifetime",
        ),
        pytest.param(
            f"{HEAD}[freeze]\nmax_lifetime_days = 367\n",
            "record.wrong_type",
            "freeze.max_lifetime_days",
            5,
            id="more_than_a_year",
        ),
        pytest.param(
            f'{HEAD}[judges]\nchange = "off"\n',
            "record.wrong_type",
            "judges.change",
            5,
            id="judge_changes_off",
        ),
        pytest.param(
            f'{HEAD}[mutes]\nmarker = "allow"\n',
            "record.wrong_type",
            "mutes.marker",
            5,
            id="unknown_weight",
        ),
        pytest.param(
            f'{HEAD}[mutes]\nmarkers = "off"\n',
            "record.unknown_key",
            "mutes.markers",
            5,
            id="unknown_family",
        ),
        pytest.param(
            f'{HEAD}[runner]\npython = "2.7"\n',
            "record.bad_string",
            "runner.python",
            5,
            id="python_2",
        ),
        pytest.param(
            f"{HEAD}[runner]\npython = 3.12\n",
            "record.wrong_type",
            "runner.python",
            None,
            id="python_as_a_float",
        ),
        pytest.param(
            f"{HEAD}[limits]\nwall_s = 0\n", "record.wrong_type", "limits.wall_s", 5, id="no_time"
        ),
        pytest.param(
            f"{HEAD}version = 1\n", "record.unknown_key", "base.version", None, id="misplaced"
        ),
        pytest.param(f"version = 1\n{HEAD}", "record.duplicate_key", "", 2, id="key_twice"),
        pytest.param(f"{HEAD}[base]\n", "record.bad_encoding", "", 4, id="table_twice"),
        pytest.param(f"{HEAD}x\n", "record.bad_encoding", "", 4, id="no_toml"),
        pytest.param(f"\ufeff{HEAD}", "record.bad_encoding", "", 1, id="byte_order_mark"),
        pytest.param(
            f'{HEAD}[protected]\ntags = ["a\\u202eb"]\n',
            "record.bad_string",
            "protected.tags[0]",
            5,
            id="bidi_in_a_tag",
        ),
        pytest.param(
            f'{HEAD}[protected]\ntags = ["a\\u0007"]\n',
            "record.bad_string",
            "protected.tags[0]",
            None,
            id="control_in_a_tag",
        ),
    ],
)
def test_a_policy_of_another_form_is_refused_at_its_place(
    text: str, code: str, place: str, line: int | None
) -> None:
    error = _refusal(text)
    assert (error.code, error.place, error.line) == (code, place, line)
    assert error.rule is None


def test_an_unknown_key_is_refused_with_the_nearest_known_one() -> None:
    assert _refusal(f"{HEAD}[evidence]\nmax_run = 9\n").expected == "`max_runs`?"
    assert _refusal(f"{HEAD}[protcted]\npaths = []\n").expected == "`protected`?"
    assert "targets" in _refusal(f'{HEAD}branches = ["main"]\n').expected


@pytest.mark.parametrize(
    "glob",
    [
        pytest.param("*a" * 4, id="four_stars_in_a_part"),
        pytest.param("*" * 100, id="a_hundred_stars"),
        pytest.param("/".join(["**"] * 5), id="five_double_stars"),
        pytest.param("src/****", id="four_stars_in_a_row"),
        pytest.param("../secrets/**", id="dotdot"),
        pytest.param("./src/**", id="dot"),
        pytest.param("src/../x", id="dotdot_inside"),
        pytest.param("src\\\\main", id="backslash"),
        pytest.param("# all", id="comment"),
        pytest.param("/", id="top"),
        pytest.param("!", id="nothing_taken_out"),
        pytest.param("  ", id="spaces"),
        pytest.param("src/[abc", id="open_class"),
        pytest.param("src/\\u200e**", id="hidden_character"),
    ],
)
def test_hostile_globs_are_refused(glob: str) -> None:
    error = _refusal(f'{HEAD}[subject]\npaths = ["src/**", "{glob}"]\n')
    assert (error.code, error.rule, error.line) == ("record.bad_string", "glob", 5)
    assert error.place == "subject.paths[1]"


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("main", id="short_name"),
        pytest.param("heads/main", id="half_a_name"),
        pytest.param("refs/remotes/origin/main", id="tracking_ref"),
        pytest.param("refs/replace/main", id="replace_ref"),
        pytest.param("refs/heads/", id="no_name"),
        pytest.param("refs/**", id="everything"),
        pytest.param("!refs/heads/main", id="taken_out"),
        pytest.param("refs/heads/a b", id="space"),
        pytest.param("refs/heads/a~1", id="tilde"),
        pytest.param("refs/heads/a^", id="caret"),
        pytest.param("refs/heads/a:b", id="colon"),
        pytest.param("refs/heads/../tags/x", id="dotdot"),
    ],
)
def test_a_target_is_a_full_ref_name(target: str) -> None:
    error = _refusal(f'version = 1\n[base]\ntargets = ["{target}"]\n')
    assert (error.code, error.rule) == ("record.bad_string", "glob")
    assert error.place == "base.targets[0]"


def test_more_runs_than_the_most_are_refused_whichever_of_the_two_the_policy_sets() -> None:
    for text in ("runs = 51", "max_runs = 6", "runs = 9\nmax_runs = 8"):
        error = _refusal(f"{HEAD}[evidence]\n{text}\n")
        assert (error.code, error.place) == ("record.wrong_type", "evidence.runs")
        assert error.rule == "runs-within-max"
    assert _policy("[evidence]\nruns = 60\nmax_runs = 60\n").evidence.runs == 60


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a." * 1900 + "a = 1\n", id="one_line"),
        pytest.param(("b." * 1900 + "a = 1\n") * 60, id="many_lines"),
        pytest.param(("[" + "a." * 1900 + "a]\n") * 60, id="headers"),
        pytest.param('"a" . ' * 600 + "a = 1\n", id="quoted_with_spaces"),
        pytest.param("'a'." * 600 + "a = 1\n", id="quoted_singly"),
        pytest.param("  [[ " + "a." * 16 + "a ]]\n", id="array_of_tables"),
    ],
)
def test_a_huge_dotted_key_is_refused_before_it_is_parsed(text: str) -> None:
    error = _refusal(HEAD + text)
    assert (error.code, error.line) == ("record.too_deep", 4)


def test_sixteen_levels_of_keys_are_too_many_only_from_the_seventeenth() -> None:
    assert _refusal(f"{'a.' * 15}a = 1\n{HEAD}").code == "record.unknown_key"
    assert _refusal(f"{'a.' * 16}a = 1\n{HEAD}").code == "record.too_deep"


def test_a_long_line_is_refused_with_its_number() -> None:
    error = _refusal(f"{HEAD}# {'x' * 5000}\n")
    assert (error.code, error.line) == ("record.too_large", 4)


def test_a_large_file_is_refused_unread() -> None:
    assert _refusal(HEAD + "#\n" * 200_000).code == "record.too_large"


def test_the_place_of_an_odd_key_is_quoted() -> None:
    error = _refusal(f'{HEAD}[evidence.tags]\n"two words" = 1\n')
    assert error.place == "evidence.tags.'two words'"


def test_every_family_of_mutes_may_be_weighed() -> None:
    rows = "".join(f'{family} = "note"\n' for family in MuteFamily)
    assert set(_policy(f"[mutes]\n{rows}").mutes.values()) == {Weight.NOTE}


def test_a_new_policy_is_checked_before_it_is_written() -> None:
    tables = {"version": 1, "extends": "strict", "base": {"targets": ["refs/heads/main"]}}
    assert parse_policy(dump_policy(tables)).preset is Preset.STRICT
    with pytest.raises(DecodeError, match="targets"):
        dump_policy({"version": 1, "base": {}})
