"""`changes:try`: the faults of changes, and the answer to a question with them; nothing is written."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api.conftest import MODEL
from tests.api.endpoints.previewing.test_test_run import BOB, DOCUMENTED, PATH, PLAN, ROOT
from tests.support.server import running
from tests.support.stored import source

TRY = f"{ROOT}/changes:try"
GIVE = {"kind": "assignments", "element": {"role": "editor", "subject": BOB}}
OWNED = {
    "id": "owned",
    "effect": "ALLOW",
    "resource_types": [{"resource_type_id": "scroll", "actions": ["read"]}],
    "conditions": {
        "resource_attrs": [{"key": "owner", "op": "eq", "value": "bob"}],
        "subject_attrs": [{"key": "cleared", "op": "eq", "value": True}],
    },
}
SCROLL, CARLA = {"type": "scroll", "id": "s"}, {"type": "user", "id": "carla"}
IS_CLEARED = CARLA | {"attributes": {"cleared": True}}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    model = tmp_path_factory.mktemp("try") / "model.json"
    document = MODEL | {"policies": [*MODEL["policies"], OWNED], "groups": [{"id": "editors"}]}
    document["assignments"] = [*MODEL["assignments"], {"role": "editor", "group": "editors"}]
    model.write_bytes(source(document).data)
    with running(model.with_name("data"), "--import", str(model)) as server, server.client() as client:
        yield client


def tried(client: httpx.Client, *changes: Any, **more: Any) -> Any:
    answer = client.post(TRY, json={"changes": changes, **more})
    assert answer.status_code == 200, answer.text
    DOCUMENTED[f"{PATH}/changes:try"]["POST"].validate_response(answer)
    return answer.json()


def asks(resource: Any, **more: Any) -> dict[str, Any]:
    return {"subject": BOB, "action": {"name": "read"}, "resource": resource, **more}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (GIVE, "ALLOWED"),
        ({"kind": "groups", "element": {"id": "editors", "members": [BOB]}}, "ALLOWED"),
        ({"kind": "grants", "element": {"subject": BOB, "resource": PLAN, "actions": ["read"]}}, "ALLOWED"),
        ({"kind": "roles", "element": {"id": "other"}}, "ACTION_NOT_PERMITTED"),
    ],
)
def test_the_question_is_answered_with_the_changes(served: httpx.Client, change: Any, reason: str) -> None:
    before = served.get(f"{ROOT}/model").json()
    found = tried(served, change, request=asks(PLAN))
    assert found["answer"]["context"]["reason_code"] == reason
    assert {one["severity"] for one in found["diagnostics"]} <= {"warning"}
    assert served.get(f"{ROOT}/model").json() == before
    assert served.post("/access/v1/evaluation", json=asks(PLAN)).json()["decision"] is False


def test_a_denial_that_stands_in_the_way_still_denies(served: httpx.Client) -> None:
    """D1: no role helps while a DENY holds, and the answer names it."""
    secret = PLAN | {"properties": {"secret": True}}
    answer = tried(served, GIVE, request=asks(secret))["answer"]
    assert (answer["decision"], answer["overridden_by"]) == (False, ["secret"])


def test_an_assignment_that_starts_later_does_not_allow_yet(served: httpx.Client) -> None:
    later = GIVE | {"element": GIVE["element"] | {"starts_at": "2999-01-01T00:00:00Z"}}
    assert tried(served, later, request=asks(PLAN))["answer"]["decision"] is False


def test_registered_attributes_are_those_after_the_changes(served: httpx.Client) -> None:
    """E9: what the changes put counts, what they leave comes from the store, and what is sent counts first."""
    changes = (
        {"kind": "subjects", "element": IS_CLEARED},
        {"kind": "resources", "element": SCROLL | {"attributes": {"owner": "bob"}}},
    )
    stored = {"subject": CARLA, "options": {"attributes": "registered"}}
    assert tried(served, *changes, request=asks(SCROLL, **stored))["answer"]["decision"] is True
    assert tried(served, *changes, request=asks(SCROLL, subject=CARLA))["answer"]["decision"] is False
    assert tried(served, changes[0], request=asks(SCROLL, **stored))["answer"]["decision"] is False
    sent = SCROLL | {"properties": {"owner": "eve"}}
    assert tried(served, *changes, request=asks(sent, **stored))["answer"]["decision"] is False

    assert served.post(f"{ROOT}/subjects", json=IS_CLEARED).status_code == 201
    try:
        assert tried(served, changes[1], request=asks(SCROLL, **stored))["answer"]["decision"] is True
        gone = {"kind": "subjects", "type": "user", "id": "carla", "element": None}
        assert tried(served, gone, changes[1], request=asks(SCROLL, **stored))["answer"]["decision"] is False
    finally:
        served.delete(f"{ROOT}/subjects/user/carla").raise_for_status()


def test_faults_are_told_at_their_members_and_nothing_is_asked(served: httpx.Client) -> None:
    found = tried(served, GIVE | {"element": {"role": "nobody", "subject": BOB}}, request=asks(PLAN))
    assert (found["revision"], found["answer"]) == (None, None)
    assert [(one["severity"], one["path"], one["change"]) for one in found["diagnostics"]] == [("error", "$.role", 0)]
    assert tried(served, GIVE)["answer"] is None


def test_what_can_not_be_asked_is_refused_as_by_an_evaluation(served: httpx.Client) -> None:
    answer = served.post(TRY, json={"changes": [GIVE], "request": {"subject": BOB}})
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "$.resource")
    assert served.post(TRY, json={"changes": []}).status_code == 400
