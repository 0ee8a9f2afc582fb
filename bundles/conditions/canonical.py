"""The canonical form of "some ALLOW holds and no DENY does" (rules F1, F4, F6)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from bundles.conditions.diagrams import OutOfSteps
from bundles.conditions.forms import Form, compared, joined, negated
from bundles.conditions.ruled import Conjunction, Ruled
from bundles.conditions.shortest_form import ShortestForm

STEPS = 20_000
"""What canonicalisation may take by default, in cells and constants looked at."""


def canonical_form(allows: Sequence[Conjunction], denies: Sequence[Conjunction], steps: int = STEPS) -> Form:
    """The one form of the condition, whatever the rules look like; beyond `steps` the tidy form of the rules.

    >>> canonical_form([[("k", "lt", 5)], [("k", "gte", 5), ("k", "lt", 9)]], []) == compared("k", "lt", 9)
    True
    """
    try:
        ruled = Ruled(allows, denies, steps)
        return ShortestForm(ruled.diagrams).form(ruled.node)
    except OutOfSteps:
        return tidy_form(allows, denies)


def tidy_form(allows: Iterable[Conjunction], denies: Iterable[Conjunction]) -> Form:
    """The rules as they are: flat, sorted, absorbed; right, but two forms may mean the same."""
    return joined("and", [_some(allows), negated(_some(denies))])


def _some(rules: Iterable[Conjunction]) -> Form:
    """That some rule holds, those left out that hold only where a shorter one does."""
    conjunctions = {frozenset(compared(*test) for test in rule) for rule in rules}
    kept: list[frozenset[Form]] = []
    by_member: dict[Form, list[frozenset[Form]]] = defaultdict(list)
    for conjunction in sorted(conjunctions, key=len):
        if not any(shorter <= conjunction for member in conjunction for shorter in by_member[member]):
            kept.append(conjunction)
            # One member of each will do: whoever has them all has this one.
            by_member[min(conjunction, key=lambda member: member.rank)].append(conjunction) if conjunction else None
    if frozenset() in conjunctions:
        return joined("and", [])
    return joined("or", (joined("and", conjunction) for conjunction in kept))
