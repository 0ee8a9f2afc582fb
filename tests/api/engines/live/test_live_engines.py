"""The engines of a process follow the store: commits, other environments, missing bundles, an unreadable store."""

import asyncio
import json
import logging
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.live.bound_engines import ready_engine
from writ.api.engines.live.bundle_files import BundleFiles, NewestBundle
from writ.api.engines.live.engine_access import Updating
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.elements.edits import Create, Delete
from writ.api.store.environments import Environment
from writ.api.store.errors import NotFound, Stale
from writ.api.store.store import Store
from writ.bundles.errors import BundleError
from writ.bundles.file.reader import open_bundle
from writ.compiler.source import Source

from tests.support.closing import closed_later
from tests.support.stored import ACTOR
from tests.support.waiting import until

LOG = logging.getLogger("tests")
TYPES = [{"id": "document", "actions": ["read"]}]
MODEL = {"model": 1, "resource_types": TYPES}
ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


def grant(id: str, subject: str = "alice", resource: str = "d1") -> dict[str, Any]:
    return {
        "id": id,
        "subject": {"type": "user", "id": subject},
        "resource": {"type": "document", "id": resource},
        "actions": ["read"],
    }


class Service:
    """A store with a bundle, and the engines of two processes over it."""

    def __init__(self, directory: Path, stale_seconds: float = 5.0):
        self.store = closed_later(Store.open(directory, busy_seconds=0.1))
        self.files = BundleFiles(directory, self.store)
        self.put(MODEL)
        self.files.build("default")
        self.workers = [LiveEngines(self.store, self.files, stale_seconds, LOG) for _ in range(2)]

    def put(self, model: dict[str, Any], environment: str = "default") -> None:
        self.store.put_model(environment, ACTOR, [Source("model.json", json.dumps(model).encode())])

    def allowed(self, subject: str = "alice", resource: str = "d1", environment: str = "default") -> bool:
        """Returns the answer of all workers."""
        said = {
            worker.engine(environment).allowed("user", subject, "read", "document", resource) for worker in self.workers
        }
        (decision,) = said
        return decision


@pytest.fixture
def service(tmp_path: Path) -> Service:
    return Service(tmp_path)


def test_every_commit_is_in_force_for_the_next_decision(service: Service) -> None:
    for number in range(20):
        assert service.allowed(f"u{number}") is False
        service.store.write("default", ACTOR, [Create("grants", grant(f"g{number}", f"u{number}"))])
        assert service.allowed(f"u{number}") is True
        if number % 3 == 0:
            service.store.write("default", ACTOR, [Delete("grants", (f"g{number}",))])
            assert service.allowed(f"u{number}") is False


def test_commits_before_the_first_decision_and_many_at_once(service: Service) -> None:
    service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
    assert service.allowed() is True
    for number in range(2, 12):
        service.store.write("default", ACTOR, [Create("grants", grant(f"g{number}", f"u{number}"))])
    assert all(service.allowed(f"u{number}") for number in range(2, 12))


def test_a_new_bundle_takes_over_and_the_old_file_goes(service: Service) -> None:
    service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
    assert service.allowed() is True
    old = service.files.build("default")
    service.store.write("default", ACTOR, [Create("grants", grant("g2", "bob"))])
    new = service.files.build("default")
    service.store.write("default", ACTOR, [Create("grants", grant("g3", "carol"))])
    assert [service.allowed(subject) for subject in ("alice", "bob", "carol", "dan")] == [True, True, True, False]
    served = service.workers[0].served("default")
    assert 0 < served.changes < 4
    assert 0 < served.delta_bytes < 2_000
    assert (old.exists(), new.exists()) == (False, True)


def test_what_was_answered_before_a_large_change_is_in_force_while_its_bundle_is_built(service: Service) -> None:
    """A worker without requests in between applies the small changes before the large one."""
    service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
    assert service.allowed() is True
    service.store.write("default", ACTOR, [Delete("grants", ("g1",))])
    service.put(MODEL | {"grants": [grant(f"m{n}", f"u{n}") for n in range(2_500)]})
    assert service.allowed() is False
    fresh = LiveEngines(service.store, service.files, 5.0, LOG)
    assert fresh.engine().allowed("user", "alice", "read", "document", "d1") is False
    assert fresh.missing_bundles() == [("default", 4)]
    service.files.build("default")
    assert (service.allowed("u7"), service.allowed()) == (True, False)
    assert fresh.engine().allowed("user", "u7", "read", "document", "d1") is True
    assert fresh.missing_bundles() == []


