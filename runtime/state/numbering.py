"""The numbers that stand for names in a bundle, continued for what deltas bring."""

from ...bundles.file.reader import Bundle
from ...bundles.program.clauses import Clause


class Numbering:
    """Numbers of roles, types, groups, sets of actions and clauses, shared by all states that come from one bundle.

    It only grows, so that a state which a request still holds reads the same as before.
    """

    def __init__(self, bundle: Bundle):
        self._bundle = bundle
        self.role_ids = list(bundle.roles)
        self._roles = {role: number for number, role in enumerate(bundle.roles)}
        self._types = {type.id: number for number, type in enumerate(bundle.types)}
        self._groups: dict[str, int] = {}
        self._new_groups = 0
        self.action_sets = list(bundle.action_sets)
        self._action_sets = {actions: number for number, actions in enumerate(self.action_sets)}
        self._clauses: list[Clause] = []

    def role(self, id: str) -> int:
        """The number of a role."""
        found = self._roles.get(id)
        if found is None:
            self.role_ids.append(id)
            found = self._roles[id] = len(self.role_ids) - 1
        return found

    def type(self, id: str) -> int:
        """The number of a type."""
        return self._types.setdefault(id, len(self._types))

    def group(self, id: str) -> int:
        """The number of a group; those of the bundle are looked up when they are first asked for."""
        found = self._groups.get(id)
        if found is None:
            found = self._bundle.group_number(id)
            if found is None:
                found = self._bundle.group_count + self._new_groups
                self._new_groups += 1
            self._groups[id] = found
        return found

    def actions(self, actions: frozenset[str]) -> int:
        """The number of a set of actions."""
        found = self._action_sets.get(actions)
        if found is None:
            self.action_sets.append(actions)
            found = self._action_sets[actions] = len(self.action_sets) - 1
        return found

    def new_clause(self, clause: Clause) -> int:
        """A number for a clause that the bundle has not."""
        self._clauses.append(clause)
        return self._bundle.clause_count + len(self._clauses) - 1

    def clause(self, number: int) -> Clause:
        """The clause of that number, the bundle's own or a new one."""
        new = number - self._bundle.clause_count
        return self._clauses[new] if new >= 0 else self._bundle.clause(number)
