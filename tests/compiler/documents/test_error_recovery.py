"""An unreadable member hides no other fault, and nothing is found merely because something could not be read."""

import json

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from writ.compiler.limits import Limits

from tests.support.diagnosing import ALICE, FORMATS, PLAN, grant, load_text, model_text, policy, seen
from tests.support.strategies import documents, filled_lists

UNREADABLE = {"unknown-member", "missing-member", "wrong-type", "unknown-value", "too-short"}

CASES = {
    "priority, and everything else of a policy": (
        model_text(
            policies=policy(
                '{"resource_attrs": [{"key": "k", "op": "regex", "value": "("}], "ip_allowlist": ["x"]}',
                more=', "priority": "x", "roles": ["editr"]',
            ).replace('"read"', '"raed"')
        ),
        [
            ("unknown-action", '"raed"'),
            ("bad-pattern", '"("'),
            ("bad-address", '"x"'),
            ("wrong-type", '"x"'),
            ("unknown-role", '"editr"'),
        ],
    ),
    "one role, and the other": (
        model_text(policies=policy(more=', "roles": [1, "editr"]')),
        [("wrong-type", "1"), ("unknown-role", '"editr"')],
    ),
    "no effect": (
        model_text(policies=policy(on="doc", effect="ALLOW").replace('"effect": "ALLOW", ', "")),
        [("missing-member", "{"), ("unknown-type", '"doc"')],
    ),
    "an operator, and the next condition": (
        model_text(
            policies=policy(
                '{"resource_attrs": [{"key": "k", "op": "==", "value": null}, {"key": "k", "op": "gt", "value": true}]}'
            )
        ),
        [("unknown-value", '"=="'), ("null-constant", "null"), ("wrong-constant", "true")],
    ),
    "a day, and the rest of a window": (
        model_text(
            policies=policy('{"time_window": {"days": ["Monday"], "start": "9", "timezone": "Mars", "not_after": 1}}')
        ),
        [("unknown-value", '"Monday"'), ("bad-time", '"9"'), ("unknown-zone", '"Mars"'), ("wrong-type", "1")],
    ),
    "a part of a constant": (
        model_text(policies=policy('{"resource_attrs": [{"key": "k", "op": "gt", "value": [1e999, null]}]}')),
        [("wrong-constant", "["), ("not-a-number", "1e999"), ("null-constant", "null")],
    ),
    "an id": (
        model_text(groups='[{"id": 1, "members": [{"group": "b"}, {}]}, {"id": "a"}]'),
        [("wrong-type", "1"), ("either-or", "{")],
    ),
    "a name, and the same id again": (
        model_text(roles='[{"id": "a"}, {"id": "a", "name": 1}]'),
        [("duplicate-id", '"a"'), ("wrong-type", "1")],
    ),
    "a grant's id, and what it grants": (
        grant('{"type": "doc", "id": "d"}', more=', "id": 1, "expires_at": "soon"'),
        [("unknown-type", '"doc"'), ("wrong-type", "1"), ("bad-instant", '"soon"')],
    ),
    "an assignment's expiry, and its role": (
        model_text(assignments='[{"role": "editr", "expires_at": 1}]'),
        [("either-or", "{"), ("unknown-role", '"editr"'), ("wrong-type", "1")],
    ),
    "a null that is left out makes it neither": (
        model_text(assignments='[{"role": "editor", "group": null}]'),
        [("either-or", "{"), ("wrong-type", "null")],
    ),
    "a type's flag, and its actions": (
        model_text(resource_types='[{"id": "*", "actions": ["*", 1], "closed": 1}]'),
        [("reserved-name", '"*"'), ("reserved-name", '"*"'), ("wrong-type", "1"), ("wrong-type", "1")],
    ),
    "an attribute, and the type of a resource": (
        model_text(resources='[{"type": "doc", "id": "d", "attributes": {"": 1}}]'),
        [("unknown-type", '"doc"'), ("too-short", '""')],
    ),
}


def test_every_fault_of_an_element_is_found_in_one_run(found, expected):
    assert found == expected


