"""One kind of elements, list and element: created, listed, read, replaced, patched, deleted (design: "Shapes")."""

import json
import threading
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
from falcon import testing
from writ.api.settings.settings import HttpLimits
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.managed import MEMBERS, ROOT, Managed

BAD_POLICY = {
    "id": "bad",
    "effect": "ALOW",
    "roles": ["editr"],
    "resource_types": [{"resource_type_id": "document", "actions": ["raed"]}],
    "conditions": {"time_window": {"timezone": "Europe/Olso"}},
}
PATCH = {"Content-Type": "application/merge-patch+json"}


def path_of(kind: str) -> str:
    body = MEMBERS[kind]
    return "/".join((ROOT, kind, *((body["type"],) if kind in ("subjects", "resources") else ()), body["id"]))


def codes(answer: testing.Result) -> list[tuple[str, str]]:
    return [(detail["code"], detail["path"]) for detail in answer.json["details"]]


@pytest.mark.parametrize("kind", MEMBERS)
def test_an_element_lives_from_post_to_delete(full: Managed, kind: str) -> None:
    path, body = path_of(kind), MEMBERS[kind]
    assert full.simulate_delete(f"{path}?cascade=true").status_code == 204
    made = full.create(kind, body)
    assert (made.headers["Location"], made.json) == (path, body)
    read = full.simulate_get(path)
    assert (read.json, read.headers["ETag"]) == (body, made.headers["ETag"])
    assert body in full.simulate_get(f"{ROOT}/{kind}").json["items"]
    again = full.simulate_post(f"{ROOT}/{kind}", json=body)
    assert again.status_code == (200 if kind in ("assignments", "grants") else 409)

    changed = full.simulate_put(path, json=body)
    assert (changed.status_code, changed.headers["ETag"]) == (200, made.headers["ETag"]), "nothing changed"
    member, value = {
        "grants": ("expires_at", "2035-01-01T00:00:00Z"),
        "assignments": ("expires_at", "2035-01-01T00:00:00Z"),
        "routes": ("resource_id", "doc-{id}"),
    }.get(kind, ("external_id" if kind in ("subjects", "resources") else "name", "new"))
    changed = full.simulate_patch(path, body=json.dumps({member: value}), headers=PATCH)
    assert (changed.status_code, changed.json) == (200, body | {member: value})
    assert changed.headers["ETag"] != made.headers["ETag"]
    replaced = full.simulate_put(path, json={name: value for name, value in body.items() if name not in ("id", "type")})
    assert (replaced.status_code, replaced.json) == (200, body)

    assert full.simulate_delete(path).status_code == 204
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        assert full.simulate_request(method, path, json=body).status_code == 404, method
    assert full.activated[-1] == full.store.environment("default"), "the newest commit was activated"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("policies/p8", "policy `p8`"),
        ("resource-types/%0A", "resource type `\\n`"),
        ("subjects/us%2Fer/bob", "subject `bob` of type `us/er`"),
        ("roles/" + "x" * 5_000, f"role `{'x' * 79}…`"),
    ],
)
def test_a_missing_element_is_named(full: Managed, path: str, told: str) -> None:
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        answer = full.simulate_request(method, f"{ROOT}/{path}", json={})
        assert (answer.status_code, answer.json) == (404, {"error": f"there is no {told} in environment `default`"})


def test_what_is_wrong_is_told_as_writ_check_does(full: Managed) -> None:
    answer = full.simulate_post(f"{ROOT}/policies", json=BAD_POLICY)
    assert answer.status_code == 400
    document = {
        "model": 1,
        "resource_types": [MEMBERS["resource-types"]],
        "roles": [MEMBERS["roles"]],
        "policies": [BAD_POLICY],
    }
    checked = load([Source("model.json", json.dumps(document).encode())], zone_names()).diagnostics
    assert sorted(codes(answer)) == sorted((row.code, "$" + row.path.removeprefix("$.policies[0]")) for row in checked)
    assert "did you mean `ALLOW`?" in answer.json["details"][0]["message"]
    assert full.simulate_get(f"{ROOT}/policies/bad").status_code == 404


