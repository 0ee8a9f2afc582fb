"""Declared values of the context and of actions: each way of asking agrees with the oracle (C13)."""

from decimal import Decimal
from itertools import product

import pytest
from writ import BadRequest
from writ.bundles.delta import decode_delta, encode_delta
from writ.bundles.errors import BundleError
from writ.bundles.manifest import decode_manifest, encode_manifest
from writ.runtime.requests.searches import read_resource_search

from tests.support import oracle, oracle_searches
from tests.support.bundling import compiled, engine_for
from tests.support.deltas import delta_between
from tests.support.oracle_entities import question

NOW = 1_780_000_000.0
AMOUNTS = [None, 50, 100, 500, 500.5, "500", "", True, [500], {"eur": 500}]
CONTEXTS = [None, {}, {"arguments": None}, {"arguments": "x"}, {"arguments": [1]}, {"arguments.amount": "7"}]
CONTEXTS += [{"arguments": {"amount": amount}} for amount in AMOUNTS]
CONTEXTS += [{"env": value} for value in ("prod", "PROD", 1, [], None)] + [{"arguments.amount": 7, "arguments": "x"}]
PROPERTIES = [None, {}, {"depth": 4}, {"depth": 9}, {"depth": "9"}, {"depth": None}, {"depth": [9]}]
COMPARED = [
    ("context_attrs", {"key": "arguments.amount", "op": "gt", "value": 100}),
    ("context_attrs", {"key": "arguments.amount", "op": "ne", "value": 50}),
    ("context_attrs", {"key": "env", "op": "eq", "value": "prod"}),
    ("context_attrs", {"key": "env", "op": "nin", "value": ["prod"]}),
    ("action_attrs", {"key": "depth", "op": "gt", "value": 5}),
    ("action_attrs", {"key": "depth", "op": "eq", "value": 4}),
    ("action_attrs", {"key": "depth", "op": "lt", "value_of": "context.arguments.amount"}),
    ("resource_attrs", {"key": "size", "op": "lte", "value_of": "action.depth"}),
    ("resource_attrs", {"key": "size", "op": "gt", "value_of": "context.arguments.amount"}),
    ("subject_attrs", {"key": "size", "op": "ne", "value_of": "action.depth"}),
]
ALL = {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "tool", "actions": ["call"]}]}


def policy(id, effect, compared):
    section, condition = compared
    return {**ALL, "id": id, "effect": effect, "conditions": {section: [condition]}}


def document(*policies, **more):
    context = {"arguments.amount": "number", "env": {"kind": "string", "one_of": ["prod", "test"]}}
    return {
        "extensions": ["references"],
        "resource_types": [{"id": "tool", "actions": ["call"]}],
        "attributes": {"context": context, "action": {"depth": "number"}},
        "subjects": [{"type": "user", "id": "u", "attributes": {"size": 4}}],
        "resources": [{"type": "tool", "id": "t", "attributes": {"size": 5}}, {"type": "tool", "id": "bare"}],
        "policies": [*policies],
    } | more


def asked(context=None, properties=None, row=("t", {"size": 5})):
    return {
        "subject": {"type": "user", "id": "u", "properties": {"size": 4}},
        "action": {"name": "call"} | ({} if properties is None else {"properties": properties}),
        "resource": {"type": "tool", "id": row[0], "properties": row[1]},
    } | ({} if context is None else {"context": context})


REQUESTS = [asked(context, properties) for context, properties in product(CONTEXTS, PROPERTIES)]


def models():
    for compared in COMPARED:
        yield document(policy("no", "DENY", compared), ALL)
        yield document(policy("yes", "ALLOW", compared))
        many = [policy(f"x{n}", "DENY", ("context_attrs", {"key": "env", "op": "ne", "value": "test"})) for n in "ab"]
        yield document(policy("no", "DENY", compared), *many, ALL)


@pytest.fixture(params=[*models()], ids=range(len(COMPARED) * 3))
def model(request):
    return request.param


def test_decisions_are_the_oracles(model, tmp_path):
    engine = engine_for(model, tmp_path / "model.bundle")
    for request in REQUESTS * 2:
        answer, expected = engine.decide(request, NOW), oracle.decide(model, request, NOW)
        assert answer["decision"] == expected["decision"], request
        assert answer["context"]["reason_code"] == expected["reason_code"], request
        assert engine.allowed(*names(request), **bags(request), now=NOW) == expected["decision"], request


def names(request):
    subject, action, resource = request["subject"], request["action"], request["resource"]
    return subject["type"], subject["id"], action["name"], resource["type"], resource["id"]


def bags(request):
    return {
        "subject": request["subject"]["properties"],
        "resource": request["resource"]["properties"],
        "action_properties": request["action"].get("properties") or {},
        "context": request.get("context") or {},
    }


