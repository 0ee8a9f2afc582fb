"""A row as the resource of a decision, with the same attributes that an authorized query compares."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa

from ..queries.declared import declared_attributes
from ..queries.refusal import QueryRefused
from ..runtime.requests.as_json import as_json
from .entities import Entity, entity_of


def resource_of(
    row: Any, resource_type: str, pdp: Any = None, *, attributes: Iterable[str] | None = None
) -> dict[str, Any]:
    """Returns a row of a mapped class as the resource of a request, such as `{"type": "document", "id": "7", …}`.

    Its properties are the columns and the hybrid properties, or the `attributes` that are named. With a decision point,
    they are those that the model declares for the type, if it declares any. A `datetime` without a time zone is in UTC.
    Bytes and times of day are left out, since no policy can compare them.

    Raises QueryRefused for a row of no mapped class, or without a key of one column, BadRequest for a value that JSON
    does not have, and the errors of the decision point.
    """
    entity = entity_of(type(row))
    names = entity.attribute_names() if attributes is None else tuple(attributes)
    if pdp is not None and attributes is None:
        names = declared_attributes(pdp, resource_type, names)
    found = {name: _value(getattr(row, name)) for name in names}
    return {"type": resource_type, "id": _id(row, entity), "properties": found}


def _id(row: Any, entity: Entity) -> str:
    key = sa.inspect(row).mapper.primary_key_from_instance(row)
    if len(key) != 1 or key[0] is None:
        raise QueryRefused(f"a row of `{entity.shown}` has no id of one column", "give the resource as a dictionary")
    return str(key[0])


def _value(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview | time | timedelta):
        return None
    return as_json(value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value)
