"""More of `freezegate witness`: several tests, markers, other bases and other presets."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from pygit2.enums import ObjectType

from freezegate.cli.verbs import run_command
from freezegate.git.session import Session
from freezegate.model.digests import Blake3
from tests.git.turns import lay_out
from tests.git.witnessing import (
    READ,
    asked,
    flake,
    flaky_shop,
    last_day,
    terms,
    turns_of,
    witness,
)
from tests.support import CATALOG, FIXTURE, ORACLE, PROPERTY, TEST_ID, Story, standing_in

SECOND = "tests/test_stock.py::test_total"
PLAIN = (
    '"""Orders."""\n\n' + READ + "class TestOrder:\n"
    "    def test_total(self):\n"
    "        value = sum(json.loads(ORDER.read_text())['lines'])\n"
    "        with open({turns!r}, 'rb', buffering=0) as turns:\n"
    "            assert turns.read(1) == b'p'\n"
    "        assert value == 6\n"
)


def two_tests(folder: Path, second_pattern: str = "ppff") -> Story:
    """A shop with a second test and a second property."""
    second = CATALOG.replace(PROPERTY, "stock.total").replace(TEST_ID, SECOND)
    return flaky_shop(
        folder,
        files={
            ".freeze/catalog.toml": f"{CATALOG}\n{second}",
            "tests/test_stock.py": flake(turns_of(folder.with_name("second")), second_pattern),
        },
    )


def test_several_ids_are_marked_before_the_first_run(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    said = witness(story, TEST_ID, SECOND, *terms(), "--mark")
    assert said.verdict == "accepted", said.out
    assert len(said.document["windows"]) == 2
    lines = [json.loads(line) for line in story.read(".freeze/ledger.jsonl").splitlines()]
    assert [line["test_id"] for line in lines] == [TEST_ID, SECOND]
    assert lines[0]["patch_digest"] == lines[1]["patch_digest"]
    for path in ("tests/test_order.py", "tests/test_stock.py"):
        assert b'@pytest.mark.skip(reason="freezegate: ' in story.read(path)
    story.commit("Freeze both")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_a_second_request_is_not_dropped_in_silence(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    assert witness(story, TEST_ID, SECOND, *terms()).verdict == "accepted"
    story.commit("Freeze both")
    story.patch("# more\n")
    said = witness(story, "--refresh", SECOND)
    assert (said.status, said.runs) == (2, 0)
    assert f"this branch asks for a freeze of {TEST_ID} too" in said.err
    assert witness(story, "--refresh", TEST_ID, SECOND).verdict == "accepted"
    story.commit("Fresh evidence")
    assert story.check().verdict == "accepted"


def test_one_of_several_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here", "pfff")
    said = witness(story, TEST_ID, SECOND, *terms())
    assert (said.status, said.verdict) == (1, "refused")
    assert story.git("status", "--porcelain") == ""


def test_a_marker_on_a_method_of_a_module_that_imports_no_pytest(tmp_path: Path) -> None:
    test_id = "tests/test_order.py::TestOrder::test_total"
    folder = tmp_path / "here"
    story = flaky_shop(
        folder,
        files={
            "tests/test_order.py": PLAIN.format(turns=str(lay_out(tmp_path / "turns", "ppff"))),
            ".freeze/catalog.toml": CATALOG.replace(TEST_ID, test_id),
        },
    )
    said = asked(story, "--mark")
    assert said.verdict == "accepted", said.out
    text = story.read("tests/test_order.py").decode()
    assert text.startswith('"""Orders."""\n\nimport json\nimport pathlib\n\nimport pytest\n\nORDER')
    assert f'    @pytest.mark.skip(reason="freezegate: {PROPERTY}")\n    def test_total' in text
    story.commit("Freeze it")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_strict_asks_for_the_same_and_more_runs(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    text = story.on("main").read(".freeze/policy.toml").replace(b'"standard"', b'"strict"')
    story.write(".freeze/policy.toml", text).commit("stricter")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    assert asked(story).verdict == "accepted"


def test_a_branch_behind_its_target_is_witnessed_as_it_would_stand_there(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.on("main").write("src/shop/stock.py", "# new\n").commit("meanwhile")
    story.git("push", "-q", "origin", "main")
    story.on("topic")
    said = asked(story)
    assert said.verdict == "accepted", said.out
    story.commit("Freeze it")
    assert story.check().verdict == "accepted"
    story.git("rebase", "-q", "main")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_a_linked_work_tree_shares_lock_and_notes(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.on("main").git("worktree", "add", "-q", str(tmp_path / "linked"), "topic")
    linked = Story(tmp_path / "linked")
    assert asked(linked).verdict == "accepted"
    assert (linked.root / ".freeze" / "record.json").is_file()
    assert (story.root / ".git" / "freezegate" / "witness.lock").is_file()


def test_without_a_target_the_parent_is_the_base(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.git("remote", "remove", "origin")
    story.git("branch", "-D", "main")
    said = asked(story)
    assert said.verdict == "accepted", said.out
    story.commit("Freeze it")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_a_merge_commit_at_the_head(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.branch("side", "main").write("README.md", "# other\n").commit("side")
    story.on("topic").git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert asked(story).verdict == "accepted"


def test_a_test_that_leaves_files_behind_does_not_waver_by_them(tmp_path: Path) -> None:
    body = (
        READ + "def test_total():\n    assert sum(json.loads(ORDER.read_text())['lines']) == 6\n"
        "    place = pathlib.Path(__file__).parent / 'left'\n"
        "    place.mkdir()\n    (place / 'it').write_text('x')\n"
    )
    story = flaky_shop(tmp_path / "here", files={"tests/test_order.py": body})
    assert asked(story).window["class"] == "pass"


def test_what_a_child_process_wrote_is_put_back(tmp_path: Path) -> None:
    body = (
        READ.replace("import pathlib\n", "import pathlib\nimport subprocess\n")
        + "def test_total():\n    value = sum(json.loads(ORDER.read_text())['lines'])\n"
        "    subprocess.run(['sh', '-c', 'echo x >> ' + str(ORDER.parent / 'log')])\n"
        "    assert (ORDER.parent / 'log').read_text() == 'x\\n'\n"
        "    assert value == 6\n"
    )
    story = flaky_shop(tmp_path / "here", files={"tests/test_order.py": body})
    assert asked(story).window["class"] == "pass"


@pytest.mark.parametrize("number", ["0", "201"])
def test_a_bad_number_of_commits(tmp_path: Path, number: str) -> None:
    said = asked(flaky_shop(tmp_path / "here"), "--expires-after-commits", number)
    assert (said.status, said.codes, said.runs) == (1, {"budget.expiry_too_far"}, 0)


def land_and_go_on(story: Story, text: str) -> None:
    """Land the branch, and begin another patch."""
    story.commit("Freeze it")
    story.git("push", "-q", "origin", "HEAD:main")
    story.branch(f"again-{len(text)}").patch(text)


def frozen_lines(story: Story) -> list[dict[str, Any]]:
    """The ledger's frozen lines."""
    lines = (story.root / ".freeze/ledger.jsonl").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["event"] == "frozen"]