def test_an_id_is_made_where_there_is_none(service: Managed) -> None:
    service.create("resource-types", MEMBERS["resource-types"])
    made = service.create("grants", {name: value for name, value in MEMBERS["grants"].items() if name != "id"})
    assert service.simulate_get(made.headers["Location"]).json == made.json
    assert service.create("roles", {"name": "Any"}).json["id"]


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 200),
        ("*", 200),
        ("{}", 200),
        ('"other", {}', 200),
        ('"other"', 412),
        ('"other", "one-more"', 412),
        ("W/{}", 412),
        ("unquoted", 400),
        ('{} "', 400),
        ("", 400),
    ],
)
def test_if_match(full: Managed, header: str | None, status: int) -> None:
    path = path_of("roles")
    tag = full.simulate_get(path).headers["ETag"]
    headers = {} if header is None else {"If-Match": header.format(tag)}
    before = full.simulate_get(path).json
    answer = full.simulate_patch(path, json={"name": "Chief"}, headers=headers)
    assert answer.status_code == status
    assert full.simulate_get(path).json == (before | {"name": "Chief"} if status == 200 else before)


@pytest.mark.parametrize(
    ("header", "status"), [("*", 412), ("{}", 412), ("W/{}", 412), ('"x", {}', 412), ('"x"', 200), ("x", 400)]
)
def test_a_change_heeds_if_none_match(full: Managed, header: str, status: int) -> None:
    """RFC 9110, 13.1.2: who says that nothing, or nothing of this, may be there overwrites nothing."""
    for path, body in ((path_of("roles"), MEMBERS["roles"] | {"name": "x"}), (f"{ROOT}/model", {"model": 1})):
        before = full.simulate_get(path)
        headers = {"If-None-Match": header.format(before.headers["ETag"])}
        assert full.simulate_put(path, json=body, headers=headers).status_code == status
        assert (full.simulate_get(path).headers["ETag"] == before.headers["ETag"]) == (status != 200)


@pytest.mark.parametrize("kind", MEMBERS)
def test_put_creates_what_is_not_there_if_the_client_says_so(full: Managed, kind: str) -> None:
    """RFC 9110, 13.1.2: of two clients that both create it, one is told."""
    path, body, only_new = path_of(kind), MEMBERS[kind], {"If-None-Match": "*"}
    there = full.simulate_put(path, json=body, headers=only_new)
    assert (there.status_code, there.json.keys()) == (412, {"error"})
    assert full.simulate_delete(f"{path}?cascade=true").status_code == 204
    assert full.simulate_put(path, json=body).status_code == 404
    for tags in ('"x"', 'W/"x", "y"'):
        assert full.simulate_put(path, json=body, headers={"If-None-Match": tags}).status_code == 404
    for tag in ("*", '"x"'):
        assert full.simulate_put(path, json=body, headers=only_new | {"If-Match": tag}).status_code == 400
    without_key = {name: value for name, value in body.items() if name not in ("id", "type")}
    made = full.simulate_put(path, json=without_key, headers=only_new)
    assert (made.status_code, made.json, made.headers["Location"]) == (201, body, path)
    assert full.simulate_get(path).headers["ETag"] == made.headers["ETag"]
    assert full.activated[-1] == full.store.environment("default")
    assert full.simulate_put(path, json=without_key, headers=only_new).status_code == 412


def test_other_changes_create_nothing(full: Managed) -> None:
    for method in ("PATCH", "DELETE"):
        answer = full.simulate_request(method, f"{ROOT}/roles/new", json={}, headers={"If-None-Match": "*"})
        assert answer.status_code == 404


