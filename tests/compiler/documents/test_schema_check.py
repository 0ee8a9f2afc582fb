"""The structural check: every fault of an element in one run, each at the part that is at fault."""

import json
from enum import StrEnum

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.compiler.documents.raw_values import value_faults
from writ.compiler.documents.schema_findings import schema_findings
from writ.compiler.limits import Limits
from writ.compiler.model.elements import LISTS

from tests.support.diagnosing import load_text, model_text, policy
from tests.support.strategies import documents, filled_lists

CASES = {
    "unknown member": (model_text(roles='[{"id": "a", "nmae": "A"}]'), [("unknown-member", '"nmae"')]),
    "missing member": (model_text(roles='[{"name": "A"}]'), [("missing-member", "{")]),
    "missing members": (model_text(policies="[{}]"), [("missing-member", "{")] * 3),
    "no object": (model_text(roles='["editor"]'), [("wrong-type", '"editor"')]),
    "no array": (model_text(roles="{}"), [("wrong-type", "{")]),
    "number for string": (model_text(roles='[{"id": 12}]'), [("wrong-type", "12")]),
    "boolean for string": (model_text(roles='[{"id": true}]'), [("wrong-type", "true")]),
    "null for optional": (model_text(roles='[{"id": "a", "name": null}]'), [("wrong-type", "null")]),
    "null for required": (model_text(roles='[{"id": null}]'), [("wrong-type", "null")]),
    "null in a list": (model_text(policies=policy(more=', "roles": [null]')), [("wrong-type", "null")]),
    "empty id": (model_text(roles='[{"id": ""}]'), [("too-short", '""')]),
    "long id": (model_text(roles=f'[{{"id": "{"x" * 513}"}}]'), [("too-long", f'"{"x" * 513}"')]),
    "string for flag": (model_text(policies=policy(more=', "enabled": "yes"')), [("wrong-type", '"yes"')]),
    "real for whole number": (model_text(policies=policy(more=', "priority": 1.5')), [("wrong-type", "1.5")]),
    "flag for number": (model_text(policies=policy(more=', "priority": true')), [("wrong-type", "true")]),
    "large number": (model_text(policies=policy(more=', "priority": 2147483648')), [("out-of-range", "2147483648")]),
    "no window": (
        model_text(policies=policy('{"rate_limit": {"limit": 0, "window_seconds": 1}}')),
        [("out-of-range", "0")],
    ),
    "effect": (model_text(policies=policy(effect="allow")), [("unknown-value", '"allow"')]),
    "operator": (
        model_text(policies=policy('{"resource_attrs": [{"key": "k", "op": "==", "value": 1}]}')),
        [("unknown-value", '"=="')],
    ),
    "day": (model_text(policies=policy('{"time_window": {"days": ["Monday"]}}')), [("unknown-value", '"Monday"')]),
    "attribute type": (
        model_text(resource_types='[{"id": "d", "actions": [], "attributes": {"a": "text"}}]'),
        [("unknown-value", '"text"')],
    ),
    "empty attribute name": (
        model_text(subjects='[{"type": "user", "id": "u", "attributes": {"": 1}}]'),
        [("too-short", '""')],
    ),
    "all at once": (
        model_text(roles='[{"id": 1, "x": 2, "name": null}, 3, {"id": "a", "y": 4}]'),
        [
            ("wrong-type", "1"),
            ("unknown-member", '"x"'),
            ("wrong-type", "null"),
            ("wrong-type", "3"),
            ("unknown-member", '"y"'),
        ],
    ),
    "members of the root": ('{"model": 1, "rols": []}', [("unknown-member", '"rols"')]),
    "no version": ('{"roles": []}', [("missing-member", "{")]),
    "newer version": ('{"model": 2}', [("unknown-version", "2")]),
    "version as text": ('{"model": "1"}', [("wrong-type", '"1"')]),
    "version as flag": ('{"model": true}', [("wrong-type", "true")]),
    "version as real": ('{"model": 1.0}', [("wrong-type", "1.0")]),
    "version as no number": ('{"model": -1e999}', [("not-a-number", "-1e999")]),
    "list as no number": ('{"model": 1, "roles": 1e999}', [("not-a-number", "1e999")]),
    "no root object": ("[]", [("wrong-type", "[")]),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    '[{"id": "a", "nmae": "A"}]': "did you mean `name`?",
    '[{"id": 12}]': "put it in quotes",
    '[{"id": "a", "name": null}]': "leave the member out",
    '[{"id": null}]': "",
    '[{"id": "a", "colour": "A"}]': "",
}