def test_a_second_freeze_of_a_key_is_a_renewal_and_a_third_is_one_too_many(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    land_and_go_on(story, "# more\n")
    renewal = asked(story)
    assert renewal.verdict == "accepted", renewal.out
    first, second = frozen_lines(story)
    raw = (story.root / ".freeze/ledger.jsonl").read_bytes().split(b"\n")[0]
    assert (first["renews"], second["renews"]) == (None, Blake3.of(raw))
    land_and_go_on(story, "# and more\n")
    third = asked(story)
    assert (third.runs, third.codes) == (0, {"budget.exceeded"})
    assert "[freeze] max_renewals" in third.finding["expected"]


def test_a_renewal_is_said_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    land_and_go_on(story, "# more\n")
    with standing_in(story.root, story.environ):
        assert run_command(["witness", "--property", PROPERTY, *terms()], os.environ) == 0
    assert "Renews: `blake3:" in capsys.readouterr().out


def test_an_oracle_whose_only_test_is_frozen_is_not_independent(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    test_id = f"{ORACLE}::test_total"
    text = flake(tmp_path / "turns", "ppff").replace(".parent /", ".parents[1] /")
    catalog = CATALOG.replace(TEST_ID, test_id).replace(
        f"{ORACLE}::test_total_is_never_negative", test_id
    )
    story = flaky_shop(folder, files={ORACLE: text, ".freeze/catalog.toml": catalog})
    said = asked(story)
    assert said.verdict == "accepted", said.out
    findings = said.document["verdict"]["transitions"][0]["findings"]
    assert ("oracle.not_independent", "warning") in {(f["code"], f["severity"]) for f in findings}


def test_fixture_and_oracle_may_be_named_by_hand_under_basic(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    text = story.on("main").read(".freeze/policy.toml").replace(b'"standard"', b'"basic"')
    story.write(".freeze/policy.toml", text).write(".freeze/catalog.toml", "").commit("basic")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    day = ("--owner", "ada", "--expires-on", last_day(3))
    said = witness(story, TEST_ID, "--fixture", FIXTURE, "--oracle", ORACLE, *day)
    assert said.verdict == "accepted", said.out


@pytest.mark.parametrize("data", [b"", b"x", b"a\0b\n" * 1000], ids=["empty", "one", "long"])
def test_a_laid_blob_is_the_one_that_git_would_store(tmp_path: Path, data: bytes) -> None:
    story = flaky_shop(tmp_path / "here")
    with standing_in(story.root, story.environ):
        store = Session.open(os.environ).store
    entry = store.lay(data)
    assert entry.hex == story.git("hash-object", "--stdin", data=data)
    assert (entry.mode, store.blob(entry.oid, max_bytes=10_000)) == (0o100644, data)
    assert store.size(entry.oid, ObjectType.BLOB) == len(data)


DISTURBING = [
    pytest.param("(TOP.parent / 'base-tree' / 'README.md').write_text('x')", id="the_other_tree"),
    pytest.param("(TOP.parent / 'conftest.py').write_text('x')", id="configuration_above"),
    pytest.param("(TOP.parent / 'mark').mkdir(exist_ok=True)", id="state_beside_the_trees"),
    pytest.param("TOP.rename(TOP.parent / 'moved')", id="its_own_tree_moved"),
    pytest.param(
        "file = TOP.parent / 'base-tree' / 'README.md'; old = os.stat(file); "
        "file.write_text('# shoq\\n'); os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))",
        id="the_other_tree_with_its_old_time",
    ),
    pytest.param(
        "import ctypes; ctypes.CDLL(None).unlink(os.fsencode(TOP / 'README.md'))",
        id="its_own_tree_by_c_code",
    ),
    pytest.param(
        "os.system('echo >> README.md')", id="a_tracked_file_by_a_process_that_it_started"
    ),
]


@pytest.mark.parametrize("line", DISTURBING)
def test_a_run_that_reaches_out_of_its_tree_ends_the_window(tmp_path: Path, line: str) -> None:
    body = (
        READ.replace("import json\n", "import json\nimport os\n")
        + "def test_total():\n    value = sum(json.loads(ORDER.read_text())['lines'])\n"
        "    TOP = pathlib.Path(__file__).parents[1]\n"
        f"    if TOP.name == 'candidate-tree':\n        {line}\n    assert value == 6\n"
    )
    said = asked(flaky_shop(tmp_path / "here", files={"tests/test_order.py": body}))
    assert said.verdict != "accepted"
    assert "disturbed" in said.out, said.out


def test_what_a_run_tells_of_is_put_back_in_silence(tmp_path: Path) -> None:
    line = (
        "import os, sqlite3\n    TOP = pathlib.Path(__file__).parents[1]\n"
        "    os.system('mkdir made; echo >> made/new')\n    (TOP / 'README.md').write_text('x')\n"
        "    db = sqlite3.connect('a.db'); db.execute('pragma journal_mode=wal')\n"
        "    db.execute('create table t (x)'); os.link('src/shop/order.py', 'second')\n"
        "    os.rename('tests/properties', 'moved')\n    KEPT.append(db)\n"
    )
    head = "def test_total():\n    value = sum(json.loads(ORDER.read_text())['lines'])\n    "
    body = f"{READ}KEPT = []\n\n\n{head}{line}    assert value == 6\n"
    said = asked(flaky_shop(tmp_path / "here", files={"tests/test_order.py": body}))
    assert "disturbed" not in said.out
    assert "property_holds" in said.out, said.out


def environment(folder: Path) -> Path:
    """Make a virtual environment with our pytest in it; return its interpreter."""
    packages = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (folder / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\n")
    (packages / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder / "bin" / "python"


INSTALLING = [
    pytest.param("(SITE / 'evil.pth').write_text('')", id="start_up_lines"),
    pytest.param("(SITE / 'sitecustomize.py').write_text('')", id="start_up_module"),
    pytest.param("(SITE / 'usercustomize.py').write_text('')", id="start_up_module_of_a_user"),
    pytest.param("(SITE / 'plugin').mkdir(exist_ok=True)", id="a_package"),
    pytest.param("(SITE / 'ours.pth').touch()", id="lines_that_stood_there"),
    pytest.param("(pathlib.Path(sys.prefix) / 'pyvenv.cfg').touch()", id="its_configuration"),
    pytest.param(
        "(SITE / '__pycache__').mkdir(exist_ok=True)\n    "
        "(SITE / '__pycache__' / 'ours.pyc').write_text('')",
        id="bytecode",
    ),
    pytest.param(
        "BIN = pathlib.Path(sys.prefix) / 'bin' / 'python'; old = BIN.readlink(); BIN.unlink(); "
        "BIN.symlink_to(old)",
        id="the_interpreter_itself",
    ),
]


@pytest.mark.parametrize("line", INSTALLING)
def test_a_run_that_leaves_something_for_the_next_interpreter(tmp_path: Path, line: str) -> None:
    said = asked(
        installing_shop(tmp_path, line),
        *("--python", str(environment(tmp_path / "environment"))),
    )
    assert (said.status, said.codes) == (1, {"evidence.incomplete"}), said.out
    assert "may load in every run, was changed" in said.finding["got"], said.out
    assert said.runs == 1


def test_what_a_package_keeps_for_itself_disturbs_nobody(tmp_path: Path) -> None:
    python = environment(tmp_path / "environment")
    line = "(SITE / 'own' / 'cache').touch()"
    (packages,) = (tmp_path / "environment" / "lib").glob("*/site-packages")
    (packages / "own").mkdir()
    said = asked(installing_shop(tmp_path, line), "--python", str(python))
    assert said.window["class"] == "pass", said.out


def installing_shop(folder: Path, line: str) -> Story:
    """A shop whose test writes into the interpreter's site-packages."""
    body = (
        READ.replace("import json\n", "import json\nimport sys\nimport sysconfig\n")
        + "SITE = pathlib.Path(sysconfig.get_path('purelib'))\n\n\n"
        + "def test_total():\n    value = sum(json.loads(ORDER.read_text())['lines'])\n"
        + f"    {line}\n    assert value == 6\n"
    )
    return flaky_shop(folder / "here", files={"tests/test_order.py": body})


def test_a_run_that_writes_into_the_repository_ends_the_window(tmp_path: Path) -> None:
    hook = tmp_path / "here" / "shop" / ".git" / "hooks" / "pre-push"
    said = asked(installing_shop(tmp_path, f"pathlib.Path({str(hook)!r}).write_text('')"))
    assert (said.status, said.codes, said.runs) == (1, {"evidence.incomplete"}, 1), said.out
    assert f"the original work tree: {hook}" in said.finding["got"]


def test_nothing_is_written_or_removed_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "precious"
    outside.mkdir()
    (outside / "order.json").write_text("nobody has a copy")
    body = (
        READ.replace("import json\n", "import json\nimport shutil\n")
        + "def test_total():\n    value = sum(json.loads(ORDER.read_text())['lines'])\n"
        "    data = pathlib.Path(__file__).parents[1] / 'data'\n"
        f"    shutil.rmtree(data)\n    data.symlink_to({str(outside)!r})\n    assert value == 6\n"
    )
    files = {"tests/test_order.py": body, "data/order.json": "x\n"}
    assert asked(flaky_shop(tmp_path / "here", files=files)).window["class"] == "pass"
    assert (outside / "order.json").read_text() == "nobody has a copy"


def test_a_number_of_commits_beyond_all_bounds(tmp_path: Path) -> None:
    said = asked(flaky_shop(tmp_path / "here"), "--expires-after-commits", "9" * 20)
    assert (said.status, said.runs) == (2, 0)
