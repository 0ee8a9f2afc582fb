"""Environments: made, listed, kept apart, deleted unless they are the default or protected."""

import json
from typing import Any

import pytest

from tests.support.managed import MEMBERS, Managed

ALL = "/v1/environments"
PATCH = {"Content-Type": "application/merge-patch+json"}


def test_an_environment_has_a_model_of_its_own(full: Managed) -> None:
    made = full.simulate_post(ALL, json={"id": "stage"})
    assert (made.status_code, made.headers["Location"]) == (201, f"{ALL}/stage")
    assert made.json == full.simulate_get(f"{ALL}/stage").json
    assert {**made.json, "uuid": "", "created": ""} == {
        "id": "stage",
        "uuid": "",
        "description": "",
        "protected": False,
        "promotion_only": False,
        "tests_must_pass": False,
        "approvals": 0,
        "epoch": 1,
        "revision": 0,
        "baseline": None,
        "created": "",
    }
    assert full.activated[-1].id == "stage"
    assert full.simulate_get(f"{ALL}/stage/model").json == {"model": 1}
    assert full.simulate_post(f"{ALL}/stage/roles", json=MEMBERS["roles"]).status_code == 201
    tags = {full.simulate_get(f"{ALL}/{env}/roles/editor").headers["ETag"] for env in ("stage", "default")}
    assert len(tags) == 2


def test_environments_are_listed_in_pages(service: Managed) -> None:
    for id in ("b", "a", "c"):
        assert service.simulate_post(ALL, json={"id": id}).status_code == 201
    first = service.simulate_get(f"{ALL}?limit=3").json
    second = service.simulate_get(f"{ALL}?limit=3&cursor={first['next_cursor']}").json
    assert [one["id"] for one in first["items"] + second["items"]] == ["a", "b", "c", "default"]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"id": "default"}, 409, None),
        ({"id": "a/b"}, 400, "$.id"),
        ({"id": ""}, 400, "$.id"),
        ({"id": 1}, 400, "$.id"),
        ({}, 400, "$"),
        ({"id": "x", "protected": "yes"}, 400, "$.protected"),
        ({"id": "x", "colour": 1}, 400, "$"),
    ],
)
def test_a_bad_environment_is_not_made(service: Managed, body: dict[str, Any], status: int, path: str | None) -> None:
    answer = service.simulate_post(ALL, json=body)
    assert answer.status_code == status
    assert [detail["path"] for detail in answer.json.get("details", [])] == ([path] if path else [])
    assert len(service.store.environments()) == 1


def test_the_default_and_protected_ones_stay(service: Managed) -> None:
    service.simulate_post(ALL, json={"id": "prod", "protected": True})
    service.simulate_post(ALL, json={"id": "stage"})
    assert [service.simulate_delete(f"{ALL}/{id}").status_code for id in ("default", "prod", "stage", "stage")] == [
        409,
        409,
        204,
        404,
    ]
    assert "protected" in service.simulate_delete(f"{ALL}/prod").json["error"]


@pytest.mark.parametrize("path", ["", "/roles", "/roles/x", "/model", "/revisions", "/revisions/1", "/subjects/a/b"])
@pytest.mark.parametrize(
    ("env", "shown"),
    [("none", "none"), ("%00", "\\x00"), ("..", ".."), ("x" * 3_000, "x" * 79 + "…"), ("%C3%A9", "é")],
)
def test_an_unknown_environment_is_404(service: Managed, env: str, shown: str, path: str) -> None:
    answer = service.simulate_get(f"{ALL}/{env}{path}")
    assert (answer.status_code, answer.json) == (404, {"error": f"there is no environment `{shown}`"})


def test_a_protected_one_is_unprotected_and_then_deleted(service: Managed) -> None:
    made = service.simulate_post(ALL, json={"id": "prod", "protected": True}).json
    assert service.simulate_delete(f"{ALL}/prod").status_code == 409
    for patch, protected in (({}, True), ({"protected": True}, True), ({"protected": False}, False)):
        answer = service.simulate_patch(f"{ALL}/prod", body=json.dumps(patch), headers=PATCH)
        assert (answer.status_code, answer.json) == (200, made | {"protected": protected})
        assert service.simulate_get(f"{ALL}/prod").json == answer.json
    assert service.simulate_delete(f"{ALL}/prod").status_code == 204
    assert service.simulate_patch(f"{ALL}/prod", json={"protected": True}).status_code == 404


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"protected": None}, "$.protected"),
        ({"protected": 1}, "$.protected"),
        ({"id": "other"}, "$"),
        ({"protected": False, "epoch": 7}, "$"),
    ],
)
def test_nothing_else_of_an_environment_is_changed(service: Managed, body: dict[str, Any], path: str) -> None:
    before = service.simulate_post(ALL, json={"id": "prod", "protected": True}).json
    answer = service.simulate_patch(f"{ALL}/prod", json=body)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [path])
    assert service.simulate_get(f"{ALL}/prod").json == before


@pytest.mark.parametrize(("header", "status"), [("*", (200, 204)), ('"x"', (412, 412)), ("x", (400, 400))])
def test_a_condition_that_nothing_can_fulfil_is_not_left_aside(
    service: Managed, header: str, status: tuple[int, int]
) -> None:
    service.simulate_post(ALL, json={"id": "stage"})
    headers = {"If-Match": header}
    patched = service.simulate_patch(f"{ALL}/stage", json={"protected": False}, headers=headers)
    assert (patched.status_code, service.simulate_delete(f"{ALL}/stage", headers=headers).status_code) == status


def test_the_default_environment_stays_protected(service: Managed) -> None:
    assert service.simulate_patch(f"{ALL}/default", json={"protected": True}).status_code == 200
    assert service.simulate_patch(f"{ALL}/default", json={"protected": False}).status_code == 409
    assert service.simulate_get(f"{ALL}/default").json["protected"] is True
