"""Tests the rules of a specialised program, and tells the outcome (E7, D1 to D8)."""

from collections.abc import Iterable

from ...bundles.file.fact_records import GrantRecord
from ..requests.members import Attributes
from ..rules.attribute_index import first_rule
from ..rules.reasons import FOR_OTHER_ACTIONS, NOT_REGISTERED, Answer, granted
from ..rules.specialise import Specialised
from ..snapshot import Holder, Snapshot


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
    if not is_in_reach(snapshot, specialised, rid):
        return NOT_REGISTERED
    grants = snapshot.grants(holder, specialised.type, rid, now)
    permission = by_grant(snapshot, grants, action) if grants else None
    denial = first_rule(specialised.deny_indexes, stype, sid, s, rid, r, a, c, holder, now)
    if permission is None:
        allow = first_rule(specialised.allow_indexes, stype, sid, s, rid, r, a, c, holder, now)
        permission = None if allow is None else allow.explicit
    if denial is not None:
        return denial.explicit if permission is None else denial.override
    return permission or (refusal(specialised) if grants else specialised.otherwise)


def by_grant(snapshot: Snapshot, grants: Iterable[GrantRecord], action: str) -> Answer | None:
    """Returns the answer of the first of the grants in force that covers the action, or None (D8)."""
    for grant in grants:
        if action in snapshot.state.action_sets[grant.actions]:
            return granted(grant.id)
    return None


def is_registered(snapshot: Snapshot, type: int, id: str | None) -> bool:
    """Returns whether this instance of a closed type is registered (E7)."""
    return id is not None and snapshot.state.is_registered(type, id)


def is_in_reach(snapshot: Snapshot, specialised: Specialised, id: str | None) -> bool:
    """Returns whether policies count for a resource: every instance of a closed type is registered (E7)."""
    return not specialised.closed or is_registered(snapshot, specialised.type, id)


def refusal(specialised: Specialised) -> Answer:
    """Returns the answer if nothing holds and some grant in force is for another action (D4, D5)."""
    return FOR_OTHER_ACTIONS.get(specialised.otherwise, specialised.otherwise)
