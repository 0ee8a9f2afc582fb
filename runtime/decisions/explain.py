"""Explains a decision: the proof has every candidate, and the policies whose roles the subject lacks (D10)."""

from collections.abc import Mapping
from typing import Any, Final

from ...bundles.program.clauses import Clause
from ..requests.evaluation_request import EvaluationRequest
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .decide import specialised_for, subject_of
from .held_roles import HeldRoles, held_roles
from .judge import is_registered
from .proof import Proof

MOST_LACKING: Final = 100
"""Policies that a proof names because the subject holds none of their roles."""

MOST_LACKING_ROLES: Final = 100
"""Roles that a proof names for such a policy."""


def explain(snapshot: Snapshot, request: EvaluationRequest, now: float, rates: Mapping[str, int]) -> dict[str, Any]:
    """Returns `{candidates, lacking}`: grants by id, then DENYs and ALLOWs, each in the order of D8.

    If a limit cut something, the proof has `truncated` too. `rates` are those of the answer that it explains: rate
    limits are shown as they were decided there, and are not counted again (C10).
    """
    (stype, subject_by, sname, _, action, _, rtype, resource_by, rname, *_) = request
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    specialised = specialised_for(snapshot, holder, rtype, action)
    if specialised is None:
        return {"candidates": [], "lacking": []}
    rid = rname if resource_by == "id" else snapshot.state.resource_id(specialised.type, resource_by, rname)
    if specialised.closed and not is_registered(snapshot, specialised.type, rid):
        return {"candidates": [], "lacking": []}
    grants = snapshot.grants(holder, specialised.type, rid, now)
    covering = [grant.id for grant in grants if action in snapshot.state.action_sets[grant.actions]]
    roles = held_roles(snapshot, stype, sid, now)
    proof = Proof(request, sid, rid, roles, now, rates)
    candidates = proof.candidates(covering, (*specialised.denies, *specialised.allows))
    lacking, cut = _lacking(snapshot.rules.types[rtype], action, roles)
    truncated = {"truncated": True} if proof.truncated or cut else {}
    return {"candidates": candidates, "lacking": lacking, **truncated}


def conditional(snapshot: Snapshot, resource_type: str, action: str) -> frozenset[str]:
    """Returns the ids of the ALLOWs on a type (by name) and an action that have conditions. No type: none.

    The proof does not show the conditions of a policy whose roles the subject lacks (D10).
    """
    rules = snapshot.rules.types.get(resource_type)
    return frozenset() if rules is None else frozenset(one.policy for one in rules.ranked_allows(action) if one.body)


def _lacking(rules: TypeRules, action: str, roles: HeldRoles) -> tuple[list[dict[str, Any]], bool]:
    """Returns the ALLOWs on the type and action for roles that the subject lacks, and whether a limit cut them."""
    lacking: list[Clause] = []
    for clause in rules.ranked_allows(action):
        if clause.roles is not None and roles.lacks(clause.roles):
            lacking.append(clause)
            if len(lacking) > MOST_LACKING:
                break
    named = lacking[:MOST_LACKING]
    cut = len(lacking) > MOST_LACKING or any(len(clause.roles or ()) > MOST_LACKING_ROLES for clause in named)
    return [{"id": clause.policy, "roles": list(clause.roles or ())[:MOST_LACKING_ROLES]} for clause in named], cut