@pytest.mark.parametrize("roles", HELP)
def test_help(roles):
    (found,) = load_text(model_text(roles=roles)).diagnostics
    assert found.help == HELP[roles]


FORMS = {
    model_text(roles='["editor"]'): "write an object with `id`",
    model_text(roles='{"editor": {}}'): "write an array, each element an object with `id`",
    model_text(roles="null"): "leave the member out",
    model_text(policies=policy("[]")): (
        "write an object with `resource_attrs`, `subject_attrs`, `action_attrs`, `context_attrs`, `time_window`, "
        "`ip_allowlist` or `rate_limit`"
    ),
    model_text(policies=policy('{"resource_attrs": {"k": 1}}')): (
        "write an array, each element an object with `key` and `op`"
    ),
    model_text(policies=policy(more=', "roles": "editor"')): "write an array of strings",
    model_text(policies=policy(more=', "enabled": "yes"')): "did you mean `true`?",
    model_text(policies=policy(more=', "enabled": "false"')): "leave the quotes out",
    model_text(policies=policy(more=', "priority": "-5"')): "leave the quotes out",
    model_text(policies=policy(more=', "priority": "high"')): "",
    '{"model": "1"}': "write `model: 1`",
}


@pytest.mark.parametrize("text", FORMS)
def test_help_tells_the_form(text):
    (found,) = load_text(text).diagnostics
    assert (found.code, found.help) == ("wrong-type", FORMS[text])


def test_help_with_a_value_in_the_wrong_case():
    (found,) = load_text(model_text(policies=policy(effect="deny"))).diagnostics
    assert found.help == "did you mean `DENY`?"


class Shade(StrEnum):
    LIGHT = "light"
    DARK = "dark"


class Colour(msgspec.Struct):
    shade: Shade


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"shade": "dark"}, None),
        ({"shade": "dakr"}, "unknown value `dakr`, expected `light` or `dark`"),
        ({"shade": 1}, "expected `light` or `dark`, found the number `1`"),
    ],
)
def test_a_closed_type_takes_its_words_alone(value, message):
    assert [finding.message for finding in schema_findings(value, Colour, ())] == ([message] if message else [])


@given(documents(), st.data())
def test_the_check_and_the_conversion_agree(document, data):
    """Whatever is done to an element, it is converted exactly where the check finds nothing."""
    name = data.draw(st.sampled_from(filled_lists(document) or ["roles"]))
    element = data.draw(st.sampled_from(document.get(name) or [{"id": "a"}]))
    value = mutated(json.loads(json.dumps(element)), data)
    path = (name, 0)
    faults = [*value_faults(value, path, Limits()), *schema_findings(value, LISTS[name], path)]
    try:
        msgspec.convert(value, LISTS[name])
    except msgspec.ValidationError:
        assert faults
    else:
        # A null is the one thing that the classes allow, for members left out, and a document does not.
        assert all("null" in fault.message for fault in faults)


def mutated(value, data):
    """`value` with one part replaced, removed or added, anywhere in it."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(value)))
        return value | {name: mutated(value[name], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], mutated(value[place], data), *value[place + 1 :]]
    if isinstance(value, dict) and data.draw(st.booleans()):
        removed = data.draw(st.sampled_from([*sorted(value), "extra"]))
        return {name: member for name, member in value.items() if name != removed} or {"extra": 1}
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    return data.draw(scalars | st.text(max_size=3) | st.just([]) | st.just({}) | st.just("x" * 600))
