"""The kinds of JSON values, and their equality in conditions (rules C2, C3)."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A value from a JSON parser: None, bool, int, float, str, list or dict. A condition can't read other values (C7)."""


NUMBER = (int, float)
"""The types of numbers. PERF: `isinstance` takes half the time for a tuple that it takes for a union."""

PRESENT = (str, int, float, list, dict)
"""The types of a present value. It needs no `bool`, which is an `int` in Python."""


def is_number(value: Json) -> bool:
    """Whether `value` is a JSON number. Integers and reals are one type, and booleans are not numbers (C3)."""
    return isinstance(value, NUMBER) and value.__class__ is not bool


def is_text(value: str) -> bool:
    """Whether a string can be encoded as UTF-8. A string with a lone surrogate can't.

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
    """Whether two JSON values are equal by rule C3: the same type and an equal value, also inside arrays and objects.

    A null equals no value, not even null (C2). The recursion is not deeper than the shallower value.

    >>> same(1, 1.0), same(1, True), same([1, {"a": "x"}], [1.0, {"a": "x"}]), same(None, None)
    (True, False, True, False)
    """
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
