"""An overlay: a bundle and the changes since then, in persistent maps. It is read like the bundle itself.

A revision shares everything that it does not change with the revision before it. A request that still has the older
one sees no changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from pyrsistent import PMap, PSet, pmap, pset

from ...bundles.declarations.declarations import Declarations
from ...bundles.file.fact_records import GrantRecord, GroupRecord, SubjectRecord
from ...bundles.file.reader import Bundle
from ...bundles.file.rule_index import AllowIndex, RuleIndex, allow_index
from ...bundles.manifest import Manifest
from ...bundles.program.clauses import Clause, ResourceType
from ...bundles.program.demands import Demands
from ...bundles.program.facts import EntityKey
from ...bundles.routing.routing import Routing
from .numbering import Numbering
from .state import State

NOTHING: PMap[Any, Any] = pmap()
NONE: PSet[str] = pset()


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """A bundle with changes. The maps have what differs from the bundle, by number or key.

    A subject of None is no longer registered. `recounted` has the types for which some policy changed.
    """

    bundle: Bundle
    numbering: Numbering
    revision: int
    types: tuple[ResourceType | None, ...]
    policies: PMap[str, tuple[int, ...]] = NOTHING
    indexes: PMap[tuple[int, str], RuleIndex] = NOTHING
    recounted: PMap[int, bool] = NOTHING
    zones: PMap[str, tzinfo] = NOTHING
    subjects: PMap[tuple[str, str], SubjectRecord | None] = NOTHING
    groups: PMap[int, GroupRecord] = NOTHING
    changed_grants: PMap[tuple[str, int, str], tuple[GrantRecord, ...]] = NOTHING
    changed_resources: PMap[tuple[str, int], PSet[str]] = NOTHING
    registered: PMap[tuple[int, str], bool] = NOTHING
    subject_aliases: PMap[EntityKey, str | None] = NOTHING
    resource_aliases: PMap[tuple[int, str, str], str | None] = NOTHING
    changed_routing: Routing | None = None
    other_demands: Demands | None = None
    """Those on which changes are tried, if they are not those of the bundle."""

    @property
    def manifest(self) -> Manifest:
        """See `State`."""
        return self.bundle.manifest

    @property
    def action_sets(self) -> Sequence[frozenset[str]]:
        """See `State`."""
        return self.numbering.action_sets

    @property
    def demands(self) -> Demands:
        """See `State`."""
        return self.bundle.demands if self.other_demands is None else self.other_demands

    def role_id(self, number: int) -> str:
        """See `State`."""
        return self.numbering.role_ids[number]

    def zone(self, name: str) -> tzinfo:
        """See `State`."""
        found = self.zones.get(name)
        return self.bundle.zone(name) if found is None else found

    def clause(self, number: int) -> Clause:
        """See `State`."""
        return self.numbering.clause(number)

    def clause_numbers(self, policy: str) -> tuple[int, ...]:
        """Returns the numbers of a policy's clauses."""
        found = self.policies.get(policy)
        return self.bundle.clause_numbers(policy) if found is None else found

    def rules(self, type: int, action: str) -> RuleIndex:
        """See `State`."""
        found = self.indexes.get((type, action))
        return self.bundle.rules(type, action) if found is None else found

    def allows(self, type: int) -> AllowIndex:
        """See `State`."""
        declared = self.types[type]
        if declared is None or type not in self.recounted:
            return self.bundle.allows(type)
        allows: dict[int, Clause] = {}
        for index in (self.rules(type, action) for action in declared.actions):
            for numbers in (index.everyone, *index.by_role.values()):
                allows.update(self._allows_up_to_plain(numbers))
        return allow_index(allows.values(), self.numbering.role)

    def _allows_up_to_plain(self, numbers: Iterable[int]) -> Iterator[tuple[int, Clause]]:
        """Yields the ALLOWs up to the first without exceptions. PERF: a clause takes 10 µs to read."""
        for number in numbers:
            clause = self.clause(number)
            if clause.effect == "ALLOW":
                yield number, clause
                if not clause.except_roles:
                    break

    def subject(self, type: str, id: str) -> SubjectRecord | None:
        """See `State`."""
        found = self.subjects.get((type, id), ...)
        return self.bundle.subject(type, id) if found is ... else found

    def group(self, number: int) -> GroupRecord:
        """See `State`."""
        found = self.groups.get(number)
        return self.bundle.group(number) if found is None else found

    def grants(self, prefix: str, type: int, resource_id: str) -> tuple[GrantRecord, ...]:
        """See `State`."""
        found = self.changed_grants.get((prefix, type, resource_id))
        return self.bundle.grants(prefix, type, resource_id) if found is None else found

    def granted(self, prefix: str, type: int) -> Sequence[str]:
        """See `State`. It includes resources that have lost all their grants."""
        found = self.bundle.granted(prefix, type)
        changed = self.changed_resources.get((prefix, type))
        return found if changed is None else sorted({*found, *changed})

    def is_registered(self, type: int, id: str) -> bool:
        """See `State`."""
        found = self.registered.get((type, id))
        return self.bundle.is_registered(type, id) if found is None else found

    def subject_id(self, type: str, external_id: str) -> str | None:
        """See `State`."""
        found = self.subject_aliases.get(EntityKey(type, external_id), ...)
        return self.bundle.subject_id(type, external_id) if found is ... else found

    def resource_id(self, type: int, kind: str, alias: str) -> str | None:
        """See `State`."""
        found = self.resource_aliases.get((type, kind, alias), ...)
        return self.bundle.resource_id(type, kind, alias) if found is ... else found

    def declarations(self) -> Declarations:
        """See `State`."""
        return self.bundle.declarations()

    def routing(self) -> Routing:
        """See `State`."""
        return self.bundle.routing() if self.changed_routing is None else self.changed_routing


def overlay_of(state: State) -> Overlay:
    """Returns the state itself if it is an overlay, or an overlay of the bundle without changes."""
    if isinstance(state, Overlay):
        return state
    assert isinstance(state, Bundle)
    return Overlay(state, Numbering(state), state.revision, state.types)


def state_apart(state: State) -> State:
    """Returns the same state, whose later changes take no numbers that others see. A bundle has none to take."""
    return replace(state, numbering=state.numbering.copy()) if isinstance(state, Overlay) else state
