"""What keeps the audit log up: nothing is lost while the store is locked, and a new administrator's key is told of."""

import asyncio
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from writ.api.engines.exports.export_counts import Exports
from writ.api.identity.attempt_counts import RefusedAttempts
from writ.api.identity.keys.ring import KeyRing, KeySealer
from writ.api.identity.keys.sources import SuppliedKeys
from writ.api.service.upkeep.audit_upkeep import AuditUpkeep
from writ.api.service.upkeep.tasks import audit_tasks
from writ.api.service.upkeep.upkeep import Upkeep
from writ.api.store.audit.entries import AuditEntry, EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.audit.refused_attempts import Attempt
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.managed import LOG, SIGNING

START = 1_700_000_000.0


class Watched(RefusedAttempts):
    """Knows the threads that it was used by."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[int] = set()

    def take(self) -> Counter[Attempt]:
        self.threads.add(threading.get_ident())
        return super().take()

    def give_back(self, counts: Counter[Attempt]) -> None:
        self.threads.add(threading.get_ident())
        super().give_back(counts)


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    opened = Store.open(tmp_path, busy_seconds=0.05, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def upkeep(store: Store, clock: Clock) -> AuditUpkeep:
    return AuditUpkeep(
        store.audit, Watched(), Exports(clock), KeySealer(KeyRing(SuppliedKeys(SIGNING), LOG)), 400, clock, LOG
    )


def whole(upkeep: AuditUpkeep) -> Upkeep:
    """The upkeep of a process that maintains the audit log only."""
    return Upkeep([*audit_tasks(upkeep)], LOG)


def a_worker_s_life(upkeep: AuditUpkeep) -> None:
    worker = whole(upkeep)
    asyncio.run(worker.run_due())
    worker.end_worker()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    with closing(sqlite3.connect(folder / FILE)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        yield


def told(store: Store) -> list[AuditEntry]:
    """All entries, the oldest first."""
    return [one.entry for one in reversed(store.audit.page(EntryFilter(), None, 100)[0])]


def test_a_start_that_could_not_be_told_is_told_by_one_worker(
    store: Store, upkeep: AuditUpkeep, clock: Clock, tmp_path: Path
) -> None:
    with locked(tmp_path):
        upkeep.begin_service(new_keys=None)
    store.close()
    clock.now += 3
    for _ in range(3):
        child = os.fork()
        if not child:
            a_worker_s_life(upkeep)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    upkeep.end_service()
    assert [one.event for one in told(store)] == [Event.SERVICE_STARTED, Event.SERVICE_STOPPED]
    assert told(store)[0].time == "2023-11-14T22:13:20.000Z", "when it was, not when it was told"


def test_a_start_that_no_worker_could_tell_is_told_at_the_end(
    store: Store, upkeep: AuditUpkeep, tmp_path: Path
) -> None:
    with locked(tmp_path):
        upkeep.begin_service(new_keys=None)
        a_worker_s_life(upkeep)
    upkeep.end_service()
    assert [one.event for one in told(store)] == [Event.SERVICE_STARTED, Event.SERVICE_STOPPED]


def test_a_new_administrator_s_key_is_told_of_or_refused(store: Store, upkeep: AuditUpkeep, tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(StoreUnavailable, match="the administrator's key is new, and the audit log"):
        upkeep.begin_service(new_keys={"keys": []})
    assert told(store) == []
    upkeep.begin_service(new_keys={"keys": []})
    assert [one.event for one in told(store)] == [Event.SERVICE_STARTED, Event.ADMIN_KEY_SET]


def test_counts_that_could_not_be_stored_are_stored_later_and_stay_on_one_thread(
    store: Store, upkeep: AuditUpkeep, tmp_path: Path
) -> None:
    upkeep.refused.add(Event.CREDENTIAL_REFUSED, "192.0.2.1")
    worker = whole(upkeep)
    with locked(tmp_path):
        asyncio.run(worker.run_due())
        upkeep.refused.add(Event.CREDENTIAL_REFUSED, "192.0.2.1")
        assert upkeep._taken.refused, "it could not be stored"
    asyncio.run(worker.run_due())
    worker.end_worker()
    worker.end_service()
    refused, _ = told(store)
    assert (refused.event, refused.address, refused.details["count"]) == (Event.CREDENTIAL_REFUSED, "192.0.2.1", 2)
    assert isinstance(upkeep.refused, Watched)
    assert upkeep.refused.threads == {threading.get_ident()}
