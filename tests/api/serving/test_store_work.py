"""Work on the store off the event loop: every commit is activated, even if its client has disconnected."""

import asyncio
import time
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest
from writ.api.serving.store_work import StoreWork
from writ.api.store.elements.edits import Create
from writ.api.store.environments import Environment
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.stored import ACTOR

EDIT = Create("roles", {"id": "editor"})


def test_a_commit_is_activated_if_its_client_is_gone(tmp_path: Path) -> None:
    activated: list[int] = []

    async def activate(environment: Environment) -> None:
        activated.append(environment.revision)

    async def leave_early() -> None:
        work = StoreWork(Store.open(tmp_path), activate, time.time)
        with closing(connect(tmp_path / "writ.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.ensure_future(work.write("default", ACTOR, (EDIT,)))
            await asyncio.sleep(0)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert activated == []
            other.execute("ROLLBACK")
        await work.change(lambda: None)  # behind the other one, in the thread that writes
        await asyncio.sleep(0)

    asyncio.run(leave_early())
    assert activated == [1]


def test_a_commit_that_can_not_be_activated_is_not_answered_as_done(tmp_path: Path) -> None:
    async def activate(_environment: Environment) -> None:
        raise StoreUnavailable("no bundle can be built")

    async def write() -> None:
        store = Store.open(tmp_path)
        with pytest.raises(StoreUnavailable, match="no bundle"):
            await StoreWork(store, activate, time.time).write("default", ACTOR, (EDIT,))
        assert store.revision_of("default") == 1

    asyncio.run(write())
