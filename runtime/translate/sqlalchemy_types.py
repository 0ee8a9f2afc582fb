"""The field of a SQLAlchemy column: which ones its type allows, and which one it has without a mapping."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from .errors import Untranslatable
from .fields import (
    IN_TEXT,
    MOST_DIGITS,
    OF_ARRAYS,
    Array,
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Enum,
    Field,
    FieldTypes,
    Integer,
    Json,
    Real,
    Text,
    Uuid,
    decimal_fields,
)


def field_of_column(key: str, named: Any, dialect: str) -> Field:
    """Returns the field of a column. Raises Untranslatable if its type says too little, or contradicts the mapping."""
    column = _element(key, named.column if isinstance(named, Field) else named, dialect)
    held = column.type._variant_mapping.get(dialect, column.type)
    if isinstance(held, sa.types.TypeDecorator):
        remedy = "say with sqlalchemy.type_coerce what the database holds"
        raise _refused(key, dialect, f"the type `{held!r}` converts values in Python", remedy)
    fits = _fields_of(held, dialect)
    if not isinstance(named, Field):
        return _bare(key, column, held, fits, dialect)
    if isinstance(held, sa.types.NullType) and not isinstance(named, DateTime):
        return replace(named, column=column)
    if type(named) not in fits:
        reason = f"{type(named).__name__} contradicts the column's type `{held!r}`"
        raise _refused(key, dialect, reason, _remedy(held, fits, dialect))
    _check(key, named, column, held, dialect)
    return replace(named, column=_zoned(column, held) if dialect == "postgresql" else column)


def _element(key: str, named: Any, dialect: str) -> sa.ColumnElement[Any]:
    """Returns a column, also of a mapped class. SQLAlchemy would take a string for a value."""
    found = named.__clause_element__() if hasattr(named, "__clause_element__") else named
    if not isinstance(found, sa.ColumnElement):
        raise _refused(
            key, dialect, f"`{named!r}` is no column of SQLAlchemy", "give the column, like `table.c.status`"
        )
    return found


def _fields_of(held: Any, dialect: str) -> FieldTypes:
    """Returns the fields that a type allows, the best first."""
    match held:
        case sa.UUID() if dialect == "sqlite":  # a type without a name in SQLite, which makes numbers of some
            return ()
        case sa.Uuid(native_uuid=native):
            if dialect == "mariadb":  # its own type is no text of 32 digits
                return () if native else (Uuid,)
            return (Uuid,) if native or dialect != "postgresql" else ()
        case sa.Enum():
            return (Enum,)
        case sa.CHAR() if dialect == "postgresql":
            return ()
        case sa.String() if held.__visit_name__ != "SET":
            return (Text, Enum, *IN_TEXT.get(dialect, ()))
        case sa.Boolean():
            return (Boolean,)
        case sa.BigInteger() if getattr(held, "unsigned", False):
            return ()
        case sa.Integer():
            return (Integer,)  # a decision gets its 1, which is no boolean (C3)
        case sa.Float():
            return (Real,) if _is_double(held, dialect) else ()
        case sa.Numeric():
            return decimal_fields(_digits(held), dialect)
        case sa.TIMESTAMP() if dialect in ("mysql", "mariadb"):
            return ()
        case sa.DateTime():
            return (DateTime,)
        case sa.Date():
            return (Date,)
        case sa.ARRAY():
            return (Array,) if dialect == "postgresql" and _of_elements(held) else ()
        case JSONB():
            return (Json, Attributes)
        case sa.JSON():
            return () if dialect == "postgresql" else (Json, Attributes)
    return ()


def _of_elements(held: sa.ARRAY[Any]) -> FieldTypes:
    """Returns what the elements of an array may be, the best first; nothing for arrays of arrays."""
    item = held.item_type
    if isinstance(item, sa.types.TypeDecorator) or (held.dimensions or 1) != 1:
        return ()
    return tuple(found for found in _fields_of(item, "postgresql") if found in OF_ARRAYS)


def _is_double(held: Any, dialect: str) -> bool:
    if isinstance(held, sa.REAL):
        return False
    return isinstance(held, sa.Double) or (
        held.precision > 24 if held.precision else dialect not in ("mysql", "mariadb")
    )


def _digits(held: Any) -> int:
    """Returns how many digits a decimal may have on both sides of the point, 0 if the type does not say."""
    precision, scale = held.precision or 0, held.scale or 0
    return max(precision, scale, precision - scale) if precision else 0


def _bare(key: str, column: Any, held: Any, fits: FieldTypes, dialect: str) -> Field:
    """Returns the field of a column that the mapping gives without one."""
    best = fits[0] if fits else None
    if best is Enum and held.enum_class is None:
        return Enum(column, {name: name for name in held.enums})
    if best is Array:
        return Array(column, cast(Any, _of_elements(held)[0]))
    if best is Decimal and held.precision:
        return Decimal(column, _digits(held))
    if best is DateTime and held.timezone and dialect == "postgresql":
        return DateTime(column)
    if best in (Text, Boolean, Integer, Uuid, Date) or (best is Real and isinstance(held, sa.Float)):
        return best(column)
    raise _refused(
        key, dialect, f"the type `{held!r}` does not say what JSON value it holds", _remedy(held, fits, dialect)
    )


def _check(key: str, field: Field, column: Any, held: Any, dialect: str) -> None:
    if isinstance(field, Json | Attributes) and dialect == "sqlite" and isinstance(column, sa.BinaryExpression):
        raise _refused(key, dialect, "a part of a JSON column is rounded", "map the whole column to Json with a path")
    if isinstance(field, Array) and isinstance(held, sa.ARRAY) and field.of not in (of := _of_elements(held)):
        reason = f"elements of {field.of.__name__} contradict the column's type `{held!r}`"
        raise _refused(key, dialect, reason, f"map it to Array of {of[0].__name__}")
    if isinstance(field, Decimal) and _digits(held) > field.digits:
        raise _refused(
            key, dialect, f"the column has {_digits(held)} digits", f"map it to Decimal with {_digits(held)}"
        )
    if isinstance(field, Enum) and isinstance(held, sa.Enum) and (odd := set(held.enums) ^ set(field.values)):
        names = ", ".join(f"`{name}`" for name in sorted(odd))
        raise _refused(key, dialect, f"the column and the mapping differ in {names}", "give every name its attribute")


def _zoned(column: Any, held: Any) -> Any:
    """Returns an instant with its time zone, so that the session's own does not matter."""
    if not isinstance(held, sa.DateTime) or held.timezone:
        return column
    return sa.func.timezone("UTC", column, type_=sa.DateTime(timezone=True))


