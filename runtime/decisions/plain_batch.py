"""Answers the items of a plain batch from one snapshot: what they share is looked up once."""

from collections.abc import Iterator
from typing import Any, Final

from ..rates.rate_table import RateTable
from ..requests.members import NO_ATTRIBUTES
from ..requests.plain_bodies import PlainBatch, parts_of
from ..rules.reasons import Answer
from ..snapshot import Snapshot
from .decide import decide, holder_of
from .planned import may_have_grants

AT_A_TIME: Final = 10
"""The items that are answered between two looks at the clock. Each takes microseconds."""


def add_answers(
    snapshot: Snapshot, batch: PlainBatch, now: float, counters: RateTable | None, answers: list[Answer]
) -> Iterator[None]:
    """Adds the shared answers to the items, as `Engine.decide` gives them at `now`, in epoch seconds.

    It yields between each `AT_A_TIME` of them. It ends before an item that lacks a part, and adds none if requests are
    strict (E8). Raises what `Engine.decide` raises, and TakesLong for an item that counts for a rate limit (C10).

    PERF: items that follow each other mostly share a subject, a type and an action, and no part is read twice.
    """
    if snapshot.is_strict:
        return
    plans, items, asking, last_type, last_name = snapshot.plans, batch.evaluations, None, None, None
    of_all, action_of_all, on_all = batch.subject, batch.action, batch.resource
    shared = batch.context or NO_ATTRIBUTES
    for start in range(0, len(items), AT_A_TIME):
        if start:
            yield
        for item in items[start : start + AT_A_TIME]:
            subject: Any = item.subject or of_all
            action: Any = item.action or action_of_all
            resource: Any = item.resource or on_all
            if subject is None or action is None or resource is None:
                return
            if subject is not asking:
                asking, last_type = subject, None
                stype, sid, s = subject.type, subject.id, subject.properties or NO_ATTRIBUTES
                holder = holder_of(snapshot, stype, sid, now)
                roles, plain = holder.roles, holder.plain
            name, rtype, rid = action.name, resource.type, resource.id
            if name != last_name or rtype != last_type:
                last_type, last_name = rtype, name
                try:
                    plan = plans[rtype][name][roles]
                except KeyError:
                    plan = None
            r, a = resource.properties or NO_ATTRIBUTES, action.properties or NO_ATTRIBUTES
            c = shared if item.context is None else item.context
            if plan is not None and (plain or not may_have_grants(snapshot, holder, rtype, rid)):
                answers.append(plan[plan[0](plan, stype, sid, s, rid, r, a, c, holder)])
            else:
                request = parts_of(subject, s, action, a, resource, r, c)
                answers.append(decide(snapshot, request, now, counters, counts=False))
                last_type = None  # that may have made the plan
