"""Comparisons with a JSON number, said in the numbers that a column can hold, without rounding anything.

A constant that the column can't hold is no refusal: between its neighbours in the column lies the same answer.
"""

import operator
from collections.abc import Callable
from decimal import Context
from decimal import Decimal as Exact
from fractions import Fraction
from math import ceil, floor, inf, isfinite, nextafter, ulp
from typing import Any, TypeAlias

from ...bundles.conditions.operators import IS_UPWARD, Operator, Ordering

Number: TypeAlias = int | float
Bound: TypeAlias = tuple[Ordering, Any] | bool
"""An operator of C4 with a number of the column's own kind, or what is so of every number in it."""

INT64 = range(-(2**63), 2**63)
WIDE = Context(prec=2_000)
"""Room for every digit of a double and of the middle between two. Plain arithmetic, a minus too, keeps 28 digits."""


def integer(constant: Number) -> int | None:
    """The 64-bit integer that equals `constant`, if there is one."""
    return int(constant) if constant == floor(constant) and int(constant) in INT64 else None


def integer_bound(op: Ordering, constant: Number) -> Bound:
    """`op constant` for 64-bit integers.

    >>> integer_bound(Operator.GT, 2.5), integer_bound(Operator.LT, 2**70), integer_bound(Operator.GTE, 1e300)
    ((<Operator.GTE: 'gte'>, 3), True, False)
    """
    op, whole = whole_bound(op, constant)
    return (op, whole) if whole in INT64 else IS_UPWARD[op] is (whole < 0)


def whole_bound(op: Ordering, constant: Number) -> tuple[Ordering, int]:
    """`op constant` for integers of any size."""
    if constant == floor(constant):
        return op, int(constant)
    return (Operator.GTE, ceil(constant)) if IS_UPWARD[op] else (Operator.LTE, floor(constant))


def real(constant: Number) -> float | None:
    """The double that equals `constant`, if there is one."""
    nearest = _nearest(constant)
    return nearest if nearest == constant else None


def real_bound(op: Ordering, constant: Number) -> Bound:
    """`op constant` for finite doubles.

    >>> real_bound(Operator.GT, 2**53 + 1), real_bound(Operator.GT, 2**53 + 3), real_bound(Operator.LT, 10**400)
    ((<Operator.GT: 'gt'>, 9007199254740992.0), (<Operator.GTE: 'gte'>, 9007199254740996.0), True)
    """
    upward, nearest = IS_UPWARD[op], _nearest(constant)
    if nearest in (inf, -inf):
        return upward is (nearest < 0)
    if nearest == constant:
        return op, nearest
    if nearest > constant:
        return (Operator.GTE if upward else Operator.LT), nearest
    return (Operator.GT if upward else Operator.LTE), nearest


def decimal(constant: Number, digits: int) -> Exact | None:
    """The decimal of at most so many digits (15 at most) that is read as `constant`, if there is one."""
    written = _shortest(constant)
    scaled = Fraction(written) * 10**digits
    return written if scaled.denominator == 1 and written.copy_abs() < 10**digits else None


def decimal_bound(op: Ordering, constant: Number, digits: int) -> Bound:
    """`op constant` for decimals of at most so many digits (15 at most), each read as the double nearest to it.

    No such decimal lies between a double and the shortest decimal that is read as it, or it would be that one.

    >>> decimal_bound(Operator.GTE, 1.1, 12), decimal_bound(Operator.GT, 1e-9, 4), decimal_bound(Operator.LT, 1e30, 12)
    ((<Operator.GTE: 'gte'>, Decimal('1.1')), (<Operator.GT: 'gt'>, Decimal('0')), True)
    """
    upward, written = IS_UPWARD[op], _shortest(constant)
    if written.copy_abs() >= 10**digits:
        return upward is (written < 0)
    scaled = Fraction(written) * 10**digits
    if scaled.denominator == 1:
        return op, written
    near = floor(scaled) if upward else ceil(scaled)
    bound = WIDE.normalize(WIDE.scaleb(Exact(near), -digits)) if near else Exact(0)
    return (Operator.GT if upward else Operator.LT), bound


def survives_json(op: Operator, constant: Number) -> bool:
    """Returns whether `op constant` says the same of each double and of the integer that has its digits in JSON.

    A database may keep `1e+23` as an integer of 24 digits. The double that was written so is another number.

    >>> survives_json(Operator.EQ, 10**22), survives_json(Operator.EQ, 10**23), survives_json(Operator.EQ, 1e23)
    (True, False, False)
    """
    nearest, compared = _nearest(constant), _COMPARED[op]
    if abs(nearest) < _EXACT:
        return True
    doubles = (one for one in (nextafter(nearest, -inf), nearest, nextafter(nearest, inf)) if isfinite(one))
    return all(compared(double, constant) == compared(int(_shortest(double)), constant) for double in doubles)


_EXACT = 2.0**53
"""Below it, the digits of a double without a fraction are its value."""

_COMPARED: dict[Operator, Callable[[Number, Number], bool]] = {
    Operator.EQ: operator.eq,
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
}


def equal_bounds(constant: Number) -> tuple[tuple[Ordering, Number], ...]:
    """Returns the two bounds that together are `eq constant`."""
    return (Operator.GTE, constant), (Operator.LTE, constant)


def _shortest(constant: Number) -> Exact:
    """`constant` as the shortest decimal that is read as it."""
    return Exact(repr(constant)) if isinstance(constant, float) else Exact(constant)


def read_bound(op: Ordering, constant: Number) -> tuple[Ordering, Exact]:
    """`op constant` for exact reals that are read as the double nearest to each, infinity past the greatest.

    >>> read_bound(Operator.GT, 2**53), read_bound(Operator.GT, 2**53 + 2)
    ((<Operator.GT: 'gt'>, Decimal('9007199254740993.0')), (<Operator.GTE: 'gte'>, Decimal('9007199254740995.0')))
    """
    if (nearest := _nearest(constant)) in (inf, -inf):
        if nearest > 0:
            return (Operator.GTE if IS_UPWARD[op] else Operator.LT), _PAST
        return (Operator.GT if IS_UPWARD[op] else Operator.LTE), _PAST.copy_negate()
    bound = real_bound(op, constant)
    assert not isinstance(bound, bool)
    op, double = bound
    closed = double / ulp(double) % 2 == 0  # a tie is read as the even neighbour
    if op in (Operator.GT, Operator.LTE):
        return (op if closed else _TURNED[op]), _middle(double, inf)
    return (op if closed else _TURNED[op]), _middle(double, -inf)


_PAST = Exact(2**1024 - 2**970)
"""The least real that is read as infinity."""

_TURNED: dict[Ordering, Ordering] = {
    Operator.GT: Operator.GTE,
    Operator.GTE: Operator.GT,
    Operator.LT: Operator.LTE,
    Operator.LTE: Operator.LT,
}


def _middle(double: float, end: float) -> Exact:
    """Half way to the next double; past the greatest comes a power of two."""
    beyond = nextafter(double, end)
    if beyond in (inf, -inf):
        return _PAST if beyond > 0 else _PAST.copy_negate()
    return WIDE.multiply(WIDE.add(Exact(double), Exact(beyond)), Exact("0.5"))


def _nearest(constant: Number) -> float:
    try:
        return float(constant)
    except OverflowError:
        return inf if constant > 0 else -inf
