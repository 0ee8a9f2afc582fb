"""The cache of partial evaluations and filters. A key contains everything that its value depends on."""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ...bundles.conditions.trees.canonical import STEPS
from ...bundles.conditions.trees.direct_grants import ANY_SUBJECT, DirectGrants, for_subject
from ..limits import CacheLimits
from ..rules.rule import RoleSet
from ..rules.specialise import Specialised, TypeRules
from .attribute_reads import AttributeReads, attribute_reads
from .derive import Filter, derive
from .partial import Outcome, Partial, RemainingRules, partial
from .show_tree import show_tree

ProgramKey: TypeAlias = tuple[RoleSet, str, str, bool]
"""The way to an entry within one program: roles, the type's name, the action, and whether gates are decided."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The partial evaluation of one specialised program, with the conditions and filters derived so far, by outcome."""

    partial: Partial
    conditions: dict[Outcome, RemainingRules] = field(default_factory=dict)
    filters: dict[Outcome, Filter] = field(default_factory=dict)
    with_node: dict[Outcome, Filter] = field(default_factory=dict)
    """The filters with a node of the direct grants of any subject (F8)."""


class FilterCache:
    """The filters of one program, bounded. Thread-safe and fork-safe, since every entry can be derived again."""

    def __init__(self, limits: CacheLimits):
        self._limits = limits
        self._clear()

    def _clear(self) -> None:
        self._derived: dict[tuple[Specialised, bool], Derived] = {}
        self.by_roles: dict[ProgramKey, Derived] = {}
        """The entries of `cached` by what led to them. PERF: no key is a whole program."""
        self._for_any_roles: dict[tuple[int, str, bool], AttributeReads] = {}
        self._entries = self._parts = 0

    def __len__(self) -> int:
        """Returns the entries: specialised programs, conditions and filters."""
        return self._entries

    def without(self, types: set[int]) -> "FilterCache":
        """Returns a cache with the entries on all types but those with these numbers.

        It takes the counts as they are: it is emptied earlier than it must.
        """
        later = FilterCache(self._limits)
        later._derived = {key: entry for key, entry in list(self._derived.items()) if key[0].type not in types}
        kept = set(map(id, later._derived.values()))
        later.by_roles = {key: entry for key, entry in list(self.by_roles.items()) if id(entry) in kept}
        later._for_any_roles = {key: reads for key, reads in list(self._for_any_roles.items()) if key[0] not in types}
        later._entries, later._parts = self._entries, self._parts
        return later

    def cached(self, left: Specialised, decided: bool = False) -> Derived | None:
        """Returns the entry of a specialised program, or None if there is none; see `partial`."""
        return self._derived.get((left, decided))

    def remembered(self, key: ProgramKey, left: Specialised) -> Derived | None:
        """Returns as `cached`, and lets `by_roles` lead to it. `key` is that of the program."""
        found = self.cached(left, key[3])
        if found is not None:
            if len(self.by_roles) >= self._limits.filters:
                self.by_roles = {}
            self.by_roles[key] = found
        return found

    def derived(self, left: Specialised, rules: TypeRules, decided: bool = False) -> Derived:
        """Returns the entry of a specialised program for a declared action; see `partial`."""
        found = self._derived.get((left, decided))
        if found is None:
            found = Derived(partial(left, rules, decided))
            self._make_room(1 + len(found.partial.allows) + len(found.partial.denies))
            self._derived[left, decided] = found
        return found

    def conditions(self, derived: Derived, outcome: Outcome) -> RemainingRules:
        """Returns the rules that remain. What depends on an instant is not cached: hardly any request has it again."""
        found = derived.conditions.get(outcome)
        if found is None:
            found = derived.partial.conditions(outcome)
            if outcome[2] is None:
                self._make_room(1 + len(found.allows) + len(found.denies))
                derived.conditions[outcome] = found
        return found

    def filter(self, derived: Derived, outcome: Outcome, steps: int = STEPS) -> Filter:
        """Returns the filter of the rules that remain, without direct grants."""
        found = derived.filters.get(outcome)
        if found is None:
            found = derive(self.conditions(derived, outcome), steps=steps)
            if outcome[2] is None:
                self._make_room(found.size)
                derived.filters[outcome] = found
        return found

    def filter_with_node(self, derived: Derived, outcome: Outcome, grants: DirectGrants, steps: int = STEPS) -> Filter:
        """Returns the filter of the rules that remain, with direct grants as a node (F8). All subjects share its form.

        The node is not in it if the rules allow everything or nothing beside it.
        """
        found = derived.with_node.get(outcome)
        if found is None:
            found = derive(self.conditions(derived, outcome), (ANY_SUBJECT.comparison,), steps)
            if outcome[2] is None:
                self._make_room(found.size)
                derived.with_node[outcome] = found
        tree = for_subject(found.tree, grants)
        return replace(found, tree=tree, json=show_tree(tree))

    def reads_for_any_roles(self, rules: TypeRules, action: str, decided: bool) -> AttributeReads:
        """Returns the attributes that the rules on a declared action read, whatever roles they are for."""
        key = rules.number, action, decided
        found = self._for_any_roles.get(key)
        if found is None:
            # With the priority, a role goes before the lack of one (D8).
            ordered = sorted(rules.every(action), key=lambda one: (-one[0].priority, one[0].roles is None))
            found = attribute_reads(ordered, decided)
            self._make_room(1 + len(ordered))
            self._for_any_roles[key] = found
        return found

    def _make_room(self, parts: int) -> None:
        if self._entries >= self._limits.filters or self._parts + parts > self._limits.filter_parts:
            self._clear()
        self._entries += 1
        self._parts += parts
