"""Marks the threads of event loops. A marked thread must not work long at once: others do that work for it.

A server marks the thread of its event loop. Work that may take long looks at the mark, and raises TakesLong instead.
Threads are not marked unless someone does it, so that programs without an event loop never meet TakesLong.
"""

import threading


class TakesLong(Exception):
    """An evaluation would take longer than the thread of an event loop may work at once. Another thread answers it.

    `work` is equal for evaluations that wait for the same work: once one of them is answered, the others may be quick.
    It is None if they have no work in common.
    """

    def __init__(self, work: object | None = None):
        super().__init__("the evaluation takes long")
        self.work = work


class _Mark(threading.local):
    is_event_loop = False


_mark = _Mark()


def mark_event_loop(marked: bool = True) -> None:
    """Mark this thread as that of an event loop, or take the mark away."""
    _mark.is_event_loop = marked


def on_event_loop() -> bool:
    """Returns whether this thread is that of an event loop."""
    return _mark.is_event_loop


def refuse_on_event_loop() -> None:
    """Raises TakesLong if this thread is that of an event loop."""
    if _mark.is_event_loop:
        raise TakesLong