def test_a_body_that_names_another_key_creates_nothing(full: Managed) -> None:
    path = f"{ROOT}/subjects/us%2Fer/%F0%9F%98%80"
    refused = full.simulate_put(path, json={"type": "user"}, headers={"If-None-Match": "*"})
    assert (refused.status_code, codes(refused)) == (400, [("wrong-key", "$.type")])
    made = full.simulate_put(path, json={"id": "😀"}, headers={"If-None-Match": "*"})
    assert (made.status_code, made.json, made.headers["Location"]) == (201, {"type": "us/er", "id": "😀"}, path)


def test_an_equal_assignment_answers_with_the_existing_one(full: Managed) -> None:
    body, revision = MEMBERS["assignments"], full.store.revision_of("default")
    there = full.simulate_get(path_of("assignments"))
    unnamed = {"group": "eng", "role": "editor"}
    for sent in (body, unnamed, {"id": None} | unnamed, {"id": "a2"} | unnamed):
        answer = full.simulate_post(f"{ROOT}/assignments", json=sent)
        assert (answer.status_code, answer.json) == (200, body)
        assert (answer.headers["Location"], answer.headers["ETag"]) == (path_of("assignments"), there.headers["ETag"])
    assert full.store.revision_of("default") == revision
    dated = {"expires_at": "2035-01-01T00:00:00Z"}
    assert full.simulate_post(f"{ROOT}/assignments", json=body | dated).status_code == 409
    assert full.simulate_post(f"{ROOT}/assignments", json=body | dated | {"id": "a2"}).status_code == 201
    refused = full.simulate_put(f"{ROOT}/assignments/a2", json=body | {"id": "a2"})
    assert (refused.status_code, refused.json["details"][0]["code"]) == (409, "equal-assignment")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_every_change_heeds_if_match(full: Managed, method: str) -> None:
    path, body = path_of("grants"), MEMBERS["grants"] | {"expires_at": "2035-01-01T00:00:00Z"}
    tag = full.simulate_get(path).headers["ETag"]
    assert full.simulate_request(method, path, json=body, headers={"If-Match": '"old"'}).status_code == 412
    assert full.simulate_get(path).headers["ETag"] == tag
    assert full.simulate_request(method, path, json=body, headers={"If-Match": tag}).status_code in (200, 204)


@pytest.mark.parametrize(
    ("header", "status"), [("{}", 304), ("W/{}", 304), ('"x", {}', 304), ("*", 304), ('"x"', 200), ("x", 400)]
)
def test_if_none_match(full: Managed, header: str, status: int) -> None:
    tag = full.simulate_get(path_of("roles")).headers["ETag"]
    answer = full.simulate_get(path_of("roles"), headers={"If-None-Match": header.format(tag)})
    assert answer.status_code == status
    if status != 400:
        assert answer.headers["ETag"] == tag
    assert (answer.content == b"") == (status == 304)


def test_a_merge_patch_removes_what_is_null_and_never_opens_an_allow(full: Managed) -> None:
    path = path_of("policies")
    assert full.simulate_patch(path, json={"priority": 5, "name": "x"}).json["priority"] == 5
    assert full.simulate_patch(path, json={"name": None}).json == MEMBERS["policies"] | {"priority": 5}
    refused = full.simulate_patch(path, json={"roles": None})
    assert (refused.status_code, codes(refused)) == (400, [("roles-lost", "$.roles")])
    body = MEMBERS["policies"] | {"conditions": {"ip_allowlist": ["10.0.0.0/8"]}}
    assert full.simulate_put(path, json={name: body[name] for name in body if name != "roles"}).status_code == 200
    refused = full.simulate_patch(path, json={"conditions": {"ip_allowlist": None}})
    assert (refused.status_code, codes(refused)) == (400, [("conditions-lost", "$.conditions")])
    refused = full.simulate_patch(path, json={"id": "other"})
    assert (refused.status_code, codes(refused)) == (400, [("wrong-key", "$.id")])


