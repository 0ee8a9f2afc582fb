"""Decides a request: finds its subject and resource and specialises the program, which `judge` then tests (D1 to D8).

PERF: arguments stay flat from the engine to the tests; packing them into an object first costs a third more.
"""

from ...bundles.event_loop import refuse_on_event_loop
from ..rates.rate_table import RateTable
from ..requests.evaluation_request import EvaluationRequest
from ..rules.reasons import NOT_DECLARED, Answer
from ..rules.specialise import Specialised
from ..snapshot import Holder, Snapshot
from .judge import is_in_reach, judge
from .judge_limited import Counted, judge_limited
from .unmet import naming_unmet


def decide(
    snapshot: Snapshot, request: EvaluationRequest, now: float, counters: RateTable | None = None, counts: bool = True
) -> Answer:
    """Returns the answer to a request. Answers are shared, so a response gets a copy. `now` is in epoch seconds.

    Without `counters`, every rate limit is reached (C10). Raises TakesLong on an event loop, if the decision
    takes long, and in any thread, if it counts for a rate limit and `counts` is False. Then nothing was counted.
    """
    (stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, _) = request
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    specialised = specialised_for(snapshot, holder, rtype, action)
    if specialised is None:
        return NOT_DECLARED
    if specialised.takes_long:
        refuse_on_event_loop()
    rid = rname if resource_by == "id" else snapshot.state.resource_id(specialised.type, resource_by, rname)
    if specialised.guard is not None and is_in_reach(snapshot, specialised, rid):
        specialised.guard(stype, sid, s, rid, r, a, c, holder, now)
    if specialised.limited_indexes and counters is not None:
        counted = Counted(counters, snapshot.state, stype, sid, sname, now) if counts else None
        answer = judge_limited(
            snapshot, holder, specialised, action, (stype, sid, s, rid, r, a, c, holder, now), counted
        )
    else:
        answer = judge(snapshot, holder, specialised, stype, sid, s, action, a, rid, r, c, now)
    return naming_unmet(answer, specialised, a, c) if specialised.demanding else answer


def subject_of(snapshot: Snapshot, stype: str, named_by: str, name: str, now: float) -> tuple[str | None, Holder]:
    """Returns a subject's id and holder. The id is None if its external id resolves to nothing (E3)."""
    sid = name if named_by == "id" else snapshot.state.subject_id(stype, name)
    return sid, snapshot.unregistered if sid is None else holder_of(snapshot, stype, sid, now)


def holder_of(snapshot: Snapshot, stype: str, sid: str, now: float) -> Holder:
    """Returns the roles and grants of a subject at `now`, from the cache if they are valid then."""
    holders = snapshot.holders.get(stype)
    holder = holders and holders.get(sid)
    return holder if holder and holder.since <= now < holder.until else snapshot.holder(stype, sid, now)


def specialised_for(snapshot: Snapshot, holder: Holder, rtype: str, action: str) -> Specialised | None:
    """Returns the specialised program, cached or new, or None if the type is not declared (E7).

    Raises TakesLong on an event loop, if to specialise it takes long.
    """
    rules, roles = snapshot.rules, holder.roles
    return rules.cached(roles, rtype, action) or rules.specialised(roles, rtype, action)
