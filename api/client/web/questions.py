"""The questions of the hooks: requests made of a subject, an action and a resource."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from ..runtime.requests.as_json import as_json
from ..runtime.requests.members import BadRequest

ItemT = TypeVar("ItemT")

Properties: TypeAlias = Mapping[str, Any]
"""Attributes with values of Python, which `as_json` converts."""

NO_PROPERTIES: Final[Properties] = MappingProxyType({})
"""No attributes. All requests share them, so they can't be changed."""

ITS_ID: Final[Callable[[Any], Any]] = attrgetter("id")
"""The id of an item, if the application says nothing else."""


def question(
    subject: Mapping[str, Any],
    action: str,
    resource: str | Mapping[str, Any],
    id: Any,
    properties: Properties,
    context: Properties,
) -> dict[str, Any]:
    """Returns an evaluation request. An `id` that is no string, such as a number or a UUID, is sent as its text.

    `resource` is its type, or the whole resource as a request has it. Then its own attributes count.

    Raises BadRequest if an attribute has a value that JSON has not. So it does for None in place of attributes: without
    them, a DENY with conditions would not hold.
    """
    whole = {"type": resource, "id": id_text(id)}
    if isinstance(resource, Mapping):
        if id is not None or properties:
            raise BadRequest("a whole resource has its own id and attributes: give no others", "$.resource")
        whole = {name: id_text(value) for name, value in resource.items() if name != "properties"}
        properties = resource.get("properties", NO_PROPERTIES)
    if given := _attributes(properties, "$.resource.properties"):
        whole["properties"] = given
    asked = {"subject": as_json(subject), "action": {"name": action}, "resource": whole}
    where = _attributes(context, "$.context")
    return {**asked, "context": where} if where else asked


def questions(
    subject: Mapping[str, Any],
    action: str,
    resource_type: str,
    items: Iterable[ItemT],
    id: Callable[[ItemT], Any],
    properties: Callable[[ItemT], Properties] | None,
    context: Properties,
) -> list[dict[str, Any]]:
    """Returns the evaluation requests about the items of a page. Raises the errors of `question`."""
    return [
        question(subject, action, resource_type, id(item), properties(item) if properties else NO_PROPERTIES, context)
        for item in items
    ]


def search(subject: Mapping[str, Any], action: str, resource_type: str, context: Properties) -> dict[str, Any]:
    """Returns a resource search whose filter holds now (`gates: decide`). Raises the errors of `question`."""
    asked = {"subject": as_json(subject), "action": {"name": action}, "resource": {"type": resource_type}}
    return {**asked, "context": _attributes(context, "$.context"), "options": {"gates": "decide"}}


def _attributes(given: Any, path: str) -> Any:
    if not isinstance(given, Mapping):
        raise BadRequest(f"the attributes are a mapping, not a `{type(given).__name__}`", path)
    return as_json(given)


def id_text(id: Any) -> Any:
    """Returns an id as a text, the same for 7 and 7.0. None stays None, which no decision point takes for an id.

    Raises BadRequest for what is no id.
    """
    converted = as_json(id)
    if isinstance(converted, float) and converted.is_integer():
        converted = int(converted)
    try:
        return str(converted) if isinstance(converted, int | float) else converted
    except ValueError:  # Python writes no integer of more digits than `sys.get_int_max_str_digits()`
        raise BadRequest("the id is too long", "$.resource.id") from None
