"""People without an entry: a group, an assignment or a grant names them, and each page has them (E3)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import Desk, expect

pytestmark = pytest.mark.browser

Row = dict[str, Any]
PEOPLE = ("by-a-grant", "by-a-group", "by-a-role")


def user(id: str) -> Row:
    return {"type": "user", "id": id}


MODEL: Row = {
    "model": 1,
    "resource_types": [{"id": "chart", "actions": ["read"]}],
    "roles": [{"id": "nurse"}],
    "groups": [{"id": "ward", "members": [user("by-a-group")]}],
    "assignments": [
        {"id": "a1", "role": "nurse", "group": "ward"},
        {"id": "a2", "role": "nurse", "subject": user("by-a-role")},
    ],
    "grants": [
        {"id": "g1", "subject": user("by-a-grant"), "resource": {"type": "chart", "id": "c1"}, "actions": ["read"]}
    ],
    "policies": [
        {
            "id": "nurses",
            "effect": "ALLOW",
            "roles": ["nurse"],
            "resource_types": [{"resource_type_id": "chart", "actions": ["read"]}],
        }
    ],
}


@pytest.fixture
def desk(signed_in: Desk) -> Iterator[Desk]:
    with signed_in.client() as api:
        api.post("/v1/environments", json={"id": "ward"}).raise_for_status()
        api.put("/v1/environments/ward/model", json=MODEL).raise_for_status()
        yield signed_in
        api.delete("/v1/environments/ward").raise_for_status()


def test_they_are_in_the_list_the_matrix_and_the_search(desk: Desk) -> None:
    rows = desk.page.locator("main tbody tr")
    desk.go("#/ward/subjects")
    expect(rows).to_have_count(3)
    for row, id in zip(rows.all(), PEOPLE, strict=True):
        expect(row).to_contain_text(id)
        expect(row).to_contain_text("no entry")
    desk.go("#/ward/subjects?q=a-gro")
    expect(rows).to_have_count(1)
    desk.go("#/ward/matrix")
    expect(rows).to_have_count(3)
    for row, word in zip(rows.all(), ("some", "all", "all"), strict=True):
        expect(row).to_contain_text("no entry")
        expect(row.get_by_role("cell")).to_contain_text(word)
    with desk.client() as api:
        (found,) = api.get("/v1/environments/ward/search?q=by-a-group").json()["lists"]
        assert [one["id"] for one in found["items"]] == ["by-a-group"]


def test_a_field_suggests_them(desk: Desk) -> None:
    desk.go("#/ward/review")
    field = desk.page.get_by_label("Subject: type and id")
    field.fill("by-a-r")
    expect(desk.page.locator("#subject-id-list option[value=by-a-role]")).to_have_count(1)


@pytest.mark.parametrize("id", PEOPLE)
def test_their_access_review_and_their_questions_have_them(desk: Desk, id: str) -> None:
    desk.go(f"#/ward/review/subject/user/{id}")
    right = desk.page.get_by_role("row").filter(has_text="read").last
    right.wait_for()
    desk.settle()
    expect(desk.page.get_by_role("alert")).to_have_count(0)
    expect(desk.page.locator("main")).to_contain_text("has no entry")
    asked = {"subject": user(id), "action": {"name": "read"}, "resource": {"type": "chart", "id": "c1"}}
    desk.go(f"#/ward/try?q={json.dumps(asked)}")
    expect(desk.page.locator(".verdict strong")).to_have_text("Allowed")
    desk.settle()
    expect(desk.page.locator("main")).not_to_contain_text("not registered")
    expect(desk.page.locator("main")).to_contain_text("It has no entry")
