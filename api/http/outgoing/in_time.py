"""A call of another server, in a thread that is left alone at a deadline, whatever it waits for.

A socket can be cut, but nothing ends the lookup of a name: the system's resolver may take half a minute. So the number
of calls that are left alone is limited.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Final, TypeVar

T = TypeVar("T")

MOST_LEFT: Final = 32
"""The calls that are left alone at a time. While there are so many, each further one is given up at once."""


class TooSlow(Exception):
    """The call did not end in its time."""


class _LeftCalls:
    """Counts the calls of this process that are left alone and have not ended."""

    def __init__(self) -> None:
        self._lock, self.count = Lock(), 0

    def add(self, by: int) -> None:
        """Counts some more, or fewer."""
        with self._lock:
            self.count += by


LEFT: Final = _LeftCalls()


def in_time(call: Callable[[], T], seconds: float, cut: Callable[[], object] = lambda: None) -> T:
    """Returns what a call returns, and raises what it raises. Raises TooSlow if it has not ended within `seconds`.

    `cut` is then called from this thread, to let the call end early.
    """
    if LEFT.count >= MOST_LEFT:
        raise TooSlow
    outcome: Future[T] = Future()
    until = time.monotonic() + seconds
    Thread(target=_run, args=(call, outcome), name="outgoing", daemon=True).start()
    wait((outcome,), seconds)
    if not outcome.done():
        LEFT.add(1)
        outcome.add_done_callback(lambda _: LEFT.add(-1))
        cut()
        raise TooSlow
    if outcome.exception() is not None and time.monotonic() >= until:
        raise TooSlow  # a socket's own deadline may come at the same moment
    return outcome.result()


def _run(call: Callable[[], T], outcome: "Future[T]") -> None:
    try:
        outcome.set_result(call())
    except BaseException as ex:  # it is raised where the call was asked for
        outcome.set_exception(ex)
