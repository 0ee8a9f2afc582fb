"""Decides quick evaluations on the event loop, and those that take long in threads."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from ....bundles.event_loop import TakesLong
from ....runtime import BadRequest, Engine
from ....runtime.rules.array_elements import KeptKeys
from ...engines.live.preparing_threads import SPECIALISING, PreparingThreads
from ...engines.work.fair_threads import FairThreads
from ...identity.credential import Credential, Scope
from ...telemetry.metrics.counts import Counts

DECIDING_THREADS: Final = 3
"""The threads of a worker that decide."""

Members: TypeAlias = dict[str, Any]
_T = TypeVar("_T")


def explaining_to(credential: Credential, engine: Engine) -> Engine:
    """Returns the engine that explains decisions to a caller: without registered values that the caller may not read.

    A credential with the scope `decide` alone may not read the registry, so no explanation tells it what is there (E9).
    """
    return engine if credential.scope >= Scope.READ else engine.without_registered_values()


class Deciding:
    """Evaluations that wait for the same work wait for each other, so that it is done once."""

    def __init__(self, preparing: PreparingThreads, counts: Counts) -> None:
        """`preparing` specialises large programs."""
        self._preparing, self.counts = preparing, counts
        self._threads = FairThreads(DECIDING_THREADS, "decide")
        self._turns: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

    async def decide(self, engine: Engine, body: Members, is_long: bool, now: float | None = None) -> Members:
        """Returns the answer to an evaluation, and counts it. Raises what `Engine.decide` raises, but for TakesLong.

        A long body is decided in a thread, since a pattern may be searched for in all of it, many times.
        """
        try:  # PERF: as `counting_faults`, without its context manager
            decision = await self._decision(engine, partial(engine.pinned().decide, body, now), is_long)
        except BadRequest as ex:
            self.counts.faulted(engine, ex.strict_faults)
            raise
        self.counts.decided(engine, decision["context"]["reason_code"])
        return decision

    async def explain(self, engine: Engine, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, which asks `engine` for a proof. It is no decision, so it is not counted."""
        try:
            return work()
        except TakesLong as ex:
            return await self.finish(ex, engine, work)

    async def _decision(self, engine: Engine, decide: Callable[[], Members], is_long: bool) -> Members:
        if is_long:
            return await self.in_thread(decide)
        try:
            return decide()
        except TakesLong as ex:
            return await self.finish(ex, engine, decide)

    async def finish(self, reason: TakesLong, engine: Engine, decide: Callable[[], _T]) -> _T:
        """Returns the result of `decide`, which takes long for `reason`. Raises Unprepared too."""
        if reason.work is None:
            return await self.in_thread(decide)
        turn = self._turns.setdefault(reason.work, asyncio.Lock())
        async with turn:
            try:
                return decide()  # another one may have done the work meanwhile
            except TakesLong:  # not behind what the caller waits for, since others wait for this work
                environment = engine.manifest.environment
                id = "" if environment is None else environment.id
                return await self._preparing.run(id, SPECIALISING, decide)

    async def in_thread(self, work: Callable[[], _T], kept: KeptKeys | None = None) -> _T:
        """Returns the result of longer work. Its arrays are compared with those that are `kept` of the same request."""
        return await self._threads.run(partial((kept or KeptKeys()).during, work))
