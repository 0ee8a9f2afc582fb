"""The relations of two values of a request: how each comparison of one with the other ends (X2).

Two comparisons of one attribute with one reference read the same two values. So both are tests of one variable, and its
states are the relations: `amount <= limit` and `amount >= limit` both hold exactly if the two are equal.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Final, TypeAlias

from ....bundles.conditions.comparisons import predicate
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import is_comparable, takes_reference
from ....bundles.conditions.values import Json
from ....bundles.declarations.kinds import ValueKind, kind_of

_YES, _NO, _UNREAD = "y", "n", "?"
_OPERATORS: Final = tuple(op for op in Operator if takes_reference(op))

_SAMPLES: Final[tuple[Json, ...]] = (
    *(None, 0, 1, "a", "b", True, False, {"k": 1}, {"k": 2}),
    *([], ["a"], ["b"], ["a", "b"], [["a"]], [["a"], "a"], [[]], [[], "a"], [["a"], "b"], [0], [True], [{"k": 1}]),
)
"""Values of all kinds. Any two values have a relation that two of these have."""

Kind: TypeAlias = ValueKind | None
"""The kind of a value, or None for a missing one."""


def relation(left: Json, right: Json) -> str:
    """Returns the relation of two values: a letter for each operator. None stands for a missing value.

    >>> relation(1, 2) == relation("a", "b"), relation(1, 2) == relation(2, 1)
    (True, False)
    """
    return "".join(_result(op, left, right) for op in _OPERATORS)


def _result(op: Operator, left: Json, right: Json) -> str:
    if left is None:
        return _NO
    if right is None or not is_comparable(op, right):
        return _UNREAD
    return _YES if predicate(op, right)(left) else _NO


def _kinds() -> Mapping[str, frozenset[tuple[Kind, Kind]]]:
    found: dict[str, set[tuple[Kind, Kind]]] = {}
    for left, right in product(_SAMPLES, repeat=2):
        found.setdefault(relation(left, right), set()).add((kind_of(left), kind_of(right)))
    return {one: frozenset(found[one]) for one in sorted(found)}


KINDS: Final = _kinds()
"""All relations, each with the kinds of the values that have it."""

EVERY: Final = tuple(KINDS)

_MOST_SETS: Final = 3
"""The simple sets that are tried together."""

LEFT_MISSING: Final = frozenset({relation(None, None)})
RIGHT_MISSING: Final = frozenset({relation("a", None)})

WITH_TEXTS: Final = tuple(sorted({relation(one, two) for one in _SAMPLES for two in (["a"], ["a", "b"])}))
"""The relations with a list of texts that is not empty, such as the groups of a subject."""


@cache
def holding(op: Operator) -> frozenset[str]:
    """Returns the relations for which a comparison holds."""
    return _with(op, _YES)


@cache
def unreadable(op: Operator) -> frozenset[str]:
    """Returns the relations for which the value that a comparison refers to is missing or does not fit."""
    return _with(op, _UNREAD)


def _with(op: Operator, letter: str) -> frozenset[str]:
    place = _OPERATORS.index(op)
    return frozenset(one for one in EVERY if one[place] == letter)


def tested(op: Operator, effect: str) -> frozenset[str]:
    """Returns the relations for which a comparison of a policy with this effect holds (X2)."""
    return holding(op) | unreadable(op) if effect == "DENY" else holding(op)


def comparison_of(relations: frozenset[str]) -> tuple[Operator, bool]:
    """Returns the operator that `tested` had, and whether it was that of a DENY."""
    return _comparisons()[relations]


@cache
def _comparisons() -> Mapping[frozenset[str], tuple[Operator, bool]]:
    return {tested(op, effect): (op, effect == "DENY") for effect in ("DENY", "ALLOW") for op in _OPERATORS}


def failing(op: Operator) -> frozenset[str]:
    """Returns the relations of two values that fit an operator, for which its comparison does not hold."""
    return frozenset(EVERY) - holding(op) - unreadable(op) - LEFT_MISSING


@lru_cache(1_024)
def simplest(wanted: frozenset[str], possible: frozenset[str]) -> frozenset[str]:
    """Returns the relations that the fewest words say, among those that agree with `wanted` on the possible ones.

    >>> differing = holding(Operator.LT) | holding(Operator.GT)
    >>> simplest(differing, differing | holding(Operator.EQ)) == holding(Operator.NE)
    True
    """
    parts: dict[frozenset[str], frozenset[str]] = {}
    for one in _simple_sets():
        if one & possible and one & possible <= wanted:
            parts.setdefault(one & possible, one)
    for count in range(1, _MOST_SETS + 1):
        for some in combinations(parts, count):
            if frozenset().union(*some) == wanted:
                return frozenset[str]().union(*(parts[one] for one in some))
    return wanted


def _simple_sets() -> Iterator[frozenset[str]]:
    """Yields sets of relations that a few words say, the simplest first."""
    yield from (LEFT_MISSING, RIGHT_MISSING)
    yield from map(holding, _OPERATORS)
    yield from map(failing, _OPERATORS)
    yield from (holding(op) | unreadable(op) for op in _OPERATORS)
    yield from (failing(op) | unreadable(op) for op in _OPERATORS)


def operators() -> Iterator[Operator]:
    """Yields the operators that can compare with a reference."""
    yield from _OPERATORS
