"""Caches the specialised programs of one program by set of roles. Snapshots with the same program share the cache."""

from ..bundles.program.clauses import ResourceType
from .filters.filter_cache import FilterCache
from .limits import CacheLimits
from .rules.reasons import PolicyPath
from .rules.specialise import RoleSet, Specialised, TypeRules
from .state.state import State


class SpecialisationCache:
    """The rules of one program, with everything that is computed from them. It is bounded, thread-safe and fork-safe.

    `types` has the rules on each declared type, by the name that requests use. `no_roles` is the empty set of roles.
    `filters` caches what derives from specialised programs.
    """

    def __init__(self, types: dict[str, TypeRules], limits: CacheLimits):
        self.types = types
        self._limits = limits
        self.clear()

    @classmethod
    def of(cls, state: State, limits: CacheLimits) -> "SpecialisationCache":
        """Returns an empty cache for the program of a state."""
        types = {
            type.name: TypeRules(number, type, state) for number, type in enumerate(state.types) if type is not None
        }
        return cls(types, limits)

    def clear(self) -> None:
        """Empties the cache. Computing a set of roles again costs less than tracking which is the oldest."""
        self.no_roles = RoleSet(())
        self._role_sets = {self.no_roles.held: self.no_roles}
        self._specialisations = self._specialised_rules = 0
        self.filters = FilterCache(self._limits)

    @property
    def full(self) -> bool:
        """Whether there is no room for another set of roles."""
        return len(self._role_sets) >= self._limits.role_sets

    def cached_role_set(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet | None:
        """Returns the one object for a sorted set of (role, path), or None if it is not cached."""
        return self._role_sets.get(held)

    def role_set(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet:
        """Returns the one object for a sorted set of (role, path)."""
        return self._role_sets.setdefault(held, RoleSet(held))

    def specialised(self, roles: RoleSet, type_name: str, action: str) -> Specialised | None:
        """Returns the specialised program, or None if the type is not declared (E7).

        It is cached only for declared actions, because callers can invent others without end.
        """
        rules = self.types.get(type_name)
        if rules is None:
            return None
        specialised = rules.specialise(roles, action)
        if action in rules.type.actions:
            self._make_room(specialised)
            roles.keep(type_name, action, specialised)
        return specialised

    def _make_room(self, specialised: Specialised) -> None:
        if (
            self._specialisations >= self._limits.specialisations
            or self._specialised_rules + specialised.weight > self._limits.specialised_rules
        ):
            for roles in list(self._role_sets.values()):
                roles.forget()
            self._specialisations = self._specialised_rules = 0
        self._specialisations += 1
        self._specialised_rules += specialised.weight

    def updated(self, state: State, invalid_types: set[int]) -> "SpecialisationCache":
        """Returns the cache for a later state. The rules of the types with the numbers `invalid_types` have changed."""
        if not invalid_types:
            return self
        before = {rules.number: rules for rules in self.types.values()}
        types: dict[str, TypeRules] = {}
        for number, type in enumerate(state.types):
            if type is not None:
                types[type.name] = _updated(before.get(number), number, type, state, number in invalid_types)
        return SpecialisationCache(types, self._limits)


def _updated(before: TypeRules | None, number: int, type: ResourceType, state: State, invalid: bool) -> TypeRules:
    if before is None:
        return TypeRules(number, type, state)
    return before.updated(type, state) if invalid else before
