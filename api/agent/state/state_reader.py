"""Reads the state directory: at a start, and in the processes that do not write it, whenever it changes."""

import logging
from collections.abc import Callable
from typing import Final

import msgspec

from ....bundles.errors import BundleError, WrongEnvironment
from ....bundles.feed.callers import Callers
from ....bundles.feed.position import Position
from ....runtime.rates.rate_table import RateTable
from ...telemetry.log import LOG
from ..followed_bundle import FollowedBundle, followed_bundle_from
from ..trust import Trust
from .current import Current
from .directory import StateDirectory

_TRIES: Final = 5


class StateReader:
    """Reads and verifies a state directory. Only the times of the signatures are not compared with the clock.

    `current` is the state that was read last, or None. `held` is what its files have. It is None if they are damaged,
    and it may be older than `current` says if a part of them is. Then it must not come into force. `base` is its bundle
    without the updates. `seen` is the highest epoch and revision that the directory ever named. `callers` is the list
    of callers, or None.
    """

    def __init__(
        self,
        directory: StateDirectory,
        trust: Trust,
        clock: Callable[[], float],
        counters: RateTable | None = None,
        strict: bool = False,
    ):
        """`clock`, `counters` and `strict` are those of the engine."""
        self._directory, self._trust, self._clock, self._counters = directory, trust, clock, counters
        self._strict = strict
        self._stamp: object = None
        self._read = 0
        self.current: Current | None = None
        self.base: FollowedBundle | None = None
        self.held: FollowedBundle | None = None
        self.callers: Callers | None = None
        self.seen = (0, 0)

    def open(self) -> None:
        """Read the state at a start. What is damaged is left out, with a line in the log.

        Raises WrongEnvironment if the directory belongs to another environment, and OSError.
        """
        self._stamp = self._directory.stamp()
        try:
            current = self._directory.read()
        except BundleError as ex:
            _warn("%s; its other files are searched", ex)
            current = self._guessed()
        if current is None:
            return
        self.current, self.seen = current, (current.epoch, current.revision)
        try:
            self._open_bundle(current)
            self._add_updates(current)
        except WrongEnvironment:
            raise
        except (BundleError, OSError) as ex:
            _warn("a part of the state directory is not used: %s", ex)
        try:
            self._read_callers(current)
        except (BundleError, OSError) as ex:
            _warn("the list of callers in the state directory is not used: %s", ex)
            self.current = msgspec.structs.replace(current, callers=None, tag=None)  # the source sends it again

    def poll(self) -> bool:
        """Returns whether the state changed since the last call. If it did not, this costs one system call.

        Raises BundleError and OSError for a state that can't be used. What was read before stays.
        """
        for _ in range(_TRIES):
            stamp = self._directory.stamp()
            if stamp == self._stamp:
                return False
            try:
                return self._take(stamp)
            except FileNotFoundError:
                continue  # the writer has removed the file since, because it has written a newer state
            except BundleError:
                self._stamp = stamp  # not read again before it changes
                raise
        raise BundleError("the state directory lacks a file that it names")

    def _take(self, stamp: object) -> bool:
        current, earlier = self._directory.read(), self.current
        if current is None:
            return False
        self.seen = max(self.seen, (current.epoch, current.revision))
        if earlier is None or self.held is None or current.bundle != earlier.bundle or current.updates < self._read:
            self._open_bundle(current)
        self._add_updates(current)
        if earlier is None or current.callers != earlier.callers:
            self._read_callers(current)
        self.current, self._stamp = current, stamp
        return True

    def _open_bundle(self, current: Current) -> None:
        bundle = self._trust.bundle(self._directory.bundle_path(current.bundle), None)
        self.base = self.held = followed_bundle_from(bundle, self._clock, self._counters, self._strict)
        self._read = 0

    def _add_updates(self, current: Current) -> None:
        """Put the updates on top of the bundle, one after the other, as far as they can be read."""
        assert self.held is not None
        for data in self._directory.updates(current.bundle, self._read, current.updates):
            update = self._trust.update(data, None)
            update.check_follows(self.held.position)
            self.held = self.held.updated(update, len(data))
            self._read += _HEAD + len(data)
        if self.held.position != current.position:
            raise BundleError("the files of the state directory are older than it says")

    def _read_callers(self, current: Current) -> None:
        if current.callers is not None:
            token = self._directory.callers(current.callers)
            self.callers = self._trust.callers(token, None, current.environment, self.callers)

    def _guessed(self) -> Current | None:
        """Returns the state that the newest bundle in the directory gives, with its sound updates."""
        for guess in self._directory.guesses():
            position = Position("", 0, 0, "")
            current = _current(position, guess.bundle, guess.updates)
            try:
                self._open_bundle(current)
                self._add_updates(current)
            except WrongEnvironment:
                raise
            except (BundleError, OSError):
                if self.held is not None:
                    return _current(self.held.position, guess.bundle, self._read)
        return None


_HEAD: Final = 4
"""The bytes before each update in its file."""


def _current(position: Position, bundle: str, updates: int) -> Current:
    return Current(*position, bundle, updates, None, None, 0.0, None, None)


def _warn(message: str, *arguments: object) -> None:
    logging.getLogger(LOG).warning(message, *arguments)
