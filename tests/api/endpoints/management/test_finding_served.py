"""`q=`, `sort=` and `total=` of each list, and `GET …/search`: what has a part of an id or a name."""

import pytest
from writ.api.http.queries import DEFAULT_PAGE_ITEMS

from tests.support.managed import ROOT, Managed

ASKED = {
    "subject": {"type": "user", "id": "u"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d"},
}
PEOPLE = [{"type": "user", "id": f"u{n}", "attributes": {"name": f"Zoë Berg {n}"}} for n in range(3)]


@pytest.fixture
def named(service: Managed) -> Managed:
    model = {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "roles": [{"id": "berg-role", "name": "Climber"}],
        "subjects": [*PEOPLE, {"type": "user", "id": "other"}],
        "assignments": [{"id": "a1", "role": "berg-role", "subject": {"type": "user", "id": "u1"}}],
    }
    assert service.simulate_put(f"{ROOT}/model", json=model).status_code == 200
    return service


def ids(service: Managed, path: str) -> list[str]:
    answer = service.simulate_get(path)
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json["items"]]


def test_a_list_has_what_has_the_part(named: Managed) -> None:
    assert ids(named, f"{ROOT}/subjects?q=ZOE") == ["u0", "u1", "u2"]
    assert ids(named, f"{ROOT}/subjects?q=berg%201&type=user") == ["u1"]
    assert ids(named, f"{ROOT}/assignments?q=u1&role=berg-role") == ["a1"]
    assert ids(named, f"{ROOT}/roles?q=none") == []
    assert ids(named, f"{ROOT}/roles?q=") == ["berg-role"]


def test_pages_and_totals_go_with_a_part(named: Managed) -> None:
    first = named.simulate_get(f"{ROOT}/subjects?q=berg&limit=2&total=true").json
    assert [one["id"] for one in first["items"]] == ["u0", "u1"]
    assert first["total"] == {"count": 3, "more": False}
    assert ids(named, f"{ROOT}/subjects?q=berg&limit=2&cursor={first['next_cursor']}") == ["u2"]
    everything = named.simulate_get(f"{ROOT}/subjects?total=true").json
    assert (len(everything["items"]), everything["total"]) == (4, {"count": 4, "more": False})
    assert "total" not in named.simulate_get(f"{ROOT}/subjects").json


def test_a_list_is_sorted_over_pages_and_their_chunks(service: Managed) -> None:
    roles = [{"id": f"r{n:04}", "name": f"n{999 - n}"} for n in range(DEFAULT_PAGE_ITEMS * 3)]
    assert service.simulate_put(f"{ROOT}/model", json={"model": 1, "roles": roles}).status_code == 200
    page = service.simulate_get(f"{ROOT}/roles?sort=name&limit=250&total=true").json
    rest = ids(service, f"{ROOT}/roles?sort=name&cursor={page['next_cursor']}")
    assert [one["id"] for one in page["items"]] + rest == [one["id"] for one in reversed(roles)]
    assert page["total"]["count"] == len(roles)
    for query in ("sort=colour", "sort=", "sort=name&q=r", f"cursor={page['next_cursor']}"):
        answer = service.simulate_get(f"{ROOT}/roles?{query}")
        assert answer.status_code == (200 if query == "sort=" else 400), query


def test_a_page_of_several_chunks_has_what_has_the_part(service: Managed) -> None:
    """A page is read in chunks, of which one may have nothing."""
    roles = [{"id": f"r{n:04}"} for n in range(DEFAULT_PAGE_ITEMS * 3)]
    assert service.simulate_put(f"{ROOT}/model", json={"model": 1, "roles": roles}).status_code == 200
    assert len(ids(service, f"{ROOT}/roles?q=r0&limit=250")) == 250
    assert ids(service, f"{ROOT}/roles?q=299&limit=1000") == ["r0299"]


def test_one_search_asks_all_lists(named: Managed) -> None:
    found = named.simulate_get(f"{ROOT}/search?q=berg&limit=2").json["lists"]
    shown = [(one["kind"], [item["id"] for item in one["items"]], one["more"]) for one in found]
    assert shown == [("subjects", ["u0", "u1"], True), ("roles", ["berg-role"], False), ("assignments", ["a1"], False)]
    assert found[0]["items"][0] == PEOPLE[0]
    assert named.simulate_get(f"{ROOT}/search").json == {"lists": []}


def test_other_lists_take_a_part_too(named: Managed) -> None:
    for name in ("Straße", "reports"):
        made = {"name": name, "scopes": ["read"]}
        assert named.simulate_post("/v1/clients", json=made).status_code == 201
        assert named.simulate_post("/v1/api-keys", json=made).status_code == 201
    for path in ("/v1/clients", "/v1/api-keys"):
        assert [one["name"] for one in named.simulate_get(f"{path}?q=strasse").json["items"]] == ["Straße"]
        one = named.simulate_get(f"{path}?q=r&limit=1").json
        rest = named.simulate_get(f"{path}?q=r&limit=1&cursor={one['next_cursor']}").json
        assert {item["name"] for item in one["items"] + rest["items"]} == {"Straße", "reports"}
        assert rest["next_cursor"] is None
    assert named.simulate_post("/v1/environments", json={"id": "staging"}).status_code == 201
    assert ids(named, "/v1/environments?q=STAG") == ["staging"]
    tests = {"tests": [{"name": "t", "request": ASKED, "expect": {"decision": False}}]}
    for id in ("night", "day"):
        answer = named.simulate_put(f"{ROOT}/tests/{id}", json=tests, headers={"If-None-Match": "*"})
        assert answer.status_code == 201, answer.text
    assert ids(named, f"{ROOT}/tests?q=GHT") == ["night"]


@pytest.mark.parametrize(
    "query", ["roles?total=yes", f"roles?q={'x' * 257}", "search?limit=21", "search?kind=roles", "attributes?q=x"]
)
def test_what_can_t_be_asked_for_is_refused(named: Managed, query: str) -> None:
    answer = named.simulate_get(f"{ROOT}/{query}")
    assert answer.status_code == 400, answer.text
    assert answer.json["error"]
