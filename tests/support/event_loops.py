"""Marks a thread as that of an event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from writ.bundles.event_loop import mark_event_loop, on_event_loop


@contextmanager
def as_event_loop() -> Iterator[None]:
    """Mark this thread for the length of a block."""
    before = on_event_loop()
    mark_event_loop()
    try:
        yield
    finally:
        mark_event_loop(before)
