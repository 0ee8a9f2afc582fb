"""Those who wait for a change, without a server: nothing keeps the news from them."""

import asyncio
import threading
from contextvars import Context
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.exports import states
from writ.api.engines.exports.states import ExportState
from writ.api.http.caller import CALLER
from writ.api.store.database.watch import Version

from tests.support.exporting import Worker
from tests.support.waiting import PATIENCE_SECONDS, rounds, until

HOUR = 3_600.0
"""Far longer than a test takes, so that no second look hides what the first one misses."""


class Looking(Worker):
    """A worker that counts its looks for a commit."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        watch = self.store.watch
        self.looks, self._version = 0, watch.version
        watch.version = self._looked  # type: ignore[method-assign]

    def _looked(self) -> Version:
        self.looks += 1
        return self._version()

    async def look(self, times: int = 1) -> None:
        """Wait for so many more looks, and let what follows them begin."""
        wanted = self.looks + times
        assert await until(lambda: self.looks >= wanted)
        await rounds(2)


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looking:
    monkeypatch.setattr(states, "KEYS_SECONDS", HOUR)
    return Looking(tmp_path)


async def _waiting(worker: Looking) -> "tuple[ExportState, asyncio.Task[ExportState]]":
    """A state, and a task that waits for the next one."""
    state = await worker.states.of("default")
    task = asyncio.create_task(worker.states.after(state, HOUR))
    assert await until(lambda: worker.states._waiting)
    await worker.look(4)
    return state, task


def test_a_change_during_a_reading_that_others_share_wakes_those_who_wait(worker: Looking) -> None:
    gate, has_read, load = threading.Event(), threading.Event(), worker.states._loaded

    def slow(*arguments: Any) -> ExportState:
        found = load(*arguments)
        has_read.set()
        gate.wait(PATIENCE_SECONDS)
        return found

    async def main() -> None:
        _, task = await _waiting(worker)
        worker.states._loaded = slow  # type: ignore[method-assign]
        reading = asyncio.create_task(worker.states._read("default"))
        assert await until(has_read.is_set)
        worker.add_role("r")
        await worker.look()
        gate.set()
        assert (await reading).env.revision == 0
        assert (await asyncio.wait_for(task, PATIENCE_SECONDS)).env.revision == 1

    asyncio.run(main())


def test_an_error_while_looking_for_changes_does_not_end_the_looking(worker: Looking) -> None:
    """The machine may have no more threads for a moment."""
    load = worker.states._loaded

    def failing(*_: Any) -> ExportState:
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        _, task = await _waiting(worker)
        worker.states._loaded = failing  # type: ignore[method-assign]
        worker.add_role("r")
        with pytest.raises(RuntimeError):  # the one who waits meets it too, and is answered
            await asyncio.wait_for(task, PATIENCE_SECONDS)
        worker.states._loaded = load  # type: ignore[method-assign]
        state, task = await _waiting(worker)
        worker.add_role("other")
        assert (await asyncio.wait_for(task, PATIENCE_SECONDS)).env.revision == state.env.revision + 1

    asyncio.run(main())


def test_the_queue_of_one_caller_does_not_delay_the_news_of_others(worker: Looking) -> None:
    """Whoever began to wait first does not pay for the looking."""

    async def main() -> None:
        CALLER.set(("elsewhere", "flooding"))
        first = asyncio.create_task(worker.states.after(await worker.states.of("default"), HOUR))
        await worker.look(4)
        gate = threading.Event()
        flood = [asyncio.create_task(worker.work.read(gate.wait, HOUR)) for _ in range(30)]
        await rounds()
        _, task = await asyncio.create_task(_waiting(worker), context=Context())
        worker.add_role("r")
        await asyncio.wait_for(task, PATIENCE_SECONDS)
        gate.set()
        await first
        await asyncio.gather(*flood)

    asyncio.run(main())
