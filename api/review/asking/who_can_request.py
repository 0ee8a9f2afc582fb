"""Reads a question about who can do an action: as a subject search, but what it leaves out is open."""

from typing import Any, Final

from ....bundles.conditions.values import Json
from ....compiler.analysis.asking.question import Question
from ....runtime import BadRequest
from ....runtime.requests.members import (
    check_request,
    is_missing,
    optional_object,
    read_action,
    read_attributes,
    read_identifier,
    read_name,
    required_object,
)
from ....runtime.requests.options import asks_registered

_IDENTIFIERS: Final = ("id", "external_id", "name")
_ATTRIBUTES: Final = "attributes"


def read_who_can(body: Any, now: float) -> tuple[Question, bool]:
    """Returns the question, and whether the registered attributes of its resource count (E9).

    `now` is in epoch seconds.

    The subject may be left out, and of it only the type counts (S5). So may be the identifier of the resource. Raises
    BadRequest for a malformed question, and for an option that it can't take.
    """
    check_request(body)
    resource = required_object(body, "resource")
    type = read_name(resource, "type", "resource")
    is_any = all(is_missing(resource.get(one)) for one in _IDENTIFIERS)
    action, properties = read_action(required_object(body, "action"))
    subject, options = optional_object(body, "subject"), optional_object(body, "options") or {}
    for option, value in options.items():
        if option != _ATTRIBUTES and value is not None:
            raise BadRequest(f"a question about who can has the option `{_ATTRIBUTES}` only", f"$.options.{option}")
    context: dict[str, Json] = optional_object(body, "context") or {}
    question = Question(
        resource_type=type,
        action=action,
        now=now,
        subject_type=None if subject is None else read_name(subject, "type", "subject"),
        resource=None if is_any else read_identifier(resource, "resource"),
        resource_attributes=read_attributes(resource, "resource"),
        action_attributes=properties,
        context=context,
    )
    return question, asks_registered(options)
