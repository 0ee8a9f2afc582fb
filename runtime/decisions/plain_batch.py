"""Answers the items of a plain batch from one snapshot: its subject is looked up once."""

from collections.abc import Iterator
from typing import Any

from ..rates.rate_table import RateTable
from ..requests.members import NO_ATTRIBUTES
from ..requests.plain_bodies import PlainBatch, parts_of
from ..rules.plan import answer_of
from ..rules.reasons import Answer
from ..snapshot import NO_PLANS, Snapshot
from .decide import decide, holder_of


def answers_to_batch(snapshot: Snapshot, batch: PlainBatch, now: float, counters: RateTable | None) -> Iterator[Answer]:
    """Yields the shared answer to each item, as `Engine.decide` gives it at `now`, in epoch seconds.

    It ends before an item that lacks a part, and at once if requests are strict (E8). Raises what `Engine.decide`
    raises, and TakesLong for an item that counts for a rate limit (C10).
    """
    if snapshot.is_strict:
        return
    last: Any = None
    holder = snapshot.unregistered
    shared = batch.context or NO_ATTRIBUTES
    for item in batch.evaluations:
        subject, action = item.subject or batch.subject, item.action or batch.action
        resource, c = item.resource or batch.resource, shared if item.context is None else item.context
        if subject is None or action is None or resource is None:
            return
        if subject is not last:
            last, stype, sid, s = subject, subject.type, subject.id, subject.properties or NO_ATTRIBUTES
            holder = holder_of(snapshot, stype, sid, now)
            # A plan is for those without grants, whose roles do not end. PERF: for others, to find none is enough.
            plans = snapshot.plans if holder.plain else NO_PLANS
        r, a = resource.properties or NO_ATTRIBUTES, action.properties or NO_ATTRIBUTES
        try:
            plan = plans[resource.type][action.name][holder.roles]
        except KeyError:
            yield decide(snapshot, parts_of(subject, s, action, a, resource, r, c), now, counters, counts=False)
        else:
            yield answer_of(plan, stype, sid, s, resource.id, r, a, c, holder)
