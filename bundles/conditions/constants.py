"""The constants that conditions compare with, written in one way each (rules C3, C5)."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from .neighbours import short_number
from .values import Json

Meaning: TypeAlias = tuple[Any, ...]


def meaning(constant: Json) -> Meaning:
    """Equal for constants that are the same (C3), different for others, and in one order for all.

    >>> meaning(1) == meaning(1.0), meaning(1) == meaning(True), meaning({"a": 1, "b": 2}) == meaning({"b": 2, "a": 1})
    (True, False, True)
    """
    if isinstance(constant, list):
        return ("array", *map(meaning, constant))
    if isinstance(constant, dict):
        return ("object", *sorted((name, meaning(member)) for name, member in constant.items()))
    if isinstance(constant, bool):
        return ("boolean", constant)
    return ("string" if isinstance(constant, str) else "number", constant)


def written(constant: Json) -> Json:
    """The one spelling of all constants that are the same: short numbers, members of objects by name.

    >>> written({"b": [1.0, -0.0], "a": True})
    {'a': True, 'b': [1, 0]}
    """
    if isinstance(constant, list):
        return [written(item) for item in constant]
    if isinstance(constant, dict):
        return {name: written(constant[name]) for name in sorted(constant)}
    if isinstance(constant, bool | str):
        return constant
    return short_number(constant)


def weight(constant: Json) -> int:
    """How many values it is made of, itself included: what it takes to read it.

    >>> weight(1), weight([]), weight([1, {"a": [2]}])
    (1, 1, 5)
    """
    if isinstance(constant, dict):
        return 1 + sum(map(weight, constant.values()))
    return 1 + sum(map(weight, constant)) if isinstance(constant, list) else 1


def in_order(constants: Iterable[Json]) -> list[Json]:
    """Constants each once and in one order, which means nothing to `in` and `nin` (C5).

    >>> in_order(["b", 1.0, True, 1, "a"])
    [True, 1, 'a', 'b']
    """
    found = {meaning(constant): constant for constant in constants}
    return [written(found[key]) for key in sorted(found)]
