"""Several small writes in one transaction: each is a separate revision, and they wait for the disk once."""

from collections.abc import Sequence
from time import monotonic
from typing import Final

from ...compiler.model.elements import ElementKind
from .database.connection import Connection
from .database.connections import StoreConnections
from .database.driver_errors import DRIVER_ERRORS
from .database.time_limit import TimeLimit
from .elements.edits import Committed, Delete, SetGrants
from .errors import StoreFull, StoreUnavailable
from .writing import Time, Write, apply_write

MOST_WRITES: Final = 32
"""The most writes in one transaction."""

MOST_SECONDS: Final = 0.05
"""After so many seconds, a transaction takes no further write: the writes in it wait for its end."""

MOST_SECONDS_OF_ONE: Final = 0.05
"""The processor time of one of the writes. One that takes longer fails with WriteTakesLong, to be written alone."""

MOST_SHORT_SET: Final = 32
"""The most grants of a set that is written with other writes."""

_NOT_STORED: Final[tuple[type[Exception], ...]] = (*DRIVER_ERRORS, StoreFull)
_SHORT_KINDS: Final = frozenset(ElementKind) - {
    ElementKind.RESOURCE_TYPES,
    ElementKind.GROUPS,
    ElementKind.ROUTES,
    ElementKind.ATTRIBUTES,
    ElementKind.EXTENSIONS,
}
"""A group can have many members. Changed types, attributes and extensions are checked with all that uses them."""


def is_short(write: Write) -> bool:
    """Returns whether a write certainly takes little time, so that others need not mind to wait for it.

    It has one edit, which deletes no users of an element. Its kind is not a resource type or a group.
    """
    if len(write.edits) != 1:
        return False
    (edit,) = write.edits
    if isinstance(edit, SetGrants) and len(edit.bodies) > MOST_SHORT_SET:
        return False
    return edit.kind in _SHORT_KINDS and not (isinstance(edit, Delete) and edit.cascade)


def write_gathered(connections: StoreConnections, writes: Sequence[Write], time: Time) -> list[Committed | Exception]:
    """Apply the first of the writes, one at least, in order, in one transaction. Returns each one's result or failure.

    A write sees the writes before it. If it fails, its savepoint is undone, and the others stay. Writes after
    MOST_WRITES or MOST_SECONDS are left for another call. Raises StoreUnavailable if the transaction fails: then none
    of the writes is stored. Only if a write is at fault, each is then tried in its own transaction.
    """
    if len(writes) == 1:
        return _one_by_one(connections, writes, time)
    outcomes: list[Committed | Exception] = []
    writes = writes[:MOST_WRITES]
    try:
        with connections.writing(environments={write.env for write in writes}) as db:
            end = monotonic() + MOST_SECONDS
            for write in writes:
                outcomes.append(_in_savepoint(db, write, time))
                if monotonic() > end:
                    break
    except _NOT_STORED:
        # One of them can't be stored, so each tries alone. Deferred constraints are checked only at the commit.
        return _one_by_one(connections, writes[: max(1, len(outcomes))], time)
    return outcomes


def _in_savepoint(db: Connection, write: Write, time: Time) -> Committed | Exception:
    """Raises an error of the driver, after which the state of the transaction is unknown."""
    db.post("SAVEPOINT of_one_write")
    kept = len(db.last_steps)
    outcome: Committed | Exception
    try:
        outcome = _applied(db, write, time)
    except DRIVER_ERRORS:
        raise
    except Exception as ex:
        if not db.in_transaction:  # the engine has undone all of it
            raise
        db.post("ROLLBACK TO of_one_write")
        db.last_steps.keep(kept)
        outcome = ex
    db.post("RELEASE of_one_write")
    return outcome


def _applied(db: Connection, write: Write, time: Time) -> Committed:
    return apply_write(db, write, time, TimeLimit.of_processor(MOST_SECONDS_OF_ONE))


def _one_by_one(connections: StoreConnections, writes: Sequence[Write], time: Time) -> list[Committed | Exception]:
    """Apply the writes in a transaction each, up to the first one that finds the store unavailable."""
    outcomes: list[Committed | Exception] = []
    for write in writes:
        outcomes.append(_alone(connections, write, time))
        if isinstance(outcomes[-1], StoreUnavailable) and not isinstance(outcomes[-1], StoreFull):
            break
    return outcomes


def _alone(connections: StoreConnections, write: Write, time: Time) -> Committed | Exception:
    try:
        with connections.writing(environments=(write.env,)) as db:
            return _applied(db, write, time)  # it is the result only if the commit succeeds
    except Exception as ex:
        return ex