def test_a_change_too_large_for_a_delta_waits_for_its_bundle(service: Service) -> None:
    """Until then the live revision stays live, and the write is not acknowledged."""
    assert service.allowed() is False
    service.put(MODEL | {"grants": [grant(f"g{n}", "alice", f"d{n}") for n in range(2_500)]})
    assert service.allowed() is False
    assert service.workers[0].engine("default").revision == 1
    service.files.build("default")
    assert service.allowed() is True


def test_environments_are_apart(service: Service) -> None:
    with pytest.raises(NotFound):
        service.allowed(environment="staging")
    service.store.create_environment(ACTOR, "staging")
    assert service.allowed(environment="staging") is False
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    assert (service.allowed(environment="staging"), service.allowed()) == (True, False)
    service.store.delete_environment(ACTOR, "staging")
    with pytest.raises(NotFound):
        service.allowed(environment="staging")
    assert service.allowed() is False


def test_a_new_environment_needs_no_file(service: Service) -> None:
    """Its model is empty, and its first changes are deltas like all others."""
    files = list(service.store.path.parent.glob("bundles/*"))
    service.store.create_environment(ACTOR, "staging")
    engine = service.workers[0].engine("staging")
    manifest = engine.manifest
    assert (engine.revision, manifest.revision, manifest.environment and manifest.environment.id) == (0, 0, "staging")
    refused = engine.decide(ASKED)
    assert (refused["decision"], refused["context"]["reason_code"]) == (False, "NO_POLICY_MATCH")
    for number in range(1, 4):
        service.put(MODEL | {"grants": [grant(f"g{number}", f"u{number}")]}, "staging")
        assert service.allowed(f"u{number}", environment="staging") is True
        assert service.allowed(f"u{number - 1}", environment="staging") is False
    assert list(service.store.path.parent.glob("bundles/*")) == files
    service.files.build("staging")
    assert service.allowed("u3", environment="staging") is True
    assert service.workers[0].missing_bundles() == []


def test_an_environment_that_lost_its_bundle_fails_alone(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is True
    service.put(MODEL | {"grants": [grant(f"m{n}", f"u{n}") for n in range(2_500)]}, "staging")
    service.files.build("staging").unlink()
    service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
    assert (service.allowed(), service.allowed(environment="staging")) == (True, True)
    for worker in service.workers:
        monkeypatch.setattr(worker, "_stale_seconds", -1.0)
    assert service.allowed() is True
    with pytest.raises(Stale):
        service.allowed(environment="staging")
    service.files.build("staging")
    assert (service.allowed(), service.allowed(environment="staging")) == (True, False)


def damaged(service: Service) -> Path:
    """Flip a byte of the grants in the mapped bundle file, in place. Returns the file's path."""
    (path,) = service.store.path.parent.glob("bundles/*.bundle")
    section = open_bundle(path).sections["grants"]
    with path.open("r+b") as file:
        file.seek(section.offset + section.size - 1)
        (last,) = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([last ^ 1]))
    return path


