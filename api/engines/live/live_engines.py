"""The live engines: one per environment, at the newest revision that the store has committed.

Before every decision, a worker looks at the commit signal (under 0.1 µs). If it changed, or if a heartbeat finds
another `PRAGMA data_version`, the worker applies the missing changes to the engine. So an evaluation is never older
than the last commit that its client knows of. A large change is applied in a thread, and only its environment waits for
it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Final

from ....bundles.errors import BundleError
from ....runtime import Engine
from ....runtime.rates.rate_table import RateTable
from ...store.database.watch import Version
from ...store.environment_ids import DEFAULT
from ...store.environments import Environment
from ...store.errors import EpochAwaited, LeaseOver, NotFound, Stale, StoreUnavailable, WithoutLease
from ...store.store import Store
from .bundle_files import BundleFiles, NoBundle
from .engine_access import Updating
from .live_engine import LiveEngine, opened
from .preparations import Unprepared
from .preparing_threads import OPENING, PreparingThreads

INLINE_BYTES: Final = 32 * 1024
"""More bytes of deltas than this are applied in a thread. To apply a kilobyte takes up to 0.2 ms."""

_UNREADABLE: Final = "the store can't be read, so nothing is decided"
_NOT_BUILT: Final = "a newer revision may be in force, so nothing is decided until its bundle is built here"


EPOCH_SECONDS: Final = 5.0
"""The seconds for which an engine waits in silence until an epoch begins on another primary."""


class LiveEngines:
    """The engines of one process. Decisions run on one thread, and so do these methods: nothing has a lock.

    If an environment has no bundle, or a damaged one, decisions in it fail until there is a new one (see
    `missing_bundles`).
    """

    def __init__(
        self,
        store: Store,
        files: BundleFiles,
        stale_seconds: float,
        log: logging.Logger,
        clock: Callable[[], float] = time.time,
        preparing: PreparingThreads | None = None,
        counters: RateTable | None = None,
        has_lease: bool = False,
    ):
        """`stale_seconds` is how long the snapshot in memory serves while the store can't be read. `counters` count for
        the rate limits of all environments. With `has_lease`, a revision that lacks its bundle here may be in force at
        other servers.
        """
        self._store, self._files, self._log, self._clock = store, files, log, clock
        self._stale_seconds, self._counters, self._has_lease = stale_seconds, counters, has_lease
        self._preparing = preparing or PreparingThreads()
        self._watch = store.watch
        self._seen: Version | None = None
        self.environments: frozenset[str] | None = None
        """The UUIDs of all environments when that was last looked at, or None before."""
        self._served: dict[str, LiveEngine] = {}
        self._behind: set[str] = set()
        self._without_bundle: set[str] = set()
        self._updating: dict[str, asyncio.Future[None]] = {}
        self._unbuilt: Sequence[tuple[str, int]] = ()
        self.tell_missing: Callable[[str, int], None] = lambda _environment, _revision: None
        """Hears at once of a bundle that is missing, on the event loop. It may hear of one again."""

    def engine(self, environment: str = DEFAULT) -> Engine:
        """Returns the engine of an environment.

        Raises NotFound, Stale if the engine has been behind for too long, Unprepared if the environment rests, and
        Updating. Only where an event loop runs does work take place in threads.
        """
        try:
            self._look()
            self._bring_up(environment)
        except LeaseOver as ex:
            self._seen = None
            raise WithoutLease(str(ex)) from ex
        except StoreUnavailable as ex:
            self._seen = None
            if environment not in self._served:
                raise self._undecided(environment, ex) from ex
            for served in self._served.values():
                self._fall_behind(served, ex)
        served = self._served[environment]
        if self._is_stale(served):
            raise Stale(served.damage or (_NOT_BUILT if self._lacks_bundle(served) else _UNREADABLE))
        return served.engine

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Stop deciding from a damaged bundle, and list the environment in `missing_bundles`.

        Also removes the file, so that the rebuild doesn't find it. Returns False if the damage was reported before.
        """
        served = self._served.get(environment)
        if served is None or served.damage:
            return False
        damage = f"nothing is decided in `{environment}` until its bundle is built again, since it is damaged"
        served.mark_damaged(damage)
        self._log.error("%s: %s", damage, error)
        self._files.discard(served.file)
        self._watch.upset()  # who was admitted to the engine has to ask for it again
        self._seen = None  # another worker may have built it already
        return True

    async def refresh(self) -> None:
        """Update the engines without a request, so that the next request finds little to do.

        This finds commits without a signal. If the store can't be read, a request asks the watch whether it must. A
        thread reads: requests that need not read go on while the store does not answer.
        """
        self._watch.beat()
        seen = self._seen
        try:
            version = self._watch.version()
            here, self._unbuilt = await self._preparing.read(self._found)
        except (StoreUnavailable, WithoutLease):
            return
        if self._seen != seen:
            return  # a request has looked meanwhile, or an engine was opened
        self._take(version, here)
        if self._behind and version == seen:
            self._watch.upset()  # who was admitted to an engine has to ask for it again
        for environment in (*self._behind, *self._without_bundle):
            with suppress(NotFound, Stale, Updating, Unprepared):
                self.engine(environment)

    def missing_bundles(self) -> list[tuple[str, int]]:
        """Returns the environments that need a bundle, each with the revision that the bundle must have."""
        behind = [
            (id, served.required_revision)
            for id, served in self._served.items()
            if served.required_revision is not None
        ]
        return list(dict([*((id, 0) for id in self._without_bundle), *self._unbuilt, *behind]).items())

    def served(self, environment: str) -> LiveEngine:
        """Returns the live engine of an environment that is open."""
        return self._served[environment]

    def open_engines(self) -> list[Engine]:
        """Returns the engines that are open, those that decide nothing now too."""
        return [served.engine for served in self._served.values()]

    def close(self) -> None:
        """Close the connection to the database, and keep the engines. Call this before a fork.

        A child that inherits a connection, even an unused one, takes the parent's locks for its own, and gets no lock
        itself.
        """
        self._watch.close()
        self._seen = self.environments = None  # a worker that starts later must look for itself

    def _look(self) -> None:
        """Find out which engines are behind, if anything was committed. Raises StoreUnavailable."""
        version = self._watch.version()
        if version != self._seen:
            self._take(version, self._store.environments())

    def _found(self) -> tuple[tuple[Environment, ...], Sequence[tuple[str, int]]]:
        """In a thread: all environments, and `Store.unbuilt`. Raises StoreUnavailable, WithoutLease."""
        with self._store.deciding():
            return self._store.environments(), self._store.unbuilt()

    def _take(self, version: Version, environments: tuple[Environment, ...]) -> None:
        """Compare the engines with the environments as they were at a version, or later."""
        here = {env.id: env for env in environments}
        self.environments = frozenset(env.uuid for env in here.values())
        self._without_bundle &= here.keys()
        for id in self._served.keys() - here.keys():
            del self._served[id]
        self._behind = {id for id, served in self._served.items() if not served.is_at(here[id])}
        self._seen = version

    def _bring_up(self, id: str) -> None:
        """Open or update the engine of an environment, if it needs that. Raises what `engine` raises."""
        served = self._served.get(id)
        if id in self._updating:
            raise self._in_work(id)
        if served is not None and id not in self._behind:
            return
        try:
            if served is None:
                self._open(id, None)
            else:
                self._update(id, served)
        except NotFound:
            self._served.pop(id, None)
            self._behind.discard(id)
            raise
        except (NoBundle, BundleError) as ex:
            self._fail(id, ex)
        else:
            self._is_up(id)

    def _update(self, id: str, served: LiveEngine) -> None:
        """Update one engine as far as deltas lead, or to a newer bundle.

        If that is not the newest revision, the bundle for it does not exist here yet. A server alone on its database
        answers the write once it exists. With a lease, another server may have answered it: see `Updates.may_decide`.
        """
        updates = self._store.updates(id, served.engine.revision)
        if not served.is_of(updates.env):
            del self._served[id]
            self._open(id, None)
            return
        if not served.damage:
            served.lead_to(updates)
            if updates.deltas:
                is_quick = sum(map(len, updates.deltas)) <= INLINE_BYTES
                self._prepare(id, lambda: served.with_deltas(updates.deltas), is_quick)
        if served.needs(updates):
            try:
                self._open(id, served)
            except NoBundle:
                if not updates.are_complete:
                    raise

    def _open(self, id: str, served: LiveEngine | None) -> None:
        """Start from the newest bundle, unless the engine is newer already or this file is the damaged one."""

        def work() -> LiveEngine:
            with self._store.deciding():
                newest, registry = self._files.newest(id), self._store.registry
            return opened(newest, served, self._files, self._clock, self._counters, registry)

        self._prepare(id, work, is_quick=False)

    def _prepare(self, id: str, work: Callable[[], LiveEngine], is_quick: bool) -> None:
        """Do the work at once if it is quick or no event loop runs, and else in a thread, and raise Updating."""

        if is_quick or not _loop_runs():
            with nullcontext() if is_quick else self._preparing.mark(id):
                self._put(id, work())
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._updating[id] = done
        task = asyncio.ensure_future(self._preparing.run(id, OPENING, work))
        task.add_done_callback(partial(self._prepared, id, done))
        raise self._in_work(id)

    def _prepared(self, id: str, done: "asyncio.Future[None]", task: "asyncio.Future[LiveEngine]") -> None:
        """The work in a thread has ended: tell those who wait. The next request looks whether more is to be done."""
        del self._updating[id]
        try:
            try:
                self._put(id, task.result())
                self._seen = None  # what was committed meanwhile may concern it, and it was not looked at
            except (NoBundle, BundleError, StoreUnavailable) as ex:
                self._fail(id, ex)
        except BaseException as ex:
            done.set_exception(ex)
            done.exception()  # else asyncio complains if no task waits any more
        else:
            done.set_result(None)

    def _put(self, id: str, engine: LiveEngine) -> None:
        self._served[id] = engine
        self._without_bundle.discard(id)

    def _is_up(self, id: str) -> None:
        self._behind.discard(id)
        served = self._served[id]
        if not served.damage:
            served.behind_since, served.is_told = None, False
        if self._has_lease and served.required_revision is not None and _loop_runs():
            self.tell_missing(id, served.required_revision)

    def _in_work(self, id: str) -> Updating:
        served = self._served.get(id)
        return Updating(self._updating[id], None if served is None or self._is_stale(served) else served.engine)

    def _is_stale(self, served: LiveEngine) -> bool:
        since = served.behind_since
        is_old = since is not None and time.monotonic() - since >= self._stale_seconds
        return is_old or self._lacks_bundle(served)

    def _lacks_bundle(self, served: LiveEngine) -> bool:
        return self._has_lease and not served.may_decide

    def _fail(self, id: str, trouble: Exception) -> None:
        """An engine could not be opened or updated. Raises Stale if there is none."""
        served = self._served.get(id)
        if served is None:
            self._seen = None
            if isinstance(trouble, NoBundle):
                self._without_bundle.add(id)
            raise self._undecided(id, trouble) from trouble
        if isinstance(trouble, BundleError):
            self.report_damage(id, trouble)
        else:
            self._fall_behind(served, trouble)
        if served.damage:
            self._behind.discard(id)  # until something is committed: its new bundle

    def _undecided(self, environment: str, trouble: Exception) -> Stale:
        """Returns the error that /readyz may show to anyone. Only the log names files."""
        if isinstance(trouble, NoBundle):
            return Stale(f"nothing can be decided in `{environment}`: {trouble}")
        self._log.error("nothing can be decided in `%s`: %s", environment, trouble)
        return Stale(f"nothing can be decided in `{environment}`: the store can't be read")

    def _fall_behind(self, served: LiveEngine, trouble: Exception) -> None:
        since = served.fall_behind()
        if isinstance(trouble, EpochAwaited) and time.monotonic() - since < EPOCH_SECONDS:
            return  # in a fail-over, the keeper of the lease begins the epoch a moment later
        if not served.is_told:
            served.is_told = True
            self._log.error("the engines can't be updated: %s", trouble)


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
