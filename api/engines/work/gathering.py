"""Gathers what one worker has to store: the items that arrive during one commit share the next commit."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Gathering(Generic[_Item, _Result]):
    """PERF: a commit waits for the disk, so many requests at once must share a few commits.

    An item may wait for two commits: the one that is under way, and its own.
    """

    def __init__(self, commit: Callable[[Sequence[_Item]], Awaitable[Sequence[_Result | Exception]]]) -> None:
        """`commit` stores the first of its items, one at least, and returns the result or the failure of each of these.

        If it raises, that is the failure of all its items.
        """
        self._commit = commit
        self._waiting: deque[tuple[_Item, asyncio.Future[_Result]]] = deque()
        self._committing: asyncio.Task[None] | None = None
        self._service = Context()  # a commit is the work of no caller

    async def add(self, item: _Item) -> _Result:
        """Store an item, and return its result once it is stored. Raises its failure.

        The item is also stored if the task that waits for it is cancelled.
        """
        result: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_all(), context=self._service)
        return await result

    async def _commit_all(self) -> None:
        try:
            while self._waiting:
                await self._commit_waiting()
        finally:
            self._committing = None
            while self._waiting:  # the service ends
                self._waiting.popleft()[1].cancel()

    async def _commit_waiting(self) -> None:
        items = [item for item, _ in self._waiting]
        outcomes: Sequence[_Result | Exception]
        try:
            outcomes = await self._commit(items)
        except Exception as ex:
            outcomes = [ex] * len(items)
        for outcome in outcomes:
            _, result = self._waiting.popleft()
            if not result.done():  # its caller is gone
                if isinstance(outcome, Exception):
                    result.set_exception(outcome)
                else:
                    result.set_result(outcome)
