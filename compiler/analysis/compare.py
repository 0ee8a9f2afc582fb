"""Compares two models by who may do what: the engine of every analysis of a change.

Subjects with the same standing are one class. For each class and each pair of type and action that can differ, the
rules of both models become one diagram, whose paths are the requests that the models answer differently.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ...bundles.conditions.trees.diagrams import OutOfSteps
from ...bundles.conditions.trees.tree import And, FilterTree, leaves
from . import limits as reasons
from .changed_pairs import changed_by_rules
from .classes import Class, Population
from .conditions.translate import TooManyAlternatives
from .conditions.variables import CLOCK
from .differences.cases import Cases
from .differences.diagram import Kind, NamedBody
from .differences.differing import BothRules, Budget, Change, changes
from .differences.pair_rules import PairRules, RenamedResource
from .limits import DEFAULT, Limits
from .members import Members
from .models.people import Person
from .models.sides import Pair, Side
from .not_compared import not_compared
from .other_reasons import ReasonComparison
from .own_ids import with_own_id
from .regions import OtherReasons, People, Region, Unknown
from .touched import touched
from .values.instants_tried import ZoneOf
from .witnesses.entities import Entities
from .witnesses.impossible import Impossible
from .witnesses.witness import Judge, Search, Witness, is_gain, is_loss

Found: TypeAlias = Sequence[tuple[Class, Change]]
"""The classes that gain or lose the same, each with the change in its diagrams."""


@dataclass
class Comparison:
    """The comparison of two models. `judges` are the engines that decide witnesses."""

    before: Side
    after: Side
    judges: tuple[Judge, Judge]
    zone_of: ZoneOf
    limits: Limits = DEFAULT
    found: People = field(default_factory=People)

    def run(self) -> People:
        """Returns the differences, in the order of types and actions."""
        self._budget = Budget(self.limits, self.limits.all_steps)
        self._population = Population(self.before, self.after)
        self._renamed = renamed_resources(self.before, self.after)
        movers = self._population.movers()
        named = {
            (name, action)
            for name in self._renamed
            for side in (self.before, self.after)
            if name in side.types
            for action in side.types[name].actions
        }
        changed = changed_by_rules(self.before, self.after)
        for pair in sorted(changed | named | movers.keys()):
            try:
                self._compare(self._pair_rules(pair), movers.get(pair, []))
            except (OutOfSteps, TooManyAlternatives):
                self._unknown(pair, reasons.TOO_MANY_STEPS)
        self.found.unknown += not_compared(self.before, self.after)
        self.found.reasons = self._reasons(changed, movers)
        return self.found

    def _reasons(self, changed: set[Pair], movers: Mapping[Pair, Sequence[Person]]) -> list[OtherReasons]:
        """Returns the regions in which only the reason changes."""
        sides = self.before, self.after
        comparison = ReasonComparison(
            sides, self._population, self.judges, self.zone_of, self.limits, self._renamed.keys()
        )
        return comparison.run(self._pair_rules, changed, movers)

    def _unknown(self, pair: Pair, reason: str) -> None:
        one = Unknown(pair, reason)
        if one not in self.found.unknown:
            self.found.unknown.append(one)

    def _pair_rules(self, pair: Pair) -> PairRules:
        sides = self.before, self.after
        templates = [
            frozenset(side.template(number, pair[0]) for number in side.clauses.get(pair, ())) for side in sides
        ]
        types = [side.types.get(pair[0]) for side in sides]
        registered = [
            frozenset[str]() if type is None else side.registered.get(type.id, frozenset())
            for side, type in zip(sides, types, strict=True)
        ]
        return PairRules(pair, sides, (templates[0], templates[1]), (registered[0], registered[1]))

    def _compare(self, rules: PairRules, movers: Sequence[Person]) -> None:
        by_rules: dict[BothRules, list[Class]] = defaultdict(list)
        for one in self._classes(rules, movers):
            self._budget.spend(1)
            both = self._both(rules, one)
            if both.old != both.new:
                by_rules[both].append(one)
        differences: dict[tuple[bool, FilterTree, RenamedResource | None], list[tuple[Class, Change]]]
        differences = defaultdict(list)
        for both, found in changes(list(by_rules), self._budget, Cases.of(rules.sides, rules.pair)):
            if found is None:
                self._unknown(rules.pair, reasons.TOO_MANY_STEPS)
            for one in by_rules[both]:
                name = one.resource and replace(one.resource, terms=((), ()))
                for change in found or ():
                    key = change.kind is Kind.GAINS, with_own_id(rules, one, change.when), name
                    differences[key].append((one, change))
        for (gains, when, _), classes in differences.items():
            self._region(rules, gains, when, classes)

    def _both(self, rules: PairRules, one: Class) -> BothRules:
        """Returns the rules of both models that apply to a class."""
        old, new = (rules.rules(one.one, one.grants, side, one.resource) for side in (0, 1))
        return BothRules(old, new, self._population.subject_types(rules, one))

    def _classes(self, rules: PairRules, movers: Sequence[Person]) -> Iterator[Class]:
        """Yields the classes of subjects for any resource, and then for each name that means another resource."""
        population, type = self._population, rules.pair[0]
        before = population.steps
        yield from population.classes(rules, movers)
        if self._renamed.get(type) and (rules.reads_resource_id or population.grants.has_any(type)):
            self.found.apart[rules.pair] = frozenset((one.kind, one.name) for one in self._renamed[type])
            for resource in self._renamed[type]:
                yield from population.classes_on(rules, resource)
                self._budget.spend(population.steps - before)
                before = population.steps
        self._budget.spend(population.steps - before)

    def _region(self, rules: PairRules, gains: bool, when: FilterTree, found: Found) -> None:
        told = self.found.gains if gains else self.found.loses
        witness = self._witness(rules, gains, when, found) if len(told) < self.limits.regions else None
        if witness is None:
            if all(Impossible(change.diagrams, change.types).is_empty(change.node) for _, change in found):
                return
            full = len(told) >= self.limits.regions
            self._unknown(rules.pair, reasons.TOO_MANY_REGIONS if full else reasons.NO_WITNESS)
            return
        resource = found[0][0].resource
        subjects = Members([part for one, _ in found for part in one.parts])
        others = any(one.has_others for one, _ in found)
        told.append(
            Region(
                pair=rules.pair,
                subjects=subjects,
                others=others,
                roles=self._roles(rules, found, gains),
                when=_new_first(when, found),
                resources=touched(self.before, self.after, rules, when, gains),
                witness=witness,
                resource_name=None if resource is None else (resource.kind, resource.name),
                everyone=others and len(subjects) == self._everyone(),
            )
        )

    def _roles(self, rules: PairRules, found: Found, gains: bool) -> tuple[str, ...]:
        """Returns the roles by which subjects hold what they gain or lose: an ALLOW for them can hold in the region."""
        side, named = 1 if gains else 0, set[str]()
        for one, change in found:
            ways = (way for way in rules.by_roles(one.one, side, one.resource) if not way[0] <= named)
            try:
                named.update(*(roles for roles, rule in ways if self._is_way(change, rule, one)))
            except (OutOfSteps, TooManyAlternatives):
                return ()
        return tuple(sorted(named))

    def _is_way(self, change: Change, rule: NamedBody, one: Class) -> bool:
        """Returns whether a rule can hold where a change is. Raises OutOfSteps."""
        diagrams = change.diagrams.diagrams
        diagrams.steps = before = min(self.limits.steps, self._budget.left)
        try:
            return any(change.diagrams.meets(change.node, left) for left in self._applied(frozenset({rule}), one))
        finally:
            self._budget.left -= before - diagrams.steps

    def _applied(self, rules: frozenset[NamedBody], _one: Class) -> frozenset[NamedBody]:
        """Returns rules as they apply to the requests of a class."""
        return rules

    def _everyone(self) -> int:
        """Returns the number of the subjects that a region can have."""
        return len(self._population)

    def _witness(self, rules: PairRules, gains: bool, when: FilterTree, found: Found) -> Witness | None:
        """Returns a request of one of the classes that shows the change, or None."""
        for one, change in found:
            entities = Entities(rules, self._population.grants, one.one, one.resource)
            search = self._search(entities, one)
            wanted = is_gain if gains else is_loss
            witness = search.witness(change.diagrams, change.node, wanted, self.limits.witnesses)
            if witness is not None:
                by_clock = entities.has_terms or any(leaf.key == CLOCK for leaf in leaves(when))
                return replace(witness, clock_counts=by_clock)
        return None

    def _search(self, entities: Entities, _one: Class) -> Search:
        """Returns the search for witnesses of a class."""
        return Search(entities, self.zone_of, self.judges)


def renamed_resources(before: Side, after: Side) -> Mapping[str, list[RenamedResource]]:
    """Returns, by type, the names and external ids that mean another resource than before, or none."""
    found: dict[str, list[RenamedResource]] = defaultdict(list)
    for name in {*before.types, *after.types}:
        for kind in ("external_id", "name"):
            old, new = (
                side.resource_names.get((side.types[name].id, kind), {}) if name in side.types else {}
                for side in (before, after)
            )
            for one in sorted({*old, *new}):
                if old.get(one) != new.get(one):
                    found[name].append(RenamedResource(kind, one, (old.get(one), new.get(one))))
    return found


def _new_first(when: FilterTree, found: Found) -> FilterTree:
    """Returns a condition with its parts in another order: those that the change is about come first."""
    if not isinstance(when, And):
        return when
    changed = {key for _, change in found for key in change.changed}
    return And(tuple(sorted(when.children, key=lambda part: changed.isdisjoint(leaf.key for leaf in leaves(part)))))
