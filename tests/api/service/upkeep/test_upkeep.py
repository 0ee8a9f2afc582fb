"""The tasks of the upkeep take turns in one thread, and a failure of one does not stop the others."""

import asyncio
import logging
import threading

import pytest
from writ.api.service.upkeep.upkeep import InThread, Upkeep, UpkeepTask
from writ.api.store.errors import StoreUnavailable

LOG = logging.getLogger("tests.upkeep")


def test_a_failure_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    threads: list[str] = []

    async def fails(_: InThread) -> None:
        raise StoreUnavailable("it is locked")

    async def breaks(_: InThread) -> None:
        raise LookupError("a fault")

    async def runs(in_thread: InThread) -> None:
        threads.append(await in_thread(lambda: threading.current_thread().name))

    runs_of = {"one can't run": fails, "two can't run": breaks, "three can't run": runs}
    upkeep = Upkeep([UpkeepTask(trouble=name, seconds=0, run=run) for name, run in runs_of.items()], LOG)

    async def beats() -> None:
        for _ in range(2):
            upkeep.beat()
            upkeep.beat()
            assert upkeep._round is not None
            await upkeep._round

    asyncio.run(beats())
    assert threads == ["upkeep_0", "upkeep_0"]
    shown = [(one.getMessage(), one.exc_info is not None) for one in caplog.records]
    assert shown == [("one can't run: it is locked", False), ("two can't run: a fault", True)]


def test_a_task_says_when_it_is_due_again_and_the_last_one_ends_first(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    async def seldom(_: InThread) -> None:
        done.append("seldom")

    async def soon(_: InThread) -> float:
        done.append("soon")
        return 0.0

    def fail() -> None:
        raise OSError("no space")

    tasks = [
        UpkeepTask(trouble="a", seconds=60, run=seldom, end_worker=lambda: done.append("end a"), end_service=fail),
        UpkeepTask(trouble="b", seconds=60, run=soon, end_worker=lambda: done.append("end b")),
    ]
    upkeep = Upkeep(tasks, LOG)
    for _ in range(2):
        asyncio.run(upkeep.run_due())
    upkeep.end_worker()
    upkeep.end_service()
    assert done == ["seldom", "soon", "soon", "end b", "end a"]
    assert [one.getMessage() for one in caplog.records] == ["a: no space"]
