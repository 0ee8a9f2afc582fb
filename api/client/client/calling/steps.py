"""A call as a series of steps: a generator says what to send or to wait for, and a driver does it.

So the logic of a call is written once, and does no I/O. `blocking` has the driver for threads, `looping` that for
asyncio.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


Pieces: TypeAlias = Callable[[], Iterable[bytes]]
"""Gives a long body piece by piece, from its start each time. Only the driver for threads sends one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `headers` are those that belong to it alone: the caller adds the credential and its own.

    `repeatable` is whether a second request may follow a first one without an answer. If not, a request is repeated
    only if it was not sent, or if the answer says that nothing was done.
    """

    method: str
    url: str
    body: bytes | Pieces | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, read to its end. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Send:
    """Send a call, and give back its Answer. Raises Broken if there is none within `seconds`."""

    call: Call
    seconds: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Alone:
    """Take steps while no other call of this client does. Raises Broken if it is not the turn within `seconds`."""

    steps: "Steps[None]"
    seconds: float


Step: TypeAlias = Send | Pause | Alone
Steps: TypeAlias = Generator[Step, Any, T]


class Broken(Exception):
    """A call was sent, or should have been, and there is no whole answer. The message is a part of a sentence."""


class NotSent(Broken):
    """A call was not sent: there is no connection."""
