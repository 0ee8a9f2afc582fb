"""The store of a server that may share its database with other servers: how it is reached, and when a write is done."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from ....runtime.rates.server_share import ServerShare
from ...server.supervision.part import Part
from ...settings.store_settings import LOCAL, StoreSettings
from ...store.database.commit_signal import CommitSignal, tell
from ...store.database.connections import DatabaseServer, Primary
from ...store.database.engine import no_signal
from ...store.duties.duty import process_name
from ...store.errors import NotSignalled
from ...store.leases.lengths import START_BUILD_SECONDS
from ...store.leases.reaching import reached_with_lease
from ..jobs.job_messages import JobDatabase
from ..live.store_work import confirmed_alone
from ..work.fair_threads import FairThreads
from .keeper_process import KeeperProcess
from .keeper_request import KeeperRequest

if TYPE_CHECKING:
    from ...store.leases.confirmations import Confirmed
    from ...store.leases.lease_cell import LeaseCell

SETTLING_THREADS: Final = 2
"""The threads of a worker in which commits without a delta wait until the other servers have built their bundles."""


SETTLE_SECONDS: Final = 60.0
"""The seconds for which a start asks again whether the other servers see what it wrote. Many may start at once."""

_AGAIN_SECONDS: Final = 0.2


def patiently(work: Callable[[], None], seconds: float = SETTLE_SECONDS) -> None:
    """Do work again for so many `seconds`, while it is not known whether the other servers see a commit.

    Raises NotSignalled.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            return work()
        except NotSignalled:
            if time.monotonic() >= until:
                raise
        time.sleep(_AGAIN_SECONDS)


class SharedStore(Protocol):
    """The dealings of a server of Writ with the other servers on its database."""

    @property
    def database(self) -> DatabaseServer | None:
        """The database, or None for the file in the data directory."""

    @property
    def has_lease(self) -> bool:
        """True if decisions need a lease."""

    @property
    def share(self) -> ServerShare | None:
        """The part of each rate limit that this server may allow, or None for all of it."""

    @property
    def cell(self) -> "LeaseCell | None":
        """The lease, or None without other servers."""

    def has_duty(self) -> bool:
        """Returns whether this server does the upkeep of the store now, for all servers."""

    def job_database(self) -> JobDatabase | None:
        """Returns the database for jobs that start now, on the primary of this server's lease."""

    async def confirm(self, primary: Primary | None, environment: str | None = None) -> None:
        """Waits until the other servers see the commits before, on this primary. Raises NotSignalled.

        Those of `environment` also are in force there. Without it, this need not be so.
        """

    def tell(self) -> None:
        """Lets the other servers see the commits before, and does not wait."""

    def start(self, confirmed: "Confirmed", signal: CommitSignal | None) -> None:
        """Begin, once the store is open. `confirmed` counts commits. `signal` is that of the store.

        Raises StoreUnavailable, OSError.
        """

    def settle(self) -> None:
        """Wait until the other servers see what was written at the start, before the fork.

        Raises NotSignalled after SETTLE_SECONDS of attempts.
        """

    def parts(self) -> Iterable[Part]:
        """Yields what lives in the workers and the master."""


class StoreAlone:
    """The store in the data directory, which no other server has."""

    database = None
    has_lease = False
    share = None
    cell = None

    def has_duty(self) -> bool:
        """Returns True."""
        return True

    def job_database(self) -> None:
        """Returns None."""

    async def confirm(self, primary: Primary | None, environment: str | None = None) -> None:
        """Returns at once."""
        await confirmed_alone(primary, environment)

    def tell(self) -> None:
        """Do nothing."""

    def start(self, _confirmed: "Confirmed", _signal: CommitSignal | None) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Do nothing."""

    def parts(self) -> Iterable[Part]:
        """Yields nothing."""
        return ()


class LeasedStore:
    """The store of a server with a lease: see `CONSISTENCY.md` of `api/store/leases`."""

    has_lease = True

    def __init__(self, url: str, seconds: float, directory: Path, log_format: str, log: logging.Logger) -> None:
        """`seconds` is the length of a lease. `directory` is the data directory. Raises StoreUnavailable."""
        self._lease, self._directory = reached_with_lease(url, seconds), directory
        request = KeeperRequest(self._lease.id, process_name(directory), url, seconds, log_format, str(directory))
        self._keeper = KeeperProcess(request, self._lease.cell, log)
        self._signal: CommitSignal | None = None
        self._going = set[asyncio.Future[None]]()
        self._settlers = FairThreads(SETTLING_THREADS, "settle")
        self.cell: LeaseCell | None = self._lease.cell
        self.share: ServerShare | None = self._lease.cell.share

    @property
    def database(self) -> DatabaseServer:
        """The database."""
        return self._lease.database

    def has_duty(self) -> bool:
        """See `SharedStore`."""
        return self._lease.cell.has_duty()

    def job_database(self) -> JobDatabase:
        """See `SharedStore`."""
        lease = self._lease
        return JobDatabase(lease.url, lease.seconds, lease.cell.line)

    async def confirm(self, primary: Primary | None, environment: str | None = None) -> None:
        """See `SharedStore`."""
        unanswered = await asyncio.wrap_future(self._lease.confirm(primary))
        if environment is not None and environment in unanswered:
            own = {environment: unanswered[environment]}
            await self._settlers.run(partial(self._lease.settle, primary, own, self._tell_workers), ("", environment))

    def tell(self) -> None:
        """See `SharedStore`."""
        self._lease.confirm(None)

    def start(self, confirmed: "Confirmed", signal: CommitSignal | None) -> None:
        """Get the first lease. See `SharedStore`."""
        if signal is None:
            raise no_signal(self._directory)
        self._signal = signal
        self._lease.tell_confirmed(confirmed)
        self._keeper.start(signal)

    def settle(self) -> None:
        """See `SharedStore`."""
        patiently(self._settle_once)
        self._lease.close()

    def _settle_once(self) -> None:
        if unanswered := self._lease.confirm(None).result():
            self._lease.settle(None, unanswered, self._tell_workers, START_BUILD_SECONDS)

    def parts(self) -> Iterable[Part]:
        """See `SharedStore`."""
        yield Part(end=self._lease.close, tend=self._keeper.tend, end_service=self._keeper.end)

    def _tell_workers(self) -> None:
        tell(self._signal)


class LocalStore(LeasedStore):
    """The store of a server that decides without a lease, too. It has one, so that it hears of commits soon."""

    has_lease = False

    @property
    def database(self) -> DatabaseServer:
        """The database."""
        return self._lease.local_database

    async def confirm(self, primary: Primary | None, environment: str | None = None) -> None:
        """Tells the other servers, and does not wait for them."""
        task = asyncio.ensure_future(super().confirm(primary, environment))
        self._going.add(task)
        task.add_done_callback(self._told)

    def _told(self, task: asyncio.Future[None]) -> None:
        self._going.discard(task)
        if not task.cancelled():
            task.exception()  # else asyncio logs it: other servers see the commit when they look themselves


def shared_store(settings: StoreSettings, directory: Path, log_format: str, log: logging.Logger) -> SharedStore:
    """Returns the store that the settings name. `directory` is the data directory. Raises StoreUnavailable."""
    if settings.url is None:
        return StoreAlone()
    kind = LocalStore if settings.consistency == LOCAL else LeasedStore
    return kind(settings.url, settings.lease_seconds, directory, log_format, log)
