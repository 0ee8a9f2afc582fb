"""The kinds of JSON values, and their equality in conditions (rules C2, C3)."""

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

Json: TypeAlias = Any
"""A value from a JSON parser: None, bool, int, float, str, list or dict."""

NUMBER = (int, float)
"""The types of numbers. PERF: `isinstance` takes half the time for a tuple that it takes for a union."""

PRESENT = (str, int, float, list, dict)
"""The types of a present value. It needs no `bool`, which is an `int` in Python."""


_EXACT = frozenset({type(None), bool, int, float, str, list, dict})


class Unreadable(Struct, frozen=True):
    """A value that was sent, and is not of the type of its attribute (C11). Only gateways make it.

    A comparison with it is false in an ALLOW and holds in a DENY.
    """

    text: str


class NotJson(Exception):
    """A condition reads a value of a Python type that JSON has not, such as a Decimal. The message says which."""

    def __init__(self, value: object):
        super().__init__(f"JSON has no `{type_name(value)}`")


def type_name(value: object) -> str:
    """Returns the name of a value's type, with its module, since NumPy has a `bool` too.

    >>> from decimal import Decimal
    >>> type_name(Decimal(1)), type_name((1, 2))
    ('decimal.Decimal', 'tuple')
    """
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def plain(value: Any) -> Json:
    """Returns the JSON value that a Python value is, or that its type extends. Raises NotJson for any other (C7).

    A member of a StrEnum is its string, a float of NumPy is its number. Comparisons of such a type do not count. The
    contents of a list or an object are not checked.

    >>> from http import HTTPStatus
    >>> plain(HTTPStatus.OK), plain("a"), plain((1, 2))
    Traceback (most recent call last):
    writ.bundles.conditions.values.NotJson: JSON has no `tuple`
    """
    if value.__class__ in _EXACT:
        return value
    for kind, exact in _EXTENDED:
        if isinstance(value, kind):
            return exact(value)
    raise NotJson(value)


_EXTENDED: tuple[tuple[type, Callable[[Any], Json]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (list, lambda value: value),
    (dict, lambda value: value),
)


def is_number(value: Json) -> bool:
    """Returns whether `value` is a JSON number. Integers and reals are one type, and booleans are not numbers (C3)."""
    return isinstance(value, NUMBER) and value.__class__ is not bool


def is_text(value: str) -> bool:
    """Returns whether a string can be encoded as UTF-8. A string with a lone surrogate can't.

    >>> is_text("é"), is_text("\\ud800")
    (True, False)
    """
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def same(left: Json, right: Json) -> bool:
    """Returns whether two JSON values are equal by rule C3: the same type and an equal value, also inside arrays and
    objects.

    A null equals no value, not even null (C2). The recursion is not deeper than the shallower value. Raises NotJson if
    the result depends on a value in `left` that JSON has not.

    >>> same(1, 1.0), same(1, True), same([1, {"a": "x"}], [1.0, {"a": "x"}]), same(None, None)
    (True, False, True, False)
    """
    if left.__class__ not in _EXACT:
        left = plain(left)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    if isinstance(left, NUMBER):
        return isinstance(right, NUMBER) and left == right
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(member, right[name]) for name, member in left.items())
    return False
