"""Values of an attribute: one of each class that comparisons distinguish, simple ones first (C2 to C6, X6)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, TypeAlias

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.constants import canonical_key
from ...bundles.conditions.neighbours import next_value, previous_value
from ...bundles.conditions.operators import OF_ELEMENTS, Operator
from ...bundles.conditions.pattern_samples import sample
from ...bundles.conditions.values import Json, is_number

Test: TypeAlias = tuple[Operator, Json]

_ALL_SUBSETS: Final = 6
"""Up to so many elements, an array of each set of them is tried."""

_OTHER: Final = "other"


def is_exhaustive(tests: Iterable[Test]) -> bool:
    """Returns whether `sampled` has a value of each class: no pattern, and few elements of arrays."""
    elements: set[object] = set()
    for op, constant in tests:
        if op is Operator.REGEX:
            return False
        if OF_ELEMENTS[op]:
            elements.update(canonical_key(one) for one in _elements(constant))
    return len(elements) <= _ALL_SUBSETS


def sampled(tests: Sequence[Test], known: Iterable[Json]) -> Iterator[Json]:
    """Yields values of an attribute that `tests` compare, also with the `known` values of the request."""
    known = [one for one in known if one is not None]
    constants = [one for op, value in tests if op is not Operator.REGEX for one in constants_of(op, value)]
    patterns = [one for op, value in tests if op is Operator.REGEX if (one := sample(value)) is not None]
    scalars = [one for one in (*constants, *patterns, *known) if not isinstance(one, list)]
    yield from constants
    yield from known
    yield from patterns
    yield from (True, False)
    yield from _numbers(sorted({one for one in scalars if is_number(one)}))
    yield from _texts(sorted({one for one in scalars if isinstance(one, str)}))
    yield from _arrays(tests)
    yield from ([], [_OTHER], {_OTHER: 1}, {}, None)


def _numbers(numbers: Sequence[int | float]) -> Iterator[Json]:
    if not numbers:
        yield 0
        return
    yield from (int(numbers[0]) - 1, int(numbers[-1]) + 1)
    yield from (previous_value(numbers[0]), next_value(numbers[-1]))
    for low, high in pairwise(numbers):
        between = int(low) + 1 if int(low) + 1 < high and int(low) + 1 > low else next_value(low)
        if not isinstance(between, str) and between < high:
            yield between


def _texts(texts: Sequence[str]) -> Iterator[Json]:
    """Yields a text in each gap between texts, if it has one, and one in each class that patterns see easily."""
    yield _OTHER
    for low, high in pairwise(texts):
        yield next((one for one in (f"{low}!", f"{low}\0") if low < one < high), None)
    if texts:
        yield from (f"{texts[-1]}!", "")


def _arrays(tests: Sequence[Test]) -> Iterator[Json]:
    found = {canonical_key(one): one for op, constant in tests if OF_ELEMENTS[op] for one in _elements(constant)}
    elements = list(found.values())
    if len(elements) <= _ALL_SUBSETS:
        for size in range(1, len(elements) + 1):
            yield from (list(some) for some in combinations(elements, size))
            yield from ([*some, _OTHER] for some in combinations(elements, size))
    else:
        yield from ([one] for one in elements)
        yield elements
        yield from ([one for one in elements if one is not left] for left in elements)


def _elements(constant: Json) -> Sequence[Json]:
    return constant if isinstance(constant, list) else [constant]
