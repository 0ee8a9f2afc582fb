"""The delta of a write: the new state of everything affected, compiled from just the rows that it needs."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from ....bundles.delta import (
    MAX_ROUTES,
    AliasChange,
    AnyChange,
    Delta,
    GrantsChange,
    GrantState,
    GroupChange,
    PolicyChange,
    ResourceChange,
    RoleChange,
    RoutingChange,
    SubjectChange,
    TypeChange,
    encode_delta,
    policy_change,
)
from ....bundles.file.fact_records import LISTED_GRANTS
from ....bundles.program.clauses import Clause, During, Program
from ....bundles.program.closure import TooManyAncestors, ancestors
from ....bundles.program.facts import EntityKey, Facts, GrantHolder, SubjectFacts, united_holdings
from ....bundles.routing.routing import NO_ROUTING, Routing
from ....bundles.zones import zone_data
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.lowering.lower_needs import needs_of
from ....compiler.lowering.lower_routes import lower_routes
from ....compiler.lowering.resolve_facts import resolve_facts
from ....compiler.model.elements import Assignment, Element, ElementKind, Grant, Group, Member, Model, Policy, Route
from ....compiler.passes import compile_program
from ..database.connection import Connection
from ..elements.element_bodies import element_of
from ..elements.tables import TABLES
from ..gateway_settings import stored_gateway
from .affected import Affected, Alias, ChangedElement, TooManyAffected, affected_by

MAX_ANCESTORS = 200_000
"""The most pairs of an affected group, or a group above one, and a group that contains it. More need a new bundle."""


_ON = "resource_type = ? AND resource_id = ?"
"""The SQL condition for the grants on a resource."""

_GROUPS_OF = "SELECT group_id FROM group_subjects WHERE environment = ? AND type = ? AND id = ?"
_ASSIGNMENTS = "SELECT id, body FROM assignments WHERE environment = ?"
_GRANTS = "SELECT id, body FROM grants WHERE environment = ?"
_GRANTED = """SELECT DISTINCT resource_type, resource_id FROM grants g
    WHERE environment = ? AND NOT (wildcard = 1 AND EXISTS (SELECT 1 FROM resource_types t
        WHERE t.environment = g.environment AND t.id = resource_type AND t.actionless = 1))"""
_MOST_GRANTED = f"ORDER BY 1, 2 LIMIT {LISTED_GRANTS + 1}"

_ASKED = 100
"""The most queries of one question to the database."""


def _held(holder: GrantHolder) -> str:
    """Returns the SQL condition for the grants of a holder, with a `?` for each part of its key."""
    return "group_id = ?" if isinstance(holder, str) else "subject_type = ? AND subject_id = ?"


def _key(holder: GrantHolder) -> tuple[str, ...]:
    return (holder,) if isinstance(holder, str) else holder


def _in_time() -> None:
    """There is no limit of time."""


def delta_of(
    db: Connection,
    environment: int,
    revision: int,
    changes: Collection[ChangedElement],
    routing: bool = False,
    refuse_late: Callable[[], None] = _in_time,
) -> bytes | None:
    """Returns the encoded delta of changes that are written already, or None if a new bundle is needed.

    With `routing`, the order of the routes or the gateway settings changed too. Raises what `refuse_late` raises, which
    is called again and again.
    """
    try:
        affected = affected_by(db, environment, changes)
        affected.routing = affected.routing or routing
        if affected.routing and _count_routes(db, environment) > MAX_ROUTES:
            raise TooManyAffected
        states = _States(db, environment, affected, changes, refuse_late)
    except (TooManyAffected, TooManyAncestors):
        return None
    return encode_delta(Delta(revision, tuple(states.changes()), states.zones(), states.needs()))


def _count_routes(db: Connection, environment: int) -> int:
    (count,) = db.execute("SELECT count(*) FROM routes WHERE environment = ?", (environment,)).fetchone()
    return int(count)


class _States:
    """The current states of the affected things. Elements that were just written are not decoded again."""

    def __init__(
        self,
        db: Connection,
        environment: int,
        affected: Affected,
        changes: Iterable[ChangedElement],
        refuse_late: Callable[[], None],
    ):
        self._db, self._environment, self._affected, self._refuse_late = db, environment, affected, refuse_late
        self._written = {(change.kind, change.key): change for change in changes}
        self._program = self._compiled()
        self._facts = self._resolved()
        self._routing = self._current_routing() if affected.routing else None
        self._granted_on = {grant.resource for grant in self._facts.grants}
        self._above = self._ancestors()

    def changes(self) -> Iterator[AnyChange]:
        """Yields the changes: declarations first, then the facts that refer to them."""
        affected = self._affected
        types = {type.id: (type.name, type.actions, type.closed) for type in self._program.types}
        yield from (TypeChange(id, types.get(id)) for id in sorted(affected.types))
        yield from (RoleChange(id, self._exists(ElementKind.ROLES, id)) for id in sorted(affected.roles))
        yield from self._policies()
        yield from map(self._group, sorted(affected.groups))
        yield from map(self._subject, sorted(affected.subjects))
        yield from self._grants()
        yield from map(self._resource, sorted(affected.resources))
        yield from map(self._alias, sorted(affected.aliases))
        if self._routing is not None:
            yield RoutingChange(self._routing)

    def needs(self) -> tuple[str, ...]:
        """Returns the names of later rules on which the clauses and the routes rely."""
        return needs_of(self._program, self._routing or NO_ROUTING)

    def zones(self) -> dict[str, bytes]:
        """Returns the data of the time zones in the clauses."""
        windows = (atom.window for clause in self._program.clauses for atom in clause.body if isinstance(atom, During))
        return {name: zone_data(name) for name in sorted({window.timezone for window in windows})}

    def _compiled(self) -> Program:
        """Returns the program of the affected policies and types, with all types that the policies cover."""
        if not (self._affected.policies or self._affected.types):
            return Program((), (), ())
        policies: list[Policy] = self._elements(ElementKind.POLICIES, self._affected.policies)
        types = {scope.resource_type_id for policy in policies for scope in policy.resource_types}
        if EVERYTHING in types:
            types = {id for (id,) in self._rows("SELECT id FROM resource_types WHERE environment = ?")}
        declared = self._elements(ElementKind.RESOURCE_TYPES, types | self._affected.types)
        attributes = self._elements(ElementKind.ATTRIBUTES, (ElementKind.ATTRIBUTES.value,)) if policies else ()
        return compile_program(
            Model(resource_types=tuple(declared), policies=tuple(policies), attributes=tuple(attributes))
        )

    def _resolved(self) -> Facts:
        """Returns the facts of the affected subjects, groups and pairs. A subject's other grants are left out."""
        affected = self._affected
        members: dict[str, list[Member]] = {id: [] for id in affected.groups if self._exists(ElementKind.GROUPS, id)}
        holders: list[GrantHolder] = [*affected.subjects, *affected.groups]
        found = self._all_rows(
            *((_GROUPS_OF, key) for key in affected.subjects),
            *((f"{_ASSIGNMENTS} AND {_held(holder)}", _key(holder)) for holder in holders),
            *((f"{_GRANTS} AND {_held(holder)} AND {_ON}", (*_key(holder), *on)) for holder, on in affected.pairs),
            *((f"{_GRANTED} AND {_held(holder)} {_MOST_GRANTED}", _key(holder)) for holder in holders),
        )
        for key in affected.subjects:
            for (group,) in next(found):
                members.setdefault(group, []).append(Member(*key))
        assignments: list[Assignment] = [
            one for _ in holders for one in self._decoded(ElementKind.ASSIGNMENTS, next(found))
        ]
        grants: list[Grant] = [one for _ in affected.pairs for one in self._decoded(ElementKind.GRANTS, next(found))]
        self._granted_to = {holder: tuple(EntityKey(*row) for row in next(found)) for holder in holders}
        types = self._elements(ElementKind.RESOURCE_TYPES, {grant.resource.type for grant in grants})
        return resolve_facts(
            Model(
                resource_types=tuple(types),
                groups=tuple(Group(id, members=tuple(many)) for id, many in members.items()),
                assignments=tuple(assignments),
                grants=tuple(grants),
            )
        )

    def _ancestors(self) -> Mapping[str, Collection[str]]:
        """Returns the groups above the affected ones, at any depth. Raises TooManyAncestors.

        PERF: each group's parents are read once, however many of its members are affected.
        """
        query = "SELECT group_id FROM group_groups WHERE environment = ? AND member = ?"
        parents: dict[str, list[str]] = {}
        waiting = [id for id in self._affected.groups if id in self._facts.groups]
        while waiting:
            id = waiting.pop()
            if id not in parents:
                self._refuse_late()
                parents[id] = [above for (above,) in self._rows(query, id)]
                waiting += parents[id]
        return ancestors(parents, MAX_ANCESTORS)

    def _policies(self) -> Iterator[PolicyChange]:
        clauses: dict[str, list[Clause]] = defaultdict(list)
        for clause in self._program.clauses:
            clauses[clause.policy].append(clause)
        return (policy_change(id, tuple(clauses[id])) for id in sorted(self._affected.policies))

    def _group(self, id: str) -> GroupChange:
        facts = self._facts.groups.get(id)
        if facts is None:
            return GroupChange(id, (), (), present=False)
        return GroupChange(id, tuple(sorted(self._above[id])), united_holdings(facts.holdings), self._granted(id))

    def _subject(self, key: EntityKey) -> SubjectChange:
        facts = self._facts.subjects.get(key) or SubjectFacts()
        groups, granted = tuple(sorted(facts.groups)), self._granted(key)
        present = key in self._facts.subjects or self._is_listed_or_granted("subject", key)
        return SubjectChange(key, groups, united_holdings(facts.holdings), granted, present)

    def _granted(self, holder: GrantHolder) -> tuple[EntityKey, ...] | None:
        """Returns the resources on which a holder has grants itself, or None if they are too many to list."""
        granted = self._granted_to[holder]
        return granted if len(granted) <= LISTED_GRANTS else None

    def _grants(self) -> Iterator[GrantsChange]:
        by_pair: dict[tuple[GrantHolder, EntityKey], list[GrantState]] = defaultdict(list)
        for grant in sorted(self._facts.grants, key=attrgetter("id")):
            state = GrantState(grant.id, grant.actions, grant.expires, grant.starts)
            by_pair[grant.holder, grant.resource].append(state)
        pairs = sorted(self._affected.pairs, key=lambda pair: (isinstance(pair[0], str), pair))
        return (GrantsChange(*pair, tuple(by_pair[pair])) for pair in pairs)

    def _resource(self, key: EntityKey) -> ResourceChange:
        present = key in self._facts.resources or key in self._granted_on
        return ResourceChange(key, present or self._is_listed_or_granted("resource", key))

    def _alias(self, alias: Alias) -> AliasChange:
        query = f"SELECT id FROM {alias.entity}s WHERE environment = ? AND type = ? AND {alias.kind} = ?"
        row = next(iter(self._rows(query, alias.type, alias.alias)), None)
        return AliasChange(alias.entity, alias.type, alias.kind, alias.alias, None if row is None else row[0])

    def _current_routing(self) -> Routing:
        """Returns all routes and the gateway settings."""
        texts = TABLES[ElementKind.ROUTES].bodies(self._db, self._environment)
        routes = (element_of(ElementKind.ROUTES, text) for text in texts)
        found = tuple(one for one in routes if isinstance(one, Route))
        types = self._elements(ElementKind.RESOURCE_TYPES, {one.resource_type for one in found})
        model = Model(resource_types=tuple(types), routes=found)
        return Routing(lower_routes(model), stored_gateway(self._db, self._environment))

    def _is_listed_or_granted(self, entity: str, key: EntityKey) -> bool:
        listed = f"SELECT 1 FROM {entity}s WHERE environment = ?1 AND type = ?2 AND id = ?3"
        granted = f"SELECT 1 FROM grants WHERE environment = ?1 AND {entity}_type = ?2 AND {entity}_id = ?3"
        return bool(self._rows(f"SELECT 1 WHERE EXISTS ({listed}) OR EXISTS ({granted})", *key))

    def _exists(self, kind: ElementKind, *key: str) -> bool:
        return TABLES[kind].find(self._db, self._environment, key) is not None

    def _elements(self, kind: ElementKind, ids: Iterable[str]) -> list[Any]:
        """Returns the existing elements among these ids."""
        rows = ((id, TABLES[kind].find(self._db, self._environment, (id,))) for id in ids)
        return [self._element(kind, id, row.body) for id, row in rows if row is not None]

    def _decoded(self, kind: ElementKind, rows: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        return (self._element(kind, id, body) for id, body in rows)

    def _element(self, kind: ElementKind, id: str, body: bytes) -> Element | None:
        """Returns the element of a row. The element of a change is not decoded again."""
        self._refuse_late()
        change = self._written.get((kind, (id,)))
        return element_of(kind, body) if change is None else change.element_after()

    def _all_rows(self, *questions: tuple[str, tuple[str, ...]]) -> Iterator[list[tuple[Any, ...]]]:
        """Yields the rows of each query, in order. PERF: many are one question to a server of databases."""
        for start in range(0, len(questions), _ASKED):
            self._refuse_late()
            part = questions[start : start + _ASKED]
            yield from self._db.ask([(query, (self._environment, *values)) for query, values in part])

    def _rows(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        return self._db.execute(query, (self._environment, *values)).fetchall()
