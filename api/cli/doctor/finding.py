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
class DoctorFinding:
    """One line of the report. `remedy` is what to do; it is empty if all is well. Neither ever has a secret."""

    level: Level
    message: str
    remedy: str = ""


Check: TypeAlias = Callable[[], Iterator[DoctorFinding]]
"""A check. It may raise what `doctor.UNREADABLE` lists, whose messages are sentences without a secret."""


def ok(message: str) -> DoctorFinding:
    """Returns a finding that needs no attention."""
    return DoctorFinding(Level.OK, message)


def warning(message: str, remedy: str) -> DoctorFinding:
    """Returns a finding that should be dealt with some time."""
    return DoctorFinding(Level.WARNING, message, remedy)


def failure(message: str, remedy: str) -> DoctorFinding:
    """Returns a finding that must be dealt with."""
    return DoctorFinding(Level.FAILURE, message, remedy)
