"""Entries of one worker on their way to the audit log: those that come during one commit share the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ..store.audit.entries import Entry


class Recorder:
    """PERF: a commit waits for the disk; of a thousand tokens that are asked for at once, few commits are made."""

    def __init__(self, commit: Callable[[Sequence[Entry]], Awaitable[None]]) -> None:
        self._commit = commit
        self._turn = asyncio.Lock()
        self._waiting: list[Entry] = []
        self._next: asyncio.Task[None] | None = None

    async def record(self, entry: Entry) -> None:
        """Add an entry to the log; it is there when this ends. Raises what `commit` raises."""
        self._waiting.append(entry)
        if self._next is None:
            self._next = asyncio.create_task(self._commit_next())
        await asyncio.shield(self._next)

    async def _commit_next(self) -> None:
        async with self._turn:
            entries, self._waiting, self._next = self._waiting, [], None
            await self._commit(entries)
