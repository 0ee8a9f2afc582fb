"""The attributes that a request left open, over HTTP: in searches, in filters and on each page (S6)."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from writ import Client

from tests.support.server import running

MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "doc", "actions": ["edit", "read"]}],
    "resources": [{"type": "doc", "id": f"d{n}", "attributes": {"status": "open"}} for n in range(3)],
    "subjects": [{"type": "user", "id": "ann", "attributes": {"department": "sales"}}],
    "policies": [
        {
            "id": "readers",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
            "conditions": {
                "context_attrs": [{"key": "mfa", "op": "eq", "value": True}],
                "subject_attrs": [{"key": "department", "op": "eq", "value": "sales"}],
                "resource_attrs": [{"key": "status", "op": "eq", "value": "open"}],
            },
        },
        {
            "id": "editors",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "doc", "actions": ["edit"]}],
            "conditions": {"ip_allowlist": ["10.0.0.0/8"]},
        },
    ],
}
ASKED = {"subject": {"type": "user", "id": "ann"}, "action": {"name": "read"}, "resource": {"type": "doc", "id": "d1"}}
SALES = {"type": "user", "id": "ann", "properties": {"department": "sales"}}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("open")
    (model := folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(model)) as server, server.client() as client:
        yield client


def named(http: httpx.Client, kind: str, **more: Any) -> tuple[int, list[str] | None]:
    """The number of results, and what the answer leaves open."""
    answer = http.post(f"/access/v1/search/{kind}", json={**ASKED, **more})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return len(body.get("results", ())), body["context"].get("left_open")


def test_each_search_names_what_it_lacks(http: httpx.Client) -> None:
    assert named(http, "resource", context={}) == (0, ["context.mfa", "subject.department"])
    assert named(http, "subject", context={}) == (0, ["context.mfa", "resource.status"])
    assert named(http, "action", context={}) == (
        0,
        ["context.ip", "context.mfa", "resource.status", "subject.department"],
    )


def test_what_is_sent_is_not_named(http: httpx.Client) -> None:
    mfa = {"context": {"mfa": True}}
    assert named(http, "resource", subject=SALES, **mfa) == (3, None)
    assert named(http, "subject", options={"attributes": "registered"}, **mfa) == (1, None)
    document = {"type": "doc", "id": "d1", "properties": {"status": "open"}}
    address = {"context": {"mfa": True, "ip": "10.0.0.1"}}
    assert named(http, "action", subject=SALES, resource=document, **address) == (2, None)


def test_items_with_actions_name_what_these_lack(http: httpx.Client) -> None:
    """S3: the same on each page that has items."""
    asking = {"subject": SALES, "context": {"mfa": True}, "options": {"return": "results"}}
    assert named(http, "resource", **asking) == (3, ["context.ip"])
    assert named(http, "resource", **asking, page={"limit": 1}) == (1, ["context.ip"])
    assert named(http, "resource", **asking, page={"limit": 0}) == (0, None)


@pytest.mark.parametrize("gates", ["open", "decide"])
def test_a_filter_names_it_too_when_remembered(http: httpx.Client, gates: str) -> None:
    """F2, F7: through the lane and without, with what else each request sends."""
    options = {"options": {"return": "filter", "gates": gates}}
    for _ in range(2):
        assert named(http, "resource", **options) == (0, ["context.mfa", "subject.department"])
        assert named(http, "resource", subject=SALES, **options) == (0, ["context.mfa"])
        assert named(http, "resource", subject=SALES, context={"mfa": True}, **options) == (0, None)


def test_both_name_what_either_leaves_open(http: httpx.Client) -> None:
    both = {"subject": SALES, "options": {"return": "both", "include_direct": True}}
    assert named(http, "resource", **both) == (3, ["context.ip", "context.mfa"])


def test_the_client_hands_it_on(http: httpx.Client) -> None:
    with Client(str(http.base_url), token=http.headers["Authorization"].removeprefix("Bearer ")) as client:
        found = client.filter(ASKED | {"options": {"return": "filter"}})
        assert found["context"]["left_open"] == ["context.mfa", "subject.department"]
        assert "context.ip" in client.actions(ASKED)["context"]["left_open"]
