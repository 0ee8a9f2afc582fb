"""The rules for one pair of type and action, as they apply to one subject in each of two models."""

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from ....bundles.conditions.attribute_keys import OWN_KEYS
from ....bundles.conditions.comparisons import predicate
from ....bundles.conditions.intervals import united
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.patterns import pattern_predicate
from ....bundles.conditions.references import GROUPS, is_comparable
from ....bundles.conditions.values import Json
from ....bundles.program.clauses import Reference
from ..conditions.translate import ALWAYS, NEVER, Alternatives, OwnTest, Template, both, related, with_required
from ..conditions.variables import (
    CLOCK,
    GRANT,
    NO,
    PRESENT,
    REGISTERED,
    YES,
    Body,
    Literal,
    SpanTest,
    ValueTest,
    attribute,
    states,
    value_test,
)
from ..models.grants import PairGrants, Spans
from ..models.people import Person
from ..models.sides import Pair, Side, Standing
from .diagram import NamedBody

ALL_TIME: Spans = ((float("-inf"), float("inf")),)
RESOURCE_ID = attribute("resource_attrs", "id")


@dataclass(frozen=True)
class RenamedResource:
    """A name or external id that means another resource than before: its ids, and the terms of a subject's grants.

    An id is None where the name means no resource. `kind` is `external_id` or `name`.
    """

    kind: str
    name: str
    ids: tuple[str | None, str | None]
    terms: tuple[Spans, Spans] = ((), ())


