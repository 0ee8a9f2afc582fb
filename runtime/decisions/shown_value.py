"""Shows values in a proof: whole if they are short, and otherwise the start of their JSON text (D10)."""

import json
from collections.abc import Iterator
from typing import Any, Final

from ...bundles.conditions.values import Json
from ..filters.derive import copied

MOST_CHARACTERS: Final = 1_024
"""A value with a longer JSON text is cut."""

DEEPEST: Final = 100
"""A value with more levels of arrays and objects is cut."""

_LONG_INTEGER_BITS: Final = 4 * MOST_CHARACTERS
"""An integer of more bits has a longer text. Python refuses to write very long ones."""


class _NotJson(Exception):
    """JSON can't have the value."""


class _TooDeep(Exception):
    """The value has more than `DEEPEST` levels."""


def shown(name: str, value: Json) -> tuple[dict[str, Any], int]:
    """Returns a value under its name, and the length of its text. If the value is cut, the name with `_cut` is true.

    It reads no more of the value than it shows. A value that JSON can't have is shown as an empty text that is cut.

    >>> shown("actual", "draft")
    ({'actual': 'draft'}, 7)
    """
    pieces: list[str] = []
    length = 0
    try:
        for piece in _text(value):
            pieces.append(piece)
            length += len(piece)
            if length > MOST_CHARACTERS:
                return _cut(name, "".join(pieces))
    except _TooDeep:
        return _cut(name, "".join(pieces))
    except _NotJson:
        return _cut(name, "")
    return {name: copied(value)}, length


def _cut(name: str, text: str) -> tuple[dict[str, Any], int]:
    start = text[:MOST_CHARACTERS]
    return {name: start, f"{name}_cut": True}, len(start)


def _text(value: Json) -> Iterator[str]:
    """Yields the JSON text of a value piece by piece. A stack takes the place of recursion, for any depth."""
    stack: list[Iterator[tuple[str, Json]]] = [iter([("", value)])]
    ends = [""]
    while stack:
        for prefix, item in stack[-1]:
            yield prefix
            if len(stack) > DEEPEST:
                raise _TooDeep
            if isinstance(item, list):
                yield "["
                stack.append(_items(item))
                ends.append("]")
                break
            if isinstance(item, dict):
                yield "{"
                stack.append(_members(item))
                ends.append("}")
                break
            yield _scalar(item)
        else:
            stack.pop()
            yield ends.pop()


def _items(items: list[Json]) -> Iterator[tuple[str, Json]]:
    return ((", " if place else "", item) for place, item in enumerate(items))


def _members(members: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    for place, (name, member) in enumerate(members.items()):
        yield f"{', ' if place else ''}{_scalar(name)}: ", member


def _scalar(value: Json) -> str:
    if isinstance(value, str):
        return json.dumps(value[: MOST_CHARACTERS + 1], ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _LONG_INTEGER_BITS:
        raise _NotJson
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise _NotJson from None
