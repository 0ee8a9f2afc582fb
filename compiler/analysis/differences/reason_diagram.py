"""Diagrams of changed reasons: which values of the variables both models deny, with different reason codes (D1 to D6).

After each answer, they keep what is settled on each side, and the rules that can still hold. From these follow the
codes that are still possible on either side. The search ends where these can't differ, or must.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from ....bundles.conditions.trees.diagrams import FALSE, TRUE, Node
from ....bundles.conditions.trees.rule_diagram import Bits, union_of
from .diagram import DifferenceDiagrams, Kind, NamedBody

CANDIDATE: Final = "CANDIDATE"
"""The effect of a rule that holds where some ALLOW is a candidate (D4)."""

OTHER_ACTION: Final = "OTHER_ACTION"
"""The effect of a rule that holds where some ALLOW or grant applies for another action (D5)."""

_BLOCK, _DENY, _ALLOW, _CANDIDATE, _OTHER_ACTION = 1, 2, 4, 8, 16
_EFFECTS: Final = {
    "BLOCK": _BLOCK,
    "DENY": _DENY,
    "ALLOW": _ALLOW,
    CANDIDATE: _CANDIDATE,
    OTHER_ACTION: _OTHER_ACTION,
}

_NO_MATCH, _OVERRIDE, _EXPLICIT, _ALLOWED, _FAILED, _NOT_PERMITTED = 1, 2, 4, 8, 16, 32

_STATES: Final = 32

_Masks: TypeAlias = Mapping[int, Bits]
"""The rules of one side, by their effect."""


class ReasonDiagrams(DifferenceDiagrams):
    """The diagrams of several classes of subjects, which share their nodes."""

    def changes(self, old: Iterable[NamedBody], new: Iterable[NamedBody]) -> Mapping[Kind, Node]:
        """Returns the node of the denials with another reason. Raises OutOfSteps."""
        self._nodes: dict[tuple[int, Bits, int, int], Node] = {}
        self._sides = self._masks(old), self._masks(new)
        self._needs = [[_needed(state, masks) for state in range(_STATES)] for masks in self._sides]
        every = union_of(rules for masks in self._sides for rules in masks.values())
        return {Kind.OTHER_REASON: self._reason(0, every, 0, 0)}

    def _masks(self, rules: Iterable[NamedBody]) -> _Masks:
        found = dict.fromkeys(_EFFECTS.values(), 0)
        for rule in rules:
            found[_EFFECTS[rule[0]]] |= 1 << self._places[rule]
        return found

    def _reason(self, level: int, left: Bits, old: int, new: int) -> Node:
        """Returns the node of `level` for `left`. `old` and `new` are the effects that are settled on each side."""
        first, second = self._sides
        pending = self._pending[level]
        settled = left & ~pending
        if settled:
            old, new = old | _present(first, settled), new | _present(second, settled)
        left &= pending & (self._needs[0][old] | self._needs[1][new])
        was, now = _POSSIBLE[old][_present(first, left)], _POSSIBLE[new][_present(second, left)]
        if _cannot_differ(was & ~_ALLOWED, now & ~_ALLOWED):
            return FALSE
        if not (was | now) & _ALLOWED and not was & now:
            return TRUE
        if old == new and all(left & first[effect] == left & second[effect] for effect in first):
            return FALSE
        key = level, left, old, new
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = self._reason_asked(*key)
        return found

    def _reason_asked(self, level: int, left: Bits, old: int, new: int) -> Node:
        children = [self._reason(after, left & alive, old, new) for after, alive in self._answers(level)]
        self.diagrams.spend(len(children))
        return self.diagrams.node(level, children)


def _present(masks: _Masks, rules: Bits) -> int:
    """Returns the effects that some rules of one side have."""
    found = 0
    for effect, mask in masks.items():
        if rules & mask:
            found |= effect
    return found


def _needed(state: int, masks: _Masks) -> Bits:
    """Returns the rules of one side that can still change its reason code."""
    if state & _BLOCK:
        return 0
    effects = [_BLOCK]
    if not state & _DENY:
        effects.append(_DENY)
    if not state & _ALLOW:
        effects.append(_ALLOW)
        if not state & (_DENY | _CANDIDATE):
            effects.append(_CANDIDATE)
            if not state & _OTHER_ACTION:
                effects.append(_OTHER_ACTION)
    return union_of(masks[effect] for effect in effects)


def _possible(state: int, left: int) -> int:
    """Returns the codes that one side may still have, if rules with the effects `left` are left.

    Without such rules, it is one (D1 to D6, E7).
    """
    can = state | left
    if state & _BLOCK:
        return _NO_MATCH
    found = _NO_MATCH if can & _BLOCK else 0
    if can & _DENY:
        found |= (_OVERRIDE if can & _ALLOW else 0) | (0 if state & _ALLOW else _EXPLICIT)
    if state & _DENY:
        return found
    if can & _ALLOW:
        found |= _ALLOWED
    if state & _ALLOW:
        return found
    if can & _CANDIDATE:
        found |= _FAILED
    if not state & _CANDIDATE:
        found |= _NOT_PERMITTED if can & _OTHER_ACTION else 0
        found |= 0 if state & _OTHER_ACTION else _NO_MATCH
    return found


def _cannot_differ(was: int, now: int) -> bool:
    """Returns whether no two of the possible reasons for a denial are different."""
    return not was or not now or (was == now and was.bit_count() == 1)


_POSSIBLE: Final = [[_possible(state, left) for left in range(_STATES)] for state in range(_STATES)]
"""PERF: the codes for each state and each set of effects that are left."""
