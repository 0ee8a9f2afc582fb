"""Long answers: what is read is closed in the end, and never while a thread still reads it."""

import asyncio
import threading
import time
from pathlib import Path

from writ.api.engines.live.store_work import StoreWork
from writ.api.http.streams import Stream
from writ.api.store.environments import Environment
from writ.api.store.store import Store


class Slow:
    """Pieces of which each waits until it may come; `trace` is what happened."""

    def __init__(self) -> None:
        self.trace: list[str] = []
        self.may_come = threading.Event()
        self.asked = threading.Event()

    def __iter__(self) -> "Slow":
        return self

    def __next__(self) -> bytes:
        self.trace.append("asked")
        self.asked.set()
        assert self.may_come.wait(30)
        self.trace.append("came")
        return b"x"

    def close(self) -> None:
        self.trace.append("closed")


async def activated(_environment: Environment) -> None:
    """Nothing follows the store here."""


def test_a_client_that_goes_while_a_piece_is_read_closes_behind_it(tmp_path: Path) -> None:
    slow = Slow()

    async def leave_early() -> None:
        stream = Stream(slow, StoreWork(Store.open(tmp_path), activated, time.time).read)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.to_thread(slow.asked.wait)
        reading.cancel()
        closing = asyncio.ensure_future(stream.close())
        await asyncio.wait([reading, closing], return_when=asyncio.FIRST_COMPLETED)
        slow.may_come.set()
        await closing

    asyncio.run(leave_early())
    assert slow.trace == ["asked", "came", "closed"]
