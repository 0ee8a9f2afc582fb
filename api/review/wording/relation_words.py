"""Words for the relations of an attribute with the value that a reference names, as regions have them (X2)."""

from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Final

from ....bundles.wording import quoted
from ....compiler.analysis.conditions.variables import parts, states_of
from .plain_values import OWNERS
from .referred_words import referred
from .relation_phrases import Phrase, Relations, exactly, phrases

_ALTERNATIVE: Final = 2
"""The weight of another alternative."""

_MOST: Final = 4
"""The alternatives that are tried together. Beyond them, each relation is said by itself."""


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
    said = alternatives(frozenset(states), frozenset(states_of(key)))
    words = [one.words.replace("{left}", left).replace("{right}", right) for one in said]
    return ", or ".join([words[0], *(one.removeprefix(f"{left} ") for one in words[1:])])


@lru_cache(1_024)
def alternatives(states: Relations, every: Relations) -> tuple[Phrase, ...]:
    """Returns the easiest phrases of which one is true of exactly the relations `states`, among `every`."""
    inside = _widest([one for one in phrases(every) if one.relations <= states])
    found = _cover(states, inside, _MOST, {}) or [exactly(one, every) for one in sorted(states)]
    return tuple(sorted(found, key=lambda one: one.rank))


def _widest(inside: Sequence[Phrase]) -> list[Phrase]:
    """Returns the phrases without those that another one includes and is no harder to read."""
    found: list[Phrase] = []
    for one in sorted(inside, key=lambda one: (one.weight, -len(one.relations))):
        if not any(one.relations <= other.relations for other in found):
            found.append(one)
    return found


def _cover(
    left: Relations, inside: Sequence[Phrase], most: int, known: dict[tuple[Relations, int], list[Phrase] | None]
) -> list[Phrase] | None:
    """Returns the easiest phrases that cover the relations `left`, or None if that takes more than `most`."""
    if not left:
        return []
    if most == 0:
        return None
    if (left, most) not in known:
        first = min(left, key=lambda state: sum(state in one.relations for one in inside))
        found: list[list[Phrase]] = []
        for one in inside:
            if first in one.relations:
                rest = _cover(left - one.relations, inside, most - 1, known)
                found += [] if rest is None else [[one, *rest]]
        known[left, most] = min(found, key=_weight, default=None)
    return known[left, most]


def _weight(some: Sequence[Phrase]) -> int:
    return sum(one.weight + _ALTERNATIVE for one in some)
