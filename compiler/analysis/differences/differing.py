"""Finds the conditions under which the rules of two models differ, for many classes of subjects at once.

PERF: classes share their diagrams, because most of the rules of a pair apply to many classes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.trees.diagrams import FALSE, Node, OutOfSteps
from ....bundles.conditions.trees.domain import Domain
from ....bundles.conditions.trees.minimise import Minimiser
from ....bundles.conditions.trees.tree import FALSE as NEVER
from ....bundles.conditions.trees.tree import TRUE as ALWAYS
from ....bundles.conditions.trees.tree import FilterTree, TreeComparison
from ....bundles.conditions.trees.value_sets import value_set_tree
from ....bundles.conditions.values import Json
from ..conditions.variables import AnyTest, SpanTest, is_attribute
from ..limits import Limits
from .cases import Cases, SubjectTypes
from .diagram import DifferenceDiagrams, Kind, NamedBody


class BothRules(NamedTuple):
    """The rules of both models that apply to a class. `types` are those of its subjects, if that matters."""

    old: frozenset[NamedBody]
    new: frozenset[NamedBody]
    types: SubjectTypes = None


_TOGETHER: Final = 32
"""The classes that share one set of diagrams."""


class Change(NamedTuple):
    """A change of the answers to some classes: its kind, and its node in diagrams that classes share."""

    shared: "SharedDiagrams"
    node: Node
    kind: Kind
    both: BothRules

    @property
    def types(self) -> SubjectTypes:
        """The types of the subjects, if that matters."""
        return self.both.types

    @property
    def changed(self) -> frozenset[str]:
        """The keys of the variables of which one model alone has a test."""
        old, new = (frozenset(test for _, body in rules for test in body) for rules in (self.both.old, self.both.new))
        return frozenset(key for key, _ in old ^ new)

    @property
    def diagrams(self) -> DifferenceDiagrams:
        """The diagrams of the node."""
        return self.shared.diagrams

    @property
    def when(self) -> FilterTree:
        """The condition. Raises OutOfSteps if it was not asked for, and exceeds the budget of the diagrams."""
        return self.shared.tree(self.node, self.types)


@dataclass
class Budget:
    """The steps that an analysis may still take."""

    limits: Limits
    left: int

    def spend(self, steps: int) -> None:
        """Takes steps. Raises OutOfSteps if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps


def changes(
    every: Sequence[BothRules],
    budget: Budget,
    cases: Cases,
    diagrams: type[DifferenceDiagrams] = DifferenceDiagrams,
    *,
    with_conditions: bool = True,
) -> Iterator[tuple[BothRules, tuple[Change, ...] | None]]:
    """Yields, for the rules of each class, the changes that `diagrams` find, or None if these exceed the budget.

    What is none of the `cases` is no change.

    PERF: most of the time goes into the conditions, which counts of changes do without.
    """
    for start in range(0, len(every), _TOGETHER):
        some = every[start : start + _TOGETHER]
        shared = _shared(some, budget, cases, diagrams)
        if shared is None and len(some) > 1:
            for one in some:
                yield one, _changes(_shared([one], budget, cases, diagrams), one, budget, with_conditions)
        else:
            yield from ((one, _changes(shared, one, budget, with_conditions)) for one in some)


class SharedDiagrams:
    """Diagrams that some classes share, and the trees of their nodes."""

    def __init__(self, some: Sequence[BothRules], steps: int, cases: Cases, diagrams: type[DifferenceDiagrams]):
        rules = {rule for both in some for rule in both.old | both.new}
        self.diagrams = diagrams(_sorted(rules), steps, cases)
        self._trees: dict[tuple[Node, SubjectTypes], FilterTree] = {}
        self._minimisers: dict[SubjectTypes, Minimiser] = {}

    def tree(self, node: Node, types: SubjectTypes) -> FilterTree:
        """Returns the condition of a node, for subjects of some types. Raises OutOfSteps."""
        found = self._trees.get((node, types))
        if found is None:
            if types not in self._minimisers:
                self._minimisers[types] = Minimiser(self.diagrams.diagrams, partial(self._values, types))
            found = self._trees[node, types] = self._minimisers[types].tree(node, self.diagrams.of_cases(types))
        return found

    def _values(self, types: SubjectTypes, key: str, domain: Domain, cells: int, free: int) -> FilterTree:
        cases = self.diagrams.cases
        if is_attribute(key):
            if not cases.sides or domain.between:
                return value_set_tree(key, domain, cells, free)
            return cases.tree(key, domain, cells, types)
        every = self.diagrams.lines[key].cells
        chosen = [cell for number, cell in enumerate(every) if cells >> number & 1]
        if len(chosen) in (0, len(every)):
            return ALWAYS if chosen else NEVER
        if cases.sides and not any(cell.spans for cell in every):
            return self._states_tree(types, key, chosen)
        return TreeComparison(key, Operator.IN, _line_value(chosen))

    def _states_tree(self, types: SubjectTypes, key: str, chosen: Sequence[SpanTest]) -> FilterTree:
        cases = self.diagrams.cases
        named = frozenset[str]().union(*(cell.states for cell in chosen))
        possible = cases.states(key, types)
        if not possible & named or possible <= named:
            return ALWAYS if possible & named else NEVER
        return TreeComparison(key, Operator.IN, sorted(cases.line(key, named, types)))


def _shared(
    some: Sequence[BothRules], budget: Budget, cases: Cases, diagrams: type[DifferenceDiagrams]
) -> SharedDiagrams | None:
    """Returns the diagrams of some classes, or None if they exceed the budget."""
    steps = min(budget.limits.steps, budget.left)
    try:
        found = SharedDiagrams(some, steps, cases, diagrams)
    except OutOfSteps:
        return None
    budget.left -= steps - found.diagrams.diagrams.steps
    return found


def _changes(
    shared: SharedDiagrams | None, one: BothRules, budget: Budget, with_conditions: bool
) -> tuple[Change, ...] | None:
    steps = min(budget.limits.steps, budget.left)
    if shared is None or steps <= 0:
        return None
    shared.diagrams.diagrams.steps = steps
    try:
        within, both = shared.diagrams.of_cases(one.types), shared.diagrams.diagrams.conjunction
        nodes = {kind: both(node, within) for kind, node in shared.diagrams.changes(one.old, one.new).items()}
        found = tuple(Change(shared, node, kind, one) for kind, node in nodes.items() if node != FALSE)
        for change in found if with_conditions else ():
            shared.tree(change.node, one.types)
        return found
    except OutOfSteps:
        return None
    finally:
        budget.left -= steps - shared.diagrams.diagrams.steps


def _sorted(rules: Iterable[NamedBody]) -> list[NamedBody]:
    """Returns rules in one order, so that the work is the same each time."""
    return sorted(rules, key=lambda rule: (rule[0], sorted((key, _order(test)) for key, test in rule[1])))


def _order(test: AnyTest) -> str:
    return repr((test.spans, sorted(test.states)) if isinstance(test, SpanTest) else (test.meant, test.or_missing))


def _line_value(cells: Sequence[SpanTest]) -> list[Json]:
    """Returns the values of some cells: spans, as pairs of numbers, and states."""
    spans = sorted(span for cell in cells for span in cell.spans)
    joined: list[list[float]] = []
    for low, high in spans:
        if joined and joined[-1][1] == low:
            joined[-1][1] = high
        else:
            joined.append([low, high])
    return [*joined, *sorted(state for cell in cells for state in cell.states)]
