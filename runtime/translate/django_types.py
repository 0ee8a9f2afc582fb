"""Checks that the fields of a mapping fit the fields of a Django model."""

from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models.expressions import Col

from .errors import Untranslatable
from .fields import (
    IN_TEXT,
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


def vendor_of(connection: Any) -> str:
    """Returns the vendor of a connection's database. MariaDB, which Django counts as MySQL, is `mariadb`.

    For MySQL, Django asks the server once.
    """
    return "mariadb" if connection.vendor == "mysql" and connection.mysql_is_mariadb else str(connection.vendor)


def check_fits(key: str, field: Field, expression: Any, connection: Any) -> None:
    """Raises Untranslatable if the resolved expression has another type than the mapping says."""
    held = _held(expression)
    if held is None:
        return
    dialect, name = vendor_of(connection), type(held).__name__
    if hasattr(held, "from_db_value") and not isinstance(held, models.JSONField):
        remedy = "annotate the query with a Cast of the field and map the annotation"
        raise _refused(key, dialect, f"the {name} converts values in Python", remedy)
    fits = _fields_of(held, dialect)
    if type(field) not in fits:
        remedy = f"map it to {fits[0].__name__}" if fits else "keep the attribute in a field of another type"
        raise _refused(key, dialect, f"{type(field).__name__} contradicts the {name} of the model", remedy)
    if isinstance(field, Array) and field.of not in (of := _of_elements(held)):
        reason = f"elements of {field.of.__name__} contradict the {name} of the model"
        raise _refused(key, dialect, reason, f"map it to Array of {of[0].__name__}")
    if isinstance(field, Decimal) and held.max_digits > field.digits:
        remedy = f"map it to Decimal with {held.max_digits}"
        raise _refused(key, dialect, f"the {name} has {held.max_digits} digits", remedy)
    if isinstance(field, Json | Attributes) and dialect != "postgresql" and not isinstance(expression, Col):
        raise _refused(
            key, dialect, "a part of a JSON field is no JSON there", "map the whole field to Json with a path"
        )
    if isinstance(field, DateTime) and dialect != "postgresql" and connection.timezone_name != "UTC":
        remedy = "set USE_TZ to True, and the database's TIME_ZONE to UTC or not at all"
        raise _refused(key, dialect, f"Django stores instants in {connection.timezone_name}", remedy)


def field_of_model(key: str, held: Any, name: str, vendor: str) -> Field:
    """Returns the field of a model's field that the mapping gives without one. `name` is as `F` takes it.

    Raises Untranslatable if there is none.
    """
    held = getattr(held, "output_field", held) if isinstance(held, models.GeneratedField) else held
    if hasattr(held, "from_db_value") and not isinstance(held, models.JSONField):
        reason, remedy = f"the {type(held).__name__} converts values in Python", "map a Cast of the field"
        raise _refused(key, vendor, reason, remedy)
    fits = () if vendor not in ("postgresql", *IN_TEXT) else _fields_of(held, vendor)
    if not fits:
        remedy = "keep the attribute in a field of another type"
        raise _refused(key, vendor, f"no JSON value is said of a {type(held).__name__}", remedy)
    best = fits[0]
    if best is Decimal:
        return Decimal(name, held.max_digits)
    if best is Array:
        return Array(name, _of_elements(held)[0])  # type: ignore[arg-type]  # one of OF_ARRAYS
    return best(name)  # type: ignore[call-arg]  # neither an Enum nor one of the above


def _held(expression: Any) -> Any:
    """Returns the field of a model that an expression has the type of, or None if it does not say."""
    try:
        held = getattr(expression, "target", None) or expression.output_field
    except FieldError:
        return None
    while getattr(held, "is_relation", False):
        held = held.target_field
    return held.output_field if isinstance(held, models.GeneratedField) else held


def _fields_of(held: Any, dialect: str) -> FieldTypes:
    """Returns the fields that a field of a model allows, the best first."""
    if hasattr(held, "base_field"):  # an array or a range, whose module needs a driver of PostgreSQL
        return (Array,) if _of_elements(held) else ()
    match held:
        case models.UUIDField():
            return () if dialect == "mariadb" else (Uuid,)  # its own type is no text of 32 digits
        case models.DateTimeField():
            return (DateTime,)
        case models.DateField():
            return (Date,)
        case models.DecimalField():
            return decimal_fields(held.max_digits, dialect)
        case models.FloatField():
            return (Real,)
        case models.BooleanField():
            return (Boolean,)
        case models.IntegerField():
            return (Integer,)  # a decision gets its 1, which is no boolean (C3)
        case models.JSONField():
            return (Json, Attributes)
        case models.GenericIPAddressField() if dialect == "postgresql":
            return ()
        case models.BinaryField() | models.DurationField() | models.TimeField():
            return ()
    return (Text, Enum, *IN_TEXT[dialect])


def _of_elements(held: Any) -> FieldTypes:
    """Returns what the elements of an ArrayField may be, the best first; nothing for ranges and arrays of arrays."""
    inner = held.base_field
    if not hasattr(held, "size") or hasattr(inner, "from_db_value"):
        return ()
    return tuple(found for found in _fields_of(inner, "postgresql") if found in OF_ARRAYS)


def _refused(key: str, dialect: str, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(f"the field `{key}`", dialect, reason, remedy)
