"""The threads of a worker that prepare environments."""

from collections.abc import Callable
from typing import Final, TypeVar

from ..work.fair_threads import FairThreads
from .preparations import Preparing, unmarked

PREPARING_THREADS: Final = 3
"""An environment has two of them at most: one for each purpose."""

OPENING: Final = "open"
"""To open an engine, or to apply a large change."""

SPECIALISING: Final = "specialise"
"""To specialise a large program."""

READING: Final = "read"
"""To find out what is to be prepared."""

_T = TypeVar("_T")


class PreparingThreads:
    """`mark` surrounds each preparation. It raises Unprepared if the environment rests."""

    def __init__(self, mark: Preparing = unmarked) -> None:
        self.mark = mark
        self._threads = FairThreads(PREPARING_THREADS, "prepare")

    async def run(self, environment: str, purpose: str, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, which may take much memory. Raises Unprepared."""

        def prepare() -> _T:
            with self.mark(environment):
                return work()

        return await self._threads.run(prepare, (environment, purpose))

    async def read(self, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, which finds out what is to be prepared."""
        return await self._threads.run(work, ("", READING))
