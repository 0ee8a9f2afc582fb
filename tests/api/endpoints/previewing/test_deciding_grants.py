"""The decisions of a preview: a direct grant that decides is a sentence, never an id that Writ made."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.endpoints.previewing.test_test_run import BOB, PLAN, ROOT
from tests.support.server import running
from tests.support.waiting import wait_until


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


@pytest.fixture
def served(log: Path) -> Iterator[httpx.Client]:
    model = log.with_name("model.json")
    model.write_text(json.dumps({"model": 1, "resource_types": [{"id": "document", "actions": ["read", "update"]}]}))
    arguments = ("--import", str(model), "--workers", "1", "--decision-log", str(log))
    with running(log.with_name("data"), *arguments) as server, server.client() as client:
        yield client


def grant(subject: Any, action: str) -> dict[str, Any]:
    return {"subject": subject, "resource": PLAN, "actions": [action]}


def test_a_direct_grant_that_decides_is_a_sentence(served: httpx.Client, log: Path) -> None:
    made = [served.post(f"{ROOT}/grants", json=grant(BOB, action)).json()["id"] for action in ("read", "update")]
    for action in ("read", "update"):
        asked = {"subject": BOB, "action": {"name": action}, "resource": PLAN}
        assert served.post("/access/v1/evaluation", json=asked).json()["decision"] is True
    wait_until(lambda: log.read_bytes().count(b"\n") >= 2)
    sentence = f"grant {{}} on document {PLAN['id']} to user {BOB['id']}"
    denial = {"effect": "DENY", "resource_types": [{"resource_type_id": "document", "actions": ["update"]}]}
    changes = [
        {"kind": "grants", "id": made[0], "element": None},
        {"kind": "policies", "id": "no", "element": denial},
    ]
    groups = served.post(f"{ROOT}/changes:preview", json={"changes": changes}).json()["decisions"]["groups"]
    assert {(one["grant_before"], one["grant"], one["policy_id"]) for one in groups} == {
        (sentence.format("read"), None, made[0]),
        (sentence.format("update"), None, "no"),
    }
    allowing = [{"kind": "grants", "id": "g9", "element": grant(BOB, "read") | {"expires_at": "2126-01-01T00:00:00Z"}}]
    changes = [*changes[:1], *allowing]
    (group,) = served.post(f"{ROOT}/changes:preview", json={"changes": changes}).json()["decisions"]["groups"]
    assert (group["grant_before"], group["grant"]) == (
        sentence.format("read"),
        f"{sentence.format('read')} until 2126-01-01T00:00:00Z as g9",
    )
