"""The lint `escapable-deny`: what a caller may leave out, and who profits from it."""

import json
from typing import Any

import pytest
from writ.compiler.limits import Limits

from tests.support.diagnosing import FORMATS, load_text, seen
from tests.support.linting import addresses, allow, deny, model, on, when, window

GRANT = '[{"id": "g", "subject": {"type": "user", "id": "u"}, "resource": {"type": "document", "id": "d1"}, %s}]'
READ = GRANT % '"actions": ["*"]'

NEEDS = {
    "an attribute": (allow(), deny(1, **when("s", "eq", "x")), '"s"'),
    "an attribute that the ALLOW needs too": (allow(**when("s", "ne", "y")), deny(1, **when("s", "eq", "x")), None),
    "of another section": (
        allow(**when("s", "ne", "y", "subject_attrs")),
        deny(1, **when("s", "eq", "x")),
        '"s"',
    ),
    "of the context": (allow(), deny(1, **when("mfa", "eq", False, "context_attrs")), '"mfa"'),
    "of the action": (allow(), deny(1, **when("how", "eq", "x", "action_attrs")), '"how"'),
    "an own key": (allow(), deny(1, **when("id", "eq", "x")), None),
    "`id` of an action is no own key": (allow(), deny(1, **when("id", "eq", "x", "action_attrs")), '"id"'),
    "a time": (allow(), deny(1, **window(days=["mon"])), None),
    "an address": (allow(), deny(1, **addresses("10.0.0.0/8")), "["),
    "an address that the ALLOW needs too": (
        allow(**addresses("::/0", "10.0.0.0/8")),
        deny(1, **addresses("::1")),
        None,
    ),
    "an address that the ALLOW compares": (
        allow(**when("ip_address", "nin", [], "context_attrs")),
        deny(1, **addresses("::1")),
        None,
    ),
    "nothing that can happen": (allow(**when("t", "eq", 1)), deny(1, **when("t", "eq", 2)), None),
    "an ALLOW of higher priority": (allow(9), deny(10, **when("s", "eq", "x")), '"s"'),
    "another action": (allow(), deny(1, **on("document", "update"), **when("s", "eq", "x")), None),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", NEEDS)
def test_escapable_deny(case, name):
    first, second, expected = NEEDS[case]
    assert seen(model(first, second), name) == ([("escapable-deny", expected)] if expected else [])


def test_escapable_deny_names_what_to_do():
    (found,) = load_text(model(allow(), deny(1, **when("a.b", "eq", "x")))).diagnostics
    assert found.message == (
        "the DENY `d` does not hold if a request leaves out `resource.a.b`, and the ALLOW `a` does not need it"
    )
    assert found.help == "also give `a` a condition on `resource.a.b`"
    (found,) = load_text(model(allow(), deny(1, **addresses("::1")))).diagnostics
    assert found.help == "also give `a` an `ip_allowlist`"


SEVERAL = deny(
    1,
    conditions={
        "resource_attrs": [{"key": key, "op": "ne", "value": 1} for key in "sts"],
        "context_attrs": [{"key": "mfa", "op": "eq", "value": False}],
        "ip_allowlist": ["::1"],
    },
)


@pytest.mark.parametrize("name", FORMATS)
def test_all_that_an_allow_does_not_need_is_told_at_once(name):
    text = model(allow(**when("t", "eq", 2)), SEVERAL)
    assert seen(text, name) == [("escapable-deny", '"s"')]
    (found,) = load_text(text).diagnostics
    assert found.message == (
        "the DENY `d` does not hold if a request leaves out `resource.s`, `context.mfa` or `context.ip`, "
        "and the ALLOW `a` needs none of them"
    )
    assert found.help == "also give `a` a condition on each of these attributes"


def test_each_attribute_is_told_of_once_with_the_allow_that_needs_least_or_a_grant():
    needs_s = allow(9, id="s", **when("s", "eq", 2))
    needs_t_and_mfa = allow(
        id="tm",
        conditions={
            "resource_attrs": [{"key": "t", "op": "eq", "value": 2}],
            "context_attrs": [{"key": "mfa", "op": "eq", "value": False}],
        },
    )
    found = load_text(model(needs_t_and_mfa, needs_s, SEVERAL | {"priority": 10}, grants=READ)).diagnostics
    assert [(one.path.partition("conditions.")[2], one.message.partition("leaves out ")[2]) for one in found] == [
        (
            "resource_attrs[0].key",
            "`resource.s` or `context.ip`, and the ALLOW `tm` needs none of them",
        ),
        (
            "resource_attrs[1].key",
            "`resource.t` or `context.mfa`, and the ALLOW `s` needs none of them",
        ),
    ]
    both = allow(id="b", conditions=SEVERAL["conditions"] | {"ip_allowlist": ["::/0"]})
    (found,) = load_text(model(both, SEVERAL, grants=READ)).diagnostics
    assert "`resource.s`, `resource.t`, `context.mfa` or `context.ip`, and the direct grant `g`" in (found.message)
    assert "replace it by an ALLOW with a condition on each of these attributes" in found.help


def test_what_every_allow_needs_is_compared_with_none():
    """The steps grow with the policies, not with their pairs."""
    conditions = [{"resource_attrs": [{"key": key, "op": "ne", "value": n} for key in "st"]} for n in range(200)]
    policies = [
        policy(at, id=f"{name}{n}", conditions=conditions[n])
        for n in range(200)
        for policy, at, name in ((allow, 0, "a"), (deny, 1, "d"))
    ]
    found = load_text(model(*policies), limits=Limits(lint_steps=1_000)).diagnostics
    assert [one for one in found if "escapable-deny" in (one.code, *one.message.split("`"))] == []


def test_of_many_attributes_the_number_is_told():
    conditions = {"resource_attrs": [{"key": f"k{n}", "op": "eq", "value": 1} for n in range(10)]}
    (found,) = load_text(model(allow(), deny(1, conditions=conditions))).diagnostics
    assert "`resource.k0`, " in found.message
    assert "`resource.k7` or 2 more" in found.message


def test_there_is_one_warning_for_each_deny():
    conditions = {"conditions": {"resource_attrs": when("s", "eq", 1)["conditions"]["resource_attrs"] * 2}}
    text = model(allow(), allow(id="b"), deny(1, **conditions), deny(1, id="e", **when("t", "eq", 1)), grants=READ)
    assert seen(text) == [("escapable-deny", '"s"'), ("escapable-deny", '"t"')]


GRANTED = {
    "a grant": (deny(1, **when("s", "eq", "x")), READ, True),
    "a grant of another action": (
        deny(1, **when("s", "eq", "x")),
        GRANT % '"actions": ["update"]',
        False,
    ),
    "of another type": (deny(1, **on("folder", "*"), **when("s", "eq", "x")), READ, False),
    "without an id": (deny(1, **when("s", "eq", "x")), READ.replace('"id": "g", ', ""), True),
    "that never holds": (
        deny(1, conditions={"resource_attrs": [{"key": "s", "op": "eq", "value": v} for v in "xy"]}),
        READ,
        False,
    ),
    "an unconditional DENY": (deny(1), READ, False),
}
OWN = {
    "on the resource": ([("resource_attrs", "id", "eq", "d1")], True),
    "on one of several": ([("resource_attrs", "id", "in", ["d0", "d1"])], True),
    "on another resource": ([("resource_attrs", "id", "eq", "d2")], False),
    "to the subject": ([("subject_attrs", "id", "eq", "u")], True),
    "to another subject": ([("subject_attrs", "id", "eq", "v")], False),
    "on the resource, to another subject": (
        [("resource_attrs", "id", "eq", "d1"), ("subject_attrs", "id", "ne", "u")],
        False,
    ),
    "on the resource, of that type": (
        [("resource_attrs", "id", "eq", "d1"), ("resource_attrs", "type", "eq", "doc")],
        True,
    ),
    "on the resource, of another type": (
        [("resource_attrs", "id", "eq", "d1"), ("resource_attrs", "type", "eq", "document")],
        False,
    ),
}


@pytest.mark.parametrize("case", OWN)
def test_a_deny_on_own_ids_meets_the_grants_with_these_ids(case):
    tests, warned = OWN[case]
    conditions = {"context_attrs": [{"key": "mfa", "op": "eq", "value": False}]}
    for section, key, op, value in tests:
        conditions.setdefault(section, []).append({"key": key, "op": op, "value": value})
    types = '[{"id": "document", "name": "doc", "actions": ["read", "update"]}]'
    text = model(deny(1, conditions=conditions), grants=READ, resource_types=types)
    assert [code for code, _ in seen(text)] == ["escapable-deny"] * warned
    to_group = READ.replace('"subject": {"type": "user", "id": "u"}', '"group": "eng"')
    inside = '[{"id": "eng", "members": [{"group": "all"}]}, {"id": "all", "members": [{"type": "user", "id": "u"}]}]'
    text = model(deny(1, conditions=conditions), grants=to_group, groups=inside, resource_types=types)
    assert [code for code, _ in seen(text)] == ["escapable-deny"] * warned
    elsewhere = model(deny(1, conditions=conditions), grants=GRANT % '"actions": ["update"]', resource_types=types)
    assert seen(elsewhere) == []


def test_a_grant_as_a_witness_is_named():
    (found,) = load_text(model(deny(1, **when("s", "eq", "x")), grants=READ)).diagnostics
    assert "the direct grant `g` does not need it" in found.message
    (found,) = load_text(model(deny(1, **when("s", "eq", "x")), grants=READ.replace('"id": "g", ', ""))).diagnostics
    assert "the direct grant on `document` `d1` does not need it" in found.message
    made = READ.replace('"id": "g"', '"id": "4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"')
    (found,) = load_text(model(deny(1, **when("s", "eq", "x")), grants=made)).diagnostics
    assert "the direct grant on `document` `d1` does not need it" in found.message, "a made id says nothing"


COUNTRY = {"country": {"kind": "string", "required": True}, "city": "string"}


def of_documents(requests: str | None, key: str, attributes: dict[str, Any]) -> list[str]:
    types = [{"id": "document", "actions": ["read"], "attributes": attributes}]
    lists = {"requests": f'"{requests}"'} if requests else {}
    text = model(allow(), deny(1, **when(key, "eq", "x")), resource_types=json.dumps(types), **lists)
    return [code for code, _ in seen(text)]


def test_no_caller_leaves_out_what_a_strict_request_must_have():
    """E8: such a request is refused, so it escapes no DENY."""
    assert of_documents("strict", "country", COUNTRY) == []
    assert of_documents("strict", "city", COUNTRY) == ["escapable-deny"]
    assert "escapable-deny" in of_documents(None, "country", COUNTRY)


def test_each_type_of_a_deny_must_require_it():
    types = [
        {"id": "document", "actions": ["read"], "attributes": COUNTRY},
        {"id": "folder", "actions": ["read"], "attributes": {"country": "string"}},
    ]
    lists = {"resource_types": json.dumps(types), "requests": '"strict"'}
    both = {"resource_types": [{"resource_type_id": one, "actions": ["read"]} for one in ("document", "folder")]}
    text = model(allow(**both), deny(1, **both, **when("country", "eq", "x")), **lists)
    assert [code for code, _ in seen(text)] == ["escapable-deny"]


def test_subjects_and_actions_count_too():
    sent = {"kind": "string", "required": True}
    declared = json.dumps({"subject": {"user": {"dept": sent}}, "action": {"how": sent}})
    for section, key in (("subject_attrs", "dept"), ("action_attrs", "how")):
        text = model(allow(), deny(1, **when(key, "eq", "x", section)), attributes=declared, requests='"strict"')
        assert seen(text) == []
