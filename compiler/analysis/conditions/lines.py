"""The partition of a special variable by its tests: the line is cut where a test begins or ends."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ....bundles.conditions.gates import Span
from ....bundles.conditions.trees.domain import Domain
from .variables import SpanTest, line_of, states_of


@dataclass(frozen=True)
class LineDomain:
    """A partition. `domain` is its form for diagrams, and `cells` has the values of each cell."""

    domain: Domain
    cells: tuple[SpanTest, ...]


def line_domain(key: str, tests: Sequence[SpanTest]) -> LineDomain:
    """Returns the partition of a special variable. Values for which the same tests hold are in one cell.

    >>> from .variables import CLOCK
    >>> [cell.spans for cell in line_domain(CLOCK, [SpanTest(((5.0, 9.0),))]).cells]
    [((-inf, 5.0), (9.0, inf)), ((5.0, 9.0),)]
    """
    line, found = line_of(key), dict[int, tuple[list[Span], list[str]]]()
    for state in states_of(key):
        holding = sum(1 << number for number, test in enumerate(tests) if state in test.states)
        found.setdefault(holding, ([], []))[1].append(state)
    if line is not None:
        _cut(line, tests, found)
    cells = tuple(SpanTest(_joined(spans), frozenset(names)) for spans, names in found.values())
    domain = Domain((), (), (), (), tuple(range(len(cells))), tuple(found), (False,) * len(cells), {})
    return LineDomain(domain, cells)


def _cut(line: Span, tests: Sequence[SpanTest], found: dict[int, tuple[list[Span], list[str]]]) -> None:
    low, high = line
    ends = sorted({low, high, *(end for test in tests for span in test.spans for end in span if low < end < high)})
    holding = [0] * (len(ends) - 1)
    for number, test in enumerate(tests):
        for start, end in test.spans:
            for place in range(bisect_left(ends, max(start, low)), bisect_left(ends, min(end, high))):
                holding[place] |= 1 << number
    for span, bits in zip(pairwise(ends), holding, strict=True):
        found.setdefault(bits, ([], []))[0].append(span)


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for low, high in spans:
        if joined and joined[-1][1] == low:
            joined[-1] = joined[-1][0], high
        else:
            joined.append((low, high))
    return tuple(joined)