@dataclass
class PairRules:
    """The templates of one pair in both models. `registered` are the ids of its type's resources in either."""

    pair: Pair
    sides: tuple[Side, Side]
    templates: tuple[frozenset[Template], frozenset[Template]]
    registered: tuple[AbstractSet[str], AbstractSet[str]]

    @cached_property
    def changed(self) -> bool:
        """True if the rules themselves differ, not only what a subject holds."""
        declared = [side.declares(self.pair) for side in self.sides]
        return (
            self.templates[0] != self.templates[1]
            or self.blocked[0] != self.blocked[1]
            or declared[0] != declared[1]
            or any(self.only_registered)
        )

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that matter."""
        return frozenset(role for one in self._all for role in (*(one.roles or ()), *one.except_roles))

    @cached_property
    def _all(self) -> frozenset[Template]:
        return self.templates[0] | self.templates[1]

    @cached_property
    def blocked(self) -> tuple[bool, bool]:
        """For each model, true if the type is closed there."""
        found = (side.types.get(self.pair[0]) for side in self.sides)
        left, right = (type is not None and type.closed for type in found)
        return left, right

    @cached_property
    def only_registered(self) -> tuple[frozenset[str], frozenset[str]]:
        """The resources of a closed type that one model alone registers."""
        if self.blocked != (True, True):
            return frozenset(), frozenset()
        left, right = self.registered
        return frozenset(left - right), frozenset(right - left)

    @cached_property
    def common_registered(self) -> AbstractSet[str]:
        """The resources of which `REGISTERED` says yes: those of the models in which the type is closed."""
        if self.blocked == (True, True):
            return self.registered[0] & self.registered[1]
        return self.registered[0] if self.blocked[0] else self.registered[1]

    @cached_property
    def _own(self) -> frozenset[OwnTest | Reference]:
        return frozenset(one for found in self._all for one in found.of_subject)

    @cached_property
    def reads_groups(self) -> bool:
        """True if a rule refers to the groups of the subject."""
        return any(isinstance(one, Reference) and one.value_of == GROUPS for one in self._own)

    @cached_property
    def reads_key(self) -> bool:
        """True if a rule reads the id or the type of the subject."""
        return any(isinstance(one, OwnTest) or one.value_of != GROUPS or _is_own(one) for one in self._own)

    @cached_property
    def reads_resource_id(self) -> bool:
        """True if a rule depends on which resource it is."""
        tests = (key for one in self._all for body in one.alternatives for key, _ in body)
        own = any(
            isinstance(one, Reference) and (one.section, one.key) == ("resource_attrs", "id") for one in self._own
        )
        return own or any(self.blocked) or any(key == RESOURCE_ID or "\0resource_attrs\0id\0" in key for key in tests)

    @cached_property
    def _constants(self) -> tuple[list[str], list[str]]:
        """The texts with which rules compare, in order, and the patterns."""
        texts, patterns = set[str](), set[str]()
        tests = [test for one in self._all for body in one.alternatives for _, test in body]
        tests += [one.test for one in self._own if isinstance(one, OwnTest)]
        for test in tests:
            if isinstance(test, ValueTest):
                if test.op is Operator.REGEX:
                    patterns.add(test.value)
                else:
                    texts.update(_texts(test.value))
        return sorted(texts), sorted(patterns)

    def is_named(self, id: str) -> bool:
        """Returns whether a rule compares with this id as a constant, so that its subject is like no other."""
        texts, _ = self._constants
        place = bisect_left(texts, id)
        return texts[place : place + 1] == [id]

    def is_special(self, person: Person, grants: PairGrants) -> bool:
        """Returns whether the id of a subject is another constant of its rules too, such as the id of a resource."""
        id = person.shown.id
        named = self.is_named(id) or id == person.shown.type or any(id in one.groups for one in person.standings)
        return named or id in grants.changed_ids or any(id in one for one in self.only_registered)

    def signature(self, person: Person, grants: PairGrants) -> Hashable:
        """Returns a key that is equal for subjects to whom the rules apply alike."""
        roles = self.roles
        held = tuple([tuple([one for one in standing.holdings if one.role in roles]) for standing in person.standings])
        own: Hashable = self._own_signature(person, grants) if self.reads_key else None
        groups: Hashable = None
        if self.reads_groups:
            old, new = (standing.groups for standing in person.standings)
            groups = bool(old) if old == new and not self._reads_own_id_in_groups else (old, new)
        return held, own, groups, bool(grants.common), grants.changed

    @cached_property
    def _reads_own_id_in_groups(self) -> bool:
        return any(isinstance(one, Reference) and _is_own(one) for one in self._own)

    def _own_signature(self, person: Person, grants: PairGrants) -> Hashable:
        if person.is_others or not person.same:
            return person
        texts, patterns = self._constants
        id = person.shown.id
        if self.is_special(person, grants) or self._reads_own_id_in_groups:
            return person.shown
        return person.shown.type, bisect_left(texts, id), tuple(pattern_predicate(one)(id) for one in patterns)

    def rules(
        self, person: Person, grants: PairGrants, side: int, resource: "RenamedResource | None" = None
    ) -> frozenset[NamedBody]:
        """Returns the rules of one model that can apply to a subject, on any resource or on one that a name means.

        Raises TooManyAlternatives.
        """
        found = self._rules(person, grants, side)
        if resource is None:
            return found
        id = resource.ids[side]
        if self.blocked[side] and id not in self.registered[side]:
            return frozenset({("BLOCK", frozenset[Literal]())})
        bodies = ((effect, _of_resource(body, id, resource.terms[side])) for effect, body in found if effect != "BLOCK")
        return frozenset((effect, body) for effect, body in bodies if body is not None)

    def by_roles(
        self, person: Person, side: int, resource: "RenamedResource | None" = None
    ) -> Iterator[tuple[frozenset[str], NamedBody]]:
        """Yields the ALLOWs of one model that a subject has by roles, each after these roles.

        Raises TooManyAlternatives.
        """
        standing = person.standings[side]
        held = {one.role for one in standing.holdings}
        for one in self.templates[side]:
            roles = held.intersection(one.roles or ())
            times = times_held(one.roles, one.except_roles, standing) if roles and one.effect == "ALLOW" else ()
            for body in self._bodies(one, person, side) if times else ():
                timely = timed(body, times)
                found = _of_resource(timely, resource.ids[side], resource.terms[side]) if resource else timely
                if found is not None:
                    yield frozenset(roles), (one.effect, found)

    def _rules(self, person: Person, grants: PairGrants, side: int) -> frozenset[NamedBody]:
        if not self.sides[side].declares(self.pair):
            return frozenset()
        found: set[NamedBody] = set()
        for one in self.templates[side]:
            times = times_held(one.roles, one.except_roles, person.standings[side])
            if times:
                for body in self._bodies(one, person, side):
                    found.add((one.effect, timed(body, times)))
        found.update(grant_rules("ALLOW", GRANT, grants, side))
        if found and self.blocked[side]:
            found.add(("BLOCK", self.block({GRANT: grants}, side)))
        return frozenset(found)

    def block(self, grants: Mapping[str, PairGrants], side: int) -> Body:
        """Returns the body of the denial of what is not registered (E7). `grants` are by their variable."""
        body: set[Literal] = {(REGISTERED, states(NO))} if self.common_registered else set()
        changed = {id for one in grants.values() for id in one.changed_ids}
        known = self.only_registered[side] | (self.registered[side] & changed)
        if known:
            body.add((RESOURCE_ID, value_test(Operator.NIN, sorted(known), or_missing=True)))
        granted = (key for key, one in grants.items() if one.common)
        body.update((key, states(NO)) for key in granted)  # what is granted is registered (E3)
        return frozenset(body)

    def _bodies(self, one: Template, person: Person, side: int) -> Alternatives:
        alternatives = one.alternatives
        lacking = dict(one.lacking)
        for own in one.of_subject:
            if isinstance(own, OwnTest):
                found = _own_test(own, person, side)
            else:
                found = self._own_reference(own, one.effect, lacking[own], person, side)
            alternatives = both(alternatives, found)
            if not alternatives:
                break
        return alternatives

    def _own_reference(
        self, atom: Reference, effect: str, lacking: Sequence[str], person: Person, side: int
    ) -> Alternatives:
        """Returns the alternatives of a comparison with the subject's id, type or groups (X1, X2)."""
        groups = person.standings[side].groups
        if atom.value_of == GROUPS:
            value: Json = list(groups)
            symbolic = bool(groups) and person.standings[0].groups == person.standings[1].groups and not _is_own(atom)
        else:
            value = _own_value(person, atom.value_of.key, side)
            symbolic = person.is_others
        if symbolic:
            base = related(atom.section, atom.key, atom.op, atom.value_of, effect)
            return with_required(frozenset({base}), effect, lacking)
        readable = value is not None and is_comparable(atom.op, value)
        if not readable and effect != "DENY":
            return NEVER
        test = value_test(atom.op, value) if readable else PRESENT
        known = self._known_left(atom, person, side)
        if known is not None:
            return ALWAYS if known[0] is not None and predicate(test.op, test.value)(known[0]) else NEVER
        return with_required(frozenset({(attribute(atom.section, atom.key), test)}), effect, lacking)

    def _known_left(self, atom: Reference, person: Person, side: int) -> tuple[Json] | None:
        """Returns the value on the left of a comparison, if the pair or the subject decides it."""
        if (atom.section, atom.key) == ("resource_attrs", "type"):
            return (self.pair[0],)
        if _is_own(atom) and not person.is_others:
            return (_own_value(person, atom.key, side),)
        return None


