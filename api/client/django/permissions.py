"""The question that a permission of Django asks about an object, or about all objects of a type."""

from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from http import HTTPStatus
from typing import Any, Final

from django.apps import apps
from django.db.models import Model
from django.db.models.fields.files import FieldFile
from django.utils import timezone

from ..runtime.requests.members import BadRequest
from ..web.answers import DENIED, Refusal
from ..web.questions import NO_PROPERTIES, question, search

NOT_ALL: Final = Refusal(HTTPStatus.FORBIDDEN, DENIED, "the subject may not do this to every resource of the type")


def of_permission(subject: Mapping[str, Any], permission: str, obj: Any) -> dict[str, Any]:
    """Returns the evaluation request about an object, or without one, the search for all objects of the type.

    `permission` is one of Django, such as `documents.change_document`. With an object, it may be the action alone.
    Raises BadRequest if it names no action and type, if the object is none of a model, or if it has no id.
    """
    label, _, name = permission.rpartition(".")
    if obj is not None:
        return about(subject, _parts(name, [_checked(obj)])[0] or name, obj)
    action, type = _parts(name, apps.all_models.get(label, {}).values())
    if not action:
        action, _, type = name.rpartition("_")
    if not action or not type:
        raise BadRequest(f"`{permission}` names no action and type, such as `change_document`", "$.action.name")
    return search(subject, action, type, NO_PROPERTIES)


def _parts(name: str, models: Iterable[Any]) -> tuple[str, str]:
    """Returns the action that a permission names, and the resource type of its model, or two empty texts.

    The model is named as Django names it, or by its resource type. The longest name counts.
    """
    named = [(suffix, one) for one in models for suffix in (one._meta.model_name, resource_type(one))]
    fitting = [(suffix, resource_type(one)) for suffix, one in named if name.endswith(f"_{suffix}")]
    suffix, type = max(fitting, key=lambda one: len(one[0]), default=("", ""))
    return name.removesuffix(f"_{suffix}") if suffix else "", type


def about(subject: Mapping[str, Any], action: str, obj: Any) -> dict[str, Any]:
    """Returns the evaluation request about an object of a model. Raises BadRequest if it has no id."""
    found = _checked(obj)
    return question(subject, action, resource_type(found), found.pk, _attributes(found), NO_PROPERTIES)


def _checked(obj: Any) -> Any:
    if isinstance(obj, Model):
        return obj
    raise BadRequest("the object is none of a model", "$.resource")


def resource_type(obj: Any) -> str:
    """Returns the resource type of a model: its `writ_type`, or its name in lower case."""
    return str(getattr(obj, "writ_type", None) or obj._meta.model_name)


def is_everything(answer: Any) -> bool:
    """Returns whether a filter response has every resource of the type."""
    return isinstance(answer, Mapping) and answer.get("filter") == {"type": "const", "value": True}


def _attributes(obj: Any) -> dict[str, Any]:
    """Returns the fields that `writ_attributes` of the model names, or else all columns but the primary key."""
    named = getattr(obj, "writ_attributes", None)
    if named is None:
        named = [field.attname for field in obj._meta.concrete_fields if not field.primary_key]
    return {name: _value(getattr(obj, name)) for name in named}


def _value(value: Any) -> Any:
    """Returns a value of a field. No policy compares bytes and times of day.

    A file is its name, as in the column. A naive `datetime` is in the setting `TIME_ZONE`, as Django stores it.
    """
    if isinstance(value, bytes | bytearray | memoryview | time | timedelta):
        return None
    if isinstance(value, FieldFile):
        return str(value)
    if isinstance(value, datetime) and timezone.is_naive(value):
        return timezone.make_aware(value, timezone.get_default_timezone())
    return value
