"""Comparisons of the elements of arrays: every way of asking, and values that are not JSON or are many (X6)."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.references import ValueOf
from writ.bundles.event_loop import TakesLong, mark_event_loop
from writ.bundles.program.clauses import Reference
from writ.runtime import BadRequest
from writ.runtime.searches.turned import on_subjects

from tests.support.bundling import engine_for

Row = dict[str, Any]

GROUPS = [
    {"id": "eng", "members": [{"group": "backend"}]},
    {"id": "backend", "members": [{"type": "user", "id": "u5"}]},
]


def model(effect: str, *conditions: Row, **more: Any) -> Row:
    scope = [{"resource_type_id": "doc", "actions": ["read"]}]
    policies = [{"id": "p", "effect": effect, "resource_types": scope, "conditions": {"resource_attrs": [*conditions]}}]
    if effect == "DENY":
        policies.append({"id": "e", "effect": "ALLOW", "resource_types": scope})
    return {
        "extensions": ["arrays", "references"],
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "policies": policies,
        **more,
    }


def asked(labels: Any = None, subject: Row | None = None) -> Row:
    return {
        "subject": {"type": "user", "id": "u5", "properties": subject or {}},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": {"labels": labels}},
    }


def search(subject: Row | None = None) -> Row:
    return asked(None, subject) | {"resource": {"type": "doc"}, "options": {"return": "filter"}}


def compares(op: str, **other: Any) -> Row:
    return {"key": "labels", "op": op, **other}


@pytest.mark.parametrize(
    ("labels", "has", "has_none"),
    [
        (["hr", "eng"], True, False),
        (["backend"], True, False),
        (["hr"], False, True),
        ([], False, True),
        ([["eng"]], False, True),
        (["eng", 1, None, {"a": []}], True, False),
        ([1, None], False, True),
        ("eng", False, False),
        ({"eng": 1}, False, False),
        (None, False, False),
        ([str(number) for number in range(100)], False, True),
        ([*map(str, range(100)), "eng"], True, False),
    ],
)
def test_an_array_is_compared_with_the_groups(tmp_path: Path, labels: Any, has: bool, has_none: bool) -> None:
    for op, expected in (("has_any", has), ("has_none", has_none)):
        document = model("ALLOW", compares(op, value_of="subject.groups"), groups=GROUPS)
        engine = engine_for(document, tmp_path / f"{op}.bundle")
        assert engine.decide(asked(labels))["decision"] is expected


def test_filters_have_the_groups_as_elements(tmp_path: Path) -> None:
    document = model("ALLOW", compares("has_any", value_of="subject.groups"), groups=GROUPS)
    engine = engine_for(document, tmp_path / "b")
    elements = {"type": "field", "field": "labels", "operator": "has_any", "value": ["backend", "eng"]}
    assert engine.filter(search())["filter"] == elements
    stranger = search() | {"subject": {"type": "user", "id": "nobody"}}
    assert engine.filter(stranger)["filter"] == {"type": "const", "value": False}


def test_a_null_in_a_referred_value_equals_nothing(tmp_path: Path) -> None:
    """C2 and X2: with the value at hand and in a filter."""
    engine = engine_for(model("ALLOW", compares("has", value_of="subject.k")), tmp_path / "b")
    assert not engine.decide(asked([[None]], {"k": [None]}))["decision"]
    assert engine.filter(search({"k": [None]}))["filter"] == {"type": "const", "value": False}


@pytest.mark.parametrize(
    ("op", "labels", "turned"),
    [
        ("in", "x", (("k", "has", "x"),)),
        ("has", ["x", 1], (("k", "in", ["x", 1]),)),
        ("has", ["x", None], (("k", "in", ["x"]),)),
        ("has", "x", None),
        ("has_any", ["x"], (("k", "has_any", ["x"]),)),
        ("has_any", "x", None),
        ("has_none", ["x"], ()),
        ("nin", "x", ()),
    ],
)
def test_the_search_for_subjects_turns_the_comparison_round(op: str, labels: Any, turned: Any) -> None:
    """X4: with `in`, the subject's array is searched for the resource's value, and with `has` it is the other way."""
    atom = Reference("resource_attrs", "labels", Operator(op), ValueOf("subject", "k"))
    assert on_subjects(atom, labels) == turned


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
@pytest.mark.parametrize(
    "other", [{"value": "a"}, {"value": {"a": 1}}, {"value_of": "subject.k"}], ids=["text", "object", "reference"]
)
def test_an_element_that_json_has_not_is_refused(tmp_path: Path, effect: str, other: Row) -> None:
    """C7."""
    engine = engine_for(model(effect, compares("has", **other)), tmp_path / "b")
    with pytest.raises(BadRequest) as refused:
        engine.decide(asked([Decimal(1)], {"k": "a"}))
    assert refused.value.path == "$.resource.properties.labels"
    with pytest.raises(BadRequest):
        engine.decide(asked([["a", Decimal(1)]], {"k": ["a", 1]}) if "value_of" in other else asked([Decimal(1)]))


def test_deep_and_many_elements_are_compared(tmp_path: Path) -> None:
    engine = engine_for(model("ALLOW", compares("has_any", value_of="subject.k")), tmp_path / "b")

    def deep(inner: Any) -> Any:
        for _ in range(900):
            inner = [inner]
        return inner

    assert engine.decide(asked([deep(1.0)], {"k": [2, deep(1)]}))["decision"]
    assert not engine.decide(asked([deep(True)], {"k": [deep(1)]}))["decision"]
    lookalikes = [[{"a": number, "b": -0.0}] for number in range(10_000)]
    others = [[{"b": 0, "a": number + 0.5}] for number in range(10_000)]
    assert not engine.decide(asked(others, {"k": lookalikes}))["decision"]
    assert engine.decide(asked([*others, [{"b": 0, "a": 7.0}]], {"k": lookalikes}))["decision"]


@pytest.mark.parametrize("other", [{"value": "a"}, {"value_of": "subject.groups"}, {"value_of": "subject.k"}])
def test_a_long_array_is_not_compared_on_an_event_loop(tmp_path: Path, other: Row) -> None:
    op = "has" if "value" in other else "has_any"
    engine = engine_for(model("ALLOW", compares(op, **other), groups=GROUPS), tmp_path / "b")
    mark_event_loop()
    try:
        assert not engine.decide(asked(["b"] * 64, {"k": ["a"]}))["decision"]
        with pytest.raises(TakesLong):
            engine.decide(asked(["b"] * 65, {"k": ["a"]}))
    finally:
        mark_event_loop(False)
