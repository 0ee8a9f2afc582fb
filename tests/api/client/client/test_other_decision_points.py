"""The clients ask AuthZEN decision points that are not Writ: Cerbos and OpenFGA, each with its own model."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import writ
from writ.client import Refused

from tests.api.client.client.conftest import Asker, Opened
from tests.bench.http.installing import PEERS, Unavailable, built_openfga, cerbos_binary
from tests.bench.http.processes import running
from tests.support.ports import free_port

pytestmark = pytest.mark.service

EDITOR, USER = {"cerbos.roles": ["editor"]}, {"cerbos.roles": ["user"]}
POLICY = {
    "apiVersion": "api.cerbos.dev/v1",
    "resourcePolicy": {
        "version": "default",
        "resource": "document",
        "rules": [
            {"actions": ["read"], "effect": "EFFECT_ALLOW", "roles": ["*"]},
            {
                "actions": ["edit"],
                "effect": "EFFECT_ALLOW",
                "roles": ["editor"],
                "condition": {"match": {"expr": 'R.attr.status == "draft"'}},
            },
        ],
    },
}


def evaluation(subject: str, action: str, properties: dict[str, Any] | None = None, status: str = "draft") -> Any:
    return {
        "subject": {"type": "user", "id": subject} | ({} if properties is None else {"properties": properties}),
        "action": {"name": action},
        "resource": {"type": "document", "id": "d1", "properties": {"status": status}},
    }


def decisions(asker: Asker, requests: list[Any]) -> list[bool]:
    return [one["decision"] for one in asker.call("decide_many", requests)]


@pytest.fixture(scope="module")
def cerbos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Cerbos with `POLICY`."""
    try:
        binary = cerbos_binary(PEERS)
    except Unavailable as ex:
        pytest.skip(f"Cerbos: {ex}")
    folder, port = tmp_path_factory.mktemp("cerbos"), free_port()
    (folder / "policies").mkdir()
    (folder / "policies" / "document.json").write_text(json.dumps(POLICY))
    server = {"httpListenAddr": f"127.0.0.1:{port}", "grpcListenAddr": f"127.0.0.1:{free_port()}"}
    storage = {"driver": "disk", "disk": {"directory": str(folder / "policies")}}
    config = folder / "cerbos.json"
    config.write_text(json.dumps({"server": server, "storage": storage, "telemetry": {"disabled": True}}))
    url = f"http://127.0.0.1:{port}"
    with running([str(binary), "server", "--config", str(config)], folder / "log", f"{url}/_cerbos/health", {}):
        yield url


def test_cerbos(opened: Opened, cerbos: str) -> None:
    """It has metadata and batches, and no searches. It refuses members that it does not know."""
    asker = opened(cerbos, timeout=5)
    assert asker.call("decide", evaluation("alice", "edit", EDITOR)) == {"decision": True}
    assert asker.call("decide", evaluation("zoe", "edit", USER)) == {"decision": False}
    assert asker.call("decide", evaluation("alice", "edit", EDITOR, "final")) == {"decision": False}
    asked = ("user", "alice", "edit", "document", "d1")
    assert asker.call("allowed", *asked, subject=EDITOR, resource={"status": "draft"}) is True
    found = asker.call("ask", *asked, subject=EDITOR, resource={"status": "final"})
    assert (found.allowed, found.reason_code) == (False, None)
    for kind in ("resources", "subjects", "actions", "filter"):
        with pytest.raises(writ.SearchUnavailable):
            asker.call(kind, evaluation("alice", "edit"))
    with pytest.raises(writ.BadRequest, match="subject: value is required"):
        asker.call("decide", {})
    with pytest.raises(writ.BadRequest, match="unknown field"):
        asker.call("decide", evaluation("alice", "edit") | {"options": {"explain": True}})


def test_batches_of_cerbos(opened: Opened, cerbos: str) -> None:
    """It refuses a whole batch for one bad item: the client finds which."""
    asker = opened(cerbos, timeout=5)
    good = [evaluation("alice", "edit", EDITOR), evaluation("zoe", "edit", USER)]
    assert decisions(asker, good) == [True, False]
    assert decisions(asker, good * 60) == [True, False] * 60
    found = asker.call("decide_many", [*good, {}, *good])
    assert [one["decision"] for one in found] == [True, False, False, True, False]
    assert "value is required" in found[2]["context"]["error"]["message"]


