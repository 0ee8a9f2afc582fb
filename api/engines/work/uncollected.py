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
def without_cycle_search() -> Iterator[None]:
    """Switch the automatic search off in a block, in the whole process. Blocks of several threads may overlap.

    PERF: models and bundles have no cycles. The search among millions of objects takes a tenth of the time.
    """
    global _blocks
    with _lock:
        _blocks += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks:
                gc.enable()


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the automatic search off in a block, and let it skip what much work in the block leaves behind."""
    with without_cycle_search():
        try:
            yield
        finally:
            _tidy(gc.get_count()[0])


def _tidy(young: int) -> None:
    """`young` is how many objects exist that were made since the search was switched off or last looked."""
    if young > MANY_OBJECTS:
        gc.freeze()
    elif young > SOME_OBJECTS:
        gc.collect(1)
