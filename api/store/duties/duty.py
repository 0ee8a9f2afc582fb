"""A duty as the process sees it that does the work: whether it may, and what ends the process in time."""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from ..errors import StoreUnavailable


class NotHeld(StoreUnavailable):
    """Another process has the duty, or this one can't reach the database to keep it."""


class Duty(Protocol):
    """A duty, for the process that may do the work."""

    @property
    def holder(self) -> str:
        """The name of the process that has the duty, or empty text if that is not known."""

    def is_held(self) -> bool:
        """Returns whether this process has the duty now."""

    def guarding(self) -> AbstractContextManager[None]:
        """Wraps work that must not go on once another process has the duty. Raises NotHeld before it."""

    def step_back(self, seconds: float) -> None:
        """Let another process take the duty. This one wants it again after so many seconds."""

    def close(self) -> None:
        """Give the duty back."""


class DutyAlone:
    """A duty in a store that no other machine has: each of its processes may do the work."""

    holder = ""

    def is_held(self) -> bool:
        """Returns True."""
        return True

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Guards nothing."""
        yield

    def step_back(self, _seconds: float) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def process_name(directory: Path) -> str:
    """Returns the name in messages for what runs on a data directory of this machine."""
    return f"{socket.gethostname()}:{directory.resolve()}"
