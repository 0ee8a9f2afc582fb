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

from tests.support.exporting import Worker

PATIENCE = 20.0


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worker:
    monkeypatch.setattr(states, "KEYS_SECONDS", PATIENCE)  # so that no second look hides what the first one misses
    return Worker(tmp_path)


async def _waiting(worker: Worker) -> "tuple[ExportState, asyncio.Task[ExportState]]":
    """A state, and a task that waits for the next one."""
    state = await worker.states.of("default")
    task = asyncio.create_task(worker.states.after(state, PATIENCE))
    while not worker.states._waiting:
        await asyncio.sleep(0.01)
    await asyncio.sleep(4 * states.LOOK_SECONDS)
    return state, task


def test_a_change_during_a_reading_that_others_share_wakes_those_who_wait(worker: Worker) -> None:
    gate, load = threading.Event(), worker.states._loaded

    def slow(*arguments: Any) -> ExportState:
        found = load(*arguments)
        gate.wait(PATIENCE)
        return found

    async def main() -> None:
        _, task = await _waiting(worker)
        worker.states._loaded = slow  # type: ignore[method-assign]
        reading = asyncio.create_task(worker.states._read("default"))
        await asyncio.sleep(0.1)
        worker.add_role("r")
        await asyncio.sleep(0.2)
        gate.set()
        assert (await reading).env.revision == 0
        assert (await asyncio.wait_for(task, PATIENCE / 2)).env.revision == 1

    asyncio.run(main())


def test_an_error_while_looking_for_changes_does_not_end_the_looking(worker: Worker) -> None:
    """The machine may have no more threads for a moment."""
    load = worker.states._loaded

    def failing(*_: Any) -> ExportState:
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        _, task = await _waiting(worker)
        worker.states._loaded = failing  # type: ignore[method-assign]
        worker.add_role("r")
        with pytest.raises(RuntimeError):  # the one who waits meets it too, and is answered
            await asyncio.wait_for(task, PATIENCE / 2)
        worker.states._loaded = load  # type: ignore[method-assign]
        state, task = await _waiting(worker)
        worker.add_role("other")
        assert (await asyncio.wait_for(task, PATIENCE / 2)).env.revision == state.env.revision + 1

    asyncio.run(main())


def test_the_queue_of_one_caller_does_not_delay_the_news_of_others(worker: Worker) -> None:
    """Whoever began to wait first does not pay for the looking."""

    async def main() -> None:
        CALLER.set(("elsewhere", "flooding"))
        first = asyncio.create_task(worker.states.after(await worker.states.of("default"), PATIENCE))
        await asyncio.sleep(0.2)
        gate = threading.Event()
        flood = [asyncio.create_task(worker.work.read(gate.wait, PATIENCE)) for _ in range(30)]
        await asyncio.sleep(0)
        _, task = await asyncio.create_task(_waiting(worker), context=Context())
        worker.add_role("r")
        await asyncio.wait_for(task, PATIENCE / 2)
        gate.set()
        await first
        await asyncio.gather(*flood)

    asyncio.run(main())
