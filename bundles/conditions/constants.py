"""Canonical forms of the constants of conditions: constants that are the same have one form (rules C3, C5)."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from .neighbours import short_number
from .values import Json

LARGE_INTEGER = 2**61 - 1
"""Python hashes an integer from here on as a smaller one. So many can be chosen to have one hash, and to look one of
them up among the others takes as long as to compare with all."""

_ELEMENTS_OF_LARGE = 100

CanonicalKey: TypeAlias = tuple[Any, ...]


def canonical_key(constant: Json) -> CanonicalKey:
    """Returns a key that is equal for constants that are the same (C3), and different for others. Keys can be sorted.

    A tuple counts as an array.

    >>> canonical_key(1) == canonical_key(1.0), canonical_key(1) == canonical_key(True)
    (True, False)
    >>> canonical_key({"a": 1, "b": 2}) == canonical_key({"b": 2, "a": 1})
    True
    """
    if isinstance(constant, list | tuple):
        return ("array", *map(canonical_key, constant))
    if isinstance(constant, dict):
        return ("object", *sorted((name, canonical_key(member)) for name, member in constant.items()))
    if isinstance(constant, bool):
        return ("boolean", constant)
    if constant is None:  # no sound constant has a null (C2), but faulty ones are compared before they are refused
        return ("null",)
    return ("string" if isinstance(constant, str) else "number", constant)


def canonical_constant(constant: Json) -> Json:
    """Returns the canonical form of a constant: the shortest text of each number, and members sorted by name (C3).

    >>> canonical_constant({"b": [1.0, -0.0], "a": True, "c": None})
    {'a': True, 'b': [1, 0], 'c': None}
    """
    if isinstance(constant, list):
        return [canonical_constant(item) for item in constant]
    if isinstance(constant, dict):
        return {name: canonical_constant(constant[name]) for name in sorted(constant)}
    if constant is None or isinstance(constant, bool | str):
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


def list_elements(constants: Sequence[Json]) -> int:
    """Returns the elements of a list constant, as its limit counts them: a large integer counts as a hundred.

    >>> list_elements(["a", 1, 2**61]), list_elements([])
    (102, 0)
    """
    large = sum(isinstance(constant, int) and abs(constant) >= LARGE_INTEGER for constant in constants)
    return len(constants) + (_ELEMENTS_OF_LARGE - 1) * large


def canonical_list(constants: Iterable[Json]) -> list[Json]:
    """Returns constants in canonical form, each once and sorted: `in` and `nin` ignore order and repeats (C5).

    >>> canonical_list(["b", 1.0, True, 1, "a"])
    [True, 1, 'a', 'b']
    """
    found = {canonical_key(constant): constant for constant in constants}
    return [canonical_constant(found[key]) for key in sorted(found)]
