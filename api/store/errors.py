"""The errors of the store. Each message is one sentence that the caller may see."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

from ...bundles.wording import in_backticks

ElementKey: TypeAlias = tuple[str, ...]
"""The key of an element in its list: `(id,)`, or `(type, id)` for subjects and resources."""

MAX_LISTED_USERS = 100
"""The most users of an element that a Conflict lists."""


@dataclass(frozen=True, slots=True)
class BodyFault:
    """A diagnostic about one element. `path` starts at the element's own body, `$`.

    `edit` is the index of the edit within its write, or None if the fault is in a whole document.
    """

    code: str
    path: str
    message: str
    help: str = ""
    edit: int | None = None
    place: tuple[int, int] | None = None
    """The line and the column in a document of text or YAML, from 1."""

    @property
    def sentence(self) -> str:
        """The message, and the help if there is any."""
        return f"{self.message}; {self.help}" if self.help else self.message


class User(NamedTuple):
    """An element that refers to another one. `text` is an assignment or a grant as a sentence, or "" for the others."""

    kind: str
    key: ElementKey
    text: str = ""

    @property
    def named(self) -> str:
        """The words for the element in a message."""
        return in_backticks(self.text) if self.text else f"{in_backticks(':'.join(self.key))} in `{self.kind}`"


class Refusal(Exception):
    """The store refuses a write or a part of it, and changes nothing.

    `edit` is the index of the edit at fault, or None if the refusal is not about a single edit.
    """

    edit: int | None = None


class Rejected(Refusal):
    """The content of a write has errors. `faults` has at least one."""

    def __init__(self, faults: tuple[BodyFault, ...]):
        super().__init__(faults[0].message if len(faults) == 1 else f"{faults[0].message}, and {len(faults) - 1} more")
        self.faults = faults


class WriteTakesLong(Rejected):
    """The write takes longer than its limit."""


class NotFound(Refusal):
    """The element, environment or revision does not exist."""


class Conflict(Refusal):
    """The id exists already, or other elements refer to the element to delete.

    `users` lists the referring elements, MAX_LISTED_USERS of them at most.
    """

    def __init__(self, message: str, users: tuple[User, ...] = ()):
        super().__init__(message)
        self.users = users


class EqualFact(Conflict):
    """Another grant or assignment, the one of `users`, is equal to the written one (P8, P9)."""


class Drifted(Conflict):
    """The target of a promotion was edited in place. `drift`, a `Drift`, tells what, by whom and when."""

    def __init__(self, message: str, drift: Any):
        super().__init__(message)
        self.drift = drift


class ChangedSince(Conflict):
    """Changes can't be undone, since their elements changed again. `conflicts` has one `UndoConflict` at least."""

    def __init__(self, message: str, conflicts: tuple[Any, ...]):
        super().__init__(message)
        self.conflicts = conflicts


class PreconditionFailed(Refusal):
    """The element is no longer the one that the caller saw (`If-Match`)."""


class Protected(Refusal):
    """The environment can't be deleted: it is the default, which stays protected, or it is marked as protected."""


class NotPermitted(Refusal):
    """This actor may not do that, whatever its scopes: only the administrator's key may, or another person."""


class OutOfBounds(Refusal):
    """The caller's credential is bound to environments, and the requested thing is outside them or missing."""


class BadQuery(ValueError):
    """A list was requested with an unusable filter, cursor or limit."""


class StoreUnavailable(Exception):
    """The database can't be read or written now. The message gives the reason and a remedy.

    The message may name files. `public` does not: it is for callers who do not administer the service.
    """

    def __init__(self, message: str, public: str | None = None):
        super().__init__(message)
        self.public = message if public is None else public

    @classmethod
    def at(cls, path: Path, problem: str, cause: str = "") -> Self:
        """Returns the error of the store at `path`. Only an administrator sees the path, and the `cause` if known."""
        said = f"{problem.partition(';')[0]}: {cause}" if cause else problem
        return cls(f"the store `{path}` {said}", f"the store {problem}")


@contextmanager
def driver_needed() -> Iterator[None]:
    """Tells that a database of PostgreSQL needs its driver, if the imports in the block fail for that.

    Raises StoreUnavailable then.
    """
    try:
        yield
    except ImportError:
        raise StoreUnavailable("a store on PostgreSQL needs psycopg: install `writ-pdp[postgres]`") from None


class OlderFormat(StoreUnavailable):
    """The store has an older format, which this program upgrades only if an operator asks for that."""


class EpochAwaited(StoreUnavailable):
    """The database has another primary, or was restored, and no server has begun an epoch there yet."""


class StoreFull(StoreUnavailable):
    """Nothing more can be written: the disk is full, or a limit or a quota is reached."""


class NotSignalled(StoreUnavailable):
    """The change is stored, but it is not known whether each server has seen it yet."""


class LeaseOver(StoreUnavailable):
    """This server has no lease. It can't decide until its keeper has got one."""

    def __init__(self) -> None:
        super().__init__("this server has no lease from its database, so nothing is decided; its log says why")


class Stale(Exception):
    """The store can't be read, and the snapshot in memory is too old to serve. Decisions fail, and clients deny.

    The message may be shown to anyone: it names no file.
    """


class WithoutLease(Stale):
    """This server has no lease now, so another one may have confirmed a newer change."""
