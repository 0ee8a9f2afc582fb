"""Decides quick evaluations on the event loop, and those that take long in threads."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from ...bundles.patience import TakesLong
from ...runtime import Engine
from ..serving.fair_threads import FairThreads
from ..serving.preparations import Preparing

DECIDING_THREADS: Final = 2
"""The threads of a worker that decide."""

Members: TypeAlias = dict[str, Any]
_T = TypeVar("_T")


class Deciding:
    """Evaluations that wait for the same work wait for each other, so that it is done once."""

    def __init__(self, preparing: Preparing) -> None:
        """`preparing` surrounds the specialisation of a large program."""
        self._preparing = preparing
        self._threads = FairThreads(DECIDING_THREADS, "decide")
        self._turns: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

    async def decide(self, engine: Engine, body: Members, is_long: bool, now: float | None = None) -> Members:
        """Returns the answer to an evaluation. Raises what `Engine.decide` raises, but for TakesLong.

        A long body is decided in a thread, since a pattern may be searched for in all of it, many times.
        """
        if is_long:
            return await self._patiently(engine, body, now)
        try:
            return engine.decide(body, now)
        except TakesLong as ex:
            return await self.finish(ex, engine, body, now)

    async def finish(self, reason: TakesLong, engine: Engine, body: Members, now: float | None = None) -> Members:
        """Returns the answer to an evaluation that takes long for `reason`. Raises Unprepared too."""
        if reason.work is None:
            return await self._patiently(engine, body, now)
        turn = self._turns.setdefault(reason.work, asyncio.Lock())
        async with turn:
            try:
                return engine.decide(body, now)  # another one may have done the work meanwhile
            except TakesLong:
                return await self.in_thread(partial(self._prepared, engine, body, now))

    async def in_thread(self, work: Callable[[], _T]) -> _T:
        """Returns the result of longer work."""
        return await self._threads.run(work)

    async def _patiently(self, engine: Engine, body: Members, now: float | None) -> Members:
        return await self.in_thread(partial(engine.pinned().decide, body, now))

    def _prepared(self, engine: Engine, body: Members, now: float | None) -> Members:
        """Decides, and specialises a large program for it, which may take much memory."""
        environment = engine.manifest.environment
        with self._preparing("" if environment is None else environment.id):
            return engine.pinned().decide(body, now)
