"""Finds, among thousands of policies, those that may hold whenever another policy holds."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations

from ..overlap import Budget
from ..prepared_policy import Attribute, Pair, PreparedPolicy

_WORTH_INDEXING = 8
"""Lists with fewer policies than this are not indexed by a constant."""


class CoverIndex:
    """Policies by what they need of a request: types and actions, attributes, a role, a constant.

    A missing attribute passes no comparison (C2). So a policy that holds whenever another one does needs no attribute
    that the other one does not need.
    """

    def __init__(self, policies: Iterable[PreparedPolicy], budget: Budget):
        """`policies` are in the order in which they are found."""
        self._budget = budget
        groups: dict[frozenset[Pair], dict[frozenset[Attribute], list[PreparedPolicy]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for prepared in policies:
            groups[prepared.pairs][frozenset(prepared.tests)].append(prepared)
        self._pair_sets = list(groups)
        self._groups = [
            {needed: _Group(members) for needed, members in by_needed.items()} for by_needed in groups.values()
        ]
        self._sets_of: dict[Pair, list[int]] = defaultdict(list)
        for number, pairs in enumerate(self._pair_sets):
            for pair in pairs:
                self._sets_of[pair].append(number)
        self._covering: dict[frozenset[Pair], list[int]] = {}
        self._meeting: dict[frozenset[Pair], list[int]] = {}

    def covering(self, narrow: PreparedPolicy) -> Iterator[PreparedPolicy]:
        """Yields the other policies that may hold whenever `narrow` does, on all its types and actions."""
        pairs = narrow.pairs
        if pairs not in self._covering:
            fewest = min((self._sets_of.get(pair, ()) for pair in pairs), key=len, default=())
            self._budget.spend(1 + len(fewest))
            self._covering[pairs] = [number for number in fewest if pairs <= self._pair_sets[number]]
        yield from self._candidates(narrow, self._covering[pairs])

    def meeting(self, narrow: PreparedPolicy) -> Iterator[PreparedPolicy]:
        """Yields the other policies that may hold whenever `narrow` does, on some of its types and actions."""
        pairs = narrow.pairs
        if pairs not in self._meeting:
            numbers = {number for pair in pairs for number in self._sets_of.get(pair, ())}
            self._budget.spend(len(pairs) + len(numbers))
            self._meeting[pairs] = sorted(numbers)
        yield from self._candidates(narrow, self._meeting[pairs])

    def _candidates(self, narrow: PreparedPolicy, numbers: Sequence[int]) -> Iterator[PreparedPolicy]:
        needed = frozenset(narrow.tests)
        for number in numbers:
            for group in self._needing_no_more(self._groups[number], needed):
                for prepared in group.candidates(narrow):
                    self._budget.spend(1)
                    if prepared is not narrow:
                        yield prepared

    def _needing_no_more(
        self, groups: dict[frozenset[Attribute], "_Group"], needed: frozenset[Attribute]
    ) -> Iterator["_Group"]:
        """Yields the groups that need some of the attributes. PERF: it tries the subsets if they are fewer."""
        if 2 ** len(needed) < len(groups):
            subsets = (frozenset(some) for size in range(len(needed) + 1) for some in combinations(needed, size))
            found = [groups[some] for some in subsets if some in groups]
            self._budget.spend(2 ** len(needed))
        else:
            found = [group for some, group in groups.items() if some <= needed]
            self._budget.spend(len(groups))
        return iter(sorted(found, key=_first))


class _Group:
    """Policies on the same types and actions that need the same attributes, by role."""

    def __init__(self, members: Sequence[PreparedPolicy]):
        self.members = members
        by_role: dict[str | None, list[PreparedPolicy]] = defaultdict(list)
        for prepared in members:
            for role in dict.fromkeys(prepared.policy.roles or (None,)):
                by_role[role].append(prepared)
        self._by_role = {role: _ByConstant(some) for role, some in by_role.items()}

    def candidates(self, narrow: PreparedPolicy) -> Iterator[PreparedPolicy]:
        """Yields the policies that apply to everyone or have the first role of `narrow`."""
        for role in (None, *(narrow.policy.roles or ())[:1]):
            if role in self._by_role:
                yield from self._by_role[role].candidates(narrow)


class _ByConstant:
    """Policies, by the constants of an attribute that each of them limits to some."""

    def __init__(self, members: Sequence[PreparedPolicy]):
        self._members = members
        limited = [frozenset(prepared.constants) for prepared in members]
        shared = sorted(frozenset.intersection(*limited)) if len(members) >= _WORTH_INDEXING else []
        self._indexes: dict[Attribute, dict[Hashable, list[PreparedPolicy]]] = {}
        for attribute in shared:
            index = self._indexes[attribute] = defaultdict(list)
            for prepared in members:
                for constant in prepared.constants[attribute]:
                    index[constant].append(prepared)

    def candidates(self, narrow: PreparedPolicy) -> Sequence[PreparedPolicy]:
        """Returns the policies that allow for one constant of `narrow`, of each attribute that both limit."""
        best = self._members
        for attribute, index in self._indexes.items():
            constants = narrow.constants.get(attribute)
            if constants:
                found = index.get(next(iter(constants)), [])
                best = found if len(found) < len(best) else best
        return best


def _first(group: _Group) -> int:
    return group.members[0].index
