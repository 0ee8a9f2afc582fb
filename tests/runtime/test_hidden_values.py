"""What an explanation leaves out for callers who may not read the registry (E9)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.test_registered_attributes import asked, registered
from tests.support.bundling import engine_with_registry

Row = dict[str, Any]
SECRETS: Row = {"salary": 99_999, "until": "2031-05-05T05:05:05Z", "boss": "secret-boss", "tags": ["secret-tag"]}
SHOWN = ("99999", "99998", "100000", "2031-05", "secret", "77777", "77778")
"""Texts that only registered values bring into an answer."""


def policy(id: str, section: str, conditions: list[Row], effect: str = "ALLOW") -> Row:
    types = [{"resource_type_id": "t1", "actions": ["delete"]}]
    return {"id": id, "effect": effect, "resource_types": types, "conditions": {section: conditions}}


def model(*policies: Row) -> Row:
    return {
        "extensions": ["references", "arrays", "now"],
        "resource_types": [{"id": "t1", "name": "document", "actions": ["read", "delete"]}],
        "subjects": [
            {"type": "user", "id": "ann", "attributes": SECRETS},
            {"type": "agent", "id": "bot", "attributes": {"salary": 77_777}},
        ],
        "resources": [{"type": "t1", "id": "d1", "attributes": {"owner": "secret-owner", "price": 99_999}}],
        "policies": list(policies),
    }


POLICIES = {
    "a constant": policy("p", "subject_attrs", [{"key": "salary", "op": "lt", "value": 5}]),
    "a reference to it": policy("p", "resource_attrs", [{"key": "limit", "op": "gte", "value_of": "subject.salary"}]),
    "a reference on it": policy("p", "resource_attrs", [{"key": "price", "op": "lt", "value_of": "subject.salary"}]),
    "from the context": policy("p", "context_attrs", [{"key": "amount", "op": "gt", "value_of": "subject.salary"}]),
    "now": policy("p", "subject_attrs", [{"key": "until", "op": "lt", "value_of": "now"}]),
    "the owner": policy("p", "resource_attrs", [{"key": "owner", "op": "eq", "value_of": "subject.id"}]),
    "elements": policy("p", "resource_attrs", [{"key": "of", "op": "has_any", "value_of": "subject.tags"}]),
    "a text": policy("p", "resource_attrs", [{"key": "boss", "op": "eq", "value_of": "subject.boss"}]),
    "a pattern": policy("p", "subject_attrs", [{"key": "boss", "op": "regex", "value": "^x"}]),
    "one of": policy("p", "subject_attrs", [{"key": "boss", "op": "in", "value": ["a", "b"]}]),
}


@pytest.mark.parametrize("name", POLICIES)
def test_no_registered_value_is_shown(name: str, tmp_path: Path) -> None:
    engine = engine_with_registry(model(POLICIES[name]), tmp_path / "m")
    request = registered(asked(), explain=True)
    whole, found = engine.decide(request), engine.without_registered_values().decide(request)
    assert any(one in json.dumps(whole) for one in SHOWN), "else this tests nothing"
    assert not [one for one in SHOWN if one in json.dumps(found)]
    assert "_hidden" in json.dumps(found)
    assert (found["decision"], found["context"]["reason"]) == (whole["decision"], whole["context"]["reason"])
    sets = [one["context"]["explanation"]["why_not"]["sets"] for one in (whole, found)]
    assert sets[0]
    assert [one["who"] for one in sets[0]] == [one["who"] for one in sets[1]]


def test_what_was_sent_is_shown(tmp_path: Path) -> None:
    engine = engine_with_registry(model(POLICIES["a reference on it"]), tmp_path / "m").without_registered_values()
    properties = {"salary": 7, "boss": "me"}
    found = engine.decide(registered(asked({"properties": properties}), explain=True))
    (candidate,) = found["context"]["explanation"]["candidates"]
    (condition,) = candidate["conditions"]
    assert condition["value"] == 7
    assert condition["actual_hidden"] is True
    assert "actual" not in condition


def test_constants_of_policies_still_tell_what_would_allow(tmp_path: Path) -> None:
    engine = engine_with_registry(model(POLICIES["one of"]), tmp_path / "m").without_registered_values()
    found = engine.decide(registered(asked(), explain=True))["context"]["explanation"]["why_not"]
    changes = [one["changes"] for one in found["sets"] if one["changes"][0]["kind"] == "attribute"]
    assert changes == [[{"who": "administrator", "kind": "attribute", "path": "subject.boss", "value": "a"}]]


@pytest.mark.parametrize("listed", [False, True])
def test_an_actor(listed: bool, tmp_path: Path) -> None:
    model_of_actor = model(policy("p", "subject_attrs", [{"key": "salary", "op": "gt", "value": 80_000}]))
    actor: Row = {"type": "agent", "id": "bot"}
    request = registered(asked(), explain=True, actor=[actor] if listed else actor)
    engine = engine_with_registry(model_of_actor, tmp_path / "m")
    whole = engine.decide(request)
    assert whole["context"]["denied_for"].startswith("actor")
    assert "77777" in json.dumps(whole)
    found = json.dumps(engine.without_registered_values().decide(request))
    assert not [one for one in SHOWN if one in found]
    assert found.count('"actual_hidden"') == 2


def test_a_pinned_engine_still_leaves_them_out(tmp_path: Path) -> None:
    engine = engine_with_registry(model(POLICIES["a constant"]), tmp_path / "m").without_registered_values()
    request = registered(asked(), explain=True)
    for one in (engine.pinned(), engine.held(), engine.uncounted()):
        assert "99999" not in json.dumps([*one.decide_many([request]), one.decide(request), one.why_not(request)])
