"""Many elements in one request: all or none, in one revision, faults with their place."""

from typing import Any

import pytest

from tests.support.managed import MEMBERS, ROOT, Managed


def test_all_are_there_in_one_revision(full: Managed) -> None:
    before = full.store.revision_of("default")
    items = [{"id": f"r{number}"} for number in range(1_000)]
    answer = full.simulate_post(f"{ROOT}/roles:batch", json={"items": items})
    assert (answer.status_code, answer.json) == (201, {"items": items})
    assert full.store.revision_of("default") == before + 1
    assert full.activated[-1].revision == before + 1


def test_elements_of_a_batch_may_refer_to_each_other(service: Managed) -> None:
    items = [{"id": "all", "members": [{"group": "some"}]}, {"id": "some"}]
    assert service.simulate_post(f"{ROOT}/groups:batch", json={"items": items}).status_code == 201


GRANT = MEMBERS["grants"] | {"expires_at": "2035-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("items", "status", "places"),
    [
        (
            [MEMBERS["grants"] | {"id": "new"}, MEMBERS["grants"] | {"id": "x", "actions": ["raed"]}],
            400,
            ["$.items[1].actions[0]"],
        ),
        ([{"id": "new"}, {"id": "x", "subject": 1}], 400, ["$.items[0]", "$.items[0]", "$.items[0]"]),
        ([GRANT | {"id": "new"}, GRANT | {"id": "g1", "starts_at": "2034-01-01T00:00:00Z"}], 409, []),
        ([MEMBERS["grants"] | {"id": "new"}, "x"], 400, ["$.items[1]"]),
        ([], 400, ["$.items"]),
        ([{"id": str(number)} for number in range(1_001)], 400, ["$.items"]),
        ({"id": "new"}, 400, ["$.items"]),
    ],
)
def test_none_is_there_where_one_is_wrong(full: Managed, items: Any, status: int, places: list[str]) -> None:
    before = full.simulate_get(f"{ROOT}/model").content
    answer = full.simulate_post(f"{ROOT}/grants:batch", json={"items": items})
    assert answer.status_code == status
    assert [detail["path"] for detail in answer.json.get("details", ())][:3] == places
    assert full.simulate_get(f"{ROOT}/model").content == before


def test_equal_assignments_are_the_existing_ones(full: Managed) -> None:
    known, other = MEMBERS["assignments"], {"id": "a2", "role": "editor", "subject": {"type": "user", "id": "bob"}}
    new = {name: value for name, value in other.items() if name != "id"}
    before = full.store.revision_of("default")
    answer = full.simulate_post(f"{ROOT}/assignments:batch", json={"items": [known, other, known, new]})
    assert (answer.status_code, answer.json) == (201, {"items": [known, other, known, other]})
    again = full.simulate_post(f"{ROOT}/assignments:batch", json={"items": [new, known]})
    assert (again.status_code, again.json) == (200, {"items": [other, known]})
    assert full.store.revision_of("default") == before + 1


def test_a_conflict_names_the_item(full: Managed) -> None:
    answer = full.simulate_post(f"{ROOT}/roles:batch", json={"items": [{"id": "new"}, {"id": "editor"}]})
    assert answer.json == {"error": "$.items[1]: the role `editor` exists already"}


@pytest.mark.parametrize(
    ("body", "path"), [({}, "$.items"), ({"items": [{}], "item": []}, "$.item"), ({"items": 1}, "$.items")]
)
def test_a_body_that_is_no_batch(service: Managed, body: dict[str, Any], path: str) -> None:
    answer = service.simulate_post(f"{ROOT}/roles:batch", json=body)
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, path)
