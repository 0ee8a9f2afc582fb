"""The lints of what a comparison reads: a value that may be missing, a whole list, the moment of the request."""

import json
from typing import Any

import pytest

from tests.support.diagnosing import load_text, model_text, seen
from tests.support.linting import allow, deny, model, places, told, when

REFER = {"extensions": '["references"]'}
USERS = {"user": {"customer_id": "string"}}


def refers(value_of: str, key: str = "borrower", section: str = "resource_attrs", **more: Any) -> dict[str, Any]:
    return {"conditions": {section: [{"key": key, "op": "eq", "value_of": value_of}], **more}}


def borrowers(*more: dict[str, Any], effect: str = "DENY", **lists: str) -> str:
    """A policy on the borrower of a document, with more comparisons of the subject."""
    made = (deny if effect == "DENY" else allow)(1, **refers("subject.customer_id", subject_attrs=list(more)))
    present = {"key": "customer_id", "op": "nin", "value": []}
    read = [{"key": "borrower", "op": "nin", "value": []}]
    needs = {"conditions": {"resource_attrs": read} | ({"subject_attrs": [present]} if more else {})}
    return model(*((allow(**needs), made) if effect == "DENY" else (made,)), **REFER, **lists)


PRESENT = {"key": "customer_id", "op": "nin", "value": []}
WARNED = [("absent-reference", '"subject.customer_id"')]


def test_a_deny_that_holds_for_all_who_lack_the_value_is_a_warning():
    """X2: an employee, who is no customer, is denied each document."""
    assert seen(borrowers()) == WARNED
    (found,) = load_text(borrowers()).diagnostics
    assert found.message == (
        "the DENY `d` holds for each request without `subject.customer_id`, which it then can't compare"
    )
    assert "`is present`" in found.help
    assert "`required`" in found.help


def test_each_value_of_a_deny_is_told_once():
    twice = {"key": "type", "op": "eq", "value_of": "context.kind"}
    conditions = {"resource_attrs": [twice, {"key": "borrower", "op": "lt", "value_of": "context.kind"}]}
    text = model(allow(**when("borrower", "nin", [])), deny(1, conditions=conditions), **REFER)
    assert [code for code, _ in seen(text)] == ["absent-reference"]


@pytest.mark.parametrize(
    "text",
    [
        borrowers(PRESENT),
        borrowers({"key": "customer_id", "op": "ne", "value": "x"}),
        borrowers(effect="ALLOW"),
        model(allow(**when("borrower", "nin", [])), deny(1, **refers("subject.id")), **REFER),
        borrowers().replace('"op": "eq"', '"op": "ne"'),
    ],
    ids=["is present", "another comparison", "ALLOW", "the id of the subject", "a negation, which is meant to hold"],
)
def test_a_value_that_can_not_be_missing_is_none(text):
    assert seen(text) == []


REQUIRED = {"kind": "string", "required": True}


@pytest.mark.parametrize(
    ("requests", "declared", "codes"),
    [
        ('"strict"', {"subject": {"user": {"customer_id": REQUIRED}}}, []),
        (
            '"strict"',
            {"subject": {"user": {"customer_id": REQUIRED}, "robot": {"customer_id": "string"}}},
            ["absent-reference"],
        ),
        ('"strict"', {"subject": {"user": {"customer_id": "string"}}}, ["absent-reference"]),
        (None, {"subject": {"user": {"customer_id": REQUIRED}}}, ["absent-reference"]),
    ],
)
def test_what_a_strict_request_refuses_is_no_case(requests, declared, codes):
    """E8: a strict request without a required attribute is refused."""
    lists = {"attributes": json.dumps(declared)} | ({"requests": requests} if requests else {})
    assert sorted({code for code, _ in seen(borrowers(**lists))}) == codes


COUNTRY = [
    ({"resource_types": {"country": REQUIRED}}, "resource_attrs"),
    ({"attributes": {"subject": {"user": {"country": REQUIRED}}}}, "subject_attrs"),
    ({"attributes": {"action": {"country": REQUIRED}}}, "action_attrs"),
    ({"attributes": {"context": {"country": REQUIRED}}}, "context_attrs"),
]


