"""Collects audit entries of one worker: the entries that arrive during one commit share the next commit."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context

from ..store.audit.entries import AuditEntry


class Recorder:
    """PERF: a commit waits for the disk, so a thousand token requests at once must share a few commits."""

    def __init__(self, commit: Callable[[Sequence[AuditEntry]], Awaitable[None]]) -> None:
        self._commit = commit
        self._turn = asyncio.Lock()
        self._waiting: list[AuditEntry] = []
        self._next: asyncio.Task[None] | None = None
        self._service = Context()  # a commit is the work of no caller

    async def record(self, entry: AuditEntry) -> None:
        """Add an entry to the log, and return when it is stored. Raises what `commit` raises."""
        self._waiting.append(entry)
        if self._next is None:
            self._next = asyncio.create_task(self._commit_next(), context=self._service)
        await asyncio.shield(self._next)

    async def _commit_next(self) -> None:
        async with self._turn:
            entries, self._waiting, self._next = self._waiting, [], None
            await self._commit(entries)
