"""Every test runs without the user's configuration, and with a shop of its own if it asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import Story, copy_of, start

# How fast this machine is today is no law of ours.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what a developer's machine or a CI service would bring in."""
    import os

    for name in list(os.environ):
        if name.startswith(("GIT_", "FREEZEGATE_", "PRE_COMMIT")) or name in ("CI", "NO_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture(scope="session")
def _basic_shop(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return start(tmp_path_factory.mktemp("basic"))


@pytest.fixture
def shop(_basic_shop: Story, tmp_path: Path) -> Story:
    """A repository under the preset `basic`, standing on a branch `topic` off `main`."""
    return copy_of(_basic_shop, tmp_path / "here").branch("topic")
