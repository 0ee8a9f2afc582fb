"""Finds who can do an action, and under which conditions that are left open: all that a model allows is gained.

The answer is the comparison of a model without rules with the model, on one pair of type and action.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ....bundles.conditions.attribute_keys import reads_own_key
from ....bundles.conditions.constants import canonical_key
from ....bundles.conditions.trees.diagrams import OutOfSteps
from ....bundles.program.clauses import Reference
from ....bundles.program.facts import PackedGrants
from .. import limits as reasons
from ..classes import Class, Population
from ..compare import Comparison, Found
from ..conditions.translate import TooManyAlternatives
from ..conditions.variables import is_attribute, is_reference, parts
from ..differences.diagram import NamedBody
from ..differences.differing import BothRules, Budget
from ..differences.pair_rules import PairRules, RenamedResource
from ..limits import Limits
from ..models.people import Person
from ..models.sides import Side
from ..regions import People
from ..values.instants_tried import ZoneOf
from ..witnesses.entities import Entities
from ..witnesses.witness import Judge, Search, Witness
from .known_values import under
from .question import OPEN, Bag, Known, Question

LIMITS: Final = Limits(all_steps=5_000_000, regions=1_000)
"""The limits of one question."""

_NO_RULE: Final = "denied"
_NOTHING: Final[Bag] = {}


def who_can(side: Side, judge: Judge, question: Question, zone_of: ZoneOf, limits: Limits = LIMITS) -> People:
    """Returns who can do what a question asks for: the regions are gains, each with a request that `judge` allows.

    A rate limit is a condition of a region, and counts as not reached for its request (C10). What exceeds the limits is
    unknown.
    """
    side = replace(side, open_rates=True, _templates={})
    program = replace(side.program, clauses=())
    facts = replace(side.facts, grants=PackedGrants())
    without = replace(side, program=program, facts=facts, _templates={})
    return _WhoCan(question, without, side, judge, zone_of, limits).run()


class _WhoCan(Comparison):
    """The comparison of a model without rules with a model, for one question."""

    def __init__(
        self, question: Question, without: Side, side: Side, judge: Judge, zone_of: ZoneOf, limits: Limits
    ) -> None:
        super().__init__(without, side, (lambda *_: _NO_RULE, judge), zone_of, limits)
        self._question, self._judge = question, judge
        self._subject_keys: Sequence[str] = ()
        self._texts = sorted({*question.texts()})

    def run(self) -> People:
        """Returns the regions of the question's type and action."""
        self._budget = Budget(self.limits, self.limits.all_steps)
        self._population = Population(self.before, self.after)
        self._renamed: Mapping[str, list[RenamedResource]] = {}
        pair = self._question.pair
        if not self.after.declares(pair):
            return self.found
        try:
            rules = self._pair_rules(pair)
            self._subject_keys = sorted(_subject_keys(rules))
            self._compare(rules, [] if rules.changed else self._population.movers().get(pair, []))
        except (OutOfSteps, TooManyAlternatives):
            self._unknown(pair, reasons.TOO_MANY_STEPS)
        self.found.gains = [replace(one, resource_name=None) for one in self.found.gains]
        return self.found

    def _everyone(self) -> int:
        type = self._question.subject_type
        return len(self._population) if type is None else self._population.of_type(type)

    def _classes(self, rules: PairRules, movers: Sequence[Person]) -> Iterator[Class]:
        """Yields the classes of subjects, each with the same registered attributes as far as rules read them."""
        population, named = self._population, self._question.resource
        if named is None:
            found = population.classes(rules, movers)
        else:
            id = self.after.resource_id(self._question.resource_type, named)
            found = population.classes_on(rules, RenamedResource(*named, (None, id)))
        self._budget.spend(population.steps)
        for one in found:
            parted: dict[object, list[Person]] = defaultdict(list)
            for person in one.members():
                if person.is_others or self._question.subject_type in (None, person.shown.type):
                    parted[self._part(rules, person)].append(person)
            for members in parted.values():
                yield Class(members[0], one.grants, one.resource, [(person,) for person in members])

    def _part(self, rules: PairRules, person: Person) -> object:
        """Returns a key that is equal for subjects of a class that are alike to what is known, too."""
        bag, id = self._attributes(person), person.shown.id
        own: object = None
        if rules.reads_key and self._texts:
            place = bisect_left(self._texts, id)
            own = person.is_others, place, id in self._texts[place : place + 1]
        groups = person.standings[1].groups if rules.reads_groups else ()
        return tuple((key, canonical_key(bag[key])) for key in self._subject_keys if key in bag), own, groups

    def _attributes(self, person: Person) -> Bag:
        return self.after.subject_attributes.get(person.shown, _NOTHING)

    def _both(self, rules: PairRules, one: Class) -> BothRules:
        found = self._applied(rules.rules(one.one, one.grants, 1, one.resource), one)
        type = self._question.subject_type
        types = frozenset({type}) if one.has_others and type else self._population.subject_types(rules, one)
        return BothRules(frozenset(), found, types)

    def _applied(self, rules: frozenset[NamedBody], one: Class) -> frozenset[NamedBody]:
        person, question = one.one, self._question
        known = Known(
            question,
            subject=self._attributes(person),
            subject_type=question.subject_type or OPEN if person.is_others else person.shown.type,
            groups=list(person.standings[1].groups),
            resource_id=OPEN if one.resource is None else one.resource.ids[1],
            demands=self.after.demands,
        )
        return under(rules, known, self.zone_of)

    def _search(self, entities: Entities, one: Class) -> Search:
        instant = self._question.sent_instant
        sent = () if instant is OPEN else (instant,)
        entities = replace(entities, subject_type=self._question.subject_type)
        return Search(entities, self.zone_of, (self.judges[0], self._judging(one)), sent)

    def _judging(self, one: Class) -> Judge:
        def judge(request: Mapping[str, Any], _: float) -> str | None:
            return self._judge(self._in_full(request, one), self._question.now)

        return judge

    def _in_full(self, request: Mapping[str, Any], one: Class) -> dict[str, Any]:
        read = {key: value for key, value in self._attributes(one.one).items() if key in self._subject_keys}
        return self._question.in_full(request, read)

    def _witness(self, rules: PairRules, gains: bool, when: Any, found: Found) -> Witness | None:
        """Returns a request with all that is known, which the model allows."""
        for one in found:
            witness = super()._witness(rules, gains, when, [one])
            if witness is not None:
                return Witness(self._in_full(witness.request, one[0]), self._question.now, clock_counts=False)
        return None


def _subject_keys(rules: PairRules) -> set[str]:
    """Returns the first names of the subject's attributes that rules read, and the whole keys (C1)."""
    found: set[str] = set()
    for template in rules.templates[1]:
        found.update(one.key for one in template.of_subject if isinstance(one, Reference) and _is_attribute(one))
        for body in template.alternatives:
            for key, _ in body:
                found.update(_read(key))
    return found | {one.split(".")[0] for one in found}


def _is_attribute(one: Reference) -> bool:
    return one.section == "subject_attrs" and not reads_own_key(one.section, one.key)


def _read(key: str) -> Iterator[str]:
    named = parts(key)
    if is_attribute(key) and named[0] == "subject_attrs":
        yield named[1]
    elif len(named) > 2 and named[1] == "subject_attrs":
        yield named[2]
    if is_reference(key) and named[3].startswith("subject."):
        yield named[3].removeprefix("subject.")
