"""Phrases about two values of a request, each with the relations for which it is true (X2).

A comparison is true only of a value that is there, and of a referred value that fits. So the phrases say apart that the
value, or the referred one, is missing, and of which kind the referred one is.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from ....bundles.conditions.operators import Operator
from ....compiler.analysis.conditions import relations
from .comparison_words import negated
from .referred_words import predicate_of_reference

Relations = frozenset[str]


class Phrase(NamedTuple):
    """Some relations, and the words that are true of exactly these. `{left}` and `{right}` stand for the two values.

    Alternatives stand in the order of `rank`. `weight` is the number of words, and more for what is harder to read.
    """

    relations: Relations
    words: str
    weight: int
    rank: int


_ORDERS: Final = (Operator.LT, Operator.GT, Operator.LTE, Operator.GTE)
_FAILING: Final = (Operator.HAS, Operator.HAS_ANY, *_ORDERS)
"""The operators of which the negation is worth a phrase. The others have an operator that says it."""

_ANYTHING_BUT: Final = "is anything but a list that contains none of"

_MISSING, _COMPARED, _WHILE = range(3)
_AND: Final = 4
"""The weight of an "and" within a phrase."""
_DOUBLE: Final = 8
"""The weight of a negation of a negation."""

PRESENT: Final = frozenset(relations.EVERY) - relations.LEFT_MISSING
_ORDERED: Final = PRESENT - relations.unreadable(Operator.LT)
_LISTS: Final = PRESENT - relations.unreadable(Operator.IN)
_OTHERS: Final = PRESENT - relations.RIGHT_MISSING - _ORDERED - _LISTS

KINDS: Final[Mapping[str, Relations]] = {
    "a number or a text": _ORDERED,
    "a list": _LISTS,
    "a boolean or an object": _OTHERS,
    "no list": _ORDERED | _OTHERS,
    "neither a number nor a text": _LISTS | _OTHERS,
    "neither a boolean nor an object": _LISTS | _ORDERED,
}
"""The relations in which the referred value is of some kinds."""


def phrase(words: str, true_of: Relations, rank: int = _COMPARED) -> Phrase:
    """Returns a phrase. Some words in it are harder to read than others."""
    hard = _AND * (" and " in words) + _DOUBLE * (_ANYTHING_BUT in words) + 2 * ("(" in words)
    return Phrase(true_of, words, len(words.split()) + hard, rank)


@cache
def phrases(every: Relations) -> tuple[Phrase, ...]:
    """Returns the phrases that are true of some of the relations `every`, of equal ones the easiest."""
    found: dict[Relations, Phrase] = {}
    for one in _phrases():
        some = one._replace(relations=one.relations & every)
        known = found.get(some.relations)
        if some.relations and (known is None or some.weight < known.weight):
            found[some.relations] = some
    return tuple(found.values())


def exactly(relation: str, every: Relations) -> Phrase:
    """Returns the words for one relation: comparisons that are true together of this one alone."""
    left, words = every, list[str]()
    for one in sorted(phrases(every), key=lambda one: (len(one.relations), one.weight)):
        if relation in one.relations and left & one.relations < left:
            left &= one.relations
            words.append(one.words if not words else one.words.removeprefix("{left} "))
    return phrase(" and ".join(words), left)


def _phrases() -> Iterator[Phrase]:
    yield phrase("{left} is missing", relations.LEFT_MISSING, _MISSING)
    yield phrase("{left} is present", PRESENT)
    compared = [*_compared()]
    for one in compared:
        yield one
        for kind, some in KINDS.items():
            yield phrase(f"{one.words} (which is {kind})", one.relations & some)
    for one, other in combinations(compared, 2):
        yield phrase(f"{one.words} and {other.words.removeprefix('{left} ')}", one.relations & other.relations)
    yield from _of_the_right()


def _compared() -> Iterator[Phrase]:
    for op in relations.operators():
        yield phrase(f"{{left}} {predicate_of_reference(op, '{right}').holds}", relations.holding(op))
    for op in _FAILING:
        yield phrase(f"{{left}} {negated(predicate_of_reference(op, '{right}').holds)}", relations.failing(op))
    yield phrase(f"{{left}} {_ANYTHING_BUT} {{right}}", relations.failing(Operator.HAS_NONE))
    unordered = frozenset.intersection(*map(relations.failing, _ORDERS))
    yield phrase("{left} can't be compared with {right} by order", unordered)


def _of_the_right() -> Iterator[Phrase]:
    """Yields what is true of any value beside a referred one that is missing, or of some kinds."""
    missing = relations.RIGHT_MISSING
    yield phrase("{left} has a value while {right} is missing", missing, _WHILE)
    yield phrase("{left} has a value while {right} has one", PRESENT - missing, _WHILE)
    for kind, some in KINDS.items():
        before = "missing," if " or " in kind else "missing, or" if " nor " in kind else "missing or"
        yield phrase(f"{{left}} has a value while {{right}} is {kind}", some, _WHILE)
        yield phrase(f"{{left}} has a value while {{right}} is {before} {kind}", some | missing, _WHILE)
    lists = relations.holding(Operator.HAS_ANY) | relations.holding(Operator.HAS_NONE)
    yield phrase("{left} is no list while {right} is one", _LISTS - lists, _WHILE)
