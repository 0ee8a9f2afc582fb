"""In a Python process, a value that JSON has not never decides in silence, and a converted one decides as JSON does."""

from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from ipaddress import ip_address
from random import Random
from types import MappingProxyType
from uuid import UUID

import numpy as np
import pytest
from writ import BadRequest, as_json
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search
from writ.runtime.rules import attribute_index

from tests.runtime.test_agreement import judged
from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.disguises import with_disguises
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request

FOREIGN = [
    Decimal(5_000),
    date(2024, 2, 29),
    datetime(2024, 2, 29, tzinfo=UTC),
    UUID(int=5),
    (5_000,),
    {5_000},
    b"5000",
    np.int64(5_000),
    np.bool_(True),
    MappingProxyType({"b": 5_000}),
]
SECTIONS = {"subject_attrs": "subject", "resource_attrs": "resource", "action_attrs": "action"}
ALICE = {"type": "user", "id": "alice"}


def model(*rules, subjects=(ALICE,)):
    """Each rule is its effect and its conditions."""
    types = [{"resource_type_id": "payment", "actions": ["pay"]}]
    policies = [
        {"id": f"p{number}", "effect": effect, "resource_types": types, "conditions": conditions}
        for number, (effect, conditions) in enumerate(rules)
    ]
    return {
        "resource_types": [{"id": "payment", "actions": ["pay"]}],
        "subjects": list(subjects),
        "policies": policies,
    }


def request(section, attributes, subject="alice"):
    asked = {
        "subject": {"type": "user", "id": subject},
        "action": {"name": "pay"},
        "resource": {"type": "payment", "id": "1"},
    }
    if section == "context_attrs":
        return asked | {"context": attributes}
    owner = SECTIONS[section]
    return asked | {owner: asked[owner] | {"properties": attributes}}


def allowed(engine, asked):
    return engine.allowed(
        *("user", asked["subject"]["id"], "pay", "payment", "1"),
        asked["subject"].get("properties"),
        asked["resource"].get("properties"),
        asked["action"].get("properties"),
        asked.get("context"),
    )


def refuses(ask, path):
    with pytest.raises(BadRequest, match=r"^.*JSON has no `.*`; convert attributes with `writ\.as_json`") as raised:
        ask()
    assert raised.value.path == path


@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
@pytest.mark.parametrize("section", [*SECTIONS, "context_attrs"])
def test_every_call_refuses_a_value_that_a_condition_reads(tmp_path, section, effect, value):
    """C7: by the short ways for a known subject, and by the careful ones."""
    conditions = {section: [{"key": "amount", "op": "gt", "value": 1_000}]}
    others = [("ALLOW", {})] if effect == "DENY" else []
    engine = engine_for(model((effect, conditions), *others), tmp_path / "bundle")
    path = f"$.{SECTIONS[section]}.properties.amount" if section in SECTIONS else "$.context.amount"
    for subject in ("alice", "stranger"):
        asked = request(section, {"amount": value}, subject)
        for _ in range(2):
            refuses(lambda asked=asked: engine.decide(asked), path)
            refuses(lambda asked=asked: engine.decide(asked | {"options": {"explain": True}}), path)
        refuses(lambda asked=asked: allowed(engine, asked), path)
        (item,) = engine.decide_many([asked])
        assert item["decision"] is False
        assert item["context"]["error"]["status"] == 400
        assert path in item["context"]["error"]["message"]


@pytest.mark.parametrize("section", [*SECTIONS, "context_attrs"])
def test_filters_and_searches_refuse_it_too(tmp_path, section):
    conditions = {section: [{"key": "amount", "op": "gt", "value": 1_000}]}
    engine = engine_for(model(("ALLOW", {}), ("DENY", conditions)), tmp_path / "bundle")
    asked = request(section, {"amount": Decimal(5_000)}) | {"options": {"gates": "decide"}}
    path = f"$.{SECTIONS[section]}.properties.amount" if section in SECTIONS else "$.context.amount"
    if section != "resource_attrs":
        refuses(lambda: engine.filter(asked), path)
        refuses(lambda: engine.cached_filter(read_resource_search(asked)) or engine.filter(asked), path)
        refuses(lambda: engine.judge_resources(read_resource_search(asked)), path)
    if section != "action_attrs":
        refuses(lambda: engine.find_actions(read_action_search(asked)), path)
    if section != "subject_attrs":
        judge = engine.judge_subjects(read_subject_search(asked))
        refuses(lambda: judge.path("alice", {}), path)


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
@pytest.mark.parametrize(
    ("conditions", "context", "path"),
    [
        ({"time_window": {"days": ["mon"]}}, {"time": datetime(2024, 2, 29, tzinfo=UTC)}, "$.context.time"),
        ({"ip_allowlist": ["10.0.0.0/8"]}, {"ip": ip_address("10.0.0.1")}, "$.context.ip"),
        ({"ip_allowlist": ["10.0.0.0/8"]}, {"ip_address": b"10.0.0.1"}, "$.context.ip_address"),
    ],
)
def test_a_time_and_an_address_are_refused(tmp_path, effect, conditions, context, path):
    """C8, C9: text that can't be read is still what C7 says."""
    engine = engine_for(model((effect, conditions)), tmp_path / "bundle")
    refuses(lambda: engine.decide(request("context_attrs", context)), path)
    refuses(lambda: allowed(engine, request("context_attrs", context)), path)
    (name,) = context
    unreadable = engine.decide(request("context_attrs", {name: "?"}))["context"]["reason_code"]
    assert unreadable == {"ALLOW": "CONDITION_FAILED", "DENY": "EXPLICIT_DENY"}[effect]


