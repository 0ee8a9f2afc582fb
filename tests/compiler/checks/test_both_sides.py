"""Both sides of a reference are held against their declarations, as a constant is (X2)."""

import pytest

from tests.support.diagnosing import load_text, model_text, policy, seen

PAYMENT = (
    '[{"id": "payment", "actions": ["read"], "attributes": {"amount": "number", "owner": "string", "held": "boolean",'
    ' "due": "instant", "flags": "array", "meta": "object", "codes": {"kind": "array", "one_of": [1, 2]},'
    ' "level": {"kind": "string", "one_of": ["low", "high"]}, "any.thing": "number"}},'
    ' {"id": "open", "actions": ["read"]},'
    ' {"id": "bill", "actions": ["read"], "attributes": {"amount": "string"}}]'
)
DECLARED = (
    '{"subject": {"user": {"limit": "string", "cap": "number", "vip": "boolean", "tags": "array", "hired": "instant",'
    ' "grade": {"kind": "string", "one_of": ["a", "b"]}, "sums": {"kind": "array", "one_of": ["a"]},'
    ' "both": "number"}, "robot": {"both": "string"}},'
    ' "context": {"mfa": "boolean", "region": "string"}, "action": {"copies": "number", "reason": "string"}}'
)


def model(op: str, key: str, value_of: str, section: str = "resource_attrs", on: str = "payment") -> str:
    condition = f'{{"{section}": [{{"key": "{key}", "op": "{op}", "value_of": "{value_of}"}}]}}'
    return model_text(
        extensions='["references", "arrays", "now"]',
        resource_types=PAYMENT,
        policies=policy(condition, on=on),
        attributes=DECLARED,
    )


NEVER = [
    ("gt", "amount", "subject.limit"),
    ("lte", "amount", "context.region"),
    ("eq", "amount", "subject.limit"),
    ("ne", "amount", "action.reason"),
    ("eq", "owner", "subject.cap"),
    ("eq", "flags", "subject.limit"),
    ("eq", "meta", "subject.limit"),
    ("eq", "held", "subject.limit"),
    ("eq", "due", "subject.cap"),
    ("lt", "due", "subject.cap"),
    ("lt", "amount", "subject.hired"),
    ("lt", "amount", "context.time"),
    ("eq", "amount", "subject.id"),
    ("eq", "amount", "context.ip"),
    ("eq", "id", "subject.cap"),
    ("in", "amount", "subject.groups"),
    ("nin", "flags", "subject.groups"),
    ("in", "amount", "subject.sums"),
    ("has", "codes", "subject.limit"),
    ("has_any", "codes", "subject.sums"),
    ("has_none", "codes", "subject.groups"),
]


@pytest.mark.parametrize(("op", "key", "value_of"), NEVER)
def test_two_kinds_that_never_compare_are_an_error(op, key, value_of):
    assert seen(model(op, key, value_of)) == [("attribute-type", f'"{value_of}"')]


@pytest.mark.parametrize(
    ("section", "op", "key", "value_of"),
    [
        ("subject_attrs", "lt", "cap", "context.region"),
        ("subject_attrs", "eq", "vip", "action.copies"),
        ("context_attrs", "eq", "mfa", "action.reason"),
        ("context_attrs", "in", "mfa", "subject.groups"),
        ("action_attrs", "gt", "copies", "subject.limit"),
        ("action_attrs", "gt", "copies", "subject.groups"),
        ("context_attrs", "lte", "region", "subject.groups"),
    ],
)
def test_the_left_side_may_be_of_any_section(section, op, key, value_of):
    assert seen(model(op, key, value_of, section)) == [("attribute-type", f'"{value_of}"')]


@pytest.mark.parametrize(
    ("op", "key", "value_of", "marked"),
    [
        ("lt", "held", "subject.vip", ["lt", "subject.vip"]),
        ("lt", "owner", "subject.vip", ["subject.vip"]),
        ("in", "owner", "subject.limit", ["subject.limit"]),
        ("has", "owner", "subject.limit", ["has"]),
        ("has_any", "flags", "subject.limit", ["subject.limit"]),
        ("gt", "amount", "now", ["now"]),
        ("gt", "held", "now", ["gt"]),
    ],
)
def test_an_operator_that_a_side_can_not_have_is_one_error_a_side(op, key, value_of, marked):
    found = seen(model(op, key, value_of))
    assert sorted(found) == sorted(("attribute-type", f'"{word}"') for word in marked)


def test_values_that_have_none_in_common_are_never_equal():
    assert seen(model("eq", "level", "subject.grade")) == [("attribute-value", '"subject.grade"')]
    assert seen(model("in", "level", "subject.sums")) == [("attribute-value", '"subject.sums"')]
    assert seen(model("lt", "level", "subject.grade")) == []


INNOCENT = [
    ("gt", "amount", "subject.cap"),
    ("gt", "amount", "action.copies"),
    ("eq", "owner", "subject.id"),
    ("eq", "owner", "subject.limit"),
    ("eq", "due", "subject.limit"),
    ("lt", "due", "subject.hired"),
    ("eq", "held", "subject.vip"),
    ("eq", "flags", "subject.tags"),
    ("eq", "codes", "subject.groups"),
    ("in", "owner", "subject.groups"),
    ("in", "due", "subject.groups"),
    ("in", "amount", "subject.tags"),
    ("has", "flags", "subject.cap"),
    ("has_any", "flags", "subject.groups"),
    ("eq", "meta.x", "subject.cap"),
    ("eq", "amount", "subject.both"),
    ("eq", "level", "subject.limit"),
    ("lt", "due", "now"),
]


@pytest.mark.parametrize(("op", "key", "value_of"), INNOCENT)
def test_kinds_that_may_compare_are_no_error(op, key, value_of):
    assert [code for code, _ in seen(model(op, key, value_of)) if code.startswith("attribute")] == []


def test_each_named_type_must_fit_and_one_of_all_types():
    """`bill.amount` is a text, `payment.amount` a number, and `open` declares nothing."""
    assert seen(model("gt", "amount", "subject.cap", on="bill")) == [("attribute-type", '"subject.cap"')]
    assert seen(model("gt", "amount", "subject.cap", on="open")) == []
    assert seen(model("gt", "amount", "subject.cap", on="*")) == []
    closed = model("eq", "amount", "context.mfa", on="*").replace('{"id": "open", "actions": ["read"]},', "")
    assert seen(closed) == [("attribute-type", '"context.mfa"')]


def test_nothing_declared_is_no_fault():
    undeclared = model("gt", "amount", "subject.limit").replace(f'"attributes": {DECLARED}', '"lints": []')
    assert seen(undeclared) == []


def test_the_message_names_both_declarations():
    (found,) = load_text(model("gt", "amount", "subject.limit")).diagnostics
    assert found.message == (
        "`amount` of the resource type `payment` is declared as number, and `limit` of the subject type `user` is"
        " declared as string, so the two never compare"
    )
