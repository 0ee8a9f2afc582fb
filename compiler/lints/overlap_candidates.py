"""Finds, among thousands of ALLOW policies, those that may overlap a DENY, the highest priority first."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from heapq import merge

import msgspec

from .prepared_policy import Attribute, Pair, PreparedPolicy

_WORTH_INDEXING = 2
"""An attribute is indexed if at least one in this many policies limits it to some constants."""


class OverlapCandidates:
    """The ALLOW policies of a model, found by the types and actions that they share with a DENY.

    If several policies have the same types, actions and conditions, it has only the first by rank. If some policy or
    `denies` have exceptions, they must also have the same roles and exceptions (P6).
    """

    def __init__(self, policies: Iterable[PreparedPolicy], denies: Iterable[PreparedPolicy] = ()):
        by_pairs: dict[frozenset[Pair], dict[bytes, PreparedPolicy]] = defaultdict(dict)
        policies = list(policies)
        excepting = any(prepared.policy.except_roles for some in (policies, denies) for prepared in some)
        for prepared in sorted(policies, key=rank):
            policy = prepared.policy
            if policy.effect == "ALLOW":
                people = (policy.roles, policy.except_roles) if excepting else ()
                key = msgspec.json.encode((policy.conditions, *people))
                by_pairs[prepared.pairs].setdefault(key, prepared)
        self._groups = [_AllowGroup(list(group.values())) for group in by_pairs.values()]
        self._groups_of: dict[Pair, list[int]] = defaultdict(list)
        for number, pairs in enumerate(by_pairs):
            for pair in pairs:
                self._groups_of[pair].append(number)
        self._met: dict[frozenset[Pair], list[_AllowGroup]] = {}

    def of(self, deny: PreparedPolicy) -> Iterator[PreparedPolicy]:
        """Yields the ALLOW policies on a type and action of `deny`, by rank.

        It leaves out those that an index excludes: they need another constant of an attribute than `deny`.
        """
        return merge(*(group.candidates(deny) for group in self._groups_on(deny)), key=rank)

    def any_for(self, deny: PreparedPolicy) -> bool:
        """Returns whether there is an ALLOW on a type and action of `deny`."""
        return bool(self._groups_on(deny))

    def _groups_on(self, deny: PreparedPolicy) -> Sequence["_AllowGroup"]:
        groups = self._met.get(deny.pairs)
        if groups is None:
            numbers = {number for pair in deny.pairs for number in self._groups_of.get(pair, ())}
            groups = self._met[deny.pairs] = [self._groups[number] for number in sorted(numbers)]
        return groups


def rank(prepared: PreparedPolicy) -> tuple[int, str]:
    """Returns the sort key of policies: the highest priority first, then by id (D8)."""
    return -prepared.policy.priority, prepared.policy.id


class _AllowGroup:
    """ALLOW policies that cover the same types and actions, by rank."""

    def __init__(self, allows: Sequence[PreparedPolicy]):
        self._allows = allows
        pinned: dict[Attribute, int] = defaultdict(int)
        for prepared in allows:
            for attribute in prepared.constants:
                pinned[attribute] += 1
        self._by_constant: dict[Attribute, dict[Hashable, list[int]]] = {}
        self._unpinned: dict[Attribute, list[int]] = {}
        for attribute, count in pinned.items():
            if count * _WORTH_INDEXING >= len(allows):
                self._index(attribute)

    def candidates(self, deny: PreparedPolicy) -> Iterator[PreparedPolicy]:
        """Returns the policies that the most selective index does not exclude for `deny`, by rank."""
        best: Sequence[int] = range(len(self._allows))
        for attribute, constants in deny.constants.items():
            if attribute in self._by_constant:
                places = set(self._unpinned[attribute])
                for constant in constants:
                    places.update(self._by_constant[attribute].get(constant, ()))
                if len(places) < len(best):
                    best = sorted(places)
        return (self._allows[place] for place in best)

    def _index(self, attribute: Attribute) -> None:
        by_constant: dict[Hashable, list[int]] = defaultdict(list)
        unpinned = []
        for place, prepared in enumerate(self._allows):
            if attribute not in prepared.constants:
                unpinned.append(place)
            for constant in prepared.constants.get(attribute, ()):
                by_constant[constant].append(place)
        self._by_constant[attribute], self._unpinned[attribute] = by_constant, unpinned
