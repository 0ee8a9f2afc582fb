"""Assignments and grants by expiry: those that expire soon, and the removal of those that expired long ago (P4)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ...bundles.conditions.instants import from_seconds, parse_instant
from ...compiler.model.elements import ElementKind
from .actor import SWEEP
from .database.connection import Connection
from .database.connections import StoreConnections
from .elements.element_bodies import Body, decode_body
from .elements.kinds import KINDS
from .elements.tables import StoredRow
from .elements.workspace import Workspace
from .environment_ids import Bounds
from .environments import Environment, all_environments, environment_within
from .errors import BadQuery
from .history.committing import log_changes
from .pages import cursor_after, read_cursor, refuse_limit

EXPIRING_KINDS: Final = (ElementKind.ASSIGNMENTS, ElementKind.GRANTS)
"""The kinds whose elements may expire, in the order of a page."""

_LIST: Final = "expiring"


@dataclass(frozen=True, slots=True)
class Expiring:
    """An assignment or a grant that expires. `kind` is its list."""

    kind: ElementKind
    id: str
    element: Body


class _PagePosition(NamedTuple):
    """A position in the order of a page: an expiry in epoch seconds, a kind and an id. After it, the page begins."""

    expires: float
    kind: str
    id: str

    def start_in(self, kind: ElementKind) -> tuple[float, str]:
        """Returns the expiry and the id after which the rows of a kind begin. No id is empty."""
        if kind == self.kind:
            return self.expires, self.id
        return (self.expires if kind > self.kind else math.nextafter(self.expires, math.inf)), ""


class ExpiryIndex:
    """The elements of a store by expiry. Every method raises StoreUnavailable, as those of the store do."""

    def __init__(self, connections: StoreConnections, time: Callable[[float | None], str]):
        """`time` converts epoch seconds to RFC 3339."""
        self._connections, self._time = connections, time

    def page(
        self, env: str, after: float, until: float, limit: int, cursor: str | None = None, bounds: Bounds = None
    ) -> tuple[tuple[Expiring, ...], str | None]:
        """Returns what expires after `after`, and at `until` or before, and the cursor of the next page.

        The soonest comes first, then assignments, then the smallest id. Instants are in epoch seconds. Raises NotFound,
        OutOfBounds and BadQuery.
        """
        refuse_limit(limit)
        behind = _PagePosition(math.nextafter(after, math.inf), "", "")
        if cursor is not None:
            behind = max(behind, _position_in(cursor))
        with self._connections.reading() as db:
            number = environment_within(db, env, bounds).number
            found = sorted(row for kind in EXPIRING_KINDS for row in _rows(db, number, kind, behind, until, limit + 1))
        items = tuple(Expiring(ElementKind(kind), id, decode_body(body)) for (_, kind, id), body in found[:limit])
        if len(found) <= limit:
            return items, None
        last = found[limit - 1][0]
        return items, cursor_after(_LIST, (repr(last.expires), last.kind, last.id))

    def swept(self, before: float, now: float, most: int) -> Environment | None:
        """Remove elements that expired at `before` or earlier, at most `most` of one environment, as one revision.

        Returns the environment at that revision, or None if there is nothing to remove. What to remove is found under
        the write lock, so nothing is removed that another write has just prolonged. Instants are in epoch seconds.

        An environment whose newest revision is later than `now` is left alone: the clock was set back, or the store
        comes from a machine whose clock is ahead. Then the clock is no reason to remove anything.
        """
        with self._connections.reading() as db:
            due = [one.id for one in all_environments(db) if _is_due(db, one, before, now)]
        for id in due:
            with self._connections.writing(environments=(id,)) as db:
                known = [one for one in all_environments(db) if one.id == id]
                if known and _is_due(db, known[0], before, now):
                    return self._remove(Workspace(db, known[0]), before, now, most)
        return None

    def _remove(self, workspace: Workspace, before: float, now: float, most: int) -> Environment:
        for kind in EXPIRING_KINDS:
            query = f"""SELECT id, place, version, body FROM {kind}
                WHERE environment = ? AND expires IS NOT NULL AND expires <= ? ORDER BY expires, id LIMIT ?"""
            rows = workspace.db.execute(query, (workspace.number, before, most - len(workspace.changes))).fetchall()
            for id, *row in rows:
                workspace.remove(KINDS[kind], (id,), StoredRow(*row))
        return replace(workspace.environment, revision=log_changes(workspace, SWEEP, self._time(now)))


def number_expiring(db: Connection, environment: Environment, after: float, until: float, most: int) -> int:
    """Returns how many elements `ExpiryIndex.page` lists between these instants, up to `most`."""
    found = 0
    for kind in EXPIRING_KINDS:
        query = f"""SELECT count(*) FROM (SELECT 1 AS found FROM {kind}
            WHERE environment = ? AND expires IS NOT NULL AND expires > ? AND expires <= ? LIMIT ?) AS rows"""
        (number,) = db.execute(query, (environment.number, after, until, most - found)).fetchone()
        found += int(number)
    return found


def _rows(
    db: Connection, environment: int, kind: ElementKind, after: _PagePosition, until: float, limit: int
) -> list[tuple[_PagePosition, bytes]]:
    query = f"""SELECT expires, id, body FROM {kind}
        WHERE environment = ? AND expires IS NOT NULL AND (expires, id) > (?, ?) AND expires <= ?
        ORDER BY expires, id LIMIT ?"""
    rows = db.execute(query, (environment, *after.start_in(kind), until, limit)).fetchall()
    return [(_PagePosition(expires, kind, id), body) for expires, id, body in rows]


def _is_due(db: Connection, environment: Environment, before: float, now: float) -> bool:
    """Returns whether something in an environment expired by `before`, and its newest revision is not in the future."""
    query = " UNION ALL ".join(
        f"SELECT EXISTS (SELECT 1 FROM {kind} WHERE environment = ?1 AND expires IS NOT NULL AND expires <= ?2)"
        for kind in EXPIRING_KINDS
    )
    if not any(found for (found,) in db.execute(query, (environment.number, before)).fetchall()):
        return False
    query = "SELECT time FROM changes WHERE environment = ? AND revision = ?"
    changed = db.execute(query, (environment.number, environment.revision)).fetchone()
    return changed is None or parse_instant(changed[0]) <= from_seconds(now)


def _position_in(cursor: str) -> _PagePosition:
    expires, kind, id = read_cursor(_LIST, cursor, 3)
    try:
        place = _PagePosition(float(expires), ElementKind(kind), id)
    except ValueError:
        place = None
    if place is None or not math.isfinite(place.expires):
        raise BadQuery("the cursor is not of this list; begin without one")
    return place
