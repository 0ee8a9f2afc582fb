"""JSON values as conditions see them: their kinds and their equality (rules C2, C3)."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A value as a JSON parser gives it: None, bool, int, float, str, list, dict. Anything else can't be read (C7)."""


NUMBER = (int, float)
"""PERF: a tuple of types is tested in half the time that a union takes."""

PRESENT = (str, int, float, list, dict)
"""The types of a value that is there; a flag is an int to Python."""


def is_number(value: Json) -> bool:
    """Whether `value` is a JSON number; integers and reals are one type, booleans are not numbers (C3)."""
    return isinstance(value, NUMBER) and value.__class__ is not bool


def is_text(value: str) -> bool:
    """Whether a string can be written as UTF-8: one with a lone surrogate is no text.

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
    """Whether two JSON values are equal by rule C3: same type and equal value, arrays and objects deeply.

    A null equals nothing, itself included (C2). The recursion goes no deeper than the shallower value.

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
