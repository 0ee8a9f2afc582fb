"""Required attributes of the context: every way of asking agrees with the oracle, and reasons name what is missing."""

from itertools import product
from pathlib import Path

import pytest
from writ.runtime import Engine
from writ.runtime.requests.searches import read_resource_search

from tests.support import oracle, oracle_searches
from tests.support.bundling import bundle_file, engine_for
from tests.support.oracle_entities import question

CONTEXTS = [None, {}, {"risk": None}, {"risk": 3}, {"risk": 9}, {"risk": "9"}, {"risk": 3, "device": {}}]
CONTEXTS += [{"device": {"kind": "x"}}, {"device.kind": "x"}, {"risk": 9, "device": {"kind": "x"}}, {"device": 5}]
COMPARED = [("risk", "gte", 5), ("risk", "ne", 3), ("risk", "nin", [3]), ("risk", "in", [3, 9]), ("risk", "eq", 9)]
COMPARED += [("device.kind", "eq", "x"), ("device.kind", "ne", "y")]


def policy(id, effect, compared, action="read"):
    key, op, value = compared
    conditions = {"context_attrs": [{"key": key, "op": op, "value": value}]}
    scope = [{"resource_type_id": "doc", "actions": [action]}]
    return {"id": id, "effect": effect, "resource_types": scope, "conditions": conditions}


def document(*policies):
    needed = {"risk": {"kind": "number", "required": True}, "device": {"kind": "object", "required": True}}
    return {
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "attributes": {"context": needed},
        "policies": [*policies],
    }


def asked(context):
    sent = {} if context is None else {"context": context}
    return {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d"},
        **sent,
    }


ALWAYS = {
    "id": "all",
    "effect": "ALLOW",
    "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
}


@pytest.fixture(scope="module", params=range(len(COMPARED)))
def model(request, tmp_path_factory):
    """A DENY and an ALLOW, alone and with others that make an index."""
    one = COMPARED[request.param]
    many = [policy(f"x{n}", "DENY", ("risk", "eq", n + 50)) for n in range(20)]
    models = [
        document(policy("no", "DENY", one), ALWAYS),
        document(policy("yes", "ALLOW", one)),
        document(policy("no", "DENY", one), ALWAYS, *many),
        document(policy("yes", "ALLOW", one), *({**x, "effect": "ALLOW"} for x in many)),
    ]
    return [(m, engine_for(m, tmp_path_factory.mktemp("m") / "b")) for m in models]


def test_every_way_agrees_with_the_oracle(model):
    """C12: in decisions, filters with decided gates, results and explanations."""
    for (doc, engine), context in product(model, CONTEXTS):
        request = asked(context)
        right = oracle.decide(doc, request, 0.0)
        answer = engine.decide(request)
        assert answer["decision"] == right["decision"], (doc, context)
        assert answer["context"]["reason_code"] == right["reason_code"]
        assert engine.allowed("user", "u", "read", "doc", "d", context=context) == right["decision"]
        explained = engine.decide(request | {"options": {"explain": True}})["context"]["explanation"]
        held = {one["id"]: one["holds"] for one in explained["candidates"]}
        assert held == {one[0]: one[5] for one in oracle.explain(doc, request, 0.0)}
        if context is not None:
            search = request | {"resource": {"type": "doc"}, "options": {"gates": "decide"}}
            admitted = engine.filter(search)["filter"]
            assert oracle_searches.tree_holds(admitted, "d", {}) == right["decision"]
            judge = engine.judge_resources(read_resource_search(request | {"resource": {"type": "doc"}}))
            assert (judge is not None and judge.path("d", {}) is not None) == right["decision"]


def test_an_undecided_filter_leaves_it_open(model):
    """F2: it stays a gate."""
    for doc, engine in model:
        found = engine.filter(asked(None) | {"resource": {"type": "doc"}, "options": {}})["filter"]
        assert found == {"type": "const", "value": oracle_searches.admits(doc, question(doc, asked({}), 0.0))}


def reason(engine: Engine, context):
    return engine.decide(asked(context))["context"]["reason"]


def test_the_reason_names_what_is_missing(tmp_path: Path):
    deny = engine_for(document(policy("no", "DENY", ("risk", "gte", 5)), ALWAYS), tmp_path / "deny")
    assert reason(deny, {}).endswith("; the request lacks `context.risk`, which the model requires")
    assert "lacks" not in reason(deny, {"risk": 7})
    assert "lacks" not in reason(deny, {"risk": 1})
    allow = engine_for(document(policy("yes", "ALLOW", ("device.kind", "eq", "x"))), tmp_path / "allow")
    assert reason(allow, {}).endswith("; the request lacks `context.device`, which the model requires")
    assert "lacks" not in reason(allow, {"device": {}})


def test_a_bundle_keeps_them(tmp_path: Path):
    engine = Engine.open(bundle_file(document(policy("no", "DENY", ("risk", "gte", 5))), tmp_path / "b"))
    assert engine._snapshot.state.demands
