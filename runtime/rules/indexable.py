"""Finds the attributes that a body compares with strings or numbers, so that rules can be indexed by their values."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.constants import LARGE_INTEGER
from ...bundles.conditions.operators import NAMES_ITS_VALUES, TAKES_LIST
from ...bundles.conditions.values import Json, is_number
from ...bundles.program.clauses import Atom, AttributeSection, Comparison

AttributeKey: TypeAlias = tuple[AttributeSection, str]

MOST_ATTRIBUTES: Final = 8
"""The attributes of a body that count. To count all attributes of many long bodies would take longer than it saves."""


def indexable_attributes(body: Sequence[Atom]) -> tuple[AttributeKey, ...]:
    """Returns the first attributes that the body compares with strings or numbers, each once."""
    found: dict[AttributeKey, None] = {}
    for atom in body:
        if isinstance(atom, Comparison) and is_indexable(atom):
            found[atom.section, atom.key] = None
            if len(found) == MOST_ATTRIBUTES:
                break
    return tuple(found)


def values_of(body: Sequence[Atom], attribute: AttributeKey) -> frozenset[str | float]:
    """Returns the values that one of the body's indexable attributes can have if the body holds."""
    found: frozenset[str | float] | None = None
    for atom in body:
        if isinstance(atom, Comparison) and (atom.section, atom.key) == attribute and is_indexable(atom):
            these = frozenset(constants_of(atom.op, atom.value))
            found = these if found is None else found & these
    return found or frozenset()


def is_indexable(atom: Comparison) -> bool:
    """Returns whether a comparison holds for some strings and numbers only, which it names."""
    if (atom.section, atom.key) == ("resource_attrs", "type"):
        return False
    if not NAMES_ITS_VALUES[atom.op]:
        return False
    return all(map(is_plain, atom.value)) if TAKES_LIST[atom.op] else is_plain(atom.value)


def is_plain(value: Json) -> bool:
    """Returns whether a value is a string or a number that a dictionary finds at once, as C3 compares them."""
    return isinstance(value, str) or (is_number(value) and -LARGE_INTEGER < value < LARGE_INTEGER)
