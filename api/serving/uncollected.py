"""Keeps Python's cycle search away from long work, and from what it leaves behind."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MANY_OBJECTS: Final = 30_000
"""If a piece of work leaves more objects behind, the search skips them from then on: it would take 30 ms and more each
time, and stop all threads meanwhile. They are caches, and have few cycles."""

SOME_OBJECTS: Final = 10_000
"""If there are so many young objects, the search looks at them while other work goes on. It takes a few ms."""

_lock = threading.Lock()
_blocks = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the automatic search off in a block, in the whole process."""
    global _blocks
    with _lock:
        _blocks += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            _tidy(gc.get_count()[0])
            if not _blocks:
                gc.enable()


def _tidy(young: int) -> None:
    """`young` is how many objects exist that were made since the search was switched off or last looked."""
    if young > MANY_OBJECTS:
        gc.freeze()
    elif young > SOME_OBJECTS:
        gc.collect(1)
