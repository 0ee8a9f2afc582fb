"""The connections of a worker to PostgreSQL: as many as the pages say, one for each thread that uses the store."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from writ.api.endpoints.decisions.deciding import DECIDING_THREADS
from writ.api.engines.leases.shared_store import SETTLING_THREADS
from writ.api.engines.live import preparing_threads
from writ.api.engines.live.store_work import PREPARING_THREADS, READING_THREADS, SEARCHING_THREADS, StoreWork
from writ.api.http.caller import CALLER
from writ.api.store.elements.edits import Create
from writ.api.store.environments import Environment
from writ.api.store.writing import Write

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV
from tests.support.structure import FILES, ROOT

OF_STORE_WORK = {
    "store-read": READING_THREADS,
    "search": SEARCHING_THREADS,
    "store-credentials": 1,
    "store-prepare": PREPARING_THREADS,
    "store-write": 1,
}
OF_OTHER_POOLS = {
    "prepare": preparing_threads.PREPARING_THREADS,
    "decide": DECIDING_THREADS,
    "upkeep": 1,
    "settle": SETTLING_THREADS,
}
WITHOUT_POOLS = {"the event loop": 1, "confirmations": 1, "the watch without a lease, if WRIT_CONSISTENCY is local": 1}
WITHOUT_STORE = {"translate", "sign-in"}

_POOL = re.compile(r'(?:FairThreads|ThreadPoolExecutor)\(\w+, "([\w-]+)"\)')
_PAGES = {
    "api/SERVERS.md": r"A worker has up to (\d+) connections",
    "api/DEPLOYMENT.md": r"Set `max_connections` to (\d+) for each worker",
    "api/deployment/compose.yaml": r"A worker has up to (\d+) connections",
}
_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'writ' AND datname = current_database()"


def test_the_pages_say_how_many_connections_a_worker_has() -> None:
    pools = {name for path in FILES for name in _POOL.findall(path.read_text())}
    assert pools == {*OF_STORE_WORK, *OF_OTHER_POOLS, *WITHOUT_STORE}, "a new pool may need connections"
    most = sum((OF_STORE_WORK | OF_OTHER_POOLS | WITHOUT_POOLS).values())
    for page, pattern in _PAGES.items():
        assert re.findall(pattern, (ROOT / page).read_text()) == [str(most)], page


async def _activated(_environment: Environment) -> None:
    """Nothing follows the store here."""


@pytest.mark.postgresql
def test_each_thread_that_works_on_the_store_has_one_connection(database: str, tmp_path: Path) -> None:
    counted: list[int] = []

    def count() -> None:
        with psycopg.connect(database) as db:
            counted.extend(number for (number,) in db.execute(_SESSIONS))

    async def hold_all(work: StoreWork, together: Barrier) -> None:
        """Let each thread use the store, and hold it until all have."""
        store = work.store
        tried, written = (Write(ENV, ACTOR, (Create("roles", {"id": id}),)) for id in ("tried", "written"))

        def held(use: Callable[[], object]) -> None:
            use()
            together.wait(60)

        async def as_another_caller(number: int, work: Callable[[], Awaitable[object]]) -> None:
            CALLER.set((str(number), ""))  # no caller gets all threads of a kind
            await work()

        works: list[Callable[[], Awaitable[object]]] = [
            *[partial(work.read, held, store.environments)] * READING_THREADS,
            *[partial(work.search, held, store.environments)] * SEARCHING_THREADS,
            *[partial(work._preparers.run, partial(held, partial(store.writes.prepare, tried)))] * PREPARING_THREADS,
            partial(work.read_credential, held, store.environments),
            partial(work.change, held, partial(store.write_gathered, (written,))),
        ]
        await asyncio.gather(*(as_another_caller(*one) for one in enumerate(works)))

    with closing(Engine(database).open(tmp_path)) as store, ThreadPoolExecutor(1) as loop:
        count()
        together = Barrier(sum(OF_STORE_WORK.values()), count)
        # In another thread, since a browser of other tests runs an event loop in this one.
        loop.submit(asyncio.run, hold_all(StoreWork(store, _activated, time.time), together)).result()
    first, all_held = counted
    assert all_held - first == sum(OF_STORE_WORK.values())
