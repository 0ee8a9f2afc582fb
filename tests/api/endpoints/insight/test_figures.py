"""`GET …/figures` of a real service with two workers: exact, for whom, and after the end of a worker."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from writ.bundles.conditions.instants import parse_instant

from tests.api.conftest import ALLOWED, DENIED, MODEL, PLAN
from tests.support.bundling import engine_for
from tests.support.managed import ROOT, Managed, OneEngine
from tests.support.processes import children
from tests.support.server import Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

MINUTE = 60 * 10**9
SECRET = ALLOWED | {"resource": PLAN | {"properties": {"secret": True}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("figures") / "data", workers=2) as server, server.client() as client:
        client.post("/v1/environments", json={"id": "staging"}).raise_for_status()
        for env in ("default", "staging"):
            client.put(f"/v1/environments/{env}/model", json={"model": 1} | MODEL).raise_for_status()
        yield server


def figures(server: Server, env: str = "default") -> dict[str, Any]:
    """The figures, over a new connection: any worker may answer."""
    with server.client() as client:
        found: dict[str, Any] = client.get(f"/v1/environments/{env}/figures").raise_for_status().json()
        return found


def totals(found: dict[str, Any]) -> Counter[str]:
    return sum((Counter({name: one[name] for name in one if name != "at"}) for one in found["minutes"]), Counter())


def ask(server: Server, *, times: int, env: str = "default") -> None:
    """Ask on many connections, so that both workers decide."""
    batch = {"evaluations": [ALLOWED, DENIED, {}]}
    for _ in range(times):
        with server.client() as client:
            place = f"/environments/{env}/access/v1"
            for body in (ALLOWED, DENIED, SECRET):
                client.post(f"{place}/evaluation", json=body).raise_for_status()
            client.post(f"{place}/evaluations", json=batch).raise_for_status()


def test_all_workers_together_count_every_decision_once(server: Server) -> None:
    before, others = figures(server), figures(server, "staging")
    ask(server, times=10)
    found = figures(server)
    assert totals(found) - totals(before) == {"permitted": 20, "denied": 30, "errors": 10}
    assert Counter(found["reasons"]) - Counter(before["reasons"]) == {
        "ALLOWED": 20,
        "ACTION_NOT_PERMITTED": 20,
        "DENY_OVERRIDE": 10,
    }
    assert totals(figures(server, "staging")) == totals(others)
    since, until = parse_instant(found["since"]), parse_instant(found["until"])
    starts = [parse_instant(one["at"]) for one in found["minutes"]]
    assert starts == [*range(since // MINUTE * MINUTE, until + 1, MINUTE)]
    assert since <= until


def test_the_decisions_of_a_worker_that_was_killed_stay(server: Server) -> None:
    ask(server, times=5)
    before, gone = figures(server), children(server.process.pid)
    os.kill(gone[0], signal.SIGKILL)
    assert wait_until(lambda: len(now := children(server.process.pid)) == len(gone) and gone[0] not in now)
    assert wait_until(lambda: _totals_after_trouble(server)) == totals(before)
    ask(server, times=2)
    assert totals(figures(server)) - totals(before) == {"permitted": 4, "denied": 6, "errors": 2}


def _totals_after_trouble(server: Server) -> Counter[str] | None:
    try:
        return totals(figures(server))
    except httpx.TransportError:
        return None


def test_a_bound_credential_reads_its_environments_alone(server: Server) -> None:
    ask(server, times=1, env="staging")
    with server.client() as admin, httpx.Client(base_url=server.url) as client:
        body = {"name": "bound", "scopes": ["read"], "environments": ["staging"]}
        key = admin.post("/v1/api-keys", json=body).raise_for_status().json()["key"]
        bound = {"Authorization": f"Bearer {key}"}
        found = client.get("/v1/environments/staging/figures", headers=bound).raise_for_status().json()
        assert totals(found) == {"permitted": 2, "denied": 3, "errors": 1}
        assert client.get("/v1/environments/default/figures", headers=bound).status_code == 403
        assert client.get("/v1/environments/nothing/figures", headers=bound).status_code == 403
        assert client.get("/v1/environments/staging/figures").status_code == 401


def test_only_environments_that_exist_have_figures(tmp_path: Path) -> None:
    client = Managed(tmp_path)
    assert client.simulate_get("/v1/environments/nothing/figures").status_code == 404
    assert client.simulate_get(f"{ROOT}/figures?since=1").status_code == 400
    found = client.simulate_get(f"{ROOT}/figures").json
    assert totals(found) == {}
    assert found["at_this_server"] is False
    assert {*found["reasons"].values()} == {0}


def test_an_environment_that_is_not_counted_apart_has_no_figures(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("writ.api.telemetry.metrics.counter_layout.MOST_ENVIRONMENTS", 0)
    engine = engine_for(MODEL, tmp_path / "some.bundle")
    client = Managed(tmp_path / "data", engines=OneEngine(engine))
    assert client.simulate_post("/access/v1/evaluation", json=ALLOWED).status_code == 200
    found = client.simulate_get(f"{ROOT}/figures")
    assert found.status_code == 409
    assert "too many environments" in found.json["error"]
