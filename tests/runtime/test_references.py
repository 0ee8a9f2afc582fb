"""Comparisons with references: filters have their values as constants, and values that are too large are refused."""

from pathlib import Path
from typing import Any

import pytest
from writ.bundles.event_loop import TakesLong, mark_event_loop
from writ.runtime import BadRequest, Engine

from tests.support.bundling import engine_for
from tests.support.oracle_conditions import can_be_compared, value_of
from tests.support.oracle_entities import question
from tests.support.strategies import seeded_case
from tests.support.strategies_references import references_of

Row = dict[str, Any]


def policy(id: str, effect: str, **conditions: list[Row]) -> Row:
    scope = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {"id": id, "effect": effect, "resource_types": scope, "conditions": conditions}


def referring(key: str, op: str, other: str) -> Row:
    return {"key": key, "op": op, "value_of": other}


def model(*policies: Row, **more: Any) -> Row:
    types = [{"id": "doc", "actions": ["read"]}]
    return {"extensions": ["references"], "resource_types": types, "policies": [*policies], **more}


def asked(subject: Row | None = None, resource: Row | None = None, **more: Any) -> Row:
    return {
        "subject": {"type": "user", "id": "u5", "properties": subject or {}},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": resource or {}},
        **more,
    }


def search(request: Row, **options: Any) -> Row:
    resource = {"type": request["resource"]["type"]}
    return request | {"resource": resource, "options": {"return": "filter", **options}}


def filter_of(engine: Engine, request: Row, now: float = 0.0) -> Any:
    return engine.filter(request, now)["filter"]


def with_constants(document: Row, request: Row, now: float) -> Row | None:
    """The same model with the values to which it refers as constants, or None where a value can be none (X3)."""
    question_asked = question(document, request, now)
    policies = []
    for one in document["policies"]:
        conditions = {name: [*many] if isinstance(many, list) else many for name, many in one["conditions"].items()}
        for section, condition in references_of(one):
            value = value_of(condition["value_of"], question_asked)
            if not can_be_compared(condition["op"], value) or "None" in repr(value) or "\\ud" in repr(value):
                return None
            place = conditions[section].index(condition)
            conditions[section][place] = {"key": condition["key"], "op": condition["op"], "value": value}
        policies.append(one | {"conditions": conditions})
    return document | {"extensions": ["arrays", "now"], "policies": policies}


def test_the_filter_of_a_subject_is_the_one_of_the_model_with_constants(tmp_path: Path) -> None:
    """X3, byte for byte: constants of the subject and the action, and with decided gates of the context."""
    compared = 0
    for seed in range(800):
        document, request, now = seeded_case(seed)
        if "extensions" not in document or "attributes" in document:
            continue  # a constant need not fit what is declared
        document["policies"] = [one | {"conditions": one.get("conditions", {})} for one in document["policies"]]
        constant = with_constants(document, request, now)
        if constant is None or not any(references_of(one) for one in document["policies"]):
            continue
        engine, other = (engine_for(one, tmp_path / f"{seed}-{n}.bundle") for n, one in enumerate((document, constant)))
        decided = search(request, gates="decide")
        assert repr(filter_of(engine, decided, now)) == repr(filter_of(other, decided, now)), seed
        compared += 1
    assert compared > 40


def test_two_subjects_never_see_each_other_s_filter(tmp_path: Path) -> None:
    engine = engine_for(
        model(policy("p", "ALLOW", resource_attrs=[referring("owner", "eq", "subject.id")])), tmp_path / "b"
    )
    for id in ("u1", "u2", "u1", "u3", "u2"):
        for warm in range(2):
            request = search(asked()) | {"subject": {"type": "user", "id": id}}
            assert filter_of(engine, request) == {"type": "field", "field": "owner", "operator": "eq", "value": id}, (
                warm
            )


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (1.0, 1), (True, True), ("1", "1"), ([1, True], [1, True])])
def test_values_that_look_alike_have_filters_of_their_own(tmp_path: Path, value: Any, expected: Any) -> None:
    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=[referring("k", "eq", "subject.k")])), tmp_path / "b")
    for other in (True, 1, "1", [1, 1], [True, True], value):
        found = filter_of(engine, search(asked({"k": other})))["value"]
    assert repr(found) == repr(expected)


