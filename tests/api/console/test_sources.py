"""Rate limits as an "if", and where a right comes from: the service says both, and no page works it out."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import Desk, expect

pytestmark = pytest.mark.browser

Row = dict[str, Any]


def policy(id: str, action: str, effect: str = "ALLOW", **conditions: Any) -> Row:
    types = [{"resource_type_id": "doc", "actions": [action]}]
    return {"id": id, "effect": effect, "roles": ["editor"], "resource_types": types, "conditions": conditions}


def on_subject(op: str, value: int) -> Row:
    return {"subject_attrs": [{"key": "level", "op": op, "value": value}]}


MODEL: Row = {
    "model": 1,
    "resource_types": [{"id": "doc", "name": "document", "actions": ["read", "send"]}],
    "roles": [{"id": "editor"}],
    "subjects": [{"type": "user", "id": "ana", "attributes": {"level": 3}}],
    "resources": [{"type": "doc", "id": "d1"}],
    "assignments": [{"id": "a1", "role": "editor", "subject": {"type": "user", "id": "ana"}}],
    "grants": [],
    "policies": [
        policy("send-slowly", "send", rate_limit={"limit": 5, "window_seconds": 60}),
        policy("read-high", "read", **on_subject("gt", 2)),
        policy("read-low", "read", **on_subject("lt", 2)),
        policy("not-frozen", "read", "DENY", resource_attrs=[{"key": "frozen", "op": "eq", "value": True}]),
        policy("not-low", "read", "DENY", **on_subject("lt", 2)),
    ],
}


@pytest.fixture
def desk(signed_in: Desk) -> Iterator[Desk]:
    with signed_in.client() as api:
        api.post("/v1/environments", json={"id": "sourced"}).raise_for_status()
        api.put("/v1/environments/sourced/model", json=MODEL).raise_for_status()
        yield signed_in
        api.delete("/v1/environments/sourced").raise_for_status()


def test_a_rate_limit_is_an_if_in_the_matrix_the_review_what_can_and_who_can(desk: Desk) -> None:
    said = "all, if the rate limit is not reached"
    for rows in ("subjects", "roles"):
        desk.go(f"#/sourced/matrix?type=doc&rows={rows}")
        expect(desk.page.locator("tbody tr").first.get_by_role("cell").last).to_contain_text(said)
    desk.go("#/sourced/review/subject/user/ana")
    expect(desk.page.get_by_role("row").filter(has_text="send")).to_contain_text(said)
    who = {"subject": {"type": "user", "id": "ana"}, "action": {"name": "send"}, "resource": {"type": "document"}}
    desk.go(f"#/sourced/what-can?q={json.dumps(who)}")
    desk.sees("This has a rate limit")
    who |= {"subject": {"type": "user"}, "resource": {"type": "document", "id": "d1"}}
    desk.go(f"#/sourced/who-can?q={json.dumps(who)}")
    desk.sees("This has a rate limit")
    desk.page.get_by_role("button", name="Show who can under which conditions").click()
    desk.sees("the rate limit is not reached")


def test_a_right_comes_from_what_holds_and_from_each_deny(desk: Desk) -> None:
    desk.go("#/sourced/review/subject/user/ana")
    row = desk.page.get_by_role("row").filter(has_text="read-high")
    expect(row.get_by_role("listitem")).to_have_text(
        ["DENYpolicy not-frozen on some by role editor", "policy read-high by role editor"]
    )
    desk.go("#/sourced/matrix?type=doc")
    desk.page.get_by_role("link", name="some").click()
    cell = desk.page.get_by_role("region", name="Cell")
    expect(cell.get_by_role("link", name="read-high")).to_be_visible()
    expect(cell.get_by_role("link", name="not-frozen")).to_be_visible()
    expect(cell.get_by_role("link", name="read-low")).to_be_hidden()
    cell.get_by_text("Policies about this action that do not count here: 2").click()
    expect(cell.get_by_role("link", name="read-low")).to_be_visible()
    expect(cell.get_by_role("link", name="not-low")).to_be_visible()