def test_what_is_used_stays_unless_its_users_go_too(full: Managed) -> None:
    refused = full.simulate_delete(path_of("roles"))
    assert refused.status_code == 409
    assert [detail["path"] for detail in refused.json["details"]] == ["policies/p7", "assignments/a1"]
    assert full.simulate_delete(f"{path_of('roles')}?cascade=yes").status_code == 400
    assert full.simulate_delete(f"{path_of('roles')}?cascade=true").status_code == 204
    assert full.simulate_get(path_of("policies")).status_code == 404, "its last role is gone, and it is not open to all"


def test_a_list_is_paged_across_the_chunks_that_are_read(service: Managed) -> None:
    ids = [f"r{number:03}" for number in range(250)]
    assert service.simulate_post(f"{ROOT}/roles:batch", json={"items": [{"id": id} for id in ids]}).status_code == 201
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        page = service.simulate_get(f"{ROOT}/roles?limit=120{cursor and '&cursor=' + cursor}").json
        found += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert found == ids
    assert len(service.simulate_get(f"{ROOT}/roles").json["items"]) == 100
    assert service.simulate_get(f"{ROOT}/roles?limit=250").json["next_cursor"] is None


def test_a_list_is_filtered_by_its_fields(full: Managed) -> None:
    for query, found in [
        ("grants?subject.type=user&subject.id=alice", 1),
        ("grants?subject.id=bob", 0),
        ("policies?role=editor&effect=ALLOW&enabled=true", 1),
        ("subjects?external_id=idp%7C1", 1),
        ("groups?members.id=alice", 1),
        ("roles?name=", 0),
    ]:
        assert len(full.simulate_get(f"{ROOT}/{query}").json["items"]) == found, query


@pytest.mark.parametrize(
    "query",
    [
        "colour=red",
        "limit=0",
        "limit=1001",
        "limit=x",
        "limit=",
        "cursor=x",
        "cursor=",
        "name=a&name=b",
        "name=%ff",
        "name=%zz",
        "x",
        "&".join(f"a{n}=1" for n in range(30)),
    ],
)
def test_a_bad_query_is_one_sentence(service: Managed, query: str) -> None:
    answer = service.simulate_get(f"{ROOT}/roles?{query}")
    assert (answer.status_code, answer.json.keys()) == (400, {"error"})


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "roles"),
        ("PUT", "roles/editor"),
        ("DELETE", "roles/editor"),
        ("GET", "roles/editor"),
        ("POST", "roles:batch"),
        ("PUT", "model"),
        ("GET", "model"),
        ("GET", "revisions/1"),
        ("GET", ""),
    ],
)
def test_an_unknown_parameter_is_never_left_aside(full: Managed, method: str, path: str) -> None:
    answer = full.simulate_request(method, f"{ROOT}/{path}".rstrip("/") + "?dryrun=true", json={"id": "x"})
    assert (answer.status_code, "`dryrun`" in answer.json["error"]) == (400, True)
    assert full.store.revision_of("default") == len(MEMBERS)


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415, None),
        ({}, b"{}", 415, None),
        (PATCH, b"{}", 415, None),
        ({"Content-Type": "application/json"}, b"[]", 400, "not-an-object"),
        ({"Content-Type": "application/json"}, b"{", 400, "invalid-json"),
        ({"Content-Type": "application/json"}, b'{"id": "a", "x": {"b": 1, "b": 1}}', 400, "duplicate-member"),
        ({"Content-Type": "application/json"}, b'{"id": "\\ud800"}', 400, None),
        ({"Content-Type": "application/json"}, b" " * 2_000, 413, "body-too-large"),
    ],
)
def test_a_body_that_is_no_element(
    tmp_path: Path, headers: dict[str, str], body: bytes, status: int, code: str | None
) -> None:
    service = Managed(tmp_path, HttpLimits(body_bytes=1_000))
    answer = service.simulate_post(f"{ROOT}/roles", body=body, headers=headers)
    assert answer.status_code == status
    if code:
        assert answer.json["details"][0]["code"] == code
    if status == 415:
        assert answer.headers["Accept"] == "application/json"
    service.store.close()


