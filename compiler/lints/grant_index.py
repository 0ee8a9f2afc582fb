"""Finds, among a million direct grants, one that a DENY can forbid: by type and action, or by ids that it names."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property

from ...bundles.conditions.attribute_keys import reads_own_key
from ...bundles.conditions.comparisons import Predicate, predicate
from ..checks.draft import Draft
from ..lowering.lower import expand_actions
from ..model.elements import Grant
from .overlap import Budget
from .people.role_holders import Groups
from .prepared_policy import Attribute, Pair, PreparedPolicy

_RESOURCE_ID: Attribute = ("resource_attrs", "id")
_SUBJECT_ID: Attribute = ("subject_attrs", "id")
_SUBJECT_TYPE: Attribute = ("subject_attrs", "type")


class GrantIndex:
    """An index of the direct grants of a model."""

    def __init__(self, draft: Draft, denies: Iterable[PreparedPolicy]):
        """`denies` are the DENY policies that will be looked up."""
        self._draft = draft
        denies = list(denies)
        self._by_resource = self._by_id(denies, _RESOURCE_ID, lambda grant: (grant.resource.id,))
        self._by_subject = self._by_id(denies, _SUBJECT_ID, self._subject_ids)
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
        own = {_RESOURCE_ID: grant.resource.id, ("resource_attrs", "type"): declared.name or declared.id}
        actions = expand_actions(grant.actions, declared)
        return any((declared.id, action) in deny.pairs for action in actions) and any(
            all(test((own | {_SUBJECT_ID: id, _SUBJECT_TYPE: type})[attribute]) for attribute, test in tests)
            for type, id in self._subjects(grant)
        )

    def _subjects(self, grant: Grant) -> Iterable[tuple[str, str]]:
        """Returns the types and ids of the subjects that a grant is for: one, or the members of a group (P7)."""
        if grant.subject is not None:
            return ((grant.subject.type, grant.subject.id),)
        return self._members.get(grant.group or "", ())

    def _subject_ids(self, grant: Grant) -> Iterable[str]:
        return (id for _, id in self._subjects(grant))

    @cached_property
    def _members(self) -> dict[str, list[tuple[str, str]]]:
        """The subjects in each group that has grants, at any depth."""
        granted = {grant.group for grant in self._draft.whole_grants if grant.group is not None}
        return Groups(self._draft.model).members_of(granted)

    def _first_of_each_kind(self) -> dict[tuple[str, tuple[str, ...]], int]:
        found: dict[tuple[str, tuple[str, ...]], int] = {}
        for place, grant in enumerate(self._draft.whole_grants):
            found.setdefault((grant.resource.type, grant.actions), place)
        return found

    def _by_id(
        self, denies: Iterable[PreparedPolicy], attribute: Attribute, own_ids: Callable[[Grant], Iterable[str]]
    ) -> dict[Hashable, list[int]]:
        """Returns the indexes of the grants with an id that some DENY names, by id."""
        wanted = {constant for deny in denies for constant in deny.constants.get(attribute, ())}
        found: dict[Hashable, list[int]] = defaultdict(list)
        for place, grant in enumerate(self._draft.whole_grants if wanted else ()):
            for key in {("string", id) for id in own_ids(grant)} & wanted:
                found[key].append(place)
        return found
