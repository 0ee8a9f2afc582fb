"""Checks that the fields of a mapping fit the fields of a Django model."""

from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models.expressions import Col

from .errors import Untranslatable
from .fields import (
    IN_TEXT,
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Enum,
    Field,
    FieldTypes,
    Json,
    Real,
    Text,
    Uuid,
    decimal_fields,
    integer_fields,
)


def check_fits(key: str, field: Field, expression: Any, connection: Any) -> None:
    """Raises Untranslatable if the resolved expression has another type than the mapping says."""
    held = _held(expression)
    if held is None:
        return
    dialect, name = connection.vendor, type(held).__name__
    if hasattr(held, "from_db_value") and not isinstance(held, models.JSONField):
        remedy = "annotate the query with a Cast of the field and map the annotation"
        raise _refused(key, dialect, f"the {name} converts values in Python", remedy)
    fits = _fields_of(held, dialect)
    if type(field) not in fits:
        remedy = f"map it to {fits[0].__name__}" if fits else "keep the attribute in a field of another type"
        raise _refused(key, dialect, f"{type(field).__name__} contradicts the {name} of the model", remedy)
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


def _held(expression: Any) -> Any:
    """Returns the field of a model that an expression has the type of, or None if it does not say."""
    try:
        held = getattr(expression, "target", None) or expression.output_field
    except FieldError:
        return None
    while getattr(held, "is_relation", False):
        held = held.target_field
    return held


def _fields_of(held: Any, dialect: str) -> FieldTypes:
    """Returns the fields that a field of a model allows, the best first."""
    match held:
        case models.UUIDField():
            return (Uuid,)
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
            return integer_fields(dialect)
        case models.JSONField():
            return (Json, Attributes)
        case models.GenericIPAddressField() if dialect == "postgresql":
            return ()
        case models.BinaryField() | models.DurationField() | models.TimeField():
            return ()
    return (Text, Enum, *IN_TEXT[dialect])


def _refused(key: str, dialect: str, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(f"the field `{key}`", dialect, reason, remedy)