def test_the_place_of_a_repeated_member_is_told(service: Managed) -> None:
    body = b'{"id": "p", "conditions": {"resource_attrs": [{"key": "a"}, {"key": "b", "op": "eq", "op": "ne"}]}}'
    answer = service.simulate_post(f"{ROOT}/policies", body=body, headers={"Content-Type": "application/json"})
    assert codes(answer) == [("duplicate-member", "$.conditions.resource_attrs[1].op")]


def test_a_store_that_can_not_be_written_is_503_and_says_when_to_try_again(tmp_path: Path) -> None:
    service = Managed(tmp_path, busy_seconds=0.05)
    with closing(connect(tmp_path / "writ.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = service.simulate_post(f"{ROOT}/roles", json={"id": "editor"})
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert answer.json.keys() == {"error"}
        assert service.simulate_get(f"{ROOT}/roles").status_code == 200, "reads go on"
    assert service.simulate_post(f"{ROOT}/roles", json={"id": "editor"}).status_code == 201
    service.store.close()


def test_a_damaged_store_is_503_for_reads_too(tmp_path: Path) -> None:
    service = Managed(tmp_path / "data")
    service.store.close()
    for file in (tmp_path / "data").iterdir():
        file.write_bytes(b"no database")
    for method, path in [("GET", "/roles"), ("GET", "/model"), ("POST", "/roles"), ("GET", "/revisions")]:
        answer = service.simulate_request(method, ROOT + path, json={"id": "x"})
        assert (answer.status_code, "damaged" in answer.json["error"]) == (503, True), path


def test_the_event_loop_never_touches_the_store(full: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    transaction = type(full.store._connections)._transaction

    def noted(self: Any, *arguments: Any) -> Any:
        used.add(threading.current_thread().name.rsplit("_")[0])
        return transaction(self, *arguments)

    monkeypatch.setattr(type(full.store._connections), "_transaction", noted)
    for method, path in [
        ("GET", "/roles"),
        ("POST", "/roles"),
        ("GET", "/policies/p7"),
        ("GET", "/revisions/1"),
        ("GET", ""),
    ]:
        full.simulate_request(method, ROOT + path, json={"id": "x"})
    full.simulate_get("/v1/environments")
    full.simulate_delete("/v1/environments/none")
    assert used == {"store-read", "store-write"}


def test_a_long_body_is_read_by_the_same_rules(service: Managed) -> None:
    """By a thread, and in linear time: the last member of tens of thousands stands there twice."""
    members = ",".join(f'"a{number}":1' for number in range(40_000))
    answer = service.simulate_post(
        f"{ROOT}/roles", body=f'{{"id":"q",{members},"z":1,"z":2}}', headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, codes(answer)) == (400, [("duplicate-member", "$.z")])
    whole = {"id": "alice", "type": "user", "attributes": {f"a{number}": number for number in range(8_000)}}
    assert service.simulate_post(f"{ROOT}/subjects", json=whole).status_code == 201
    assert service.simulate_get(f"{ROOT}/subjects/user/alice").json == whole


def test_a_write_that_would_make_two_grants_equal_names_the_other_one(full: Managed) -> None:
    """P8: the other grant does not refer to this one."""
    full.create("grants", MEMBERS["grants"] | {"id": "other", "expires_at": "2035-01-01T00:00:00Z"})
    refused = full.simulate_put(f"{ROOT}/grants/other", json=MEMBERS["grants"] | {"id": "other"})
    (detail,) = refused.json["details"]
    assert (refused.status_code, detail["code"], detail["path"]) == (
        409,
        "equal-grant",
        f"grants/{MEMBERS['grants']['id']}",
    )
    assert detail["message"] == refused.json["error"]
    assert detail["message"].endswith("is equal to this grant")
