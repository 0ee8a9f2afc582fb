"""Which value of a JSON type comes next, and the cuts between values that ordered comparisons make.

Strings are in code-point order: the next one has U+0000 behind it, and most have no last one before them. Numbers are
what a JSON parser gives: doubles, and integers of any size.
"""

from math import inf, nextafter
from typing import NamedTuple, TypeAlias

Ordered: TypeAlias = str | int | float
"""A value that `gt`, `gte`, `lt` and `lte` compare (C4)."""

EXACT_INTEGERS = 2**53
"""From here on, doubles are whole numbers and leave some out."""

TOO_MANY_DIGITS = 10**4_300
"""From here on, numbers have more digits than a model or a JSON parser takes, so none is ever told."""


class Cut(NamedTuple):
    """A place between values of one type: just below `value`, or just above it."""

    value: Ordered
    above: bool


def next_value(value: Ordered) -> Ordered:
    """The least value above.

    >>> next_value("a"), next_value(2**53), next_value(0)
    ('a\\x00', 9007199254740993, 5e-324)
    """
    if isinstance(value, str):
        return value + "\0"
    if abs(value) >= EXACT_INTEGERS:
        return int(value) + 1
    return nextafter(value, inf)


def previous_value(value: Ordered) -> Ordered | None:
    """The greatest value below, None where there is none.

    >>> previous_value("a\\0"), previous_value("b"), previous_value(2**53 + 2)
    ('a', None, 9007199254740993)
    """
    if isinstance(value, str):
        return value[:-1] if value.endswith("\0") else None
    above = next_value(-value)
    assert not isinstance(above, str)
    return -above


def canonical_cut(cut: Cut) -> Cut:
    """The one of all names of a cut that is taken: the shorter, of numbers of one length the lower bound's.

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
    """The least value above a cut."""
    return next_value(cut.value) if cut.above else cut.value


def last_below(cut: Cut) -> Ordered | None:
    """The greatest value below a cut, None where there is none."""
    return cut.value if cut.above else previous_value(cut.value)


def short_number(value: int | float) -> int | float:
    """The shorter of a number's two JSON texts, the integer's where they are equally long (C3).

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
