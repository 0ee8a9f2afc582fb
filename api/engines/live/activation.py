"""Activates a commit: it is live before its write is answered, and many deltas are folded into a new bundle."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from math import inf
from time import monotonic, perf_counter
from typing import Final, TypeAlias

from ...store.environments import Environment
from ...store.errors import NotSignalled, Stale, StoreUnavailable, WithoutLease
from ...telemetry.metrics.counts import Counts
from ..jobs.runner import Jobs
from .bound_engines import ready_engine
from .compaction import COMPACTION, CompactionRequest
from .live_engines import LiveEngines

COMPACT_AFTER: Final = 10_000
COMPACT_SHARE: Final = 10
"""A new bundle is built after 10,000 changes, if these are also a tenth of the elements in the bundle.

A start reads all changes. But to build a large bundle for a few changes is no gain.
"""

COMPACT_BYTES: Final = 16 * 1024 * 1024
"""A new bundle is also built once the deltas have so many bytes: a worker keeps what they replaced in memory."""

RETRY_SECONDS: Final = 10.0
"""Seconds after a failed attempt to build a bundle in the background, and between two builds of one revision."""

Tell: TypeAlias = Callable[[], None]
"""Lets the other servers see the commits before, and does not wait."""


def _alone() -> None:
    """There is no other server."""


class Activation:
    """Makes commits live on the event loop of one worker. Awaited after each commit."""

    def __init__(self, jobs: Jobs, live_engines: LiveEngines, log: logging.Logger, counts: Counts, tell: Tell = _alone):
        """`jobs` build bundles. `tell` lets the other servers begin to build theirs."""
        self._jobs, self._tell = jobs, tell
        self._live_engines, self._log, self._counts = live_engines, log, counts
        self._building: dict[str, asyncio.Task[None]] = {}
        self._built: dict[str, int] = {}
        self._rests: dict[str, tuple[float, float]] = {}
        self._activating: Counter[str] = Counter()
        live_engines.tell_missing = self._build_missing
        self._refreshing: asyncio.Task[None] | None = None

    async def __call__(self, env: Environment) -> None:
        """Make sure that the environment's revision is live.

        Most commits need nothing: the next decision applies their delta. The first commit of an environment, and a
        commit without a delta, wait for a bundle. Raises StoreUnavailable if the bundle can't be built. The commit
        stays stored then, and the live revision stays live.
        """
        self._activating[env.id] += 1
        try:
            await self._activate(env)
        finally:
            self._activating[env.id] -= 1

    async def _activate(self, env: Environment) -> None:
        began = perf_counter()
        try:
            revision = (await ready_engine(self._live_engines.engine, env.id)).revision
        except WithoutLease:
            raise NotSignalled(
                "the change is stored, but this server has no lease now, so it can't put it in force"
            ) from None
        except Stale:  # it has no bundle yet
            revision = -1
        if revision < env.revision:
            self._tell()
            await self._build(env.id, env.revision)
        self._counts.committed(perf_counter() - began)
        if revision >= env.revision:
            served = self._live_engines.served(env.id)
            elements = sum(served.engine.manifest.counts.values())
            are_many = served.changes >= max(COMPACT_AFTER, elements // COMPACT_SHARE)
            if are_many or served.delta_bytes >= COMPACT_BYTES:
                self._build_beside(env.id, env.revision)

    def beat(self) -> None:
        """Update the engines, and build missing bundles if the process that should have built them is gone.

        Called each second, on the event loop.
        """
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh())

    async def _refresh(self) -> None:
        try:
            await self._live_engines.refresh()
        except Exception:  # what fails here fails again where it is asked for, and is answered there
            self._log.exception("the engines can't be updated beside requests")
        for environment, revision in self._live_engines.missing_bundles():
            self._build_missing(environment, revision)

    def _build_missing(self, environment: str, revision: int) -> None:
        if not self._activating[environment]:  # else the write that is activated builds it
            self._build_beside(environment, revision)

    def _build_beside(self, environment: str, revision: int) -> None:
        if environment not in self._building and not self._rests_now(environment, revision):
            self._log.info("a bundle of `%s` is being built", environment)
            task = asyncio.create_task(self._try_to_build(environment, revision))
            self._building[environment] = task
            task.add_done_callback(lambda _: self._building.pop(environment, None))

    async def _try_to_build(self, environment: str, revision: int) -> None:
        try:
            await self._build(environment, revision)
        except StoreUnavailable as ex:
            self._log.error("%s", ex)
            self._rests[environment] = inf, monotonic() + RETRY_SECONDS
        else:
            if self._built.get(environment) == revision:  # it is missing all the same, such as on a bad disk
                self._rests[environment] = revision, monotonic() + RETRY_SECONDS
            self._built[environment] = revision

    def _rests_now(self, environment: str, revision: int) -> bool:
        """Returns whether a build must wait. A newer revision does not wait, unless the last attempt failed."""
        last, end = self._rests.get(environment, (-inf, 0.0))
        return revision <= last and monotonic() < end

    async def _build(self, environment: str, revision: int) -> None:
        began = perf_counter()
        try:
            await self._jobs.run(COMPACTION, CompactionRequest(environment, revision))
        except StoreUnavailable as ex:
            self._counts.built(perf_counter() - began, succeeded=False)
            stored = "the change is stored, but no bundle can be built of it"
            raise StoreUnavailable(f"{stored}: {ex}", f"{stored}; the service's log says why") from ex
        self._counts.built(perf_counter() - began, succeeded=True)
