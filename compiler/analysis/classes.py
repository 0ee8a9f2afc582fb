"""Groups the subjects of two models into classes to which the rules of a pair apply alike.

PERF: of 100,000 subjects, few matter to one pair. Subjects with the same standing are looked at once, and those without
a role, a group or a grant that counts for the pair not at all: they are the rest.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...bundles.program.facts import EntityKey, GrantHolder
from .changed_pairs import pairs_by_role, pairs_of_subjects
from .differences.cases import Cases, SubjectTypes
from .differences.pair_rules import PairRules, RenamedResource
from .members import Rest
from .models.grants import NO_GRANTS, Grants, PairGrants
from .models.people import OTHERS, Person, people
from .models.sides import Pair, Side


@dataclass(eq=False)
class Class:
    """Subjects to whom the rules of a pair apply alike. `one` stands for all. `resource` is a name that it is about."""

    one: Person
    grants: PairGrants
    resource: RenamedResource | None = None
    parts: list[Collection[Person]] = field(default_factory=list)

    @property
    def has_others(self) -> bool:
        """True if all subjects belong to it that neither model names."""
        return any(part == (OTHERS,) for part in self.parts)

    def members(self) -> Iterator[Person]:
        """Yields all subjects of the class."""
        for part in self.parts:
            yield from part


class Population:
    """All subjects of two models. `steps` counts the subjects that were looked at."""

    def __init__(self, before: Side, after: Side):
        self.grants = Grants(before, after)
        self._sides = before, after
        self._people = list(people(before, after))
        self.steps = 0
        self.standings: dict[int, list[Person]] = defaultdict(list)
        self._aliased = [person for person in self._people if person.external_id is not None]
        self._named = self._people[: len(self._people) - len(self._aliased)]
        for person in self._named:
            self.standings[id(person.standings)].append(person)

    def __len__(self) -> int:
        return len(self._people)

    def subject_types(self, rules: PairRules, one: Class) -> SubjectTypes:
        """Returns the types of the subjects of a class, if declarations of strict models depend on them (E8)."""
        if one.has_others or not Cases.of(rules.sides, rules.pair).reads_subjects:
            return None
        if any(isinstance(part, Rest) for part in one.parts):
            return self._types
        return frozenset(person.shown.type for person in one.members())

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(person.shown.type for person in self._people)

    def of_type(self, type: str) -> int:
        """Returns the number of the subjects of a type."""
        return sum(person.shown.type == type for person in self._people)

    @cached_property
    def _by_key(self) -> Mapping[EntityKey, Person]:
        return {person.shown: person for person in self._named}

    @cached_property
    def _by_role(self) -> Mapping[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, members in self.standings.items():
            for standing in members[0].standings:
                for holding in standing.holdings:
                    found[holding.role].add(number)
        return found

    @cached_property
    def _by_group(self) -> Mapping[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, members in self.standings.items():
            for standing in members[0].standings:
                for group in standing.groups:
                    found[group].add(number)
        return found

    def movers(self) -> Mapping[Pair, list[Person]]:
        """Returns the subjects whose standing differs, by the pairs on which that can matter."""
        found: dict[Pair, dict[Person, None]] = defaultdict(dict)
        by_role, of_subjects = pairs_by_role(*self._sides), pairs_of_subjects(*self._sides)
        lists = [*self.standings.values(), *([person] for person in self._aliased)]
        for members in lists:
            old, new = members[0].standings
            pairs: set[Pair] = set()
            if old.holdings != new.holdings:
                differing = {one.role for one in {*old.holdings} ^ {*new.holdings}}
                pairs.update(pair for role in differing for pair in by_role.get(role, ()))
            if old.groups != new.groups:
                pairs |= of_subjects
            for pair in pairs:
                found[pair].update(dict.fromkeys(members))
        for person, pair in self._with_other_grants(of_subjects):
            found[pair][person] = None
        return {pair: list(persons) for pair, persons in found.items()}

    def _with_other_grants(self, of_subjects: set[Pair]) -> Iterator[tuple[Person, Pair]]:
        """Yields the subjects whose grants differ, and those that an external id names differently."""
        changed = self.grants.changed_holders
        for members in self.standings.values():
            old, new = members[0].standings
            through = {pair for group in old.groups for pair in changed.get(group, ())}
            for person in members:
                if old.groups != new.groups:
                    yield from ((person, pair) for pair in self._granted_pairs(person))
                elif changed:
                    yield from ((person, pair) for pair in (*changed.get(person.shown, ()), *through))
        for person in self._aliased:
            yield from ((person, pair) for pair in (*self._granted_pairs(person), *of_subjects))

    def _granted_pairs(self, person: Person) -> set[Pair]:
        found: set[Pair] = set()
        for by_type, key, standing in zip(self.grants.by_type, person.keys, person.standings, strict=True):
            for type, holders in by_type.items():
                named: tuple[GrantHolder, ...] = standing.groups if key is None else (key, *standing.groups)
                for holder in named:
                    found.update((type, action) for one in holders.get(holder, ()) for action in one.actions)
        return found

    def classes(self, rules: PairRules, movers: Sequence[Person]) -> Iterable[Class]:
        """Returns the classes of a pair: of all subjects if its rules changed, or else of `movers`."""
        found: dict[object, Class] = {}
        if not rules.changed:
            self._add_each(found, rules, movers)
            return found.values()
        holders = self._holders(rules.pair[0])
        own = {holder for holder in holders if isinstance(holder, EntityKey)}
        if rules.reads_key:
            self._add_each(found, rules, self._people)
        else:
            groups = [holder for holder in holders if isinstance(holder, str)]
            examined = set[int]().union(*(self._by_role.get(role, ()) for role in rules.roles))
            examined |= set[int]().union(*(self._by_group.get(group, ()) for group in groups))
            if rules.reads_groups:
                examined = {*self.standings}
            holding = {id(self._by_key[key].standings) for key in own if key in self._by_key}
            for number in sorted(examined, key=lambda number: self.standings[number][0].place):
                members = self.standings[number]
                if number in holding:
                    members = [person for person in members if person.shown not in own]
                if members:
                    self._add(found, rules, members[0], members)
            rest = self._rest(examined, own)
            if rest:
                self._add(found, rules, next(iter(rest)), rest)
            self._add_each(found, rules, [self._by_key[key] for key in sorted(own) if key in self._by_key])
            self._add_each(found, rules, self._aliased)
        self._add_each(found, rules, [OTHERS])
        return found.values()

    def _rest(self, examined: Set[int], own: Set[GrantHolder]) -> Rest:
        """Returns the subjects of all standings but the `examined`, without those that are in `own`."""

        def is_left_out(person: Person) -> bool:
            return id(person.standings) in examined or person.shown in own

        held = (self._by_key[key] for key in own if isinstance(key, EntityKey) and key in self._by_key)
        left_out = sum(len(self.standings[number]) for number in examined)
        left_out += sum(id(person.standings) not in examined for person in held)
        return Rest(self._named, is_left_out, left_out)

    def _holders(self, type: str) -> set[GrantHolder]:
        return {holder for found in self.grants.by_type for holder in found.get(type, ())}

    def _add_each(self, found: dict[object, Class], rules: PairRules, persons: Iterable[Person]) -> None:
        for person in persons:
            self._add(found, rules, person, (person,))

    def _add(self, found: dict[object, Class], rules: PairRules, one: Person, members: Collection[Person]) -> None:
        """Adds subjects that have the same standing, and whose grants are those of `one`."""
        self.steps += 1
        grants = self.grants.of(one, rules.pair) if self.grants.has_any(rules.pair[0]) else NO_GRANTS
        key = rules.signature(one, grants)
        if key not in found:
            found[key] = Class(one, grants)
        found[key].parts.append(members)

    def classes_on(self, rules: PairRules, resource: RenamedResource) -> Iterable[Class]:
        """Returns the classes of a pair for requests that name a resource by a name that means another one now."""
        found: dict[object, Class] = {}
        for person in (*self._people, OTHERS):
            self.steps += 1
            grants = self.grants.of(person, rules.pair)
            terms = [
                self.grants.ids_on(person, rules.pair, side).get(id, ()) if id is not None else ()
                for side, id in enumerate(resource.ids)
            ]
            one = replace(resource, terms=(terms[0], terms[1]))
            key = rules.signature(person, grants), one
            found.setdefault(key, Class(person, grants, one)).parts.append((person,))
        return found.values()
