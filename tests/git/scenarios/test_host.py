"""Corpus group `host`: hand-made pushes that should crash, hang, flood or fool a git host."""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git.hosting import MAIN, PARENTS, SETTINGS, Host, hand_made, host, remote_lines
from tests.support import ZERO, Story

SECONDS = 45  # a goal of 4 on a quiet machine; this one may do much else
MEBIBYTES = 600
GIB = 2**30


@pytest.fixture
def hosted(shop: Story) -> Iterator[Host]:
    """A host whose hook is measured; what the last push cost is printed."""
    made = host(shop, SETTINGS + PARENTS).measure()
    yield made
    if made.was_measured():
        seconds, mib = made.cost()
        sys.stdout.write(f"the hook took {seconds:.2f} s and {mib:.0f} MiB at most\n")
        assert seconds < SECONDS
        assert mib < MEBIBYTES


def refused(hosted: Host, rev: str, code: str) -> str:
    """Assert that a commit does not come into `main`, with a code, and return what was said."""
    return hosted.refuses(f"{rev}:{MAIN}", code=code)


def with_entry(story: Story, name: bytes, mode: bytes = b"100644", oid: str = "") -> str:
    """Commit HEAD's tree with an entry more, whatever its name is."""
    raw = story.git("ls-tree", "HEAD").splitlines()
    entries = [(mode, name, oid or story.blob("x\n"))]
    for line in raw:
        kind, path = line.split("\t")
        entry_mode, _, entry_oid = kind.split(" ")
        entries.append((entry_mode.lstrip("0").encode(), path.encode(), entry_oid))
    entries.sort(key=lambda each: each[1] + b"/" * (each[0] == b"40000"))
    return hand_made(story, entries)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b"a\x1b]0;owned\x07\x1b[2J", id="escapes"),
        pytest.param(b"a\nremote: freezegate: accepted main", id="a_fake_line"),
        pytest.param(b"a\rfreezegate: accepted main", id="over_the_same_line"),
        pytest.param(b"a\x08\x08\x08", id="backspaces"),
        pytest.param("a\u202efdp.exe".encode(), id="another_direction"),
        pytest.param("a\u2028freezegate: accepted".encode(), id="a_line_separator"),
        pytest.param("a\u0085b".encode(), id="a_next_line"),
        pytest.param("\u3164.py".encode(), id="a_filler"),
        pytest.param("tests\u2800".encode(), id="a_blank"),
    ],
)
def test_a211_paths_that_steer_a_terminal(hosted: Host, name: bytes) -> None:
    said = refused(hosted, with_entry(hosted.story, name), "path.bad_char")
    assert "\x1b" not in said
    assert not any(line.startswith("freezegate: accepted") for line in remote_lines(said))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        pytest.param(b"..", "path.dotdot", id="dotdot"),
        pytest.param(b".", "path.dotdot", id="dot"),
        pytest.param(b".git", "path.dotgit", id="dotgit"),
        pytest.param(b".GIT ", "path.dotgit", id="dotgit_for_windows"),
        pytest.param(b"git~1", "path.dotgit", id="dotgit_shortened"),
        pytest.param(".g\u200cit".encode(), "path.dotgit", id="dotgit_for_macos"),
        pytest.param(b"src/shop", "path.dotgit", id="a_slash"),
        pytest.param(b"README.md", "path.ambiguous", id="twice"),
        pytest.param(b"x" * 70_000, "path.too_long", id="too_long"),
    ],
)
def test_a055_names_that_no_honest_git_writes(hosted: Host, name: bytes, code: str) -> None:
    refused(hosted, with_entry(hosted.story, name), code)


def test_a055_entries_out_of_order_and_unknown_modes(hosted: Host) -> None:
    blob = hosted.story.blob("x\n")
    for entries in (
        [(b"100644", b"b", blob), (b"100644", b"a", blob)],
        [(b"777", b"a", blob)],
    ):
        refused(hosted, hand_made(hosted.story, entries), "path.ambiguous")


def test_a057_a_path_of_five_thousand_folders(hosted: Host) -> None:
    story = hosted.story
    oid, mode = story.blob("x\n"), b"100644"
    trees = b""
    for _ in range(2_100):
        raw = mode + b" a\0" + bytes.fromhex(oid)
        oid, mode = _stored(story, "tree", raw), b"40000"
        trees += raw
    refused(hosted, with_entry(story, b"deep", b"40000", oid), "path.too_long")


