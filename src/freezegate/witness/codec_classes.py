"""Which classes codecs write and read by name, and of what an instance of one consists.

Executed inside the guarded project's interpreter as well: standard library alone, Python 3.8 and
later. A class is looked for in what is loaded already, in the dictionaries of modules and classes:
no `__getattr__`, no descriptor and no metaclass is asked.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
import types

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from typing import Any

REGISTRY = "FREEZEGATE_CODECS"
_CACHES = ("cached_property", "lazy_property", "reify")  # made again when they are asked for
_GENERIC = "__orig_class__"  # what `typing` notes on an instance of `Order[int]`


class CodecError(Exception):
    """Say which value no codec writes or reads, where it stands, and what to do."""


def name_of(kind: type, place: str) -> str:
    """Return under which name a class is found again; raises CodecError where it is not."""
    name = label_of(kind)
    if "<" in name:
        text = place + " is of the class " + kind.__qualname__ + ", which only a function knows"
        raise CodecError(text + "; move the class to the top of its module")
    if _found(name) is not kind:
        text = place + " is of a class " + name + ", and that name means something else by now"
        raise CodecError(text + "; let one class have the name")
    return name


def label_of(kind: type) -> str:
    """Return a class's own name for itself."""
    return str(kind.__module__) + ":" + str(kind.__qualname__)


def class_named(name: Any, expected: str) -> Any:
    """Return a class that loaded code has under this name, if it is of the kind expected."""
    found = _found(name) if type(name) is str else None
    if isinstance(found, type) and _KINDS[expected](found) and label_of(found) == name:
        return found
    text = "the fixture names " + ascii(name) + ", which is no " + expected + " that the oracle "
    raise CodecError(text + "loads on this side: import it there; if the patch renamed it, shrink")


def _found(name: str) -> Any:
    module, _, qualname = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = _own(found).get(part)
    return found


def _own(holder: Any) -> Any:
    """Return what a module or class holds itself, and of anything else nothing."""
    if isinstance(holder, type):
        return type.__getattribute__(holder, "__dict__")
    return object.__getattribute__(holder, "__dict__") if type(holder) is types.ModuleType else {}


def is_dataclass(kind: type) -> bool:
    """Say so of plain ones: what also is a list or an exception has more than its fields."""
    maker: Any = kind.__new__
    return "__dataclass_fields__" in kind.__dict__ and maker is object.__new__


def is_enum(kind: type) -> bool:
    """Say whether a class is an enum with members."""
    return issubclass(kind, enum.Enum)


def is_named_tuple(kind: type) -> bool:
    """Say so of tuples whose parts have names, and that hold nothing beside them."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and not kind.__dictoffset__


_KINDS = {"enum": is_enum, "dataclass": is_dataclass, "named tuple": is_named_tuple}


def given_fields(kind: Any) -> list[str]:
    """Return the fields of a dataclass that its constructor takes, sorted."""
    return sorted(field.name for field in dataclasses.fields(kind) if field.init)


def unkept_arguments(kind: Any) -> list[str]:
    """Return what a dataclass's constructor takes and no instance keeps: its InitVars."""
    fields = kind.__dataclass_fields__.values()
    mark = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]  # noqa: SLF001 - no other way
    return sorted(field.name for field in fields if field._field_type is mark)  # noqa: SLF001


def derived_state(value: Any) -> dict[str, Any]:
    """Return what an instance holds beside what its constructor takes, caches left out."""
    kind = type(value)
    classes = kind.__mro__
    slots = {
        name: slot
        for each in reversed(classes)
        for name, slot in each.__dict__.items()
        if type(slot) is types.MemberDescriptorType
    }
    found: dict[str, Any] = {}
    for name, slot in slots.items():
        try:
            found[name] = slot.__get__(value, kind)
        except AttributeError:  # not set
            continue
    if kind.__dictoffset__:
        found.update(object.__getattribute__(value, "__dict__"))
    given = given_fields(kind)
    return {name: part for name, part in found.items() if not _is_left_out(name, given, classes)}


def _is_left_out(name: Any, given: list[str], classes: tuple[type, ...]) -> bool:
    if type(name) is not str:
        return False
    found = [each.__dict__[name] for each in classes if name in each.__dict__]
    cached = bool(found) and type(found[0]).__name__ in _CACHES
    return name in given or name == _GENERIC or cached


def unknown(kind: type, place: str) -> CodecError:
    """Return the error that names a type without codec."""
    called = str(kind.__module__) + "." + kind.__qualname__
    if kind.__name__ in ("function", "method", "builtin_function_or_method", "type"):
        more = "; let the strategy draw data, and make this of it in the test"
    else:
        more = by_codec(kind)
    return CodecError(place + " is of the type " + called + ", which no codec writes" + more)


def by_codec(kind: type) -> str:
    """Return how a type gets a codec."""
    text = "; give the type a codec in the oracle file: " + REGISTRY + " = {" + kind.__name__
    return text + ": (to_plain, from_plain)}, in a patch of its own that lands first"
