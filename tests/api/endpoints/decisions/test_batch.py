"""Merging defaults into items, and where a batch stops (W3, W4; authzen.md 25-41)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import Batch, BatchAnswers, merged, read_batch
from writ.api.http.rejections import BodyRejected
from writ.bundles.event_loop import TakesLong, refuse_on_event_loop
from writ.runtime import BadRequest

from tests.support.event_loops import as_event_loop

USER = {"type": "user", "id": "alice", "properties": {"department": "sales"}}

MERGES: dict[str, tuple[object, object, object]] = {
    "nothing of its own": (USER, None, USER),
    "everything of its own": (USER, {"type": "user", "id": "bob"}, {"type": "user", "id": "bob"}),
    "properties are never merged": (
        USER,
        {"type": "user", "id": "alice", "properties": {"level": 3}},
        {"type": "user", "id": "alice", "properties": {"level": 3}},
    ),
    "properties alone keep the type": (
        USER,
        {"properties": {"level": 3}},
        {"type": "user", "properties": {"level": 3}},
    ),
    "an empty entity keeps the type alone": (USER, {}, {"type": "user"}),
    "an id alone takes the type": (USER, {"id": "bob"}, {"type": "user", "id": "bob"}),
    "the default's type alone takes no id": (USER, {"type": "user"}, {"type": "user"}),
    "another type takes no id": (USER, {"type": "robot"}, {"type": "robot"}),
    "an external id is an identifier": (USER, {"external_id": "x"}, {"type": "user", "external_id": "x"}),
    "null counts as absent": (USER, {"type": None, "id": None}, {"type": "user"}),
    "an empty identifier takes no other": (USER, {"id": ""}, {"type": "user", "id": ""}),
    "an empty type is a type of its own": (USER, {"type": ""}, {"type": ""}),
    "an identifier of the wrong type is one": (USER, {"id": 7}, {"type": "user", "id": 7}),
    "a default without a type": ({"id": "alice"}, {"properties": {}}, {"properties": {}}),
    "an empty default": ({}, {"type": "user", "id": "bob"}, {"type": "user", "id": "bob"}),
    "a default named by its external id": (
        {"type": "user", "external_id": "x"},
        {"properties": {"level": 3}},
        {"type": "user", "properties": {"level": 3}},
    ),
    "its own id beside a default's external id": (
        {"type": "user", "external_id": "x"},
        {"id": "bob"},
        {"type": "user", "id": "bob"},
    ),
    "no default": (None, {"id": "bob"}, {"id": "bob"}),
    "no entity at all": (None, None, None),
    "not an object": (USER, "alice", "alice"),
}


def _without_nulls(entity: object) -> object:
    return {name: value for name, value in entity.items() if value is not None} if isinstance(entity, dict) else entity


@pytest.mark.parametrize(("default", "own", "expected"), MERGES.values(), ids=MERGES)
@pytest.mark.parametrize("part", ["subject", "resource"])
def test_an_entity_is_merged(part: str, default: object, own: object, expected: object) -> None:
    item = {} if own is None else {part: own}
    request = merged({} if default is None else {part: default}, item)
    assert _without_nulls(request.get(part)) == expected


@pytest.mark.parametrize("part", ["subject", "action", "resource"])
def test_an_entity_that_is_null_takes_no_default(part: str) -> None:
    assert merged({part: USER}, {part: None})[part] is None


def test_a_resource_may_be_named_by_its_name() -> None:
    default = {"type": "document", "name": "Plan"}
    assert merged({"resource": default}, {"resource": {}})["resource"] == {"type": "document"}
    assert merged({"resource": default}, {"resource": {"id": "d1"}})["resource"] == {"type": "document", "id": "d1"}
    own = {"type": "document", "id": "d1"}
    assert merged({"resource": own}, {"resource": {"name": "Plan"}})["resource"] == {"type": "document", "name": "Plan"}


def test_the_name_of_a_subject_names_nobody() -> None:
    assert merged({"subject": USER}, {"subject": {"name": "Al"}})["subject"] == {"name": "Al", "type": "user"}


def test_an_action_takes_its_name_alone() -> None:
    default = {"name": "read", "properties": {"soft": True}}
    assert merged({"action": default}, {"action": {"properties": {"hard": 1}}})["action"] == {
        "name": "read",
        "properties": {"hard": 1},
    }
    assert merged({"action": default}, {"action": {"name": "write"}})["action"] == {"name": "write"}
    assert merged({"action": {"name": "read", "id": "x"}}, {"action": {"name": None}})["action"] == {"name": "read"}


def test_a_context_replaces_the_default_whole() -> None:
    assert merged({"context": {"a": 1, "b": 2}}, {"context": {"b": 3}})["context"] == {"b": 3}
    assert merged({"context": {"a": 1}}, {"context": {}})["context"] == {}
    assert merged({"context": {"a": 1}}, {"context": None})["context"] == {"a": 1}


def test_only_the_parts_of_an_evaluation_are_taken_from_an_item() -> None:
    item = {"evaluations": [1], "other": 2}
    assert merged({"options": {"explain": False}}, item) == {"options": {"explain": False}}


def test_an_option_of_an_item_replaces_that_of_the_batch() -> None:
    defaults = {"options": {"explain": False, "attributes": "registered"}}
    assert merged(defaults, {"options": {"explain": True}})["options"] == {"explain": True, "attributes": "registered"}
    assert merged(defaults, {"options": {"attributes": None}})["options"] == defaults["options"]
    assert merged(defaults, {"options": 7})["options"] == 7
    assert merged({}, {"options": {"explain": True}})["options"] == {"explain": True}


def test_merging_changes_neither_side() -> None:
    defaults: dict[str, Any] = {"subject": {"type": "user", "id": "a"}}
    item: dict[str, Any] = {"subject": {"id": "b"}}
    merged(defaults, item)
    assert (defaults, item) == ({"subject": {"type": "user", "id": "a"}}, {"subject": {"id": "b"}})


VALUES = st.sampled_from([None, "", "a", "b", 0, 7, False, [], {}])
ENTITIES = st.dictionaries(st.sampled_from(["type", "id", "external_id", "name", "properties"]), VALUES)


@given(default=ENTITIES, own=ENTITIES)
def test_an_identity_never_comes_from_a_default(default: dict[str, object], own: dict[str, object]) -> None:
    """W3: the answer to an item is about the entity that the item names, or about the whole default."""
    result = merged({"resource": default}, {"resource": own})["resource"]

    def names(entity: dict[str, object]) -> dict[str, object]:
        return {name: entity[name] for name in ("id", "external_id", "name") if entity.get(name) not in (None, "")}

    assert names(result) == names(own)
    assert result.get("properties") == own.get("properties")


# -- reading a batch


def test_without_items_there_is_no_batch() -> None:
    assert read_batch({"subject": USER}, 5) is None
    assert read_batch({"evaluations": None}, 5) is None
    assert read_batch({"evaluations": [], "subject": "ignored, since the single request is judged"}, 5) is None


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ({"evaluations": {}}, "wrong-type", "$.evaluations"),
        ({"evaluations": "x"}, "wrong-type", "$.evaluations"),
        ({"evaluations": False}, "wrong-type", "$.evaluations"),
        ({"evaluations": [{}] * 6}, "too-many-items", "$.evaluations"),
        ({"evaluations": [{}], "options": []}, "wrong-type", "$.options"),
        ({"options": "x"}, "wrong-type", "$.options"),
        ({"evaluations": [{}], "subject": "alice"}, "wrong-type", "$.subject"),
        ({"evaluations": [{}], "resource": []}, "wrong-type", "$.resource"),
        ({"evaluations": [{}], "action": "read"}, "wrong-type", "$.action"),
        ({"evaluations": [{}], "context": 1}, "wrong-type", "$.context"),
        (
            {"options": {"evaluations_semantic": "EXECUTE_ALL"}},
            "unknown-semantic",
            "$.options.evaluations_semantic",
        ),
        (
            {"evaluations": [{}], "options": {"evaluations_semantic": 1}},
            "unknown-semantic",
            "$.options.evaluations_semantic",
        ),
        (
            {"evaluations": [{}], "options": {"evaluations_semantic": []}},
            "unknown-semantic",
            "$.options.evaluations_semantic",
        ),
    ],
)
def test_a_fault_of_the_whole_body_is_refused(body: dict[str, Any], code: str, path: str) -> None:
    with pytest.raises(BodyRejected) as refused:
        read_batch(body, 5)
    assert (refused.value.detail.code, refused.value.detail.path) == (code, path)


def test_too_many_items_are_counted_in_the_message() -> None:
    with pytest.raises(BodyRejected, match=r"`evaluations` has 6 items, the limit is 5"):
        read_batch({"evaluations": [{}] * 6}, 5)


def test_defaults_are_not_validated_beyond_being_objects() -> None:
    body: dict[str, Any] = {"subject": {"type": 5}, "resource": {}, "action": None, "evaluations": [{}]}
    batch = read_batch(body, 5)
    assert batch is not None
    assert batch.defaults == {"subject": {"type": 5}, "resource": {}}


# -- running a batch


def _decide(request: dict[str, Any]) -> dict[str, Any]:
    match request.get("action"):
        case "refuse":
            raise BadRequest("`type` is missing", "$.subject.type")
        case "break":
            raise LookupError("a secret of the request")
        case action:
            return {"decision": action == "allow", "context": {}}


def _run(semantic: str, *actions: str) -> tuple[list[object], list[Exception]]:
    body: dict[str, Any] = {
        "options": {"evaluations_semantic": semantic},
        "evaluations": [{"action": action} for action in actions],
    }
    batch = read_batch(body, 100)
    assert batch is not None
    answers = BatchAnswers(batch, _decide, 10)
    return [answer["decision"] for answer in answers], answers.failures


@pytest.mark.parametrize(
    ("semantic", "actions", "decisions"),
    [
        ("execute_all", ["allow", "deny", "allow"], [True, False, True]),
        ("deny_on_first_deny", ["allow", "deny", "allow"], [True, False]),
        ("deny_on_first_deny", ["allow", "allow"], [True, True]),
        ("deny_on_first_deny", ["allow", "refuse", "allow"], [True, False]),
        ("deny_on_first_deny", ["allow", "break", "allow"], [True, False]),
        ("permit_on_first_permit", ["allow", "deny", "deny"], [True]),
        ("permit_on_first_permit", ["deny", "refuse", "break", "allow", "deny"], [False, False, False, True]),
        ("permit_on_first_permit", ["deny", "deny"], [False, False]),
    ],
)
def test_a_batch_stops_where_its_semantic_says(semantic: str, actions: list[str], decisions: list[bool]) -> None:
    assert _run(semantic, *actions)[0] == decisions


@pytest.mark.parametrize("options", [None, {}, {"evaluations_semantic": None}, {"another_option": "value"}])
def test_everything_runs_by_default(options: object) -> None:
    batch = read_batch({"options": options, "evaluations": [{"action": "deny"}, {"action": "allow"}]}, 5)
    assert batch is not None
    assert [answer["decision"] for answer in BatchAnswers(batch, _decide, 10)] == [False, True]


def test_a_bad_item_is_its_own_denial() -> None:
    batch = Batch([{"action": "refuse"}, "text", None, {"action": "allow"}], {}, None)
    answers = BatchAnswers(batch, _decide, 10)
    assert list(answers) == [
        {
            "decision": False,
            "context": {"error": {"status": 400, "message": "`type` is missing (at $.subject.type)"}},
        },
        {"decision": False, "context": {"error": {"status": 400, "message": "an evaluation must be an object"}}},
        {"decision": False, "context": {"error": {"status": 400, "message": "an evaluation must be an object"}}},
        {"decision": True, "context": {}},
    ]
    assert answers.failures == []


def test_an_item_that_fails_inside_is_denied_and_reported() -> None:
    answers = BatchAnswers(Batch([{"action": "break"}, {"action": "allow"}], {}, None), _decide, 10)
    answered = list(answers)
    assert [answer["decision"] for answer in answered] == [False, True]
    assert answered[0]["context"]["error"]["status"] == 500
    assert "secret" not in str(answered[0])
    assert [type(failure) for failure in answers.failures] == [LookupError]


def test_the_proofs_of_a_batch_are_bounded() -> None:
    """Proofs are slow and large beside decisions: items behind the limit are refused, and say why."""

    def explained(request: Any) -> Any:
        return {"decision": True, "context": {"explanation": {"candidates": []}}}

    most = 2 * len(msgspec.json.encode(explained(None)))
    batch = Batch([{}] * 5, {"options": {"explain": True}}, None)
    encoded = msgspec.json.encode(list(BatchAnswers(batch, explained, most)))
    answered = msgspec.json.decode(encoded)
    assert [answer["decision"] for answer in answered] == [True, True, True, False, False]
    message = answered[3]["context"]["error"]["message"]
    assert message == f"the explanations of this batch have over {most} bytes; send fewer items"


def test_an_item_that_takes_long_is_decided_again_by_another_hand() -> None:
    """The items before it are not, and those after it follow."""
    tried: list[Any] = []

    def decide(request: dict[str, Any]) -> dict[str, Any]:
        tried.append(request["action"])
        if request["action"] == "deny":
            refuse_on_event_loop()
        return _decide(request)

    items: list[object] = [{"action": action} for action in ("allow", "deny", "allow")]
    answers = BatchAnswers(Batch(items, {}, None), decide, 10)
    with as_event_loop():
        found = [next(answers)]
        for _ in range(2):
            with pytest.raises(TakesLong):
                next(answers)
    assert [answer["decision"] for answer in (*found, *answers)] == [True, False, True]
    assert (tried, answers.failures) == (["allow", "deny", "deny", "deny", "allow"], [])
