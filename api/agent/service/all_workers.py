"""The readiness of all workers of an agent, in memory that they share: the agent is ready when each of them is."""

import mmap
import os
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from ...server.shares import places_for
from ..status import Status

LONGEST_REASON: Final = 500
"""The most bytes of the reason that one worker tells the others."""

_BEGUN: Final = 0
"""The place of the flag that says that all workers have begun once."""

_STALE: Final = 1
"""The place of the flag that says that the log has a line about a stale revision."""

_ROW: Final = struct.Struct(f"<IHH{LONGEST_REASON}s")


class State(IntEnum):
    """The state of a worker."""

    READY = 1
    NOT_READY = 2
    STALE = 3


class _Row(NamedTuple):
    process: int
    state: int
    reason: str


class AllWorkers:
    """A table with a row for each worker that accepts requests. Make it before the fork.

    Only its worker writes to a row, and the master when the worker has ended. A reader may see half a reason.
    """

    def __init__(self, workers: int) -> None:
        """`workers` is the number of workers that the agent begins with."""
        self._workers = workers
        self._rows = mmap.mmap(-1, places_for(workers) * _ROW.size)
        self._flags = mmap.mmap(-1, _STALE + 1)
        self._place: int | None = None

    # -- of one worker

    def begin(self, place: int) -> None:
        """Tell the others about this worker, which accepts requests from now on. `place` is its own."""
        self._place = place
        self._write(State.NOT_READY, "")

    def tell(self, status: Status, *, has_heard: bool = True) -> None:
        """Tell the others how this worker is. It is only stale if it `has_heard` of its source, or failed to."""
        state = State.READY if status.is_ready else State.NOT_READY
        if status.is_stale and status.state != "starting" and has_heard:
            state = State.STALE
        self._write(state, status.error or "")

    def _write(self, state: State, reason: str) -> None:
        place, text = self._place, reason.encode()[:LONGEST_REASON]
        if place is not None:
            _ROW.pack_into(self._rows, place * _ROW.size, os.getpid(), state, len(text), text)

    def leave(self) -> None:
        """Tell the others that this worker accepts no requests any more."""
        if self._place is not None:
            self._clear(self._place)
        self._place = None

    def refusal(self) -> str | None:
        """Returns why the agent is not ready, though this worker is, or None if all workers are ready."""
        rows = list(self._used())
        if not self._flags[_BEGUN]:
            if len(rows) < self._workers:
                return "not all workers have begun yet"
            self._flags[_BEGUN] = 1  # from now on, a worker that ends is missed by none, until another one replaces it
        found = next((row for place, row in rows if place != self._place and row.state != State.READY), None)
        return None if found is None else f"another worker is not ready: {found.reason or 'it has no bundle yet'}"

    def turned_stale(self) -> bool | None:
        """Returns True in the first worker that is stale, False in the last one that is no longer, and else None."""
        stale = [place for place, row in self._used() if row.state == State.STALE]
        if self._place in stale and not self._flags[_STALE]:
            self._flags[_STALE] = 1
            return True
        if self._flags[_STALE] and not stale:
            self._flags[_STALE] = 0
            return False
        return None

    # -- of the master

    def worker_gone(self, process: int) -> None:
        """Forget a worker that has ended, however it ended."""
        for place, row in self._used():
            if row.process == process:
                self._clear(place)

    def _clear(self, place: int) -> None:
        _ROW.pack_into(self._rows, place * _ROW.size, 0, 0, 0, b"")

    def _used(self) -> Iterator[tuple[int, _Row]]:
        for place, (process, state, length, reason) in enumerate(_ROW.iter_unpack(self._rows[:])):
            if process:
                yield place, _Row(process, state, reason[:length].decode(errors="ignore"))
