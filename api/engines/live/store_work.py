"""Runs store calls off the event loop: a few threads read, one thread writes, and a commit is activated."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from ....bundles.conditions.instants import show_seconds
from ...http.caller import CALLER
from ...store.actor import Actor
from ...store.audit.entries import AuditEntry
from ...store.database.commit_signal import tell
from ...store.database.connections import LONG_WAIT_FACTOR, Primary
from ...store.elements.edits import Committed, Edit
from ...store.environments import Environment
from ...store.errors import NotSignalled, StoreUnavailable, WriteTakesLong
from ...store.gathered_writes import MOST_WRITES, is_short
from ...store.store import Store
from ...store.trials.trial import Trial, trial_limit
from ...store.writing import MOST_PREPARATIONS, Write
from ..jobs.runner import Jobs
from ..work.fair_threads import FairThreads
from ..work.fair_turns import FairTurns
from ..work.gathering import Gathering
from ..work.leaving import leaving

READING_THREADS: Final = 4
"""The threads of a worker that read the store for its management API.

Searches have their own threads, so that management does not wait behind them. Another thread reads credentials
alone, so that token requests do not wait behind long lists. Another thread writes, since SQLite allows one writer at a
time. Calls that queue for this thread run without a pause, while calls that wait for SQLite's lock poll it.
"""

SEARCHING_THREADS: Final = 3
"""The threads of a worker that search."""

PREPARING_THREADS: Final = 3
"""The threads of a worker that prepare and try writes, without the write lock."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

Activate = Callable[[Environment], Awaitable[None]]
"""Makes sure that a commit is live. Awaited before the write is answered."""

Stored = tuple[Committed, Primary | None]
"""A write as it was committed, and the primary that has it."""

Confirm = Callable[[Primary | None, str | None], Awaitable[None]]
"""Waits until the other servers on the same database see the commits before, which this primary has, or one that is
not known. The commits of the environment with the given id are in force there then. Raises NotSignalled."""


async def confirmed_alone(_primary: Primary | None, _environment: str | None) -> None:
    """No other server has this database. The workers of this one see a commit at once."""


