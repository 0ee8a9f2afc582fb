"""Runs what a worker does from time to time: the tasks that are due, one after the other, in one thread."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from ....bundles.system_errors import sentence_of
from ...identity.admin_key import UnusableKey
from ...identity.keys.signing_keys import UnusableSigningKey
from ...store.audit.tampering import Tampered
from ...store.errors import Refusal, StoreUnavailable

_T = TypeVar("_T")

EXPECTED: Final = StoreUnavailable, Refusal, UnusableKey, UnusableSigningKey, Tampered, OSError
"""The errors whose message says enough. Any other one is logged with its traceback."""


class InThread(Protocol):
    """Runs work in the thread of the upkeep."""

    def __call__(self, work: Callable[[], _T], /) -> Awaitable[_T]:
        """Returns the result of `work`, or raises what it raises."""


def alone() -> bool:
    """Returns True: no other server has the store, so this one does its upkeep."""
    return True


def _nothing() -> None:
    """Do nothing at this moment."""


@dataclass(slots=True, kw_only=True)
class UpkeepTask:
    """A task of each worker.

    `trouble` begins the message about an error. `run` does what is due, on the event loop and in the thread. It is due
    again after `seconds`, or after the seconds that it returns. `end_worker` does it a last time in a worker, and
    `end_service` in the master.
    """

    trouble: str
    seconds: float
    run: Callable[[InThread], Awaitable[float | None]]
    end_worker: Callable[[], None] = _nothing
    end_service: Callable[[], None] = _nothing
    due_at: float = 0.0
    _last_error: str | None = None

    @contextmanager
    def logged(self, log: logging.Logger) -> Iterator[None]:
        """Logs the error of a block, unless it is the same as last time. The other tasks go on."""
        try:
            yield
            self._last_error = None
        except Exception as ex:
            if str(ex) != self._last_error:
                log.error("%s: %s", self.trouble, sentence_of(ex), exc_info=None if isinstance(ex, EXPECTED) else ex)
            self._last_error = str(ex)


class Upkeep:
    """The upkeep of one process. The thread starts with its first work, after the fork."""

    def __init__(self, tasks: Sequence[UpkeepTask], log: logging.Logger) -> None:
        self._tasks, self._log = tasks, log
        self._threads = ThreadPoolExecutor(1, "upkeep")
        self._round: asyncio.Task[None] | None = None

    def beat(self) -> None:
        """Start the tasks that are due. The event loop of each worker calls this every second."""
        if self._round is None or self._round.done():
            self._round = asyncio.create_task(self.run_due())

    async def run_due(self) -> None:
        """Run the tasks that are due."""
        for task in self._tasks:
            if time.monotonic() >= task.due_at:
                await self._run(task)

    def end_worker(self) -> None:
        """Wait for the work that is in the thread, and end all tasks, the last one first."""
        if self._round is not None:
            self._round.cancel()
        self._threads.shutdown()
        self._end([(task, task.end_worker) for task in self._tasks])

    def end_service(self) -> None:
        """End all tasks in the master, after all workers have ended."""
        self._end([(task, task.end_service) for task in self._tasks])

    async def _run(self, task: UpkeepTask) -> None:
        wait: float | None = None
        with task.logged(self._log):
            wait = await task.run(self._in_thread)
        task.due_at = time.monotonic() + (task.seconds if wait is None else wait)

    def _in_thread(self, work: Callable[[], _T]) -> Awaitable[_T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _end(self, ends: Sequence[tuple[UpkeepTask, Callable[[], None]]]) -> None:
        for task, end in reversed(ends):
            with task.logged(self._log):
                end()
