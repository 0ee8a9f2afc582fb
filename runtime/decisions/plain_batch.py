"""Answers the items of a plain batch from one snapshot: its subject and its plan are looked up once."""

from collections.abc import Iterator
from typing import Any, Final

from ..rates.rate_table import RateTable
from ..requests.members import NO_ATTRIBUTES
from ..requests.plain_bodies import PlainBatch, parts_of
from ..rules.plan import Plan, answer_of
from ..rules.reasons import Answer
from ..rules.role_set import RoleSet
from ..snapshot import Holder, Snapshot
from .decide import decide

_NONE: Final[dict[Any, Any]] = {}


def answers_to_batch(
    snapshot: Snapshot, batch: PlainBatch, now: float, counters: RateTable | None
) -> Iterator[Answer | None]:
    """Yields the shared answer to each item, as `Engine.decide` gives it at `now`, in epoch seconds.

    None stands for an item that lacks a part, and for each item if requests are strict (E8). Raises what
    `Engine.decide` raises, and TakesLong for an item that counts for a rate limit (C10).
    """
    last: Any = None
    holder: Holder | None = None
    plan: Plan | None = None
    rtype = name = None
    for item in batch.evaluations:
        subject, action = item.subject or batch.subject, item.action or batch.action
        resource, context = item.resource or batch.resource, item.context
        if snapshot.is_strict or subject is None or action is None or resource is None:
            yield None
            continue
        if subject is not last:
            last, rtype = subject, None
            holder = snapshot.holders.get(subject.type, _NONE).get(subject.id)
        if resource.type != rtype or action.name != name:
            rtype, name = resource.type, action.name
            plan = _plan(snapshot, holder, rtype, name)
        s, r = subject.properties or NO_ATTRIBUTES, resource.properties or NO_ATTRIBUTES
        a, c = action.properties or NO_ATTRIBUTES, (batch.context if context is None else context) or NO_ATTRIBUTES
        if plan is not None and holder is not None:
            yield answer_of(plan, subject.type, subject.id, s, resource.id, r, a, c, holder)
        else:
            yield decide(snapshot, parts_of(subject, s, action, a, resource, r, c), now, counters, counts=False)
            last = None  # its holder may be known now


def _plan(snapshot: Snapshot, holder: Holder | None, rtype: str, name: str) -> Plan | None:
    """Returns the plan for a known holder without grants whose roles do not end, or None."""
    if holder is None or not holder.plain:
        return None
    by_roles: dict[RoleSet, Plan] = snapshot.plans.get(rtype, _NONE).get(name, _NONE)
    return by_roles.get(holder.roles)
