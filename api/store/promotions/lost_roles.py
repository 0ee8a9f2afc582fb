"""The roles that would lose policies by a promotion, and the subjects that hold them in the target."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sqlite_utils import Database

from ....compiler.model.elements import ElementKind, Policy
from ..environments import Environment
from .policy_model import PolicyModel
from .promotion import LostRole

MAX_SUBJECTS = 100
"""The subjects that are named for one role."""

_HOLDERS = """
WITH RECURSIVE holding(id) AS (
    SELECT group_id FROM assignments WHERE environment = ?1 AND role = ?2 AND group_id IS NOT NULL
    UNION SELECT member FROM group_groups JOIN holding ON environment = ?1 AND group_id = holding.id
)
SELECT subject_type, subject_id FROM assignments WHERE environment = ?1 AND role = ?2 AND subject_id IS NOT NULL
UNION SELECT type, s.id FROM group_subjects s JOIN holding ON environment = ?1 AND group_id = holding.id
ORDER BY 1, 2 LIMIT ?3
"""
"""The subjects with a role by assignment, or by that of a group that they are in (P2, P3), expired ones too."""


def lost_roles(
    db: Database,
    environment: Environment,
    before: PolicyModel,
    after: PolicyModel,
    held: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[LostRole]:
    """Yields the roles that are held and that lose an enabled ALLOW policy, by id.

    A role loses a policy that is no longer for it, or that newly leaves it out (P6). `held` has the name under which a
    renamed role is held, by the new one, which `before` has already.
    """
    old, new = _policies_by_role(before), _policies_by_role(after)
    excepted = _newly_excepted(before, after)
    for role in sorted({*old, *excepted}):
        lost = old[role] - new[role] | excepted[role]
        named = held.get(role, role)
        rows = db.execute(_HOLDERS, (environment.number, named, MAX_SUBJECTS + 1)).fetchall() if lost else []
        if rows:
            subjects = tuple({"type": type, "id": id} for type, id in rows[:MAX_SUBJECTS])
            yield LostRole(role, tuple(sorted(lost)), len(new[role]), subjects, len(rows) > MAX_SUBJECTS)


def _policies_by_role(model: PolicyModel) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for policy in _allows(model):
        for role in policy.roles or ():
            found[role].add(policy.id)
    return found


def _newly_excepted(before: PolicyModel, after: PolicyModel) -> dict[str, set[str]]:
    """Returns the policies for everyone or for some roles that leave out a role which they did not leave out before."""
    found: dict[str, set[str]] = defaultdict(set)
    old = {policy.id: {*(policy.except_roles or ())} for policy in _allows(before)}
    for policy in _allows(after):
        for role in {*(policy.except_roles or ())} - old.get(policy.id, {*(policy.except_roles or ())}):
            found[role].add(policy.id)
    return found


def _allows(model: PolicyModel) -> Iterator[Policy]:
    """Yields the enabled ALLOW policies."""
    for policy in model.elements(ElementKind.POLICIES):
        assert isinstance(policy, Policy)
        if policy.enabled and policy.effect == "ALLOW":
            yield policy
