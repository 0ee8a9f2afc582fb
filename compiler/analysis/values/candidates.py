"""Values of an attribute to try for each cell of its domain. Each is checked against the cell before it is used."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ....bundles.conditions.comparisons import predicate
from ....bundles.conditions.neighbours import next_value
from ....bundles.conditions.operators import OF_ELEMENTS, Operator
from ....bundles.conditions.pattern_samples import sample
from ....bundles.conditions.trees.domain import MISSING, Domain, Test, is_opaque
from ....bundles.conditions.values import Json

Opaque = Mapping[int, bool]
"""Answers to opaque tests, by the number of the test."""

_WORDS: Final = ("other", "a", "zz")
_MOST_OF_A_KIND: Final = 60


def values_of(domain: Domain, cell: int, opaque: Opaque) -> Iterator[Json]:
    """Yields values in a cell, for which opaque tests have the given results, or None for a missing value."""
    if domain.cells[MISSING] == cell:
        yield None
    yield from (value for value in pool(domain) if fits(domain, cell, opaque, value))


def fits(domain: Domain, cell: int, opaque: Opaque, value: Json) -> bool:
    """Returns whether a value is in a cell, and opaque tests have the given results for it."""
    if value is None:
        return domain.cells[MISSING] == cell
    for number, test in enumerate(domain.tests):
        holds = predicate(*test)(value)
        if number in opaque and domain.open[cell]:
            if holds != opaque[number]:
                return False
        elif holds != bool(domain.holding[cell] >> number & 1) and not (domain.open[cell] and is_opaque(*test)):
            return False
    return True


@lru_cache(256)
def _sampled(pattern: str) -> tuple[str, ...]:
    found = sample(pattern)
    return () if found is None else (found,)


def pool(domain: Domain) -> Iterator[Json]:
    """Yields values of all cells of a domain: simple ones first."""
    yield from domain.points[:_MOST_OF_A_KIND]
    yield from _texts(domain)
    yield from _numbers(domain.numbers)
    yield from _arrays(domain.tests)
    yield from ([], {}, {"a": 1}, False)


def _texts(domain: Domain) -> Iterator[str]:
    strings = domain.strings[:_MOST_OF_A_KIND]
    samples = [one for op, value in domain.tests if op is Operator.REGEX for one in _sampled(value)]
    yield from strings
    yield from _WORDS
    yield from samples
    for one in (*strings, *samples):
        yield from (f"{one}a", f"{one}\0", f"a{one}", f"{one} ", f"x{one}x")
    yield from (f"{one}{other}" for one in samples[:8] for other in samples[:8])
    yield from ("", "!", "0", "A", "\0", "~", "\U0010ffff")
    for low, high in pairwise(strings):
        yield from (f"{low}!", f"{low}0", low + high)


def _numbers(numbers: Sequence[int | float]) -> Iterator[int | float]:
    numbers = numbers[:_MOST_OF_A_KIND]
    yield from numbers
    yield 0
    if numbers:
        yield from (numbers[0] - 1, numbers[-1] + 1)
    for low, high in pairwise(numbers):
        try:
            yield from (int(low) + 1, (low + high) / 2)
        except OverflowError:
            yield int(low) + 1
    for one in numbers:
        found = next_value(one)
        assert not isinstance(found, str)
        yield found


def _arrays(tests: Sequence[Test]) -> Iterator[Json]:
    """Yields arrays with elements of which tests of elements speak: all, none, and one or two of them."""
    of_elements = [value for op, value in tests if OF_ELEMENTS[op]]
    elements: list[Json] = [one for value in of_elements for one in (value if isinstance(value, list) else [value])]
    elements = elements[:12]
    yield ["zz"]
    yield from ([one] for one in elements)
    yield from ([one, other] for one in elements for other in elements if one is not other)
    yield list(elements)
    yield from ([*(one for one in elements if one is not left)] for left in elements)
