"""The registered attributes of an entity at an earlier revision (E9): the current ones, or those in the change log."""

from typing import Any, Final

import msgspec

from ....bundles.conditions.values import Json, is_text
from ....compiler.model.elements import ElementKind
from ....runtime.state.state import State
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..elements.tables import TABLES
from ..environments import Environment, environment_by_id
from ..errors import ElementKey, Stale
from .change_log import entries_chunk

MOST_CHUNKS: Final = 100
"""The chunks of the change log that are read for one entity. An engine is that far behind for a moment only."""


class _Body(msgspec.Struct, gc=False):
    attributes: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Body).decode


class StoredRegistry:
    """The registry of the environments of a store. Each answer is as of the revision of a `state`.

    Raises StoreUnavailable, WithoutLease, NotFound if the environment is gone, and Stale if it was replaced, or changed
    too much.
    """

    def __init__(self, connections: StoreConnections):
        self._connections = connections

    def subject(self, state: State, type: str, id: str) -> dict[str, Json]:
        """Returns the registered attributes of a subject."""
        return self._attributes(state, ElementKind.SUBJECTS, (type, id))

    def resource(self, state: State, type: str, id: str) -> dict[str, Json]:
        """Returns the registered attributes of a resource. `type` is the id of its type."""
        return self._attributes(state, ElementKind.RESOURCES, (type, id))

    def _attributes(self, state: State, kind: ElementKind, key: ElementKey) -> dict[str, Json]:
        if state.manifest.environment is None:  # no bundle of a store
            return {}
        with self._connections.deciding(), self._connections.reading() as db:
            environment = environment_by_id(db, state.manifest.environment.id)
            if (environment.uuid, environment.epoch) != (state.manifest.environment.uuid, state.manifest.epoch):
                raise Stale(f"the environment `{environment.id}` was replaced meanwhile; try again")
            return attributes_at(db, environment, state.revision, kind, key)


def attributes_at(
    db: Connection, environment: Environment, revision: int, kind: ElementKind, key: ElementKey
) -> dict[str, Json]:
    """Returns the attributes that a subject or a resource had at a revision. An entity that is not listed has none.

    `key` is the type and the id. Raises Stale if too much was changed since then.
    """
    if not all(map(is_text, key)):  # SQLite takes no lone surrogate, and no key has one
        return {}
    row = TABLES[kind].find(db, environment.number, key)
    if environment.revision > revision and (row is None or row.version > revision):
        found, before = _before(db, environment, revision, kind, key)
        if found:
            return (before or {}).get("attributes") or {}
    return {} if row is None else _decode(row.body).attributes or {}


def _before(
    db: Connection, environment: Environment, revision: int, kind: ElementKind, key: ElementKey
) -> tuple[bool, dict[str, Any] | None]:
    """Returns whether an element was changed after a revision, and its body before the first of these changes."""
    left = MOST_CHUNKS
    for later in range(revision + 1, environment.revision + 1):
        chunk = 0
        while (entries := entries_chunk(db, environment.number, later, chunk)) is not None:
            for entry in entries:
                if entry.kind == kind and entry.key == key:
                    return True, entry.before
            chunk, left = chunk + 1, left - 1
            if left == 0:
                raise Stale(f"`{environment.id}` was changed too much meanwhile; try again")
    return False, None
