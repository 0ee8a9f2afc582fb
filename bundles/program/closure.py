"""The transitive closure of group membership, the program's only recursion, in one pass over its cycles (rule P3)."""

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

Node = TypeVar("Node")

MAX_PAIRS = 5_000_000
"""Pairs of a group and one that it is in, to any depth. A bundle lists them all; a chain has half its square."""

MAX_STEPS = 100_000_000
"""Memberships read to find them, some 50 ns each: more than pairs where many ways lead to one group."""


class TooManyAncestors(ValueError):
    """Groups are nested too deeply or too densely to list who is in what; the message is one sentence."""


def ancestors(
    parents: Mapping[Node, Collection[Node]], max_pairs: int = MAX_PAIRS, max_steps: int = MAX_STEPS
) -> dict[Node, AbstractSet[Node]]:
    """Every node that each of `parents` reaches in one step or more; a cycle is harmless (P3).

    The nodes of a cycle reach the same ones. Raises TooManyAncestors above a limit, before more is worked out.

    >>> sorted(ancestors({"a": ["b"], "b": ["c"], "c": ["b"]})["a"])
    ['b', 'c']
    """
    reached: dict[Node, AbstractSet[Node]] = {}
    places: dict[Node, int] = {}
    pairs = steps = 0
    for cycle in _components(parents):
        # member(S, H) :- member(S, G), member(G, H), the nearest G first: what it brings need not be read again.
        above = {group for node in cycle for group in parents.get(node, ())}
        found = above.intersection(cycle)
        for group in sorted(above.difference(cycle), key=places.__getitem__, reverse=True):
            if group not in found:
                found.add(group)
                steps += len(reached[group])
                if steps <= max_steps:
                    found |= reached[group]
        pairs += len(cycle) * len(found)
        if pairs > max_pairs:
            raise TooManyAncestors(f"groups are nested too deeply: over {max_pairs:,} pairs of one group in another")
        if steps > max_steps:
            raise TooManyAncestors(f"groups are in too many others: it takes over {max_steps:,} steps to follow them")
        for node in cycle:
            reached[node], places[node] = found, len(places)
    return reached


def _components(parents: Mapping[Node, Collection[Node]]) -> Iterator[list[Node]]:
    """The strongly connected components, each behind all that it reaches (Tarjan's algorithm, without recursion)."""
    numbers: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    unassigned: dict[Node, None] = {}
    for start in parents:
        path = [] if start in numbers else [(start, iter(parents[start]))]
        while path:
            node, above = path[-1]
            if node not in numbers:
                numbers[node] = lowest[node] = len(numbers)
                unassigned[node] = None
            for group in above:
                if group not in numbers:
                    path.append((group, iter(parents.get(group, ()))))
                    break
                if group in unassigned:
                    lowest[node] = min(lowest[node], lowest[group])
            else:
                path.pop()
                if path:
                    below = path[-1][0]
                    lowest[below] = min(lowest[below], lowest[node])
                if lowest[node] == numbers[node]:
                    yield _popped_until(node, unassigned)


def _popped_until(node: Node, unassigned: dict[Node, None]) -> list[Node]:
    cycle: list[Node] = []
    while not cycle or cycle[-1] != node:
        cycle.append(unassigned.popitem()[0])
    return cycle
