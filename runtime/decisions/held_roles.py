"""Tells by which assignment a subject holds a role, for proofs (D10)."""

from collections.abc import Iterable
from typing import NamedTuple

from ..rules.reasons import AccessPath, PolicyPath
from ..snapshot import Snapshot


class HeldRoles(NamedTuple):
    """The roles of a subject at one instant."""

    direct: frozenset[str]
    """The roles that are assigned to the subject."""
    through: dict[str, str]
    """The roles that are assigned to a group of the subject, each with the smallest id of such a group."""

    def held_by(self, roles: Iterable[str], path: PolicyPath) -> dict[str, str] | None:
        """Returns how the subject holds one of `roles` by `path`: the smallest role, and its group if it has one.

        Returns None for the path `abac`.
        """
        if path is AccessPath.ROLE:
            return {"role": min(self.direct.intersection(roles))}
        if path is AccessPath.GROUP:
            role = min(self.through.keys() & set(roles))
            return {"role": role, "group": self.through[role]}
        return None

    def lacks(self, roles: Iterable[str]) -> bool:
        """Returns whether the subject holds none of `roles`."""
        return self.direct.isdisjoint(roles) and self.through.keys().isdisjoint(roles)


def held_roles(snapshot: Snapshot, type: str, id: str | None, now: float) -> HeldRoles:
    """Returns the roles that a subject holds at `now`, in epoch seconds (P2 to P4). An unregistered one has none."""
    record = None if id is None else snapshot.state.subject(type, id)
    if record is None:
        return HeldRoles(frozenset(), {})
    name = snapshot.state.role_id
    direct = frozenset(name(held.role) for held in record.holdings if held.starts <= now < held.expires)
    through: dict[str, str] = {}
    above = {ancestor for number in record.groups for ancestor in snapshot.group(number).ancestors}
    for group in map(snapshot.group, above.union(record.groups)):
        for held in group.holdings:
            if held.starts <= now < held.expires:
                role = name(held.role)
                through[role] = min(group.id, through.get(role, group.id))
    return HeldRoles(direct, through)
