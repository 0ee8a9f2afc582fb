"""A plan has the rules of a specialised program in order, and ends in the answer if none of them holds."""

from itertools import combinations, permutations
from typing import Any

import pytest
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime.limits import CacheLimits
from writ.runtime.rules import attribute_index
from writ.runtime.rules.plan import Plan

from tests.support import oracle
from tests.support.bundling import bundle_file, engine_for

TYPES = [{"id": "document", "actions": ["read", "write"]}, {"id": "folder", "actions": ["read"]}]
ALICE = {"type": "user", "id": "alice"}
FLAGS = ["".join(flags) for count in range(5) for flags in combinations("abcd", count)]


def policy(id: str, effect: str = "ALLOW", *tests: str, **more: Any) -> dict[str, Any]:
    """A policy for readers of documents, with a condition on each of the attributes `tests`."""
    conditions = {"resource_attrs": [{"key": key, "op": "eq", "value": True} for key in tests]}
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    return {"id": id, "effect": effect, "resource_types": scope, "conditions": conditions, **more}


def model(*policies: dict[str, Any], **more: Any) -> dict[str, Any]:
    roles = {"roles": [{"id": "r"}, {"id": "s"}], "assignments": [{"role": "r", "subject": ALICE}]}
    return {"resource_types": TYPES, "policies": list(policies), **roles, **more}


def asked(*flags: str, **more: Any) -> dict[str, Any]:
    properties = dict.fromkeys(flags, True)
    resource = {"type": "document", "id": "d1", "properties": properties}
    return {"subject": ALICE, "action": {"name": "read"}, "resource": resource, "context": {}, **more}


def plan_of(engine: Engine, request: dict[str, Any]) -> Plan | None:
    engine.decide(request, 0)
    snapshot = engine._snapshot
    plans = snapshot.plans[request["resource"]["type"]].get(request["action"]["name"], {})
    return plans.get(snapshot.holders["user"]["alice"].roles)


def named(rows: Any) -> list[str]:
    return [answer.context.get("policy_id", answer.context.get("denied_by")) for *_, answer in rows]


