"""All grants on a resource as one set: read, set and deleted, with one entity tag."""

from typing import Any

import pytest

from tests.support.managed import MEMBERS, ROOT, Managed

PATH = f"{ROOT}/resources/document/d1/grants"
GRANT = MEMBERS["grants"]
ALICE, BOB = ({"type": "user", "id": name} for name in ("alice", "bob"))


def put(service: Managed, items: list[dict[str, Any]], query: str = "", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.simulate_put(PATH + query, json={"items": items}, headers=named)


def held(service: Managed) -> list[dict[str, Any]]:
    return service.simulate_get(PATH).json["items"]


def test_a_set_replaces_the_grants_in_one_revision(full: Managed) -> None:
    full.create(
        "grants", {"id": "other", "subject": BOB, "resource": {"type": "document", "id": "d2"}, "actions": ["*"]}
    )
    before = full.store.revision_of("default")
    answer = put(full, [{"subject": BOB, "actions": ["read"]}, {"group": "eng", "actions": ["update", "read"]}])
    assert answer.status_code == 200
    assert [one.get("subject", one.get("group")) for one in answer.json["added"]] == [BOB, "eng"]
    assert (answer.json["removed"], answer.json["unchanged"]) == ([GRANT], 0)
    assert held(full) == answer.json["added"]
    assert full.store.revision_of("default") == before + 1
    assert answer.headers["Writ-Revision"] == full.store.environment("default").etag
    assert full.activated[-1].revision == before + 1
    assert full.simulate_get(f"{ROOT}/grants/other").status_code == 200


def test_a_grant_that_is_there_keeps_its_id(full: Managed) -> None:
    before = full.store.revision_of("default")
    term = {"starts_at": "2030-01-01T00:00:00Z"}
    put(full, [GRANT, {"subject": BOB, "actions": ["update", "read"], **term}])
    other = {"subject": BOB, "actions": ["read", "update"], "starts_at": "2030-01-01T01:00:00+01:00"}
    answer = put(full, [{**GRANT, "id": "another"}, other, other])
    assert answer.json == {"added": [], "removed": [], "unchanged": 2}
    assert full.store.revision_of("default") == before + 1
    assert GRANT in held(full)


def test_the_set_that_was_read_may_be_put(full: Managed) -> None:
    read = full.simulate_get(PATH)
    answer = put(full, read.json["items"], If_Match=read.headers["ETag"])
    assert (answer.status_code, answer.json["unchanged"]) == (200, 1)
    assert answer.headers["ETag"] == read.headers["ETag"]


def test_a_set_that_was_changed_meanwhile_stays(full: Managed) -> None:
    """The first of two writers that read the same set changes it. The second one has to read it again."""
    tag = full.simulate_get(PATH).headers["ETag"]
    first = put(full, [GRANT, {"subject": BOB, "actions": ["read"]}], If_Match=tag)
    assert first.status_code == 200
    assert put(full, [], If_Match=tag).status_code == 412
    assert put(full, [], "?dry_run=true", If_Match=tag).status_code == 412
    assert full.simulate_delete(PATH, headers={"If-Match": tag}).status_code == 412
    assert len(held(full)) == 2
    assert put(full, [], If_Match=first.headers["ETag"]).status_code == 200


def test_the_tag_knows_every_change(full: Managed) -> None:
    tags = [full.simulate_get(PATH).headers["ETag"]]
    full.simulate_patch(f"{ROOT}/grants/g1", json={"actions": ["update"]})
    tags.append(full.simulate_get(PATH).headers["ETag"])
    full.simulate_patch(f"{ROOT}/grants/g1", json={"actions": ["read"]})
    tags.append(full.simulate_get(PATH).headers["ETag"])
    full.simulate_delete(f"{ROOT}/grants/g1")
    tags.append(full.simulate_get(PATH).headers["ETag"])
    assert len(set(tags)) == len(tags)
    assert full.simulate_get(PATH, headers={"If-None-Match": tags[-1]}).status_code == 304
    full.create("roles", {"id": "unrelated"})
    assert full.simulate_get(PATH).headers["ETag"] == tags[-1]


def test_a_dry_run_changes_nothing(full: Managed) -> None:
    before, tag = full.store.revision_of("default"), full.simulate_get(PATH).headers["ETag"]
    answer = put(full, [{"subject": BOB, "actions": ["read"]}], "?dry_run=true")
    assert (len(answer.json["added"]), answer.json["removed"]) == (1, [GRANT])
    assert answer.headers["Writ-Revision"] == full.store.environment("default").etag
    assert answer.headers["ETag"] == tag
    assert (held(full), full.store.revision_of("default")) == ([GRANT], before)
    assert put(full, [{"subject": BOB, "actions": ["fly"]}], "?dry_run=true").status_code == 400
    assert full.simulate_get(PATH).headers["ETag"] == tag


def test_all_are_deleted(full: Managed) -> None:
    full.create("grants", {**GRANT, "id": "g2", "subject": BOB})
    answer = full.simulate_delete(PATH)
    assert (answer.status_code, answer.headers["Writ-Revision"]) == (204, full.store.environment("default").etag)
    assert held(full) == []
    assert full.simulate_delete(PATH).status_code == 204
    assert full.simulate_get(f"{ROOT}/resources/document/d1").status_code == 200


def test_the_resource_need_not_be_registered(full: Managed) -> None:
    path = f"{ROOT}/resources/document/un%2Fknown/grants"
    assert full.simulate_get(path).json == {"items": []}
    made = full.simulate_put(path, json={"items": [{"subject": BOB, "actions": ["read"]}]}).json["added"]
    assert [one["resource"] for one in made] == [{"type": "document", "id": "un/known"}]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"items": [GRANT, {"subject": BOB, "actions": ["raed"]}]}, "$.items[1].actions[0]"),
        ({"items": [{"group": "nowhere", "actions": ["read"]}]}, "$.items[0].group"),
        ({"items": [GRANT, {"actions": ["read"]}]}, "$.items[1]"),
        ({"items": [{"subject": 1, "actions": ["read"]}]}, "$.items[0].subject"),
        ({"items": [GRANT, "x"]}, "$.items[1]"),
        ({"items": [GRANT, {**GRANT, "resource": {"type": "document", "id": "d2"}}]}, "$.items[1].resource"),
        ({"items": [{}] * 10_001}, "$.items"),
        ({"items": {}}, "$"),
        ({"items": [], "more": 1}, "$"),
        ({}, "$"),
    ],
)
def test_a_fault_changes_nothing(full: Managed, body: dict[str, Any], place: str) -> None:
    answer = full.simulate_put(PATH, json=body)
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, place)
    assert held(full) == [GRANT]


def test_an_unknown_type_has_no_grants(full: Managed) -> None:
    path = f"{ROOT}/resources/nothing/d1/grants"
    assert full.simulate_put(path, json={"items": [{"subject": BOB, "actions": ["read"]}]}).status_code == 400
    assert full.simulate_get(path).json == {"items": []}
    assert full.simulate_get("/v1/environments/nowhere/resources/document/d1/grants").status_code == 404


def test_a_warning_has_its_place(full: Managed) -> None:
    answer = put(full, [GRANT, {"subject": BOB, "actions": ["read"]}])
    assert '"path":"$.items[1].subject"' in answer.headers["Writ-Warnings"]
