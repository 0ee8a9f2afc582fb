"""The canonical tree of "some ALLOW holds and no DENY holds" (rules F1, F4, F6)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from ..constants import CanonicalKey
from ..operators import OF_ELEMENTS
from .diagrams import OutOfSteps
from .domain import meant_by
from .minimise import Minimiser
from .normalise import normal_and, normal_or
from .rule_diagram import Conjunction, RuleDiagram
from .separable import separable_tree
from .tree import TRUE, FilterTree, TreeComparison, complement, leaves
from .tree_diagrams import TreeDiagrams

STEPS = 20_000
"""The default budget of canonicalisation. A step reads about one cell or constant."""

MOST_JOINS = 16
"""A tree is minimised again so often, at most, because tests of elements were joined in it."""

ElementTest: TypeAlias = tuple[str, CanonicalKey]
"""A test of the elements of an array: its key and its meaning."""

ABSORPTION_TRIES = 100_000
"""If there are more pairs of rules to compare than this, a flat tree keeps rules that a shorter rule absorbs."""


def canonical_tree(
    allows: Sequence[Conjunction],
    denies: Sequence[Conjunction],
    steps: int = STEPS,
    exceptions: Sequence[Conjunction] = (),
) -> FilterTree:
    """Returns the canonical tree of a condition: conditions with the same meaning have the same tree.

    If there are `exceptions`, there is one for each DENY: comparisons, none of which holds if the DENY does (X5). If
    the canonical tree takes more than `steps`, it returns the flat tree of the rules.

    >>> from ..operators import Operator
    >>> below_5, rest = [("k", Operator.LT, 5)], [("k", Operator.GTE, 5), ("k", Operator.LT, 9)]
    >>> canonical_tree([below_5, rest], [])
    TreeComparison(key='k', op=<Operator.LT: 'lt'>, value=9)
    """
    if any(exceptions):
        return _with_exceptions(allows, denies, exceptions, steps)
    separable = separable_tree(allows, denies)
    if separable is not None:
        return separable
    try:
        diagram = RuleDiagram(allows, denies, steps)
        found = Minimiser(diagram.diagrams).tree(diagram.node)
    except OutOfSteps:
        return flat_tree(allows, denies)
    rules = (TreeComparison(*comparison) for rule in (*allows, *denies) for comparison in rule)
    return settled(found, tests_of_elements(rules), steps)


def settled(tree: FilterTree, tests: Collection[ElementTest], steps: int) -> FilterTree:
    """Returns the canonical tree of a minimised one, in which tests of elements may have been joined (F6).

    `tests` were those of its diagram. A joined test absorbs what the diagram, to which its parts are strangers, keeps
    apart. So the tree is minimised again until that changes nothing.
    """
    if not _may_join(tests):
        return tree
    for _ in range(MOST_JOINS):
        try:
            again = TreeDiagrams(tree, TRUE, steps)
            found = Minimiser(again.diagrams).tree(again.node(tree))
        except OutOfSteps:
            break
        if found == tree:
            break
        tree = found
    return tree


def _may_join(tests: Collection[ElementTest]) -> bool:
    """Returns whether some attribute has several tests, which normal shapes may join."""
    return len({key for key, _ in tests}) < len(tests)


def tests_of_elements(comparisons: Iterable[TreeComparison]) -> frozenset[ElementTest]:
    """Returns the tests of the elements of arrays, each by its key and its meaning (X6)."""
    return frozenset((one.key, meant_by(one.op, one.value)) for one in comparisons if OF_ELEMENTS[one.op])


def _with_exceptions(
    allows: Sequence[Conjunction], denies: Sequence[Conjunction], exceptions: Sequence[Conjunction], steps: int
) -> FilterTree:
    plain = [deny for deny, excepted in zip(denies, exceptions, strict=True) if not excepted]
    others = [
        complement(normal_and([*_comparisons(deny), *map(complement, _comparisons(excepted))]))
        for deny, excepted in zip(denies, exceptions, strict=True)
        if excepted
    ]
    tree = normal_and([flat_tree(allows, plain), *others])
    try:
        found = TreeDiagrams(tree, TRUE, steps)
        minimised = Minimiser(found.diagrams).tree(found.node(tree))
    except OutOfSteps:
        return tree
    return settled(minimised, tests_of_elements(leaves(tree)), steps)


def _comparisons(rule: Conjunction) -> list[FilterTree]:
    return [TreeComparison.normal(*comparison) for comparison in rule]


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
