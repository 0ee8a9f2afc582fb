"""Figures, denials and previews of two services on one PostgreSQL: each answers from what it has counted and logged."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import ALLOWED, DENIED, MODEL
from tests.support.managed import ROOT
from tests.support.server import Server
from tests.support.servers_together import together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

GONE = {"changes": [{"kind": "policies", "id": MODEL["policies"][0]["id"], "element": None}]}


def get(server: Server, name: str) -> dict[str, Any]:
    with server.client() as client:
        found: dict[str, Any] = client.get(f"{ROOT}/{name}").raise_for_status().json()
        return found


def denied(server: Server) -> int:
    """The denials that a service has counted."""
    return sum(one["denied"] for one in get(server, "figures")["minutes"])


def replayed(server: Server) -> dict[str, Any]:
    """Returns the answers of a change to the requests that a service has logged."""
    with server.client() as client:
        found: dict[str, Any] = client.post(f"{ROOT}/changes:preview", json=GONE).raise_for_status().json()
        return dict(found["decisions"])


def test_each_server_tells_that_its_figures_are_its_own(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 0, workers=1) as services:
        one, other = (services.start("--decision-log", str(tmp_path / f"{name}.jsonl")) for name in ("one", "other"))
        with one.client() as client:
            client.put(f"{ROOT}/model", json={"model": 1} | MODEL, headers={"If-Match": "*"}).raise_for_status()
            for body in (ALLOWED, DENIED):
                client.post("/access/v1/evaluation", json=body).raise_for_status()
        assert wait_until(lambda: len(get(one, "denials")["items"]) == 1)
        assert (denied(one), denied(other)) == (1, 0)
        assert get(other, "denials")["items"] == []
        assert [replayed(server)["replayed"] for server in (one, other)] == [2, 0]
        for server in (one, other):
            assert get(server, "figures")["at_this_server"] is True
            assert get(server, "denials")["at_this_server"] is True
            assert replayed(server)["at_this_server"] is True
