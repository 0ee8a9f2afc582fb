"""Runs long work on the event loop in slices, so that other requests have their turn in between."""

import asyncio
from collections.abc import Iterable
from time import perf_counter
from typing import Final, TypeVar

_T = TypeVar("_T")

SLICE_SECONDS: Final = 0.005
"""How long the event loop works on one request before it lets others through."""


async def in_slices(items: Iterable[_T]) -> list[_T]:
    """Returns the items. Computing them gives way to other requests after each `SLICE_SECONDS`."""
    found: list[_T] = []
    end = perf_counter() + SLICE_SECONDS
    for item in items:
        found.append(item)
        if perf_counter() > end:
            await asyncio.sleep(0)
            end = perf_counter() + SLICE_SECONDS
    return found
