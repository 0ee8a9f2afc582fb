"""Tries a write: finds out what it would do, on a snapshot of the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ....compiler.model.elements import DeclaredAttributes, Element, ElementKind, Model, ResourceType
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.time_limit import TimeLimit
from ..elements.element_bodies import element_of
from ..elements.tables import TABLES
from ..elements.workspace import ElementTexts
from ..environment_ids import Bounds
from ..environments import Environment, environment_within
from ..errors import BodyFault, Rejected, StoreUnavailable
from ..history.revision_updates import Updates, updates_since
from ..policy_tests import policy_tests_of
from ..writing import Write, apply_edits, prepared_on, refuse_many

_NAMED_BY: Final = (
    ("subjects", "type"),
    ("group_subjects", "type"),
    ("assignments", "subject_type"),
    ("grants", "subject_type"),
)
"""The columns that name the types of subjects (E3). Each is the second one of an index, after the environment."""


TRIAL_SECONDS: Final = 3.0
"""The time in which a trial applies and checks its edits."""


def trial_limit() -> TimeLimit:
    """Returns the limit of a trial."""
    return TimeLimit(TRIAL_SECONDS)


class Declared(NamedTuple):
    """The declarations of a stored model: a model of its resource types and declared attributes alone.

    `subject_types` are the types of all subjects that the model names.
    """

    model: Model
    subject_types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Trial:
    """A state of an environment, and what a write would make of it.

    `deltas` lead an engine to that state, and `delta` from there to the state after the write; it is None if the write
    changes nothing that decides. `tests` are the stored policy tests as JSON. `changes` are the changed elements.
    """

    environment: Environment
    tests: tuple[bytes, ...]
    before: Declared
    after: Declared
    deltas: tuple[bytes, ...] = ()
    delta: bytes | None = None
    changes: tuple[ElementTexts, ...] = ()
    warnings: tuple[BodyFault, ...] = ()


def read_tests(connections: StoreConnections, env: str, since: int, bounds: Bounds) -> Trial:
    """Returns the state of an environment, for an engine of the revision `since`, without a write.

    Raises NotFound, OutOfBounds, and StoreUnavailable if no deltas lead the engine there.
    """
    with connections.reading() as db:
        environment = environment_within(db, env, bounds)
        declared = declared_of(db, environment)
        deltas = _leading(updates_since(db, env, since), environment)
        return Trial(environment, tuple(policy_tests_of(db, environment)), declared, declared, deltas)


def try_write(connections: StoreConnections, write: Write, since: int, limit: TimeLimit) -> Trial:
    """Returns what a write would do, for an engine of the revision `since`, and writes nothing.

    The edits, their checks and the delta are those of a real write. They are made on one state of the store, and no
    write waits for them. Raises what `Store.write` raises, StoreUnavailable if no deltas lead the engine to the newest
    revision, and Rejected if the write affects more than a delta holds, or if the trial takes longer than `limit`.
    """
    refuse_many(write)
    with prepared_on(connections, limit) as db:
        environment = environment_within(db, write.env, write.actor.bounds)
        tests, before = tuple(policy_tests_of(db, environment)), declared_of(db, environment)
        deltas = _leading(updates_since(db, write.env, since), environment)
        prepared = apply_edits(db, write, limit)
        after, warnings = declared_of(db, environment), prepared.committed.warnings
        if prepared.found is None:
            return Trial(environment, tests, before, after, deltas, warnings=warnings)
        delta, changes = _small(prepared.found.delta), tuple(prepared.found.net)
        return Trial(environment, tests, before, after, deltas, delta, changes, warnings)


def _leading(updates: Updates, environment: Environment) -> tuple[bytes, ...]:
    """Returns deltas that lead to the newest revision."""
    if not updates.are_complete:
        raise StoreUnavailable(f"a bundle of the newest revision of `{environment.id}` is being built; try again")
    return updates.deltas


def _small(delta: bytes | None) -> bytes:
    """Returns the delta of the write that was tried. Raises Rejected if it has none."""
    if delta is None:
        message = "the changes affect more than can be tried: they need a new bundle"
        raise Rejected((BodyFault("too-many-affected", "$", message, "try fewer changes at a time"),))
    return delta


def declared_of(db: Connection, environment: Environment) -> Declared:
    """Returns what the stored model declares now."""
    types = _elements(db, environment, ElementKind.RESOURCE_TYPES)
    attributes = _elements(db, environment, ElementKind.ATTRIBUTES)
    model = Model(
        resource_types=tuple(one for one in types if isinstance(one, ResourceType)),
        attributes=tuple(one for one in attributes if isinstance(one, DeclaredAttributes)),
    )
    names = (name for table, column in _NAMED_BY for name in _distinct(db, environment, table, column))
    return Declared(model, frozenset(names) if attributes else frozenset())


def _elements(db: Connection, environment: Environment, kind: ElementKind) -> Sequence[Element]:
    return [element_of(kind, body) for body in TABLES[kind].bodies(db, environment.number)]


def _distinct(db: Connection, environment: Environment, table: str, column: str) -> Iterator[str]:
    """Yields the different values of a column. PERF: each is one step in an index, however many rows have it."""
    query = f"SELECT {column} FROM {table} WHERE environment = ? AND {column} > ? ORDER BY {column} LIMIT 1"
    row = db.execute(query, (environment.number, "")).fetchone()
    while row is not None:
        yield row[0]
        row = db.execute(query, (environment.number, row[0])).fetchone()