BY_EDITING = {"computedUserset": {"relation": "edit"}}
BY_USERS = {"directly_related_user_types": [{"type": "user"}]}
DOCUMENT = {
    "type": "document",
    "relations": {"edit": {"this": {}}, "read": {"union": {"child": [{"this": {}}, BY_EDITING]}}},
    "metadata": {"relations": {"edit": BY_USERS, "read": BY_USERS}},
}
RELATIONS = {"schema_version": "1.1", "type_definitions": [{"type": "user"}, DOCUMENT]}


@pytest.fixture(scope="module")
def openfga(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a store of an OpenFGA with `RELATIONS`: alice edits d0, d1 and d2, and bob reads d1."""
    binary = built_openfga(PEERS)
    if binary is None:
        pytest.skip("OpenFGA: no run of `go install` has built it")
    port, log = free_port(), tmp_path_factory.mktemp("openfga") / "log"
    addresses = ("--http-addr", f"127.0.0.1:{port}", "--grpc-addr", f"127.0.0.1:{free_port()}")
    options = ("--experimentals=authzen", "--playground-enabled=false", "--metrics-enabled=false")
    base = f"http://127.0.0.1:{port}"
    with running([str(binary), "run", *addresses, *options], log, f"{base}/healthz", {}):
        store = f"{base}/stores/{made(f'{base}/stores', {'name': 'tests'})['id']}"
        made(f"{store}/authorization-models", RELATIONS)
        edits = [{"user": "user:alice", "relation": "edit", "object": f"document:d{number}"} for number in range(3)]
        reads = [{"user": "user:bob", "relation": "read", "object": "document:d1"}]
        made(f"{store}/write", {"writes": {"tuple_keys": edits + reads}})
        yield store


def made(url: str, body: Any) -> Any:
    answer = httpx.post(url, json=body)
    assert answer.is_success, answer.text
    return answer.json()


def test_openfga(opened: Opened, openfga: str) -> None:
    """A store is a decision point under a path, without metadata at the place that AuthZEN gives them. It searches."""
    asker = opened(openfga, timeout=5)
    assert asker.call("allowed", "user", "alice", "read", "document", "d1") is True
    assert asker.call("decide", evaluation("zoe", "read")) == {"decision": False}
    asked = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}}
    found = asker.call("resources", asked | {"resource": {"type": "document"}})
    assert {one["id"] for one in found} == {"d0", "d1", "d2"}
    of_d1 = evaluation("alice", "read") | {"subject": {"type": "user"}}
    assert {one["id"] for one in asker.call("subjects", of_d1)} == {"alice", "bob"}
    names = [one["name"] for one in asker.call("actions", evaluation("alice", "read"))["results"]]
    assert names == ["edit", "read"]
    with pytest.raises(writ.SearchUnavailable):
        asker.call("filter", asked | {"resource": {"type": "document"}})


def test_faults_and_batches_of_openfga(opened: Opened, openfga: str) -> None:
    """It takes 50 items at most, and refuses what its model does not declare."""
    asker = opened(openfga, timeout=5)
    with pytest.raises(writ.BadRequest, match="relation 'document#none' not found"):
        asker.call("decide", evaluation("alice", "none"))
    assert asker.call("allowed", "user", "alice", "read", "document", "d9") is False
    good = [evaluation("alice", "read"), evaluation("zoe", "read")]
    assert decisions(asker, good * 200) == [True, False] * 200
    assert decisions(asker, [*good, {}, evaluation("alice", "none"), *good]) == [True, False, False, False, True, False]


def test_a_store_that_is_not_there_is_no_permission(opened: Opened, openfga: str) -> None:
    asker = opened(openfga[:-3] + "ZZZ", timeout=5)
    with pytest.raises((Refused, writ.BadRequest)):
        asker.call("decide", evaluation("alice", "read"))
