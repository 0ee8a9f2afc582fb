"""The fields of a mapping: which column holds the attribute that a key names, and of which type it is.

`column` is the target's own name for a column, or an expression of its library. A value that is NULL, missing or not
of the column's type is an absent attribute (C2, C7).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from ...bundles.conditions.keys import OWN_KEYS
from .errors import Untranslatable

MOST_DIGITS = 15
"""A decimal of up to 15 digits has a nearest double of its own. With more digits, several share one double."""


@dataclass(frozen=True, slots=True)
class Text:
    """A column of strings, under any collation."""

    column: Any


@dataclass(frozen=True, slots=True)
class Integer:
    """A column of signed integers of up to 64 bits."""

    column: Any


@dataclass(frozen=True, slots=True)
class Real:
    """A column of IEEE 754 doubles. NaN and the infinities are not JSON numbers, so they are absent."""

    column: Any


@dataclass(frozen=True, slots=True)
class Decimal:
    """A column of exact decimals of at most `digits` digits, before and after the point together.

    The attribute is the JSON number with the same digits, so the double nearest to it.
    """

    column: Any
    digits: int


@dataclass(frozen=True, slots=True)
class Boolean:
    """A column of true and false."""

    column: Any


@dataclass(frozen=True, slots=True)
class Json:
    """Any JSON value: the column, or the value that `path` leads to in it, by names and by indexes of arrays."""

    column: Any
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attributes:
    """A column with a JSON object of the row's attributes. The key is read in it by rule C1."""

    column: Any


Field: TypeAlias = Text | Integer | Real | Decimal | Boolean | Json | Attributes
Fields: TypeAlias = Mapping[str, Any]
"""A Field for each key of a filter. The SQLAlchemy target also takes columns."""


def field_of(fields: Fields, key: str, path: str, target: str) -> Field:
    """Returns the field of `key`. Raises Untranslatable if there is none, or if it reads an own key as an attribute."""
    found = fields.get(key)
    if found is None:
        near = get_close_matches(key, sorted(fields), n=1)
        raise Untranslatable(
            path,
            target,
            f"the mapping has no field `{key}`",
            f"did you mean `{near[0]}`?" if near else "add it to the mapping",
        )
    if not isinstance(found, Field):
        raise Untranslatable(
            path, target, f"the mapping says nothing of what `{key}` holds", "map it to Text, Integer, Json, …"
        )
    if isinstance(found, Attributes) and key in OWN_KEYS:
        raise Untranslatable(
            path, target, f"`{key}` is the row's own key, no attribute (E6)", "map it to the column of that key"
        )
    if isinstance(found, Decimal) and not 0 < found.digits <= MOST_DIGITS:
        raise Untranslatable(
            path,
            target,
            f"decimals of more than {MOST_DIGITS} digits have no JSON number of their own",
            "keep fewer digits, integers of a smaller unit, or doubles",
        )
    return found
