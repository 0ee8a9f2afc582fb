"""Reads the `options` of a request: each of them in one function, for evaluations and searches alike."""

from typing import Any, Final, NamedTuple, TypeAlias

from ...bundles.wording import did_you_mean, quoted
from .members import (
    ACTOR,
    SUBJECT_MEMBERS,
    UNKNOWN_MEMBER,
    BadRequest,
    Entity,
    RequestFault,
    check_object,
    optional_object,
    read_entity,
    read_flag,
)

REGISTERED: Final = "registered"
"""The value of `options.attributes` that asks for registered attributes (E9)."""


MOST_ACTORS: Final = 8
"""The actors of a chain: each acts for the one before it, and the last one for the subject."""

Actors: TypeAlias = Entity | tuple[Entity, ...]
"""One actor, or a list of them as the request sends it, the immediate one first (A1)."""


class EvaluationOptions(NamedTuple):
    """The options of an evaluation."""

    explain: bool = False
    valid_until: bool = False
    registered: bool = False
    """True if attributes that were not sent are the registered ones (E9)."""
    strict: bool = False
    """True if the request asks for a strict check (E8)."""
    actor: Actors | None = None
    """The actor or the actors, if the request asks on behalf (A1)."""


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


def read_actor(options: dict[str, Any]) -> Actors | None:
    """Returns the subject that acts for another one, a list of them, or None if there is none (A1).

    Raises BadRequest, also for a member that no subject has: it may be another actor, which must not be lost.
    """
    sent = options.get("actor")
    if sent is None:
        return None
    if not isinstance(sent, list):
        return _actor(sent, ACTOR)
    if not 1 <= len(sent) <= MOST_ACTORS:
        raise BadRequest(f"`actor` has {len(sent)} actors, and may have 1 to {MOST_ACTORS}", f"$.{ACTOR}")
    return tuple(_actor(one, f"{ACTOR}[{place}]") for place, one in enumerate(sent))


def named_actors(actor: Actors | None) -> tuple[tuple[str, Entity], ...]:
    """Returns each actor with its name in answers: `actor`, or in a list `actor[0]` and so on.

    >>> named_actors(Entity("agent", "id", "a", {}))[0][0], named_actors((Entity("agent", "id", "a", {}),))[0][0]
    ('actor', 'actor[0]')
    """
    if actor is None:
        return ()
    if isinstance(actor, Entity):
        return (("actor", actor),)
    return tuple((f"actor[{place}]", one) for place, one in enumerate(actor))


def _actor(sent: Any, path: str) -> Entity:
    actor = check_object(sent, *path.split("."))
    for name in actor:
        if name not in SUBJECT_MEMBERS:
            hint = did_you_mean(str(name), sorted(SUBJECT_MEMBERS))
            message = f"an actor has no member {quoted(str(name))}" + (f"; {hint}" if hint else "")
            fault = RequestFault(UNKNOWN_MEMBER, f"$.{path}.{name}", message)
            raise BadRequest(fault.message, fault.path, (fault,))
    return Entity(*read_entity(actor, path))
