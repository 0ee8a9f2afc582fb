"""Runs of stored tests have their turns, so that those which wait hold no tests in memory."""

import asyncio
import threading
from pathlib import Path

import pytest
from writ.api.endpoints.previewing.trial_engines import Trials, Tried
from writ.api.engines.live.store_work import SEARCHING_THREADS, StoreWork
from writ.api.store.environments import Environment

from tests.api.store.test_trials import NOW, TYPES
from tests.api.store.test_trials import Tried as Served
from tests.support.stored import ACTOR, ENV
from tests.support.waiting import PATIENCE_SECONDS

RUNS = 10


def test_runs_that_wait_have_read_no_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(str(tmp_path))
    served.put(TYPES)
    reads, asking, may_end = [], threading.Semaphore(0), threading.Event()
    read_tests = served.store.read_tests

    def counted(*arguments: object) -> object:
        reads.append(arguments)
        return read_tests(*arguments)  # type: ignore[arg-type]

    def ask(tried: Tried) -> int:
        asking.release()
        assert may_end.wait(PATIENCE_SECONDS)
        return tried.trial.environment.revision

    async def activate(_: Environment) -> None:
        """There is nothing to activate."""

    async def run() -> list[int]:
        work = StoreWork(served.store, activate, lambda: NOW)
        trials = Trials(work, lambda _: served.live, lambda: NOW)
        tasks = [asyncio.create_task(trials.asked(ENV, ACTOR, [], ask)) for _ in range(RUNS)]
        assert await asyncio.to_thread(asking.acquire, timeout=PATIENCE_SECONDS)
        for _ in range(RUNS):  # behind all that have no turn to wait for
            await work.read(served.store.revision_of, ENV)
        assert 1 <= len(reads) <= SEARCHING_THREADS
        may_end.set()
        return await asyncio.gather(*tasks)

    monkeypatch.setattr(served.store, "read_tests", counted)
    assert asyncio.run(run()) == [served.store.revision_of(ENV)] * RUNS
    assert len(reads) == RUNS
    served.store.close()
