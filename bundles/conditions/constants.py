"""Canonical forms of the constants of conditions: constants that are the same have one form (rules C3, C5)."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from .neighbours import short_number
from .values import Json

CanonicalKey: TypeAlias = tuple[Any, ...]


def canonical_key(constant: Json) -> CanonicalKey:
    """Returns a key that is equal for constants that are the same (C3), and different for others. Keys can be sorted.

    >>> canonical_key(1) == canonical_key(1.0), canonical_key(1) == canonical_key(True)
    (True, False)
    >>> canonical_key({"a": 1, "b": 2}) == canonical_key({"b": 2, "a": 1})
    True
    """
    if isinstance(constant, list):
        return ("array", *map(canonical_key, constant))
    if isinstance(constant, dict):
        return ("object", *sorted((name, canonical_key(member)) for name, member in constant.items()))
    if isinstance(constant, bool):
        return ("boolean", constant)
    return ("string" if isinstance(constant, str) else "number", constant)


def canonical_constant(constant: Json) -> Json:
    """Returns the canonical form of a constant: the shortest text of each number, and members sorted by name (C3).

    >>> canonical_constant({"b": [1.0, -0.0], "a": True})
    {'a': True, 'b': [1, 0]}
    """
    if isinstance(constant, list):
        return [canonical_constant(item) for item in constant]
    if isinstance(constant, dict):
        return {name: canonical_constant(constant[name]) for name in sorted(constant)}
    if isinstance(constant, bool | str):
        return constant
    return short_number(constant)


def value_count(constant: Json) -> int:
    """Returns the number of values in a constant, including the constant. It measures the work of reading the constant.

    >>> value_count(1), value_count([]), value_count([1, {"a": [2]}])
    (1, 1, 5)
    """
    if isinstance(constant, dict):
        return 1 + sum(map(value_count, constant.values()))
    return 1 + sum(map(value_count, constant)) if isinstance(constant, list) else 1


def canonical_list(constants: Iterable[Json]) -> list[Json]:
    """Returns constants in canonical form, each once and sorted: `in` and `nin` ignore order and repeats (C5).

    >>> canonical_list(["b", 1.0, True, 1, "a"])
    [True, 1, 'a', 'b']
    """
    found = {canonical_key(constant): constant for constant in constants}
    return [canonical_constant(found[key]) for key in sorted(found)]
