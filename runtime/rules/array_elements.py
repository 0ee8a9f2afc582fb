"""The elements of arrays that a request may send: their keys, and a limit to what an event loop compares (C3, X6).

Keys find the elements that two arrays share. Both arrays may come from a request. So the keys take values of any depth,
and their hashes can't be chosen: the hashes of numbers can, those of strings can't.
"""

from math import isfinite
from typing import Any, Final, TypeAlias

from ...bundles.conditions.comparisons import Predicate
from ...bundles.conditions.values import Json, plain
from ...bundles.event_loop import refuse_on_event_loop

Key: TypeAlias = str | tuple[Any, ...]

QUICK_ELEMENTS: Final = 64
"""An array of up to this many elements is compared in microseconds."""


def quick_on_event_loop(check: Predicate) -> Predicate:
    """Returns a test of elements that raises TakesLong on an event loop for an array that takes long to compare."""

    def checked(value: Json) -> bool:
        if isinstance(value, list) and len(value) > QUICK_ELEMENTS:
            refuse_on_event_loop()
        return check(value)

    return checked


def element_keys(array: list[Json]) -> set[Key]:
    """Returns a key for each element: two elements have the same key if and only if they are the same (C3).

    Raises NotJson for a value that JSON has not.

    >>> element_keys([1, 1.0]) == element_keys([1]), element_keys([True]) & element_keys([1, "1", "true"])
    (True, set())
    """
    return {element if element.__class__ is str else _key(element) for element in array}


def _key(element: Json) -> Key:
    """Returns the parts of a value in one order. Each array and object begins with its length or its names."""
    parts: list[Any] = []
    waiting = [element]
    while waiting:
        value = plain(waiting.pop())
        if isinstance(value, list):
            parts.append(f"[{len(value)}")
            waiting += value
        elif isinstance(value, dict):
            names = sorted(value, key=str)
            parts.append(("{", *names))
            waiting += (value[name] for name in names)
        else:
            parts.append(_part(value))
    return parts[0][1:] if len(parts) == 1 and isinstance(element, str) else tuple(parts)


def _part(value: Json) -> Any:
    if isinstance(value, str):
        return f"s{value}"
    if isinstance(value, bool):
        return f"b{value}"
    if value is None or value != value:
        return object()  # it equals nothing, not even itself (C2)
    if isinstance(value, int) or (isfinite(value) and value.is_integer()):
        return f"n{int(value):x}"
    return f"n{value.hex()}"
