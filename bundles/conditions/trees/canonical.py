"""The canonical tree of "some ALLOW holds and no DENY holds" (rules F1, F4, F6)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from .diagrams import OutOfSteps
from .minimise import Minimiser
from .normalise import normal_and, normal_or
from .rule_diagram import Conjunction, RuleDiagram
from .separable import separable_tree
from .tree import TRUE, FilterTree, TreeComparison, complement

STEPS = 20_000
"""The default budget of canonicalisation. A step reads about one cell or constant."""

ABSORPTION_TRIES = 100_000
"""If there are more pairs of rules to compare than this, a flat tree keeps rules that a shorter rule absorbs."""


def canonical_tree(allows: Sequence[Conjunction], denies: Sequence[Conjunction], steps: int = STEPS) -> FilterTree:
    """Returns the canonical tree of a condition: conditions with the same meaning have the same tree.

    If that takes more than `steps`, it returns the flat tree of the rules.

    >>> from ..operators import Operator
    >>> below_5, rest = [("k", Operator.LT, 5)], [("k", Operator.GTE, 5), ("k", Operator.LT, 9)]
    >>> canonical_tree([below_5, rest], [])
    TreeComparison(key='k', op=<Operator.LT: 'lt'>, value=9)
    """
    separable = separable_tree(allows, denies)
    if separable is not None:
        return separable
    try:
        diagram = RuleDiagram(allows, denies, steps)
        return Minimiser(diagram.diagrams).tree(diagram.node)
    except OutOfSteps:
        return flat_tree(allows, denies)


def flat_tree(allows: Iterable[Conjunction], denies: Iterable[Conjunction]) -> FilterTree:
    """Returns the tree of the rules as written, sorted and absorbed. Two such trees may have the same meaning."""
    return normal_and([_disjunction(allows), complement(_disjunction(denies))])


def _disjunction(rules: Iterable[Conjunction]) -> FilterTree:
    """Returns the tree of "some rule holds", without the rules that a shorter rule absorbs."""
    known: dict[TreeComparison, TreeComparison] = {}  # PERF: sets compare the very same object at once
    found = {
        frozenset(known.setdefault(one, one) for one in (TreeComparison.normal(*comparison) for comparison in rule))
        for rule in rules
    }
    if frozenset() in found:
        return TRUE
    return normal_or(normal_and(conjunction) for conjunction in _absorbed(found))


def _absorbed(conjunctions: Collection[frozenset[TreeComparison]]) -> Collection[frozenset[TreeComparison]]:
    """Returns the conjunctions that contain no other one. PERF: candidates are found by their rarest member."""
    counts = Counter(chain.from_iterable(conjunctions))
    by_rarest: dict[TreeComparison, list[frozenset[TreeComparison]]] = defaultdict(list)
    for conjunction in conjunctions:
        by_rarest[min(conjunction, key=lambda member: (counts[member], member.rank))].append(conjunction)
    if sum(count * len(by_rarest[member]) for member, count in counts.items()) > ABSORPTION_TRIES:
        return conjunctions
    return [
        conjunction
        for conjunction in conjunctions
        if not any(other < conjunction for member in conjunction for other in by_rarest[member])
    ]
