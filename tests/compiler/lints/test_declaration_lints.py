"""The lints of declarations: `required` without strict requests, and names of types that only look like labels."""

import json

import pytest

from tests.support.diagnosing import model_text, seen
from tests.support.linting import told

SENT = {"kind": "string", "required": True}


def declaring(section: str, strict: bool, declared: object = SENT) -> str:
    types = {"id": "document", "actions": ["read"]}
    if section == "resource":
        types["attributes"] = {"k": declared}
    sections = {"subject": {"subject": {"user": {"k": declared}}}}.get(section, {section: {"k": declared}})
    lists = {} if section == "resource" else {"attributes": json.dumps(sections)}
    return model_text(resource_types=json.dumps([types]), **lists, **({"requests": '"strict"'} if strict else {}))


@pytest.mark.parametrize(
    ("section", "strict", "declared", "warned"),
    [
        ("resource", False, SENT, True),
        ("subject", False, SENT, True),
        ("action", False, SENT, True),
        ("context", False, SENT, False),
        ("resource", True, SENT, False),
        ("subject", True, SENT, False),
        ("resource", False, {"kind": "string", "required": False}, False),
        ("subject", False, "string", False),
    ],
)
def test_required_has_an_effect_or_a_warning(section, strict, declared, warned):
    """E8 alone refuses a request; of the context, C12 counts without it."""
    text = declaring(section, strict, declared)
    assert seen(text) == []
    assert len(told("idle-required", text)) == warned


def named(id: str, name: str | None) -> str:
    type = {"id": id, "actions": ["read"]} | ({} if name is None else {"name": name})
    return model_text(resource_types=json.dumps([type]))


@pytest.mark.parametrize(
    ("id", "name"),
    [("account", "Account"), ("case_file", "Case File"), ("casefile", "case file"), ("account", "account ")],
)
def test_a_name_that_differs_by_case_or_spaces_is_no_label(id, name):
    assert seen(named(id, name)) == [("near-name", json.dumps(name))]
    (message,) = told("near-name", named(id, name))
    assert message.startswith(f"requests name this type `{name}`")


@pytest.mark.parametrize(
    ("id", "name"), [("account", "account"), ("account", None), ("account", "konto"), ("a-run", "a_run")]
)
def test_other_names_are_no_slip(id, name):
    assert seen(named(id, name)) == []
