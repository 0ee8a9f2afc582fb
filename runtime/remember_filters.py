"""Remembers filters by all that they depend on: the specialised program, and which of its rules are left."""

from dataclasses import dataclass, field

from runtime.filters import Filter
from runtime.limits import MemoLimits
from runtime.partial import Outcome, Partial, partial
from runtime.specialise import Specialised, TypeRules


@dataclass(frozen=True, slots=True)
class Derived:
    """What is left of one specialised program while the resource is unknown, and the filters derived from that."""

    partial: Partial
    filters: dict[Outcome, Filter] = field(default_factory=dict)


class FilterMemory:
    """The filters of one program, bounded. Thread-safe and fork-safe: everything remembered is recomputable."""

    def __init__(self, limits: MemoLimits):
        self._limits = limits
        self._forget()

    def _forget(self) -> None:
        self._derived: dict[Specialised, Derived] = {}
        self._filters = self._parts = 0

    def known(self, left: Specialised) -> Derived | None:
        """What was derived from a specialised program."""
        return self._derived.get(left)

    def derived(self, left: Specialised, rules: TypeRules, action: str) -> Derived:
        """What is derived from a specialised program, remembered for actions that are declared."""
        found = self._derived.get(left)
        if found is None:
            found = Derived(partial(left, rules))
            if action in rules.type.actions:
                self._make_room(len(found.partial.allows) + len(found.partial.denies))
                self._derived[left] = found
        return found

    def remember(self, derived: Derived, outcome: Outcome, found: Filter) -> None:
        """Remember a filter."""
        self._make_room(found.size)
        self._filters += 1
        derived.filters[outcome] = found

    def _make_room(self, parts: int) -> None:
        if self._filters >= self._limits.filters or self._parts + parts > self._limits.filter_parts:
            self._forget()
        self._parts += parts
