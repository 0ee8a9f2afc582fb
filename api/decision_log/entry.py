"""An answer as the event loop leaves it for the decision log: bytes and numbers, nothing that is not there already."""

from enum import StrEnum
from typing import Final

import msgspec


class Kind(StrEnum):
    """What a record is about."""

    EVALUATION = "evaluation"
    ITEM = "item"
    SEARCH = "search"


ENTRY_BYTES: Final = 600
"""The memory of an entry beside its request and its answer."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One answered call. With the kind `ITEM`, it is a whole batch, and becomes a record for each item.

    `number` counts the entries of a process. `instant` is that of the decision in microseconds since 1970, `duration`
    is in microseconds. `request` and `answer` are JSON. `environment` is None for a bundle that was compiled from
    files. `cut` says that a credential was left out of the request.
    """

    kind: Kind
    number: int
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

    @property
    def cost(self) -> int:
        """Returns the bytes of memory that the entry takes."""
        return ENTRY_BYTES + len(self.request) + len(self.answer)
