"""The direct grants of a subject on one pair of type and action, and how they differ between two models (P4, P7)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from ....bundles.conditions.gates import Span
from ....bundles.conditions.intervals import united
from ....bundles.program.facts import EntityKey, GrantHolder
from .people import Person
from .sides import GrantOn, Pair, Side

Spans: TypeAlias = tuple[Span, ...]
OnResources: TypeAlias = Mapping[str, Spans]
"""The terms of grants by the id of their resource."""


@dataclass(frozen=True)
class PairGrants:
    """The grants of a subject on one pair. `common` are the same in both models, and `changed` differ.

    `changed` has, for terms before and after, the ids of the resources.
    """

    common: frozenset[str] = frozenset()
    changed: frozenset[tuple[Spans, Spans, tuple[str, ...]]] = frozenset()

    @cached_property
    def changed_ids(self) -> list[str]:
        """The resources of which the grants differ, in order."""
        return sorted(id for _, _, ids in self.changed for id in ids)


NO_GRANTS = PairGrants()


@dataclass
class Grants:
    """The grants of both models, by holder."""

    before: Side
    after: Side
    _known: dict[tuple[object, ...], PairGrants] = field(default_factory=dict)

    @cached_property
    def by_type(self) -> tuple[Mapping[str, Mapping[GrantHolder, list[GrantOn]]], ...]:
        """For each model, the grants by the name of their type and by their holder."""
        return _by_type(self.before), _by_type(self.after)

    @cached_property
    def changed_holders(self) -> Mapping[GrantHolder, frozenset[Pair]]:
        """The holders whose own grants differ, with the pairs on which they do."""
        found: dict[GrantHolder, set[Pair]] = defaultdict(set)
        old, new = self.by_type
        for type in {*old, *new}:
            was, now = old.get(type, {}), new.get(type, {})
            for holder in {*was, *now}:
                left, right = was.get(holder), now.get(holder)
                if left != right:
                    differing = _bag(left) ^ _bag(right)
                    found[holder].update((type, action) for action, *_ in differing)
        return {holder: frozenset(pairs) for holder, pairs in found.items() if pairs}

    def has_any(self, type: str) -> bool:
        """Returns whether there is a grant on a type in one of the models."""
        return any(type in found for found in self.by_type)

    def of(self, person: Person, pair: Pair, *, others: bool = False) -> PairGrants:
        """Returns the grants of a subject and of its groups on a pair, or those of `others`: the other actions."""
        type, action = pair
        lists = [
            self._lists(found.get(type, {}), key, standing.groups)
            for found, key, standing in zip(self.by_type, person.keys, person.standings, strict=True)
        ]
        if not lists[0] and not lists[1]:
            return NO_GRANTS
        named = pair, others, *(tuple(map(id, one)) for one in lists)
        known = self._known.get(named)
        if known is None:
            known = self._known[named] = _compared(*(_on_resources(one, action, others) for one in lists))
        return known

    @staticmethod
    def _lists(
        found: Mapping[GrantHolder, list[GrantOn]], key: EntityKey | None, groups: tuple[str, ...]
    ) -> list[list[GrantOn]]:
        if not found:
            return []
        holders: tuple[GrantHolder, ...] = groups if key is None else (key, *groups)
        return [found[holder] for holder in holders if holder in found]

    def ids_on(self, person: Person, pair: Pair, side: int, *, others: bool = False) -> OnResources:
        """Returns the resources on which a subject has grants in one model, with their terms.

        They are grants of the action, or of `others`: the other actions.
        """
        found = self.by_type[side].get(pair[0], {})
        return _on_resources(self._lists(found, person.keys[side], person.standings[side].groups), pair[1], others)


def _by_type(side: Side) -> Mapping[str, Mapping[GrantHolder, list[GrantOn]]]:
    names = {type.id: type.name for type in side.program.types}
    found: dict[str, dict[GrantHolder, list[GrantOn]]] = defaultdict(lambda: defaultdict(list))
    for holder, _ in side.facts.grants.by_holder():
        for grant in side.grants_of(holder):
            found[names[grant.type]][holder].append(grant)
    return found


def _bag(grants: list[GrantOn] | None) -> set[tuple[str, str, float, float]]:
    return {(action, one.resource, one.expires, one.starts) for one in grants or () for action in one.actions}


def _on_resources(lists: list[list[GrantOn]], action: str, others: bool) -> OnResources:
    found: dict[str, list[Span]] = defaultdict(list)
    for grants in lists:
        for grant in grants:
            if any((one != action) == others for one in grant.actions):
                found[grant.resource].append((grant.starts, grant.expires))
    return {id: tuple(united(spans)) for id, spans in found.items() if united(spans)}


def _compared(old: OnResources, new: OnResources) -> PairGrants:
    changed: dict[tuple[Spans, Spans], list[str]] = defaultdict(list)
    common = set()
    for id in {*old, *new}:
        was, now = old.get(id, ()), new.get(id, ())
        if was == now:
            common.add(id)
        else:
            changed[was, now].append(id)
    return PairGrants(frozenset(common), frozenset((*terms, tuple(sorted(ids))) for terms, ids in changed.items()))
