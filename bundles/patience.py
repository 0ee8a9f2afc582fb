"""Marks threads that must not work long at once, such as the one of an event loop, so that long work is left to others.

A server marks the thread of its event loop. What may take long looks at the mark, and raises TakesLong instead. Threads
are not marked unless someone does it, so that programs without an event loop never meet TakesLong.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TakesLong(Exception):
    """An evaluation would take longer than this thread may work at once. A thread without the mark answers it.

    `work` is equal for evaluations that wait for the same work: once one of them is answered, the others may be quick.
    It is None if they have no work in common.
    """

    def __init__(self, work: object | None = None):
        super().__init__("the evaluation takes long")
        self.work = work


class _Mark(threading.local):
    impatient = False


_mark = _Mark()


def be_impatient() -> None:
    """Mark this thread."""
    _mark.impatient = True


@contextmanager
def impatient() -> Iterator[None]:
    """Mark this thread for the length of a block."""
    before, _mark.impatient = _mark.impatient, True
    try:
        yield
    finally:
        _mark.impatient = before


def is_impatient() -> bool:
    """Returns whether this thread is marked."""
    return _mark.impatient


def refuse_if_impatient() -> None:
    """Raises TakesLong if this thread is marked."""
    if _mark.impatient:
        raise TakesLong
