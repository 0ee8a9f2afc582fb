"""Runs long work in slices, so that other requests have their turn in between."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from time import perf_counter
from typing import Final, TypeVar

_T = TypeVar("_T")

LOOP_SECONDS: Final = 0.005
"""The seconds for which the event loop works on one request before it lets others through."""

THREAD_SECONDS: Final = 0.05
"""The seconds for which a thread works on one request before another caller has its turn."""

InThread = Callable[[Callable[[], bool]], Awaitable[bool]]
"""Runs work in a thread, once it is its turn."""


async def on_loop(items: Iterator[_T], found: list[_T]) -> None:
    """Add the items to `found`. Computing them gives way to other requests after each `LOOP_SECONDS`."""
    while not take(items, found, LOOP_SECONDS):
        await asyncio.sleep(0)


async def beside_loop(items: Iterator[_T], found: list[_T], in_thread: InThread) -> None:
    """Add the items to `found`. They are computed in a thread, for `THREAD_SECONDS` at a time."""
    while not await in_thread(lambda: take(items, found, THREAD_SECONDS)):
        pass


def take(items: Iterator[_T], found: list[_T], seconds: float) -> bool:
    """Add items to `found` for some time. Returns whether there are no more."""
    end = perf_counter() + seconds
    for item in items:
        found.append(item)
        if perf_counter() > end:
            return False
    return True


def ends_within(work: Iterator[None], seconds: float) -> bool:
    """Work for some time. Returns whether it is all done. Only in a pause of the work can it be left."""
    end = perf_counter() + seconds
    for _ in work:  # noqa: SIM110 - PERF: a generator takes three times as long
        if perf_counter() > end:
            return False
    return True
