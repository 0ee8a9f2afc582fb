"""The numbers that stand for names in a bundle, and the next ones for names that deltas add."""

from ...bundles.file.reader import Bundle
from ...bundles.program.clauses import Clause


class Numbering:
    """Numbers of roles, types, groups, sets of actions and clauses. All states of one bundle share it.

    It only grows, so a request that still has an older state reads the same as before.
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

    def copy(self) -> "Numbering":
        """Returns the same numbers, apart: what either gives out later, the other does not know.

        Another thread may give out numbers meanwhile. So what is looked up is copied before what it leads to.
        """
        other = object.__new__(Numbering)
        other._bundle = self._bundle
        other._roles, other._action_sets = self._roles.copy(), self._action_sets.copy()
        other.role_ids, other.action_sets = self.role_ids.copy(), self.action_sets.copy()
        other._types, other._groups = self._types.copy(), self._groups.copy()
        other._new_groups, other._clauses = self._new_groups, self._clauses.copy()
        return other

    def role(self, id: str) -> int:
        """Returns the number of a role."""
        found = self._roles.get(id)
        if found is None:
            self.role_ids.append(id)
            found = self._roles[id] = len(self.role_ids) - 1
        return found

    def type(self, id: str) -> int:
        """Returns the number of a type."""
        return self._types.setdefault(id, len(self._types))

    def group(self, id: str) -> int:
        """Returns the number of a group. A group of the bundle is looked up when it is first needed."""
        found = self._groups.get(id)
        if found is None:
            found = self._bundle.group_number(id)
            if found is None:
                found = self._bundle.group_count + self._new_groups
                self._new_groups += 1
            self._groups[id] = found
        return found

    def actions(self, actions: frozenset[str]) -> int:
        """Returns the number of a set of actions."""
        found = self._action_sets.get(actions)
        if found is None:
            self.action_sets.append(actions)
            found = self._action_sets[actions] = len(self.action_sets) - 1
        return found

    def new_clause(self, clause: Clause) -> int:
        """Returns the number of a clause that is not in the bundle."""
        self._clauses.append(clause)
        return self._bundle.clause_count + len(self._clauses) - 1

    def clause(self, number: int) -> Clause:
        """Returns the clause of a number, from the bundle or from a delta."""
        new = number - self._bundle.clause_count
        return self._clauses[new] if new >= 0 else self._bundle.clause(number)
