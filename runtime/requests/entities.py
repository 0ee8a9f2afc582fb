"""Reads the entities of a request, given as JSON decodes it: their types, identifiers and attributes (E2, E4)."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from ...bundles.conditions.values import Json

MAX_ID_CHARACTERS = 512

Attributes: TypeAlias = Mapping[str, Json]

NO_ATTRIBUTES: Attributes = {}


class BadRequest(ValueError):
    """A malformed request: `message` is one sentence, `path` leads to the fault, like `$.subject.type`."""

    def __init__(self, message: str, path: str):
        super().__init__(message, path)
        self.message = message
        self.path = path

    def __str__(self) -> str:
        return f"{self.message} (at {self.path})"


def read_entity(request: dict[str, Any], name: str) -> dict[str, Any]:
    """A required entity. Raises BadRequest, as all functions here do."""
    entity = request.get(name)
    if entity is None:
        raise BadRequest(f"`{name}` is missing", f"$.{name}")
    return read_object(entity, f"$.{name}")


def read_text(entity: dict[str, Any], member: str, path: str) -> str:
    """A required name: a string of 1 to 512 characters (E1)."""
    value = entity.get(member)
    if isinstance(value, str) and 0 < len(value) <= MAX_ID_CHARACTERS:
        return value
    if value is None or value == "":
        raise BadRequest(f"`{member}` is missing", f"{path}.{member}")
    raise _text_fault(value, member, f"{path}.{member}")


def _text_fault(value: Any, member: str, path: str) -> BadRequest:
    if not isinstance(value, str):
        return BadRequest(f"`{member}` is not a string", path)
    return BadRequest(f"`{member}` has {len(value)} characters, the limit is {MAX_ID_CHARACTERS}", path)


def read_identifier(entity: dict[str, Any], owner: str) -> tuple[str, str]:
    """By which identifier the entity is named, and that identifier (E2)."""
    id, external_id = entity.get("id"), entity.get("external_id")
    name = entity.get("name") if owner == "resource" else None
    if external_id is None and name is None and isinstance(id, str) and 0 < len(id) <= MAX_ID_CHARACTERS:
        return "id", id
    given = [
        (kind, value)
        for kind, value in (("id", id), ("external_id", external_id), ("name", name))
        if value is not None and value != ""
    ]
    for kind, value in given:
        if not isinstance(value, str) or len(value) > MAX_ID_CHARACTERS:
            raise _text_fault(value, kind, f"$.{owner}.{kind}")
    if len(given) != 1:
        kinds = "`id`, `external_id` or `name`" if owner == "resource" else "`id` or `external_id`"
        found = " and ".join(f"`{kind}`" for kind, _ in given) or "none of them"
        raise BadRequest(f"name the {owner} by exactly one of {kinds}, not by {found}", f"$.{owner}")
    return given[0]


def read_attributes(entity: dict[str, Any], path: str) -> Attributes:
    """`attributes` updated with `properties` (E4)."""
    properties, attributes = entity.get("properties"), entity.get("attributes")
    if attributes is None:
        return NO_ATTRIBUTES if properties is None else read_object(properties, f"{path}.properties")
    if properties is None:
        return read_object(attributes, f"{path}.attributes")
    return {**read_object(attributes, f"{path}.attributes"), **read_object(properties, f"{path}.properties")}


def read_properties(action: dict[str, Any]) -> Attributes:
    """The properties of an action, which are all its attributes (E4)."""
    properties = action.get("properties")
    return NO_ATTRIBUTES if properties is None else read_object(properties, "$.action.properties")


def read_object(value: Any, path: str) -> dict[str, Json]:
    """An object that is sent."""
    if isinstance(value, dict):
        return value
    raise BadRequest(f"`{path.rpartition('.')[2]}` is not an object", path)