class StoreWork:
    """The store of one application, for its event loop. Each thread starts with its first call, after the fork.

    `jobs` runs long work on the store in processes apart.
    """

    def __init__(
        self,
        store: Store,
        activate: Activate,
        clock: Callable[[], float],
        confirm: Confirm = confirmed_alone,
        jobs: Jobs | None = None,
    ) -> None:
        """`clock` gives epoch seconds. `confirm` is awaited after each commit, while the next ones are stored. `jobs`
        are those of the store; the default is for one in its directory.
        """
        self.store = store
        self.jobs = jobs or Jobs(store.directory)
        self._activate, self._confirm = activate, confirm
        self._clock = clock
        self._readers = FairThreads(READING_THREADS, "store-read")
        self._searchers = FairThreads(SEARCHING_THREADS, "search")
        self._credentials = FairThreads(1, "store-credentials")
        self._preparers = FairThreads(PREPARING_THREADS, "store-prepare")
        self._writer = FairThreads(1, "store-write")
        self._going: set[asyncio.Future[Any]] = set()
        self._entries = Gathering(self._commit_entries)
        self._writes = Gathering(self._commit_writes)
        self._turns = FairTurns(MOST_WRITES)

    async def read(self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Returns the result of `call`, which may read the store."""
        return await self._readers.run(partial(call, *arguments, **named))

    async def search(self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Returns the result of `call`, which may read the store, and takes long."""
        return await self._searchers.run(partial(call, *arguments, **named))

    async def read_credential(self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Returns the result of `call`, which is a short read of credentials."""
        return await self._credentials.run(partial(call, *arguments, **named))

    async def change(self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Returns the result of `call`, which may write to the store, once other servers see what it wrote.

        Calls run one after the other. None waits until an earlier one is seen.
        """
        result, primary = await self._changed(call, *arguments, **named)
        await self._confirm(primary, None)
        return result

    async def write(self, env: str, actor: Actor, edits: Sequence[Edit]) -> Committed:
        """Apply `edits` as one revision, and activate it. Raises what `Store.write` raises.

        PERF: short writes that wait at the same time share a transaction.
        """
        return await self.to_its_end(self._written(Write(env, actor, edits, limits=self.store.limits)))

    async def prepare(self, env: str, actor: Actor, edits: Sequence[Edit]) -> Committed:
        """Returns what a write would store, and stores nothing. Raises what `Store.write` raises."""
        write = Write(env, actor, edits, limits=self.store.limits)
        return (await self._preparers.run(partial(self.store.writes.prepare, write))).committed

    async def try_write(self, env: str, actor: Actor, edits: list[Edit], since: int) -> Trial:
        """Returns what a write would do. Ends when the task that waits for it is cancelled. Raises what
        `Store.try_write` raises.
        """
        limit = trial_limit()
        with leaving(limit.leave):
            return await self._preparers.run(partial(self.store.try_write, env, actor, edits, since, limit))

    async def confirm(self, environment: str | None = None) -> None:
        """Wait until each worker of each server sees what this one may have read. Raises StoreUnavailable.

        A writer that ended after its commit may have told no worker of it. `environment` is the one that was read.
        """
        try:
            tell(self.store.signal)
            await self._confirm(None, environment)
        except NotSignalled as ex:
            raise StoreUnavailable("it is not known whether each server sees what is stored; send this again") from ex

    async def activate(self, env: str, primary: Primary | None = None) -> None:
        """Activate a commit that was not made by `write`, and that `primary` has, or that of the lease.

        Raises NotFound, StoreUnavailable.
        """
        tell(self.store.signal)  # its process may have another file for its signal
        await self._activate(await self.read(self.store.environment, env))
        await self._confirm(primary, env)

    async def record(self, entry: AuditEntry) -> None:
        """Add an entry to the audit log, and return when it is stored."""
        await self._entries.add(entry)

    async def to_its_end(self, work: Coroutine[Any, Any, _T], has_begun: Callable[[], bool] = lambda: True) -> _T:
        """Returns the result of `work`, which goes on if the client disconnects: every commit must be activated.

        But it ends with the client as long as it has not begun to write.
        """
        task = asyncio.ensure_future(work)
        self._going.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not has_begun():
                task.cancel()
            raise

    def now(self) -> float:
        """Returns the time in epoch seconds."""
        return self._clock()

    def time(self) -> str:
        """Returns the time in RFC 3339."""
        return show_seconds(self._clock())

    async def _changed(
        self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs
    ) -> tuple[_T, Primary | None]:
        """Returns the result of `call`, and the primary that has what it wrote."""

        def changed() -> tuple[_T, Primary | None]:
            return call(*arguments, **named), self.store.primary()

        return await self._writer.run(changed)

    async def _written(self, write: Write) -> Committed:
        committed, primary = await self._stored(write)
        await self._activate(committed.environment)
        await self._confirm(primary, write.env)
        return committed

    async def _stored(self, write: Write) -> Stored:
        if is_short(write):
            with suppress(WriteTakesLong):
                return await self._gathered(write)
        return await self._alone(write)

    async def _alone(self, write: Write) -> Stored:
        """Store a write that may take long. It is prepared while others write."""
        for _ in range(MOST_PREPARATIONS):
            prepared = await self._preparers.run(partial(self.store.writes.prepare, write))
            committed, primary = await self._changed(self.store.writes.commit, prepared)
            if committed is not None:
                return committed, primary
        return await self._changed(self.store.writes.write_locked, write)

    async def _gathered(self, write: Write) -> Stored:
        """Store a write with others. Those that wait have turns, so that no caller has all places of a transaction."""
        who = CALLER.get()
        if not self._turns.take_at_once(who):
            await self._turns.take(who)
        try:
            return await self._writes.add(write)
        finally:
            self._turns.give_back(who)

    async def _commit_writes(self, writes: Sequence[Write]) -> Sequence[Stored | Exception]:
        outcomes, primary = await self._changed(self.store.write_gathered, writes)
        return [one if isinstance(one, Exception) else (one, primary) for one in outcomes]

    async def _commit_entries(self, entries: Sequence[AuditEntry]) -> Sequence[None]:
        await self._changed(self.store.audit.add, entries, LONG_WAIT_FACTOR)
        return [None] * len(entries)

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._going.discard(task)
        if not task.cancelled():
            task.exception()  # else asyncio logs it if no caller waits any more
