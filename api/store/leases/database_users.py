"""The users of a database on a server: a server of Writ with a lease, and processes that have none."""

import os
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from ....bundles.event_loop import on_event_loop
from ..database.commit_signal import CommitSignal
from ..database.connections import IDLE_SECONDS, DatabaseServer, Primary
from ..errors import EpochAwaited, LeaseOver, StoreUnavailable
from .confirmations import AllUnanswered, Confirmations, Confirmed, Settling, untold
from .lease_cell import LeaseCell, is_live
from .lease_connection import connecting
from .leased_watch import LeasedWatch
from .lengths import BUILD_SECONDS, LEASE_SECONDS, lease_ns
from .primary_line import refuse_earlier, take_line, this_place
from .primary_mark import PrimaryLine
from .trace import Trace

_EPOCH_PAUSE_SECONDS: Final = 0.02


def without_lease(url: str, lease_seconds: float = LEASE_SECONDS, line: PrimaryLine | None = None) -> DatabaseServer:
    """Returns the database for a process that answers no decisions, or promises nothing about other servers.

    What it commits, others see within a lease. With a `line`, it uses the primary of that line alone, and begins no
    epoch.
    """
    return DatabaseServer(url, _admitting(lease_seconds, lambda: line is None), lambda primary: line in (None, primary))


def looking(url: str) -> DatabaseServer:
    """Returns the database for a process that writes nothing there, and tells an earlier primary."""
    return DatabaseServer(url, lambda db, directory: refuse_earlier(db, Trace(directory)))


def taking_over(url: str) -> DatabaseServer:
    """Returns the database for a takeover, which may be an earlier primary."""
    return DatabaseServer(url, lambda db, _directory: this_place(db))


def confirming(url: str, lease_seconds: float = LEASE_SECONDS) -> DatabaseServer:
    """Returns the database for a command: it goes on after a commit when each server with a lease sees that.

    It begins no epoch: a command that only reads must change nothing, and may have the wrong URL.
    """
    connect = connecting(url, lease_seconds)
    confirmations = Confirmations(None, connect, lease_seconds)
    settling = Settling(connect, confirmations.confirm)

    def wait(primary: Primary) -> None:
        line = _line(primary)
        if unanswered := confirmations.confirm(line).result():
            settling.settle(line, unanswered, _tell_none)

    return DatabaseServer(url, _admitting(lease_seconds, lambda: False), wait=wait)


class ServerLease:
    """The lease of one server of Writ, which its processes share. Make it before they are forked."""

    def __init__(self, url: str, lease_seconds: float = LEASE_SECONDS) -> None:
        """The lease has run out, until a keeper gets one."""
        self.id: Final = secrets.token_hex(8)
        self.url, self.seconds, self.cell = url, lease_seconds, LeaseCell()
        self._admit = _awaiting_epoch(_admitting(lease_seconds, self._may_begin), lease_seconds)
        self._waiting: tuple[int, Confirmations] | None = None
        self._confirmed: Confirmed = untold

    @property
    def database(self) -> DatabaseServer:
        """The database for all processes of the server, which decide nothing without a lease."""
        return DatabaseServer(
            self.url, self._admit, self._is_current, self._watch, self._refuse, idle_seconds=IDLE_SECONDS
        )

    @property
    def local_database(self) -> DatabaseServer:
        """The database for all processes of the server, which ask it once a second and after each signal.

        The keeper finds out first whether it answers. So without a lease, they decide by what they have.
        """
        return DatabaseServer(
            self.url, self._admit, self._is_current, refuse=self._refuse_local, idle_seconds=IDLE_SECONDS
        )

    def tell_confirmed(self, confirmed: Confirmed) -> None:
        """Let `confirmed` hear of each commit that is answered. Call it before the first one."""
        self._confirmed = confirmed

    def confirm(self, primary: Primary | None) -> "Future[AllUnanswered]":
        """Returns a future that is done when each server sees the commits before. See `Confirmations.confirm`.

        `primary` is that of the commits, or None if that is not known: it is that of the lease then.
        """
        if self._waiting is None or self._waiting[0] != os.getpid():  # a fork has none of its parent's threads
            connect = connecting(self.url, self.seconds)
            waiting = Confirmations(self.id, connect, self.seconds, confirmed=self._confirmed, leased=self._leased)
            self._waiting = os.getpid(), waiting
        return self._waiting[1].confirm(_line(primary) or self.cell.line)

    def settle(
        self,
        primary: Primary | None,
        unanswered: AllUnanswered,
        tell: Callable[[], None],
        seconds: float = BUILD_SECONDS,
    ) -> None:
        """Settle the commits that `confirm` has told. See `Settling.settle`. Blocks its thread."""
        settling = Settling(connecting(self.url, self.seconds), self.confirm)
        settling.settle(_line(primary), unanswered, tell, seconds)

    def close(self) -> None:
        """End the waiting of this process, after the commits that wait."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting[0] == os.getpid():
            waiting[1].close()

    def _leased(self) -> PrimaryLine | None:
        return self.cell.line

    def _may_begin(self) -> bool:
        """Returns whether an epoch may begin: later, the keeper begins it, when it goes to another primary."""
        return self.cell.line is None

    def _is_current(self, primary: Primary) -> bool:
        return self.cell.line in (None, primary)

    def _refuse(self) -> None:
        """Raises LeaseOver."""
        if not is_live(self.cell.end[0]):
            raise LeaseOver

    def _refuse_local(self) -> None:
        """Raises StoreUnavailable."""
        if not is_live(self.cell.end[0]):
            raise StoreUnavailable("this server can't reach the database now")

    def _watch(self, signal: CommitSignal) -> LeasedWatch:
        return LeasedWatch(signal.cell, self.cell)


def _admitting(lease_seconds: float, may_begin: Callable[[], bool]) -> Callable[[Any, Path], PrimaryLine]:
    """Returns what `DatabaseServer` asks of each connection, for leases of that length."""

    def admit(db: Any, directory: Path) -> PrimaryLine:
        return take_line(db, lease_ns(lease_seconds), Trace(directory), begins=may_begin())

    return admit


def _awaiting_epoch(admit: Callable[[Any, Path], PrimaryLine], seconds: float) -> Callable[[Any, Path], PrimaryLine]:
    """Returns `admit` for the workers of a server, whose keeper begins an epoch in a fail-over a moment later.

    They wait for it, up to so many `seconds`. An event loop can't wait.
    """

    def await_epoch(db: Any, directory: Path) -> PrimaryLine:
        until = time.monotonic() + seconds
        while True:
            try:
                return admit(db, directory)
            except EpochAwaited:
                if on_event_loop() or time.monotonic() >= until:
                    raise
            time.sleep(_EPOCH_PAUSE_SECONDS)

    return await_epoch


def _tell_none() -> None:
    """A command has no workers."""


def _line(primary: Primary | None) -> PrimaryLine | None:
    return primary if isinstance(primary, PrimaryLine) else None
