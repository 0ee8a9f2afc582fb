"""A small model of reports, with questions about it: for repairs in place, and for the tasks of people."""

import json
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

import httpx

from tests.support.console import Desk

ENV: Final = "tasks"
ROOT: Final = f"/v1/environments/{ENV}"
BOB, ANN, CARA = ({"type": "user", "id": id} for id in ("bob", "ann", "cara"))


def _policy(id: str, action: str, **more: Any) -> dict[str, Any]:
    covers = [{"resource_type_id": "report", "actions": [action]}]
    return {"id": id, "effect": "ALLOW", "resource_types": covers} | more


MODEL: Final[dict[str, Any]] = {
    "model": 1,
    "resource_types": [{"id": "report", "actions": ["read", "publish"]}],
    "roles": [{"id": "reader"}, {"id": "chief"}],
    "groups": [{"id": "team", "members": [ANN]}, {"id": "once"}],
    "subjects": [BOB, ANN | {"attributes": {"name": "Ann Arbour"}}, CARA],
    "resources": [
        {"type": "report", "id": "draft", "attributes": {"status": "draft"}},
        {"type": "report", "id": "frozen", "attributes": {"frozen": True}},
    ],
    "assignments": [
        {"id": "a1", "role": "reader", "group": "team"},
        {"id": "a2", "role": "reader", "group": "once", "expires_at": "2020-01-01T00:00:00Z"},
        {"id": "a3", "role": "chief", "subject": CARA},
    ],
    "policies": [
        _policy("readers", "read", roles=["reader"]),
        _policy(
            "chiefs",
            "publish",
            roles=["chief"],
            conditions={"resource_attrs": [{"key": "status", "op": "eq", "value": "final"}]},
        ),
        _policy(
            "freeze",
            "*",
            effect="DENY",
            priority=9,
            conditions={"resource_attrs": [{"key": "frozen", "op": "eq", "value": True}]},
        ),
    ],
}
"""Ann reads by her group, Cara would publish what is final, Bob holds nothing, and nobody touches what is frozen."""


def begin(desk: Desk, env: str = ENV) -> None:
    """Store the model in its environment, as it began."""
    with desk.client() as api:
        api.post("/v1/environments", json={"id": env})
        api.put(f"/v1/environments/{env}/model", json=MODEL).raise_for_status()


def question(subject: Any, action: str, resource: str) -> dict[str, Any]:
    """Returns a question about a report."""
    return {"subject": subject, "action": {"name": action}, "resource": {"type": "report", "id": resource}}


def place(asked: dict[str, Any], page: str = "try") -> str:
    """Returns the address of a page with a question."""
    return f"#/{ENV}/{page}?" + urlencode({"q": json.dumps(asked)})


def allows(api: httpx.Client, asked: dict[str, Any]) -> bool:
    """Returns the decision of the service, with stored attributes."""
    body = asked | {"options": {"attributes": "registered"}}
    answer = api.post(f"/environments/{ENV}/access/v1/evaluation", json=body).raise_for_status()
    return bool(answer.json()["decision"])


def verdict(page: Any) -> Any:
    """The answer that a page shows. A dialog stands above the page."""
    return page.locator(".verdict strong").last


def offers(page: Any) -> Any:
    """The repairs that a page offers."""
    return page.locator(".todo").get_by_role("button")


def is_friday(instant: str) -> bool:
    """Returns whether it is a Friday at 18:00 here, which the browser takes for its own zone."""
    at = datetime.fromisoformat(instant).astimezone()
    return (at.weekday(), at.hour, at.minute) == (4, 18, 0)


WAYS: Final = ["Grant it until…", "Give the role until…", "Add to the group team…"]
READ: Final = question(BOB, "read", "draft")
