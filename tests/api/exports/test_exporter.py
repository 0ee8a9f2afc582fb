"""The exports of one worker without a server: what changes between the steps of an answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from writ.api.credentials.keys.folder import FOLDER, KeyFolder
from writ.api.credentials.keys.ring import KeyRing
from writ.api.exports.callers_list import CallersLists
from writ.api.exports.exporter import Exporter
from writ.api.exports.files import ExportFiles
from writ.api.exports.make import ExportMaker
from writ.api.exports.states import States
from writ.api.exports.updates import UpdateMaker
from writ.api.serving.store_work import StoreWork
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from writ.bundles.feed.callers import verified_callers
from writ.bundles.feed.update import verified_update
from writ.bundles.signing.keys import SigningKey
from writ.bundles.signing.sign import DAY

from tests.support.signed import KEY, public_pem
from tests.support.stored import ACTOR

NOW = 1_800_000_000.0
PUBLIC = public_pem(KEY)


class Worker:
    """The exports of one worker, with a store of their own and a clock that tests set."""

    def __init__(self, folder: Path) -> None:
        self.now, self.key = NOW, KEY
        self.store = Store.open(folder, clock=lambda: self.now)
        KeyFolder(folder, FOLDER, lambda: self.now).make_first("EdDSA")
        self.lists = CallersLists(
            KeyRing(KeyFolder(folder, FOLDER), logging.getLogger("tests")), "https://writ.example"
        )
        self.work = StoreWork(self.store, self._activate, lambda: self.now)
        self.states = States(self.work, self.lists, lambda: self.now, 100)
        updates = UpdateMaker(self.store, ExportFiles(folder), self.lists, lambda: self.now)
        self.exporter = Exporter(folder, self.work, updates, self._signer, 30 * DAY, lambda: self.now)
        self.maker = ExportMaker(folder, self.store, lambda: self.now)

    def export(self) -> None:
        """Make an export of the newest revision."""
        env = self.store.environment("default")
        self.maker.export("default", env.revision, "full", self.key, 30 * DAY)

    def add_role(self, id: str) -> None:
        """One more revision, with a delta."""
        self.store.write("default", ACTOR, [Create("roles", {"id": id})])

    def _signer(self) -> SigningKey:
        return self.key

    async def _activate(self, _: object) -> None:
        """There are no engines."""


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(tmp_path)


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """What a coroutine function returns."""

    async def main() -> Any:
        return await work()

    return asyncio.run(main())


def test_a_token_that_is_revoked_while_an_update_is_made_is_not_lost(worker: Worker) -> None:
    """The tag of an update must not name a list of callers that its client never got."""
    worker.export()

    async def answer() -> Any:
        state = await worker.states.of("default")
        worker.add_role("r")
        worker.store.credentials.revoke_token(ACTOR, "the-token", int(NOW) + 60, NOW)
        return state, await worker.exporter.update(state, 0, with_callers=False)

    state, body = run(answer)
    update = verified_update(body.update.data, PUBLIC, NOW)
    assert body.update.callers != state.callers
    assert update.callers is not None
    assert "the-token" in verified_callers(update.callers, PUBLIC, NOW).revoked
