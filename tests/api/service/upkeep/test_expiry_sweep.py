"""The sweep beside a service: one process sweeps, in batches, and its revisions become live (P4)."""

import asyncio
import logging
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from writ.api.service.upkeep.expiry_sweep import LOOK_SECONDS, MOST_REMOVED, PAUSE_SECONDS, ExpirySweep
from writ.api.service.upkeep.tasks import sweep_tasks
from writ.api.service.upkeep.upkeep import Upkeep, UpkeepTask
from writ.api.store.environments import Environment
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.server import running
from tests.support.stored import ENV, put, stored
from tests.support.waiting import wait_until

NOW = 1_800_000_000.0
GRANTS = [
    {
        "id": f"g{number:04}",
        "subject": {"type": "user", "id": "alice"},
        "resource": {"type": "document", "id": f"d{number}"},
        "actions": ["read"],
        "expires_at": "2026-12-01T00:00:00Z",
    }
    for number in range(MOST_REMOVED + 10)
]
MODEL = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "grants": [*GRANTS, GRANTS[0] | {"id": "kept", "expires_at": "2026-12-20T00:00:00Z"}],
}
LOG = logging.getLogger("tests.sweep")


@pytest.fixture
def store(tmp_path: Path):
    with closing(Store.open(tmp_path, "NORMAL", clock=Clock(NOW))) as opened:
        put(opened, MODEL)
        yield opened


@dataclass
class Sweeps:
    """Makes sweeps of a store, and ends them. `live` are the environments that they made live."""

    store: Store
    live: list[Environment] = field(default_factory=list)
    made: list[ExpirySweep] = field(default_factory=list)

    def __call__(self, keep_days: int = 30) -> ExpirySweep:
        store = self.store
        self.made.append(ExpirySweep(store.expiring, store.path.parent, keep_days, self.activate, Clock(NOW)))
        return self.made[-1]

    def task(self) -> UpkeepTask:
        (task,) = sweep_tasks(self())
        return task

    async def activate(self, environment: Environment) -> None:
        self.live.append(environment)


@pytest.fixture
def sweeps(store: Store):
    found = Sweeps(store)
    yield found
    for sweep in found.made:
        sweep.end_worker()


def look(task: UpkeepTask) -> float:
    """Let it do what is due. Returns the seconds until it looks again."""
    upkeep = Upkeep([task], LOG)
    asyncio.run(upkeep.run_due())
    return task.due_at - time.monotonic()


def test_batches_follow_each_other_and_become_live(store, sweeps):
    sweep, live, before = sweeps.task(), sweeps.live, store.revision_of(ENV)
    assert PAUSE_SECONDS - 1 <= look(sweep) <= PAUSE_SECONDS
    assert len(stored(store)["grants"]) == 11
    look(sweep)
    assert len(live) == 1, "the next batch is not due yet"
    sweep.due_at = 0.0
    look(sweep)
    sweep.due_at = 0.0
    assert look(sweep) > LOOK_SECONDS - 10, "nothing was left"
    assert [one["id"] for one in stored(store)["grants"]] == ["kept"]
    assert [one.revision for one in live] == [before + 1, before + 2]


def test_no_days_means_that_nothing_is_removed(store, sweeps):
    asyncio.run(Upkeep([*sweep_tasks(sweeps(keep_days=0))], LOG).run_due())
    assert len(stored(store)["grants"]) == len(MODEL["grants"])


def test_of_several_processes_one_sweeps_and_another_takes_over(sweeps):
    first, second = sweeps(), sweeps()
    assert first.remove_batch() is not None
    assert second.remove_batch() is None
    first.end_worker()
    assert second.remove_batch() is not None
    assert second.remove_batch() is None


def test_trouble_is_logged_once_and_the_sweep_goes_on(store, sweeps, caplog, monkeypatch):
    sweep = sweeps.task()

    def locked(*_: object) -> None:
        raise StoreUnavailable("the database was locked")

    monkeypatch.setattr(store.expiring, "swept", locked)
    for _ in range(2):
        sweep.due_at = 0.0
        look(sweep)
    assert [one.getMessage() for one in caplog.records] == [
        "expired assignments and grants can't be removed: the database was locked"
    ]
    monkeypatch.undo()
    sweep.due_at = 0.0
    look(sweep)
    assert len(stored(store)["grants"]) == 11


def test_a_service_sweeps_and_its_workers_decide_by_the_rest(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    expired = [one | {"expires_at": "2020-01-01T00:00:00Z"} for one in GRANTS[:5]]
    with closing(Store.open(data)) as store:
        put(store, MODEL | {"grants": [*expired, GRANTS[9] | {"expires_at": "2099-01-01T00:00:00Z"}]})
    with running(data, workers=2) as server, server.client() as http:
        listing = f"/v1/environments/{ENV}/grants"
        assert wait_until(lambda: len(http.get(listing).json()["items"]) == 1)
        newest = http.get(f"/v1/environments/{ENV}/revisions").json()["items"][0]
        assert newest["by"] == "expiry sweep"
        (entry,) = http.get("/v1/audit?event=model.changed&limit=1").json()["items"]
        assert (entry["actor"], entry["details"]["revision"]) == ("expiry sweep", newest["revision"])
        for document, allowed in (("d9", True), ("d0", False)):
            asked = {
                "subject": {"type": "user", "id": "alice"},
                "action": {"name": "read"},
                "resource": {"type": "document", "id": document},
            }
            for _ in range(8):
                answer = http.post("/access/v1/evaluation", json=asked)
                assert answer.json()["decision"] is allowed
