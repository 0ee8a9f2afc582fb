"""Answers the items of a plain batch from one snapshot: its subject is looked up once."""

from collections.abc import Iterator
from typing import Any

from ..rates.rate_table import RateTable
from ..requests.members import NO_ATTRIBUTES
from ..requests.plain_bodies import PlainBatch, parts_of
from ..rules.plan import Plan, answer_of
from ..rules.reasons import Answer
from ..snapshot import Snapshot
from .decide import decide, holder_of
from .planned import may_have_grants, plan_for


def answers_to_batch(snapshot: Snapshot, batch: PlainBatch, now: float, counters: RateTable | None) -> Iterator[Answer]:
    """Yields the shared answer to each item, as `Engine.decide` gives it at `now`, in epoch seconds.

    It ends before an item that lacks a part, and at once if requests are strict (E8). Raises what `Engine.decide`
    raises, and TakesLong for an item that counts for a rate limit (C10).
    """
    if snapshot.is_strict:
        return
    last: Any = None
    last_type = last_name = None
    plan: Plan | None = None
    holder = snapshot.unregistered
    shared = batch.context or NO_ATTRIBUTES
    for item in batch.evaluations:
        subject, action = item.subject or batch.subject, item.action or batch.action
        resource, c = item.resource or batch.resource, item.context
        if subject is None or action is None or resource is None:
            return
        if c is None:
            c = shared
        name, rtype, rid = action.name, resource.type, resource.id
        if subject is not last:
            last, last_type = subject, None
            stype, sid, s = subject.type, subject.id, subject.properties or NO_ATTRIBUTES
            holder = holder_of(snapshot, stype, sid, now)
        if rtype != last_type or name != last_name:  # PERF: items that follow each other often share a plan
            last_type, last_name = rtype, name
            plan = plan_for(snapshot, rtype, name, holder.roles)
        r, a = resource.properties or NO_ATTRIBUTES, action.properties or NO_ATTRIBUTES
        if plan is not None and (holder.plain or not may_have_grants(snapshot, holder, rtype, rid)):
            yield answer_of(plan, stype, sid, s, rid, r, a, c, holder)
        else:
            yield decide(snapshot, parts_of(subject, s, action, a, resource, r, c), now, counters, counts=False)
            last_type = None  # that may have made the plan