def test_a_value_that_can_t_be_read_closes_a_filter(tmp_path: Path) -> None:
    """X3: an ALLOW falls away, and a DENY asks that the attribute is present."""
    allow = policy("a", "ALLOW", resource_attrs=[referring("k", "in", "subject.k")])
    every, deny = policy("e", "ALLOW"), policy("d", "DENY", resource_attrs=[referring("k", "gt", "subject.k")])
    assert filter_of(engine_for(model(allow), tmp_path / "a"), search(asked({"k": "no list"}))) == {
        "type": "const",
        "value": False,
    }
    present = {"type": "field", "field": "k", "operator": "nin", "value": []}
    denied = filter_of(engine_for(model(every, deny), tmp_path / "d"), search(asked({"k": True})))
    assert denied == {"type": "logical", "operator": "not", "conditions": [present]}


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_an_array_that_is_too_long_is_refused_whatever_else_fails(tmp_path: Path, effect: str) -> None:
    """X1: the other conditions of the policy, and their order, change nothing."""
    never = {"key": "a", "op": "eq", "value": 1}
    condition = referring("k", "in", "subject.teams")
    document = model(policy("e", "ALLOW"), policy("p", effect, context_attrs=[never], resource_attrs=[condition]))
    engine = engine_for(document, tmp_path / "b")
    teams = [str(number) for number in range(10_001)]
    for ask in (engine.decide, lambda request: engine.filter(search(request))):
        with pytest.raises(BadRequest) as refused:
            ask(asked({"teams": teams}, {"k": "7"}))
        assert refused.value.path == "$.subject.properties.teams"
    assert engine.decide(asked({"teams": teams[1:]}, {"k": "7"}))["decision"]
    with pytest.raises(BadRequest):
        engine.allowed("user", "u5", "read", "doc", "d", {"teams": teams}, {"k": "7"})


@pytest.mark.parametrize("op", ["in", "nin"])
def test_short_and_long_arrays_are_compared_alike(tmp_path: Path, op: str) -> None:
    """Short arrays of texts have a faster way than those with other elements, and than long ones."""
    engine = engine_for(
        model(policy("p", "ALLOW", resource_attrs=[referring("team", op, "subject.teams")])), tmp_path / "m"
    )
    texts = ["a", "b"]
    arrays = ([], texts, [*texts, 1, None], [*texts, *map(str, range(62))], [*texts, *map(str, range(63))], [1, ["a"]])
    for teams in arrays:
        for team in ("a", "c", 1, ["a"], True):
            is_among = any(type(one) is type(team) and one == team for one in teams)
            found = engine.decide(asked({"teams": teams}, {"team": team}))["decision"]
            assert found is (is_among if op == "in" else not is_among), (teams, team)
    for teams in ("a", None, {"a": 1}):
        assert not engine.decide(asked({"teams": teams}, {"team": "a"}))["decision"]


def test_several_values_are_each_examined(tmp_path: Path) -> None:
    """The second of two values that policies refer to is too long (X1)."""
    conditions = [referring("k", "eq", "subject.a"), referring("k", "eq", "subject.b")]
    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=conditions)), tmp_path / "m")
    for name in ("a", "b"):
        with pytest.raises(BadRequest, match=r"10,001 elements") as refused:
            engine.decide(asked({name: [0] * 10_001}))
        assert refused.value.path == f"$.subject.properties.{name}"


def test_a_long_array_is_not_compared_on_an_event_loop(tmp_path: Path) -> None:
    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=[referring("k", "in", "subject.t")])), tmp_path / "b")
    mark_event_loop()
    try:
        assert engine.decide(asked({"t": ["a", "7"]}, {"k": "7"}))["decision"]
        with pytest.raises(TakesLong):
            engine.decide(asked({"t": [str(number) for number in range(200)]}, {"k": "7"}))
    finally:
        mark_event_loop(False)


def test_values_of_any_depth_are_compared(tmp_path: Path) -> None:
    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=[referring("k", "eq", "subject.k")])), tmp_path / "b")

    def deep(inner: Any) -> Any:
        for _ in range(900):
            inner = [inner]
        return inner

    assert engine.decide(asked({"k": deep(1)}, {"k": deep(1.0)}))["decision"]
    assert not engine.decide(asked({"k": deep(1)}, {"k": deep(True)}))["decision"]
    with pytest.raises(BadRequest):
        engine.filter(search(asked({"k": deep(1)})))


def test_a_foreign_value_is_refused_on_either_side(tmp_path: Path) -> None:
    """C7."""
    from decimal import Decimal

    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=[referring("k", "in", "subject.k")])), tmp_path / "b")
    for subject, resource, path in (
        ([Decimal(1)], 1, "$.subject.properties.k"),
        ([1], Decimal(1), "$.resource.properties.k"),
        ((1,), 1, "$.subject.properties.k"),
    ):
        with pytest.raises(BadRequest) as refused:
            engine.decide(asked({"k": subject}, {"k": resource}))
        assert refused.value.path == path


def test_a_proof_shows_both_values(tmp_path: Path) -> None:
    """D10."""
    groups = [{"id": "g", "members": [{"type": "user", "id": "u5"}]}]
    condition = referring("k", "in", "subject.groups")
    engine = engine_for(model(policy("p", "ALLOW", resource_attrs=[condition]), groups=groups), tmp_path / "b")
    request = asked(resource={"k": "x"}) | {"options": {"explain": True}}
    (candidate,) = engine.decide(request)["context"]["explanation"]["candidates"]
    shown = {"section": "resource_attrs", "key": "k", "op": "in", "value": ["g"], "actual": "x", "holds": False}
    assert candidate["conditions"] == [shown | {"value_of": "subject.groups"}]
