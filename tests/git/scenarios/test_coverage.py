"""Each corpus row of this stage's groups is a test named after its id, or waits with a reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROWS = {
    "record": "A001 A003 A004 A006 A007 A009 A010 A012 A013 A015 A016 A018 A019 A021 A022 A024 "
    "A025",
    "digest": "A027 A028 A030 A031 A033 A034 A036 A037",
    "path": "A039 A040 A042 A043 A045 A046 A048 A049 A051 A052 A054 A055 A057 A058",
    "test_id": "A060 A061 A063 A064 A066 A067 A069 A070",
    "oracle": "A102 A103 A105 A106 A108 A109 A111 A112 A114 A115 A117 A118 A120 A121 A123 A124 "
    "A126 A127 A129 A130 A132 A133 A135",
    "history": "H028 H030 H031 H033 H034 H036 H037 H039 H040 H042 H043 H045 H046",
    "plain": "H001 H003 H004 H006 H007 H009 H010",
    "judge": "H048 H049 H051 H052 H054 H055 H057 H058",
    "local": "H060 H061 H063",
    "domain": "A136 A138 A139 A141 A142 A144 A145 A147 A148 A150 A151 A153 A154 A156 A157",
    "area": "A208 A210",
    "skip": "A195 A196 A198 A199 A201 A202 A204 A205 A207",
    "host": "A211 A213 A214 A216 A217 A219 A220 A222 A223 A225 A228 A229 A231",
    "ledger": "A187 A189 A190 A192 A193",
    "policy": "A159 A160 A162 A163 A165 A166 A168 A169 A171 A172 A174",
}


def test_every_row_is_a_test_or_waits() -> None:
    rows = {row for group in ROWS.values() for row in group.split()}
    waiting = tomllib.loads((HERE / "waiting.toml").read_text())
    waits = [row for entry in waiting.values() for row in entry["rows"]]
    named: set[str] = set()
    for path in (*HERE.glob("test_*.py"), HERE.parent / "test_doctor_host.py"):
        if path.name != Path(__file__).name:
            named |= {
                row.upper() for row in re.findall(r"(?<=[_\"])[ah]\d{3}(?=_)", path.read_text())
            }
    assert len(waits) == len(set(waits))
    assert all(entry["reason"] for entry in waiting.values())
    assert rows - named == set(waits)
