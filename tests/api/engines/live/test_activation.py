"""A service repairs itself: it rebuilds a bundle from the store if the bundle is damaged while in use."""

import asyncio
import logging
from pathlib import Path

import pytest
from writ.api.engines.jobs.runner import Jobs
from writ.api.engines.live import activation
from writ.api.engines.live.bound_engines import ready_engine
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.import_model import builder_lock
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from writ.api.telemetry.metrics.counts import Counts
from writ.bundles.file.reader import open_bundle

from tests.api.conftest import ALLOWED, DENIED
from tests.support.closing import closed_later
from tests.support.command import writ
from tests.support.server import running
from tests.support.stored import ACTOR
from tests.support.waiting import wait_until

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
GRANTED = DENIED | {"action": {"name": "delete"}}


def damage(path: Path, table: str) -> None:
    """Change the end of a table of facts in place, and so in every worker's mapping."""
    section = open_bundle(path).sections[table]
    with path.open("r+b") as file:
        file.seek(section.offset + section.size - 4)
        file.write(b"\xff" * 4)


def test_a_bundle_damaged_in_use_is_replaced_without_a_restart(tmp_path: Path, model_file: Path) -> None:
    data = tmp_path / "data"
    with running(data, "--import", str(model_file)) as server, server.client() as client:
        (path,) = data.glob("bundles/*.bundle")
        damage(path, "grants")
        with builder_lock(data):  # the service's build waits
            for question in (GRANTED, ALLOWED):
                failed = client.post(SINGLE, json=question)
                assert (failed.status_code, set(failed.json())) == (500, {"error"})
            ready = client.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (503, "failing")
            assert "until its bundle is built again, since it is damaged" in ready.json()["error"]
        assert wait_until(lambda: client.get("/readyz").status_code == 200) is True
        for question in (GRANTED, ALLOWED):
            assert client.post(SINGLE, json=question).json()["decision"] is True
        open_bundle(path).verify()
        made = client.post("/v1/environments/default/roles", json={"id": "more"})
        assert (made.status_code, client.get("/readyz").json()["revision"]) == (201, 2)
        assert server.stop() == 0
        assert server.log.count("until its bundle is built again") == 1
        assert server.log.count("BundleError: the bundle is damaged") == 1
        assert "destroyed" not in server.log


@pytest.mark.parametrize(("bound", "below"), [("COMPACT_AFTER", 3), ("COMPACT_BYTES", 400)])
def test_many_or_large_changes_are_folded_into_a_new_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, below: int
) -> None:
    monkeypatch.setattr(activation, bound, below)
    monkeypatch.setattr(activation, "RETRY_SECONDS", 0.0)
    store = closed_later(Store.open(tmp_path))
    engines = LiveEngines(store, BundleFiles(tmp_path, store), 5.0, logging.getLogger("tests"))
    activate = activation.Activation(Jobs(tmp_path), engines, logging.getLogger("tests"), Counts.apart())

    async def commit(number: int) -> None:
        store.write("default", ACTOR, (Create("roles", {"id": f"role{number}" + "x" * 100}),))
        await activate(store.environment("default"))
        await asyncio.gather(*activate._building.values())

    async def commits() -> None:
        await commit(1)
        assert not list(tmp_path.glob("bundles/*"))
        for number in range(2, 6):
            await commit(number)
        assert (await ready_engine(engines.engine, "default")).revision == 5
        assert engines.served("default").base > 1

    asyncio.run(commits())
    assert len(list(tmp_path.glob("bundles/*"))) == 1


def test_a_damaged_item_of_a_batch_mends_its_environment_and_no_other_fails(tmp_path: Path, model_file: Path) -> None:
    data = tmp_path / "data"
    assert writ("import", model_file, "--data", data, "--env", "stage", "--create").returncode == 0
    (path,) = data.glob("bundles/*.bundle")
    with running(data, "--import", str(model_file)) as server, server.client() as client:
        damage(path, "grants")
        answer = client.post(f"/environments/stage{BATCH}", json={"evaluations": [GRANTED, GRANTED]})
        assert [item["context"]["error"]["status"] for item in answer.json()["evaluations"]] == [500, 500]
        assert client.post(SINGLE, json=GRANTED).json()["decision"] is True
        assert wait_until(lambda: client.post(f"/environments/stage{SINGLE}", json=GRANTED).status_code == 200) is True
        assert client.post(f"/environments/stage{SINGLE}", json=GRANTED).json()["decision"] is True