def test_a_damaged_bundle_is_decided_from_no_more_until_it_is_built_anew(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    """The readable parts do not serve either: the cause of the damage may have changed them too (fail closed)."""
    service.put(MODEL | {"grants": [grant("g1")]})
    service.files.build("default")
    first, second = service.workers
    assert [worker.engine().revision for worker in service.workers] == [2, 2]
    path = damaged(service)
    with pytest.raises(BundleError, match="checksum") as found:
        first.engine().allowed("user", "alice", "read", "document", "d1")
    assert [first.report_damage("default", found.value) for _ in range(3)] == [True, False, False]
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "until its bundle is built again" in caplog.text
    assert "checksum of bucket" in caplog.text
    for _ in range(2):
        with pytest.raises(Stale, match="nothing is decided in `default` until its bundle is built again"):
            first.engine()
    assert first.missing_bundles() == [("default", 2)]
    with pytest.raises(Stale, match="damaged"):
        first.engine("default")
    assert not path.exists()
    assert service.files.recorded("default", 2) is None
    service.files.build("default")
    assert first.engine().allowed("user", "alice", "read", "document", "d1") is True
    assert first.missing_bundles() == []
    with pytest.raises(BundleError) as found:  # the other one has the old file in its memory still
        second.engine().allowed("user", "alice", "read", "document", "d1")
    assert second.report_damage("default", found.value) is True
    assert path.exists()
    assert service.allowed() is True


def test_a_bundle_that_can_t_be_removed_is_not_taken_up_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.put(MODEL | {"grants": [grant("g1")]})
    path = service.files.build("default")
    worker, _ = service.workers
    worker.engine()
    monkeypatch.setattr(service.files, "discard", lambda _: None)
    assert worker.report_damage("default", BundleError("the bundle is damaged"))
    assert path.exists()
    with pytest.raises(Stale):
        worker.engine()
    service.store.write("default", ACTOR, [Create("grants", grant("g2", "bob"))])
    with pytest.raises(Stale):
        worker.engine()
    service.files.build("default")
    assert worker.engine().allowed("user", "bob", "read", "document", "d1") is True


def test_damage_that_a_delta_meets_is_mended_too(service: Service) -> None:
    service.put(MODEL | {"groups": [{"id": "eng"}], "roles": [{"id": "r"}]})
    path = service.files.build("default")
    worker, _ = service.workers
    worker.engine()
    section = open_bundle(path).sections["groups"]
    with path.open("r+b") as file:
        file.seek(section.offset + section.size - 2)
        file.write(b"\xff\xff")
    service.store.write("default", ACTOR, [Create("assignments", {"role": "r", "group": "eng"})])
    with pytest.raises(Stale, match="built again"):
        worker.engine()
    assert worker.missing_bundles() == [("default", 2)]
    service.files.build("default")
    assert worker.engine().revision == 3


async def refreshed(worker: LiveEngines, environment: str) -> None:
    """Refresh the engines, and wait for the one that is opened."""
    await worker.refresh()
    with pytest.raises(Updating) as opening:
        worker.engine(environment)
    await opening.value.wait()


def test_an_environment_that_was_never_opened_asks_for_its_lost_bundle(service: Service) -> None:
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    path = service.files.build("staging")
    path.write_bytes(b"x" * path.stat().st_size)
    worker, _ = service.workers
    with pytest.raises(Stale):
        worker.engine("staging")
    assert (worker.missing_bundles(), path.exists()) == ([("staging", 0)], False)
    service.files.build("staging")
    asyncio.run(refreshed(worker, "staging"))
    assert (worker.missing_bundles(), service.allowed(environment="staging")) == ([], True)


def test_an_environment_of_the_same_name_is_another_one(service: Service, tmp_path: Path) -> None:
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is True
    service.store.delete_environment(ACTOR, "staging")
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is False
    assert sorted(path.name[:36] for path in (tmp_path / "bundles").iterdir()) == sorted(
        environment.uuid for environment in service.store.environments()
    )


def test_a_store_that_fails_serves_from_memory_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(tmp_path, stale_seconds=60)
    (worker, _) = service.workers
    service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
    assert service.allowed() is True
    database = service.store.path
    whole = database.read_bytes()
    service.store.write("default", ACTOR, [Create("grants", grant("g2", "bob"))])
    service.store.close()
    with database.open("r+b") as file:
        file.write(b"\xff" * len(whole))
    for beside in tmp_path.glob("writ.db-*"):
        beside.write_bytes(b"\xff" * beside.stat().st_size)
    worker._seen = None
    assert worker.engine().allowed("user", "alice", "read", "document", "d1") is True
    monkeypatch.setattr(worker, "_stale_seconds", -1.0)
    with pytest.raises(Stale, match="nothing is decided"):
        worker.engine()


# -- updates beside an event loop


def policies(count: int) -> list[dict[str, Any]]:
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    return [
        {"id": f"p{number}", "effect": "ALLOW", "resource_types": scope, "conditions": {"context_attrs": [LONG]}}
        for number in range(count)
    ]


LONG = {"key": "k", "op": "in", "value": [f"{number}" * 100 for number in range(10, 20)]}


def test_a_large_change_is_taken_up_in_a_thread_and_others_do_not_wait(service: Service) -> None:
    """Quick changes are taken up at once; a request that comes while a large one is taken up waits for it."""
    service.store.create_environment(ACTOR, "other")
    service.put(MODEL, "other")
    service.files.build("other")
    worker = service.workers[0]
    worker.engine("other")

    async def ask() -> None:
        (await ready_engine(worker.engine, "default")).decide(ASKED)
        service.store.write("default", ACTOR, (Create("grants", grant("g1")),))
        assert worker.engine("default").revision == 2
        service.put(MODEL | {"policies": policies(40)})
        for _ in range(2):
            with pytest.raises(Updating) as updating:
                worker.engine("default")
            assert worker.engine("other").revision == 1
        assert updating.value.engine is not None
        assert updating.value.engine.revision == 2
        engine = await ready_engine(worker.engine, "default")
        assert engine.revision == 3
        assert worker.engine("default") is engine

    asyncio.run(ask())


def test_a_request_waits_for_what_was_committed_before_it_came(service: Service) -> None:
    """The first update that it waits for may have begun before the commit, and the second one has it."""
    worker = service.workers[0]

    async def ask() -> None:
        await ready_engine(worker.engine, "default")
        service.put(MODEL | {"policies": policies(40)})
        with pytest.raises(Updating):
            worker.engine("default")
        service.put(MODEL | {"policies": policies(90)})
        assert (await ready_engine(worker.engine, "default")).revision == 3

    asyncio.run(ask())


def test_an_environment_that_changes_without_end_is_still_answered(service: Service) -> None:
    worker, revisions = service.workers[0], list(range(2, 9))

    def engine_of(environment: str) -> Any:
        if revisions:
            service.put(MODEL | {"policies": policies(30 + revisions.pop(0))})
        return worker.engine(environment)

    async def ask() -> int:
        await ready_engine(worker.engine, "default")
        return (await ready_engine(engine_of, "default")).revision

    assert asyncio.run(ask()) >= 2


def test_an_engine_that_can_t_be_opened_beside_a_loop_says_why(service: Service) -> None:
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL | {"grants": [grant(f"m{n}", f"u{n}") for n in range(2_500)]}, "staging")
    worker = service.workers[0]

    async def ask() -> None:
        with pytest.raises(Stale, match="it has no bundle yet"):
            await ready_engine(worker.engine, "staging")
        assert worker.missing_bundles() == [("staging", 0)]
        with pytest.raises(NotFound):
            await ready_engine(worker.engine, "nowhere")
        service.files.build("staging")
        assert (await ready_engine(worker.engine, "staging")).revision == 1
        assert worker.missing_bundles() == []

    asyncio.run(ask())


