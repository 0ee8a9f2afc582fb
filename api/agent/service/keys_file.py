"""The keys of an agent's callers: those of its file of callers, and its own credential. Read again when they change."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from .callers_file import UnusableCallers, read_callers

LOOK_SECONDS: Final = 1.0
"""The seconds between two looks of a worker for a changed file."""

OWN: Final = "the agent's own credential"
_LONGEST_TOKEN: Final = 16 * 1024


class CallerKeys:
    """Returns the names of callers by the SHA-256 of their keys: the same mapping as long as nothing changed."""

    def __init__(
        self,
        callers: Path | None,
        token_file: Path | None,
        log: logging.Logger,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises UnusableCallers, OSError. `clock` gives monotonic seconds."""
        self._callers, self._token_file, self._log, self._clock = callers, token_file, log, clock
        self._stamp = self._stamps()
        self._keys = self._read()
        self._due = 0.0

    def __call__(self) -> Mapping[bytes, str]:
        """Returns the mapping. If a changed file can't be read, the log says so, and the earlier keys stay."""
        now = self._clock()
        if now >= self._due:
            self._due = now + LOOK_SECONDS
            stamp = self._stamps()
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._keys = self._read()
                except (UnusableCallers, OSError) as ex:
                    self._log.error("the callers stay as they were: %s", ex)
        return self._keys

    def _read(self) -> dict[bytes, str]:
        found = {} if self._callers is None else read_callers(self._callers)
        if self._token_file is not None:
            with self._token_file.open("rb") as file:
                token = file.read(_LONGEST_TOKEN).strip()
            if token:
                found.setdefault(hashlib.sha256(token).digest(), OWN)
        return found

    def _stamps(self) -> tuple[object, ...]:
        return tuple(_stamp(path) for path in (self._callers, self._token_file) if path is not None)


def _stamp(path: Path) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
