"""Adds registered attributes to the entities that a request names, if it asks for them (E9)."""

from typing import Final

from ...bundles.event_loop import refuse_on_event_loop
from ..requests.evaluation_request import EvaluationRequest
from ..requests.members import Attributes
from ..requests.registry import Registry
from ..requests.unavailable import SearchUnavailable
from ..snapshot import Snapshot

_UNAVAILABLE: Final = "registered attributes are not available here; ask the service, or leave `options.attributes` out"


def with_registered(snapshot: Snapshot, request: EvaluationRequest, registry: Registry | None) -> EvaluationRequest:
    """Returns an evaluation request whose subject and resource have their registered attributes too.

    Raises SearchUnavailable if there is no registry, and TakesLong on an event loop.
    """
    (stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, explains) = request
    s = subject_attributes(snapshot, (stype, subject_by, sname), s, registry)
    r = resource_attributes(snapshot, (rtype, resource_by, rname), r, registry)
    return stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, explains


def subject_attributes(
    snapshot: Snapshot, named: tuple[str, str, str], sent: Attributes, registry: Registry | None
) -> Attributes:
    """Returns the attributes of a subject: those that were sent, a null too, and the registered ones beside them.

    `named` is its type, the member that identifies it and its identifier. Raises what `with_registered` raises.
    """
    known = _usable(registry)
    type, by, name = named
    id = name if by == "id" else snapshot.state.subject_id(type, name)
    return sent if id is None else {**known.subject(snapshot.state, type, id), **sent}


def resource_attributes(
    snapshot: Snapshot, named: tuple[str, str, str], sent: Attributes, registry: Registry | None
) -> Attributes:
    """Returns the same for a resource."""
    known = _usable(registry)
    type, by, name = named
    rules = snapshot.rules.types.get(type)
    if rules is None:
        return sent
    id = name if by == "id" else snapshot.state.resource_id(rules.number, by, name)
    return sent if id is None else {**known.resource(snapshot.state, rules.type.id, id), **sent}


def _usable(registry: Registry | None) -> Registry:
    if registry is None:
        raise SearchUnavailable(_UNAVAILABLE)
    refuse_on_event_loop()
    return registry
