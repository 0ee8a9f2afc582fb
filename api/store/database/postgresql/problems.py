"""The errors of PostgreSQL that are about the database, with what to do."""

from typing import Final

from psycopg import errors

from ...errors import BodyFault, Rejected, StoreFull, StoreUnavailable
from ..driver_errors import QueryFailed

_FULL = (errors.DiskFull,)
_LONG_IDS: Final = BodyFault(
    "bad-id",
    "$",
    "the ids in one element are longer together than PostgreSQL's indexes take, about 2,700 bytes",
    "use shorter ids",
)


def told(failed: QueryFailed, place: str, busy_seconds: float) -> StoreUnavailable | Rejected | None:
    """Returns the error that callers see, or None if the error is neither about the database nor about long ids.

    `place` names the database.
    """
    cause = failed.__cause__
    if isinstance(cause, errors.ProgramLimitExceeded):
        return Rejected((_LONG_IDS,))
    problem = _problem(cause, busy_seconds)
    if problem is None:
        return None
    kind = StoreFull if isinstance(cause, _FULL) else StoreUnavailable
    return kind(f"the store `{place}` {problem}", f"the store {problem}")


def _problem(cause: BaseException | None, busy_seconds: float) -> str | None:
    match cause:
        case errors.DiskFull():
            return "can't grow: the database's disk is full; make room there"
        case errors.LockNotAvailable():
            return f"was locked by another write for {busy_seconds:g} s; try again"
        case errors.ReadOnlySqlTransaction():
            return "is read-only, because its server is a replica or is set so; name the primary"
        case errors.QueryCanceled():
            return "has not answered in time; try again, or look for what loads the database"
        case errors.InsufficientPrivilege():
            return f"can't be used ({_sentence(cause)}); give the user of the URL its rights"
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.UndefinedFunction() | errors.DataCorrupted():
            return (
                f"is damaged ({_sentence(cause)}), or a newer version has upgraded it just now; try again, or restore a"
                " backup"
            )
        case errors.TooManyConnections():
            return "has no connection left; raise `max_connections` of the database, or run fewer workers"
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification() | errors.InvalidCatalogName():
            return f"can't be opened ({_sentence(cause)}); correct the URL"
        case errors.DeadlockDetected() | errors.SerializationFailure():
            return "was in use by another transaction in a way that ended this one; try again"
        case errors.IdleInTransactionSessionTimeout() | errors.TransactionTimeout():
            return "ended a transaction that took too long; try again, or look for what slows this machine"
        case errors.InsufficientResources() | errors.OutOfMemory() | errors.ConfigurationLimitExceeded():
            return f"has too little memory or another resource ({_sentence(cause)}); give the database more"
        case errors.IndexCorrupted():
            return f"is damaged ({_sentence(cause)}); run `REINDEX DATABASE`, or restore a backup"
        case errors.UntranslatableCharacter() | errors.CharacterNotInRepertoire():
            return f"can't take or give a text ({_sentence(cause)}); report the message"
        case errors.InternalError():
            return f"has failed ({_sentence(cause)}); look into the log of the database"
        case errors.OperationalError() | errors.InterfaceError():
            return f"can't be reached ({_sentence(cause)}); start the database, or correct the URL"
        case _:
            return None


def _sentence(cause: BaseException) -> str:
    """Returns the first line of a message of the server."""
    return (str(cause).splitlines() or [type(cause).__name__])[0].strip()
