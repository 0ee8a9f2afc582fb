"""The classes into which comparisons divide an attribute's domain, each by a value that stands for it.

Conditions compare attributes with constants only, so a domain falls into finitely many classes that no comparison
tells apart inside: the constants, the gaps between ordered ones, and the other types. Missing is a class of its own,
on which every comparison is false (C2).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TypeAlias

from bundles.conditions.comparisons import predicate
from bundles.conditions.values import Json, is_number

Test: TypeAlias = tuple[str, Json]
"""An operator and its constant, as in `("gte", 3)`."""

_OTHER_ARRAY: list[Json] = [{"no constant": ["is", "like", "this"]}]
_OTHER_OBJECT: dict[str, Json] = {"no constant": ["is", "like", "this"]}


def can_hold_together(tests: Sequence[Test]) -> bool:
    """Whether some value of one attribute passes all `tests`.

    Exact but for `regex`, which is decided on the constants and taken to be able to match in the gaps: the answer
    may then be a needless yes, never a wrong no.

    >>> can_hold_together([("eq", "a"), ("ne", "a")]), can_hold_together([("gt", 1), ("lt", 2)])
    (False, True)
    """
    constants = constants_of(tests)
    strings = {constant for constant in constants if isinstance(constant, str)}
    exact = [predicate(op, constant) for op, constant in tests if op != "regex"]
    patterns = [predicate(op, constant) for op, constant in tests if op == "regex"]
    for value in representatives(constants):
        if not all(test(value) for test in exact):
            continue
        known = not isinstance(value, str) or value in strings
        if not patterns or (isinstance(value, str) and not known) or all(test(value) for test in patterns):
            return True
    return False


def constants_of(tests: Iterable[Test]) -> list[Json]:
    """Every single value that `tests` compare with, patterns apart."""
    found: list[Json] = []
    for op, constant in tests:
        if op in ("in", "nin"):
            found.extend(constant)
        elif op != "regex":
            found.append(constant)
    return found


def representatives(constants: Sequence[Json]) -> list[Json]:
    """One value of every class that comparisons with `constants` can tell apart, missing left out.

    >>> representatives([1, 3])[:5]
    [1, 3, 0, 2, 4]
    """
    strings = sorted({constant for constant in constants if isinstance(constant, str)})
    numbers = sorted({constant for constant in constants if is_number(constant)})
    containers = [constant for constant in constants if isinstance(constant, list | dict)]
    number_gaps, string_gaps = _gaps_of_numbers(numbers), _gaps_of_strings(strings)
    others: list[Json] = [True, False, _OTHER_ARRAY, _OTHER_OBJECT]
    return [*numbers, *number_gaps, *strings, *string_gaps, *others, *containers]


def _gaps_of_numbers(numbers: Sequence[int | float]) -> list[int | float]:
    if not numbers:
        return [0]
    between = [_between(low, high) for low, high in pairwise(numbers)]
    return [floor(numbers[0]) - 1, *(value for value in between if value is not None), ceil(numbers[-1]) + 1]


def _between(low: int | float, high: int | float) -> int | float | None:
    """A number strictly between, where a JSON parser can give one: an integer of any size or a double."""
    middle = (Fraction(low) + Fraction(high)) / 2
    whole = floor(middle)
    if low < whole < high:
        return whole
    try:
        real = float(middle)
    except OverflowError:
        return None
    return real if low < real < high else None


def _gaps_of_strings(strings: Sequence[str]) -> list[str]:
    """The least string above each, which is that string and U+0000; and the empty one below all."""
    taken = set(strings)
    return [gap for gap in ("", *(text + "\0" for text in strings)) if gap not in taken]
