"""Caches the specialised programs of one program by set of roles. Snapshots share what no change touched."""

from .effort import MOST_COMPILED, effort_for
from .filters.filter_cache import Derived, FilterCache
from .limits import CacheLimits
from .rules.plan import Plan
from .rules.reasons import PolicyPath
from .rules.rule import RoleSet
from .rules.specialise import Specialised, TypeRules
from .state.state import State


class SpecialisationCache:
    """The rules of one program, with everything that is computed from them. It is bounded, thread-safe and fork-safe.

    `types` has the rules on each declared type, by the name that requests use, and `plans` the plans in them, by type,
    action and set of roles. `no_roles` is the empty set of roles. `filters` caches what derives from specialised
    programs.
    """

    def __init__(self, types: dict[str, TypeRules], limits: CacheLimits):
        self.types = types
        self.plans: dict[str, dict[str, dict[RoleSet, Plan]]] = {name: rules.plans for name, rules in types.items()}
        self._limits = limits
        self._start(FilterCache(limits), RoleSet(()), {})

    @classmethod
    def of(cls, state: State, limits: CacheLimits) -> "SpecialisationCache":
        """Returns an empty cache for the program of a state."""
        types = {
            type.name: TypeRules(number, type, state) for number, type in enumerate(state.types) if type is not None
        }
        return cls(types, limits)

    def _start(
        self, filters: FilterCache, no_roles: RoleSet, role_sets: dict[tuple[tuple[int, PolicyPath], ...], RoleSet]
    ) -> None:
        self.filters = filters
        self.no_roles, self._role_sets = no_roles, role_sets
        self._role_sets[no_roles.held] = no_roles
        self._held = sum(map(len, list(role_sets)))
        self._specialisations = self._specialised_rules = 0
        for rules in self.types.values():
            for by_roles in list(rules.specialised.values()):  # others may add to it meanwhile
                self._specialisations += len(by_roles)
                self._specialised_rules += sum(specialised.weight for specialised in list(by_roles.values()))

    def clear(self) -> None:
        """Empties the cache. Computing a set of roles again costs less than tracking which is the oldest."""
        self._forget()
        self._start(FilterCache(self._limits), RoleSet(()), {})

    @property
    def full(self) -> bool:
        """True if there is no room for another set of roles."""
        return len(self._role_sets) >= self._limits.role_sets or self._held >= self._limits.held_roles

    def sizes(self) -> tuple[int, int, int]:
        """Returns the entries of filters, the sets of roles and the specialised programs."""
        return len(self.filters), len(self._role_sets), self._specialisations

    def cached_role_set(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet | None:
        """Returns the one object for a sorted set of (role, path), or None if it is not cached."""
        return self._role_sets.get(held)

    def role_set(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet:
        """Returns the one object for a sorted set of (role, path)."""
        self._held += len(held)
        return self._role_sets.setdefault(held, RoleSet(held))

    def cached(self, roles: RoleSet, type_name: str, action: str) -> Specialised | None:
        """Returns the specialised program, or None if it is not cached."""
        rules = self.types.get(type_name)
        by_roles = rules and rules.specialised.get(action)
        return by_roles.get(roles) if by_roles else None

    def cached_derived(self, roles: RoleSet, type_name: str, action: str, is_decided: bool) -> Derived | None:
        """Returns what filters derive from a specialised program, or None if it is not cached; see `FilterCache`."""
        key = roles, type_name, action, is_decided
        found = self.filters.by_roles.get(key)
        if found is None and (specialised := self.cached(roles, type_name, action)) is not None:
            found = self.filters.remembered(key, specialised)
        return found

    def specialised(self, roles: RoleSet, type_name: str, action: str) -> Specialised | None:
        """Returns the specialised program, or None if the type is not declared (E7).

        It is cached only for declared actions, because callers can invent others without end. Raises TakesLong on an
        event loop, if to specialise the program takes long.
        """
        rules = self.types.get(type_name)
        if rules is None:
            return None
        specialised = rules.specialise(roles, action, effort_for((rules, roles, action), MOST_COMPILED))
        if action in rules.type.actions:
            self._make_room(specialised)
            rules.keep(roles, action, specialised)
        return specialised

    def _make_room(self, specialised: Specialised) -> None:
        if (
            self._specialisations >= self._limits.specialisations
            or self._specialised_rules + specialised.weight > self._limits.specialised_rules
        ):
            self._forget()
        self._specialisations += 1
        self._specialised_rules += specialised.weight

    def _forget(self) -> None:
        for rules in self.types.values():
            rules.forget()
        self._specialisations = self._specialised_rules = 0

    def updated(self, state: State, invalid_types: set[int], gone: set[int]) -> "SpecialisationCache":
        """Returns the cache for a later state. The rules of the types with the numbers `invalid_types` have changed,
        and the clauses with the numbers `gone` are no more.

        Both share the sets of roles, and everything about the other types.
        """
        if not invalid_types:
            return self
        before = {rules.number: rules for rules in self.types.values()}
        types: dict[str, TypeRules] = {}
        for number, type in enumerate(state.types):
            if type is not None:
                rules = before.get(number) or TypeRules(number, type, state)
                types[type.name] = rules.updated(type, state, gone) if number in invalid_types else rules
        later = SpecialisationCache(types, self._limits)
        later._start(self.filters.without(invalid_types), self.no_roles, self._role_sets)
        return later
