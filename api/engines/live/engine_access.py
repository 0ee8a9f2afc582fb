"""The interface that gives the engine of an environment to decision calls, and the errors if there is none."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from ....bundles.errors import BundleError
from ....runtime import Engine

EngineOf: TypeAlias = Callable[[str], Engine]
"""Returns the engine of an environment, by its id. Raises Updating, and what `LiveEngines.engine` raises."""

ReportDamage: TypeAlias = Callable[[str, BundleError], bool]
"""Reports that the bundle of an environment is damaged. Returns False if that was reported before."""


class Updating(Exception):
    """The engine of an environment is being opened or updated in a thread.

    `engine` is the engine until then, or None if there is none that may decide.
    """

    def __init__(self, done: "asyncio.Future[None]", engine: Engine | None):
        super().__init__("the engine is being updated")
        self._done, self.engine = done, engine

    async def wait(self) -> None:
        """Wait for the end of the work. Raises what the work raised for those who ask."""
        await asyncio.shield(self._done)
