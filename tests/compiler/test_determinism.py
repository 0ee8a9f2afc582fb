"""The same model gives the same bytes, whatever the order of what has none."""

import io
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.compiler.model.source_digest import source_digest

from tests.support.bundling import compiled
from tests.support.diagnosing import load_text
from tests.support.strategies import documents

SETS = {
    *("actions", "members", "roles", "resource_types", "days", "ip_allowlist", "hosts"),
    *("resource_attrs", "subject_attrs", "action_attrs", "context_attrs"),
}
ALICE = {"type": "user", "id": "alice"}
PLAN = {"type": "document", "id": "plan"}
RICH = {
    "resource_types": [
        {"id": "document", "actions": ["read", "update", "sign"], "attributes": {"tags": "array", "by": "object"}},
        {"id": "folder", "actions": ["list", "read"]},
    ],
    "roles": [{"id": "editor"}, {"id": "viewer"}],
    "groups": [{"id": "eng", "members": [ALICE, {"group": "ops"}, {"type": "user", "id": "bob"}]}, {"id": "ops"}],
    "subjects": [ALICE | {"external_id": "x", "attributes": {"b": {"d": [2, 1], "c": 0}, "a": [3, 1]}}],
    "resources": [PLAN | {"attributes": {"z": 1, "tags": ["b", "a"]}}],
    "assignments": [
        {"role": "editor", "group": "eng"},
        {"role": "viewer", "group": "eng"},
        {"role": "editor", "group": "eng", "expires_at": "2027-01-01T00:00Z"},
        {"role": "editor", "group": "eng", "expires_at": "2027-01-01T02:00+01:00"},
    ],
    "grants": [
        {"subject": ALICE, "resource": PLAN, "actions": ["update", "read"]},
        {"subject": ALICE, "resource": PLAN, "actions": ["update"]},
        {"subject": ALICE, "resource": PLAN, "actions": ["read", "update"], "expires_at": "2027-01-02T00:00Z"},
        {"subject": ALICE, "resource": PLAN, "actions": ["update", "read"], "expires_at": "2027-01-01T01:00+01:00"},
    ],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["viewer", "editor"],
            "resource_types": [
                {"resource_type_id": "folder", "actions": ["read", "list"]},
                {"resource_type_id": "*", "actions": ["read"]},
                {"resource_type_id": "document", "actions": ["update", "read"]},
            ],
            "conditions": {
                "resource_attrs": [
                    {"key": "by", "op": "eq", "value": {"name": "a", "at": {"y": [2, 1], "x": 1}}},
                    {"key": "tags", "op": "in", "value": [["b", "a"], [1.0], ["a", "b"], [1]]},
                    {"key": "tags", "op": "eq", "value": ["b", "a"]},
                ],
                "subject_attrs": [{"key": "a", "op": "eq", "value": one} for one in (1.0, 1, True, 2)],
                "context_attrs": [{"key": "a", "op": "nin", "value": ["b", 10, 9, True, {"y": 1, "x": 2}, 1, 1.0]}],
                "time_window": {"days": ["tue", "mon"], "start": "09:00", "timezone": "Europe/Oslo"},
                "ip_allowlist": ["10.0.0.2", "10.0.0.1", "::1"],
            },
        }
    ],
}


def bundle(document: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    compiled(document).write(file)
    return file.getvalue()


def digest(document: dict[str, Any]) -> str:
    return source_digest(load_text(json.dumps({"model": 1} | document)).model)


def reordered(document: dict[str, Any], random: Random) -> dict[str, Any]:
    """The same model: lists but `routes`, members of objects and sets in another order, sets with repeats."""
    members = {name: member for name, member in document.items() if name != "model"}
    shown = {name: _member(name, member, random) for name, member in members.items()}
    return {name: shown[name] for name in _shuffled(list(shown), random)}


def _member(name: str, member: Any, random: Random) -> Any:
    """A member of the document: a list of elements, or the attributes that it declares."""
    if not isinstance(member, list):
        return _rekeyed(member, random)
    elements = [_element(one, random) for one in member]
    return elements if name == "routes" else _shuffled(elements, random)


def _element(value: Any, random: Random) -> Any:
    if not isinstance(value, dict):
        return value
    is_set = SETS | {"value"} if value.get("op") in ("in", "nin") else SETS
    found = {}
    for name in _shuffled(list(value), random):
        member = value[name]
        if name in is_set and isinstance(member, list):
            inside = _rekeyed if name == "value" else _element
            found[name] = _shuffled([inside(one, random) for one in (*member, *member[:2])], random)
        else:
            found[name] = _rekeyed(member, random) if name in ("value", "attributes") else _element(member, random)
    return found


def _rekeyed(value: Any, random: Random) -> Any:
    """A JSON value whose arrays keep their order."""
    if isinstance(value, list):
        return [_rekeyed(one, random) for one in value]
    if isinstance(value, dict):
        return {name: _rekeyed(value[name], random) for name in _shuffled(list(value), random)}
    return value


def _shuffled(values: list[Any], random: Random) -> list[Any]:
    return random.sample(values, len(values))


@pytest.mark.parametrize("seed", range(10))
def test_a_rich_model_in_another_order_gives_the_same_bytes(seed):
    assert bundle(reordered(RICH, Random(seed))) == bundle(RICH)


@given(documents(), st.randoms(use_true_random=False))
def test_any_model_in_another_order_gives_the_same_bytes(document, random):
    grants = [{name: grant[name] for name in grant if name != "id"} for grant in document.get("grants", [])]
    document = document | {"grants": grants}
    assert bundle(reordered(document, random)) == bundle(document)


DIFFERENT = {
    "an array in a constant has an order": ('"value": ["b", "a"]}], "subject', '"value": ["a", "b"]}], "subject'),
    "an array of an attribute has an order": ('"tags": ["b", "a"]', '"tags": ["a", "b"]'),
    "a flag is not a number": ('[1.0], ["a", "b"]', '[true], ["a", "b"]'),
    "a day": ('["tue", "mon"]', '["tue"]'),
    "a member": ('{"group": "ops"}, ', ""),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_another_model_gives_another_digest(case):
    old, new = DIFFERENT[case]
    text = json.dumps(RICH)
    assert text.count(old) == 1
    other = json.loads(text.replace(old, new))
    assert digest(other) != digest(RICH)
    assert bundle(other) != bundle(RICH)


def test_the_order_of_routes_has_a_meaning():
    route = {"methods": ["GET", "PUT"], "resource_type": "document", "action": "read"}
    routes = [route | {"id": "a", "path": "/{id}"}, route | {"id": "b", "path": "/x/{id}"}]
    first, second = (RICH | {"routes": many} for many in (routes, routes[::-1]))
    assert digest(first) != digest(second) != digest(RICH)
    assert bundle(first) != bundle(second)
    turned = [one | {"methods": ["PUT", "GET"]} for one in routes]
    assert bundle(RICH | {"routes": turned}) == bundle(first)
