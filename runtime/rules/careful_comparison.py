"""Compares an attribute with another value of a request, where both may be of any Python type (X2, C7)."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ...bundles.conditions.comparisons import ORDERINGS
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.references import MOST_ELEMENTS, is_comparable
from ...bundles.conditions.values import Json, NotJson, Unreadable, is_number, plain, same
from ...bundles.event_loop import refuse_on_event_loop
from ...bundles.program.clauses import Reference
from .array_elements import QUICK_ELEMENTS, element_keys, is_keeping, kept_result, key_of, keys_of
from .foreign_values import plain_at, refused_at

_ORDERINGS: Final[dict[Operator, Callable[[Json, Json], bool]]] = dict(ORDERINGS.items())


class CarefulComparison:
    """Compares a present attribute with a referred value, both of any Python type (X2).

    Raises BadRequest if the result depends on a value that JSON has not (C7).
    """

    __slots__ = ("_op", "_plain", "_plain_other", "_refused", "_refused_other", "_unreadable")

    def __init__(self, atom: Reference, unreadable: bool):
        section, key = atom.value_of.section, atom.value_of.key
        self._op, self._unreadable = atom.op, unreadable
        self._plain, self._plain_other = plain_at(atom.section, atom.key), plain_at(section, key)
        self._refused, self._refused_other = refused_at(atom.section, atom.key), refused_at(section, key)

    def __call__(self, value: Json, other: Json) -> bool:
        value = self._plain(value)
        other = None if other is None else self._plain_other(other)
        if value.__class__ is Unreadable or other.__class__ is Unreadable or not is_comparable(self._op, other):
            return self._unreadable
        if other.__class__ is list and len(other) > MOST_ELEMENTS:
            return self._unreadable
        compare = _ORDERINGS.get(self._op)
        if compare is not None:
            fits = isinstance(value, str) if isinstance(other, str) else is_number(value)
            return fits and compare(value, other)
        return self._equals(value, other)

    def _equals(self, value: Json, other: Json) -> bool:
        match self._op:
            case Operator.EQ:
                return kept_result(self._same, value, other)
            case Operator.NE:
                return not kept_result(self._same, value, other)
            case Operator.IN:
                return self._among(value, other)
            case Operator.HAS:
                return isinstance(value, list) and self._shares(value, [other])
            case Operator.HAS_ANY:
                return isinstance(value, list) and self._shares(value, other)
            case Operator.HAS_NONE:
                return isinstance(value, list) and not self._shares(value, other)
            case _:
                return not self._among(value, other)

    def _among(self, value: Json, others: list[Json]) -> bool:
        if len(others) > QUICK_ELEMENTS and is_keeping():
            with suppress(NotJson):  # the careful way says where it is, if the result depends on it
                return key_of(value) in keys_of(others)
        if value.__class__ is str and set(map(type, others)) <= {str}:  # PERF: no call for each element
            return value in others
        found = [self._same(value, other) for other in others]  # all, since any of them may be no JSON
        return any(found)

    def _shares(self, value: list[Json], others: list[Json]) -> bool:
        """Returns whether two arrays have elements that are the same (C3)."""
        if not (value and others):
            return False
        if len(value) > QUICK_ELEMENTS:
            refuse_on_event_loop()
        try:
            known = keys_of(others)
        except NotJson as ex:
            raise self._refused_other(ex) from None
        try:
            # A null has its own key each time (C2), so an array that is compared with itself needs keys twice.
            return not known.isdisjoint(element_keys(value) if value is others else keys_of(value))
        except NotJson as ex:
            raise self._refused(ex) from None

    def _same(self, value: Json, other: Json) -> bool:
        """Returns whether both are the same (C3). `same` refuses only values on its left that JSON has not."""
        try:
            equal = _same_parts(other, value)
        except NotJson as ex:
            raise self._refused_other(ex) from None
        try:
            return _same_parts(value, other) and equal
        except NotJson as ex:
            raise self._refused(ex) from None


def _same_parts(left: Json, right: Json) -> bool:
    """Returns whether two values are the same (C3). Unlike `same`, it takes values of any depth on both sides."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        one = plain(one)
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += ((member, other[name]) for name, member in one.items())
        elif isinstance(one, list | dict) or isinstance(other, list | dict) or not same(one, other):
            return False
    return True
