"""Event loops of tests: the mark of their thread, and one with a clock that needs no time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from selectors import DefaultSelector, SelectorKey
from typing import TypeVar

from writ.bundles.event_loop import mark_event_loop, on_event_loop

Found = TypeVar("Found")


@contextmanager
def as_event_loop() -> Iterator[None]:
    """Mark this thread for the length of a block."""
    before = on_event_loop()
    mark_event_loop()
    try:
        yield
    finally:
        mark_event_loop(before)


class _NoWaits(DefaultSelector):
    """Adds the seconds that the event loop would wait to its clock, and does not wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


def run_without_waits(main: Callable[[], Awaitable[Found]]) -> Found:
    """Returns the result of a coroutine in an event loop whose waits for a time pass at once, and exactly."""
    selector = _NoWaits()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main())  # type: ignore[arg-type]


async def takes(seconds: float) -> None:
    """Let so many seconds pass in a loop that does not wait."""
    await asyncio.sleep(seconds)
