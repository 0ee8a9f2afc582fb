"""Counts the regions in which only the reason of a denial changes (D1 to D6), apart from gains and losses.

A reason is the `reason_code` of a denial. Every allowed answer has one reason, `ALLOWED`. Which of several policies it
reports (D8) follows from ids and priorities: these change with each rename, split and reordering, which have no effect.

PERF: the counts take a budget apart, a part of that of gains and losses. A count beyond it is None.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

from ...bundles.conditions.trees.diagrams import OutOfSteps
from ...bundles.conditions.trees.tree import FilterTree
from .classes import Class, Population
from .conditions.translate import TooManyAlternatives
from .differences.cases import Cases
from .differences.differing import BothRules, Budget, Change, changes
from .differences.pair_rules import PairRules
from .differences.reason_diagram import ReasonDiagrams
from .differences.reason_rules import ReasonRules
from .limits import Limits
from .models.people import Person
from .models.reach import reaches
from .models.sides import Pair, Side
from .own_ids import with_own_id
from .regions import OtherReasons, ReasonRegion
from .values.instants_tried import ZoneOf
from .witnesses.entities import Entities
from .witnesses.witness import Judge, Search, is_other_reason

Found: TypeAlias = Sequence[tuple[Class, Change]]
"""Classes, each with the change in its diagrams."""


@dataclass
class ReasonComparison:
    """The comparison of two models by the reasons of their denials, once their answers are compared."""

    sides: tuple[Side, Side]
    population: Population
    judges: tuple[Judge, Judge]
    zone_of: ZoneOf
    limits: Limits
    renamed: Collection[str]
    """The types of which a name or an external id means another resource than before. Their counts are not known."""

    _told: int = field(default=0, init=False)

    def run(
        self,
        pair_rules: Callable[[Pair], PairRules],
        changed: AbstractSet[Pair],
        movers: Mapping[Pair, Iterable[Person]],
    ) -> list[OtherReasons]:
        """Returns the counts of the pairs on which a reason changes, or may change.

        `changed` are the pairs whose rules may differ, of which `pair_rules` returns the rules. `movers` are the
        subjects that hold something else, by pair. Actions that no model declares are not counted.
        """
        self._budget = Budget(self.limits, self.limits.reason_steps)
        self._reaches = reaches(self.sides[0]), reaches(self.sides[1])
        moved = _by_type(movers)
        found = []
        for pair in sorted({*self._reaches[0].own, *self._reaches[1].own}):
            old, new = (found.of(pair)[1] for found in self._reaches)
            if pair in changed or old != new or pair[0] in moved or pair[0] in self.renamed:
                found.append(OtherReasons(pair, self._regions(pair, pair_rules, list(moved.get(pair[0], {})))))
        return [one for one in found if one.count != 0]

    def _regions(
        self, pair: Pair, pair_rules: Callable[[Pair], PairRules], movers: Sequence[Person]
    ) -> tuple[ReasonRegion, ...] | None:
        """Returns the regions of one pair, or None if they are not known."""
        if self._budget.left <= 0:
            return None
        try:
            one = pair_rules(pair)
            (reach_old, others_old), (reach_new, others_new) = (found.of(pair) for found in self._reaches)
            rules = ReasonRules(
                *(pair, one.sides, one.templates, one.registered),
                grants=self.population.grants,
                reach=(reach_old, reach_new),
                others=(others_old, others_new),
            )
            if pair[0] in self.renamed and (rules.reads_resource_id or self.population.grants.has_any(pair[0])):
                return None
            return self._found(rules, movers)
        except (OutOfSteps, TooManyAlternatives):
            return None

    def _found(self, rules: ReasonRules, movers: Sequence[Person]) -> tuple[ReasonRegion, ...] | None:
        by_rules: dict[BothRules, list[Class]] = defaultdict(list)
        before = self.population.steps
        for one in self.population.classes(rules, movers):
            old, new = (rules.rules(one.one, one.grants, side) for side in (0, 1))
            if old != new:
                by_rules[BothRules(old, new, self.population.subject_types(rules, one))].append(one)
        self._budget.spend(self.population.steps - before)
        found: list[tuple[Class, Change]] = []
        cases = Cases.of(rules.sides, rules.pair)
        for key, changed in changes(list(by_rules), self._budget, cases, ReasonDiagrams, with_conditions=False):
            if changed is None:
                return None
            found += [(one, change) for one in by_rules[key] for change in changed]
        regions = self._by_condition(rules, found)
        self._told += len(regions)
        if self._told > self.limits.regions or not all(self._is_shown(rules, one) for one in regions):
            return None
        return tuple(ReasonRegion(one[0][1], [of for of, _ in one]) for one in regions)

    def _by_condition(self, rules: ReasonRules, found: Found) -> Collection[Found]:
        """Returns the classes with equal conditions together. In one set of diagrams, these are equal nodes."""
        together: dict[object, list[tuple[Class, Change]]] = defaultdict(list)
        is_one = len({id(change.shared) for _, change in found}) < 2 and not rules.reads_key
        for one, change in found:
            key = change.node if is_one else with_own_id(rules, one, self._condition(change))
            together[key].append((one, change))
        return together.values()

    def _condition(self, change: Change) -> FilterTree:
        diagrams = change.diagrams.diagrams
        diagrams.steps = before = min(self.limits.steps, self._budget.left)
        when = change.when
        self._budget.spend(before - diagrams.steps)
        return when

    def _is_shown(self, rules: ReasonRules, found: Found) -> bool:
        """Returns whether a request of one of the classes shows the change."""
        for one, change in found:
            search = Search(Entities(rules, self.population.grants, one.one), self.zone_of, self.judges)
            if search.witness(change.diagrams, change.node, is_other_reason, self.limits.witnesses) is not None:
                return True
        return False


def _by_type(movers: Mapping[Pair, Iterable[Person]]) -> Mapping[str, dict[Person, None]]:
    """Returns the subjects that hold something else, by type: it may count for other actions too (D5)."""
    found: dict[str, dict[Person, None]] = defaultdict(dict)
    for (type, _), persons in movers.items():
        found[type].update(dict.fromkeys(persons))
    return found
