"""The first connection to a new primary, or to a restored database: it begins an epoch (see `succession`)."""

import logging
from typing import Final, NamedTuple

import psycopg
from psycopg import errors

from ..errors import EpochAwaited, StoreUnavailable
from . import lease_tables as sql
from .primary_mark import PrimaryLine
from .succession import Cause, Succession
from .trace import Seen, Trace

_BEGINS: Final = "no epoch has begun since; start a server, or run `writ takeover`"
_EARLIER: Final = (
    "the database is an earlier primary, or an older copy, than this data directory has seen; fence it, or name the"
    " other one. Only if this one shall count from now on, stop all servers and run `writ takeover`"
)

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


def store_identity(db: psycopg.Connection) -> bytes:
    """Returns the identity of the store, which its dumps and copies have too."""
    row = db.execute(sql.READ_IDENTITY).fetchone()
    assert row is not None
    return bytes(row[0])


def take_line(db: psycopg.Connection, lease: int, trace: Trace | None = None, begins: bool = True) -> PrimaryLine:
    """Returns the line of the primary. Call it for each new connection, before anything else is read or written.

    If another primary wrote last, a replica was promoted, or the database was recovered, restored or copied.
    Acknowledged revisions may be lost then, and servers may still hold leases that are not in this database. So one
    transaction begins an epoch, as `Succession` says. `lease` is the nanoseconds of the caller's leases. `trace` is
    that of its data directory, which tells an older copy of a disk. Raises StoreUnavailable, also for an earlier
    primary than the trace is from. Without `begins`, raises EpochAwaited in place of a new epoch.
    """
    place, seen = this_place(db), _seen(db, trace)
    noted = _noted(db)
    cause = noted and _cause(db, place, noted, seen)
    if cause and not begins:
        raise EpochAwaited(f"{cause.words}, and {_BEGINS}")
    return noted.line if noted and not cause else _note(db, place, Succession(db, lease), seen)


def refuse_earlier(db: psycopg.Connection, trace: Trace) -> Place:
    """Raises StoreUnavailable for an earlier primary than the trace is from. Returns the place, and writes nothing."""
    place, seen, noted = this_place(db), _seen(db, trace), _noted(db)
    if noted is not None:
        _cause(db, place, noted, seen)
    return place


def _seen(db: psycopg.Connection, trace: Trace | None) -> Seen | None:
    """Returns the trace of this store. Read it before the database: its number only grows."""
    seen = None if trace is None else trace.read()
    return seen if seen is not None and seen.store == store_identity(db) else None


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
    """Returns why this is not the primary that was noted, or that was seen before, or None if it is.

    Raises StoreUnavailable if it is earlier than what was seen: it lacks acknowledged changes, and may still run.
    """
    if seen is not None and _is_earlier(place, noted, seen.line):
        raise StoreUnavailable(_EARLIER)
    if not noted.is_original or noted.line.database != place.database:
        return Cause.COPY
    if noted.line[: len(place)] != place:
        return Cause.PROMOTION
    return Cause.COPY if seen is not None and _is_older(db, noted.line, seen) else None


def _is_earlier(place: Place, noted: _Noted, seen: PrimaryLine) -> bool:
    """Returns whether this is a primary that was left for that of `seen`, by its timeline or by its beginning.

    A takeover there begins a later line.
    """
    if noted.is_original and noted.line[: len(place)] == place:
        return noted.line != seen and noted.line.began <= seen.began
    return place.system == seen.system and place.timeline < seen.timeline


def _is_older(db: psycopg.Connection, line: PrimaryLine, seen: Seen) -> bool:
    """Returns whether the database lacks what a server has seen in it. A later line has its epoch already."""
    if line != seen.line:
        return False
    row = db.execute(sql.READ_TRACE, (seen.id,)).fetchone()
    return row is None or row[0] < seen.number
