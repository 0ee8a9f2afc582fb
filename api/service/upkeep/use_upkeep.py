"""Stores when credentials were last used, while the service runs: one worker writes for all, once a minute at most.

Each worker puts what it noted into a pipe. The worker that holds the lock empties the pipe and writes. A commit makes
every worker look for changes, so there is one a minute, however many workers there are.
"""

import os
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ...identity.uses import CredentialUses
from ...store.credentials.credentials import Credentials
from .one_worker import OneWorker
from .upkeep import InThread

WRITE_SECONDS: Final = 60.0
"""The least time between two writes. A worker that is killed loses the uses of so long, at most."""

_PIPE_BYTES: Final = 2**16
_ATOMIC_BYTES: Final = select.PIPE_BUF
"""So many bytes are put into a pipe together or not at all."""


class UseUpkeep:
    """The uses of one process. It is made before the workers are forked, so that they share the pipe and the lock."""

    def __init__(self, uses: CredentialUses, store: Credentials, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds. Raises OSError if there is no file for the lock."""
        self._uses, self._store, self._clock = uses, store, clock
        self._emptied, self._filled = os.pipe()
        os.set_blocking(self._emptied, False)
        os.set_blocking(self._filled, False)
        self._writer = OneWorker()
        self._rest = b""
        self._collected: dict[str, int] = {}

    async def hand_on(self, _: InThread) -> None:
        """Hand on what was noted, and collect what all workers handed on, if this one writes. It takes no time."""
        self._hand_on()
        if self._writer.is_this():
            self._collect()

    async def write(self, in_thread: InThread) -> float | None:
        """Store what was collected. Returns 0 if there is nothing."""
        if not self._collected:
            return 0.0
        await in_thread(self._store_collected)
        return None

    def end_worker(self) -> None:
        """Hand on what was noted. The worker that writes does so a last time."""
        self._hand_on()
        if self._writer.is_this():
            self._collect()
            self._store_collected()

    def end_service(self) -> None:
        """Store what is left in the pipe, and close it, after all workers have ended."""
        try:
            self._collect()
            self._store_collected()
        finally:
            os.close(self._emptied)
            os.close(self._filled)
            self._writer.close()

    def _store_collected(self) -> None:
        """Store the uses. If it raises StoreUnavailable, they are stored later."""
        if self._collected:
            self._store.record_uses(self._collected, self._clock())
            self._collected = {}

    def _hand_on(self) -> None:
        """Put what was noted into the pipe. If the pipe is full, the rest waits for the next beat."""
        left = self._uses.take()
        while left:
            some, size = list[str](), 0
            for actor, used in left.items():
                line = f"{actor} {used}\n"
                size += len(line)
                if size > _ATOMIC_BYTES and some:
                    break
                some.append(actor)
            try:
                os.write(self._filled, "".join(f"{actor} {left[actor]}\n" for actor in some).encode())
            except BlockingIOError:
                break
            for actor in some:
                del left[actor]
        self._uses.give_back(left)

    def _collect(self) -> None:
        """Take what is in the pipe. If its last reader was killed, the first line may be a part of one."""
        data = self._rest
        with suppress(BlockingIOError):
            while found := os.read(self._emptied, _PIPE_BYTES):
                data += found
        *lines, self._rest = data.split(b"\n")
        for line in lines:
            actor, _, used = line.decode().rpartition(" ")
            if used.isdigit():
                self._collected[actor] = max(int(used), self._collected.get(actor, 0))
