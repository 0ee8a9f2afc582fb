"""Finds the routes whose paths overlap while neither covers the other, by walking two trees of templates together."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from ....bundles.routing.route import ANY
from ....bundles.routing.route_tree import Node
from ..overlap import Budget

_STEPS_A_ROUTE = 16
"""The steps that two routes which may overlap cost, since they are compared after the walk."""


class _Pair(NamedTuple):
    """Two nodes that some path leads to both of. `left_wider` says that left has a capture where right has a text."""

    left: Node
    right: Node
    left_wider: bool = False
    right_wider: bool = False


class OverlapWalk:
    """A walk through pairs of nodes. PERF: it enters the pairs that a common path leads to, not all pairs of routes."""

    def __init__(self, budget: Budget):
        self._budget = budget
        self._wild: dict[int, bool] = {}

    def overlapping(self, left: Node, right: Node) -> Iterator[tuple[int, int]]:
        """Yields the places of routes, one of each tree, that overlap while neither path covers the other.

        They share a method. Of several routes with one path and method, the first counts. Raises OutOfSteps.
        """
        yield from self._pairs(_Pair(left, right))

    def _pairs(self, pair: _Pair) -> Iterator[tuple[int, int]]:
        self._budget.spend(1)
        left, right, left_wider, right_wider = pair
        if left_wider and right_wider:
            yield from self._both(left.ends, right.ends)
            yield from self._both(left.rests, right.rests)
        if right_wider:
            for places in self._below(right) if left.rests else ():
                yield from self._both(left.rests, places)
        if left_wider:
            for places in self._below(left) if right.rests else ():
                yield from self._both(places, right.rests)
        for inner in self._children(pair):
            if self._may_cross(inner):
                yield from self._pairs(inner)

    def _children(self, pair: _Pair) -> Iterator[_Pair]:
        left, right, left_wider, right_wider = pair
        fewer, more = sorted((left.by_text, right.by_text), key=len)
        for text in fewer:
            if text in more:
                yield _Pair(left.by_text[text], right.by_text[text], left_wider, right_wider)
        if left.captured is not None and right.captured is not None:
            yield _Pair(left.captured, right.captured, left_wider, right_wider)
        if left.captured is not None:
            for text, child in right.by_text.items():
                if text:
                    yield _Pair(left.captured, child, True, right_wider)
        if right.captured is not None and left is not right:
            for text, child in left.by_text.items():
                if text:
                    yield _Pair(child, right.captured, left_wider, True)

    def _may_cross(self, pair: _Pair) -> bool:
        """Returns whether each side is wider somewhere, or may still become so further down."""
        return (pair.left_wider or self._has_wild(pair.left)) and (pair.right_wider or self._has_wild(pair.right))

    def _has_wild(self, node: Node) -> bool:
        """Returns whether a capture or a `*` is below a node."""
        known = self._wild.get(id(node))
        if known is None:
            self._budget.spend(1)
            known = bool(node.rests) or node.captured is not None or any(map(self._has_wild, node.by_text.values()))
            self._wild[id(node)] = known
        return known

    def _below(self, node: Node) -> Iterator[Mapping[str, int]]:
        """Yields the places, by method, of the routes that end below a node, without those that end at it."""
        children = [*node.by_text.values(), *([] if node.captured is None else [node.captured])]
        for child in children:
            self._budget.spend(1)
            yield child.ends
            yield child.rests
            yield from self._below(child)

    def _both(self, left: Mapping[str, int], right: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """Yields the places that share a method."""
        for (one, place), (other, other_place) in product(left.items(), right.items()):
            self._budget.spend(_STEPS_A_ROUTE)
            if one == other or ANY in (one, other):
                yield place, other_place
