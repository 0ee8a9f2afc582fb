"""The exports of one worker without a server, for tests of what changes between the steps of an answer."""

import logging
from pathlib import Path

from writ.api.engines.exports.callers_list import CallersLists
from writ.api.engines.exports.export_files import ExportFiles
from writ.api.engines.exports.exporter import Exporter
from writ.api.engines.exports.make import ExportMaker
from writ.api.engines.exports.states import States
from writ.api.engines.exports.updates import UpdateMaker
from writ.api.engines.live.store_work import StoreWork
from writ.api.identity.keys.folder import FOLDER, KeyFolder
from writ.api.identity.keys.ring import KeyRing
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from writ.bundles.signing.pem_keys import SigningKey
from writ.bundles.signing.sign import DAY

from tests.support.closing import closed_later
from tests.support.signed import KEY
from tests.support.stored import ACTOR

NOW = 1_800_000_000.0


class Worker:
    """The exports of one worker, with their own store and a clock that tests set."""

    def __init__(self, folder: Path) -> None:
        self.now, self.key = NOW, KEY
        self.store = closed_later(Store.open(folder, clock=lambda: self.now))
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
        self.maker.export("default", env.revision, self.key, 30 * DAY)

    def add_role(self, id: str) -> None:
        """One more revision, with a delta."""
        self.store.write("default", ACTOR, [Create("roles", {"id": id})])

    def _signer(self) -> SigningKey:
        return self.key

    async def _activate(self, _: object) -> None:
        """There are no engines."""
