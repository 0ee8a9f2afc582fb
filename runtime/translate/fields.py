"""The fields of a mapping: which column holds the attribute that a key names, and of which type it is.

`column` is the target's own name for a column, or an expression of its library. A value that is NULL, missing or not
of the column's type is an absent attribute (C2, C7).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from ...bundles.conditions.attribute_keys import OWN_KEYS
from ...bundles.conditions.trees.direct_grants import DirectGrants
from .errors import Untranslatable

MOST_DIGITS = 15
"""A decimal of up to 15 digits has its own nearest double. With more digits, several share one double."""


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
class Uuid:
    """A column of UUIDs. The attribute is the canonical text, `123e4567-e89b-12d3-a456-426614174000` in lower case."""

    column: Any


@dataclass(frozen=True, slots=True)
class Date:
    """A column of dates. The attribute is the text `2024-02-29`, of the years 0001 to 9999."""

    column: Any


@dataclass(frozen=True, slots=True)
class DateTime:
    """A column of instants. The attribute is the text `2024-02-29T12:00:00.000000Z`, always UTC with six decimals.

    A column without a time zone holds UTC. Of a finer part of the second, the attribute has the first six decimals.
    """

    column: Any


@dataclass(frozen=True, slots=True)
class Enum:
    """A column of a few names. `values` has the attribute for each name that the column may hold."""

    column: Any
    values: Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class Array:
    """A column of arrays whose elements are of one type, Text, Integer, Real or Boolean: `Array("labels", of=Text)`.

    Elements may be NULL. An array of arrays is not of this type, so it is absent.
    """

    column: Any
    of: "type[Text] | type[Integer] | type[Real] | type[Boolean]"


@dataclass(frozen=True, slots=True)
class Json:
    """Any JSON value: the column, or the value that `path` leads to in it, by names and by indexes of arrays."""

    column: Any
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attributes:
    """A column with a JSON object of the row's attributes. The key is read in it by rule C1."""

    column: Any


TypedField: TypeAlias = Text | Integer | Real | Decimal | Boolean | Uuid | Date | DateTime | Enum
Field: TypeAlias = TypedField | Array | Json | Attributes
Fields: TypeAlias = Mapping[str, Any]
"""A Field for each key of a filter. The SQLAlchemy target also takes columns."""

Direct: TypeAlias = Callable[[DirectGrants], Any]
"""Returns the caller's condition for a node of direct grants, in the target's own form. It is never NULL (F8)."""

FieldTypes: TypeAlias = tuple[type[Field], ...]

OF_ARRAYS: FieldTypes = (Text, Integer, Real, Boolean)
"""The fields that the elements of an Array may have."""

SPOKEN: Mapping[str, str] = {"mariadb": "mysql"}
"""The dialect of SQL that a database speaks which has no separate one. Its columns may have other types."""

IN_TEXT: Mapping[str, FieldTypes] = {
    "postgresql": (),
    "mysql": (Json, Attributes, Uuid),
    "mariadb": (Json, Attributes, Uuid),
    "sqlite": (Json, Attributes, Uuid, Date, DateTime),
}
"""The values that a column of strings may hold besides strings, in databases that have no separate type for them."""


def decimal_fields(digits: int, dialect: str) -> FieldTypes:
    """Returns the fields that a column of decimals allows. SQLite keeps doubles in it."""
    if digits > MOST_DIGITS:
        return ()
    return (Real,) if dialect == "sqlite" else (Decimal,)


def direct_condition(direct: Direct | None, grants: DirectGrants, path: str, target: str) -> Any:
    """Returns the caller's condition for a node of direct grants. Raises Untranslatable if the caller gives none."""
    if direct is None:
        reason = "the filter has the direct grants of the subject as a node, and no condition is given for it"
        raise Untranslatable(path, target, reason, "give `direct`, or ask with `include_direct: true`")
    return direct(grants)


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
    if isinstance(found, Array) and found.of not in OF_ARRAYS:
        reason = f"the mapping of `{key}` says that its elements are `{getattr(found.of, '__name__', found.of)}`"
        raise Untranslatable(path, target, reason, "map it to an Array of Text, Integer, Real or Boolean, or to Json")
    if isinstance(found, Enum):
        _check_names(found, key, path, target)
    if isinstance(found, Decimal) and not 0 < found.digits <= MOST_DIGITS:
        raise Untranslatable(
            path,
            target,
            f"decimals of more than {MOST_DIGITS} digits have no exact JSON number",
            "keep fewer digits, integers of a smaller unit, or doubles",
        )
    return found


def _check_names(field: Enum, key: str, path: str, target: str) -> None:
    """Refuses an enumeration without names, and one with an attribute that no JSON has."""
    for name, attribute in field.values.items():
        if not isinstance(name, str) or not isinstance(attribute, str | int | float):
            reason = f"the mapping of `{key}` has `{name!r}: {attribute!r}`, not a string and its attribute"
            raise Untranslatable(path, target, reason, "give each stored name its string, number or boolean")
