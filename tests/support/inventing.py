"""Invents a member of a closed type: what the next release might add, and no consumer knows."""

from enum import StrEnum
from typing import TypeVar

Closed = TypeVar("Closed", bound=StrEnum)


def invented(closed: type[Closed], value: str) -> Closed:
    """Returns an instance of `closed` that is none of its members."""
    member = str.__new__(closed, value)
    member._name_, member._value_ = value.upper(), value
    return member
