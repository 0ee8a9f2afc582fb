"""The nine comparisons of an attribute with a constant (rules C2 to C7), each as a predicate on a value.

A predicate takes any JSON value, None for an absent attribute, and never raises.
"""

import operator
from collections.abc import Callable, Sequence
from typing import TypeAlias

from .operators import Operator
from .patterns import compile_pattern
from .values import NUMBER, PRESENT, Json, is_number, same

Predicate: TypeAlias = Callable[[Json], bool]

ORDERINGS: dict[str, Callable[[Json, Json], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
OPERATORS = tuple(Operator)


def predicate(op: str, constant: Json) -> Predicate:
    """The meaning of `attribute op constant` for a constant that the model's checks accepted.

    Raises ValueError for an operator outside the contract's nine or a pattern that is refused (C6).

    >>> predicate("eq", 1)(1.0), predicate("eq", 1)(True), predicate("ne", 1)(None), predicate("nin", [])("x")
    (True, False, False, True)
    """
    match op:
        case "eq":
            return _equals(constant)
        case "ne":
            return _present_and_not(_equals(constant))
        case "in":
            return _one_of(constant)
        case "nin":
            return _present_and_not(_one_of(constant))
        case "gt" | "gte" | "lt" | "lte":
            return _ordered(ORDERINGS[op], constant)
        case "regex":
            return compile_pattern(constant)
        case _:
            raise ValueError(f"unknown operator `{op}`")


def _present_and_not(matches: Predicate) -> Predicate:
    return lambda value: isinstance(value, PRESENT) and not matches(value)


def _equals(constant: Json) -> Predicate:
    if isinstance(constant, bool):
        return lambda value: value is constant
    if isinstance(constant, str):
        return lambda value: isinstance(value, str) and value == constant
    if is_number(constant):
        return lambda value: isinstance(value, NUMBER) and value.__class__ is not bool and value == constant
    return lambda value: same(value, constant)


def _one_of(constants: Sequence[Json]) -> Predicate:
    """Membership by hashing for strings, numbers and booleans, by deep equality for the rest (C5)."""
    strings = frozenset(c for c in constants if isinstance(c, str))
    numbers = frozenset(c for c in constants if is_number(c))
    others = tuple(c for c in constants if not isinstance(c, str) and not is_number(c))
    if not numbers and not others:
        return lambda value: isinstance(value, str) and value in strings

    def member(value: Json) -> bool:
        if isinstance(value, str):
            return value in strings
        if is_number(value):
            return value in numbers
        return any(same(value, other) for other in others)

    return member


def _ordered(compare: Callable[[Json, Json], bool], constant: Json) -> Predicate:
    if isinstance(constant, str):
        return lambda value: isinstance(value, str) and compare(value, constant)
    return lambda value: isinstance(value, NUMBER) and value.__class__ is not bool and compare(value, constant)
