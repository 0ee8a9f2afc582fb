"""Threads for one kind of work, which callers share fairly."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from ...http.caller import CALLER, Who
from .fair_turns import FairTurns
from .gc_pause import deferred_gc

_T = TypeVar("_T")


class FairThreads:
    """Runs work for the event loop in a few threads, as callers have their turns (see `FairTurns`).

    Threads start with their first work, after the fork.
    """

    def __init__(self, count: int, name: str) -> None:
        self._turns = FairTurns(count)
        self._threads = ThreadPoolExecutor(count, name)

    async def run(self, work: Callable[[], _T], who: Who | None = None) -> _T:
        """Returns the result of `work`, or raises what it raises. `who` is the caller of the request if not given.

        Work that has not begun is dropped if the task that waits for it is cancelled.
        """
        who = CALLER.get() if who is None else who
        await self._turns.take(who)
        loop = asyncio.get_running_loop()

        def give_back(_: "Future[_T]") -> None:
            with suppress(RuntimeError):  # the event loop has ended
                loop.call_soon_threadsafe(self._turns.give_back, who)

        try:
            running = self._threads.submit(_deferring_gc, work)
        except RuntimeError:  # the machine has no more threads
            self._turns.give_back(who)
            raise
        running.add_done_callback(give_back)  # the work goes on if the task is cancelled
        return await asyncio.wrap_future(running)


def _deferring_gc(work: Callable[[], _T]) -> _T:
    with deferred_gc():
        return work()
