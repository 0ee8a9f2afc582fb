"""The engines of a process follow the store: every commit, other environments, bundles that go, a store that fails."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from api.bundle_files import BundleFiles
from api.in_force import InForce, Stale
from api.store.edits import Create, Delete
from api.store.refusals import NotFound
from api.store.store import Store
from compiler.source import Source

LOG = logging.getLogger("tests")
TYPES = [{"id": "document", "actions": ["read"]}]
MODEL = {"model": 1, "resource_types": TYPES}


def grant(id: str, subject: str = "alice", resource: str = "d1") -> dict[str, Any]:
    return {
        "id": id,
        "subject": {"type": "user", "id": subject},
        "resource": {"type": "document", "id": resource},
        "actions": ["read"],
    }


class Service:
    """A store with a bundle, and two processes' worth of engines over it."""

    def __init__(self, directory: Path, stale_seconds: float = 5.0):
        self.store = Store.open(directory, busy_seconds=0.1)
        self.files = BundleFiles(directory, self.store)
        self.put(MODEL)
        self.files.build("default")
        self.workers = [InForce(self.store, self.files, stale_seconds, LOG) for _ in range(2)]

    def put(self, model: dict[str, Any], environment: str = "default") -> None:
        self.store.put_model(environment, "tests", [Source("model.json", json.dumps(model).encode())])

    def allowed(self, subject: str = "alice", resource: str = "d1", environment: str = "default") -> bool:
        """What all workers say."""
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
        service.store.write("default", "tests", [Create("grants", grant(f"g{number}", f"u{number}"))])
        assert service.allowed(f"u{number}") is True
        if number % 3 == 0:
            service.store.write("default", "tests", [Delete("grants", (f"g{number}",))])
            assert service.allowed(f"u{number}") is False


def test_commits_before_the_first_decision_and_many_at_once(service: Service) -> None:
    service.store.write("default", "tests", [Create("grants", grant("g1"))])
    assert service.allowed() is True
    for number in range(2, 12):
        service.store.write("default", "tests", [Create("grants", grant(f"g{number}", f"u{number}"))])
    assert all(service.allowed(f"u{number}") for number in range(2, 12))


def test_a_new_bundle_takes_over_and_the_old_file_goes(service: Service) -> None:
    service.store.write("default", "tests", [Create("grants", grant("g1"))])
    assert service.allowed() is True
    old = service.files.build("default")
    service.store.write("default", "tests", [Create("grants", grant("g2", "bob"))])
    new = service.files.build("default")
    service.store.write("default", "tests", [Create("grants", grant("g3", "carol"))])
    assert [service.allowed(subject) for subject in ("alice", "bob", "carol", "dan")] == [True, True, True, False]
    assert service.workers[0].deltas("default") == 1
    assert (old.exists(), new.exists()) == (False, True)


def test_what_was_answered_before_a_large_change_is_in_force_while_its_bundle_is_built(service: Service) -> None:
    """A worker that was not asked in between applies the small changes in front of it."""
    service.store.write("default", "tests", [Create("grants", grant("g1"))])
    assert service.allowed() is True
    service.store.write("default", "tests", [Delete("grants", ("g1",))])
    service.put(MODEL | {"grants": [grant(f"m{n}", f"u{n}") for n in range(2_500)]})
    assert service.allowed() is False
    fresh = InForce(service.store, service.files, 5.0, LOG)
    assert fresh.engine().allowed("user", "alice", "read", "document", "d1") is False
    assert fresh.lagging() == [("default", 4)]
    service.files.build("default")
    assert (service.allowed("u7"), service.allowed()) == (True, False)
    assert fresh.engine().allowed("user", "u7", "read", "document", "d1") is True
    assert fresh.lagging() == []


def test_a_change_too_large_for_a_delta_waits_for_its_bundle(service: Service) -> None:
    """Until then what was in force stays, and the write is not answered."""
    assert service.allowed() is False
    service.put(MODEL | {"grants": [grant(f"g{n}", "alice", f"d{n}") for n in range(2_500)]})
    assert service.allowed() is False
    assert service.workers[0].revision("default") == 1
    service.files.build("default")
    assert service.allowed() is True


def test_environments_are_apart(service: Service) -> None:
    with pytest.raises(NotFound):
        service.allowed(environment="staging")
    service.store.create_environment("staging")
    assert service.workers[0].revision("staging") is None
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    service.files.build("staging")
    assert (service.allowed(environment="staging"), service.allowed()) == (True, False)
    service.store.delete_environment("staging")
    with pytest.raises(NotFound):
        service.allowed(environment="staging")
    assert service.allowed() is False


def test_an_environment_that_lost_its_bundle_fails_alone(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.store.create_environment("staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is True
    service.put(MODEL | {"grants": [grant(f"m{n}", f"u{n}") for n in range(2_500)]}, "staging")
    service.files.build("staging").unlink()
    service.store.write("default", "tests", [Create("grants", grant("g1"))])
    assert (service.allowed(), service.allowed(environment="staging")) == (True, True)
    for worker in service.workers:
        monkeypatch.setattr(worker, "_stale_seconds", -1.0)
    assert service.allowed() is True
    with pytest.raises(Stale):
        service.allowed(environment="staging")
    service.files.build("staging")
    assert (service.allowed(), service.allowed(environment="staging")) == (True, False)


def test_an_environment_of_the_same_name_is_another_one(service: Service, tmp_path: Path) -> None:
    service.store.create_environment("staging")
    service.put(MODEL | {"grants": [grant("g1")]}, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is True
    service.store.delete_environment("staging")
    service.store.create_environment("staging")
    service.put(MODEL, "staging")
    service.files.build("staging")
    assert service.allowed(environment="staging") is False
    assert sorted(path.name[:36] for path in (tmp_path / "bundles").iterdir()) == sorted(
        environment.uuid for environment in service.store.environments()
    )


def test_a_store_that_fails_serves_from_memory_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(tmp_path, stale_seconds=60)
    (worker, _) = service.workers
    service.store.write("default", "tests", [Create("grants", grant("g1"))])
    assert service.allowed() is True
    database = service.store.path
    whole = database.read_bytes()
    service.store.write("default", "tests", [Create("grants", grant("g2", "bob"))])
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
