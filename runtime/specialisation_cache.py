"""Remembers what is left of one program by sets of roles, bounded; shared by all snapshots that have this program."""

from ..bundles.program.clauses import ResourceType
from .filters.filter_cache import FilterCache
from .limits import MemoLimits
from .rules.reasons import PolicyPath
from .rules.specialise import RoleSet, Specialised, TypeRules
from .state.state import State


class RuleMemory:
    """The rules of one program. Thread-safe and fork-safe: everything remembered is recomputable.

    `nothing` is the set of no roles; `types` are the rules on each declared type, by the name that requests use;
    `filters` are what was derived from them.
    """

    def __init__(self, types: dict[str, TypeRules], limits: MemoLimits):
        self.types = types
        self._limits = limits
        self.forget()

    def forget(self) -> None:
        """Start anew: working a subject out again costs less than keeping account of which is oldest."""
        self.nothing = RoleSet(())
        self._role_sets = {self.nothing.held: self.nothing}
        self._specialisations = self._specialised_rules = 0
        self.filters = FilterCache(self._limits)

    @property
    def full(self) -> bool:
        """Whether there is no room for another set of roles."""
        return len(self._role_sets) >= self._limits.role_sets

    def known(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet | None:
        """The one object for a sorted set of (role, path), if it is remembered."""
        return self._role_sets.get(held)

    def role_set(self, held: tuple[tuple[int, PolicyPath], ...]) -> RoleSet:
        """The one object for a sorted set of (role, path)."""
        return self._role_sets.setdefault(held, RoleSet(held))

    def specialised(self, roles: RoleSet, type_name: str, action: str) -> Specialised | None:
        """What is left of the rules, None for a type that is not declared; remembered for actions that are (E7)."""
        rules = self.types.get(type_name)
        if rules is None:
            return None
        left = rules.specialise(roles, action)
        if action in rules.type.actions:
            self._make_room(left)
            roles.left.setdefault(type_name, {})[action] = left
        return left

    def _make_room(self, left: Specialised) -> None:
        if (
            self._specialisations >= self._limits.specialisations
            or self._specialised_rules + left.weight > self._limits.specialised_rules
        ):
            for roles in list(self._role_sets.values()):
                roles.left.clear()
            self._specialisations = self._specialised_rules = 0
        self._specialisations += 1
        self._specialised_rules += left.weight

    def follow(self, state: State, touched: set[int]) -> "RuleMemory":
        """The memory of a later state in which the rules of the types with these numbers changed."""
        if not touched:
            return self
        before = {rules.number: rules for rules in self.types.values()}
        types: dict[str, TypeRules] = {}
        for number, type in enumerate(state.types):
            if type is not None:
                types[type.name] = _follow(before.get(number), number, type, state, number in touched)
        return RuleMemory(types, self._limits)


def rule_memory(state: State, limits: MemoLimits) -> RuleMemory:
    """The memory of a state, with nothing in it yet."""
    types = {type.name: TypeRules(number, type, state) for number, type in enumerate(state.types) if type is not None}
    return RuleMemory(types, limits)


def _follow(before: TypeRules | None, number: int, type: ResourceType, state: State, touched: bool) -> TypeRules:
    if before is None:
        return TypeRules(number, type, state)
    return before.follow(type, state) if touched else before
