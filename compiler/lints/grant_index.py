"""Finds, among a million direct grants, one that a DENY can forbid: by type and action, or by ids that it names."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

from ...bundles.conditions.attribute_keys import reads_own_key
from ...bundles.conditions.comparisons import Predicate, predicate
from ..checks.draft import Draft
from ..lowering.lower import expand_actions
from ..model.elements import Grant
from .overlap import Budget
from .prepared_policy import Attribute, Pair, PreparedPolicy

_RESOURCE_ID: Attribute = ("resource_attrs", "id")
_SUBJECT_ID: Attribute = ("subject_attrs", "id")


class GrantIndex:
    """An index of the direct grants of a model."""

    def __init__(self, draft: Draft, denies: Iterable[PreparedPolicy]):
        """`denies` are the DENY policies that will be looked up."""
        self._draft = draft
        denies = list(denies)
        self._by_resource = self._by_id(denies, _RESOURCE_ID, lambda grant: grant.resource.id)
        self._by_subject = self._by_id(denies, _SUBJECT_ID, lambda grant: grant.subject.id)
        self._first: dict[Pair, int] = {}
        for (type_id, actions), place in self._first_of_each_kind().items():
            for action in expand_actions(actions, draft.types[type_id]) if type_id in draft.types else ():
                self._first.setdefault((type_id, action), place)

    def grant_for(self, deny: PreparedPolicy, budget: Budget) -> Grant | None:
        """Returns a grant that `deny` can forbid, or None.

        If `deny` names ids of resources or subjects, all its comparisons of ids and types hold for the grant. If not,
        the grant is the first one on a type and action of `deny`. Raises OutOfSteps.
        """
        grants = self._draft.whole_grants
        places = self._places(deny)
        if places is None:
            first = min((self._first[pair] for pair in deny.pairs if pair in self._first), default=None)
            return None if first is None else grants[first]
        tests = [
            (attribute, predicate(op, constant))
            for attribute, compared in deny.tests.items()
            if reads_own_key(*attribute)
            for op, constant in compared
        ]
        for place in places:
            budget.spend(1)
            if self._is_met(grants[place], deny, tests):
                return grants[place]
        return None

    def _places(self, deny: PreparedPolicy) -> Iterator[int] | None:
        """Yields the indexes of grants on the resources, or else for the subjects, that `deny` names by id.

        Returns None if it names no ids.
        """
        for attribute, index in ((_RESOURCE_ID, self._by_resource), (_SUBJECT_ID, self._by_subject)):
            if attribute in deny.constants:
                return (place for constant in deny.constants[attribute] for place in index.get(constant, ()))
        return None

    def _is_met(self, grant: Grant, deny: PreparedPolicy, tests: Iterable[tuple[Attribute, Predicate]]) -> bool:
        declared = self._draft.types.get(grant.resource.type)
        if declared is None:
            return False
        own = {
            _SUBJECT_ID: grant.subject.id,
            ("subject_attrs", "type"): grant.subject.type,
            _RESOURCE_ID: grant.resource.id,
            ("resource_attrs", "type"): declared.name or declared.id,
        }
        actions = expand_actions(grant.actions, declared)
        return any((declared.id, action) in deny.pairs for action in actions) and all(
            test(own[attribute]) for attribute, test in tests
        )

    def _first_of_each_kind(self) -> dict[tuple[str, tuple[str, ...]], int]:
        found: dict[tuple[str, tuple[str, ...]], int] = {}
        for place, grant in enumerate(self._draft.whole_grants):
            found.setdefault((grant.resource.type, grant.actions), place)
        return found

    def _by_id(
        self, denies: Iterable[PreparedPolicy], attribute: Attribute, own_id: Callable[[Grant], str]
    ) -> dict[Hashable, list[int]]:
        """Returns the indexes of the grants with an id that some DENY names, by id."""
        wanted = {constant for deny in denies for constant in deny.constants.get(attribute, ())}
        found: dict[Hashable, list[int]] = defaultdict(list)
        for place, grant in enumerate(self._draft.whole_grants if wanted else ()):
            key = ("string", own_id(grant))
            if key in wanted:
                found[key].append(place)
        return found
