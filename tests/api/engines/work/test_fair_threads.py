"""Callers share a few threads fairly: each in its order, all in turn."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from writ.api.engines.work.fair_threads import FairThreads
from writ.api.engines.work.fair_turns import FairTurns
from writ.api.http.caller import CALLER, Who

from tests.support.waiting import rounds, until

A = "a", ""


def in_order_of(count: int, *asking: Who) -> list[Who]:
    """Who began when, of pieces of work that were asked for at once. One piece is held up until all are asked for."""
    begun: list[Who] = []
    gate = threading.Event()

    def run(who: Who) -> None:
        begun.append(who)
        gate.wait()

    async def ask() -> None:
        threads = FairThreads(count, "t")
        asked = [asyncio.ensure_future(threads.run(partial(run, who), who)) for who in asking]
        await rounds(2)
        assert await until(lambda: len(begun) == count)
        gate.set()
        await asyncio.gather(*asked)

    asyncio.run(ask())
    return begun


def in_order(count: int, *callers: str) -> list[str]:
    """The same for callers of no environment in particular, with the place of each piece of work."""
    begun: list[str] = []
    gate = threading.Event()

    def work(name: str) -> Callable[[], None]:
        def run() -> None:
            begun.append(name)
            gate.wait()

        return run

    async def ask() -> None:
        threads = FairThreads(count, "t")
        asked = [
            asyncio.ensure_future(threads.run(work(f"{caller}{place}"), (caller, "")))
            for place, caller in enumerate(callers)
        ]
        await rounds(2)
        assert await until(lambda: len(begun) == count)
        gate.set()
        await asyncio.gather(*asked)

    asyncio.run(ask())
    return begun


def test_who_asks_for_much_waits_longest() -> None:
    assert in_order(1, "a", "a", "a", "b", "c", "b") == ["a0", "b3", "c4", "a1", "b5", "a2"]


def test_one_caller_never_has_all_threads() -> None:
    begun = in_order(2, "a", "a", "a", "b")
    assert sorted(begun[:2]) == ["a0", "b3"]
    assert [name for name in begun if name[0] == "a"] == ["a0", "a1", "a2"]


def test_the_caller_is_that_of_the_request() -> None:
    async def ask() -> list[str]:
        threads = FairThreads(1, "t")
        begun: list[str] = []

        async def one(caller: str, place: int) -> None:
            CALLER.set((caller, ""))
            await threads.run(lambda: begun.append(f"{caller}{place}"))

        await asyncio.gather(*(one(caller, place) for place, caller in enumerate("aaab")))
        return begun

    assert asyncio.run(ask()) == ["a0", "b3", "a1", "a2"]


def test_results_and_failures_come_back() -> None:
    async def ask() -> Any:
        threads = FairThreads(2, "t")
        assert await threads.run(lambda: 7) == 7
        with pytest.raises(LookupError, match="gone"):
            await threads.run(fail)
        return await threads.run(lambda: 8)

    def fail() -> None:
        raise LookupError("gone")

    assert asyncio.run(ask()) == 8


def test_work_that_nobody_waits_for_is_not_begun() -> None:
    begun: list[str] = []
    gate = threading.Event()

    async def ask() -> None:
        threads = FairThreads(1, "t")
        first = asyncio.ensure_future(threads.run(gate.wait, A))
        second = asyncio.ensure_future(threads.run(lambda: begun.append("second"), A))
        third = asyncio.ensure_future(threads.run(lambda: begun.append("third"), A))
        await rounds()
        second.cancel()
        await rounds()
        gate.set()
        await asyncio.gather(first, third)

    asyncio.run(ask())
    assert begun == ["third"]


def test_one_environment_never_has_all_threads_and_one_caller_never_all_of_its() -> None:
    begun = in_order_of(3, ("e", "a"), ("e", "a"), ("e", "b"), ("e", "c"), ("f", "d"))
    assert sorted(begun[:3]) == [("e", "a"), ("e", "b"), ("f", "d")]


def test_nobody_is_overtaken_for_ever() -> None:
    """Sixty callers ask again as soon as they have their answer; each gets its turns."""
    served: Counter[str] = Counter()

    async def ask() -> None:
        threads = FairThreads(1, "t")

        async def again(caller: str) -> None:
            while sum(served.values()) < 600:
                await threads.run(lambda: None, (caller, ""))
                served[caller] += 1

        await asyncio.gather(*(again(f"c{number}") for number in range(60)))

    asyncio.run(ask())
    assert min(served.values()) >= 9


def test_turns_leave_nothing_behind() -> None:
    async def ask() -> None:
        turns = FairTurns(2)
        await turns.take(("a", ""))
        waiting = [asyncio.ensure_future(turns.take((f"c{number}", ""))) for number in range(50)]
        await rounds()
        for one in waiting[1:]:
            one.cancel()
        await waiting[0]
        turns.give_back(("c0", ""))
        turns.give_back(("a", ""))
        await rounds()
        assert (turns._waiting, dict(turns._taken), turns._last, turns._free) == ({}, {}, {}, 2)

    asyncio.run(ask())
