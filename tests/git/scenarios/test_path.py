"""Corpus group `path`: paths that mean another file to another tool."""

from __future__ import annotations

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused
from tests.support import FILES, FIXTURE, ORACLE, Story, lock_line

BAD_PATHS = [
    pytest.param("tests/fixtures/../../secrets", "path.dotdot", id="a039_dotdot"),
    pytest.param("..", "path.dotdot", id="a039_only_dotdot"),
    pytest.param("/etc/hostname", "path.absolute", id="a039_absolute"),
    pytest.param("C:/order.json", "path.absolute", id="a039_drive"),
    pytest.param(".git/config", "path.dotgit", id="a040_dotgit"),
    pytest.param("tests/.GIT/config", "path.dotgit", id="a040_other_case"),
    pytest.param("git~1/config", "path.dotgit", id="a040_short_name"),
    pytest.param(".g\u200cit/config", "path.dotgit", id="a040_ignored_code_point"),
    pytest.param(".git /config", "path.dotgit", id="a040_trailing_space"),
    pytest.param("tests/p.py/", "path.not_canonical", id="a048_trailing_slash"),
    pytest.param("tests//p.py", "path.not_canonical", id="a048_doubled_slash"),
    pytest.param("./tests/p.py", "path.not_canonical", id="a048_dot"),
    pytest.param("", "path.empty", id="a049_empty"),
    pytest.param(":(exclude)" + ORACLE, "path.bad_char", id="a051_exclude_magic"),
    pytest.param(":!*", "path.bad_char", id="a051_short_magic"),
    pytest.param("tests/[q]*", "path.bad_char", id="a051_glob"),
    pytest.param("--output=/tmp/x", "path.bad_char", id="a052_option"),
    pytest.param("tests\\fixtures\\order.json", "path.bad_char", id="backslashes"),
    pytest.param("a/" * 5000 + "b", "path.too_long", id="a057_five_thousand_parts"),
    pytest.param("a/" * 100 + "b", "path.too_long", id="a057_hundred_parts"),
    pytest.param("n" * 300, "path.too_long", id="a057_long_name"),
    pytest.param("tests/fixtures/aux.json", "path.not_portable", id="a058_device"),
    pytest.param("con", "path.not_portable", id="a058_con"),
    pytest.param("tests/f.json.", "path.not_portable", id="a058_trailing_dot"),
    pytest.param("tests/f.json ", "path.not_portable", id="a058_trailing_space"),
    pytest.param("tests/te\u0301.py", "path.not_nfc", id="not_nfc"),
    pytest.param("tests/a\u202eb.py", "path.bad_char", id="right_to_left"),
]


@pytest.mark.parametrize("key", ["fixture_path", "oracle_path"])
@pytest.mark.parametrize(("path", "code"), BAD_PATHS)
def test_a039_to_a058_bad_paths(shop: Story, key: str, path: str, code: str) -> None:
    shop.patch().request(record={key: path}).write(shop.root)
    assert_refused(shop, code)


def test_a042_fixture_is_a_symbolic_link(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / FIXTURE).unlink()
    (shop.root / FIXTURE).symlink_to("/etc/hostname")
    assert_refused(shop, "path.symlink")


def test_a042_fixture_is_a_submodule(shop: Story) -> None:
    shop.patch().freeze()
    shop.plumb({FIXTURE: ("160000", shop.rev("HEAD"))})
    assert "path.gitlink" in shop.check().errors


def test_a042_fixture_is_a_folder(shop: Story) -> None:
    shop.patch().request(record={"fixture_path": "tests/fixtures"}).write(shop.root)
    assert_refused(shop, "path.not_regular")


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_a043_parent_folder_is_a_link_or_submodule(shop: Story, mode: str) -> None:
    shop.patch().freeze()
    target = shop.blob("fx") if mode == "120000" else shop.rev("HEAD")
    moved = shop.rev(f"HEAD:{FIXTURE}")
    shop.plumb({FIXTURE: None, "tests/fx/order.json": ("100644", moved)})
    shop.plumb({"tests/fixtures": (mode, target)})
    code = "path.symlink" if mode == "120000" else "path.gitlink"
    assert code in shop.check().errors


