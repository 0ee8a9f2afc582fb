"""The kinds of declared attributes, and the values that a declaration lists (E8, X5)."""

import re
from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

from ..conditions.constants import CanonicalKey, canonical_key
from ..conditions.instants import parse_instant
from ..conditions.values import Json, is_number
from ..wording import alternatives, did_you_mean, quoted

AttributeKind: TypeAlias = Literal["string", "number", "boolean", "instant", "array", "object"]
"""The declared type of an attribute. An instant is an RFC 3339 text with an offset (X5)."""

ValueKind: TypeAlias = Literal["string", "number", "boolean", "array", "object"]
"""The JSON type of a value."""

MOST_SHOWN: Final = 8
"""The number of declared values up to which a message lists them."""

_SAID_IN_TEXTS: Final[dict[AttributeKind, re.Pattern[str]]] = {
    "number": re.compile(r"(?a:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?)"),
    "boolean": re.compile("true|false"),
}
"""The texts that say a value of another type, by that type."""


def kind_of(value: Json) -> ValueKind | None:
    """Returns the JSON type of `value`, or None for null and for a value that JSON has not.

    >>> kind_of(True), kind_of(1.5), kind_of({})
    ('boolean', 'number', 'object')
    """
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else None


def is_of(kind: AttributeKind, value: Json) -> bool:
    """Returns whether a value is of a declared kind.

    >>> is_of("number", 1), is_of("boolean", 1), is_of("instant", "2027-01-31T09:00Z"), is_of("instant", "today")
    (True, False, True, False)
    """
    return is_instant(value) if kind == "instant" else kind_of(value) == kind


def is_instant(value: Json) -> bool:
    """Returns whether a value is an RFC 3339 text with an offset; its seconds may be left out (X5)."""
    if not isinstance(value, str):
        return False
    try:
        parse_instant(value)
    except ValueError:
        return False
    return True


def kind_hint(kind: AttributeKind, value: Json) -> str:
    """Returns the help for a value that is not of a kind: a text that says one, or what should be an instant; or "".

    >>> kind_hint("number", "12"), kind_hint("number", "a")
    ('leave the quotes out: `12`', '')
    """
    if kind == "instant":
        return "write an instant like `2027-01-31T09:00:00Z`: RFC 3339, with an offset"
    pattern = _SAID_IN_TEXTS.get(kind)
    if pattern is None or not isinstance(value, str) or not pattern.fullmatch(value):
        return ""
    return f"leave the quotes out: {quoted(value)}"


def unlisted(kind: AttributeKind, choices: "Choices", value: Json) -> list[Json]:
    """Returns a value that is not listed; of an array, its elements that are not.

    >>> unlisted("array", Choices(["a", "b"]), ["a", "c"]), unlisted("string", Choices(["a"]), "a")
    (['c'], [])
    """
    return [one for one in (value if kind == "array" else [value]) if one not in choices]


class Choices:
    """The values that a declaration lists. Equal values are equal as conditions compare them (C3)."""

    __slots__ = ("_keys", "values")

    def __init__(self, values: Iterable[Json]):
        self.values = tuple(values)
        self._keys: frozenset[CanonicalKey] = frozenset(map(canonical_key, self.values))

    def __contains__(self, value: Any) -> bool:
        try:
            return canonical_key(value) in self._keys
        except (TypeError, RecursionError):  # no value of JSON, or one that nests deeper than every listed one
            return False

    def hint(self, value: Json) -> str:
        """Returns the help for a value that is not listed: the nearest one, or all if they are few, or "".

        >>> Choices(["draft", "final"]).hint("drfat"), Choices([1, 2]).hint(3)
        ('did you mean `draft`?', 'write `1` or `2`')
        """
        texts = [one for one in self.values if isinstance(one, str)]
        near = did_you_mean(value, texts) if isinstance(value, str) else ""
        if near or not all(isinstance(one, str | int | float) for one in self.values):
            return near
        return f"write {alternatives(self.values)}" if 0 < len(self.values) <= MOST_SHOWN else ""