def check(engine: Engine, document: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Ask twice on the short way, which the second time is certainly taken; the oracle knows the answer."""
    expected = oracle.decide(document, request, 0)
    properties, resource = request["resource"]["properties"], request["resource"]
    for _ in range(2):
        found = engine.decide(request, 0)
        context = {name: value for name, value in found["context"].items() if name != "reason"}
        assert {"decision": found["decision"], **context} == expected
        names = ("user", "alice", request["action"]["name"], resource["type"], resource["id"])
        assert engine.allowed(*names, resource=properties, now=0) is expected["decision"]
    return expected


def test_the_rules_are_in_the_order_of_d8(tmp_path):
    """D8: the priority, then the path, then the id by code point; a DENY by its priority and id."""
    rows = [
        policy("b", "ALLOW", "a"),
        policy("a", "ALLOW", "a", "b"),
        policy("Z", "ALLOW", "c"),
        policy("r", "ALLOW", "d", roles=["r"]),
        policy("p", "ALLOW", "e", priority=1),
        policy("y", "DENY", "a"),
        policy("x", "DENY", "b", roles=["r"]),
        policy("w", "DENY", "c", priority=-1),
    ]
    for number, order in enumerate([rows, rows[::-1], rows[3:] + rows[:3]]):
        denies, allows, by_length, otherwise = plan_of(
            engine_for(model(*order), tmp_path / f"{number}.bundle"), asked()
        )
        assert named(denies) == ["x", "y", "w"]
        assert named(allows) == ["p", "r", "Z", "a", "b"]
        assert named(by_length) == ["p", "r", "Z", "b", "a"]
        assert (otherwise.allowed, otherwise.reason_code) == (False, "CONDITION_FAILED")


def test_an_allow_without_conditions_is_what_is_left(tmp_path):
    """D3, D8: those before it are reported first, those behind it never."""
    document = model(policy("a", "ALLOW", "a", priority=2), policy("b", priority=1), policy("c", "ALLOW", "c"))
    engine = engine_for(document, tmp_path / "model.bundle")
    denies, allows, by_length, otherwise = plan_of(engine, asked())
    assert (denies, named(allows), allows) == ((), ["a"], by_length)
    assert (otherwise.allowed, otherwise.context["policy_id"]) == (True, "b")
    assert [check(engine, document, asked(*flags))["policy_id"] for flags in ("a", "c", "ac", "")] == [
        "a",
        "b",
        "a",
        "b",
    ]


def test_the_first_is_reported_although_another_is_shorter(tmp_path):
    """D8: `allowed` starts with the shortest, `decide` with the highest priority."""
    document = model(policy("a", "ALLOW", "a"), policy("b", "ALLOW", "a", "b", priority=1), policy("c", "DENY", "c"))
    engine = engine_for(document, tmp_path / "model.bundle")
    _, allows, by_length, *_ = plan_of(engine, asked())
    assert (named(allows), named(by_length)) == (["b", "a"], ["a", "b"])
    assert [check(engine, document, asked(*flags)).get("policy_id") for flags in ("a", "ab", "b", "abc")] == [
        *("a", "b", None, None)
    ]


@pytest.mark.parametrize("unconditional", [(), ("d",), ("a",), ("d", "a")])
@pytest.mark.parametrize("priority", [-1, 0, 1])
def test_a_deny_over_an_allow(tmp_path, unconditional, priority):
    """D1, D2, D7: with equal and other priorities and in all orders of ids, with and without conditions."""
    for number, (deny, other, *allows) in enumerate(permutations(["p", "q", "r", "s"])):
        rows = [
            policy(deny, "DENY", *(() if "d" in unconditional else ("a",)), priority=priority),
            policy(other, "DENY", "b", "c"),
            policy(allows[0], "ALLOW", *(() if "a" in unconditional else ("c",))),
            policy(allows[1], "ALLOW", "b", "d"),
        ]
        document = model(*rows)
        engine = engine_for(document, tmp_path / f"{number}.bundle")
        codes = {check(engine, document, asked(*flags))["reason_code"] for flags in FLAGS}
        assert codes & {"DENY_OVERRIDE", "EXPLICIT_DENY"}


def test_what_is_left_if_nothing_applies(tmp_path):
    """D5, D6."""
    document = model(policy("p", "ALLOW", "a"), policy("d", "DENY", "a"))
    engine = engine_for(document, tmp_path / "model.bundle")
    for request, code in (
        (asked() | {"action": {"name": "write"}}, "ACTION_NOT_PERMITTED"),
        (asked() | {"resource": {"type": "folder", "id": "f", "properties": {}}}, "NO_POLICY_MATCH"),
    ):
        *rules, otherwise = plan_of(engine, request)
        assert (rules, otherwise.allowed) == ([(), (), ()], False)
        assert check(engine, document, request)["reason_code"] == code


@pytest.mark.parametrize(
    "more",
    [
        {"resource_types": [{**TYPES[0], "closed": True}, TYPES[1]]},
        {"policies": [policy("p"), policy("q", conditions={"time_window": {"not_before": "1970-01-01T00:00Z"}})]},
        {
            "policies": [
                policy(f"p{number}", conditions={"resource_attrs": [{"key": "a", "op": "eq", "value": f"{number}"}]})
                for number in range(attribute_index.INDEXED_FROM)
            ]
        },
    ],
    ids=["a closed type", "a clock", "an index"],
)
def test_what_has_no_plan(tmp_path, more):
    """E7, C8: a plan has no place for the registry, the clock or an index."""
    document = model(policy("p")) | more
    engine = engine_for(document, tmp_path / "model.bundle")
    assert plan_of(engine, asked()) is None
    check(engine, document, asked("a"))


def test_plans_are_bounded_with_what_they_are_made_of(tmp_path):
    """The limit of specialisations empties the plans too, and each place for a rule in them counts."""
    policies = [policy(f"p{number}", "ALLOW", "a", "b") for number in range(4)]
    scopes = [{"resource_type_id": type["id"], "actions": ["*"]} for type in TYPES]
    document = model(*(row | {"resource_types": scopes} for row in policies))
    bundle = open_bundle(bundle_file(document, tmp_path / "model.bundle"))
    for limits, most in ((CacheLimits(specialisations=1), 1), (CacheLimits(specialised_rules=24), 2)):
        engine = Engine(bundle, limits=limits)
        for type, action in (("document", "read"), ("document", "write"), ("folder", "read")) * 2:
            request = asked("a") | {"action": {"name": action}}
            request["resource"]["type"] = type
            engine.decide(request, 0)
            rules, roles = engine._snapshot.rules, engine._snapshot.holders["user"]["alice"].roles
            plans = {(type, action) for type, actions in rules.plans.items() for action in actions}
            cached = {(type, action) for type, of in rules.types.items() for action in of.specialised}
            assert plans == cached
            assert 0 < len(plans) <= most
            assert rules.cached(roles, type, action).weight == 12
