"""The next and the previous value of a string or number, and the cuts between values that ordered comparisons make.

Strings are in the order of their code points. The next string has U+0000 appended, so only a string that ends with
U+0000 has a previous one. Numbers are those that a JSON parser returns: doubles, and integers of any size.
"""

from math import inf, nextafter
from typing import NamedTuple, TypeAlias

Ordered: TypeAlias = str | int | float
"""A value that `gt`, `gte`, `lt` and `lte` compare (C4)."""

EXACT_INTEGERS = 2**53
"""From this number on, doubles are whole numbers, and not every integer is a double."""

TOO_MANY_DIGITS = 10**4_300
"""From this number on, integers have more digits than models and JSON parsers accept. No comparison names them."""


class Cut(NamedTuple):
    """A place between two values of one type: directly above `value` if `above`, and otherwise directly below it."""

    value: Ordered
    above: bool


def next_value(value: Ordered) -> Ordered:
    """Returns the smallest value above `value`.

    >>> next_value("a"), next_value(2**53), next_value(0)
    ('a\\x00', 9007199254740993, 5e-324)
    """
    if isinstance(value, str):
        return value + "\0"
    if abs(value) >= EXACT_INTEGERS:
        return int(value) + 1
    return nextafter(value, inf)


def previous_value(value: Ordered) -> Ordered | None:
    """Returns the greatest value below `value`, or None if there is none.

    >>> previous_value("a\\0"), previous_value("b"), previous_value(2**53 + 2)
    ('a', None, 9007199254740993)
    """
    if isinstance(value, str):
        return value[:-1] if value.endswith("\0") else None
    above = next_value(-value)
    assert not isinstance(above, str)
    return -above


def canonical_cut(cut: Cut) -> Cut:
    """Returns the canonical form of a cut.

    A cut has two forms, with the value below it and with the value above it. The canonical form has the shorter value.
    If two numbers are equally long, it has the value above the cut.

    >>> canonical_cut(Cut("a\\0", False)), canonical_cut(Cut(0.10000000000000002, False))
    (Cut(value='a', above=True), Cut(value=0.1, above=True))
    """
    value, above = cut
    if isinstance(value, str):
        return Cut(value[:-1], True) if not above and value.endswith("\0") else cut
    below = value if not above else next_value(value)
    over = value if above else previous_value(value)
    assert not isinstance(below, str)
    assert isinstance(over, int | float)
    short_below, short_over = short_number(below), short_number(over)
    if abs(short_below) >= TOO_MANY_DIGITS or (
        abs(short_over) < TOO_MANY_DIGITS and _is_shorter(short_over, short_below)
    ):
        return Cut(short_over, True)
    return Cut(short_below, False)


def _is_shorter(number: int | float, other: int | float) -> bool:
    return len(repr(number)) < len(repr(other))


def first_above(cut: Cut) -> Ordered:
    """Returns the smallest value above a cut."""
    return next_value(cut.value) if cut.above else cut.value


def last_below(cut: Cut) -> Ordered | None:
    """Returns the greatest value below a cut, or None if there is none."""
    return cut.value if cut.above else previous_value(cut.value)


def short_number(value: int | float) -> int | float:
    """Returns a number as an integer or as a double, whichever has the shorter JSON text (C3).

    If both are equally long, it is the integer.

    >>> short_number(1.0), short_number(int(1e300)), short_number(-0.0), short_number(2.5)
    (1, 1e+300, 0, 2.5)
    """
    if isinstance(value, float):
        whole: int | None = int(value) if value == value // 1 and abs(value) != inf else None
        return value if whole is None or len(str(whole)) > len(repr(value)) else whole
    try:
        real = float(value)
    except OverflowError:
        return value
    return real if real == value and len(repr(real)) < len(str(value)) else value
