"""The decision: a specialised program tested on one request, and the facts about its subject and resource (D1 to D8).

PERF: arguments stay flat from the front door to the tests; packing them into an object first costs a third more.
"""

from ..requests.evaluations import EvaluationRequest
from ..requests.members import Attributes
from ..rules.attribute_index import first_rule
from ..rules.reasons import ACTION_NOT_PERMITTED, NO_POLICY_MATCH, NOT_DECLARED, NOT_REGISTERED, Answer, granted
from ..rules.specialise import Specialised
from ..snapshot import Holder, Snapshot


def decide(snapshot: Snapshot, request: EvaluationRequest, now: float) -> Answer:
    """The answer to a request, shared: who gives it out copies it. `now` in epoch seconds."""
    (stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, _) = request
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    left = what_is_left(snapshot, holder, rtype, action)
    if left is None:
        return NOT_DECLARED
    rid = rname if resource_by == "id" else snapshot.state.resource_id(left.type, resource_by, rname)
    return judge(snapshot, holder, left, stype, sid, s, action, a, rid, r, c, now)


def subject_of(snapshot: Snapshot, stype: str, named_by: str, name: str, now: float) -> tuple[str | None, Holder]:
    """The id of a request's subject, None where its external id leads nowhere, and what it brings (E3)."""
    sid = name if named_by == "id" else snapshot.state.subject_id(stype, name)
    return sid, snapshot.nobody if sid is None else holder_of(snapshot, stype, sid, now)


def holder_of(snapshot: Snapshot, stype: str, sid: str, now: float) -> Holder:
    """What a subject brings to a decision, remembered while it is true or worked out."""
    holders = snapshot.holders.get(stype)
    holder = holders and holders.get(sid)
    return holder if holder and holder.since <= now < holder.until else snapshot.holder(stype, sid, now)


def what_is_left(snapshot: Snapshot, holder: Holder, rtype: str, action: str) -> Specialised | None:
    """The specialised program, remembered or made; None for a type that is not declared."""
    actions = holder.roles.left.get(rtype)
    return (actions and actions.get(action)) or snapshot.rules.specialised(holder.roles, rtype, action)


def judge(
    snapshot: Snapshot,
    holder: Holder,
    left: Specialised,
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
    """The answer where subject, rules and resource are found (E7, D1 to D6)."""
    if left.closed and not is_registered(snapshot, left.type, rid):
        return NOT_REGISTERED
    grants = snapshot.grants(holder, left.type, rid, now)
    permission: Answer | None = None
    for grant in grants:
        if action in snapshot.state.action_sets[grant.actions]:
            permission = granted(grant.id)
            break
    denial = first_rule(left.deny_searches, stype, sid, s, rid, r, a, c, now)
    if permission is None:
        allow = first_rule(left.allow_searches, stype, sid, s, rid, r, a, c, now)
        permission = None if allow is None else allow.ready[-1]
    if denial is not None:
        _, _, override, explicit = denial.ready
        return explicit if permission is None else override
    return permission or (_refusal(left) if grants else left.otherwise)


def is_registered(snapshot: Snapshot, type: int, id: str | None) -> bool:
    """Whether a closed type has this instance (E7)."""
    return id is not None and snapshot.state.is_registered(type, id)


def _refusal(left: Specialised) -> Answer:
    """The answer where nothing holds and a grant in force is one for another action (D4, D5)."""
    return ACTION_NOT_PERMITTED if left.otherwise is NO_POLICY_MATCH else left.otherwise
