"""What arrives during one commit shares the next one, and everyone gets an own result or failure."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from writ.api.engines.work.gathering import Gathering

from tests.support.waiting import PATIENCE_SECONDS, rounds

Commit = Callable[[Sequence[int]], Awaitable[Sequence[int | Exception]]]


class Commits:
    """Commits that end when they are told to. An item's result is its double."""

    def __init__(self, most: int = 1_000) -> None:
        self.made: list[list[int]] = []
        self.go_on = asyncio.Semaphore(0)
        self._most = most

    async def __call__(self, items: Sequence[int]) -> list[int | Exception]:
        self.made.append([*items])
        await self.go_on.acquire()
        if 13 in items:
            raise ValueError("all of them")
        return [KeyError(item) if item < 0 else 2 * item for item in items[: self._most]]


async def added(gathering: Gathering[int, int], *items: int) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(gathering.add(item)) for item in items]
    await rounds(3)
    return tasks


def test_what_waits_shares_a_commit() -> None:
    async def run() -> None:
        commits = Commits()
        gathering = Gathering(commits)
        first = await added(gathering, 1)
        later = await added(gathering, 2, 3, 4)
        commits.go_on.release()
        assert await asyncio.gather(*first) == [2]
        assert not any(task.done() for task in later), "acknowledged only after their own commit"
        commits.go_on.release()
        assert await asyncio.gather(*later) == [4, 6, 8]
        commits.go_on.release()
        assert await asyncio.gather(*(await added(gathering, 5))) == [10]
        assert commits.made == [[1], [2, 3, 4], [5]]

    asyncio.run(run())


def test_a_commit_may_leave_some_for_the_next_one() -> None:
    async def run() -> None:
        commits = Commits(most=2)
        tasks = await added(Gathering(commits), 1, 2, 3, 4, 5)
        for _ in range(3):
            commits.go_on.release()
        assert await asyncio.gather(*tasks) == [2, 4, 6, 8, 10]
        assert commits.made == [[1, 2, 3, 4, 5], [3, 4, 5], [5]]

    asyncio.run(run())


def test_each_has_its_own_failure_unless_the_commit_fails() -> None:
    async def run() -> None:
        commits = Commits()
        gathering = Gathering(commits)
        for _ in range(3):
            commits.go_on.release()
        results = await asyncio.gather(*(await added(gathering, 1, -1, 2)), return_exceptions=True)
        assert [results[0], type(results[1]), results[2]] == [2, KeyError, 4]
        results = await asyncio.gather(*(await added(gathering, 12, 13)), return_exceptions=True)
        assert [type(result) for result in results] == [ValueError, ValueError]
        assert await asyncio.gather(*(await added(gathering, 7))) == [14], "the next commit is another one"

    asyncio.run(run())


def test_what_nobody_waits_for_is_committed_too() -> None:
    async def run() -> None:
        commits = Commits()
        gathering = Gathering(commits)
        first, gone, last = await added(gathering, 1, 2, 3)
        gone.cancel()
        commits.go_on.release()
        assert await asyncio.gather(first, last) == [2, 6]
        assert commits.made == [[1, 2, 3]]

    asyncio.run(run())


def test_nobody_waits_for_ever_if_the_service_ends() -> None:
    async def run() -> None:
        gathering = Gathering(Commits())
        tasks = await added(gathering, 1, 2)
        assert gathering._committing is not None
        gathering._committing.cancel()
        for task in tasks:
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(task, PATIENCE_SECONDS)

    asyncio.run(run())