_REMEDIES: Mapping[type[Field], str] = {
    Real: "map it to Real, if it holds doubles",
    Decimal: "map it to Decimal with its number of digits",
    DateTime: "map it to DateTime, if it holds instants in UTC",
    Enum: "map it to Enum with the attribute of each name",
    Json: "map it to Json or Attributes",
}


def _remedy(held: Any, fits: FieldTypes, dialect: str) -> str:
    if fits:
        return _REMEDIES.get(fits[0], f"map it to {fits[0].__name__}")
    if dialect == "mariadb" and isinstance(held, sa.Uuid):
        return "keep UUIDs as 32 digits, with `Uuid(native_uuid=False)`"
    for type, remedy in _CASTS.items():
        if isinstance(held, type):
            return remedy
    return "keep the attribute in a column of another type"


_CASTS: Mapping[type, str] = {
    sa.ARRAY: "keep an array of strings, integers, doubles or booleans in one dimension, or JSON",
    sa.CHAR: "cast the column to Text, which takes the padding away",
    sa.Float: "cast the column to Double",
    sa.Numeric: f"keep {MOST_DIGITS} digits or fewer, integers of a smaller unit, or doubles",
    sa.Uuid: "cast the column to Uuid",
    sa.TIMESTAMP: "keep instants in a DATETIME in UTC, since a TIMESTAMP is read in the session's time zone",
    sa.JSON: "cast the column to JSONB, since a json column has no equality of values",
}


def _refused(key: str, dialect: str, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(f"the field `{key}`", dialect, reason, remedy)
