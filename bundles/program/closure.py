"""The transitive closure of group membership, which is the only recursion of the program (rule P3)."""

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

Node = TypeVar("Node")

MAX_PAIRS = 5_000_000
"""The limit of pairs of a group and a group that contains it, to any depth.

A bundle lists all pairs. A chain of n groups has n² / 2 pairs.
"""

MAX_STEPS = 100_000_000
"""The limit of ancestors that are read to find all pairs, about 50 ns each.

There are more of them than pairs if many paths lead to the same group.
"""


class TooManyAncestors(ValueError):
    """The groups have more ancestors than a limit allows. The message is one sentence."""


def ancestors(
    parents: Mapping[Node, Collection[Node]], max_pairs: int = MAX_PAIRS, max_steps: int = MAX_STEPS
) -> dict[Node, AbstractSet[Node]]:
    """Returns the ancestors of each node in `parents`: the nodes that it reaches in one step or more (P3).

    The nodes of a cycle have the same ancestors, and are among them. Raises TooManyAncestors as soon as the number of
    pairs of a node and an ancestor, or the number of steps, exceeds its limit.

    >>> sorted(ancestors({"a": ["b"], "b": ["c"], "c": ["b"]})["a"])
    ['b', 'c']
    """
    reached: dict[Node, AbstractSet[Node]] = {}
    places: dict[Node, int] = {}
    pairs = steps = 0
    for cycle in _components(parents):
        # member(S, H) :- member(S, G), member(G, H). The nearest G is first, because its ancestors need no second look.
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
            raise TooManyAncestors(
                f"groups are nested too deeply: more than {max_pairs:,} pairs of a group and a group that contains it"
            )
        if steps > max_steps:
            raise TooManyAncestors(
                f"groups are in too many other groups: it takes more than {max_steps:,} steps to find all pairs"
            )
        for node in cycle:
            reached[node], places[node] = found, len(places)
    return reached


def nesting_depth(parents: Mapping[Node, Collection[Node]]) -> int:
    """Returns the nodes of the longest chain in which each is in the next. All nodes of a cycle count.

    >>> nesting_depth({"a": ["b"], "b": ["c"], "c": ["b"], "d": []})
    3
    """
    depths: dict[Node, int] = {}
    for cycle in _components(parents):
        above = max((depths.get(group, 0) for node in cycle for group in parents.get(node, ())), default=0)
        depths.update(dict.fromkeys(cycle, len(cycle) + above))
    return max(depths.values(), default=0)


def _components(parents: Mapping[Node, Collection[Node]]) -> Iterator[list[Node]]:
    """Yields the strongly connected components, each after all components that it reaches.

    This is Tarjan's algorithm, without recursion.
    """
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