def test_a_damaged_engine_never_answers_while_another_is_opened(service: Service) -> None:
    worker = service.workers[0]

    async def ask() -> None:
        await ready_engine(worker.engine, "default")
        worker.report_damage("default", BundleError("damaged"))
        with pytest.raises(Updating) as updating:
            worker.engine("default")
        assert updating.value.engine is None
        with pytest.raises(Stale, match="damaged"):
            await ready_engine(worker.engine, "default")
        service.files.build("default")
        assert (await ready_engine(worker.engine, "default")).revision == 1

    asyncio.run(ask())


@pytest.mark.parametrize("is_signalled", [True, False])
def test_decisions_go_on_while_the_store_does_not_answer_the_heartbeat(
    service: Service, monkeypatch: pytest.MonkeyPatch, is_signalled: bool
) -> None:
    """A commit that was not signalled meanwhile is found by the next heartbeat."""
    assert service.allowed() is False
    worker, read, gate, environments = service.workers[0], threading.Event(), threading.Event(), {}
    environments["early"] = service.store.environments()

    def silent() -> tuple[Environment, ...]:
        read.set()
        assert gate.wait(60)
        return environments["early"]

    async def ask() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(service.store, "environments", silent)
            refreshing = asyncio.create_task(worker.refresh())
            assert await until(read.is_set)
            assert worker.engine().revision == 1
        service.store.write("default", ACTOR, [Create("grants", grant("g1"))])
        if is_signalled:
            assert worker.engine().revision == 2
        gate.set()
        await refreshing
        assert worker.engine().revision == 2
        assert worker.missing_bundles() == []
        service.store.write("default", ACTOR, [Delete("grants", ("g1",))])
        await worker.refresh()
        assert worker.served("default").engine.revision == 3

    asyncio.run(ask())


@pytest.mark.parametrize("change", ["write", "delete", "recreate"])
def test_what_is_committed_while_an_engine_is_opened_is_seen(
    service: Service, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """The heartbeat looks at the store meanwhile, and finds no engine that is behind."""
    service.store.create_environment(ACTOR, "staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    worker, newest, read, gate = service.workers[0], service.files.newest, threading.Event(), threading.Event()

    def slowly(environment: str) -> NewestBundle:
        found = newest(environment)
        read.set()
        assert gate.wait(60)
        return found

    monkeypatch.setattr(service.files, "newest", slowly)

    async def ask() -> None:
        with pytest.raises(Updating) as opening:
            worker.engine("staging")
        assert await until(read.is_set)
        if change == "write":
            service.store.write("staging", ACTOR, (Delete("grants", ("g1",)),))
        else:
            service.store.delete_environment(ACTOR, "staging")
        if change == "recreate":
            service.store.create_environment(ACTOR, "staging")
        await worker.refresh()
        gate.set()
        await opening.value.wait()
        if change == "delete":
            with pytest.raises(NotFound):
                await ready_engine(worker.engine, "staging")
        else:
            assert (await ready_engine(worker.engine, "staging")).decide(ASKED)["decision"] is False

    asyncio.run(ask())
