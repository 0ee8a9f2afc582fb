"""Explains a decision: every candidate, and the policies that do not apply because of the subject's roles (D10)."""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from ...bundles.program.clauses import Clause
from ..requests.evaluation_request import EvaluationRequest
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .decide import specialised_for, subject_of
from .held_roles import HeldRoles, held_roles
from .judge import is_registered
from .proof import Proof
from .unsent import NOTHING, Unsent

MOST_LACKING: Final = 100
"""Policies that a proof names because the subject holds none of their roles, or one that they leave out."""

MOST_LACKING_ROLES: Final = 100
"""Roles that a proof names for such a policy."""


def explain(
    snapshot: Snapshot, request: EvaluationRequest, now: float, rates: Mapping[str, int], added: Unsent = NOTHING
) -> dict[str, Any]:
    """Returns `{candidates, lacking}`: grants by id, then DENYs and ALLOWs, each in the order of D8.

    If the subject holds a role that policies leave out, the proof has `excluded` too (P6), and if a limit cut
    something, `truncated`. `rates` are those of the answer that it explains: rate
    limits are shown as they were decided there, and are not counted again (C10). The values of `added` are left out.
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
    groups = {} if rid is None else snapshot.groups_with_grants(holder, specialised.type, rid)
    covering = [
        (grant.id, groups.get(grant.id)) for grant in grants if action in snapshot.state.action_sets[grant.actions]
    ]
    roles = held_roles(snapshot, stype, sid, now)
    proof = Proof(request, sid, rid, holder, roles, now, rates, added)
    candidates = proof.candidates(covering, (*specialised.denies, *specialised.allows))
    rules = snapshot.rules.types[rtype]
    lacking, cut = _named(_lacking(rules, action, roles))
    excluded, cut_too = _named(_excluded(rules, action, roles))
    truncated = {"truncated": True} if proof.truncated or cut or cut_too else {}
    return {"candidates": candidates, "lacking": lacking, **({"excluded": excluded} if excluded else {}), **truncated}


def conditional(snapshot: Snapshot, resource_type: str, action: str) -> frozenset[str]:
    """Returns the ids of the ALLOWs on a type (by name) and an action that have conditions. No type: none.

    The proof does not show the conditions of a policy whose roles the subject lacks (D10).
    """
    rules = snapshot.rules.types.get(resource_type)
    return frozenset() if rules is None else frozenset(one.policy for one in rules.ranked_allows(action) if one.body)


def _lacking(rules: TypeRules, action: str, roles: HeldRoles) -> Iterable[tuple[Clause, Collection[str]]]:
    """Yields the ALLOWs on the type and action for roles that the subject lacks, with these roles."""
    for clause in rules.ranked_allows(action):
        if clause.roles is not None and roles.lacks(clause.roles) and roles.lacks(clause.except_roles):
            yield clause, clause.roles


def _excluded(rules: TypeRules, action: str, roles: HeldRoles) -> Iterable[tuple[Clause, Collection[str]]]:
    """Yields the policies on the type and action that leave out roles of the subject, with these roles (P6)."""
    for clause in rules.ranked_excepting(action):
        if not roles.lacks(clause.except_roles):
            yield clause, [role for role in clause.except_roles if not roles.lacks((role,))]


def _named(found: Iterable[tuple[Clause, Collection[str]]]) -> tuple[list[dict[str, Any]], bool]:
    """Returns the id and the roles of the first policies, and whether a limit cut something."""
    first = list(islice(found, MOST_LACKING + 1))
    cut = len(first) > MOST_LACKING or any(len(roles) > MOST_LACKING_ROLES for _, roles in first[:MOST_LACKING])
    named = [{"id": clause.policy, "roles": list(roles)[:MOST_LACKING_ROLES]} for clause, roles in first[:MOST_LACKING]]
    return named, cut
