"""One of the two models of an analysis: its rules by type and action, and its facts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from ....bundles.conditions.comparisons import constants_of
from ....bundles.conditions.operators import OF_ELEMENTS, Operator
from ....bundles.conditions.values import Json
from ....bundles.declarations.declarations import Declarations
from ....bundles.program.clauses import Clause, Comparison, Program, Rate, ResourceType
from ....bundles.program.closure import ancestors
from ....bundles.program.demands import Demands
from ....bundles.program.facts import EntityKey, Facts, GrantHolder, Holding, united_holdings
from ....bundles.routing.route import Route
from ..conditions.translate import Template, template

Pair: TypeAlias = tuple[str, str]
"""The name of a resource type, and an action."""


MOST_CONSTANTS: Final = 8
"""The constants of one attribute that are kept, as examples of its values."""


class GrantOn(NamedTuple):
    """A grant of a holder: its resource type by id, its actions, its resource, its expiry and start."""

    type: str
    actions: tuple[str, ...]
    resource: str
    expires: float
    starts: float


class Standing(NamedTuple):
    """The standing of a subject: all its groups, in order, and its roles with their terms."""

    groups: tuple[str, ...]
    holdings: tuple[Holding, ...]


NOTHING = Standing((), ())


@dataclass
class Side:
    """A checked model: its program and its facts, or those of a bundle.

    `registered` are the ids of registered resources by the id of their type. `resource_names` are, by type and kind of
    name, the ids of resources by their names. `subject_attributes` and `resource_attributes` are the registered ones.
    A bundle has no attributes and no names, and registers the resources of closed types alone: it does not know
    resources. With `open_rates`, a rate limit is a condition. Else it counts as not reached (C10).
    """

    program: Program
    facts: Facts
    registered: Mapping[str, AbstractSet[str]]
    resource_names: Mapping[tuple[str, str], Mapping[str, str]]
    subject_attributes: Mapping[EntityKey, Mapping[str, Json]]
    resource_attributes: Mapping[str, Mapping[str, Mapping[str, Json]]]
    routes: Sequence[Route] = ()
    strict: bool = False
    knows_resources: bool = True
    open_rates: bool = False
    _templates: dict[tuple[int, str], Template] = field(default_factory=dict)

    @cached_property
    def types(self) -> Mapping[str, ResourceType]:
        """The declared types by name (E7)."""
        return {type.name: type for type in self.program.types}

    @cached_property
    def type_names(self) -> Mapping[str, str]:
        """The names of the declared types by id."""
        return {type.id: type.name for type in self.program.types}

    @cached_property
    def _constants(self) -> Mapping[tuple[str, str], Sequence[Json]]:
        """The constants that conditions compare with, by section and key: the first ones."""
        found: dict[tuple[str, str], list[Json]] = defaultdict(list)
        for clause in self.program.clauses:
            for atom in clause.body:
                if isinstance(atom, Comparison) and atom.op is not Operator.REGEX and not OF_ELEMENTS[atom.op]:
                    known = found[atom.section, atom.key]
                    named = (one for one in constants_of(atom.op, atom.value) if one not in known)
                    known += islice(named, MOST_CONSTANTS - len(known))
        return found

    def constants_of(self, section: str, key: str) -> Sequence[Json]:
        """Returns constants that conditions compare an attribute with, as examples of its values."""
        return self._constants.get((section, key), ())

    @cached_property
    def clauses(self) -> Mapping[Pair, Sequence[int]]:
        """The numbers of the clauses on each pair."""
        names = {type.id: type.name for type in self.program.types}
        found: dict[Pair, list[int]] = defaultdict(list)
        for number, clause in enumerate(self.program.clauses):
            for type in clause.types:
                for action in clause.actions:
                    found[names[type], action].append(number)
        return found

    @cached_property
    def subjects_by_external_id(self) -> Mapping[tuple[str, str], EntityKey]:
        """The subjects by type and external id."""
        return {
            (key.type, facts.external_id): key
            for key, facts in self.facts.subjects.items()
            if facts.external_id is not None
        }

    def resource_id(self, type_name: str, named: tuple[str, str]) -> str | None:
        """Returns the id of a resource that a kind of identifier and its value name, or None if there is none (E3)."""
        kind, name = named
        if kind == "id":
            return name
        type = self.types.get(type_name)
        return None if type is None else self.resource_names.get((type.id, kind), {}).get(name)

    @cached_property
    def _above(self) -> Mapping[str, AbstractSet[str]]:
        return ancestors({id: group.parents for id, group in self.facts.groups.items()})

    @cached_property
    def _of_groups(self) -> dict[frozenset[str], Standing]:
        return {}

    def declares(self, pair: Pair) -> bool:
        """Returns whether a type and an action are declared."""
        return pair[0] in self.types and pair[1] in self.types[pair[0]].action_set

    def standing(self, key: EntityKey | None) -> Standing:
        """Returns what a subject holds. An unregistered one holds nothing (E3)."""
        found = None if key is None else self.facts.subjects.get(key)
        if found is None or not (found.groups or found.holdings):
            return NOTHING
        through = self._through(frozenset(found.groups))
        if not found.holdings:
            return through
        return Standing(through.groups, united_holdings((*found.holdings, *through.holdings)))

    def _through(self, groups: frozenset[str]) -> Standing:
        """Returns what the members of some groups hold through them. PERF: many subjects are in the same groups."""
        standing = self._of_groups.get(groups)
        if standing is None:
            every = groups.union(*(self._above.get(group, ()) for group in groups))
            holdings = [holding for group in every for holding in self.facts.groups[group].holdings]
            standing = self._of_groups[groups] = Standing(tuple(sorted(every)), united_holdings(holdings))
        return standing

    def template(self, number: int, type_name: str) -> Template:
        """Returns the template of a clause on a type. Raises TooManyAlternatives."""
        key = number, type_name
        if key not in self._templates:
            clause, required = self.program.clauses[number], self.program.required
            self._templates[key] = template(clause, type_name, required, open_rates=self.open_rates)
        return self._templates[key]

    def grants_of(self, holder: GrantHolder) -> list[GrantOn]:
        """Returns the grants of a subject or a group itself."""
        grants = self.facts.grants
        return [
            GrantOn(*grants.scopes[scope], resource, expires, starts)
            for _, scope, resource, expires, starts in grants.of(holder)
        ]

    @property
    def declarations(self) -> Declarations:
        """The declared attributes."""
        return self.program.declarations

    @cached_property
    def demands(self) -> Demands:
        """The demands on attributes of the context and of actions (C12, C13)."""
        return Demands(self.program.declarations, self.program.required)


def rate_of(clause: Clause) -> Rate | None:
    """Returns the rate limit of a clause, or None."""
    return next((atom for atom in clause.body if isinstance(atom, Rate)), None)
