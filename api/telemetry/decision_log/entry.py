"""An answer as the event loop leaves it for the decision log: bytes and numbers, nothing that is not there already."""

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from ....runtime import Engine
from ..bounded_queue import BoundedQueue


class EntryKind(StrEnum):
    """The kind of a record."""

    EVALUATION = "evaluation"
    ITEM = "item"
    SEARCH = "search"


MICROSECONDS: Final = 1_000_000
"""In a second."""

NANOSECONDS: Final = 1_000
"""In a microsecond."""

ENTRY_BYTES: Final = 600
"""The memory of an entry beside its request and its answer."""


class Moment(msgspec.Struct, frozen=True, gc=False):
    """The instant of a decision.

    `now` is what the engine decides with, in epoch seconds, or None to read its clock. `instant` is the same in
    microseconds: a double keeps them apart, so a replay gets the same `now`. `began` is a monotonic clock's, in ns.
    `id` names the decision: the answer and its record tell it.
    """

    now: float | None
    instant: int
    began: int
    id: bytes


class Asker(msgspec.Struct, frozen=True, gc=False):
    """The caller of a request: its credential, the id of the request, and the header that names its trace."""

    caller: str
    request_id: bytes | None = None
    trace: bytes | None = None


class Taken(msgspec.Struct, frozen=True, gc=False):
    """An answer as its handler leaves it: see `Entry`.

    It waits for some hundredths of a second. `duration` is in nanoseconds, and `cost` is that of `cost_of`.
    """

    kind: EntryKind
    moment: Moment
    duration: int
    engine: Engine
    request: bytes
    answer: bytes
    caller: str
    request_id: bytes | None
    trace: bytes | None
    cost: int
    cut: bool = False
    unreadable: tuple[str, ...] = ()


LINE_BYTES: Final = 100
"""The memory of a line beside its text."""

Waiting: TypeAlias = BoundedQueue[Taken | bytes]
"""The answers that wait: each as it was left, or as the line of its record."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One answered call. With the kind `ITEM`, it is a whole batch, and becomes a record for each item.

    `id` names the decision. `instant` is that of the decision in microseconds since 1970, `duration`
    is in microseconds. `request` and `answer` are JSON. `environment` is None for a bundle that was compiled from
    files. `cut` says that a credential was left out of the request. `unreadable` names the properties of the resource
    whose texts a gateway could not read as their types (C11).
    """

    kind: EntryKind
    id: bytes
    instant: int
    duration: int
    environment: str | None
    revision: int
    request: bytes
    answer: bytes
    caller: str
    request_id: bytes | None
    trace: bytes | None
    cut: bool = False
    unreadable: tuple[str, ...] = ()

    @classmethod
    def of(cls, taken: "Taken") -> "Entry":
        """Returns the entry of what a handler left."""
        environment = taken.engine.manifest.environment
        return cls(
            taken.kind,
            taken.moment.id,
            taken.moment.instant,
            taken.duration // NANOSECONDS,
            None if environment is None else environment.id,
            taken.engine.revision,
            taken.request,
            taken.answer,
            taken.caller,
            taken.request_id,
            taken.trace,
            taken.cut,
            taken.unreadable,
        )

    @property
    def cost(self) -> int:
        """Returns the bytes of memory that the entry takes."""
        return cost_of(self.request, self.answer)


def cost_of(request: bytes, answer: bytes) -> int:
    """Returns the bytes of memory that an entry takes with its request and answer."""
    return ENTRY_BYTES + len(request) + len(answer)
