"""The fields of a Django model as the attributes of its rows."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models

from ..queries.refusal import QueryRefused
from ..queries.trees import ID_AS_TEXT, keys_of, of_type, with_integer_ids
from ..runtime.translate import Json
from ..runtime.translate.django_types import field_of_model


def key_of(model: Any) -> Any:
    """Returns the field of a model's primary key, or the one that it refers to."""
    return _target(model._meta.pk)


def for_rows_of(model: Any, tree: Any, given: Mapping[str, Any], resource_type: str) -> Any:
    """Returns a filter for the rows of a model, which compares the ids as its primary key holds them."""
    known, key = of_type(tree, resource_type), _target(model._meta.pk)
    return with_integer_ids(known) if "id" not in given and isinstance(key, models.IntegerField) else known


def fields_of(model: Any, tree: Any, given: Mapping[str, Any], vendor: str) -> dict[str, Any]:
    """Returns a field for each key of a filter. Raises QueryRefused and Untranslatable."""
    return {key: given[key] if key in given else _field(model, key, vendor) for key in set(keys_of(tree))}


def _field(model: Any, key: str, vendor: str) -> Any:
    if key == ID_AS_TEXT:
        reason = f"a policy compares the order or a part of the id, and the key of `{model.__name__}` holds integers"
        raise QueryRefused(reason, "annotate the key as a text, and give it in `fields` as `id`")
    if key == "id":
        return field_of_model(key, _target(model._meta.pk), "pk", vendor)
    name, dot, rest = key.partition(".")
    found = _of_name(model, key) or (_of_name(model, name) if dot else None)
    if found is None or (dot and not isinstance(found, models.JSONField)):
        near = get_close_matches(key, [one.name for one in model._meta.concrete_fields], n=1)
        remedy = f"did you mean `{near[0]}`? Else give it in `fields`" if near else "give it in `fields`"
        raise QueryRefused(f"a policy compares `{key}`, and `{model.__name__}` has no such field", remedy)
    if dot:
        return Json(name, tuple(rest.split(".")))
    return field_of_model(key, _target(found), found.name, vendor)


def _of_name(model: Any, name: str) -> Any:
    try:
        found = model._meta.get_field(name)
    except FieldDoesNotExist:
        found = next((one for one in model._meta.concrete_fields if one.attname == name), None)
    return found if found is not None and found.concrete and not found.many_to_many else None


def _target(field: Any) -> Any:
    """Returns the field that a foreign key refers to, or the field itself."""
    while field.is_relation:
        field = field.target_field
    return field
