"""Waiting for a state, with patience: the one place where tests poll.

A test waits for what it asserts: a line of a log, a metric, a file, a process. So a slow machine changes no result.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

PATIENCE_SECONDS: Final = 120
"""A busy machine gets there in this time. Only a test that fails waits so long."""

_POLL_SECONDS: Final = 0.02


def wait_until(condition: Callable[[], object]) -> object:
    """Returns the value of `condition` once it is true, or its last value when patience ends."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return found


def is_waiting(thread: threading.Thread, function: str = "wait") -> bool:
    """Returns whether a thread of this process stands in a function: that of events and conditions, or another one."""
    frame = sys._current_frames().get(thread.ident or 0)
    return frame is not None and frame.f_code.co_name == function


async def until(condition: Callable[[], object]) -> object:
    """Returns what `wait_until` does, while the event loop goes on."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()) and time.monotonic() < deadline:
        await asyncio.sleep(_POLL_SECONDS / 10)
    return found


async def rounds(number: int = 1) -> None:
    """Let each task of the event loop that can go on take so many steps."""
    for _ in range(number):
        await asyncio.sleep(0)
