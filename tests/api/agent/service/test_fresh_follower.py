"""A follower that starts fresh at a real service, whatever others have exported before."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import writ

from tests.support.command import writ as command_writ
from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.agent

ENVIRONMENT = "/v1/environments/young"
READY_SECONDS = 60.0


def options(server: Server, data: Path) -> dict[str, Any]:
    """The options of a follower of the environment, without a state. The first export of a service makes its key."""
    with server.client() as admin:
        admin.get("/v1/environments/default/bundle", timeout=60).raise_for_status()
    keys = command_writ("keys", "--kind", "bundle", "--data", data).stdout
    return {"environment": "young", "keys": keys.decode(), "token": KEY, "wait_ready": READY_SECONDS}


def test_a_follower_starts_after_another_one_had_revision_0(tmp_path: Path) -> None:
    """0 is a revision, too: an update leads on from its bundle, but not from nothing."""
    data = tmp_path / "data"
    with running(data) as server, server.client() as admin:
        admin.post("/v1/environments", json={"id": "young"}).raise_for_status()
        given = options(server, data)
        with writ.follow(server.url, **given, state=tmp_path / "first") as first:
            assert first.status().revision == 0
            admin.post(f"{ENVIRONMENT}/roles", json={"id": "reader"}).raise_for_status()
            with writ.follow(server.url, **given, state=tmp_path / "second") as second:
                assert (second.status().revision, second.status().state) == (1, "following")


def test_a_bundle_that_is_there_will_do_for_who_says_so(tmp_path: Path) -> None:
    """Else each start in a fleet would let the service make a bundle of the newest revision."""
    with running(tmp_path / "data") as server, server.client() as admin:
        admin.post("/v1/environments", json={"id": "young"}).raise_for_status()

        def revision(headers: dict[str, str]) -> str:
            answer: httpx.Response = admin.get(f"{ENVIRONMENT}/bundle", headers=headers, timeout=60)
            assert answer.headers["content-type"] == "application/vnd.writ.bundle"
            return str(answer.headers["writ-revision"])

        assert revision({}) == "0"
        admin.post(f"{ENVIRONMENT}/roles", json={"id": "reader"}).raise_for_status()
        assert revision({"Prefer": "wait=0, older"}) == "0"
        assert revision({"Prefer": "wait=0"}) == "1"
