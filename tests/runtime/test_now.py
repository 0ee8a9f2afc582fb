"""Comparisons with `now`: filters with decided gates have the instant, and unreadable values fail safely (X5)."""

from pathlib import Path
from typing import Any

import pytest
from writ.runtime import BadRequest, Engine

from tests.support.bundling import engine_for

Row = dict[str, Any]
NOW = 1_780_315_200.0  # 2026-06-01T12:00:00Z
INSTANT = "2026-06-01T12:00:00Z"
EVERY, NONE = {"type": "const", "value": True}, {"type": "const", "value": False}


def policy(id: str, effect: str, **conditions: Any) -> Row:
    scope = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {"id": id, "effect": effect, "resource_types": scope, "conditions": conditions}


def timed(key: str, op: str) -> Row:
    return {"key": key, "op": op, "value_of": "now"}


def engine_of(tmp_path: Path, *policies: Row, **more: Any) -> Engine:
    types = [{"id": "doc", "actions": ["read"]}]
    model = {"extensions": ["now"], "resource_types": types, "policies": [*policies], **more}
    return engine_for(model, tmp_path / "m.bundle")


def asked(resource: Row | None = None, subject: Row | None = None, **more: Any) -> Row:
    return {
        "subject": {"type": "user", "id": "u", "properties": subject or {}},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": resource or {}},
        **more,
    }


def found(engine: Engine, now: float = NOW, context: Row | None = None, **options: Any) -> tuple[Row, Row]:
    request = asked(options={"return": "filter", "gates": "decide", **options})
    request |= {"resource": {"type": "doc"}} | ({"context": context} if context is not None else {})
    response = engine.filter(request, now)
    return response["filter"], response["context"]


def node(key: str, op: str, value: str = INSTANT) -> Row:
    return {"type": "field", "field": key, "operator": op, "value": value, "value_type": "instant"}


def joined(op: str, *conditions: Row) -> Row:
    return {"type": "logical", "operator": op, "conditions": [*conditions]}


PRESENT = {"type": "field", "field": "t", "operator": "nin", "value": []}


@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
def test_an_allow_has_a_node_with_the_instant(tmp_path: Path, op: str) -> None:
    tree, context = found(engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", op)])))
    assert tree == node("t", op)
    assert list(tree) == ["type", "field", "operator", "value", "value_type"]
    assert context["valid_until"] == INSTANT


@pytest.mark.parametrize(("op", "opposite"), [("gt", "lte"), ("gte", "lt"), ("lt", "gte"), ("lte", "gt")])
def test_a_deny_has_the_opposite_node(tmp_path: Path, op: str, opposite: str) -> None:
    engine = engine_of(tmp_path, policy("e", "ALLOW"), policy("p", "DENY", resource_attrs=[timed("t", op)]))
    tree, _ = found(engine)
    assert tree == joined("or", joined("not", PRESENT), node("t", opposite))


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        (["lt", "lte"], node("t", "lte")),
        (
            ["lt", "gte"],
            joined("or", node("t", "lt", "1970-01-01T00:00:00Z"), node("t", "gte", "1970-01-01T00:00:00Z")),
        ),
        (["lt", "gt"], joined("or", node("t", "lt"), node("t", "gt"))),
    ],
)
def test_ranges_of_instants_are_joined(tmp_path: Path, ops: list[str], expected: Row) -> None:
    """F6; no instant is a range of its own, which has both ends."""
    tree, _ = found(engine_of(tmp_path, *(policy(op, "ALLOW", resource_attrs=[timed("t", op)]) for op in ops)))
    assert tree in (expected, expected | {"conditions": expected.get("conditions", [])[::-1]})


def test_one_instant_is_a_range_with_both_ends(tmp_path: Path) -> None:
    both = policy("p", "ALLOW", resource_attrs=[timed("t", "lte"), timed("t", "gte")])
    tree, _ = found(engine_of(tmp_path, both))
    assert tree["operator"] == "and"
    assert sorted(one["operator"] for one in tree["conditions"]) == ["gte", "lte"]
    never = policy("p", "ALLOW", resource_attrs=[timed("t", "lt"), timed("t", "gt")])
    assert found(engine_of(tmp_path, never)) == (NONE, found(engine_of(tmp_path, never))[1])


def test_plain_comparisons_stay_apart(tmp_path: Path) -> None:
    plain = {"key": "t", "op": "lt", "value": "2026"}
    tree, _ = found(engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "lt"), plain])))
    assert tree == joined("and", {"type": "field", "field": "t", "operator": "lt", "value": "2026"}, node("t", "lt"))


def test_the_plain_filter_leaves_it_open(tmp_path: Path) -> None:
    """F2."""
    allow, deny = (policy(effect, effect, resource_attrs=[timed("t", "lt")]) for effect in ("ALLOW", "DENY"))
    tree, context = found(engine_of(tmp_path, allow, deny), gates="open")
    assert tree == EVERY
    assert "comparisons with `now`" in context["reason"]
    assert "valid_until" not in context


