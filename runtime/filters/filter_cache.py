"""Remembers what partial evaluation leaves, and filters, by all that they depend on."""

from dataclasses import dataclass, field

from ...bundles.conditions.trees.canonical import STEPS
from ..limits import MemoLimits
from ..rules.specialise import Specialised, TypeRules
from .derive import Filter, derive
from .partial import Conditions, Outcome, Partial, partial


@dataclass(frozen=True, slots=True)
class Derived:
    """What is left of one specialised program while the resource is unknown, and by outcome what came of it."""

    partial: Partial
    conditions: dict[Outcome, Conditions] = field(default_factory=dict)
    filters: dict[Outcome, Filter] = field(default_factory=dict)


class FilterMemory:
    """The filters of one program, bounded. Thread-safe and fork-safe: everything remembered is recomputable."""

    def __init__(self, limits: MemoLimits):
        self._limits = limits
        self._forget()

    def _forget(self) -> None:
        self._derived: dict[tuple[Specialised, bool], Derived] = {}
        self._entries = self._parts = 0

    def known(self, left: Specialised) -> Derived | None:
        """What is remembered of a specialised program, gates left open."""
        return self._derived.get((left, False))

    def derived(self, left: Specialised, rules: TypeRules, decided: bool = False) -> Derived:
        """What is derived from a specialised program, for an action that is declared; see `partial`."""
        found = self._derived.get((left, decided))
        if found is None:
            found = Derived(partial(left, rules, decided))
            self._make_room(1 + len(found.partial.allows) + len(found.partial.denies))
            self._derived[left, decided] = found
        return found

    def conditions(self, derived: Derived, outcome: Outcome) -> Conditions:
        """What is left of the rules."""
        found = derived.conditions.get(outcome)
        if found is None:
            found = derived.partial.conditions(outcome)
            self._make_room(1 + len(found.allows) + len(found.denies))
            derived.conditions[outcome] = found
        return found

    def filter(self, derived: Derived, outcome: Outcome, steps: int = STEPS) -> Filter:
        """The filter of what is left, direct grants apart."""
        found = derived.filters.get(outcome)
        if found is None:
            found = derive(self.conditions(derived, outcome), steps=steps)
            self._make_room(found.size)
            derived.filters[outcome] = found
        return found

    def _make_room(self, parts: int) -> None:
        if self._entries >= self._limits.filters or self._parts + parts > self._limits.filter_parts:
            self._forget()
        self._entries += 1
        self._parts += parts
