"""Conditions compare with a constant or with a reference that can stand there (X1)."""

import json
from typing import Any

import pytest

from tests.support.diagnosing import load_text


def found(
    section: str, condition: dict[str, Any], extensions: list[str] | None = None, **more: Any
) -> list[tuple[str, str]]:
    """The codes and places of the errors of a model with one condition."""
    policy = {
        "id": "p",
        "effect": "ALLOW",
        "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        "conditions": {section: [condition]},
    }
    types = [{"id": "doc", "actions": ["read"]}]
    document = {"model": 1, "resource_types": types, "policies": [policy], **more}
    if extensions is not None:
        document["extensions"] = extensions
    errors = [one for one in load_text(json.dumps(document)).diagnostics if one.severity == "error"]
    return [(one.code, one.path.removeprefix("$.policies[0].conditions.")) for one in errors]


REFERENCE = {"key": "owner", "op": "eq", "value_of": "subject.id"}


def test_a_reference_needs_its_extension():
    assert found("resource_attrs", REFERENCE, ["references"]) == []
    assert found("resource_attrs", REFERENCE, ["now"]) == [("missing-extension", "resource_attrs[0].value_of")]
    assert found("resource_attrs", REFERENCE) == [("missing-extension", "resource_attrs[0].value_of")]


def test_a_condition_has_one_of_both():
    assert found("resource_attrs", REFERENCE | {"value": 1}, ["references"]) == [("either-or", "resource_attrs[0]")]
    assert found("resource_attrs", {"key": "k", "op": "eq"}, []) == [("missing-member", "resource_attrs[0]")]


@pytest.mark.parametrize(
    ("section", "other", "is_legal"),
    [
        ("resource_attrs", "subject.address.city", True),
        ("resource_attrs", "action.reason", True),
        ("resource_attrs", "context.region", True),
        ("resource_attrs", "resource.owner", False),
        ("resource_attrs", "subject.", False),
        ("resource_attrs", "subject", False),
        ("resource_attrs", "id", False),
        ("resource_attrs", "groups", False),
        ("subject_attrs", "subject.id", False),
        ("subject_attrs", "subject.groups", True),
        ("subject_attrs", "subject.groups.x", False),
        ("subject_attrs", "context.team", True),
        ("action_attrs", "action.reason", False),
        ("context_attrs", "context.region", False),
        ("context_attrs", "subject.region", True),
    ],
)
def test_what_a_reference_may_name(section, other, is_legal):
    errors = found(section, {"key": "k", "op": "eq", "value_of": other}, ["references"])
    assert errors == ([] if is_legal else [("bad-reference", f"{section}[0].value_of")])


def test_a_pattern_is_no_reference():
    condition = {"key": "k", "op": "regex", "value_of": "subject.k"}
    assert found("resource_attrs", condition, ["references"]) == [("bad-reference", "resource_attrs[0].value_of")]


@pytest.mark.parametrize(
    ("op", "other", "code"),
    [
        ("eq", "subject.level", None),
        ("gt", "subject.level", None),
        ("in", "subject.level", "attribute-type"),
        ("in", "subject.teams", None),
        ("gt", "subject.teams", "attribute-type"),
        ("eq", "subject.levle", "unknown-attribute"),
        ("eq", "subject.id", None),
        ("in", "subject.groups", None),
    ],
)
def test_a_declared_attribute_fits_the_reference(op, other, code):
    declared = {"subject": {"user": {"level": "number", "teams": "array"}}}
    errors = found("resource_attrs", {"key": "k", "op": op, "value_of": other}, ["references"], attributes=declared)
    assert errors == ([] if code is None else [(code, "resource_attrs[0].value_of")])


INSTANT = {"key": "until", "op": "lte", "value_of": "now"}


@pytest.mark.parametrize("section", ["resource_attrs", "subject_attrs"])
def test_now_needs_its_extension(section):
    """X5, X7."""
    assert found(section, INSTANT, ["now"]) == []
    assert found(section, INSTANT, ["references"]) == [("missing-extension", f"{section}[0].value_of")]
    assert found(section, INSTANT) == [("missing-extension", f"{section}[0].value_of")]


@pytest.mark.parametrize("section", ["action_attrs", "context_attrs"])
def test_now_stands_beside_entities_only(section):
    assert found(section, INSTANT, ["now"]) == [("bad-reference", f"{section}[0].value_of")]


@pytest.mark.parametrize("op", ["eq", "ne", "in", "nin", "regex"])
def test_now_is_compared_by_order_only(op):
    assert found("resource_attrs", INSTANT | {"op": op}, ["now"]) == [("bad-reference", "resource_attrs[0].value_of")]


@pytest.mark.parametrize(("kind", "fits"), [("instant", True), ("string", True), ("number", False), ("array", False)])
def test_a_declared_attribute_fits_now(kind, fits):
    errors = found("subject_attrs", INSTANT, ["now"], attributes={"subject": {"user": {"until": kind}}})
    assert [code for code, _ in errors] == ([] if fits else ["attribute-type"])
