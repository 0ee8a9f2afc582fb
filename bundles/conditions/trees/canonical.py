"""The canonical form of "some ALLOW holds and no DENY does" (rules F1, F4, F6)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from .diagrams import OutOfSteps
from .plain_form import plain_form
from .rule_diagram import Conjunction, Ruled
from .shortest_form import ShortestForm
from .tree import TRUE, Form, compared, joined, negated

STEPS = 20_000
"""What canonicalisation may take by default, in cells and constants looked at."""

ABSORPTION_TRIES = 100_000
"""Beyond so many pairs of rules to compare, a tidy form keeps rules that hold only where a shorter one does."""


def canonical_form(allows: Sequence[Conjunction], denies: Sequence[Conjunction], steps: int = STEPS) -> Form:
    """The one form of the condition, whatever the rules look like; beyond `steps` the tidy form of the rules.

    >>> from writ.bundles.conditions.operators import Operator
    >>> below_5, rest = [("k", Operator.LT, 5)], [("k", Operator.GTE, 5), ("k", Operator.LT, 9)]
    >>> canonical_form([below_5, rest], []) == compared("k", Operator.LT, 9)
    True
    """
    plain = plain_form(allows, denies)
    if plain is not None:
        return plain
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
    known: dict[Form, Form] = {}  # PERF: sets compare the very same object at once
    found = {frozenset(known.setdefault(form, form) for form in (compared(*test) for test in rule)) for rule in rules}
    if frozenset() in found:
        return TRUE
    return joined("or", (joined("and", conjunction) for conjunction in _absorbed(found)))


def _absorbed(conjunctions: Collection[frozenset[Form]]) -> Collection[frozenset[Form]]:
    """Those that hold no other one whole, found by the member of each that is the rarest of all."""
    counts = Counter(chain.from_iterable(conjunctions))
    by_rarest: dict[Form, list[frozenset[Form]]] = defaultdict(list)
    for conjunction in conjunctions:
        by_rarest[min(conjunction, key=lambda member: (counts[member], member.rank))].append(conjunction)
    if sum(count * len(by_rarest[member]) for member, count in counts.items()) > ABSORPTION_TRIES:
        return conjunctions
    return [
        conjunction
        for conjunction in conjunctions
        if not any(other < conjunction for member in conjunction for other in by_rarest[member])
    ]
