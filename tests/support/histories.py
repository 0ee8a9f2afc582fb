"""Histories of what clients saw of one register, the revision in force, and the check that they are linearizable.

Each revision has its place in one order: that of (epoch, revision). So a history is linearizable if and only if:

1. a read gave what the write of its revision wrote
2. a read began before its end what it saw: the write of its revision had begun
3. what ended before something else began has an earlier revision, or for a read that follows, at most the same one

A write without an answer may have taken effect at any time after its beginning, or never.

Of several servers, a worker of one may show a write that is not answered yet before another worker does. So what a read
saw binds the reads of its own session alone, and all writes. What was answered to a write binds all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Position(NamedTuple):
    """A revision of an environment, in an epoch. A later one is greater."""

    epoch: int
    revision: int


@dataclass(frozen=True, slots=True)
class Operation:
    """A write or a read by a client, with the seconds of its beginning and end on one clock.

    `ended` is None for a write without an answer, and so is its `position`, which an answer may lack too. `value` is
    what the write wrote, or what the read saw. `session` is that of the client.
    """

    is_write: bool
    began: float
    ended: float | None
    position: Position | None
    value: str
    session: str = ""


def faults(history: Sequence[Operation], fails_over: bool = False) -> list[str]:
    """Returns a sentence for each fault of a history, or none if it is linearizable.

    If the database `fails_over`, a new epoch begins with the last revision of the one before, or what a replica has.
    """
    return [*_wrong_values(history, fails_over), *_wrong_order(history)]


def _wrong_values(history: Sequence[Operation], fails_over: bool) -> Iterator[str]:
    written: dict[Position, Operation] = {}
    open_writes = {one.value: one for one in history if one.is_write and one.position is None}
    for one in history:
        if one.is_write and one.position is not None and written.setdefault(one.position, one) is not one:
            yield f"two writes have the revision {one.position}"
    for one in history:
        if one.is_write or one.position is None:
            continue
        if fails_over and _is_carried(one, one.position, written, history):
            continue
        # A write whose answer was lost is known by its value: each write has another one.
        write = written.get(one.position) or open_writes.get(one.value)
        if write is None or write.value != one.value:
            yield f"{one} saw what no write of its revision wrote"
        elif one.ended is not None and write.began > one.ended:
            yield f"{one} ended before {write} began"
        elif written.setdefault(one.position, write) is not write:
            yield f"{one} saw another write of that revision than {written[one.position]}"
    places: dict[str, Position] = {}
    for position, write in written.items():
        if places.setdefault(write.value, position) != position:
            yield f"{write} has two revisions, {places[write.value]} and {position}"


def _is_carried(
    read: Operation, position: Position, written: dict[Position, Operation], history: Sequence[Operation]
) -> bool:
    """Returns whether a read saw the last revision of an earlier epoch: a fail-over raises it, and writes nothing."""
    if position.epoch == 1 or position in written:
        return False
    writes = (one for one in history if one.is_write and one.value == read.value)
    return any(_is_before(one.position, position) and one.began <= (read.ended or one.began) for one in writes)


def _is_before(written: Position | None, read: Position) -> bool:
    """Returns whether a write may have made the revision of a read in an earlier epoch."""
    return written is None or (written.epoch < read.epoch and written.revision == read.revision)


def _wrong_order(history: Sequence[Operation]) -> Iterator[str]:
    """Yields a fault for each operation that came after one with a later revision.

    The place of a write without an answer is known from a read that saw it.
    """
    seen = {one.value: one.position for one in history if not one.is_write and one.position is not None}
    placed = [(one, one.position or seen.get(one.value)) for one in history]
    ends = sorted(
        ((one.ended, place, one) for one, place in placed if one.ended is not None and place is not None),
        key=lambda end: end[0],
    )
    newest: dict[str | None, tuple[Position, Operation]] = {}
    passed = 0
    for one, place in sorted(placed, key=lambda item: item[0].began):
        while passed < len(ends) and ends[passed][0] < one.began:
            _, position, ended = ends[passed]
            bound = None if ended.is_write else ended.session  # whom it binds; None: all
            if bound not in newest or position > newest[bound][0]:
                newest[bound] = position, ended
            passed += 1
        for bound, known in newest.items():
            if place is None or not (one.is_write or bound in (None, one.session)):
                continue
            if place < known[0] or (place == known[0] and one.is_write and one is not known[1]):
                yield f"{one} began after {known[1]} had ended, and is older"
