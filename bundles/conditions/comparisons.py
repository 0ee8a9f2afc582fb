"""The comparisons of an attribute with a constant, as predicates on the value of the attribute (rules C2 to C7, X6).

A predicate takes any JSON value, or None for a missing attribute. Whatever the value, it never raises. In an array, it
raises NotJson for a value that JSON has not.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from .operators import TAKES_LIST, Operator, Ordering
from .patterns import pattern_predicate
from .values import NUMBER, PRESENT, Json, is_number, plain, same

Predicate: TypeAlias = Callable[[Json], bool]

ORDERINGS: dict[Ordering, Callable[[Json, Json], bool]] = {
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
}


def predicate(op: Operator, constant: Json) -> Predicate:
    """Returns the predicate of `attribute op constant`, for a constant that fits the operator.

    A pattern is compiled when its predicate first searches for it (C6). If RE2 rejects it or it exceeds a limit, the
    predicate raises BundleError.

    >>> predicate(Operator.EQ, 1)(1.0), predicate(Operator.EQ, 1)(True), predicate(Operator.NIN, [])("x")
    (True, False, True)
    """
    return PREDICATES[op](constant)


def constants_of(op: Operator, constant: Json) -> Sequence[Json]:
    """Returns the constants of a comparison: for an operator of lists, the elements of the list, and otherwise the
    constant.

    >>> constants_of(Operator.IN, ["a", "b"]), constants_of(Operator.EQ, ["a", "b"])
    (['a', 'b'], (['a', 'b'],))
    """
    return constant if TAKES_LIST[op] else (constant,)


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
    """Returns the predicate of `in` (C5). PERF: strings and numbers are found by hash, the rest by comparison."""
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


def _has_any(constants: Sequence[Json]) -> Predicate:
    """Returns the predicate of an array with one of the constants (X6)."""
    is_one = _one_of(constants)
    return lambda value: isinstance(value, list) and any(is_one(plain(element)) for element in value)


def _has_none(constants: Sequence[Json]) -> Predicate:
    """Returns the predicate of an array without any of the constants (X6)."""
    is_one = _one_of(constants)
    return lambda value: isinstance(value, list) and not any(is_one(plain(element)) for element in value)


PREDICATES: dict[Operator, Callable[[Json], Predicate]] = {
    Operator.EQ: _equals,
    Operator.NE: lambda constant: _present_and_not(_equals(constant)),
    **{op: partial(_ordered, compare) for op, compare in ORDERINGS.items()},
    Operator.IN: _one_of,
    Operator.NIN: lambda constants: _present_and_not(_one_of(constants)),
    Operator.REGEX: pattern_predicate,
    Operator.HAS: lambda constant: _has_any([constant]),
    Operator.HAS_ANY: _has_any,
    Operator.HAS_NONE: _has_none,
}
"""The function that makes the predicate of each operator from a constant. A test checks that none is missing."""
