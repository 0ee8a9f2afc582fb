"""Words for the relations of an attribute with the value that a reference names, as regions have them (X2)."""

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from ....bundles.conditions.operators import Operator
from ....bundles.wording import quoted
from ....compiler.analysis.conditions import relations
from ....compiler.analysis.conditions.variables import parts, states_of
from .comparison_words import negated
from .plain_values import OWNERS
from .referred_words import predicate_of_reference, referred

_ORDERS: Final = (Operator.LT, Operator.GT, Operator.LTE, Operator.GTE)
_OTHERS: Final = tuple(op for op in relations.operators() if op not in _ORDERS)
_FAILING: Final = (Operator.HAS, Operator.HAS_ANY, Operator.LT, Operator.LTE, Operator.GT, Operator.GTE)
"""The operators of which the negation is worth a word. The others have an operator that says it."""


class _Said(NamedTuple):
    """A set of relations, and its words. `{left}` and `{right}` stand for the two values."""

    relations: frozenset[str]
    words: str


def relation_words(key: str, states: Set[str]) -> str:
    """Returns the words for some relations of the two values of a variable.

    >>> from writ.bundles.conditions.operators import Operator
    >>> from writ.compiler.analysis.conditions.relations import holding
    >>> from writ.compiler.analysis.conditions.variables import reference
    >>> print(relation_words(reference("resource_attrs", "amount", "subject.limit"), holding(Operator.GT)))
    the `amount` of the resource is greater than the `limit` of the subject
    """
    _, section, name, value_of = parts(key)
    left, right = f"the {quoted(name)} of the {OWNERS[section]}", referred(value_of)
    said = _said(frozenset(states), tuple(states_of(key)))
    words = [one.replace("{left}", left).replace("{right}", right) for one in said]
    return ", or ".join([words[0], *(one.removeprefix(f"{left} ") for one in words[1:])])


@lru_cache(1_024)
def _said(states: frozenset[str], every: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the fewest words: one phrase, two that both hold, or some of which one holds."""
    phrases = [_Said(one.relations & frozenset(every), one.words) for one in _phrases()]
    phrases = [one for one in phrases if one.relations]
    for one in phrases:
        if one.relations == states:
            return (one.words,)
    inside = [one for one in phrases if one.relations <= states]
    for one, other in combinations(inside, 2):
        if one.relations | other.relations == states:
            return one.words, other.words
    for one, other in combinations(phrases, 2):
        if one.relations & other.relations == states:
            return (f"{one.words} and {other.words.removeprefix('{left} ')}",)
    return _covering(states, inside)


def _covering(states: frozenset[str], inside: Sequence[_Said]) -> tuple[str, ...]:
    """Returns phrases that say all relations together, the widest first."""
    found: list[str] = []
    left = states
    while left:
        best = max(inside, key=lambda one: len(one.relations & left), default=None)
        if best is None or not best.relations & left:
            return (*found, "{left} and {right} compare in another way")
        found.append(best.words)
        left -= best.relations
    return tuple(found)


def _phrases() -> Iterator[_Said]:
    for op in (*_OTHERS, *_ORDERS):
        yield _Said(relations.holding(op), f"{{left}} {predicate_of_reference(op, '{right}').holds}")
    ordered = relations.holding(Operator.EQ) & relations.holding(Operator.LTE)
    yield _Said(ordered, "{left} is {right} (a number or a text)")
    yield _Said(relations.LEFT_MISSING, "{left} is missing")
    yield _Said(relations.RIGHT_MISSING, "{left} has a value while {right} is missing")
    for op in (Operator.GT, Operator.IN):
        yield _Said(relations.unreadable(op), "{left} has a value while {right} is missing or does not fit")
    every, unordered = frozenset(relations.EVERY), frozenset[str]()
    for op in _FAILING:
        fails = relations.failing(op)
        unordered = fails if op is Operator.LT else unordered & fails
        yield _Said(fails, f"{{left}} {negated(predicate_of_reference(op, '{right}').holds)}")
        yield _Said(
            fails | relations.LEFT_MISSING,
            f"{{left}} is missing, or {negated(predicate_of_reference(op, '{right}').holds)}",
        )
    yield _Said(unordered, "{left} can't be compared with {right} by order")
    yield _Said(every - relations.LEFT_MISSING, "{left} is present")
