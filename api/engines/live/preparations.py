"""Remembers which environments workers prepare, so that one whose preparation ends a worker is left alone for a while.

To prepare is to open an engine, to take up a large change, or to specialise a large program. If that takes more memory
or time than the machine has, the worker is killed. The next worker must not die of the same environment at once, since
it serves others too.
"""

import hashlib
import logging
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, TypeAlias

REST_SECONDS: Final = 10.0
"""The seconds for which an environment is left alone after it ended a worker. Each further time doubles them."""

MOST_REST_SECONDS: Final = 600.0
"""The longest rest."""

PLACES: Final = 512
"""Preparations of all workers at once."""

PLACES_A_WORKER: Final = 8
"""A worker's part of the places. If two workers have the same part, or one prepares more, a mark may be lost."""

RESTING: Final = 64
"""Environments that rest at once. Another one takes the place of the one that rests shortest."""

_MARK: Final = struct.Struct("QQ")  # the process, and the environment as `_key` gives it
_REST: Final = struct.Struct("QQd")  # the environment, how often it ended a worker, and when the rest is over


Preparing: TypeAlias = Callable[[str], AbstractContextManager[None]]
"""Surrounds the preparation of an environment, by its id. Raises Unprepared if the environment rests."""


def unmarked(_environment: str) -> AbstractContextManager[None]:
    """Surround a preparation and remember nothing."""
    return nullcontext()


class Unprepared(Exception):
    """An environment rests after it ended a worker. The message may be shown to anyone."""


class Preparations:
    """Two tables in memory that the master shares with the workers that it forks later."""

    def __init__(self, clock: Callable[[], float], log: logging.Logger) -> None:
        """`clock` gives epoch seconds."""
        self._clock, self._log = clock, log
        self._marks = mmap.mmap(-1, PLACES * _MARK.size)
        self._rests = mmap.mmap(-1, RESTING * _REST.size)

    @contextmanager
    def __call__(self, environment: str) -> Iterator[None]:
        """Mark a preparation for the length of a block. Raises Unprepared if the environment rests."""
        key = _key(environment)
        self._refuse_resting(key)
        place = self._mark(key)
        try:
            yield
        finally:
            _MARK.pack_into(self._marks, place, 0, 0)
        self._forget(key)

    def leave(self) -> None:
        """Forget the preparations of this process, which ends in an orderly way."""
        for place in self._own_places(os.getpid()):
            _MARK.pack_into(self._marks, place, 0, 0)

    def worker_gone(self, pid: int) -> None:
        """Let the environments rest that an ended worker was preparing, and log it. Only the master calls this."""
        for place in self._own_places(pid):
            process, key = _MARK.unpack_from(self._marks, place)
            if process == pid and key:
                _MARK.pack_into(self._marks, place, 0, 0)
                seconds = self._let_rest(key)
                self._log.error("worker %d ended while it prepared an environment, which rests for %d s", pid, seconds)

    def _own_places(self, pid: int) -> range:
        first = pid % (PLACES // PLACES_A_WORKER) * PLACES_A_WORKER
        return range(first * _MARK.size, (first + PLACES_A_WORKER) * _MARK.size, _MARK.size)

    def _mark(self, key: int) -> int:
        places = self._own_places(os.getpid())
        place = next((place for place in places if _MARK.unpack_from(self._marks, place)[1] == 0), places[0])
        _MARK.pack_into(self._marks, place, os.getpid(), key)
        return place

    def _refuse_resting(self, key: int) -> None:
        for place in range(0, RESTING * _REST.size, _REST.size):
            resting, times, end = _REST.unpack_from(self._rests, place)
            left = end - self._clock()
            if resting == key and left > 0:
                raise Unprepared(
                    f"to prepare this environment ended a worker process {times} times; it is tried again in "
                    f"{left:.0f} seconds; make its model smaller, or give the service more memory"
                )

    def _let_rest(self, key: int) -> int:
        rests: list[tuple[int, int, float, int]] = [
            (*_REST.unpack_from(self._rests, place), place) for place in range(0, RESTING * _REST.size, _REST.size)
        ]
        _, times, _, place = next((rest for rest in rests if rest[0] == key), min(rests, key=lambda rest: rest[2]))
        times = times + 1 if any(rest[0] == key for rest in rests) else 1
        seconds = min(REST_SECONDS * 2 ** min(times - 1, 32), MOST_REST_SECONDS)
        _REST.pack_into(self._rests, place, key, times, self._clock() + seconds)
        return int(seconds)

    def _forget(self, key: int) -> None:
        """The environment was prepared after all."""
        for place in range(0, RESTING * _REST.size, _REST.size):
            if _REST.unpack_from(self._rests, place)[0] == key:
                _REST.pack_into(self._rests, place, 0, 0, 0.0)


def _key(environment: str) -> int:
    return int.from_bytes(hashlib.blake2b(environment.encode(), digest_size=8).digest()) | 1
