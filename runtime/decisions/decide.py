"""Decides a request: finds its subject and resource, specialises the program and tests the rules (D1 to D8).

PERF: arguments stay flat from the engine to the tests; packing them into an object first costs a third more.
"""

from ...bundles.patience import refuse_if_impatient
from ..requests.evaluations import EvaluationRequest
from ..requests.members import Attributes
from ..rules.attribute_index import first_rule
from ..rules.reasons import FOR_OTHER_ACTIONS, NOT_DECLARED, NOT_REGISTERED, Answer, granted
from ..rules.specialise import Specialised
from ..snapshot import Holder, Snapshot


def decide(snapshot: Snapshot, request: EvaluationRequest, now: float) -> Answer:
    """Returns the answer to a request. Answers are shared, so a response gets a copy. `now` is in epoch seconds.

    Raises TakesLong in an impatient thread, if the decision takes long.
    """
    (stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, _) = request
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    specialised = specialised_for(snapshot, holder, rtype, action)
    if specialised is None:
        return NOT_DECLARED
    if specialised.takes_long:
        refuse_if_impatient()
    rid = rname if resource_by == "id" else snapshot.state.resource_id(specialised.type, resource_by, rname)
    return judge(snapshot, holder, specialised, stype, sid, s, action, a, rid, r, c, now)


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

    Raises TakesLong in an impatient thread, if to specialise it takes long.
    """
    rules, roles = snapshot.rules, holder.roles
    return rules.cached(roles, rtype, action) or rules.specialised(roles, rtype, action)


def judge(
    snapshot: Snapshot,
    holder: Holder,
    specialised: Specialised,
    stype: str,
    sid: str | None,
    s: Attributes,
    action: str,
    a: Attributes,
    rid: str | None,
    r: Attributes,
    c: Attributes,
    now: float,
) -> Answer:
    """Returns the answer once subject, program and resource are known (E7, D1 to D6)."""
    if specialised.closed and not is_registered(snapshot, specialised.type, rid):
        return NOT_REGISTERED
    grants = snapshot.grants(holder, specialised.type, rid, now)
    permission: Answer | None = None
    for grant in grants:
        if action in snapshot.state.action_sets[grant.actions]:
            permission = granted(grant.id)
            break
    denial = first_rule(specialised.deny_indexes, stype, sid, s, rid, r, a, c, now)
    if permission is None:
        allow = first_rule(specialised.allow_indexes, stype, sid, s, rid, r, a, c, now)
        permission = None if allow is None else allow.explicit
    if denial is not None:
        return denial.explicit if permission is None else denial.override
    return permission or (_refusal(specialised) if grants else specialised.otherwise)


def is_registered(snapshot: Snapshot, type: int, id: str | None) -> bool:
    """Whether this instance of a closed type is registered (E7)."""
    return id is not None and snapshot.state.is_registered(type, id)


def _refusal(specialised: Specialised) -> Answer:
    """Returns the answer if nothing holds and some grant in force is for another action (D4, D5)."""
    return FOR_OTHER_ACTIONS.get(specialised.otherwise, specialised.otherwise)