ALONE = {
    "member that may be the subject": model_text(assignments=f'[{{"role": "editor", "subjct": {ALICE}}}]'),
    "member that may be the group": model_text(groups='[{"id": "a", "members": [{"grop": "a"}]}]'),
    "hours that may be equal": model_text(policies=policy('{"time_window": {"start": "00:00", "emd": "09:00"}}')),
    "hour": model_text(policies=policy('{"time_window": {"start": 9, "end": "00:00"}}')),
    "days": model_text(policies=policy('{"time_window": {"day": ["mon"]}}')),
    "roles": model_text(policies=policy(more=', "roles": "editor"')),
    "subject": model_text(assignments='[{"role": "editor", "subject": "alice"}]'),
    "resource": grant('"plan"'),
    "list of actions": grant(actions='"read"'),
    "type of two subjects with one id": model_text(subjects='[{"type": 1, "id": "a"}, {"id": "a", "type": "b"}]'),
    "operator that may take an array": model_text(
        resource_types='[{"id": "document", "actions": ["read"], "attributes": {"k": "string"}}]',
        policies=policy('{"resource_attrs": [{"key": "k", "op": "is", "value": ["a"]}]}'),
    ),
    "attribute of a type": model_text(
        resource_types='[{"id": "document", "actions": ["read"], "attributes": {"k": "text"}}]',
        policies=policy('{"resource_attrs": [{"key": "k", "op": "eq", "value": 1}]}'),
    ),
    "declarations of attributes": model_text(
        resource_types='[{"id": "document", "actions": ["read"], "attributes": {}, "atributes": {"k": "number"}}]'
    ),
    "name of a type that is another's id": model_text(
        resource_types='[{"id": "a", "actions": [], "nmae": "b"}, {"id": "b", "actions": [], "name": "a"}]'
    ),
    "deep constant": model_text(
        policies=policy(f'{{"resource_attrs": [{{"key": "k", "op": "eq", "value": {"[" * 600}{"]" * 600}}}]}}')
    ),
    "pattern": model_text(policies=policy(r'{"resource_attrs": [{"key": "k", "op": "regex", "value": "\ud800"}]}')),
    "policy that is not compared": model_text(
        policies=policy(effect="DENY", more=', "priority": null')[:-1] + "," + policy().replace('"p"', '"q"')[1:]
    ),
    "grant that is not compared": model_text(
        grants=f'[{{"id": 1, "subject": {ALICE}, "resource": {PLAN}, "actions": ["read"]}}]',
        policies=policy('{"context_attrs": [{"key": "k", "op": "eq", "value": 1}]}', effect="DENY"),
    ),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", ALONE)
def test_what_could_not_be_read_is_the_only_fault(case, name):
    assert len(seen(ALONE[case], name)) == 1


@settings(max_examples=90)
@given(documents(), st.data())
def test_one_unreadable_part_of_a_valid_document_is_the_only_fault(document, data):
    """Whatever is of the wrong type, missing or misspelt, no check finds a fault that follows from it."""
    name = data.draw(st.sampled_from(filled_lists(document) or ["roles"]))
    elements = document.get(name) or [{"id": "new"}]
    place = data.draw(st.integers(0, len(elements) - 1))
    spoilt = [*elements[:place], data.draw(spoiling(elements[place])), *elements[place + 1 :]]
    found = load_text(json.dumps(document | {name: spoilt})).diagnostics
    faults = {one.code for one in found if one.severity == "error"}
    assume(faults & UNREADABLE)
    assert faults <= UNREADABLE
    assert faults == {
        one.code
        for one in load_text(yaml.safe_dump(document | {name: spoilt}, allow_unicode=True), "m.yaml").diagnostics
        if one.severity == "error"
    }


def spoiling(value):
    """`value` with one part of a type that is expected nowhere, or one member renamed or taken away."""
    wrong = st.sampled_from([1.5, {"no such": {}}, [[[]]], ""])
    if isinstance(value, dict) and value:
        inner = st.sampled_from(sorted(value)).flatmap(
            lambda name: (
                spoiling(value[name]).map(lambda spoilt: value | {name: spoilt})
                | st.just({("renamed" if key == name else key): member for key, member in value.items()})
                | st.just({key: member for key, member in value.items() if key != name})
            )
        )
        return inner | wrong
    if isinstance(value, list) and value:
        return wrong | st.integers(0, len(value) - 1).flatmap(
            lambda place: spoiling(value[place]).map(lambda spoilt: [*value[:place], spoilt, *value[place + 1 :]])
        )
    return wrong


def test_over_the_limit_of_diagnostics_nothing_more_is_looked_for():
    roles = json.dumps([{"id": "a", "name": 1}] * 3)
    found = load_text(model_text(roles=roles), limits=Limits(diagnostics=2)).diagnostics
    assert [one.message for one in found[2:]] == ["and 2 more"]
