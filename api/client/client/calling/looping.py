"""The driver for asyncio: it takes the steps of a call with an `httpx.AsyncClient`."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from weakref import WeakKeyDictionary

import httpx

from .blocking import broken, check_answer, headers_of, refuse_to_send
from .steps import Alone, Answer, Broken, Call, Pause, Send, Step, Steps

T = TypeVar("T")


@dataclass
class _InLoop:
    """All that belongs to one event loop: connections, and the lock."""

    session: httpx.AsyncClient
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class LoopDriver:
    """Takes steps in the running event loop. Each loop has its own connections, since no other one can use them."""

    def __init__(self, session: httpx.AsyncClient | None, make: Callable[[], httpx.AsyncClient]):
        """`session` is the application's. Without one, `make` makes one for each event loop."""
        self._session, self._make = session, make
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _InLoop] = WeakKeyDictionary()

    def _here(self) -> _InLoop:
        loop = asyncio.get_running_loop()
        found = self._loops.get(loop)
        if found is None:
            found = self._loops[loop] = _InLoop(self._session or self._make())
        return found

    async def run(self, steps: Steps[T]) -> T:
        """Returns what the steps return, or raises what they raise."""
        try:
            step = next(steps)
            while True:
                try:
                    done = await self._take(step)
                except BaseException as ex:
                    step = steps.throw(ex)
                else:
                    step = steps.send(done)
        except StopIteration as ex:
            value: T = ex.value
            return value

    async def _take(self, step: Step) -> Answer | None:
        match step:
            case Send():
                return await self._send(step.call, step.seconds)
            case Pause():
                await asyncio.sleep(step.seconds)
            case Alone():
                await self._alone(step)
        return None

    async def _alone(self, step: Alone) -> None:
        lock = self._here().lock
        try:
            async with asyncio.timeout(step.seconds):
                await lock.acquire()
        except TimeoutError:
            raise Broken("the time is over") from None
        try:
            await self.run(step.steps)
        finally:
            lock.release()

    async def _send(self, call: Call, seconds: float) -> Answer:
        session = self._here().session
        refuse_to_send(session.is_closed, seconds)
        assert not callable(call.body), "commands alone send pieces"
        ends = time.monotonic() + seconds
        try:
            request = session.build_request(
                call.method, call.url, content=call.body, headers=call.headers, timeout=httpx.Timeout(seconds)
            )
            async with asyncio.timeout(seconds):
                response = await session.send(request, stream=True, follow_redirects=False)
                try:
                    pieces, size = [], 0
                    async for piece in response.aiter_bytes():
                        pieces.append(piece)
                        size += len(piece)
                        check_answer(size, ends)
                finally:
                    await response.aclose()
        except Exception as ex:
            raise broken(ex, session.is_closed) from None
        return Answer(response.status_code, headers_of(response), b"".join(pieces))

    async def close(self) -> None:
        """Close the connections of the running event loop, unless the session is the application's."""
        found = self._loops.pop(asyncio.get_running_loop(), None)
        if found is not None and self._session is None:
            await found.session.aclose()
