"""A server without the bundle of a commit that another server wrote: no decision is older than an answered write."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.jobs.runner import Jobs
from writ.api.engines.live import activation
from writ.api.engines.live.activation import Activation
from writ.api.engines.live.bound_engines import ready_engine
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.elements.edits import Create, Delete
from writ.api.store.errors import Stale, StoreUnavailable
from writ.api.store.history import affected
from writ.api.store.leases.database_users import confirming, without_lease
from writ.api.store.store import Store
from writ.api.telemetry.metrics.counts import Counts

from tests.support.closing import closed_later
from tests.support.store_engines import empty_schema
from tests.support.stored import put, write

pytestmark = pytest.mark.postgresql

LOG = logging.getLogger("tests")
TYPES = [{"id": "document", "actions": ["read"]}]
MODEL: dict[str, Any] = {
    "resource_types": TYPES,
    "roles": [{"id": "reader"}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
    "subjects": [{"type": "user", "id": "alice"}],
    "assignments": [{"id": "a1", "role": "reader", "subject": {"type": "user", "id": "alice"}}],
}
GONE = MODEL | {"assignments": []}
CHANGES: dict[str, dict[str, Any]] = {
    "a declared attribute": {"resource_types": [TYPES[0] | {"attributes": {"status": "string"}}]},
    "extensions": {"extensions": ["now"]},
    "strict requests": {"requests": "strict"},
    "a required attribute": {"attributes": {"context": {"reason": {"kind": "string", "required": True}}}},
    "more than 1,000 changes": {"subjects": [{"type": "user", "id": f"u{n}"} for n in range(1_001)]},
}


class Servers:
    """A writer, and another server that shares its database. `silent` writes and never answers."""

    def __init__(self, url: str, folder: Path) -> None:
        self.writer = closed_later(Store.open(folder / "writer", "NORMAL", server=confirming(url)))
        self.silent = closed_later(Store.open(folder / "silent", "NORMAL", server=without_lease(url)))
        self.store = closed_later(Store.open(folder / "other", "NORMAL", server=without_lease(url)))
        self.files = BundleFiles(folder / "other", self.store)
        put(self.writer, MODEL)
        self.files.build("default")
        self.engines = LiveEngines(self.store, self.files, 0.0, LOG, has_lease=True)
        assert self.allowed() is True

    def look(self) -> None:
        """Do what the keeper of the lease does when it sees a new ticket."""
        assert self.store.signal is not None
        self.store.signal.send()

    def allowed(self) -> bool:
        """The decision of the other server about what alice may read."""
        self.look()
        return self.engines.engine().allowed("user", "alice", "read", "document", "d1", context={"reason": "x"})

    def close(self) -> None:
        self.engines.close()
        for store in (self.writer, self.silent, self.store):
            store.close()


@pytest.fixture
def servers(postgresql: str, tmp_path: Path) -> Iterator[Servers]:
    with empty_schema(postgresql) as engine:
        assert engine.url is not None
        made = Servers(engine.url, tmp_path)
        yield made
        made.close()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_an_answered_write_is_never_hidden_by_an_older_revision(servers: Servers, change: dict[str, Any]) -> None:
    put(servers.writer, MODEL | change)
    for _ in range(2):
        with pytest.raises(Stale, match="until its bundle is built here"):
            servers.allowed()
    put(servers.writer, GONE | change)
    with pytest.raises(Stale):
        servers.allowed()
    assert servers.engines.missing_bundles() == [("default", 3)]
    servers.files.build("default")
    assert servers.allowed() is False
    assert servers.engines.missing_bundles() == []


def test_a_write_that_affects_too_much_for_a_delta(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affected, "MAX_STATES", 0)
    write(servers.writer, Delete("assignments", ("a1",)))
    with pytest.raises(Stale):
        servers.allowed()
    servers.files.build("default")
    assert servers.allowed() is False


def test_until_a_write_is_answered_the_older_revision_may_decide(servers: Servers) -> None:
    """The writer waits for the bundles of the other servers meanwhile."""
    put(servers.silent, GONE | CHANGES["extensions"])
    assert servers.allowed() is True
    assert list(servers.store.unbuilt()) == [("default", 2)]
    write(servers.silent, Create("roles", {"id": "more"}))
    assert servers.allowed() is True
    write(servers.writer, Create("roles", {"id": "answered"}))
    with pytest.raises(Stale):
        servers.allowed()
    put(servers.silent, GONE | CHANGES["strict requests"])
    with pytest.raises(Stale):
        servers.allowed()
    servers.files.build("default")
    assert servers.allowed() is False
    assert list(servers.store.unbuilt()) == []


def test_a_worker_that_starts_meanwhile_has_no_older_revision_either(servers: Servers) -> None:
    put(servers.writer, GONE | CHANGES["extensions"])
    fresh = LiveEngines(servers.store, servers.files, 0.0, LOG, has_lease=True)
    with pytest.raises(Stale):
        fresh.engine()
    servers.files.build("default")
    servers.look()
    assert fresh.engine().allowed("user", "alice", "read", "document", "d1") is False
    fresh.close()


def test_with_local_consistency_the_older_revision_decides_until_there_is_a_bundle(servers: Servers) -> None:
    local = LiveEngines(servers.store, servers.files, 5.0, LOG)
    put(servers.writer, GONE | CHANGES["extensions"])
    servers.look()
    assert local.engine().allowed("user", "alice", "read", "document", "d1") is True
    assert local.missing_bundles() == [("default", 2)]
    servers.files.build("default")
    servers.look()
    assert local.engine().allowed("user", "alice", "read", "document", "d1") is False
    local.close()


class FailingJobs(Jobs):
    """Jobs that fail as often as `fails` says, and then build."""

    def __init__(self, files: BundleFiles, fails: int) -> None:
        self._files, self.fails, self.runs = files, fails, 0

    async def run(self, *_: Any) -> Any:
        self.runs += 1
        if self.runs <= self.fails:
            raise StoreUnavailable("the process that builds a bundle ended early")
        self._files.build("default")


def test_a_build_that_fails_leaves_no_decision_and_is_tried_again(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "RETRY_SECONDS", 0.0)
    jobs = FailingJobs(servers.files, fails=2)

    async def asked() -> None:
        builds = Activation(jobs, servers.engines, LOG, Counts.apart())
        for run in (1, 2):
            servers.look()
            with pytest.raises(Stale):
                await ready_engine(servers.engines.engine, "default")
            assert len(builds._building) == 1, "the build begins at once"
            await asyncio.gather(*builds._building.values())
            assert jobs.runs == run
        servers.look()
        with pytest.raises(Stale):
            await ready_engine(servers.engines.engine, "default")
        await asyncio.gather(*builds._building.values())
        engine = await ready_engine(servers.engines.engine, "default")
        assert engine.allowed("user", "alice", "read", "document", "d1") is False

    put(servers.writer, GONE | CHANGES["extensions"])
    asyncio.run(asked())
    assert jobs.runs == 3


def test_a_failed_build_rests_and_a_good_one_does_not(servers: Servers) -> None:
    jobs = FailingJobs(servers.files, fails=0)

    async def built() -> None:
        builds = Activation(jobs, servers.engines, LOG, Counts.apart())
        for revision in (2, 3):
            builds._build_beside("default", revision)
            await asyncio.gather(*builds._building.values())
        assert jobs.runs == 2
        jobs.fails = 3
        for _ in range(2):
            builds._build_beside("default", 4)
            await asyncio.gather(*builds._building.values())
        assert jobs.runs == 3

    asyncio.run(built())
