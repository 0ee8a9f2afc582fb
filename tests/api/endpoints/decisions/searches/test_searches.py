"""The three searches over HTTP, on a real server (S1 to S5; W2; authzen.md 42-67 and part 2)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from writ.api.endpoints.decisions.searches.page_tokens import PagePosition, PageTokens
from writ.runtime.requests.searches import read_resource_search

from tests.support.server import KEY, Server, running

RESOURCE, SUBJECT, ACTION = (f"/access/v1/search/{kind}" for kind in ("resource", "subject", "action"))
PATHS = (RESOURCE, SUBJECT, ACTION)
COUNT = 25
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [
        {"id": "document", "name": "doc", "actions": ["read", "update", "delete"]},
        {"id": "vault", "actions": ["open"], "closed": True},
    ],
    "roles": [{"id": "editor"}],
    "groups": [
        {"id": "eng", "members": [{"group": "core"}]},
        {"id": "core", "members": [{"type": "user", "id": "bob"}]},
    ],
    "subjects": [
        {"type": "user", "id": "alice", "external_id": "idp|alice", "attributes": {"level": 3}},
        {"type": "user", "id": "carol", "attributes": {"level": 9}},
        {"type": "service", "id": "alice"},
    ],
    "resources": [
        {
            "type": "document",
            "id": f"d{n:02}",
            "name": f"Plan {n}",
            "attributes": {"status": "draft" if n % 2 else "final", "size": n},
        }
        for n in range(COUNT)
    ]
    + [{"type": "vault", "id": "v1"}],
    "assignments": [
        {"role": "editor", "subject": {"type": "user", "id": "alice"}},
        {"role": "editor", "group": "eng"},
    ],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "dave"},
            "resource": {"type": "document", "id": "unlisted"},
            "actions": ["read", "delete"],
        }
    ],
    "policies": [
        {
            "id": "drafts",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
            "conditions": {
                "resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}],
                "context_attrs": [{"key": "mfa", "op": "eq", "value": True}],
            },
        },
        {
            "id": "read",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        },
        {
            "id": "high",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["delete"]}],
            "conditions": {"subject_attrs": [{"key": "level", "op": "gt", "value": 5}]},
        },
        {
            "id": "large",
            "effect": "DENY",
            "priority": 5,
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {"resource_attrs": [{"key": "size", "op": "gte", "value": 20}]},
        },
    ],
}
ALICE, DOC = {"type": "user", "id": "alice"}, {"type": "doc"}
ALLOWED_IDS = [f"d{n:02}" for n in range(20)]
DRAFTS = [id for id in ALLOWED_IDS if int(id[1:]) % 2]
READABLE = [*ALLOWED_IDS, "unlisted"]
"""A grant registers what it names (E3)."""


def asked(action: str = "read", **more: Any) -> dict[str, Any]:
    return {"subject": ALICE, "action": {"name": action}, "resource": DOC, **more}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("searches")
    model = folder / "model.json"
    model.write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(model), "--workers", "2") as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=30) as client:
        yield client


def found(http: httpx.Client, path: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = http.post(path, json=request)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def ids(answer: dict[str, Any]) -> list[str]:
    return [item["id"] for item in answer["results"]]


def test_a_plain_search_has_bare_items_and_a_filter(http: httpx.Client) -> None:
    """S1, S3, W2: `type` before `id` and nothing else; all in one piece, without a page."""
    answer = found(http, RESOURCE, asked())
    assert list(answer) == ["filter", "context", "results"]
    assert [list(item.items()) for item in answer["results"]] == [[("type", "doc"), ("id", id)] for id in READABLE]
    assert answer["filter"]["type"] == "logical"
    assert answer["context"]["access_paths"] == ["role"]


@pytest.mark.parametrize(
    ("options", "members"),
    [
        ({}, ["filter", "context"]),
        ({"return": None}, ["filter", "context"]),
        ({"return": "filter"}, ["filter", "context"]),
        ({"return": "results"}, ["context", "results"]),
        ({"return": "both"}, ["filter", "context", "results"]),
    ],
)
def test_options_say_what_is_returned(http: httpx.Client, options: dict[str, Any], members: list[str]) -> None:
    """S1, contract 2.6."""
    assert list(found(http, RESOURCE, asked(options=options))) == members


def test_items_with_options_say_more(http: httpx.Client) -> None:
    """S3: every action that the subject may take, gates open, the searched one included."""
    answer = found(http, RESOURCE, asked(options={"return": "results"}))
    assert answer["results"][1] == {
        "type": "doc",
        "id": "d01",
        "resource_id": "d01",
        "name": "Plan 1",
        "actions": ["read", "update"],
        "access_path": "role",
    }
    assert answer["results"][2]["actions"] == ["read"]


@pytest.mark.parametrize(
    ("context", "expected"), [(None, DRAFTS), ({}, []), ({"mfa": False}, []), ({"mfa": True}, DRAFTS)]
)
def test_a_context_decides_gates(http: httpx.Client, context: Any, expected: list[str]) -> None:
    """S2: `{}` is a context."""
    assert ids(found(http, RESOURCE, asked("update", context=context))) == expected


@pytest.mark.parametrize(
    ("gates", "context", "expected"),
    [
        ("open", {"mfa": False}, DRAFTS),
        ("open", None, DRAFTS),
        ("decide", None, []),
        ("decide", {"mfa": False}, []),
        ("decide", {"mfa": True}, DRAFTS),
    ],
)
def test_gates_of_filter_and_results_follow_the_option(
    http: httpx.Client, gates: str, context: Any, expected: list[str]
) -> None:
    """F7. The filter is true of the same rows that the results list."""
    answer = found(http, RESOURCE, asked("update", context=context, options={"return": "both", "gates": gates}))
    assert ids(answer) == expected
    opened = found(http, RESOURCE, asked("update"))["filter"]
    assert answer["filter"] == (opened if expected else {"type": "const", "value": False})
    assert answer["context"].get("valid_until", "open") == (None if gates == "decide" else "open")


def test_an_unknown_way_to_treat_gates_is_refused(http: httpx.Client) -> None:
    answer = http.post(RESOURCE, json=asked(options={"gates": "close"}))
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "$.options.gates")


def test_grants_and_groups_count(http: httpx.Client) -> None:
    """S2: an unlisted resource that a grant names is registered (E3), for everybody."""
    dave = asked("delete", subject={"type": "user", "id": "dave"}, options={"return": "both"})
    answer = found(http, RESOURCE, dave)
    assert [(item["id"], item["actions"], item["access_path"]) for item in answer["results"]] == [
        ("unlisted", ["delete", "read"], "direct")
    ]
    assert answer["filter"] == {"type": "const", "value": False}
    bob = found(http, RESOURCE, asked(subject={"type": "user", "id": "bob"}, options={"return": "results"}))
    assert {item["access_path"] for item in bob["results"]} == {"group"}
    assert ids(bob) == READABLE


def test_who_may_act_on_a_resource(http: httpx.Client) -> None:
    resource = {"type": "doc", "id": "d01", "properties": {"status": "draft"}}
    request = {"subject": {"type": "user", "id": "ignored", "external_id": 5}, "resource": resource}
    assert found(http, SUBJECT, {**request, "action": {"name": "update"}})["results"] == [
        {"type": "user", "id": "alice"},
        {"type": "user", "id": "bob"},
    ]
    told = found(http, SUBJECT, {**request, "action": {"name": "update"}, "options": {"return": "filter"}})
    assert told["results"] == [
        {"type": "user", "id": "alice", "external_id": "idp|alice", "access_path": "role"},
        {"type": "user", "id": "bob", "access_path": "group"},
    ]
    assert ids(found(http, SUBJECT, {**request, "action": {"name": "delete"}})) == ["carol"]
    unlisted = {**request, "resource": {"type": "doc", "id": "unlisted"}, "action": {"name": "delete"}}
    assert ids(found(http, SUBJECT, unlisted)) == ["carol", "dave"]
    assert ids(found(http, SUBJECT, {**unlisted, "subject": {"type": "service"}, "action": {"name": "read"}})) == []


def test_what_may_be_done(http: httpx.Client) -> None:
    request = {"subject": ALICE, "resource": {"type": "doc", "id": "d01", "properties": {"status": "draft"}}}
    assert found(http, ACTION, request)["results"] == [{"name": "read"}, {"name": "update"}]
    assert found(http, ACTION, {**request, "action": {"name": 5}, "context": {}})["results"] == [{"name": "read"}]
    told = found(http, ACTION, {**request, "options": {}, "page": {"limit": 1}})
    assert told["results"] == [{"name": "read", "access_path": "role"}]
    token = told["page"]["next_token"]
    rest = found(http, ACTION, {**request, "options": {}, "page": {"token": token}})
    assert rest["page"] == {"next_token": "", "count": 1}
    assert [item["name"] for item in rest["results"]] == ["update"]


@pytest.mark.parametrize("limit", [1, 3, 20, 21, 22])
def test_pages_have_every_item_once(http: httpx.Client, limit: int) -> None:
    """S4: `page` first, and always a `next_token` in it, empty at the end; the limit need not be said again (61)."""
    seen: list[str] = []
    request = asked(page={"limit": limit}, options={"return": "results"})
    while True:
        answer = found(http, RESOURCE, request)
        assert next(iter(answer)) == "page"
        assert answer["page"]["count"] == len(answer["results"]) <= limit
        seen += ids(answer)
        token = answer["page"]["next_token"]
        if not token:
            break
        assert len(token) <= 4096
        again = {"limit": limit, "token": token} if len(seen) % 2 else {"token": token}
        request = asked(page=again, options={"return": "results"})
    assert seen == READABLE


def test_a_limit_of_nothing_tells_whether_there_is_something(http: httpx.Client) -> None:
    """65: a token for the first item where there is one."""
    answer = found(http, RESOURCE, asked(page={"limit": 0}))
    assert (answer["results"], answer["page"]["count"]) == ([], 0)
    assert answer["page"]["next_token"]
    nobody = asked(subject={"type": "user", "id": "nobody"}, page={"limit": 0})
    assert found(http, RESOURCE, nobody)["page"] == {"next_token": "", "count": 0}


@pytest.mark.parametrize("limit", [2**63, 10**30, 1e300])
def test_a_limit_of_any_size_fits_into_a_token(limit: float) -> None:
    """It was a 500 where there was a next page."""
    place = PagePosition("d01", read_resource_search(asked(page={"limit": limit})).page.limit)
    tokens = PageTokens(b"secret")
    assert tokens.read(tokens.write(place, b"search"), b"search") == place


def test_a_page_on_request_is_there_though_all_fits(http: httpx.Client) -> None:
    assert found(http, RESOURCE, asked(page={"x": 1}))["page"] == {"next_token": "", "count": len(READABLE)}
    assert "page" not in found(http, RESOURCE, asked(page=None))


@pytest.mark.parametrize(
    "change",
    [
        {"subject": {"type": "user", "id": "bob"}},
        {"subject": {**ALICE, "properties": {"a": 1}}},
        {"action": {"name": "read", "properties": {"a": 1}}},
        {"context": {}},
        {"options": {"return": "both"}},
        {"page": {"limit": 2}},
        {"page": {"properties": {"sort": "id"}}},
    ],
)
def test_a_token_is_bound_to_its_request(http: httpx.Client, change: dict[str, Any]) -> None:
    """S4, 60."""
    token = found(http, RESOURCE, asked(page={"limit": 3}))["page"]["next_token"]
    page = {"token": token} | change.get("page", {})
    answer = http.post(RESOURCE, json=asked(**change) | {"page": page})
    assert answer.status_code == 400, answer.text
    kept = {"resource": {**DOC, "id": "ignored"}, "unknown": 1, "page": {"token": token, "limit": 3, "x": 1}}
    assert ids(found(http, RESOURCE, asked() | kept)) == ALLOWED_IDS[3:6]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["x", "AAAA", "é", "=" * 8, "A" * 4097, " ", 5])
def test_a_token_that_is_none_is_refused(http: httpx.Client, path: str, token: Any) -> None:
    request = asked(page={"token": token}) | {"resource": {"type": "doc", "id": "d01"}}
    answer = http.post(path, json=request)
    assert answer.status_code == 400
    assert "token" in answer.json()["error"]


def test_a_token_of_another_search_is_refused(http: httpx.Client) -> None:
    token = found(http, RESOURCE, asked(page={"limit": 3}))["page"]["next_token"]
    request = {"subject": ALICE, "resource": {"type": "doc", "id": "d01"}, "page": {"token": token}}
    assert http.post(ACTION, json=request).status_code == 400


def test_a_token_outlasts_a_restart_and_tells_nothing_of_the_administrator_s_key(tmp_path: Path) -> None:
    """S4. Whoever has one could else try out keys without asking anybody."""
    model, data = tmp_path / "model.json", tmp_path / "data"
    page: dict[str, Any] = {"limit": 3}
    model.write_text(json.dumps(MODEL))
    with running(data, "--import", str(model)) as server, server.client() as http:
        page["token"] = found(http, RESOURCE, asked(page=page))["page"]["next_token"]
    with running(data, settings={"WRIT_ADMIN_KEY": KEY[::-1]}) as server:
        server.key = KEY[::-1]
        with server.client() as http:
            assert ids(found(http, RESOURCE, asked(page=page))) == ALLOWED_IDS[3:6]


def test_what_changes_meanwhile_skips_and_repeats_nothing(http: httpx.Client) -> None:
    """S4: what stays is there once; and a search sees a write at once."""
    resources = "/v1/environments/default/resources"
    first = found(http, RESOURCE, asked(page={"limit": 5}))
    last = ids(first)[-1]
    assert http.delete(f"{resources}/document/{last}").status_code == 204
    new = {"type": "document", "id": "d045", "attributes": {"size": 1}}
    assert http.post(resources, json=new).status_code == 201
    rest = found(http, RESOURCE, asked(page={"token": first["page"]["next_token"], "limit": 5}))
    assert ids(rest) == ["d045", *ALLOWED_IDS[5:9]]
    assert http.delete(f"{resources}/document/d045").status_code == 204
    body = next(row for row in MODEL["resources"] if row["id"] == last)
    assert http.post(resources, json=body).status_code == 201
    assert ids(found(http, RESOURCE, asked())) == READABLE


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "change",
    [
        {"resource": {"type": "nothing", "id": "x"}},
        {"resource": {"type": "document", "id": "d01"}},
        {"resource": {"type": "vault", "id": "v2"}, "action": {"name": "open"}},
        {"subject": {"type": "nobody", "id": "x"}, "action": {"name": "update"}, "context": {}},
        {"action": {"name": "fly"}, "subject": {"type": "user", "id": "zoe"}},
    ],
)
def test_unknown_names_find_nothing(http: httpx.Client, path: str, change: dict[str, Any]) -> None:
    """S5, 46, E7; types are named by their `name`."""
    request = asked() | {"resource": {"type": "doc", "id": "d01"}} | change
    assert found(http, path, request)["results"] == []


@pytest.mark.parametrize("path", PATHS)
def test_requests_are_held_to_their_shape(http: httpx.Client, path: str) -> None:
    """47: a given entity whole, of the searched one its type."""
    whole = {"subject": ALICE, "action": {"name": "read"}, "resource": {"type": "doc", "id": "d01"}}
    assert http.post(path, json=whole).status_code == 200
    for name in ("subject", "resource"):
        for bad in (None, {}, {"type": 5}, {"id": "x"}, "alice"):
            assert http.post(path, json=whole | {name: bad}).status_code == 400, (name, bad)
    for bad in ({"options": 5}, {"page": []}, {"context": "x"}, {"page": {"limit": "5"}}):
        assert http.post(path, json=whole | bad).status_code == 400, bad
    assert http.post(path, content=b"[]", headers={"Content-Type": "application/json"}).status_code == 400
    assert http.get(path).status_code == 405
    assert http.get(path).headers["Allow"] == "POST"


@pytest.mark.parametrize("path", PATHS)
def test_a_search_needs_a_credential(server: Server, path: str) -> None:
    answer = httpx.post(server.url + path, json=asked(), headers={"X-Request-ID": "r1"})
    assert answer.status_code == 401
    assert answer.headers["X-Request-ID"] == "r1"


def test_a_named_environment_has_its_own(http: httpx.Client) -> None:
    assert http.post("/v1/environments", json={"id": "stage"}).status_code == 201
    token = found(http, RESOURCE, asked(page={"limit": 3}))["page"]["next_token"]
    stage = f"/environments/stage{RESOURCE}"
    assert found(http, stage, asked())["results"] == []
    assert http.post(stage, json=asked(page={"token": token})).status_code == 400
    assert http.post("/environments/none" + RESOURCE, json=asked()).status_code == 404


def test_the_same_request_has_the_same_bytes(http: httpx.Client) -> None:
    """D9, W6: whichever worker answers."""
    request = asked(page={"limit": 4}, options={"return": "both", "include_direct": True})
    assert len({http.post(RESOURCE, json=request).content for _ in range(12)}) == 1


def test_direct_grants_in_the_filter(http: httpx.Client) -> None:
    """F3, F8: their ids, or one node."""
    dave = asked("delete", subject={"type": "user", "id": "dave"}, options={"include_direct": True})
    tree = found(http, RESOURCE, dave)["filter"]
    assert {"type": "field", "field": "id", "operator": "eq", "value": "unlisted"} in tree["conditions"]
    node = found(http, RESOURCE, dave | {"options": {"include_direct": "node"}})["filter"]
    (direct,) = (one for one in node["conditions"] if one["type"] == "direct")
    assert (direct["subject"], direct["groups"]) == ({"type": "user", "id": "dave"}, [])
    for other in ("nodes", 1, []):
        assert http.post(RESOURCE, json=dave | {"options": {"include_direct": other}}).status_code == 400
