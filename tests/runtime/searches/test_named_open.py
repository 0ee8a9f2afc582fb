"""Searches and filters name what is left open, and nothing else (S6)."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import writ.testing
from writ.runtime import Engine
from writ.runtime.asking import PLAIN
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search
from writ.runtime.searches.cached_filters import MOST_ENCODED
from writ.testing import TestingEngine

Row = dict[str, Any]
READ = [{"resource_type_id": "doc", "actions": ["read"]}]
EXPORT = [{"resource_type_id": "doc", "actions": ["export"]}]
MFA = {"key": "mfa", "op": "eq", "value": True}
SALES = {"key": "department", "op": "eq", "value": "sales"}
OPEN = {"key": "status", "op": "eq", "value": "open"}
OFFICE = {"ip_allowlist": ["10.0.0.0/8"]}
MORNING = {"time_window": {"start": "08:00", "end": "12:00"}}


def policy(id: str, effect: str = "ALLOW", types: list[Row] = READ, **more: Any) -> Row:
    return {"id": id, "effect": effect, "resource_types": types, **more}


def model(*policies: Row, **more: Any) -> Row:
    return {
        "model": 1,
        "resource_types": [{"id": "doc", "actions": ["read", "export"]}],
        "roles": [{"id": "boss"}],
        "assignments": [{"role": "boss", "subject": {"type": "user", "id": "ann"}}],
        "resources": [{"type": "doc", "id": "d1", "attributes": {"status": "open"}}],
        "policies": [*policies],
        **more,
    }


def opened(document: Row, path: Path) -> TestingEngine:
    (file := path / "model.json").write_text(json.dumps(document))
    return writ.testing.engine(file, strict=False, clock=lambda: 0.0)


def asked(**more: Any) -> Row:
    names = {"subject": {"type": "user", "id": "bob"}, "action": {"name": "read"}}
    return {**names, "resource": {"type": "doc", "id": "d1"}, **more}


def resources(engine: Engine, found: bool = True, **more: Any) -> tuple[str, ...]:
    return engine.left_open(read_resource_search(asked(**more)), found=found)


def subjects(engine: Engine, **more: Any) -> tuple[str, ...]:
    return engine.left_open(read_subject_search(asked(**more)))


def actions(engine: Engine, **more: Any) -> tuple[str, ...]:
    return engine.find_actions(read_action_search(asked(**more))).left_open


def filtered(engine: Engine, **more: Any) -> list[str] | None:
    """The names of a filter, derived anew, from the cache, and as JSON."""
    request = asked(**({"options": {"return": "filter"}} | more))
    first = engine.filter(request)
    body = msgspec.json.encode({**request, "resource": {"type": request["resource"]["type"]}})
    encoded = engine.filter_json(body, PLAIN.search, 0.0)
    assert engine.filter(request) == first
    assert encoded is None or msgspec.json.decode(encoded) == first
    names: list[str] | None = first["context"].get("left_open")
    return names


CONDITIONS = {"context_attrs": [MFA], "subject_attrs": [SALES], "resource_attrs": [OPEN]}


def test_each_search_names_what_it_lacks(tmp_path: Path) -> None:
    """The searched entity is known from its registration, and the tree of a filter names the resource's attributes."""
    engine = opened(model(policy("p", conditions=CONDITIONS)), tmp_path)
    assert resources(engine) == ("context.mfa", "subject.department")
    assert subjects(engine) == ("context.mfa", "resource.status")
    assert actions(engine) == ("context.mfa", "resource.status", "subject.department")
    assert filtered(engine) == ["context.mfa", "subject.department"]
    assert resources(engine, context={"mfa": True}) == ("subject.department",)


def test_a_condition_that_fails_leaves_nothing_open(tmp_path: Path) -> None:
    engine = opened(model(policy("p", conditions=CONDITIONS)), tmp_path)
    other = {"type": "user", "id": "bob", "properties": {"department": "legal"}}
    assert resources(engine, subject=other) == ()
    assert filtered(engine, subject=other) is None
    assert actions(engine, subject=other) == ()
    assert filtered(engine, subject={**other, "properties": {"department": "sales"}}) == ["context.mfa"]


def test_null_is_not_sent(tmp_path: Path) -> None:
    """C2."""
    engine = opened(model(policy("p", conditions={"context_attrs": [MFA]})), tmp_path)
    assert resources(engine, context={"mfa": None}) == ("context.mfa",)


def test_what_is_decided_anyway_leaves_nothing_open(tmp_path: Path) -> None:
    """An ALLOW for all before the one with a condition, a DENY for all, and a DENY where nothing allows."""
    gated = policy("p", conditions={"context_attrs": [MFA]})
    before = opened(model(policy("all", priority=1), gated), tmp_path)
    assert (resources(before), filtered(before), actions(before)) == ((), None, ())
    denied = opened(model(gated, policy("no", "DENY", priority=9)), tmp_path)
    assert (resources(denied), filtered(denied), actions(denied), subjects(denied)) == ((), None, (), ())
    alone = opened(model(policy("no", "DENY", conditions={"context_attrs": [MFA]})), tmp_path)
    assert (resources(alone), filtered(alone), actions(alone)) == ((), None, ())


