"""A plan never survives a change that it depends on: of roles, grants, rules, types, names and instants."""

from typing import Any

import pytest
from writ.runtime import Engine

from tests.runtime.state.test_overlay import lead
from tests.runtime.test_agreement import check
from tests.support.bundling import engine_for

ALICE, BOB = ({"type": "user", "id": id} for id in ("alice", "bob"))
READ = [{"resource_type_id": "document", "actions": ["read"]}]
CREW = {"id": "crew", "members": [BOB]}
EXPIRY, EXPIRES_AT = 1_000.0, "1970-01-01T00:16:40Z"

BEFORE: dict[str, Any] = {
    "resource_types": [
        {"id": "document", "actions": ["read", "write"]},
        {"id": "folder", "actions": ["read", "write"]},
    ],
    "roles": [{"id": "reader"}, {"id": "barred"}],
    "groups": [{"id": "team"}, CREW],
    "subjects": [{**ALICE, "external_id": "a-1"}, BOB],
    "resources": [{"type": "document", "id": "d1", "name": "Plan"}],
    "assignments": [],
    "policies": [
        {"id": "readers", "effect": "ALLOW", "roles": ["reader"], "resource_types": READ},
        {"id": "barred", "effect": "DENY", "priority": 1, "roles": ["barred"], "resource_types": READ},
        {
            "id": "open",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "*", "actions": ["*"]}],
            "conditions": {"resource_attrs": [{"key": "id", "op": "eq", "value": "d2"}]},
        },
    ],
}


def assigned(role: str, **more: Any) -> dict[str, Any]:
    return {"assignments": [{"role": role, **more}]}


def grant(id: str, action: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "subject": ALICE, "resource": {"type": "document", "id": "d1"}, "actions": [action], **more}


def group_grant(id: str, action: str, group: str = "crew", **more: Any) -> dict[str, Any]:
    return {"id": id, "group": group, "resource": {"type": "document", "id": "d1"}, "actions": [action], **more}


def policies(*changed: dict[str, Any]) -> dict[str, Any]:
    ids = {row["id"] for row in changed}
    return {"policies": [*(row for row in BEFORE["policies"] if row["id"] not in ids), *changed]}


CHANGES = {
    "a role": assigned("reader", subject=ALICE),
    "a role that denies": assigned("barred", subject=ALICE),
    "a role of a group": assigned("reader", group="team") | {"groups": [{"id": "team", "members": [ALICE]}, CREW]},
    "a role of a group that has members": assigned("reader", group="crew"),
    "a role of a group that gets a group": assigned("reader", group="team")
    | {"groups": [{"id": "team", "members": [{"group": "crew"}]}, CREW]},
    "a role of a group that expires": assigned("reader", group="crew", expires_at=EXPIRES_AT),
    "a role that expires": assigned("reader", subject=ALICE, expires_at=EXPIRES_AT),
    "a denying role that expires": assigned("barred", subject=ALICE, expires_at=EXPIRES_AT),
    "a grant": {"grants": [grant("g", "read")]},
    "a grant for another action": {"grants": [grant("g", "write")]},
    "a grant to a group": {"grants": [group_grant("g", "read")]},
    "a grant to a group for another action": {"grants": [group_grant("g", "write")]},
    "a grant to a group that gets a group": {
        "grants": [group_grant("g", "read", group="team")],
        "groups": [{"id": "team", "members": [{"group": "crew"}]}, CREW],
    },
    "a grant to a group that expires": {"grants": [group_grant("g", "read", expires_at=EXPIRES_AT)]},
    "a grant that expires": {"grants": [grant("g", "read", expires_at=EXPIRES_AT)]},
    "a policy for everyone": policies({"id": "all", "effect": "ALLOW", "resource_types": READ}),
    "a policy that denies everyone": policies({"id": "none", "effect": "DENY", "resource_types": READ}),
    "the same id denies": policies({"id": "readers", "effect": "DENY", "priority": 2, "resource_types": READ}),
    "another priority": policies({"id": "barred", "effect": "DENY", "resource_types": READ}),
    "a clock": policies(
        {
            "id": "hours",
            "effect": "ALLOW",
            "resource_types": READ,
            "conditions": {"time_window": {"not_after": EXPIRES_AT}},
        }
    ),
    "a closed type": {"resource_types": [{**BEFORE["resource_types"][0], "closed": True}, BEFORE["resource_types"][1]]},
    "another name of a type": {
        "resource_types": [{**BEFORE["resource_types"][0], "name": "Paper"}, BEFORE["resource_types"][1]]
    },
    "names of types that change places": {
        "resource_types": [
            {**BEFORE["resource_types"][0], "name": "folder"},
            {**BEFORE["resource_types"][1], "name": "document"},
        ]
    },
    "a subject that goes": {"subjects": [BOB]},
    "an external id of another": {"subjects": [ALICE, {**BOB, "external_id": "a-1"}]},
}


def questions() -> list[dict[str, Any]]:
    subjects = [ALICE, BOB, {"type": "user", "external_id": "a-1"}]
    resources = [
        *({"type": type, "id": id} for type in ("document", "folder", "Paper") for id in ("d1", "d2")),
        {"type": "document", "name": "Plan"},
    ]
    hidden = {"id": "d2", "type": "folder"}  # E6: no attribute is an entity's own key
    return [
        {
            "subject": {**subject, "properties": hidden},
            "action": {"name": action},
            "resource": {**resource, "properties": hidden},
            "context": {},
        }
        for subject in subjects
        for action in ("read", "write", "ghost")
        for resource in resources
    ]


def ask(engine: Engine, document: dict[str, Any]) -> None:
    for now in (EXPIRY - 1, EXPIRY, EXPIRY + 1, EXPIRY - 1):
        for request in questions():
            check(engine, document, request, now)


@pytest.mark.parametrize("name", CHANGES)
def test_no_plan_survives_a_change(name, tmp_path):
    """P2, P4, E6, E7, D1 to D6: everything is asked before, after, and after the change was taken back."""
    after = BEFORE | CHANGES[name]
    engine = engine_for(BEFORE, tmp_path / "model.bundle")
    ask(engine, BEFORE)
    lead(engine, BEFORE, after)
    ask(engine, after)
    lead(engine, after, BEFORE)
    ask(engine, BEFORE)


@pytest.mark.parametrize("first", ["a role that denies", "a closed type", "a policy for everyone"])
@pytest.mark.parametrize("second", ["a role that expires", "a role of a group", "a grant for another action"])
def test_no_plan_survives_two_changes(first, second, tmp_path):
    models = [BEFORE, BEFORE | CHANGES[first], BEFORE | CHANGES[first] | CHANGES[second]]
    engine = engine_for(BEFORE, tmp_path / "model.bundle")
    for number, document in enumerate(models):
        if number:
            lead(engine, models[number - 1], document)
        ask(engine, document)
