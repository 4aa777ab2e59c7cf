"""What is advised for a mute: no freeze where none can be had, no words where none are taken."""

from __future__ import annotations

import pytest

from freezegate.formats.catalog import parse_catalog
from freezegate.formats.policy import built_in
from freezegate.model.digests import ObjectId
from freezegate.model.verdict import Base
from freezegate.policy.facts import Document, Judges
from freezegate.policy.mutes.mute import BASE, Certainty, Mute, MuteFamily
from freezegate.policy.rules.mute_remedies import remedy_of
from freezegate.policy.settings import Preset, Weight

TEST = "tests/test_a.py::test_a[1 2]"
WITNESS = f"freezegate witness '{TEST}' --owner NAME --expires-on DATE"
AT = Base(rev=ObjectId("a" * 40), source="refs/remotes/origin/main")
PROPERTY = (
    b'[property."order.total"]\nstatement = "x"\noracle = "tests/props.py"\n'
    b'property_test = "tests/props.py::test_p"\ntest = "tests/test_a.py::test_a"\n'
    b'fixtures = ["tests/o.json"]\n'
)


def judges(*, policy: bool = True, catalog: bytes = b"") -> Judges:
    """What stands at the base."""
    value = built_in(Preset.STANDARD) if policy else None
    return Judges(
        policy=Document(b".freeze/policy.toml", None, value),
        catalog=Document(b".freeze/catalog.toml", None, parse_catalog(catalog)),
        lock=Document(b".freeze/fixtures.sha256", None, {}),
    )


def mute(family: MuteFamily = MuteFamily.MARKER, **more: object) -> Mute:
    """A finding on a test that might be frozen."""
    values = {"was": "ran", "now": "skips", "remedy": "Take it out.", "offer": TEST, **more}
    certainty = values.pop("certainty", Certainty.CLEAR)
    return Mute(family, "marker", certainty, "tests/test_a.py", 1, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "family", "end"),
    [
        pytest.param(judges(policy=False), MuteFamily.MARKER, "Take it out.", id="no_policy"),
        pytest.param(judges(), MuteFamily.MARKER, "catalog add --help", id="no_catalogue"),
        pytest.param(
            judges(catalog=PROPERTY), MuteFamily.MARKER, f"{WITNESS} --mark", id="a_marker"
        ),
        pytest.param(judges(catalog=PROPERTY), MuteFamily.COLLECTION, WITNESS, id="another"),
    ],
)
def test_a_freeze_is_offered_where_it_can_be_had(at: Judges, family: MuteFamily, end: str) -> None:
    assert remedy_of(mute(family), Weight.REFUSE, at, AT).endswith(end)


def test_words_are_no_way_out_of_a_refusal() -> None:
    doubtful = mute(certainty=Certainty.DOUBTFUL, remedy="Say in the commit why.", offer="")
    assert remedy_of(doubtful, Weight.WARN, judges(), AT) == "Say in the commit why."
    assert remedy_of(doubtful, Weight.REFUSE, judges(), AT).startswith("Put back what stood there")


def test_a_difference_is_asked_against_the_base() -> None:
    found = mute(remedy=f"git diff {BASE} -- a.py", offer="")
    assert remedy_of(found, Weight.REFUSE, judges(), AT) == f"git diff {'a' * 12} -- a.py"
    empty = Base(rev=None, source="")
    assert remedy_of(found, Weight.REFUSE, judges(), empty) == "git diff HEAD^ -- a.py"
