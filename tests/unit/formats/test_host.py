"""A host's settings: what stands there counts, what is unknown or missing is refused."""

from __future__ import annotations

import pytest

from freezegate.errors import DecodeError
from freezegate.formats.host import parse_host_settings
from freezegate.model.host import HostLimits

HEAD = 'version = 1\nprotected = ["refs/heads/main", "refs/heads/release/*"]\n'


def test_two_lines_are_enough() -> None:
    settings = parse_host_settings(HEAD.encode())
    assert settings.protected == ("refs/heads/main", "refs/heads/release/*")
    assert (settings.parents, settings.log) == ((), None)
    assert settings.limits == HostLimits(4, 4, 1024, 10_000, 100_000)


def test_everything_can_be_said() -> None:
    more = (
        'log = "/var/log/shop.jsonl"\n[parents]\n"refs/heads/release/*" = "refs/heads/main"\n'
        "[limits]\nwall_s = 30\nmemory_mib = 512\n"
    )
    settings = parse_host_settings(f"{HEAD}{more}".encode())
    assert settings.parents == (("refs/heads/release/*", "refs/heads/main"),)
    assert settings.log == "/var/log/shop.jsonl"
    assert settings.limits == HostLimits(wall_s=30, memory_mib=512)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        pytest.param("", "record.missing_key", "version", id="empty"),
        pytest.param("version = 1\n", "record.missing_key", "protected", id="protects_nothing"),
        pytest.param(
            "version = 1\nprotected = []\n", "record.wrong_type", "protected", id="an_empty_list"
        ),
        pytest.param(
            HEAD.replace("= 1", "= 2"), "record.wrong_type", "version", id="another_version"
        ),
        pytest.param(
            HEAD.replace("refs/heads/main", "main"),
            "record.bad_string",
            "protected[0]",
            id="a_short_name",
        ),
        pytest.param(f"{HEAD}protect = []\n", "record.unknown_key", "protect", id="an_unknown_key"),
        pytest.param(
            f"{HEAD}[limits]\nwalls = 4\n", "record.unknown_key", "limits.walls", id="a_typo"
        ),
        pytest.param(
            f"{HEAD}[limits]\nwall_s = 0\n", "record.wrong_type", "limits.wall_s", id="no_time"
        ),
        pytest.param(
            f"{HEAD}[limits]\nwall_s = true\n", "record.wrong_type", "limits.wall_s", id="a_flag"
        ),
        pytest.param(
            f'{HEAD}[parents]\n"refs/heads/x" = "refs/heads/*"\n',
            "record.bad_string",
            "parents.'refs/heads/x'",
            id="a_glob_as_parent",
        ),
        pytest.param(f'{HEAD}log = "log"\n', "record.bad_string", "log", id="a_relative_log"),
        pytest.param(f'{HEAD}log = "~/log"\n', "record.bad_string", "log", id="a_log_at_home"),
        pytest.param(f'{HEAD}log = ""\n', "record.bad_string", "log", id="no_log"),
        pytest.param(f"{HEAD}version = 1\n", "record.duplicate_key", "", id="a_key_twice"),
        pytest.param("\xff", "record.bad_encoding", "", id="no_toml"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, code: str, place: str) -> None:
    with pytest.raises(DecodeError) as refused:
        parse_host_settings(text.encode())
    assert (refused.value.code, refused.value.place) == (code, place)


def test_the_nearest_key_is_named() -> None:
    with pytest.raises(DecodeError, match="`wall_s`"):
        parse_host_settings(f"{HEAD}[limits]\nwalls = 4\n".encode())
