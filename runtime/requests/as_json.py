"""Turns Python values into the values that JSON has, without changing what a condition finds out about them."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address, IPv6Address
from math import isfinite
from typing import Any, Final
from uuid import UUID

from ...bundles.conditions.values import Json, type_name
from .members import BadRequest

_MOST_PLACES: Final = 308
"""A decimal with more digits before its point is larger than every double."""


def as_json(value: Any) -> Json:
    """Returns a copy of a value, converted to None, bool, int, float, str, list and dict, at any depth.

    - A `datetime` is its instant, as `2024-02-29T12:00:00.000000Z`: in UTC with six decimals. It must have a time zone.
    - A `date` is `2024-02-29`. A `UUID` is its text in lower case. An IP address is its text.
    - A `Decimal` is the number with the same digits: an integer, or a float that Python shows with these digits. With
      15 digits or fewer, there is one. With more, there may be none. Then it is an error, since rounding could move
      the number past a limit.
    - A member of an `Enum` is its value, converted.
    - A tuple is a list. A set of strings or of numbers is a sorted list.
    - A mapping is a dict. Its keys must be strings.
    - A subclass of str, int, float, list or dict is the plain value.

    These are the texts and numbers that the fields of translated filters have. Raises BadRequest for any other value,
    such as bytes, NaN or a `timedelta`. Its `path` leads there from `value`, which is `$`.

    >>> as_json({"amount": Decimal("19.90"), "due": date(2024, 2, 29), "tags": {"b", "a"}})
    {'amount': 19.9, 'due': '2024-02-29', 'tags': ['a', 'b']}
    """
    try:
        return _converted(value, "$")
    except RecursionError:
        raise BadRequest("the value nests too deep", "$") from None


def _converted(value: Any, path: str) -> Json:
    if value is None or value is True or value is False:
        return value
    for kind, convert in _CONVERSIONS:
        if isinstance(value, kind):
            return convert(value, path)
    raise BadRequest(f"JSON has no `{type_name(value)}`; send it as a string, a number or a boolean", path)


def _finite(value: float, path: str) -> float:
    if isfinite(value):
        return float.__float__(value)
    raise BadRequest("JSON has no NaN and no infinity; leave the attribute out", path)


def _number(value: Decimal, path: str) -> int | float:
    if not value.is_finite():
        raise BadRequest("JSON has no NaN and no infinity; leave the attribute out", path)
    if value.adjusted() <= _MOST_PLACES and value == value.to_integral_value():
        return int(value)
    nearest = float(value)
    if Decimal(repr(nearest)) != value:
        raise BadRequest("no JSON number has all digits of this `Decimal`; round it to 15 digits or fewer", path)
    return nearest


def _instant(value: datetime, path: str) -> str:
    if value.tzinfo is None or value.utcoffset() is None:
        raise BadRequest("a `datetime` without a time zone is no instant; give it a time zone", path)
    try:
        utc = value.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise BadRequest("the `datetime` is outside the years 0001 to 9999 in UTC", path) from None
    return f"{utc.isoformat(timespec='microseconds')}Z"


def _items(value: list[Any] | tuple[Any, ...], path: str) -> list[Json]:
    return [_converted(item, f"{path}[{index}]") for index, item in enumerate(value)]


def _sorted(value: set[Any] | frozenset[Any], path: str) -> list[Json]:
    """Returns a set in an order that does not depend on the process: an `eq` with a list compares the order, too."""
    found = [_converted(item, path) for item in value]
    kinds = {str if isinstance(item, str) else float if type(item) in (int, float) else type(item) for item in found}
    if kinds <= {str} or kinds <= {float}:
        return sorted(set(found))
    raise BadRequest("a set of anything but strings, or numbers, has no order; send a list", path)


def _members(value: Mapping[Any, Any], path: str) -> dict[str, Json]:
    found = {}
    for name, member in value.items():
        if not isinstance(name, str):
            raise BadRequest(f"a name in a JSON object is a string, not a `{type_name(name)}`", path)
        found[str.__str__(name)] = _converted(member, f"{path}.{name}")
    return found


def _refuse_bytes(value: object, path: str) -> Json:
    raise BadRequest(f"JSON has no `{type_name(value)}`; decode it to a string", path)


_CONVERSIONS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any, str], Json]], ...]] = (
    (Enum, lambda value, path: _converted(value.value, path)),
    (str, lambda value, _: str.__str__(value)),
    (int, lambda value, _: int.__int__(value)),
    (float, _finite),
    (Decimal, _number),
    (datetime, _instant),
    (date, lambda value, _: date.isoformat(value)),
    ((UUID, IPv4Address, IPv6Address), lambda value, _: str(value)),
    ((list, tuple), _items),
    ((set, frozenset), _sorted),
    (Mapping, _members),
    ((bytes, bytearray, memoryview), _refuse_bytes),
)
"""The kinds of values, each with its conversion. A subclass comes before its base: a `datetime` is a `date`, too."""
