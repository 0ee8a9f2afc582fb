"""Settles a commit: sees that it is in force before it is answered, and folds many deltas into a new bundle."""

import asyncio
import logging
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Final

from ..store.environments import Environment
from ..store.errors import StoreUnavailable
from .live_engines import LiveEngines
from .own_process import own_process

COMPACT_AFTER: Final = 10_000
COMPACT_SHARE: Final = 10
"""So many changes on top of a bundle, and at least one for so many things in it, after which a new one is built: a
start reads them all, and to build a large bundle for a few is no gain."""

PAUSE_SECONDS: Final = 10.0
"""Between two tries to build beside the service what could not be built, or was found damaged again."""


class Activation:
    """Awaited after each commit, on the event loop of one worker."""

    def __init__(self, directory: Path, live_engines: LiveEngines, log: logging.Logger):
        """`directory` is the data directory."""
        self._directory, self._live_engines, self._log = directory, live_engines, log
        self._building: dict[str, asyncio.Task[None]] = {}

    async def __call__(self, env: Environment) -> None:
        """See that the environment's revision is in force.

        Most commits need nothing: the next decision applies their delta. One whose change no delta carries, and the
        first of an environment, waits for a bundle. Raises StoreUnavailable where that can't be built: the commit
        stays, and what was in force too.
        """
        revision = self._live_engines.revision(env.id)
        if revision is None or revision < env.revision:
            await self._build(env.id, env.revision)
        else:
            changes, things = self._live_engines.changes(env.id)
            if changes >= max(COMPACT_AFTER, things // COMPACT_SHARE):
                self._build_beside(env.id, env.revision)

    def build_missing(self) -> None:
        """Follow the store, and build what is missing where whoever should have done it is gone; called each second."""
        self._live_engines.refresh()
        for environment, revision in self._live_engines.missing_bundles():
            self._build_beside(environment, revision)

    def _build_beside(self, environment: str, revision: int) -> None:
        if environment not in self._building:
            self._log.info("a bundle of `%s` is being built", environment)
            task = asyncio.create_task(self._try_to_build(environment, revision))
            self._building[environment] = task
            task.add_done_callback(lambda _: self._building.pop(environment, None))

    async def _try_to_build(self, environment: str, revision: int) -> None:
        try:
            await self._build(environment, revision)
        except (StoreUnavailable, OSError) as ex:
            self._log.error("%s", ex)
        await asyncio.sleep(PAUSE_SECONDS)

    async def _build(self, environment: str, revision: int) -> None:
        directory = str(self._directory)
        process = await own_process("writ.api.serving.compaction", directory, environment, str(revision), stderr=PIPE)
        _, said = await process.communicate()
        if process.returncode:
            reason = said.decode(errors="replace").strip().rpartition("\n")[2]
            raise StoreUnavailable(f"the change is stored, but no bundle can be built of it: {reason}")
