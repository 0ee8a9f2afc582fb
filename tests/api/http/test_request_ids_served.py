"""One id for a request: in its answer, in the access log, the decision log and the audit log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

ROOT, SINGLE = "/v1/environments/default", "/access/v1/evaluation"
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "routes": [
        {
            "id": "read",
            "methods": ["*"],
            "path": "/documents/{id}",
            "resource_type": "document",
            "action": "read",
            "attributes": {"trace": "header:X-Request-ID"},
        }
    ],
}
GATEWAY = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
OWN = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Writ-Subject": "user:alice"}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ids") / "decisions.log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[Server]:
    settings = {"WRIT_DECISION_LOG": str(log), "WRIT_ACCESS_LOG": "on", "WRIT_LOG_FORMAT": "json"}
    with running(log.with_name("data"), settings=settings) as found:
        with found.client() as admin:
            admin.put(f"{ROOT}/model", json=MODEL).raise_for_status()
            admin.put(f"{ROOT}/gateway", json=GATEWAY).raise_for_status()
        yield found


def decision(log: Path, id: str) -> dict[str, Any]:

    def found() -> list[dict[str, Any]]:
        records = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [record for record in records if record["request_id"] == id]

    assert wait_until(lambda: bool(found()))
    (record,) = found()
    return record


def is_in_access_log(server: Server, id: str) -> bool:
    return wait_until(
        lambda: any(
            line["logger"] == "writ.access" and line.get("request_id") == id
            for line in map(json.loads, server.log.splitlines())
        )
    )


@pytest.mark.parametrize("unusual", [{}, {"Origin": "https://a.example"}])
@pytest.mark.parametrize("sent", [{}, {"X-Request-ID": "r 7æ".encode("latin-1")}])
def test_a_decision_has_one_id_everywhere(
    server: Server, log: Path, unusual: dict[str, str], sent: dict[str, bytes]
) -> None:
    """By the lane, and by the application."""
    number = f"-{len(unusual)}".encode()
    with server.client() as client:
        for _ in range(2):
            headers = unusual | {name: value + number for name, value in sent.items()}
            id = client.post(SINGLE, json=ASKED, headers=headers).headers["X-Request-ID"]
            number += b"+"
    assert decision(log, id)["kind"] == "evaluation"
    assert is_in_access_log(server, id)


def test_a_write_has_one_id_everywhere(server: Server) -> None:
    with server.client() as client:
        id = client.post(f"{ROOT}/roles", json={"id": "editor"}).headers["X-Request-ID"]
        entries = client.get("/v1/audit").json()["items"]
    assert entries[0]["request_id"] == id
    assert is_in_access_log(server, id)


@pytest.mark.parametrize("method", ["GET", "PURGE"])
def test_a_made_id_is_no_header_of_the_client(server: Server, log: Path, method: str) -> None:
    """A route that takes the header as an attribute sees what the client sent, and nothing else."""
    with server.client() as client:
        for sent in ({}, {"X-Request-ID": f"mine-{method}"}):
            answer = client.request(method, "/gateway/envoy/documents/d1", headers=OWN | sent)
            id = answer.headers["X-Request-ID"]
            properties = decision(log, id)["request"]["resource"].get("properties", {})
            assert properties == ({"trace": id} if sent else {})
            assert is_in_access_log(server, id)