def test_a_time_of_the_request_is_no_boundary(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "lt")]))
    tree, context = found(engine, context={"time": "2026-01-01T01:00:00.12345678950+01:00"})
    assert tree == node("t", "lt", "2026-01-01T00:00:00.123456789Z")
    assert context["valid_until"] is None
    assert found(engine, context={"time": 1.5})[0] == node("t", "lt", "1970-01-01T00:00:01.5Z")


def test_a_time_that_can_t_be_read_closes_the_filter(tmp_path: Path) -> None:
    condition = [timed("t", "lt")]
    context = {"time": "soon"}
    assert found(engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=condition)), context=context)[0] == NONE
    engine = engine_of(tmp_path, policy("e", "ALLOW"), policy("p", "DENY", resource_attrs=condition))
    assert found(engine, context=context)[0] == joined("not", PRESENT)


def test_the_clock_s_instant_is_exact_in_both_places(tmp_path: Path) -> None:
    tree, context = found(engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "lt")])), now=NOW + 0.1)
    assert tree["value"] == context["valid_until"] == "2026-06-01T12:00:00.099999904Z"


def test_each_instant_has_a_filter_of_its_own(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "lt")]))
    for second in range(5):
        assert found(engine, NOW + second)[0]["value"] == f"2026-06-01T12:00:0{second}Z"


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("lte", "2026-06-02T00:00:00Z"),
        ("gt", "2026-06-02T00:00:00Z"),
        ("lt", "2026-06-02T00:00:00.000000001Z"),
        ("gte", "2026-06-02T00:00:00.000000001Z"),
    ],
)
@pytest.mark.parametrize("section", ["resource_attrs", "subject_attrs"])
def test_an_evaluation_is_valid_until_the_row_s_instant(tmp_path: Path, op: str, expected: str, section: str) -> None:
    engine = engine_of(tmp_path, policy("p", "ALLOW", **{section: [timed("t", op)]}))
    attributes = {"t": "2026-06-02T02:00+02:00"}
    sent = {"resource": attributes} if section == "resource_attrs" else {"subject": attributes}
    ask = {"options": {"valid_until": True}}
    assert engine.decide(asked(**sent) | ask, NOW)["context"]["valid_until"] == expected
    assert engine.decide(asked(**sent) | ask, NOW + 86_400)["context"]["valid_until"] is None
    timely = asked(**sent, context={"time": INSTANT}) | ask
    assert engine.decide(timely, NOW)["context"]["valid_until"] is None


def test_windows_and_instants_of_one_policy_both_count(tmp_path: Path) -> None:
    window = {"not_before": "2026-06-03T00:00:00Z", "not_after": "2026-06-04T00:00:00Z"}
    engine = engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "gt")], time_window=window))
    ask = {"options": {"valid_until": True}}
    for until, expected in (("2026-06-03T12:00:00Z", "2026-06-03T00:00:00Z"), ("2026-06-02T00:00:00Z", None)):
        answer = engine.decide(asked({"t": until}) | ask, NOW)
        assert not answer["decision"]
        assert answer["context"]["valid_until"] == expected


def test_the_subject_s_instant_bounds_a_filter(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, policy("p", "ALLOW", subject_attrs=[timed("t", "gt")]))
    request = asked(subject={"t": "2026-06-02T00:00:00Z"}, options={"return": "filter", "gates": "decide"})
    request["resource"] = {"type": "doc"}
    for _ in range(2):
        response = engine.filter(request, NOW)
        assert (response["filter"], response["context"]["valid_until"]) == (EVERY, "2026-06-02T00:00:00Z")
    later = engine.filter(request, NOW + 86_400)
    assert (later["filter"], later["context"]["valid_until"]) == (NONE, None)


def test_a_time_that_json_has_not_is_refused(tmp_path: Path) -> None:
    """C7."""
    from datetime import UTC, datetime

    engine = engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "gt")]))
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    for request, path in (
        (asked({"t": moment}), "$.resource.properties.t"),
        (asked({"t": INSTANT}, context={"time": moment}), "$.context.time"),
    ):
        with pytest.raises(BadRequest) as refused:
            engine.decide(request, NOW)
        assert refused.value.path == path


def test_a_proof_shows_the_instant(tmp_path: Path) -> None:
    """D10."""
    engine = engine_of(tmp_path, policy("p", "ALLOW", resource_attrs=[timed("t", "lte")]))
    request = asked({"t": "2026-06-02T00:00Z"}) | {"options": {"explain": True}}
    (candidate,) = engine.decide(request, NOW)["context"]["explanation"]["candidates"]
    shown = {"section": "resource_attrs", "key": "t", "op": "lte", "value": INSTANT, "actual": "2026-06-02T00:00Z"}
    assert candidate["conditions"] == [shown | {"value_of": "now", "holds": False}]
