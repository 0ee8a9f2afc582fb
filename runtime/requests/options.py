"""Reads the `options` of a request: each of them in one function, for evaluations and searches alike."""

from typing import Any, Final, NamedTuple

from .members import ACTOR, BadRequest, Entity, check_object, optional_object, read_entity, read_flag

REGISTERED: Final = "registered"
"""The value of `options.attributes` that asks for registered attributes (E9)."""


class EvaluationOptions(NamedTuple):
    """The options of an evaluation."""

    explain: bool = False
    valid_until: bool = False
    registered: bool = False
    """True if attributes that were not sent are the registered ones (E9)."""
    strict: bool = False
    """True if the request asks for a strict check (E8)."""
    actor: Entity | None = None
    """The actor, if the request asks on behalf (A1)."""


NO_OPTIONS: Final = EvaluationOptions()


def read_evaluation_options(request: dict[str, Any]) -> EvaluationOptions:
    """Returns the options of an evaluation request. Options that Writ does not know are ignored.

    Raises BadRequest if one has a wrong value.
    """
    options = optional_object(request, "options") if "options" in request else None
    if not options:
        return NO_OPTIONS
    return EvaluationOptions(
        read_flag(options, "explain"),
        read_flag(options, "valid_until"),
        asks_registered(options),
        read_flag(options, "strict"),
        read_actor(options),
    )


def asks_registered(options: dict[str, Any]) -> bool:
    """Returns whether attributes that a request does not send are the registered ones (E9). Raises BadRequest."""
    value = options.get("attributes")
    if value is None:
        return False
    if isinstance(value, str) and value == REGISTERED:
        return True
    raise BadRequest("the only value of `attributes` is `registered`", "$.options.attributes")


def read_actor(options: dict[str, Any]) -> Entity | None:
    """Returns the subject that acts for another one, or None if there is none (A1). Raises BadRequest."""
    actor = options.get("actor")
    return None if actor is None else Entity(*read_entity(check_object(actor, *ACTOR.split(".")), ACTOR))
