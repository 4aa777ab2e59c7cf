"""The program that a run's interpreter is started with: all modules of child/ in one file.

One file, since a run opens nothing of ours that its tree could lie in front of; and no module stays
in `sys.modules`, where freezegate's name may belong to the tested code itself.
"""

from __future__ import annotations

import marshal
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path

_CHILD = Path(__file__).with_name("child")
_MODULES = ("places", "failures", "watch", "observer", "run")  # each after what it imports
_START = """
import sys
def load(modules, package):
    made = [type(sys)(package)] + [type(sys)(package + "." + name) for name, _ in modules]
    sys.modules.update((module.__name__, module) for module in made)
    made[0].__path__ = []
    for module, (_, code) in zip(made[1:], modules):
        module.__package__ = package
        exec(code, module.__dict__)
    for module in made:
        del sys.modules[module.__name__]
    return made[-1]
if __name__ == "__main__":  # multiprocessing imports the program again, under another name
    load(MODULES, "_freezegate_child").main()
"""


@cache
def child_source() -> bytes:
    """Return the program as source, for an interpreter of any version."""
    lines = [
        f"    ({name!r}, compile({text!r}, {path!r}, 'exec'))," for name, path, text in _texts()
    ]
    return "\n".join(["MODULES = [", *lines, "]", _START]).encode()


@cache
def child_bytecode() -> bytes:
    """Return the program compiled, for an interpreter that reads our bytecode (7 ms a run)."""
    compiled = [
        (name, compile(text, path, "exec", dont_inherit=True)) for name, path, text in _texts()
    ]
    program = f"import marshal\nMODULES = marshal.loads({marshal.dumps(compiled)!r})\n{_START}"
    code = compile(program, str(_CHILD), "exec", dont_inherit=True)
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def _texts() -> list[tuple[str, str, str]]:
    files = [(name, _CHILD / f"{name}.py") for name in _MODULES]
    return [(name, str(file), file.read_text("utf-8")) for name, file in files]
