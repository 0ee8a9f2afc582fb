"""A plan has the rules of a specialised program in order, and ends in the answer if none of them holds."""

from collections.abc import Iterable
from itertools import combinations, permutations
from typing import Any

import pytest
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime.limits import CacheLimits
from writ.runtime.rules import attribute_index
from writ.runtime.rules import plan as plans
from writ.runtime.rules.plan import InOrder, Plan
from writ.runtime.rules.reasons import Answer
from writ.runtime.rules.rule import Rule

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


def rules_of(engine: Engine, request: dict[str, Any]) -> InOrder:
    """The rules of the plan, whose answers are at their places in it, also if its function is written."""
    plan = plan_of(engine, request)
    assert plan is not None
    rules: InOrder = plan[-1]
    for one in (plan, rules.written()):
        assert one[2 : 2 + len(rules.answers)] == rules.answers
        for place, answer in enumerate(rules.answers, 2):
            assert (one[-place], place >= one[1]) == (answer.context, answer.allowed)
        for rule, place in rules.places.items():
            assert one[place] is (rule.override if rule.clause.effect == "DENY" else rule.explicit)
            assert rule.clause.effect == "ALLOW" or one[place + 1] is rule.explicit
    return rules


def named(rules: Iterable[Rule]) -> list[str]:
    return [rule.clause.policy for rule in rules]


def last(rules: InOrder) -> Answer:
    return rules.answers[rules.last - 2]


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
        rules = rules_of(engine_for(model(*order), tmp_path / f"{number}.bundle"), asked())
        assert named(rules.denies) == ["x", "y", "w"]
        assert named(rules.allows) == ["p", "r", "Z", "a", "b"]
        assert last(rules).reason_code == "CONDITION_FAILED"


def test_an_allow_without_conditions_is_what_is_left(tmp_path):
    """D3, D8: those before it are reported first, those behind it never."""
    document = model(policy("a", "ALLOW", "a", priority=2), policy("b", priority=1), policy("c", "ALLOW", "c"))
    engine = engine_for(document, tmp_path / "model.bundle")
    rules = rules_of(engine, asked())
    assert (rules.denies, named(rules.allows)) == ((), ["a"])
    assert last(rules).context["policy_id"] == "b"
    assert [check(engine, document, asked(*flags))["policy_id"] for flags in ("a", "c", "ac", "")] == [
        "a",
        "b",
        "a",
        "b",
    ]


def test_the_first_is_reported_although_another_is_shorter(tmp_path):
    """D8: the highest priority comes first."""
    document = model(policy("a", "ALLOW", "a"), policy("b", "ALLOW", "a", "b", priority=1), policy("c", "DENY", "c"))
    engine = engine_for(document, tmp_path / "model.bundle")
    assert named(rules_of(engine, asked()).allows) == ["b", "a"]
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
        rules = rules_of(engine, request)
        assert (rules.places, last(rules).allowed) == ({}, False)
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


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The questions after which a function is written: fewer than in a service, since each is checked here."""
    monkeypatch.setattr(plans, "WRITTEN_AFTER", 30)
    return plans.WRITTEN_AFTER


def functions(engine: Engine) -> set[Any]:
    found = [plan_of(engine, asked() | {"action": {"name": action}}) for action in ("read", "write")]
    return {plan[0] for plan in found if plan is not None}


def test_the_function_of_a_plan_that_is_asked_often_is_written(few, tmp_path):
    """Before and after, also for values of another type, and for rules that are called."""
    document = model(
        policy("a", "ALLOW", "a"),
        policy("d", "DENY", "b", conditions={"resource_attrs": [{"key": "b", "op": "regex", "value": "^x"}]}),
        policy("w", resource_types=[{"resource_type_id": "document", "actions": ["write"]}]),
    )
    engine = engine_for(document, tmp_path / "model.bundle")
    (in_order,) = {plan_of(engine, asked())[0]}
    for value in (True, False, None, 1, "xyz", "", [], {}, 1.5):
        for number in range(few):
            request = asked()
            request["resource"]["properties"] = {"a": value, "b": ["xyz", value, None][number % 3]}
            check(engine, document, request)
    (own,) = {plan_of(engine, asked())[0]}
    assert own is not in_order


def test_equal_rules_share_one_function(few, tmp_path):
    """Each plan has its answers."""
    scope = [{"resource_type_id": "document", "actions": ["write"]}]
    document = model(policy("a", "ALLOW", "a"), policy("b", "ALLOW", "a", resource_types=scope))
    engine = engine_for(document, tmp_path / "model.bundle")
    for _ in range(few):
        assert check(engine, document, asked("a"))["policy_id"] == "a"
        assert check(engine, document, asked("a") | {"action": {"name": "write"}})["policy_id"] == "b"
    assert len(functions(engine)) == 1


def test_the_function_of_a_plan_with_many_tests_is_never_written(few, tmp_path):
    rows = [
        policy(f"p{number}", "ALLOW", *(f"a{number}-{one}" for one in range(plans.MOST_WRITTEN // 8 + 1)))
        for number in range(8)
    ]
    document = model(*rows)
    engine = engine_for(document, tmp_path / "model.bundle")
    in_order = plan_of(engine, asked())
    for _ in range(few):
        check(engine, document, asked("a"))
    assert plan_of(engine, asked()) is in_order