def test_an_index_over_many_rules_refuses_it(tmp_path):
    """The index leaves out the rules whose value is another, so it reads the attribute in their place."""
    rules = [
        ("DENY", {"resource_attrs": [{"key": "customer", "op": "eq", "value": f"c{number}"}]})
        for number in range(2 * attribute_index.INDEXED_FROM)
    ]
    engine = engine_for(model(*rules, ("ALLOW", {})), tmp_path / "bundle")
    refuses(
        lambda: engine.decide(request("resource_attrs", {"customer": UUID(int=1)})), "$.resource.properties.customer"
    )
    subclass = StrEnum("Customer", {"THREE": "c3"}).THREE
    assert engine.decide(request("resource_attrs", {"customer": subclass}))["context"]["denied_by"] == "p3"


@pytest.mark.parametrize("constant", [[1, "x"], [1, 2, 3], {"b": 1}])
@pytest.mark.parametrize(
    ("op", "wrap"), [("eq", lambda value: value), ("ne", lambda value: value), ("in", lambda v: [v])]
)
def test_a_value_inside_lists_and_objects_counts_if_the_result_needs_it(tmp_path, constant, op, wrap):
    conditions = {"resource_attrs": [{"key": "a", "op": op, "value": wrap(constant)}]}
    engine = engine_for(model(("DENY", conditions), ("ALLOW", {})), tmp_path / "bundle")
    inside = {"b": Decimal(1)} if isinstance(constant, dict) else [Decimal(1), *constant[1:]]
    refuses(lambda: engine.decide(request("resource_attrs", {"a": inside})), "$.resource.properties.a")
    needless = [Decimal(1)] * 9
    assert engine.decide(request("resource_attrs", {"a": needless}))["decision"] is (op != "ne")


def test_a_path_through_a_value_that_json_has_not(tmp_path):
    """C1: a path through a string is absent, one through a mapping that is no dict is refused."""
    conditions = {"resource_attrs": [{"key": "a.b", "op": "gt", "value": 1_000}]}
    engine = engine_for(model(("DENY", conditions), ("ALLOW", {})), tmp_path / "bundle")
    asked = request("resource_attrs", {"a": MappingProxyType({"b": 5_000})})
    refuses(lambda: engine.decide(asked), "$.resource.properties.a.b")
    assert engine.decide(request("resource_attrs", {"a": "text"}))["decision"] is True


def test_a_value_that_decides_nothing_may_be_anything(tmp_path):
    conditions = {"resource_attrs": [{"key": "amount", "op": "gt", "value": 1_000}]}
    engine = engine_for(model(("DENY", conditions), ("ALLOW", {})), tmp_path / "bundle")
    assert engine.decide(request("resource_attrs", {"amount": 1, "other": Decimal(5)}))["decision"] is True


class Liar(str):
    """A string that equals every other."""

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    ("value", "op", "constant", "holds"),
    [
        (StrEnum("Status", {"OPEN": "open"}).OPEN, "eq", "open", True),
        (StrEnum("Status", {"OPEN": "open"}).OPEN, "in", ["open", 1], True),
        (IntEnum("Level", {"HIGH": 5}).HIGH, "gte", 5, True),
        (np.float64(5.5), "gt", 5, True),
        (np.str_("open"), "regex", "^op", True),
        (Liar("other"), "eq", "open", False),
        ([Liar("other")], "eq", ["open"], False),
        (Liar("other"), "in", ["open", 1], False),
    ],
)
def test_a_subclass_counts_as_the_type_that_it_extends(tmp_path, value, op, constant, holds):
    """C7: a member of an enumeration of strings is its string, whatever its class says of equality."""
    conditions = {"resource_attrs": [{"key": "a", "op": op, "value": constant}]}
    engine = engine_for(model(("ALLOW", conditions)), tmp_path / "bundle")
    assert engine.decide(request("resource_attrs", {"a": value}))["decision"] is holds


def answered(engine, request, now):
    """The judged answer, or what the refusal advises."""
    try:
        return judged(engine.decide(request, now))
    except BadRequest as refused:
        return refused.message.partition("; ")[2]


def converted_or_none(request):
    """The request in JSON, or None for values that nest hundreds of levels deep."""
    try:
        return as_json(request)
    except BadRequest as refused:
        if refused.message == "the value nests too deep":
            return None
        raise


@pytest.mark.parametrize("indexed_from", [attribute_index.INDEXED_FROM, 1])
def test_disguised_values_are_refused_or_decide_nothing(tmp_path, indexed_from, monkeypatch):
    """On random models: a request with values that JSON has not gets no other answer than the same request in JSON."""
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    ends: Counter[str] = Counter()
    for seed in range(90):
        document, _, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        for number in range(10):
            asked = a_request(Pick.seeded(10 * seed + number), document)
            strange = with_disguises(asked, Random(number))
            expected, found = oracle.decide(document, asked, now), answered(engine, strange, now)
            assert found in (expected, "convert attributes with `writ.as_json`")
            ends["refused" if isinstance(found, str) else "same" if repr(asked) == repr(strange) else "decided"] += 1
            converted = converted_or_none(strange)
            assert converted is None or judged(engine.decide(converted, now)) == expected
            ends["converted"] += converted is not None
    assert min(ends[end] for end in ("decided", "refused", "converted")) > 36, ends