@pytest.mark.parametrize(("declared", "section"), COUNTRY, ids=[section for _, section in COUNTRY])
@pytest.mark.parametrize("mode", ["strict", None])
def test_that_a_required_attribute_is_present_makes_no_policy_narrower(declared, section, mode):
    """Without strict requests, an ALLOW does not hold without the attribute, and neither does a DENY, but for C12."""
    lists = {"attributes": json.dumps(declared["attributes"])} if "attributes" in declared else {}
    lists |= {"requests": json.dumps(mode)} if mode else {}
    types = [{"id": "document", "actions": ["read"], "attributes": declared.get("resource_types", {})}]
    present = when("country", "nin", [], section)
    same = model(allow(id="a"), allow(id="b", **present), resource_types=json.dumps(types), **lists)
    wider = model(allow(id="a", **present), allow(id="b"), resource_types=json.dumps(types), **lists)
    dead = model(allow(id="a"), deny(**present), resource_types=json.dumps(types), **lists)
    assert [len(places("redundant-policy", text)) for text in (same, wider)] == [1, 1]
    assert places("redundant-policy", wider) == [f"$.policies[{1 if mode else 0}].id"]
    assert len(places("dead-allow", dead)) == (1 if mode else 0)


def test_a_required_attribute_of_the_context_is_meant():
    """C12: a DENY then holds without it, strict or not."""
    lists = REFER | {"attributes": json.dumps({"context": {"desk": REQUIRED}})}
    assert seen(model(allow(**when("borrower", "nin", [])), deny(1, **refers("context.desk")), **lists)) == []


# -- has with a list

ARRAYS = {"extensions": '["arrays", "references"]'}


def has(value: Any, op: str = "has", member: str = "value", flags: Any = None) -> str:
    types = [{"id": "document", "actions": ["read"]} | ({"attributes": {"flags": flags}} if flags else {})]
    condition = {"key": "flags", "op": op, member: value}
    policies = [allow(conditions={"resource_attrs": [condition]}, resource_types=[SCOPE])]
    attributes = json.dumps({"subject": {"user": {"tags": "array", "tag": "string"}}})
    return model_text(policies=json.dumps(policies), resource_types=json.dumps(types), attributes=attributes, **ARRAYS)


SCOPE = {"resource_type_id": "document", "actions": ["read"]}


@pytest.mark.parametrize("flags", [None, "array", {"kind": "array", "one_of": ["sanctions", "fraud"]}])
def test_has_with_a_list_names_has_any_of(flags):
    text = has(["sanctions", "fraud"], flags=flags)
    (found,) = load_text(text).diagnostics
    assert (found.code, found.severity) == ("list-element", "warning")
    assert "`has any of`" in found.help


@pytest.mark.parametrize(
    ("value", "op", "member", "warned"),
    [
        ("subject.groups", "has", "value_of", True),
        ("subject.tags", "has", "value_of", True),
        ([["a", "b"]], "has_any", "value", True),
        ([["a"]], "has_none", "value", True),
        ("a", "has", "value", False),
        ("subject.tag", "has", "value_of", False),
        (["a", "b"], "has_any", "value", False),
        ("subject.groups", "has_any", "value_of", False),
    ],
)
def test_the_other_lists_that_an_element_would_have_to_be(value, op, member, warned):
    assert [code for code, _ in seen(has(value, op, member))] == ["list-element"] * warned


def test_a_declared_list_may_be_an_element():
    assert seen(has(["a", "b"], flags={"kind": "array", "one_of": [["a", "b"], ["c"]]})) == []


# -- the time and the address in a plain comparison


@pytest.mark.parametrize(
    ("key", "op", "value", "gate"),
    [
        ("time", "gte", "08:00", "time_window"),
        ("time", "regex", "^2027", "time_window"),
        ("time", "lt", "2027-01-01T00:00:00Z", "time_window"),
        ("ip", "regex", r"^10\.", "ip_allowlist"),
        ("ip_address", "in", ["10.0.0.1"], "ip_allowlist"),
        ("ip", "ne", "10.0.0.1", "ip_allowlist"),
    ],
)
def test_a_plain_comparison_names_the_gate_that_is_meant(key, op, value, gate):
    text = model(allow(**when(key, op, value, "context_attrs")))
    (found,) = (one for one in load_text(text, ignored=()).diagnostics if one.code == "plain-gate")
    assert found.severity == "warning"
    assert gate in found.help


def test_a_reference_to_the_time_is_such_a_comparison():
    assert len(told("plain-gate", model(allow(**refers("context.time", "due")), **REFER))) == 1


@pytest.mark.parametrize(
    "condition",
    [
        when("ip", "nin", [], "context_attrs"),
        when("timed", "eq", "x", "context_attrs"),
        when("time", "eq", "x"),
    ],
    ids=["is present", "another key", "another section"],
)
def test_other_comparisons_are_not(condition):
    assert told("plain-gate", model(allow(**condition))) == []


def test_a_time_of_the_application_itself_is_not():
    declared = {"attributes": '{"context": {"time": "number"}}'}
    assert told("plain-gate", model(allow(**when("time", "gt", 5, "context_attrs")), **declared)) == []
