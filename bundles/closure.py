"""The transitive closure of group membership, the program's only recursion, by a semi-naive fixpoint (rule P3)."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node")


def ancestors(parents: Mapping[Node, Iterable[Node]]) -> dict[Node, set[Node]]:
    """Every node that each of `parents` reaches in one step or more; a cycle is harmless (P3).

    `reached` holds settled and recent facts; a round joins only the `recent` ones with the direct edges, and stops
    when a round finds nothing new.

    >>> sorted(ancestors({"a": ["b"], "b": ["c"], "c": ["b"]})["a"])
    ['b', 'c']
    """
    direct = {node: frozenset(above) for node, above in parents.items()}
    nothing: frozenset[Node] = frozenset()
    reached = {node: set(above) for node, above in direct.items()}
    recent = {node: above for node, above in direct.items() if above}
    while recent:
        found: dict[Node, frozenset[Node]] = {}
        for node, above in recent.items():
            # member(S, H) :- member(S, G), member(G, H).
            new = nothing.union(*(direct.get(group, nothing) for group in above)) - reached[node]
            if new:
                reached[node] |= new
                found[node] = new
        recent = found
    return reached
