"""The connections of a store, with transactions and readable errors, whichever engine has the database."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from .commit_signal import CommitSignal
from .connection import Connection
from .time_limit import TimeLimit
from .watch import Watch

BUSY_SECONDS = 5.0
"""Seconds that a write waits for another write."""

IDLE_SECONDS = 4
"""Seconds between two statements of a server's write, after which PostgreSQL ends it. They are fewer than others wait.

A write of a server goes on within milliseconds. One that is stopped must not keep all other servers waiting.
"""

LARGE_WRITE_IDLE_SECONDS = 30
"""The same of a job or a command, which checks a whole model between two statements."""

LONG_WAIT_FACTOR = 6
"""The factor by which urgent writes wait longer, such as a revocation while a large model is replaced."""

Timed: TypeAlias = Callable[[bool, float], None]
"""Hears of each transaction that succeeded: whether it was a write, and its seconds. Any thread calls it."""


def untimed(_is_write: bool, _seconds: float) -> None:
    """Ignore the times of transactions."""


Primary: TypeAlias = object
"""The mark of a primary: those of two primaries differ."""


def _any_is_current(_primary: Primary) -> bool:
    return True


def _none_waits(_primary: Primary) -> None:
    pass


def _never_refused() -> None:
    pass


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """The URL of a database on a server, and what is asked of those who use it.

    Attributes:
        url: A URL of PostgreSQL, or the names and values that stand for one.
        admit: Is called with each new connection of the driver, before anything is read or written, and with the folder
            of the store's own files. Returns the mark of the primary. Raises StoreUnavailable.
        is_current: Tells whether a primary is the one that counts now. Asked before each transaction.
        watch: Makes the watch of a server of Writ, by the commit signal. None: the database is asked.
        refuse: Raises StoreUnavailable if no decision may wait for the database now. Asked before something is read for
            one, and while the answer of the database does not come.
        wait: Is called after each commit of a change, with its primary, by the thread that made it, which has no lock.
        idle_seconds: The time between two statements of a write, after which the database ends it.
    """

    url: str
    admit: Callable[[Any, Path], Primary]
    is_current: Callable[[Primary], bool] = _any_is_current
    watch: Callable[[CommitSignal], Watch] | None = None
    refuse: Callable[[], None] = _never_refused
    wait: Callable[[Primary], None] = _none_waits
    idle_seconds: float = LARGE_WRITE_IDLE_SECONDS


class StoreConnections(Protocol):
    """Opens connections as threads need them. Safe to fork: a child opens its own, and does not touch the parent's."""

    @property
    def directory(self) -> Path:
        """The folder of the store's own files."""

    @property
    def signal(self) -> CommitSignal | None:
        """The commit signal of this server's processes, or None if there is none."""

    @property
    def folder(self) -> str:
        """The id of that folder among those of all servers on the database. Empty: there is no other one."""

    def primary(self) -> Primary | None:
        """Returns the primary of the last transaction of this thread, or None if there are no others."""

    def possible_loss(self) -> str | None:
        """Returns a sentence about acknowledged changes that a failure of the database may lose, or None."""

    def exposures(self) -> Sequence[str]:
        """Returns sentences about what lets others get between Writ and the database. Raises StoreUnavailable."""

    def sizes(self) -> Mapping[str, int]:
        """Returns the bytes of the `database` and of its `log`, as far as they can be told."""

    def identity(self) -> str:
        """Returns the identity of the store on a database server, or an empty text for a store in a file."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Returns a connection that reads one state of the database in the whole block. Raises StoreUnavailable."""

    def deciding(self) -> AbstractContextManager[None]:
        """Lets decisions wait for what this thread reads in the block: it waits no longer than this server may decide.

        So does each read on the thread of an event loop. Raises WithoutLease.
        """

    def writing(
        self, wait_factor: int = 1, tells: bool = True, environments: Collection[str] = ()
    ) -> AbstractContextManager[Connection]:
        """Wraps the block in a write transaction, which is undone if the block raises. Raises StoreUnavailable.

        It waits for earlier writes `wait_factor` times as long as other transactions do. Without `tells`, other
        processes get no signal of the commit: nothing that they decide depends on it.

        With the ids of `environments`, an engine may let such writes of other environments go on meanwhile. Then the
        block writes only revisions of these environments and entries of the audit log, and reads only these
        environments and credentials. All else that it reads may change under it.
        """

    def trying(self, limit: TimeLimit) -> AbstractContextManager[Connection]:
        """Returns a connection that sees one state of the database and its own changes of elements in the whole block.

        They are undone at the end, and need no write lock: the connection can't write to the tables. Raises
        WriteTakesLong if a query runs when `limit` is over, and StoreUnavailable.
        """

    def fresh(self) -> Connection:
        """Returns a new connection for a long read, which the caller must close. Raises StoreUnavailable."""

    def translated(self) -> AbstractContextManager[None]:
        """Turns the driver's errors about the database into StoreUnavailable, inside the block."""

    def close(self) -> None:
        """Close the connections of all threads of this process."""
