"""Answers that cost much come one at a time, with pauses."""

import asyncio

import pytest
from writ.api.http.pace import SHARE, Pace

from tests.support.event_loops import run_without_waits, takes
from tests.support.waiting import rounds


async def made() -> str:
    """An answer that takes no time."""
    return "made"


def test_one_alone_never_waits() -> None:
    async def ask() -> float:
        pace, clock = Pace(60.0), asyncio.get_running_loop().time
        began = clock()
        assert await pace.make(made) == "made"
        return clock() - began

    assert run_without_waits(ask) == 0


def test_many_take_a_share_of_the_time_and_each_has_its_own() -> None:
    """Also if one fails."""

    async def ask() -> tuple[list[object], float]:
        pace, clock, running = Pace(), asyncio.get_running_loop().time, set[int]()

        async def make(number: int) -> int:
            running.add(number)
            await takes(0.01)
            assert running == {number}
            running.clear()
            if number == 2:
                raise ValueError
            return number

        began = clock()
        found = await asyncio.gather(
            *(pace.make(lambda number=number: make(number)) for number in range(5)),  # type: ignore[misc]
            return_exceptions=True,
        )
        return [one if isinstance(one, int) else type(one) for one in found], clock() - began

    found, seconds = run_without_waits(ask)
    assert found == [0, 1, ValueError, 3, 4]
    assert seconds == pytest.approx(0.01 + 4 * SHARE * 0.01)


def test_who_leaves_holds_up_nobody() -> None:
    """Neither one that is being made, nor those that wait."""

    async def ask() -> float:
        pace, clock = Pace(), asyncio.get_running_loop().time
        asked = [asyncio.create_task(pace.make(asyncio.Event().wait)) for _ in range(4)]
        await rounds(2)
        began = clock()
        for one in asked:
            one.cancel()
        assert await pace.make(made) == "made"
        return clock() - began

    assert run_without_waits(ask) == 00