@pytest.mark.parametrize(
    "twin", ["tests/Fixtures/order.json", "tests/fixtures/ORDER.json", "Tests/fixtures/order.json"]
)
def test_a045_two_paths_that_differ_by_case_only(shop: Story, twin: str) -> None:
    shop.patch().freeze()
    shop.plumb({twin: ("100644", shop.blob("{}"))})
    assert "path.fold_collision" in shop.check().errors


def test_a045_case_pairs_elsewhere_are_honest(shop: Story) -> None:
    shop.plumb(
        {"src/shop/A.py": ("100644", shop.blob("")), "src/shop/a.py": ("100644", shop.blob(""))}
    )
    shop.git("reset", "-q", "--hard")
    shop.patch().freeze()
    assert shop.check().verdict == "accepted"


def test_a045_a_second_spelling_of_our_own_folder(shop: Story) -> None:
    shop.plumb({".Freeze/policy.toml": ("100644", shop.blob("version = 1\n"))})
    assert "path.fold_collision" in shop.check().errors


def test_a046_composed_and_decomposed_names(shop: Story) -> None:
    path = "tests/fixtures/t\u00e9.json"
    shop.on("main").write(path, "{}").write(
        ".freeze/fixtures.sha256", lock_line(FIXTURE, FILES[FIXTURE]) + lock_line(path, "{}")
    )
    shop.commit("another fixture")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().freeze(fixture_path=path)
    assert shop.check().verdict == "accepted"
    shop.plumb({"tests/fixtures/te\u0301.json": ("100644", shop.blob("{}"))})
    assert "path.fold_collision" in shop.check().errors


def test_a054_a_name_that_git_quotes_is_compared_all_the_same(shop: Story) -> None:
    oracle = "tests/properties/t\u00e9.py"
    shop.on("main").write(oracle, "def test_a():\n    assert True\n").commit("an oracle")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").write(oracle, "def test_a():\n    pass\n").patch()
    shop.request(oracle_path=oracle).write(shop.root)
    assert_refused(shop, "oracle.changed")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"..", "path.dotdot"),
        (b".git", "path.dotgit"),
        (b"git~1", "path.dotgit"),
        (b".GIT", "path.dotgit"),
    ],
)
def test_a055_hand_made_trees_with_names_that_no_file_may_have(
    shop: Story, name: bytes, code: str
) -> None:
    inner = shop.git("mktree", "-z", data=f"100644 blob {shop.blob('x')}\tx".encode() + b"\0")
    raw = bytes.fromhex(inner)
    data = b"40000 " + name + b"\0" + raw
    for line in sorted(shop.git("ls-tree", "HEAD").split("\n"), key=lambda row: row.split("\t")[1]):
        meta, entry = line.split("\t")
        mode, _, oid = meta.split()
        data += f"{mode.lstrip('0')} {entry}\0".encode() + bytes.fromhex(oid)
    tree = shop.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=data)
    commit = shop.git("commit-tree", tree, "-p", "HEAD", "-m", "by hand")
    answer = shop.check("--rev", commit)
    assert (answer.status, answer.errors) == (1, {code})


def test_a055_hand_made_tree_with_one_name_twice(shop: Story) -> None:
    one, two = bytes.fromhex(shop.blob("one")), bytes.fromhex(shop.blob("two"))
    data = b"100644 same\0" + one + b"100644 same\0" + two
    tree = shop.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=data)
    commit = shop.git("commit-tree", tree, "-p", "HEAD", "-m", "by hand")
    answer = shop.check("--rev", commit)
    assert (answer.status, answer.errors) == (1, {"path.ambiguous"})


def test_a054_names_with_newlines_and_bytes_that_are_no_text_are_honest(shop: Story) -> None:
    blob = shop.blob("x")
    shop.plumb({b"src/new\nline.py": ("100644", blob), b"src/\xff\xfe.py": ("100644", blob)})
    assert shop.check().verdict == "accepted"


def test_a054_a_newline_does_not_slip_through_a_glob(shop: Story) -> None:
    shop.plumb({b"tests/fixtures/a\nb.json": ("100644", shop.blob("x"))})
    shop.git("reset", "-q", "--hard")
    shop.on("main").write(
        ".freeze/policy.toml",
        shop.read(".freeze/policy.toml") + b'[protected]\npaths = ["tests/fixtures/**"]\n',
    ).commit("protect")
    answer = shop.check("--rev", "topic", "--base", "main")
    assert "area.needs_human" in answer.codes


def test_a_fixture_with_a_name_in_normal_form_c_is_honest(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    assert_accepted(shop)