def _stored(story: Story, kind: str, data: bytes) -> str:
    """Store a loose object, as `git hash-object -w --literally` does, without a process each."""
    whole = f"{kind} {len(data)}\0".encode() + data
    oid = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = story.root / ".git" / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(whole, 1))
    return oid


def test_a216_ten_trees_that_name_ten_thousand_million_paths(hosted: Host) -> None:
    story = hosted.story
    oid, mode = story.blob("x\n"), b"100644"
    for _ in range(10):
        names = (b"%d" % number for number in range(10))
        raw = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for name in names)
        oid, mode = _stored(story, "tree", raw), b"40000"
    refused(hosted, with_entry(story, b"bomb", b"40000", oid), "limits.too_many_changes")


def test_a216_a_folder_of_a_million_names(hosted: Host) -> None:
    story = hosted.story
    blob = bytes.fromhex(story.blob("x\n"))
    raw = b"".join(b"100644 %060d\0" % number + blob for number in range(1_000_000))
    oid = _stored(story, "tree", raw)
    refused(hosted, with_entry(story, b"many", b"40000", oid), "limits.tree_too_large")


@pytest.fixture(scope="session")
def zeros(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A loose object of 1 GiB of zeros, and its id."""
    header = f"blob {GIB}\0".encode()
    digest, packer = hashlib.sha1(header, usedforsecurity=False), zlib.compressobj(1)
    path = tmp_path_factory.mktemp("zeros") / "object"
    block = bytes(2**22)
    with path.open("wb") as file:
        file.write(packer.compress(header))
        for _ in range(GIB // len(block)):
            digest.update(block)
            file.write(packer.compress(block))
        file.write(packer.flush())
    return digest.hexdigest(), path


def test_a214_a_gibibyte_of_zeros(hosted: Host, zeros: tuple[str, Path]) -> None:
    """A223 too: what nobody guards is not even read."""
    oid, path = zeros
    story = hosted.story
    folder = story.root / ".git" / "objects" / oid[:2]
    folder.mkdir(exist_ok=True)
    (folder / oid[2:]).hardlink_to(path)
    record = story.plumb({".freeze/record.json": ("100644", oid)})
    refused(hosted, record, "record.too_large")
    story.git("reset", "-q", "--soft", "main")
    story.git("read-tree", "main")
    hosted.accepts(f"{story.plumb({'src/shop/data.bin': ('100644', oid)})}:{MAIN}")
    assert hosted.cost()[1] < 300


def test_a223_a_huge_file_that_nobody_guards_is_not_read(hosted: Host) -> None:
    data = b"".join(b"%032d\n" % number for number in range(500_000))
    hosted.story.write("src/shop/data.txt", data).commit("much text")
    hosted.accepts(f"HEAD:{MAIN}")
    assert hosted.cost()[1] < 300


def test_a217_fifty_thousand_refs_in_one_push(hosted: Host) -> None:
    story = hosted.story
    rev = story.rev("HEAD")
    lines = "".join(f"create refs/heads/many/{number} {rev}\n" for number in range(50_000))
    story.git("update-ref", "--stdin", data=lines.encode())
    said = hosted.refuses("refs/heads/many/*:refs/heads/many/*", code="limits.too_many_refs")
    assert len(remote_lines(said)) == 1
    assert len(hosted.refs()) == 1


def test_a133_a_chain_of_a_thousand_tags(hosted: Host) -> None:
    story = hosted.story
    oid, kind = story.rev("HEAD"), "commit"
    for number in range(1_000):
        text = f"object {oid}\ntype {kind}\ntag v{number}\ntagger A <a@b> 0 +0000\n\nx\n"
        oid, kind = _stored(story, "tag", text.encode()), "tag"
    story.git("update-ref", "refs/tags/v1", oid)
    hosted.refuses("refs/tags/v1", code="ref.bad")


def test_a219_a_history_of_ten_thousand_commits(hosted: Host) -> None:
    commits = "".join(
        f"commit refs/heads/long\ncommitter A <a@b> {number} +0000\ndata 1\nx\n"
        + (f"from {hosted.story.rev('main')}\n" if number == 1 else "")
        + f"M 644 inline src/shop/count.txt\ndata {len(str(number))}\n{number}\n"
        for number in range(1, 10_001)
    )
    hosted.story.git("fast-import", "--quiet", data=commits.encode())
    hosted.accepts(f"long:{MAIN}")


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        pytest.param(
            ".freeze/policy.toml", ".".join("a" * 20_000) + " = 1\n", "judge.invalid_new_policy",
            id="a_dotted_key",
        ),
        pytest.param(
            ".freeze/policy.toml", "\n".join(f"x{n} = {'[' * 500}{']' * 500}" for n in range(200)),
            "judge.invalid_new_policy", id="deep_arrays",
        ),
        pytest.param(
            ".freeze/catalog.toml", "x = " + "[" * 200_000, "judge.invalid_new_policy",
            id="deeper_arrays",
        ),
        pytest.param(
            ".freeze/policy.toml",
            'version = 1\n[base]\ntargets = ["refs/heads/main"]\n[subject]\n'
            f'paths = ["{"*a" * 40}b"]\n',
            "judge.invalid_new_policy", id="a220_a_glob_that_backtracks",
        ),
        pytest.param(
            ".freeze/record.json", "[" * 60_000, "record.", id="deep_json"
        ),
        pytest.param(
            ".freeze/ledger.jsonl", '{"event":"frozen"}\n' * 200_000, "record.too_large",
            id="a_huge_ledger_of_bad_lines",
        ),
        pytest.param(
            ".freeze/ledger.jsonl", "x" * (65 * 2**20), "record.too_large", id="a_ledger_beyond_all"
        ),
    ],
)  # fmt: skip
def test_a220_documents_that_explode(hosted: Host, path: str, text: str, code: str) -> None:
    hosted.story.write(path, text).commit("a document")
    refused(hosted, "HEAD", f"error {code}")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("x = (" + "x," * 500_000 + ")\n", id="a_tuple"),
        pytest.param("x = " + "-" * 100_000 + "1\n", id="signs"),
        pytest.param("x = 1" + "+1" * 100_000 + "\n", id="sums"),
        pytest.param("x = " + "(" * 100_000 + ")" * 100_000 + "\n", id="brackets"),
        pytest.param("x = " + "lambda: " * 50_000 + "1\n", id="lambdas"),
        pytest.param("".join(" " * n + "if x:\n" for n in range(900)), id="indents"),
    ],
)
def test_a222_syntax_trees_that_explode(hosted: Host, source: str) -> None:
    path = "tests/test_order.py"
    hosted.story.write(path, hosted.story.read(path) + source.encode()).commit("a bomb")
    refused(hosted, "HEAD", "error mute.opaque")


def test_a213_names_that_steer_terminals_and_shells(hosted: Host) -> None:
    for name in ("\u202eevil", "a;$(id)`x`", "a\u2066b"):
        hosted.refuses(f"HEAD:refs/heads/{name}", code="ref.bad_name")


def test_a225_pushed_objects_that_are_not_there_are_no_answer(hosted: Host) -> None:
    for missing in ("1" * 40, "f" * 40):
        done = hosted.hook((hosted.refs()[MAIN], missing, MAIN))
        assert done.returncode == 2
        assert "repository.object_missing" in done.stderr
    hosted.accepts(f"HEAD:{MAIN}")


def test_a228_every_fault_is_in_test_host_faults(hosted: Host) -> None:
    hosted.set(f'{SETTINGS}log = "/dev/full"\n')
    hosted.story.patch()
    said = hosted.push("origin", f"HEAD:{MAIN}").refused("No space left")
    assert len(remote_lines(said.text)) == 1


def test_a229_two_pushes_that_were_judged_by_the_same_base(hosted: Host) -> None:
    story, old = hosted.story, hosted.refs()[MAIN]
    story.patch("# one\n").git("push", "-q", "origin", "HEAD:refs/heads/one")
    first = story.rev("HEAD")
    assert hosted.hook((old, first, MAIN)).returncode == 0
    story.branch("other", "main").patch("# two\n")
    hosted.accepts(f"HEAD:{MAIN}")
    done = hosted.hook((old, first, MAIN))
    assert (done.returncode, "ref.stale" in done.stderr) == (1, True)


def test_a231_lines_of_the_log_cannot_be_made(hosted: Host) -> None:
    hosted.story.patch().request(line={"owner": "x\n2026 ACCEPT main"}).write(hosted.story.root)
    hosted.story.commit("an owner with a second line")
    refused(hosted, "HEAD", "record.bad_string")
    assert len(hosted.log.read_text().splitlines()) == len(hosted.entries()) == 1


def test_many_bad_refs_are_told_in_bounds(hosted: Host) -> None:
    updates = [(ZERO, "1" * 40, f"refs/replace/{number:040}") for number in range(5_000)]
    done = hosted.hook(*updates)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) < 110
    assert len(hosted.entries()) == 100
    hosted.accepts(f"HEAD:{MAIN}")
