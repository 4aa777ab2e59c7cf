"""Values for which unchanged conditions skip tests that ran; and values that switch them on."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

FLAGS, SHOP, TEST = "tests/flags.py", "src/shop/__init__.py", "tests/test_it.py"
BODY = "def test_total():\n    assert 1 + 1 == 2\n"
OLD = {
    FLAGS: "import os\n\nSLOW = False\nQUICK = not SLOW\nNAMES = ('a', 'b')\n\n\ndef is_slow():\n"
    "    return False\n",
    SHOP: "HAS_BULK = True\n\n\ndef has_bulk():\n    return True\n",
    TEST: BODY,
}
CONDITIONS = {
    "helper": ("import flags\n", "flags.SLOW", FLAGS, "SLOW = False", "SLOW = True"),
    "by_name": ("from flags import SLOW\n", "SLOW", FLAGS, "SLOW = False", "SLOW = 1"),
    "environment": ("import flags\n", "flags.SLOW", FLAGS, "= False", "= os.name != 'x'"),
    "made_of_it": ("import flags\n", "not flags.QUICK", FLAGS, "SLOW = False", "SLOW = True"),
    "function": ("import flags\n", "flags.is_slow()", FLAGS, "return False", "return True"),
    "member": ("import flags\n", "'c' in flags.NAMES", FLAGS, "'b')", "'c')"),
    "subject": ("from shop import HAS_BULK\n", "not HAS_BULK", SHOP, "= True", "= False"),
    "of_subject": ("import shop\n", "not shop.HAS_BULK", SHOP, "= True", "= False"),
    "asked_of_subject": ("import shop\n", "not shop.has_bulk()", SHOP, "return True", "return 0"),
}
FORMS = {
    "marker": "import pytest\n{0}\n\n@pytest.mark.skipif({1}, reason='slow')\n{2}",
    "unittest": "import unittest\n{0}\n\n@unittest.skipIf({1}, 'slow')\n{2}",
    "unless": "import unittest\n{0}\n\n@unittest.skipUnless(not ({1}), 'slow')\n{2}",
    "named": "import pytest\n{0}\nslow = pytest.mark.skipif({1}, reason='x')\n\n\n@slow\n{2}",
    "call": "import pytest\n{0}\n\ndef test_total():\n    if {1}:\n        pytest.skip('slow')\n"
    "    assert 1 + 1 == 2\n",
    "module": "import pytest\n{0}\nif {1}:\n    pytest.skip('slow', allow_module_level=True)\n"
    "\n\n{2}",
}
OPTIONAL = (
    "import pytest\n\ntry:\n    import json\nexcept ImportError:\n    json = None\n\n\n"
    "@pytest.mark.skipif(json is None, reason='no json')\n" + BODY
)
NEEDED = (
    "import pytest\n\n\ndef test_total():\n    json = pytest.importorskip('json')\n"
    "    assert json\n"
)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    ("imports", "test", "path", "was", "now"), CONDITIONS.values(), ids=CONDITIONS
)
def test_a_value_that_skips_is_told(
    form: str, imports: str, test: str, path: str, was: str, now: str
) -> None:
    old = {**OLD, TEST: form.format(imports, test, BODY)}
    assert was in old[path]
    new = {**old, path: old[path].replace(was, now, 1)}
    assert verdict_between(old, new) in ("warns", "refuses")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("import json\n", "import orjson as json\n"),
        ("import json\n", "import json.absent as json\n"),
        ("import json\n", "from absent import json\n"),
    ],
)
def test_another_optional_import_is_told(was: str, now: str) -> None:
    old = {TEST: OPTIONAL}
    assert verdict_between(old, {TEST: OPTIONAL.replace(was, now, 1)}) in ("warns", "refuses")


@pytest.mark.parametrize(
    "now",
    ["importorskip('orjson')", "importorskip('json', minversion='99')", "importorskip('j' 'x')"],
)
def test_another_module_that_is_needed_is_told(now: str) -> None:
    assert verdict_between(NEEDED, NEEDED.replace("importorskip('json')", now)) == "warns"
    top = "import pytest\n\njson = pytest.importorskip('json')\n\n\n" + BODY
    assert verdict_between(top, top.replace("importorskip('json')", now)) == "warns"


def test_a_module_that_is_needed_in_any_version_is_honest() -> None:
    old = NEEDED.replace("'json'", "'json', minversion='2'")
    assert verdict_between(old, NEEDED, "marker") == "accepts"


HONEST = {
    "switched_on": ("SLOW = True", "SLOW = False"),
    "comment": ("SLOW = True", "SLOW = True  # for now"),
    "another": ("NAMES = ('a',)", "NAMES = ('a', 'b')"),
}


@pytest.mark.parametrize(("was", "now"), HONEST.values(), ids=HONEST)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_skips_no_more_is_honest(form: str, was: str, now: str) -> None:
    test = form.format("import flags\n", "flags.SLOW", BODY)
    old = {FLAGS: "SLOW = True\nNAMES = ('a',)\n", TEST: test}
    assert verdict_between(old, {**old, FLAGS: old[FLAGS].replace(was, now)}) == "accepts"


def test_a_value_that_no_condition_asks_for_is_honest() -> None:
    test = "import pytest\nimport sys\n\n@pytest.mark.skipif(sys.platform == 'x', reason='')\n"
    old = {**OLD, TEST: f"{test}{BODY}"}
    assert verdict_between(old, {**old, SHOP: "HAS_BULK = False\n"}) == "accepts"
