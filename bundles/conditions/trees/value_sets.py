"""Sets of values of one attribute as the shortest comparisons with the same meaning (rules C2 to C5, F6).

The result depends only on the set. It does not contain a constant that makes no difference to the set.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ..neighbours import Cut, Ordered, canonical_cut, first_above, last_below, next_value
from ..operators import Operator
from ..values import Json
from .domain import MISSING, NO_VALUES, OTHER, Domain
from .instant_comparisons import is_of_instants
from .normalise import normal_and, normal_or
from .tree import FilterTree, TreeComparison, complement

FEW = 2
"""Up to this many consecutive values are listed. More values become a range."""


BOTTOM = Cut("", above=False)
"""The cut below all strings. A run that begins there has no lower end."""


class Run(NamedTuple):
    """Consecutive values of one type, between two cuts. If `low` or `high` is None, the run has no end there."""

    low: Cut | None
    high: Cut | None

    def few(self, text: bool) -> list[Ordered] | None:
        """Returns the values of the run, or None if it has more than FEW values or no end."""
        first = first_above(self.low) if self.low else "" if text else None
        last = last_below(self.high) if self.high else None
        if first is None or last is None:
            return None
        values = [first]
        while values[-1] != last and len(values) <= FEW:
            values.append(next_value(values[-1]))
        return values if len(values) <= FEW else None


def value_set_tree(key: str, domain: Domain, cells: int, free: int = 0) -> FilterTree:
    """Returns the tree of "the attribute is in one of these cells", which are given as bits.

    The `free` cells are strings that make no difference. If both gaps next to such a string are in the set, so is the
    string, and otherwise it is not. So the tree does not contain a string that only decides a pattern.
    """
    cells = _with_neighbours(domain, cells, free)
    has = [cell != NO_VALUES and bool(cells >> cell & 1) for cell in domain.cells]
    if has[MISSING] == has[OTHER]:
        others = [not is_in for is_in in has]
        return complement(_listed(key, domain, others)) if has[OTHER] else _listed(key, domain, has)
    if has[OTHER]:
        return _left_out(key, domain, [not is_in for is_in in has])
    return complement(_left_out(key, domain, has))


def _with_neighbours(domain: Domain, cells: int, free: int) -> int:
    for cell, gaps in domain.between.items():
        if free >> cell & 1:
            among = all(gap is None or cells >> gap & 1 for gap in gaps)
            cells = cells | 1 << cell if among else cells & ~(1 << cell)
    return cells


def _listed(key: str, domain: Domain, has: Sequence[bool]) -> FilterTree:
    """Returns the tree of "the attribute has one of these values". The class OTHER is not one of them."""
    points, ranges = _described(key, domain, has)
    return normal_or([*([TreeComparison.normal(key, Operator.IN, points)] if points else ()), *ranges])


def _left_out(key: str, domain: Domain, has: Sequence[bool]) -> FilterTree:
    """Returns the tree of "the attribute is present and has none of these values"."""
    points, ranges = _described(key, domain, has)
    return normal_and([TreeComparison.normal(key, Operator.NIN, points), *map(complement, ranges)])


def _described(key: str, domain: Domain, has: Sequence[bool]) -> tuple[list[Json], list[FilterTree]]:
    """Returns the values that are listed, and the trees of the ranges. Of instants, no value is listed (X5)."""
    if is_of_instants(key):
        return [], _ranges_of_instants(key, domain, has)
    points: list[Json] = [point for point, is_in in zip(domain.points, has[2:], strict=False) if is_in]
    ranges: list[FilterTree] = []
    for constants, first, text in (
        (domain.numbers, domain.first_number, False),
        (domain.strings, domain.first_string, True),
    ):
        classes = [
            (is_in, place)
            for place in range(2 * len(constants) + 1)
            for is_in in [has[first + place]]
            if domain.cells[first + place] != NO_VALUES
        ]
        for cluster in _clusters(list(_runs(constants, classes)), text):
            few = cluster[0].few(text) if len(cluster) == 1 else None
            if few is None:
                ranges.append(_range(key, cluster, text))
            else:
                points.extend(few)
    return points, ranges


def _ranges_of_instants(key: str, domain: Domain, has: Sequence[bool]) -> list[FilterTree]:
    """Returns the tree of each range of instants, with the operators that the rules have."""
    first, count = domain.first_number, 2 * len(domain.numbers) + 1
    classes = [(has[first + place], place) for place in range(count) if domain.cells[first + place] != NO_VALUES]
    return [_range_of_instants(key, run) for run in _runs(domain.numbers, classes)]


def _range_of_instants(key: str, run: Run) -> FilterTree:
    if not run.low and not run.high:
        return normal_or([TreeComparison.normal(key, Operator.LT, 0), TreeComparison.normal(key, Operator.GTE, 0)])
    low, high = run
    ends = []
    if low:
        ends.append(TreeComparison.normal(key, Operator.GT if low.above else Operator.GTE, low.value))
    if high:
        ends.append(TreeComparison.normal(key, Operator.LTE if high.above else Operator.LT, high.value))
    return normal_and(ends)


def _runs(constants: Sequence[Ordered], classes: Sequence[tuple[bool, int]]) -> Iterator[Run]:
    """Yields the runs of classes that are in the set. `classes` has the place of each class in the order."""
    for is_in, run in groupby(classes, key=lambda named: named[0]):
        if is_in:
            places = [place for _, place in run]
            first, last = places[0], places[-1]
            low = Cut(constants[(first - 1) // 2], above=first % 2 == 0) if first else None
            high = Cut(constants[last // 2], above=last % 2 == 1) if last < 2 * len(constants) else None
            yield Run(None if low == BOTTOM else low, high)


def _clusters(runs: Sequence[Run], text: bool) -> Iterator[list[Run]]:
    """Yields clusters: lists of runs that are shorter as one range with holes."""
    cluster: list[Run] = []
    for run in runs:
        if cluster and (
            Run(cluster[-1].high, run.low).few(text) is None
            or (cluster[-1].few(text) is not None and run.few(text) is not None)
        ):
            yield cluster
            cluster = []
        cluster.append(run)
    if cluster:
        yield cluster


def _range(key: str, cluster: Sequence[Run], text: bool) -> FilterTree:
    """Returns the tree of "the attribute lies between the ends of a cluster, and in none of its holes"."""
    low, high = cluster[0].low, cluster[-1].high
    holes: list[Json] = [
        value for left, right in pairwise(cluster) for value in Run(left.high, right.low).few(text) or ()
    ]
    if low or high or text:
        without = [TreeComparison.normal(key, Operator.NIN, holes)] if holes else []
        return normal_and([*_above(key, low if low or high else BOTTOM), *_below(key, high), *without])
    if not holes:
        return normal_or([TreeComparison.normal(key, Operator.LT, 0), TreeComparison.normal(key, Operator.GTE, 0)])
    least, *others = holes
    without = [TreeComparison.normal(key, Operator.NIN, others)] if others else []
    above = normal_and([TreeComparison.normal(key, Operator.GT, least), *without])
    return normal_or([TreeComparison.normal(key, Operator.LT, least), above])


def _above(key: str, cut: Cut | None) -> list[FilterTree]:
    if cut is None:
        return []
    value, above = canonical_cut(cut)
    return [TreeComparison.normal(key, Operator.GT if above else Operator.GTE, value)]


def _below(key: str, cut: Cut | None) -> list[FilterTree]:
    if cut is None:
        return []
    value, above = canonical_cut(cut)
    return [TreeComparison.normal(key, Operator.LTE if above else Operator.LT, value)]
