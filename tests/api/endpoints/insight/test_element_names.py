"""`POST …/names`: the names of the elements of a page, at once."""

from typing import Any

import pytest

from tests.support.managed import ROOT, Managed

NAMES = f"{ROOT}/names"
ADA = {"type": "user", "id": "ada", "attributes": {"name": "Ada \u202e"}}


def test_the_names_stand_in_the_order_of_the_request(service: Managed) -> None:
    service.put(f"{ROOT}/model", json={"model": 1, "subjects": [ADA], "roles": [{"id": "r", "name": "Reader"}]})
    elements = [
        {"kind": "roles", "id": "r"},
        {"kind": "roles", "id": "x"},
        {"kind": "subjects", "type": "user", "id": "ada"},
    ]
    assert service.post(NAMES, json={"elements": elements}).json == {"names": ["Reader", None, "Ada \u202e"]}


@pytest.mark.parametrize(
    ("element", "at"),
    [
        ({"kind": "subjects", "id": "ada"}, "$.elements[0].type"),
        ({"kind": "roles", "type": "user", "id": "ada"}, "$.elements[0].type"),
        ({"kind": "grants", "id": "x"}, "$.elements[0].kind"),
        ({"kind": "roles", "id": ""}, "$.elements[0].id"),
        ({"kind": "roles", "id": "r", "name": "x"}, "$.elements[0]"),
    ],
)
def test_what_names_no_element_is_refused(service: Managed, element: dict[str, Any], at: str) -> None:
    answer = service.post(NAMES, json={"elements": [element]})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, at)


def test_a_request_has_a_limit(service: Managed) -> None:
    assert service.post(NAMES, json={"elements": [{"kind": "roles", "id": "r"}] * 1_001}).status_code == 400
