"""The first connection to a new primary, or to a restored database: it begins an epoch (see `succession`)."""

import logging
from typing import Final, NamedTuple

import psycopg
from psycopg import errors

from ..errors import StoreUnavailable
from . import lease_tables as sql
from .primary_mark import PrimaryLine
from .succession import Cause, Succession
from .trace import Seen, Trace

_LOG: Final = logging.getLogger(__name__)


class Place(NamedTuple):
    """The primary and the database at the other end of a connection, as `PrimaryLine` has them."""

    system: int
    timeline: int
    database: int


class _Noted(NamedTuple):
    """The row about the primary that wrote last, and whether it is there as it was noted."""

    line: PrimaryLine
    is_original: bool


def this_place(db: psycopg.Connection) -> Place:
    """Returns the place of a connection. Raises StoreUnavailable if it is on a replica."""
    try:
        row = db.execute(sql.THIS_PLACE).fetchone()
    except errors.ObjectNotInPrerequisiteState:
        raise StoreUnavailable("the database is a replica; name the primary") from None
    assert row is not None
    return Place(*row)


def take_line(db: psycopg.Connection, lease: int, trace: Trace | None = None) -> PrimaryLine:
    """Returns the line of the primary. Call it for each new connection, before anything else is read or written.

    If another primary wrote last, a replica was promoted, or the database was recovered, restored or copied.
    Acknowledged revisions may be lost then, and servers may still hold leases that are not in this database. So one
    transaction begins an epoch, as `Succession` says. `lease` is the nanoseconds of the caller's leases. `trace` is
    that of its data directory, which tells an older copy of a disk. Raises StoreUnavailable.
    """
    place = this_place(db)
    seen = None if trace is None else trace.read()  # before the database: its number only grows
    noted = _noted(db)
    if noted is None or _cause(db, place, noted, seen):
        return _note(db, place, Succession(db, lease), seen)
    return noted.line


def _note(db: psycopg.Connection, place: Place, succession: Succession, seen: Seen | None) -> PrimaryLine:
    with db.transaction():
        succession.lock()
        noted = _noted(db)
        cause = noted and _cause(db, place, noted, seen)
        if noted is not None and cause is None:
            return noted.line  # another process was faster
        if cause is not None:
            succession.begin(cause)
        line = note_line(db, place, 0 if seen is None else seen.line.began)
    if cause is not None:
        _LOG.warning("%s, so the epoch of each environment is raised", cause.words)
    return line


def note_line(db: psycopg.Connection, place: Place, after: int = 0) -> PrimaryLine:
    """Notes in a transaction that this primary writes. Every connection from before has another line from then on.

    It begins later than a line that began at `after`.
    """
    row = db.execute(sql.NOTE_LINE, (*place, after)).fetchone()
    assert row is not None
    return PrimaryLine(*row)


def _noted(db: psycopg.Connection) -> _Noted | None:
    row = db.execute(sql.LAST_LINE).fetchone()
    return None if row is None else _Noted(PrimaryLine(*row[:-1]), row[-1])


def _cause(db: psycopg.Connection, place: Place, noted: _Noted, seen: Seen | None) -> Cause | None:
    """Returns why this is not the primary that was noted, or that was seen before, or None if it is."""
    if not noted.is_original or noted.line.database != place.database:
        return Cause.COPY
    if noted.line[: len(place)] != place:
        return Cause.PROMOTION
    return Cause.COPY if seen is not None and _is_older(db, noted.line, seen) else None


def _is_older(db: psycopg.Connection, line: PrimaryLine, seen: Seen) -> bool:
    """Returns whether the database lacks what a server has seen in it, or in another one."""
    if line != seen.line:
        return line.began <= seen.line.began
    row = db.execute(sql.READ_TRACE, (seen.id,)).fetchone()
    return row is None or row[0] < seen.number