@pytest.mark.parametrize("amount", ["nan", "inf", "-inf"])
def test_a_number_that_json_has_not_escapes_no_denial(tmp_path, amount):
    engine = engine_for(document(policy("no", "DENY", COMPARED[0]), ALL), tmp_path / "model.bundle")
    assert engine.decide(asked({"arguments": {"amount": float(amount)}}), NOW)["decision"] is False


@pytest.mark.parametrize("gates", ["open", "decide"])
def test_filters_and_results_are_the_oracles(model, tmp_path, gates):
    engine = engine_for(model, tmp_path / "model.bundle")
    for request in REQUESTS[::3]:
        sent = {**request, "resource": {"type": "tool"}, "options": {"gates": gates}}
        tree = engine.filter(sent, NOW)["filter"]
        for id, attributes in (("t", {"size": 5}), ("bare", {}), ("odd", {"size": "5"})):
            row = question(model, request | {"resource": {"type": "tool", "id": id, "properties": attributes}}, NOW)
            admits = oracle_searches.admits if gates == "open" else oracle_searches.admits_decided
            assert oracle_searches.tree_holds(tree, id, attributes) == admits(model, row), (request, id)


def test_a_reason_and_the_proof_name_what_does_not_fit(tmp_path):
    model = document(policy("dear", "DENY", COMPARED[0]), policy("deep", "ALLOW", COMPARED[4]))
    engine = engine_for(model, tmp_path / "model.bundle")
    request = asked({"arguments": {"amount": "500"}}, {"depth": 9}) | {"options": {"explain": True}}
    context = engine.decide(request, NOW)["context"]
    assert context["reason"].endswith(
        "; the model declares `context.arguments.amount` with other values than the request sends"
    )
    (dear, _) = context["explanation"]["candidates"]
    assert dear["conditions"][0] | {"actual": "500", "unreadable": True, "holds": True} == dear["conditions"][0]
    failed = engine.decide(asked(None, {"depth": "9"}), NOW)["context"]
    assert failed["reason_code"] == "CONDITION_FAILED"
    assert "`action.depth`" in failed["reason"]
    first = context["explanation"]["why_not"]["sets"][0]
    assert [change.get("path") for change in first["changes"]] == ["context.arguments.amount"], first


def test_a_strict_request_is_refused_before(tmp_path):
    engine = engine_for(document(policy("dear", "DENY", COMPARED[0]), ALL), tmp_path / "model.bundle")
    with pytest.raises(BadRequest) as refused:
        engine.decide(asked({"arguments": {"amount": "500"}}) | {"options": {"strict": True}}, NOW)
    assert refused.value.path == "$.context.arguments.amount"


def test_a_value_that_json_has_not_is_refused(tmp_path):
    engine = engine_for(document(policy("dear", "DENY", COMPARED[0]), ALL), tmp_path / "model.bundle")
    for value in (Decimal(500), (1, 2)):
        with pytest.raises(BadRequest):
            engine.decide(asked({"arguments": {"amount": value}}), NOW)
    with pytest.raises(BadRequest):
        engine.decide(asked({"arguments": (1, 2)}), NOW)


def test_a_bundle_names_the_rule_only_if_a_policy_relies_on_it():
    undeclared = document(ALL, policy("dear", "DENY", ("subject_attrs", {"key": "age", "op": "gt", "value": 1})))
    assert compiled(undeclared).manifest.needs == ()
    assert b"needs" not in encode_manifest(compiled(undeclared).manifest)
    relying = compiled(document(ALL, policy("dear", "DENY", COMPARED[0]))).manifest
    assert relying.needs == ("kinds",)
    later = encode_manifest(relying).replace(b'"kinds"', b'"later"')
    with pytest.raises(BundleError, match="needs the rule `later`, which this Writ does not know"):
        decode_manifest(later)


def test_a_delta_names_the_rule_only_if_a_policy_of_it_does():
    before, after = compiled(document(ALL)), compiled(document(ALL, policy("dear", "DENY", COMPARED[0])))
    delta = delta_between(before, after, 1)
    assert delta.needs == ("kinds",)
    assert decode_delta(encode_delta(delta)) == delta
    assert delta_between(after, before, 2).needs == ()
    with pytest.raises(BundleError, match="the delta needs the rule `later`"):
        decode_delta(encode_delta(delta).replace(b"kinds", b"later"))


def test_a_filter_with_registered_rows_reads_the_request(tmp_path):
    """A reference to an action's property that does not fit denies every row, and an ALLOW shows none."""
    model = document(policy("no", "DENY", COMPARED[7]), ALL)
    engine = engine_for(model, tmp_path / "model.bundle")
    search = asked(None, {"depth": "9"}) | {"resource": {"type": "tool"}, "options": {"return": "filter"}}
    assert engine.filter_for(read_resource_search(search), NOW)["filter"] == {"type": "const", "value": False}
