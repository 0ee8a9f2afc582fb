"""Decides on behalf: an actor acts for the subject of a request, and both must be allowed (A1)."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...bundles.event_loop import refuse_on_event_loop
from ..requests.evaluation_request import EvaluationRequest
from ..requests.members import BadRequest, Entity
from ..snapshot import Snapshot
from .decide import specialised_for, subject_of

_SUBJECT = "$.subject."


def as_actor(request: EvaluationRequest, actor: Entity) -> EvaluationRequest:
    """Returns the same request with the actor as its subject."""
    (_, _, _, _, action, a, rtype, resource_by, rname, r, c, explains) = request
    return *actor, action, a, rtype, resource_by, rname, r, c, explains


def prepare(snapshot: Snapshot, request: EvaluationRequest, now: float) -> bool:
    """Does what may take long for a subject or an actor before anything is counted (C10).

    Returns whether its evaluation may count. Raises TakesLong on an event loop, and BundleError.
    """
    _, holder = subject_of(snapshot, *request[:3], now)
    specialised = specialised_for(snapshot, holder, request[6], request[4])
    if specialised is None:
        return False
    if specialised.takes_long:
        refuse_on_event_loop()
    return bool(specialised.limited_indexes)


@contextmanager
def as_faults_of(name: str) -> Iterator[None]:
    """Gives faults of the subject inside the block the path of an actor with a name like `actor[1]`.

    An empty name stands for the subject itself.
    """
    try:
        yield
    except BadRequest as ex:
        is_actors = name and ex.path.startswith(_SUBJECT)
        path = ex.path.replace(_SUBJECT, f"$.options.{name}.", 1) if is_actors else ex.path
        raise BadRequest(ex.message, path, ex.strict_faults) from None
