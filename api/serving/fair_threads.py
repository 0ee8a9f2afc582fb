"""Threads for one kind of work, which callers share fairly: who asks for much waits longer, and nobody else does."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count as count_up
from typing import Any, NamedTuple, TypeVar

from ..http.caller import CALLER
from .uncollected import uncollected

_T = TypeVar("_T")


class _Waiting(NamedTuple):
    work: Callable[[], Any]
    done: "Future[Any]"


class FairThreads:
    """Runs work for the event loop in a few threads. Callers take turns, and the work of each runs in its order.

    One caller never has all of several threads, so that another one finds a free thread at once. Threads start with
    their first work, after the fork.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._most_each = max(1, count - 1)
        self._threads = ThreadPoolExecutor(count, name)
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._running: dict[str, int] = {}
        self._turns, self._last_turn = count_up(1), dict[str, int]()

    async def run(self, work: Callable[[], _T], caller: str | None = None) -> _T:
        """Returns the result of `work`, or raises what it raises. `caller` is that of the request if not given.

        Work that has not begun is dropped if the task that waits for it is cancelled.
        """
        done: Future[_T] = Future()
        key = CALLER.get() if caller is None else caller
        self._waiting.setdefault(key, deque()).append(_Waiting(work, done))
        self._start_next()
        return await asyncio.wrap_future(done)

    def _start_next(self) -> None:
        """Start what may start: of the callers that wait and have not too many threads, the one served longest ago."""
        while sum(self._running.values()) < self._count:
            may = [one for one in self._waiting if self._running.get(one, 0) < self._most_each]
            if not may:
                return
            caller = min(may, key=lambda one: self._last_turn.get(one, 0))
            work, done = self._waiting[caller].popleft()
            if not self._waiting[caller]:
                del self._waiting[caller]
            if done.set_running_or_notify_cancel():
                self._running[caller] = self._running.get(caller, 0) + 1
                self._last_turn[caller] = next(self._turns)
                self._start(caller, work, done)

    def _start(self, caller: str, work: Callable[[], Any], done: "Future[Any]") -> None:
        loop = asyncio.get_running_loop()

        def run() -> None:
            try:
                with uncollected():
                    result = work()
            except BaseException as ex:
                done.set_exception(ex)
            else:
                done.set_result(result)
            with suppress(RuntimeError):  # the event loop has ended
                loop.call_soon_threadsafe(self._ended, caller)

        self._threads.submit(run)

    def _ended(self, caller: str) -> None:
        self._running[caller] -= 1
        if not self._running[caller]:
            del self._running[caller]
            if caller not in self._waiting:
                del self._last_turn[caller]
        self._start_next()
