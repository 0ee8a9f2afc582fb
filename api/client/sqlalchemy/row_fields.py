"""The fields of an entity's attributes, and a filter whose ids are those of the entity's key."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa

from ..queries.refusal import QueryRefused
from ..queries.trees import ID_AS_TEXT, keys_of, of_type, with_integer_ids
from ..runtime.requests.as_json import as_json
from ..runtime.translate import Enum, Json, Text
from .entities import Entity

Fields: TypeAlias = Mapping[str, Any | Callable[[Any], Any]]
"""Columns or fields in place of an entity's own, by attribute; a function gets the class, the alias or the table."""


def fields_of(entity: Entity, tree: Any, given: Fields, dialect: str) -> dict[str, Any]:
    """Returns a field for each key of a tree that `for_rows_of` made. Raises QueryRefused for an unknown key."""
    return {key: field_for(entity, key, given, dialect) for key in set(keys_of(tree))}


def field_for(entity: Entity, key: str, given: Fields, dialect: str) -> Any:
    """Returns the field of one key, or its column. Raises QueryRefused if it is unknown."""
    if key == ID_AS_TEXT:
        return Text(sa.cast(key_of(entity), sa.String()))
    if key in given:
        return _given(entity, given[key])
    if key == "id":
        return key_of(entity)
    name, dot, rest = key.partition(".")
    if dot and name not in given and name in entity.attribute_names():
        column = entity.attribute(name)
        if isinstance(_held(column, dialect), sa.JSON):
            return Json(column, tuple(rest.split(".")))
    return _with_values(entity.attribute(key), dialect)


def _given(entity: Entity, given: Any) -> Any:
    is_function = (
        callable(given) and not isinstance(given, sa.ColumnElement) and not hasattr(given, "__clause_element__")
    )
    return given(entity.named) if is_function else given


def _with_values(column: Any, dialect: str) -> Any:
    """Returns a column, or its field where the type of SQLAlchemy says more than that of the database."""
    held = _held(column, dialect)
    if isinstance(held, sa.JSON):
        return Json(column)
    if isinstance(held, sa.Enum) and held.enum_class is not None:
        members = getattr(held.enum_class, "__members__", {})
        if set(held.enums) == set(members):
            return Enum(column, {name: as_json(member) for name, member in members.items()})
    return column


def _held(column: Any, dialect: str) -> Any:
    found = column.__clause_element__() if hasattr(column, "__clause_element__") else column
    type = getattr(found, "type", None)
    return type._variant_mapping.get(dialect, type) if isinstance(type, sa.types.TypeEngine) else None


def key_of(entity: Entity) -> Any:
    """Returns the column that has the id. Raises QueryRefused if the primary key has none or several columns."""
    if len(entity.key) != 1:
        reason = f"the primary key of `{entity.shown}` has {len(entity.key)} columns, so none has the id"
        raise QueryRefused(reason, "give the column of the id in `fields`, as `id`")
    return entity.key[0]


def id_of(entity: Entity, given: Fields) -> Any:
    """Returns the column that has the id, as the application says or else the primary key."""
    found = _given(entity, given["id"]) if "id" in given else key_of(entity)
    return getattr(found, "column", found) if not isinstance(found, sa.ColumnElement) else found


def for_rows_of(entity: Entity, tree: Any, given: Fields, resource_type: str) -> Any:
    """Returns a filter for the rows of an entity, which compares the ids as its key holds them."""
    known = of_type(tree, resource_type)
    if "id" in given or len(entity.key) != 1 or not isinstance(entity.key[0].type, sa.Integer):
        return known
    return with_integer_ids(known)
