"""A watch that asks its database, whichever engine that is: when it asks, and what happens in a fork."""

import os
from abc import ABC, abstractmethod
from typing import Any, Final, Generic, TypeVar
from weakref import WeakSet

from .commit_signal import CommitSignal
from .connection import Connection
from .watch import Version

ConnectionT = TypeVar("ConnectionT", bound=Connection)


class AskingWatch(ABC, Generic[ConnectionT]):
    """Watches the commits of a database, for one thread. Safe to fork. See `Watch`.

    PERF: every request asks for the version, and to ask a database takes longer than a decision. So it is asked only if
    the commit signal changed, while a commit is under way, and after `beat`: other programs send no signal.
    """

    def __init__(self, signal: CommitSignal | None) -> None:
        self._cell = signal.cell if signal else (None, 0)
        self._db: ConnectionT | None = None
        self._known = False
        self._number: int | None = None
        self._version: Version = 0, 0, None, 0
        self._upsets = 0
        _WATCHES.add(self)

    @abstractmethod
    def _asked(self) -> int | str:
        """Returns what the database says, which differs after a commit. Raises StoreUnavailable."""

    def close(self) -> None:
        """See `Watch`."""
        self.beat()
        if self._db is not None:
            self._db.close()
            self._db = None

    def beat(self) -> None:
        """See `Watch`."""
        self._known = False

    def upset(self) -> None:
        """See `Watch`."""
        self._upsets += 1
        self.beat()

    def version(self) -> Version:
        """See `Watch`."""
        if self._known and self._cell[0] == self._number:
            return self._version
        # Read before the database is asked: a later commit changes the number, and one that has not ended may show.
        self._known, number = False, self._cell[0]
        ended = number == self._cell[1]
        version: Version = os.getpid(), self._asked(), number, self._upsets
        if version != self._version:  # the same object, since what was kept with it still counts
            self._version = version
        self._number, self._known = number, ended
        return self._version

    def _leave_to_parent(self) -> None:
        """Forget the connection of the process that forked this one: to close it would end what the parent holds."""
        if self._db is not None:
            _INHERITED.append(self._db)
            self._db = None
        self._known = False


_WATCHES: Final[WeakSet[AskingWatch[Any]]] = WeakSet()
_INHERITED: Final[list[Connection]] = []


def _after_fork() -> None:
    for watch in list(_WATCHES):
        watch._leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
