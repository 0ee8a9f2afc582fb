"""Conditions on subjects, on the context and on actions fit the declared attributes."""

import json
from typing import Any

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.model.elements import DeclaredAttributes
from writ.compiler.source import Source

from tests.support.diagnosing import conditions, load_text, model_text, seen

USER = '{"subject": {"user": {"dept": "string", "level": "number", "meta": "object"}}}'
TWO = '{"subject": {"user": {"dept": "string", "level": "number"}, "bot": {"dept": "array", "owner": "string"}}}'
CONTEXT = '{"context": {"mfa": "boolean", "device": "object"}}'
ACTION = '{"action": {"reason": "string"}}'


def on(section: str, key: str, op: str, value: str, attributes: str) -> str:
    """A model whose one policy compares one attribute of a section, and its declared attributes."""
    return conditions(f'{{"{section}": [{{"key": "{key}", "op": "{op}", "value": {value}}}]}}', attributes=attributes)


CASES = {
    "declared": (on("subject_attrs", "dept", "eq", '"law"', USER), []),
    "undeclared": (on("subject_attrs", "detp", "eq", '"law"', USER), [("unknown-attribute", '"detp"')]),
    "wrong constant": (on("subject_attrs", "level", "gt", '"3"', USER), [("attribute-type", '"3"')]),
    "wrong operator": (on("subject_attrs", "level", "regex", '"3"', USER), [("attribute-type", '"regex"')]),
    "own keys": (on("subject_attrs", "type", "eq", '"user"', USER), []),
    "path into an object": (on("subject_attrs", "meta.a", "eq", "1", USER), []),
    "path into a string": (on("subject_attrs", "dept.a", "eq", "1", USER), [("attribute-type", '"dept.a"')]),
    "one type has it": (on("subject_attrs", "owner", "eq", '"a"', TWO), []),
    "fits the second type": (on("subject_attrs", "dept", "eq", '["a"]', TWO), []),
    "fits no type": (on("subject_attrs", "dept", "eq", "1", TWO), [("attribute-type", "1")]),
    "no type has it": (on("subject_attrs", "ownr", "eq", '"a"', TWO), [("unknown-attribute", '"ownr"')]),
    "no types": (on("subject_attrs", "dept", "eq", '"a"', '{"subject": {}}'), [("unknown-attribute", '"dept"')]),
    "context": (on("context_attrs", "mfa", "eq", "true", CONTEXT), []),
    "undeclared in the context": (
        on("context_attrs", "mfaa", "eq", "true", CONTEXT),
        [("unknown-attribute", '"mfaa"')],
    ),
    "text for a flag": (on("context_attrs", "mfa", "eq", '"true"', CONTEXT), [("attribute-type", '"true"')]),
    "the context has no own key": (
        on("context_attrs", "id", "eq", "1", CONTEXT),
        [("unknown-attribute", '"id"')],
    ),
    "keys of gates": (on("context_attrs", "ip", "eq", '"10.0.0.1"', CONTEXT), []),
    "the other key of gates": (on("context_attrs", "ip_address", "eq", '"10.0.0.1"', CONTEXT), []),
    "the time": (on("context_attrs", "time", "eq", '"x"', CONTEXT), []),
    "action": (on("action_attrs", "reason", "eq", '"audit"', ACTION), []),
    "undeclared of actions": (on("action_attrs", "resaon", "eq", '"x"', ACTION), [("unknown-attribute", '"resaon"')]),
    "other sections are free": (on("subject_attrs", "any", "eq", "1", CONTEXT), []),
    "an empty object": (on("subject_attrs", "any", "eq", "1", "{}"), []),
    "a list": (model_text(attributes="[]"), [("wrong-type", "[")]),
    "an unknown section": (model_text(attributes='{"user": {}}'), [("unknown-member", '"user"')]),
    "an unknown type": (model_text(attributes='{"context": {"mfa": "bool"}}'), [("unknown-value", '"bool"')]),
    "a wrong depth": (model_text(attributes='{"subject": {"dept": "string"}}'), [("wrong-type", '"string"')]),
    "null": (model_text(attributes='{"context": null}'), [("wrong-type", "null")]),
    "a misspelt declaration makes no key unknown": (
        on("context_attrs", "mfaa", "eq", "1", '{"context": {"mfa": "bool"}}'),
        [("unknown-value", '"bool"')],
    ),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "undeclared": "did you mean `dept`?",
    "no type has it": "did you mean `owner`?",
    "undeclared in the context": "did you mean `mfa`?",
    "an unknown type": "did you mean `boolean`?",
    "a list": "write an object with `subject`, `context` or `action`",
}


def test_help_names_what_was_meant(found_help, expected):
    assert found_help == expected


def test_messages_name_what_declares_the_attribute():
    texts = [CASES[name][0] for name in ("undeclared", "fits no type", "no type has it", "text for a flag")]
    assert [load_text(text).diagnostics[0].message for text in texts] == [
        "the subject type `user` has no attribute `detp`",
        "`dept` of the subject type `user` is declared as string, found the number `1`",
        "no subject type has an attribute `ownr`",
        "`mfa` of the context is declared as boolean, found the string `true`",
    ]


def documents(*attributes: dict[str, Any]) -> list[Source]:
    return [
        Source(f"{number}.json", json.dumps({"model": 1, "attributes": one}).encode())
        for number, one in enumerate(attributes)
    ]


def test_documents_declare_together():
    loaded = load(
        documents({"context": {"mfa": "boolean"}}, {"subject": {"user": {"a": "string"}}}, {"subject": {"bot": {}}}),
        zone_names(),
    )
    assert loaded.diagnostics == ()
    assert loaded.model is not None
    assert loaded.model.attributes == (
        DeclaredAttributes({"user": {"a": "string"}, "bot": {}}, {"mfa": "boolean"}, None),
    )


@pytest.mark.parametrize("section", [{"context": {"k": "string"}}, {"subject": {"user": {"k": "string"}}}])
def test_two_documents_that_disagree_are_an_error(section):
    other = json.loads(json.dumps(section).replace("string", "number"))
    (found,) = load(documents(section, section, other), zone_names()).diagnostics
    assert (found.code, found.file, found.line) == ("attribute-conflict", "2.json", 1)
    assert found.message == "`k` is declared as number here, and as string in another document"
    assert found.help.startswith("the first one is at 0.json:1:")


@pytest.mark.parametrize("name", ["model.json", "model.yaml"])
def test_a_repeated_object_is_a_fault_of_the_document(name):
    assert seen('{"model": 1, "attributes": {}, "attributes": {}}', name)[0][0] == "duplicate-member"
