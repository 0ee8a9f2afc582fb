"""Comparisons with a string, said in the dates, instants and UUIDs that a column can hold.

Each such value has one text, and the texts are in the order of the values. So a constant that is no such text still
has a place among them, and the answer is the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

from ...bundles.conditions.operators import IS_UPWARD, Operator, Ordering
from .fields import Date, DateTime, Uuid

Bound: TypeAlias = tuple[Ordering, Any] | bool
"""An operator of C4 with a value of the column's own kind, or what is so of every value in it."""


@dataclass(frozen=True, slots=True)
class ColumnText:
    """The text of a kind of values: how many there are, which one is at a place in their order, and its text."""

    size: int
    at: Callable[[int], Any]
    show: Callable[[Any], str]
    parse: Callable[[str], Any]


def equal(form: ColumnText, constant: str) -> Any:
    """Returns the value whose text is `constant`, or None if there is none.

    >>> equal(FORMS[Date], "2024-02-29"), equal(FORMS[Date], "2023-02-29"), equal(FORMS[Date], "20240229")
    (datetime.date(2024, 2, 29), None, None)
    """
    try:
        value = form.parse(constant)
    except ValueError:
        return None
    return value if form.show(value) == constant else None


def bound(form: ColumnText, op: Ordering, constant: str) -> Bound:
    """Returns `op constant` for the texts of the values.

    >>> bound(FORMS[Date], Operator.GT, "2024-02-3"), bound(FORMS[Date], Operator.LT, "a")
    ((<Operator.GTE: 'gte'>, datetime.date(2024, 3, 1)), True)
    """
    exact = equal(form, constant)
    if exact is not None:
        return op, exact
    place, end = 0, form.size
    while place < end:
        middle = (place + end) // 2
        if form.show(form.at(middle)) < constant:
            place = middle + 1
        else:
            end = middle
    if place == form.size:
        return not IS_UPWARD[op]
    return (Operator.GTE if IS_UPWARD[op] else Operator.LT), form.at(place)


def start_bounds(form: ColumnText, text: str) -> tuple[Bound, Bound]:
    """Returns the two bounds between which the texts lie that start with `text`, which is not empty.

    >>> start_bounds(FORMS[Date], "2024-02-3")
    ((<Operator.GTE: 'gte'>, datetime.date(2024, 3, 1)), (<Operator.LT: 'lt'>, datetime.date(2024, 3, 1)))
    """
    if not text.isascii():
        return False, False
    return bound(form, Operator.GTE, text), bound(form, Operator.LT, text[:-1] + chr(ord(text[-1]) + 1))


def microseconds(instant: datetime) -> int:
    """Returns the microseconds since 1970 of an instant in UTC."""
    return (instant - datetime(1970, 1, 1)) // _MICROSECOND


_MICROSECOND = timedelta(microseconds=1)

FORMS: dict[type, ColumnText] = {
    Uuid: ColumnText(2**128, lambda place: UUID(int=place), str, UUID),
    Date: ColumnText(
        date.max.toordinal(), lambda place: date.fromordinal(place + 1), date.isoformat, date.fromisoformat
    ),
    DateTime: ColumnText(
        (datetime.max - datetime.min) // _MICROSECOND + 1,
        lambda place: datetime.min + place * _MICROSECOND,
        lambda value: f"{value.isoformat(timespec='microseconds')}Z",
        lambda text: datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ"),
    ),
}
"""The texts of each field; an instant is a `datetime` in UTC without a zone."""
