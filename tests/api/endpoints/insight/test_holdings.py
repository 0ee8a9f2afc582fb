"""`GET …/subjects/{type}/{id}/holdings`: groups with the way into each, roles by assignment, grants (P2, P3)."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.insight import subject_holdings
from writ.bundles.conditions.instants import parse_instant
from writ.compiler.source import Source

from tests.support import oracle, oracle_entities
from tests.support.managed import ROOT, Managed
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

ALICE = {"type": "user", "id": "alice"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}, {"id": "auditor"}, {"id": "other"}],
    "groups": [
        {"id": "eng", "members": [{"group": "backend"}, {"group": "eng"}]},
        {"id": "backend", "members": [ALICE, {"group": "all"}]},
        {"id": "all", "members": [{"group": "eng"}]},
        {"id": "guests"},
    ],
    "subjects": [ALICE | {"external_id": "idp|1", "attributes": {"department": "sales"}}],
    "assignments": [
        {"id": "a3", "role": "editor", "group": "eng", "expires_at": "2020-01-01T00:00:00Z"},
        {"id": "a2", "role": "editor", "subject": ALICE, "starts_at": "2090-01-01T00:00:00Z"},
        {"id": "a1", "role": "auditor", "group": "all"},
        {"id": "a0", "role": "other", "group": "guests"},
        {"id": "a4", "role": "other", "subject": {"type": "user", "id": "bob"}},
    ],
    "grants": [
        {"id": "g1", "subject": ALICE, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]},
        {
            "id": "g2",
            "subject": {"type": "bot", "id": "alice"},
            "resource": {"type": "document", "id": "d"},
            "actions": ["*"],
        },
        {"id": "g3", "group": "eng", "resource": {"type": "document", "id": "d2"}, "actions": ["read"]},
        {"id": "g0", "group": "guests", "resource": {"type": "document", "id": "d2"}, "actions": ["read"]},
    ],
}


def stored(service: Managed, model: dict[str, Any] = MODEL) -> None:
    source = Source("model.json", json.dumps(model).encode())
    service.store.put_model("default", COMMAND_LINE, (source,))


def path(type: str, id: str) -> str:
    return f"{ROOT}/subjects/{type}/{id}/holdings"


def test_a_subject_is_shown_with_everything_that_it_holds(service: Managed) -> None:
    stored(service)
    assert service.simulate_get(path("user", "alice")).json == {
        "subject": MODEL["subjects"][0],
        "groups": [
            {"id": "backend", "through": []},
            {"id": "eng", "through": ["backend"]},
            {"id": "all", "through": ["backend", "eng"]},
        ],
        "roles": [
            {
                "role": "auditor",
                "assignments": [{"assignment": "a1", "group": "all", "starts_at": None, "expires_at": None}],
            },
            {
                "role": "editor",
                "assignments": [
                    {"assignment": "a2", "group": None, "starts_at": "2090-01-01T00:00:00Z", "expires_at": None},
                    {"assignment": "a3", "group": "eng", "starts_at": None, "expires_at": "2020-01-01T00:00:00Z"},
                ],
            },
        ],
        "grants": [MODEL["grants"][0], MODEL["grants"][2]],
        "truncated": False,
    }


def test_a_subject_that_an_element_names_is_registered(service: Managed) -> None:
    stored(service)
    found = service.simulate_get(path("user", "bob"))
    assert (found.status_code, found.json["subject"]) == (200, {"type": "user", "id": "bob"})
    assert [one["role"] for one in found.json["roles"]] == ["other"]
    assert service.simulate_get(path("bot", "alice")).json["grants"] == [MODEL["grants"][1]]


@pytest.mark.parametrize("one", ["user/nobody", "bot/bob", "user/%ED%A0%80", "x/alice"])
def test_another_subject_is_not_found(service: Managed, one: str) -> None:
    stored(service)
    answer = service.simulate_get(f"{ROOT}/subjects/{one}/holdings")
    assert answer.status_code in (400, 404)
    assert answer.json["error"]


def test_a_path_is_split_before_it_is_decoded(service: Managed) -> None:
    model = {"model": 1, "subjects": [{"type": "us/er", "id": "x y/holdings"}]}
    stored(service, model)
    assert service.simulate_get(path("us%2Fer", "x%20y%2Fholdings")).json["subject"] == model["subjects"][0]


def test_limits_cut_and_say_so(service: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(service)
    limits = (("MOST_GROUPS", 1, "groups"), ("MOST_ASSIGNMENTS", 1, "roles"), ("MOST_GRANTS", 0, "grants"))
    for limit, most, shown in limits:
        with monkeypatch.context() as patch:
            patch.setattr(subject_holdings, limit, most)
            found = service.simulate_get(path("user", "alice")).json
            assert (found["truncated"], len(found[shown])) == (True, most)
    with monkeypatch.context() as patch:
        patch.setattr(subject_holdings, "MOST_STEPS", 0)
        assert service.simulate_get(path("user", "alice")).json["truncated"]


def test_what_is_held_is_what_decides(service: Managed) -> None:
    """A law over random models: groups and roles in force are those of the oracle (P2 to P4)."""
    now, held = parse_instant("2030-06-15T12:00:00Z") / 10**9, 0
    for seed in range(60):
        model = document(Pick.seeded(seed))
        stored(service, model)
        for subject in oracle_entities.registered_subjects(model):
            answer = service.simulate_get(path(*(quote(part, safe="") for part in subject)))
            assert answer.status_code == 200, answer.text
            found, groups = answer.json, {one["id"] for one in answer.json["groups"]}
            assert groups == oracle.groups_of(model, subject)
            many = [(one["role"], given) for one in found["roles"] for given in one["assignments"]]
            assert {given["group"] for _, given in many} <= groups | {None}
            roles = {role for role, given in many if oracle.in_force(without_nulls(given), now)}
            assert roles == {role for role, _ in oracle.roles_of(model, subject, now)}
            grants = [one for one in granted(service) if is_for(one, subject, groups)]
            assert sorted(found["grants"], key=by_resource) == sorted(grants, key=by_resource)
            held += len(many) + len(found["grants"])
    assert held > 100


def is_for(grant: dict[str, Any], subject: oracle_entities.Key, groups: set[str]) -> bool:
    return grant["group"] in groups if "group" in grant else oracle_entities.key_of(grant["subject"]) == subject


def without_nulls(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def granted(service: Managed) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = service.simulate_get(f"{ROOT}/grants?limit=1000").json["items"]
    return items


def by_resource(grant: dict[str, Any]) -> tuple[str, str, str]:
    return grant["resource"]["type"], grant["resource"]["id"], grant["id"]