def _of_resource(body: Body, id: str | None, terms: Spans) -> Body | None:
    """Returns a body for the resource with an id, or None if it can't hold. `terms` are those of grants on it."""
    found: set[Literal] = set()
    for key, test in body:
        if key == RESOURCE_ID and isinstance(test, ValueTest):
            if not (test.or_missing if id is None else predicate(test.op, test.value)(id)):
                return None
        elif key == GRANT:
            if not terms:
                return None
            if terms != ALL_TIME:
                found.add((CLOCK, SpanTest(terms)))
        else:
            found.add((key, test))
    return frozenset(found)


def _is_own(atom: Reference) -> bool:
    return atom.section == "subject_attrs" and atom.key in OWN_KEYS


def _own_value(person: Person, key: str, side: int) -> Json:
    """Returns the id or the type of a subject. One that is named by an external id without a subject has no id (E6)."""
    if key == "type":
        return person.shown.type
    found = person.keys[side]
    return None if found is None else found.id


def _own_test(own: OwnTest, person: Person, side: int) -> Alternatives:
    if person.is_others:
        return frozenset({frozenset({(attribute("subject_attrs", own.key), own.test)})})
    value = _own_value(person, own.key, side)
    return ALWAYS if value is not None and predicate(own.test.op, own.test.value)(value) else NEVER


def times_held(roles: Collection[str] | None, except_roles: Collection[str], standing: Standing) -> Spans:
    """Returns the times at which a rule for some roles applies to a subject with a standing (P2, P4, P6)."""
    times = ALL_TIME
    if roles is not None:
        times = tuple(united((h.starts, h.expires) for h in standing.holdings if h.role in roles))
    excepted = [(h.starts, h.expires) for h in standing.holdings if h.role in except_roles]
    return _without(times, united(excepted)) if times and excepted else times


def _without(times: Spans, excepted: Iterable[tuple[float, float]]) -> Spans:
    """Returns times without others.

    >>> _without(((0, 9),), [(2, 3), (5, 12)])
    ((0, 2), (3, 5))
    """
    for start, end in excepted:
        parts = [part for low, high in times for part in ((low, min(high, start)), (max(low, end), high))]
        times = tuple((low, high) for low, high in parts if low < high)
    return times


def timed(body: Body, times: Spans) -> Body:
    """Returns a body that also needs the clock to be at some times."""
    return body if times == ALL_TIME else body | {(CLOCK, SpanTest(times))}


def grant_rules(effect: str, key: str, grants: PairGrants, side: int) -> Iterable[NamedBody]:
    """Yields the rules that grants are in one model. `key` is the variable of those that are the same in both."""
    changed = grants.changed_ids
    if grants.common:
        body: set[tuple[str, SpanTest | ValueTest]] = {(key, states(YES))}
        if changed:
            body.add((RESOURCE_ID, value_test(Operator.NIN, changed)))
        yield effect, frozenset(body)
    for before, after, ids in grants.changed:
        times = (before, after)[side]
        if times:
            yield effect, timed(frozenset({(RESOURCE_ID, value_test(Operator.IN, list(ids)))}), times)


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
