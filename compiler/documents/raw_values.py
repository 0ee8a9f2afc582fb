"""Raw values, as a reader returns them before their class is known, and the faults that any value can have."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from ...bundles.conditions.values import Json, is_text
from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..limits import Limits

_LONGEST_CHARACTER_BYTES = 4
_ELEMENT_DEPTH = 2
"""Levels of nesting around an element: the document and the list."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A fault in the place of a value that can't be read, so that the values around it are still checked."""

    code: str
    message: str
    help: str = ""
    id: str | None = None
    """The id of an element in whose place it stands, if that is known."""


class FaultyObject(dict[str, Json]):
    """An object with faulty members, and the fault of each. If a name is repeated, the last member counts."""

    def __init__(self, members: dict[str, Json], faults: list[tuple[str, Unreadable]]):
        super().__init__(members)
        self.faults = faults
        self.lacks_members = any(name not in members for name, _ in faults)


def repeated_member(name: str) -> Unreadable:
    """Returns the fault of a repeated member of an object."""
    return Unreadable(
        "duplicate-member", f"the object has the member {quoted(name)} more than once", "keep one of them"
    )


def too_many_digits(digits: int, limits: Limits) -> Unreadable:
    """Returns the fault of a number with too many digits."""
    return Unreadable("too-long", f"the number has {digits} digits, the limit is {limits.number_digits}")


def too_deep(limits: Limits) -> Unreadable:
    """Returns the fault of an array or object that is nested too deeply."""
    return Unreadable("too-deep", f"the value is nested more than {limits.nesting} levels deep, which is the limit")


def not_finite(text: str) -> Unreadable:
    """Returns the fault of a number that is not finite (`NaN`), or too large for a double (`1e999`)."""
    return Unreadable("not-a-number", f"{quoted(text)} is not a finite number")


def is_plain(value: Json, limits: Limits) -> bool:
    """Returns whether an element's value certainly has none of the faults that `value_faults` finds, and contains no
    null.

    PERF: every written element is tested here first, because `value_faults` takes ten times as long.
    """
    texts: list[str] = []
    level = [value]
    for _ in range(limits.nesting - _ELEMENT_DEPTH):
        below: list[Json] = []
        for part in level:
            kind = part.__class__
            if kind is str:
                texts.append(part)
            elif kind is dict:
                if part and len(max(part, key=len)) > limits.key_characters:
                    return False
                texts += part
                below += part.values()
            elif kind is list:
                below += part
            elif kind is float:
                if not isfinite(part):
                    return False
            elif kind is not int and kind is not bool:
                return False
        if not below:
            text = "".join(texts)
            return len(text) * _LONGEST_CHARACTER_BYTES <= limits.string_bytes and is_text(text)
        level = below
    return False


def value_faults(value: Json, path: Path, limits: Limits) -> Iterator[Finding]:
    """Yields the faults of a raw value and its parts that any class has: exceeded limits and unreadable parts.

    `path` starts at the document's root, and nesting is counted from there.
    """
    match value:
        case Unreadable(code, message, help_text):
            yield Finding(code, message, path, help_text)
        case str():
            yield from _text_faults(value, path, limits, at_key=False)
        case float() if not isfinite(value):
            yield from value_faults(not_finite(json.dumps(value)), path, limits)
        case list() | dict() if len(path) >= limits.nesting:
            yield from value_faults(too_deep(limits), path, limits)
        case list():
            for index, item in enumerate(value):
                if not isinstance(item, bool | int):
                    yield from value_faults(item, (*path, index), limits)
        case dict():
            yield from _object_faults(value, path, limits)


def _object_faults(value: dict[str, Json], path: Path, limits: Limits) -> Iterator[Finding]:
    if isinstance(value, FaultyObject):
        for name, fault in value.faults:
            yield Finding(fault.code, fault.message, (*path, name), fault.help, at_key=True)
    for name, member in value.items():
        if len(name) > limits.key_characters:
            message = f"the name has {len(name)} characters, the limit is {limits.key_characters}"
            yield Finding("too-long", message, (*path, name), at_key=True)
        yield from _text_faults(name, (*path, name), limits, at_key=True)
        yield from value_faults(member, (*path, name), limits)


def _text_faults(text: str, path: Path, limits: Limits, at_key: bool) -> Iterator[Finding]:
    if len(text) * _LONGEST_CHARACTER_BYTES <= limits.string_bytes and text.isascii():
        return
    try:
        size = len(text.encode())
    except UnicodeEncodeError as ex:
        message = f"the string contains a lone surrogate, {quoted(text[ex.start])}"
        yield Finding(
            "lone-surrogate", message, path, "write the character itself, or both halves of its pair", at_key=at_key
        )
        return
    if size > limits.string_bytes and not at_key:
        yield Finding("too-long", f"the string has {size} bytes, the limit is {limits.string_bytes}", path)
