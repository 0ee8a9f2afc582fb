"""The smallest sets of changes that would allow a denied request, grouped by who can make them."""

from collections.abc import Callable
from typing import Any

from ...bundles.conditions.values import Json
from ...bundles.event_loop import refuse_on_event_loop
from ..decisions.decide import specialised_for, subject_of
from ..decisions.held_roles import held_roles
from ..decisions.judge import by_grant, is_in_reach
from ..decisions.registered import with_registered
from ..decisions.unsent import NOTHING, unsent
from ..requests.evaluation_request import EvaluationRequest, read_evaluation
from ..requests.members import RequestFault
from ..requests.options import read_evaluation_options
from ..requests.registry import Registry
from ..snapshot import Snapshot
from .asked import Asked, Entities
from .limits import DEFAULT, WhyNotLimits
from .search import Search, Standing
from .shown_sets import place, shown
from .units import Attribute


def why_not(
    snapshot: Snapshot,
    request: Any,
    now: float,
    registry: Registry | None = None,
    limits: WhyNotLimits = DEFAULT,
    *,
    hides: bool = False,
) -> dict[str, Any]:
    """Returns `{sets: [{who, changes}], complete, up_to}`: each set of changes makes the answer allow, and no part of
    it does. `now` is in epoch seconds.

    `who` is a list of `caller`, `owner`, `administrator` and `person`. A change is `{who, kind}` and for an `attribute`
    its `path` and a `value` that suffices (null takes it away), for a `role` the `role` and whether to `give` or `take`
    it, for a `policy` the id of the DENY to disable. The kinds `grant` and `register` are about the resource.

    Facts are not changed. A `time` has the `windows` in which to ask, and an `address` the `blocks` from which, beside
    a `value` that suffices at their `path`. For a `person`, another one asks who holds the same: of the `id`, if the
    resource names one that suffices.

    If `complete` is true, no set of at most `up_to` changes is missing. A question whose rules have patterns is never
    `complete`. If it `hides`, values that would tell registered ones are left out (E9). A policy with a rate limit
    counts as one that does not allow (C10), and so does the actor of a request (A1). Without sets, `undeclared` is true
    if the type or the action is. Raises BadRequest, and TakesLong on an event loop.
    """
    refuse_on_event_loop()
    read, options = read_evaluation(request), read_evaluation_options(request)
    sent = read
    if options.registered:
        read = with_registered(snapshot, read, registry)
    stype, subject_by, sname, _, action, _, rtype, resource_by, rname, *_ = read
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    specialised = specialised_for(snapshot, holder, rtype, action)
    if specialised is None or action not in snapshot.rules.types[rtype].type.actions:
        return {"sets": [], "complete": True, "up_to": limits.changes, "undeclared": True}
    rid = rname if resource_by == "id" else snapshot.state.resource_id(specialised.type, resource_by, rname)
    accepts = _accepting(snapshot, read) if snapshot.is_strict or options.strict else _anything
    asked = Asked(
        snapshot,
        read,
        Entities(sid, holder, rid),
        now,
        snapshot.rules.types[rtype].every(action),
        accepts,
        limits,
        unsent(sent, read) if hides else NOTHING,
    )
    roles = held_roles(snapshot, stype, sid, now)
    standing = Standing(
        roles=roles.direct | roles.through.keys(),
        granted=by_grant(snapshot, snapshot.grants(holder, specialised.type, rid, now), action) is not None,
        blocked=not is_in_reach(snapshot, specialised, rid),
        can_hold=sid is not None,
        can_grant=sid is not None and rid is not None,
        can_register=rid is not None,
    )
    search = Search(asked, standing, limits)
    sets = sorted((shown(one, standing, asked) for one in search.run()), key=place)
    return {"sets": sets, "complete": search.complete and asked.exhaustive, "up_to": limits.changes}


def wants_why_not(request: Any, answer: dict[str, Any]) -> bool:
    """Returns whether an explained denial is told which changes would allow it.

    If there is an actor, it is not: changes for the subject alone may not be enough (A1).
    """
    return not answer["decision"] and "explanation" in answer["context"] and not request["options"].get("actor")


def _anything(*_: object) -> bool:
    return True


def _accepting(snapshot: Snapshot, read: EvaluationRequest) -> Callable[[Attribute, Json], bool]:
    """Returns a function that says whether a strict model takes a value of an attribute (E8)."""
    stype, _, sname, _, action, _, rtype, _, rname, *_ = read

    def accepts(attribute: Attribute, value: Json) -> bool:
        sections: dict[str, dict[str, Json]] = {
            "subject_attrs": {},
            "resource_attrs": {},
            "action_attrs": {},
            "context_attrs": {},
        }
        sections[attribute.section] = {attribute.key: value}
        request = {
            "subject": {"type": stype, "id": sname, "properties": sections["subject_attrs"]},
            "action": {"name": action, "properties": sections["action_attrs"]},
            "resource": {"type": rtype, "id": rname, "properties": sections["resource_attrs"]},
            "context": sections["context_attrs"],
        }
        faults = snapshot.strict_requests.faults("evaluation", request)
        return all(one.code == "missing-required" and not _is_about(one, attribute) for one in faults)

    return accepts


def _is_about(fault: RequestFault, attribute: Attribute) -> bool:
    return attribute.section.startswith(fault.path.split(".")[1]) and fault.path.endswith(f".{attribute.key}")
