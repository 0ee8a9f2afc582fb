"""The refusals of the store, as JSON carries them from the process of a job to the worker that answers."""

import msgspec

from ...store.errors import (
    BodyFault,
    Conflict,
    Drifted,
    NotFound,
    NotPermitted,
    OutOfBounds,
    PreconditionFailed,
    Refusal,
    Rejected,
    StoreUnavailable,
    User,
)
from ...store.promotions.promotion import Drift

_PLAIN = {one.__name__: one for one in (NotFound, OutOfBounds, NotPermitted, PreconditionFailed)}


class JobRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error of the store, by the name of its class, with what it carries."""

    error: str
    message: str
    public: str = ""
    faults: tuple[BodyFault, ...] = ()
    users: tuple[User, ...] = ()
    drift: Drift | None = None


def refused(error: Refusal | StoreUnavailable) -> JobRefusal:
    """Returns what `raised` makes an equal error of."""
    name, message = type(error).__name__, str(error)
    match error:
        case StoreUnavailable():
            return JobRefusal(StoreUnavailable.__name__, message, error.public)
        case Rejected():
            return JobRefusal(name, message, faults=error.faults)
        case Drifted():
            assert isinstance(error.drift, Drift)
            return JobRefusal(name, message, drift=error.drift)
        case Conflict():
            return JobRefusal(Conflict.__name__, message, users=error.users)
    return JobRefusal(name, message)


def raised(found: JobRefusal) -> Refusal | StoreUnavailable:
    """Returns the error that was refused with."""
    match found.error:
        case "StoreUnavailable":
            return StoreUnavailable(found.message, found.public)
        case "Rejected":
            return Rejected(found.faults)
        case "Drifted":
            return Drifted(found.message, found.drift)
        case "Conflict":
            return Conflict(found.message, found.users)
    return _PLAIN[found.error](found.message)
