"""Pauses Python's garbage collection during long work, and spares what the work leaves behind."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MANY_OBJECTS: Final = 30_000
"""If a piece of work leaves more objects behind, the collection skips them from then on: it would take 30 ms and more
each time, and stop all threads meanwhile. They are caches, and have few cycles."""

SOME_OBJECTS: Final = 10_000
"""If there are so many young objects, the collection looks at them while other work goes on. It takes a few ms."""

_lock = threading.Lock()
_blocks = 0


@contextmanager
def without_gc() -> Iterator[None]:
    """Switch the garbage collection off in a block, in the whole process. Blocks of several threads may overlap.

    PERF: models and bundles have no cycles. The collection among millions of objects takes a tenth of the time.
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
def deferred_gc() -> Iterator[None]:
    """Switch the garbage collection off in a block, and let it skip what much work in the block leaves behind."""
    with without_gc():
        try:
            yield
        finally:
            _tidy(gc.get_count()[0])


def _tidy(young: int) -> None:
    """`young` is how many objects exist that were made since the collection was switched off or last ran."""
    if young > MANY_OBJECTS:
        gc.freeze()
    elif young > SOME_OBJECTS:
        gc.collect(1)
