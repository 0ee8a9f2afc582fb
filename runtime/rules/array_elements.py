"""The elements of arrays that a request may send: their keys, and a limit to what an event loop compares (C3, X6).

Keys find the elements that two arrays share. Both arrays may come from a request. So the keys take values of any depth,
and their hashes can't be chosen: the hashes of numbers can, those of strings can't.

A batch may ask 200 times about one array of 10,000 objects. To make the keys of such an array takes 20 ms each time, so
what comparisons found is kept while one request is answered.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from typing import Any, Final, TypeAlias, TypeVar

from ...bundles.conditions.comparisons import Predicate
from ...bundles.conditions.values import Json, plain
from ...bundles.event_loop import refuse_on_event_loop

Key: TypeAlias = str | tuple[Any, ...]

QUICK_ELEMENTS: Final = 64
"""An array of up to this many elements is compared in microseconds."""

MOST_KEPT: Final = 1_000_000
"""The most parts of keys that are kept for one request: a body of 1 MiB has fewer. A part takes some 100 bytes."""

_RESULT: Final = 1_000
"""The parts that a result counts as, since the two values that were compared are held with it."""

_T = TypeVar("_T")
_Name: TypeAlias = tuple[str, int, int]


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
    return {element if element.__class__ is str else key_of_element(element) for element in array}


def key_of_element(element: Json) -> Key:
    """Returns the key of one element: the parts of a value in one order. Raises NotJson for a value that JSON has not.

    Each array and object begins with its length or its names. A string is its own key.
    """
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


class KeptKeys:
    """The keys and the comparisons of one request. No array or object of the request may change meanwhile.

    An array or object is known by its identity, and is held here, so that no other one gets it. What was not used for
    longest gives way.
    """

    def __init__(self) -> None:
        self._kept: dict[_Name, tuple[tuple[Json, ...], Any, int]] = {}
        self._parts = 0

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keeps what this thread compares in the block."""
        before = _kept.set(self)
        try:
            yield
        finally:
            _kept.reset(before)

    def during(self, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, and keeps what this thread compares meanwhile."""
        with self.in_use():
            return work()

    def found(self, what: str, held: tuple[Json, ...], make: Callable[..., _T], weigh: Callable[[_T], int]) -> _T:
        """Returns what `make` makes of the values `held`, as it did before. Raises what it raises."""
        name = what, id(held[0]), id(held[-1])
        entry = self._kept.pop(name, None)
        if entry is None:
            made = make(*held)
            entry = held, made, weigh(made)
            self._parts += entry[2]
        self._kept[name] = entry  # at the end
        while self._parts > MOST_KEPT:
            self._parts -= self._kept.pop(next(iter(self._kept)))[2]
        result: _T = entry[1]
        return result


_kept: Final[ContextVar[KeptKeys | None]] = ContextVar("_kept", default=None)


def is_keeping() -> bool:
    """Returns whether this thread keeps what it compares."""
    return _kept.get() is not None


def keys_of(array: list[Json]) -> set[Key]:
    """Returns the keys of an array's elements; see `element_keys`. Those of a long array are kept."""
    if len(array) <= QUICK_ELEMENTS or (kept := _kept.get()) is None:
        return element_keys(array)
    return kept.found("elements", (array,), element_keys, _weight)


def key_of(value: Json) -> Key:
    """Returns the key of one value, as `element_keys` makes it. That of an array or an object is kept."""
    kept = _kept.get()
    if kept is None or not isinstance(value, list | dict):
        return key_of_element(value)
    return kept.found("value", (value,), key_of_element, len)


def kept_result(compare: Callable[[Json, Json], bool], value: Json, other: Json) -> bool:
    """Returns the result of `compare`, the same one for all callers. That of two arrays or objects is kept."""
    kept = _kept.get()
    if kept is None or not isinstance(value, list | dict) or not isinstance(other, list | dict):
        return compare(value, other)
    return kept.found("same", (value, other), compare, lambda _: _RESULT)


def _weight(keys: set[Key]) -> int:
    return sum(1 if isinstance(key, str) else len(key) for key in keys)
