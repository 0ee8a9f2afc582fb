"""A finding of a check: what it saw, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Level(StrEnum):
    """True if a finding needs attention. A failure keeps something from working, or from being safe."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `remedy` is what to do; it is empty if all is well. Neither ever has a secret."""

    level: Level
    message: str
    remedy: str = ""


Check: TypeAlias = Callable[[], Iterator[Finding]]
"""A check. It may raise what `doctor.UNREADABLE` lists, whose messages are sentences without a secret."""


def ok(message: str) -> Finding:
    """Returns a finding that needs no attention."""
    return Finding(Level.OK, message)


def warning(message: str, remedy: str) -> Finding:
    """Returns a finding that should be dealt with some time."""
    return Finding(Level.WARNING, message, remedy)


def failure(message: str, remedy: str) -> Finding:
    """Returns a finding that must be dealt with."""
    return Finding(Level.FAILURE, message, remedy)
