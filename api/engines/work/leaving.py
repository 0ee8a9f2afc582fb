"""Tells the work of a thread that its caller is gone."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def leaving(leave: Callable[[], None]) -> Iterator[None]:
    """Calls `leave` if the task is cancelled in the block, since its client has closed the connection."""
    try:
        yield
    except asyncio.CancelledError:
        leave()
        raise
