"""Long evaluations hold up nobody else's: quick ones that were sent later are answered first (a real server)."""

import json
import select
import signal
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.server.supervision.master import LAST_SECONDS
from writ.api.server.worker import ENDING_SECONDS

from tests.support import oracle
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
SUBJECT = {"type": "user", "id": "u"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": type, "actions": ["read"]} for type in ("large", "patterns", "slow", "small")],
    "roles": [{"id": f"r{number}"} for number in range(9)],
    "assignments": [
        {"role": f"r{role}", "subject": {"type": "user", "id": f"u{number}"}}
        for number in range(40)
        for role in range(9)
        if number >> role & 1
    ],
    "policies": [
        {
            "id": f"large{number:04}",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "large", "actions": ["read"]}],
            **({"roles": [f"r{number % 9}"]} if number % 2 else {}),
            "conditions": {
                "context_attrs": [{"key": f"k{place}", "op": "ne", "value": number * place} for place in range(60)]
            },
        }
        for number in range(1_500)
    ]
    + [
        {
            "id": f"pattern{number:03}",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "patterns", "actions": ["read"]}],
            "conditions": {
                "context_attrs": [{"key": "text", "op": "regex", "value": f"{number}([a-z]|[0-9])+{number}x"}]
            },
        }
        for number in range(150)
    ]
    + [
        {
            "id": f"slow{number:03}",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "slow", "actions": ["read"]}],
            "conditions": {
                "context_attrs": [{"key": "text", "op": "regex", "value": f"([a-z]{{1,9}}[0-9]?){{100}}{number}!"}]
            },
        }
        for number in range(80)
    ]
    + [{"id": "small", "effect": "ALLOW", "resource_types": [{"resource_type_id": "small", "actions": ["read"]}]}],
}


def asked(type: str, **more: Any) -> dict[str, Any]:
    return {"subject": SUBJECT, "action": {"name": "read"}, "resource": {"type": type, "id": "d"}, "context": {}} | more


LONG: dict[str, tuple[str, dict[str, Any]]] = {
    "the first evaluation of a large program": (SINGLE, asked("large")),
    "a batch with a new set of roles in each item": (
        BATCH,
        asked("large", evaluations=[{"subject": {"type": "user", "id": f"u{number}"}} for number in range(40)]),
    ),
    "many patterns in a long text": (SINGLE, asked("patterns", context={"text": "1a" * 25_000})),
    "a batch of such texts": (BATCH, asked("patterns", context={"text": "1a" * 25_000}, evaluations=[{}] * 3)),
    "a body beyond what the event loop takes": (
        SINGLE,
        asked("patterns", context={"text": "1a" * 25_000, **{f"k{place}": "x" * 1_000 for place in range(100)}}),
    ),
    "all actions on a large program": ("/access/v1/search/action", asked("large") | {"action": {}}),
    "all actions by patterns": (
        "/access/v1/search/action",
        asked("patterns", context={"text": "1a" * 25_000}) | {"action": {}},
    ),
    "a filter of a large program": ("/access/v1/search/resource", asked("large") | {"resource": {"type": "large"}}),
    "proofs": (BATCH, asked("large", evaluations=[{}] * 20, options={"explain": True})),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("long")
    (folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(folder / "model.json"), workers=1) as started:
        yield started


@pytest.mark.parametrize(("path", "body"), LONG.values(), ids=LONG)
def test_quick_evaluations_pass_long_ones(server: Server, path: str, body: dict[str, Any]) -> None:
    def sent(path: str, body: object) -> bytes:
        return request("POST", path, json.dumps(body).encode(), key=KEY)

    with RawConnection(server.host, server.port) as long, RawConnection(server.host, server.port) as quick:
        quick.send(sent(SINGLE, asked("small")))
        assert quick.answer().json["decision"] is True
        long.send(sent(path, body))
        quick.send(sent(SINGLE, asked("small")) * 20)
        for _ in range(20):
            assert quick.answer().json["decision"] is True
        assert select.select([long.socket], [], [], 0)[0] == [], "the long one was answered first"
        answer = long.answer()
    assert answer.status == 200, answer.body
    if "search" in path:
        return
    items = body.get("evaluations", [{}])
    found: Any = [answer.json] if path == SINGLE else answer.json["evaluations"]
    for item, decided in list(zip(items, found, strict=True))[:10]:
        expected = oracle.decide(MODEL, {**body, **item} | {"options": {}}, 0)
        assert decided["decision"] is expected["decision"]
        assert decided["context"]["reason_code"] == expected["reason_code"]


def test_nobody_waits_for_work_that_nobody_waits_for(tmp_path: Path) -> None:
    """A client leaves during an evaluation of a minute; the service then stops as if there were none."""
    policies = [policy for policy in MODEL["policies"] if policy["id"].startswith(("slow", "small"))]
    (tmp_path / "model.json").write_text(json.dumps(MODEL | {"policies": policies}))
    body = asked("slow", context={"text": "ab" * 32_000})
    with running(tmp_path / "data", "--import", str(tmp_path / "model.json"), workers=1) as server:
        with RawConnection(server.host, server.port) as long, RawConnection(server.host, server.port) as quick:
            long.send(request("POST", SINGLE, json.dumps(body).encode(), key=KEY))
            quick.send(request("POST", SINGLE, json.dumps(asked("small")).encode(), key=KEY))
            assert quick.answer().status == 200
            reset = struct.pack("ii", 1, 0)  # a client that only ends its side could still wait for the answer
            long.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(25) == 0


def test_work_that_takes_long_delays_no_stop_beyond_its_limit(tmp_path: Path) -> None:
    """The client still waits. The work is given up so early that the worker still writes its decision log."""
    log = tmp_path / "decisions.jsonl"
    policies = [policy for policy in MODEL["policies"] if policy["id"].startswith(("slow", "small"))]
    (tmp_path / "model.json").write_text(json.dumps(MODEL | {"policies": policies}))
    body = asked("slow", context={"text": "ab" * 32_000})
    settings = {"WRIT_STOP_SECONDS": "10", "WRIT_DECISION_LOG": str(log)}
    with running(tmp_path / "data", "--import", str(tmp_path / "model.json"), settings=settings) as server:
        with RawConnection(server.host, server.port) as long:
            long.send(request("POST", SINGLE, json.dumps(body).encode(), key=KEY))
            with server.client() as quick:
                assert quick.post(SINGLE, json=asked("small")).status_code == 200
            assert server.stop() == 0
        said = [f"gave up the requests in work, after {10 - LAST_SECONDS - ENDING_SECONDS} seconds", "Shutting down"]
        assert [line for line in said if line in server.log] == said, server.log
        assert not any(one in server.log for one in ("killed", "Traceback", "is given up"))
    assert log.read_text().count("\n") == 1