def test_a_grant_is_enough_for_its_action(tmp_path: Path) -> None:
    """A DENY still counts."""
    to_bob = {"id": "g", "subject": {"type": "user", "id": "bob"}, "resource": {"type": "doc", "id": "d1"}}
    given = {"grants": [{**to_bob, "actions": ["read"]}]}
    gated = policy("p", conditions={"context_attrs": [MFA]})
    assert actions(opened(model(gated, **given), tmp_path)) == ()
    stopped = policy("no", "DENY", priority=9, conditions=OFFICE)
    assert actions(opened(model(gated, stopped, **given), tmp_path)) == ("context.ip",)


def test_gates_name_what_they_read(tmp_path: Path) -> None:
    """C8, C9, C10, S2: without a context a window names the time; with one, the clock tells it."""
    office = opened(model(policy("p", conditions=OFFICE)), tmp_path)
    assert (resources(office), resources(office, context={})) == (("context.ip",), ("context.ip",))
    assert resources(office, context={"ip_address": "10.0.0.1"}) == ()
    morning = opened(model(policy("p", conditions=MORNING)), tmp_path)
    assert (resources(morning), resources(morning, context={})) == (("context.time",), ())
    limited = opened(model(policy("p", conditions={"rate_limit": {"limit": 1, "window_seconds": 9}})), tmp_path)
    assert resources(limited) == ()


def test_a_filter_with_open_gates_names_theirs(tmp_path: Path) -> None:
    """F2, F7: as far as the request did not send them, whatever came before."""
    both = policy("a", conditions={"context_attrs": [MFA]}), policy("b", conditions=OFFICE)
    engine = opened(model(*both), tmp_path)
    assert filtered(engine, context={"mfa": True}) == ["context.ip"]
    decide = {"return": "filter", "gates": "decide"}
    assert filtered(engine, context={"mfa": True}, options=decide) is None
    assert filtered(engine, options=decide) == ["context.ip", "context.mfa"]


def test_a_required_attribute_counts_with_each_path_into_it(tmp_path: Path) -> None:
    """C12."""
    declared = {"attributes": {"context": {"device": {"kind": "object", "required": True}}}}
    compared = {"context_attrs": [{"key": "device.kind", "op": "eq", "value": "x"}]}
    engine = opened(model(policy("p", conditions=compared), **declared), tmp_path)
    assert resources(engine, context={"device.kind": "x"}) == ("context.device",)


def test_the_actor_is_named_apart(tmp_path: Path) -> None:
    """A1: and where the subject may do nothing, the actor's do not count."""
    engine = opened(model(policy("p", roles=["boss"], conditions={"subject_attrs": [SALES]})), tmp_path)
    ann, sales = {"type": "user", "id": "ann"}, {"properties": {"department": "sales"}}
    acting = {"options": {"actor": ann}}
    for ask in (resources, actions):
        assert ask(engine, subject=ann, **acting) == ("actor.department", "subject.department")
        assert ask(engine, subject=ann | sales, **acting) == ("actor.department",)
    assert resources(engine, **acting) == ()
    assert subjects(engine, **acting) == ("actor.department",)


def test_registered_attributes_count_as_sent(tmp_path: Path) -> None:
    """E9."""
    engine = opened(model(policy("p", conditions={"resource_attrs": [OPEN]})), tmp_path)
    registered = {"options": {"attributes": "registered"}}
    assert (actions(engine), actions(engine, **registered)) == (("resource.status",), ())
    assert (subjects(engine), subjects(engine, **registered)) == (("resource.status",), ())


def test_items_with_actions_depend_on_all_actions(tmp_path: Path) -> None:
    """S3: but the properties that are sent are those of the searched action."""
    reason = {"action_attrs": [{"key": "reason", "op": "eq", "value": "audit"}]}
    export = policy("e", types=EXPORT, conditions={"context_attrs": [MFA], **reason})
    engine = opened(model(policy("p"), export), tmp_path)
    assert resources(engine) == ()
    assert resources(engine, options={"return": "results"}) == ("context.mfa",)
    assert resources(engine, options={"return": "results"}, found=False) == ()
    assert actions(engine) == ("action.reason", "context.mfa")
    assert resources(engine, action={"name": "export"}) == ("action.reason", "context.mfa")


@pytest.mark.parametrize("kind", ["ghost type", "ghost action", "closed"])
def test_what_is_not_there_leaves_nothing_open(kind: str, tmp_path: Path) -> None:
    """E7, P1, S5."""
    document = model(policy("p", conditions=CONDITIONS))
    document["resource_types"][0]["closed"] = True
    engine = opened(document, tmp_path)
    parts: Row = {"resource": {"type": "ghost" if kind == "ghost type" else "doc", "id": "other"}}
    if kind == "ghost action":
        parts = {"action": {"name": "ghost"}}
    assert subjects(engine, **parts) == ()
    assert kind == "ghost action" or actions(engine, **parts) == ()
    assert kind == "closed" or (resources(engine, **parts), filtered(engine, **parts)) == ((), None)


def test_a_filter_keeps_few_responses(tmp_path: Path) -> None:
    """Callers choose what they send, and each choice is a response."""
    keys = [f"k{n}" for n in range(6)]
    gates = [policy(key, conditions={"context_attrs": [{"key": key, "op": "eq", "value": 1}]}) for key in keys]
    engine = opened(model(*gates), tmp_path)
    for choice in range(64):
        sent = {key: 1 for n, key in enumerate(keys) if choice >> n & 1}
        names = filtered(engine, context=sent) or []
        assert names == [f"context.{key}" for key in keys if key not in sent]
    (derived,) = engine._snapshot.rules.filters._derived.values()
    assert all(len(one.encoded) <= MOST_ENCODED for one in derived.filters.values())
